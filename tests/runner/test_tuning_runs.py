"""From a claim file that asks for tuning to trials on held-out documents, and to runs by the best of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from audit.claims.load import Paper, load
from audit.errors import PlanError
from audit.record import NOT_TUNED, Audit, PaperInfo, audit_from_json, to_json
from audit.runner import make_plan
from audit.runner import resolve as study_store
from audit.runner.engines import Resources, engine_of
from audit.runner.progress import new_console
from audit.runner.resolve import DataRequest, Question, questions
from audit.runner.search import carry_on, settings_of, train_trial
from audit.settings import RunSettings
from audit.study import Study, Trial
from reimpl import xml_cnn
from reimpl.data.dataset import Dataset
from reimpl.data.splits import RULES, hold_out
from reimpl.protocol import Protocol
from reimpl.training import train
from tests.runner.papers import write_corpus, write_paper

PLACE = "title: Words, model"
VALUES = {"training.learning_rate": 3e-3, "config.dropout_embedding": 0.2, "config.dropout_output": 0.4}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus")


def paper(folder: Path, said: str = "tuning: {protocol: chen2022, trials: 2}") -> Paper:
    return load(write_paper(folder, (PLACE, f"{said}, {PLACE}")))


def settings(folder: Path, **changes: Any) -> RunSettings:
    return RunSettings(
        **{"device": "cpu", "data": folder / "corpus", "store": folder / "store", "seeds": 2, **changes}
    )


def question(folder: Path, said: str = "tuning: {protocol: chen2022, trials: 2}", **changes: Any) -> Question:
    (found,) = questions(paper(folder, said), settings(folder), **changes)
    return found


def study_of(folder: Path, it: Question, *, jobs: int = 1, **spent: Any) -> Study:
    engine, console = engine_of("local", jobs, Resources()), new_console(quiet=True)
    found = carry_on(it, folder / "store", console, engine, **{"trials": it.trials, **spent})
    assert found is not None
    return found


def told_nothing(epoch: float, score: float) -> None: ...


# --------------------------------------------------------------------------- the question


def test_a_question_is_of_the_settings_that_runs_have_but_for_what_is_sought(
    tmp_path: Path, corpus: Path
) -> None:
    """On a CPU the protocol is reduced, and what it reduces is not sought: maps here."""
    spec = question(tmp_path).spec
    job = make_plan(paper(tmp_path), settings(tmp_path, untuned=True, only=["words"])).jobs[0]
    sought = {it.name.partition(".")[2] for it in spec.space}
    assert sought == {"learning_rate", "dropout_embedding", "dropout_output"}
    assert spec.config == {key: it for key, it in job.spec.config.items() if key not in sought}
    same = ("name", "epochs", "batch_size", "length", "optimiser")
    assert {key: spec.training[key] for key in same} == {key: job.spec.protocol[key] for key in same}
    assert (spec.training["select"], spec.training["patience"], spec.metric) == ("best_on_dev", 10, "P@1")
    notes = " ".join(question(tmp_path).notes)
    assert "trials run at the sizes of the reduced protocol small" in notes


# --------------------------------------------------------------------------- trials and the test documents


class Poison:
    """Whoever looks at it is found out."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(f"the test documents were asked for their {name}")


@dataclass(frozen=True)
class Poisoned(DataRequest):
    """Data whose test documents nobody may look at."""

    def load(self) -> Dataset:
        plain = DataRequest(**{name: getattr(self, name) for name in DataRequest.__dataclass_fields__})
        data = replace(plain.load())
        object.__setattr__(data, "test", Poison())
        return data


def test_no_trial_looks_at_the_test_documents(tmp_path: Path, corpus: Path) -> None:
    """The whole search, its record included, on data whose test part raises at any touch."""
    plain = question(tmp_path)
    parts = {name: getattr(plain.data, name) for name in DataRequest.__dataclass_fields__}
    poisoned = replace(plain, data=Poisoned(**parts))
    with pytest.raises(AssertionError, match="asked for their size"):
        _ = poisoned.data.load().test.size
    study = study_of(tmp_path, poisoned)
    assert [it.state for it in study.trials] == ["done", "done"], [it.reason for it in study.trials]
    assert study.key == plain.spec.key


def test_a_trial_is_a_training_on_what_is_left_scored_on_what_is_held_out(
    tmp_path: Path, corpus: Path
) -> None:
    """Against the same training put together by hand."""
    it = question(tmp_path)
    outcome = train_trial(it, None, lambda *_: None, lambda: False, 0, VALUES, told_nothing)
    whole = it.data.whole.load()
    parted = hold_out(whole, RULES["chen2022"])
    left, held = parted.train, parted.dev
    assert held is not None
    assert (left.size, held.size) == (32, 8)
    data = replace(whole, train=left, dev=held, test=held)
    spec = settings_of(it.spec, VALUES)
    assert (spec.protocol["learning_rate"], spec.config["dropout_output"]) == (3e-3, 0.4)
    config = xml_cnn.Config(**spec.config)

    def build(vectors: torch.Tensor) -> torch.nn.Module:
        return xml_cnn.build(
            config,
            vectors=vectors,
            labels=data.n_labels,
            length=spec.protocol["length"],
            padding_id=data.padding_id,
            freeze_padding=True,
        )

    result = train(build, data, Protocol(**spec.protocol), loss_name=config.loss, seed=0)
    assert outcome.score == result.metrics["P@1"]
    assert outcome.reason is None


# --------------------------------------------------------------------------- studies


def test_a_study_holds_what_was_sought_and_what_came_of_it(tmp_path: Path, corpus: Path) -> None:
    it = question(tmp_path)
    study = study_of(tmp_path, it)
    assert study_store.get_study(study_store.study_path(tmp_path / "store", it.spec.key)) == study
    assert (study.protocol, study.wanted, len(study.trials)) == ("chen2022", 2, 2)
    assert (study.n_train, study.n_validation) == (32, 8)
    assert study.validation.startswith("dev: 8 of 40 training documents held out")
    assert {"optuna", "torch", "xmtc-audit"} <= set(study.versions)
    assert study.seconds == pytest.approx(sum(trial.seconds for trial in study.trials), abs=2e-3)
    assert all(set(trial.values) == set(VALUES) for trial in study.trials)
    more = study_of(tmp_path, it, trials=3)
    assert more.trials[:2] == study.trials
    assert len(more.trials) == 3


def test_worker_processes_make_the_trials_of_one_process(tmp_path: Path, corpus: Path) -> None:
    it = question(tmp_path, "tuning: {protocol: chen2022, epochs: 2}")
    together = study_of(tmp_path, it, trials=4, jobs=2, threads=1)
    alone = study_of(tmp_path / "alone", it, trials=4)
    # two are proposed before the first has ended, so those by chance alone are the same
    assert [it.values for it in together.trials] == [it.values for it in alone.trials]
    assert {it.state for it in together.trials} == {"done"}


# --------------------------------------------------------------------------- runs


def put_study(folder: Path, it: Question, **changes: Any) -> Study:
    """A study as if it had been made, with two trials."""
    trials = (
        Trial(0, "done", VALUES, 61.5),
        Trial(1, "done", {**VALUES, "config.dropout_output": 0.6}, 60.0),
    )
    parts: dict[str, Any] = {"trials": trials, "wanted": 2, "seconds": 1.0, "data": "corpus"}
    parts |= {"validation": "dev: 8 of 40", "n_train": 32, "n_validation": 8, "notes": it.notes, **changes}
    return study_store.put_study(folder / "store", Study(it.spec.key, it.spec, it.protocol, **parts))


def test_runs_have_the_best_values_and_name_their_study(tmp_path: Path, corpus: Path) -> None:
    study = put_study(tmp_path, question(tmp_path))
    plan = make_plan(paper(tmp_path), settings(tmp_path))
    words = next(it for it in plan.experiments if it.id == "words")
    specs = [job.spec for job in plan.jobs if job.spec.key in plan.keys["words"]]
    assert [spec.study for spec in specs] == [study.key] * 2
    for spec in specs:
        assert spec.protocol["learning_rate"] == 3e-3
        assert (spec.config["dropout_embedding"], spec.config["dropout_output"]) == (0.2, 0.4)
    assert words.study == study
    assert words.short == ("stand_in", "reduced_protocol")  # tuned in as many trials as the file asks for
    (told,) = [it for it in words.deviations if it.what == "tuning"]
    assert told.here.startswith("tuned: 2 trials, best P@1 61.50 with learning_rate 0.003")
    assert study.key in told.here
    assert not [it for it in words.deviations if it.what in ("learning rate", "dropout output")]
    others = [job.spec for job in plan.jobs if job.spec.key not in plan.keys["words"]]
    assert {spec.study for spec in others} == {""}
    whole = Audit(PaperInfo("toy2024", "A toy"), (), plan.experiments, (), ())
    assert audit_from_json(to_json(whole)) == whole


def test_without_a_study_the_others_run_and_one_sentence_says_what_to_do(
    tmp_path: Path, corpus: Path
) -> None:
    plan = make_plan(paper(tmp_path), settings(tmp_path))
    why = {it.id: it.not_run for it in plan.experiments}
    assert why["words"] == NOT_TUNED
    assert (why["letters"], why["again"]) == (None, None)
    assert plan.remarks[-1] == (
        f"toy2024: words is not tuned on this corpus; `audit tune toy2024 --data {corpus}` finds the "
        "settings, --tuned-on DIR uses those of another corpus, and --untuned goes without"
    )
    only = make_plan(paper(tmp_path), settings(tmp_path, only=["letters"]))
    assert next(it for it in only.experiments if it.id == "words").not_run == NOT_TUNED
    assert not [it for it in only.remarks if "tuned" in it]
    with pytest.raises(
        PlanError, match=r"words is not tuned on this corpus; `audit tune toy2024 --only words"
    ):
        make_plan(paper(tmp_path), settings(tmp_path, only=["words"]))


def test_untuned_runs_are_those_of_the_file_and_say_so(tmp_path: Path, corpus: Path) -> None:
    """Their keys are the ones that they had before the file asked for tuning."""
    put_study(tmp_path, question(tmp_path))
    plan = make_plan(paper(tmp_path), settings(tmp_path, untuned=True))
    before = make_plan(load(write_paper(tmp_path)), settings(tmp_path))
    assert plan.keys["words"] == before.keys["words"]
    words = next(it for it in plan.experiments if it.id == "words")
    (told,) = [it for it in words.deviations if it.what == "tuning"]
    assert (told.here, told.why) == ("not tuned: the settings of the claim file", "--untuned")
    assert words.study is None
    assert words.short == ("stand_in", "reduced_protocol", "untuned")


def test_a_study_of_other_documents_counts_only_where_it_is_named(tmp_path: Path, corpus: Path) -> None:
    put_study(tmp_path, question(tmp_path))
    other = write_corpus(tmp_path / "other", n_train=50)
    with pytest.raises(PlanError, match="not tuned on this corpus"):
        make_plan(paper(tmp_path), settings(tmp_path, data=other, only=["words"]))
    named = settings(tmp_path, data=other, tuned_on=corpus)
    plan = make_plan(paper(tmp_path), replace(named, only=["words"]))
    words = next(it for it in plan.experiments if it.id == "words")
    (told,) = [it for it in words.deviations if it.what == "tuning"]
    assert "tuned on corpus: its training documents may include test documents of this corpus" in told.why
    assert plan.jobs[0].data.load().train.size == 50
    here = make_plan(paper(tmp_path), settings(tmp_path, tuned_on=corpus, only=["words"]))
    words = next(it for it in here.experiments if it.id == "words")
    assert not [it for it in words.deviations if "test documents here" in it.why]


def test_linear_models_are_tuned_by_the_same_road(tmp_path: Path, corpus: Path) -> None:
    """Without epochs there is no curve: the score is that of the end, and the best C is the runs'."""
    pytest.importorskip("sklearn", reason="linear models need scikit-learn")
    text = write_paper(tmp_path).read_text()
    old = text[text.index("  words:\n") : text.index("  letters:\n")]
    new = (
        "  words: {title: Words, model: linear, variant: svm, protocol: small, dataset: corpus, "
        "recipe: study2022,\n    tuning: {protocol: wang2019, trials: 3}}\n"
    )
    (tmp_path / "toy.yaml").write_text(text.replace(old, new))
    claims = load(tmp_path / "toy.yaml")
    (it,) = questions(claims, settings(tmp_path, only=["words"]))
    study = study_of(tmp_path, it)
    assert [trial.state for trial in study.trials] == ["done"] * 3
    assert {trial.epochs for trial in study.trials} == {None}
    assert study.best is not None
    (job,) = make_plan(claims, settings(tmp_path, only=["words"])).jobs
    assert job.spec.config["C"] == study.best.values["config.C"]
    assert np.isfinite([trial.score or np.nan for trial in study.trials]).all()
