"""The plan beside the run records tells which of them are those of which experiment, without torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from audit.claims.load import Paper, load
from audit.errors import StoreError
from audit.record import FidelityCheck, Look, Run
from audit.runner import Plan, make_plan
from audit.settings import RunSettings
from audit.storage.manifest import KeptPlan, Ledger, definitions, with_stored_runs
from audit.storage.runs import Store
from tests.records import make_run
from tests.runner.papers import write_corpus, write_paper

PLAIN, FIRST = Look(3, 0.04), Look(3, 0.005, (3, 5))
SECOND = Look(5, 0.005, (3, 5))
PASSED = FidelityCheck("xml_cnn", "sizes", True, "as printed")


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    return load(write_paper(tmp_path))


def planned(paper: Paper, folder: Path, *, seeds: int = 2, only: Sequence[str] = ()) -> Plan:
    data = folder / "corpus"
    if not data.exists():
        write_corpus(data)
    return make_plan(
        paper, RunSettings(device="cpu", data=data, store=folder / "cache", seeds=seeds, only=only)
    )


def kept(paper: Paper, plan: Plan, *, report: str = "toy2024-corpus") -> KeptPlan:
    asked = tuple(job.spec.key for job in plan.jobs)
    checks, command, keys = (PASSED,), "audit run toy.yaml", dict(plan.keys)
    return KeptPlan("toy2024", report, plan.experiments, keys, definitions(paper), checks, command, asked)


def runs_of(plan: Plan, *, value: float = 50.0) -> list[Run]:
    return [
        replace(make_run(it.spec.seed, value + it.spec.seed, key=it.spec.key), spec=it.spec)
        for it in plan.jobs
    ]


def test_a_plan_comes_back_as_it_was_kept(paper: Paper, tmp_path: Path) -> None:
    plan = kept(paper, planned(paper, tmp_path))
    ledger = Ledger(tmp_path / "store", "toy2024")
    ledger.keep(plan)
    (found,) = ledger.plans()
    assert found == plan == ledger.plan("toy2024-corpus")
    assert list(found.experiments[0].config) == list(plan.experiments[0].config)
    assert Ledger(tmp_path / "store", "other").plans() == []
    assert Ledger(tmp_path / "nowhere", "toy2024").plans() == []


def test_experiments_get_their_runs_of_all_seeds_and_not_of_some(paper: Paper, tmp_path: Path) -> None:
    """The plan names two seeds and the store holds four: dropping seeds is nothing that a plan can do."""
    plan = kept(paper, planned(paper, tmp_path))
    runs = runs_of(planned(paper, tmp_path, seeds=4))
    found = with_stored_runs(plan, paper, reversed(runs))
    assert [run.spec.seed for run in found["words"].runs] == [0, 1, 2, 3]
    assert found["words"].not_run is None
    assert found["again"].runs == found["words"].runs  # one configuration, one run
    assert found["lost"].not_run == "its code was never published"
    assert set(found) == set(paper.single_experiments)


def test_runs_of_before_on_another_data_set_of_the_paper_are_not_taken(tmp_path: Path) -> None:
    """The plan was made before the file declared whose corpus it is."""
    before = load(write_paper(tmp_path))
    plan = planned(before, tmp_path)
    content = plan.jobs[0].data.load().content
    now = load(write_paper(tmp_path, ("content: null", f"content: {content}")))
    found = with_stored_runs(kept(before, plan), now, runs_of(plan))
    assert (len(found["words"].runs), found["words"].corpus_of) == (2, "")
    assert (found["elsewhere"].runs, found["elsewhere"].corpus_of) == ((), "corpus")


def test_runs_of_a_plan_that_does_not_tell_where_they_fall_short_may_contradict_nothing(
    paper: Paper, tmp_path: Path
) -> None:
    plan = kept(paper, planned(paper, tmp_path))
    silent = replace(plan, experiments=tuple(replace(it, short=None) for it in plan.experiments))
    found = with_stored_runs(silent, paper, runs_of(planned(paper, tmp_path)))
    assert found["words"].short == ("reduced_protocol",)


def test_an_experiment_that_was_described_otherwise_when_it_was_run_has_no_runs(
    paper: Paper, tmp_path: Path
) -> None:
    plan, runs = kept(paper, planned(paper, tmp_path)), runs_of(planned(paper, tmp_path))
    titled = load(write_paper(tmp_path, ("title: Words,", "title: Anything,")))
    assert len(with_stored_runs(plan, titled, runs)["words"].runs) == 2
    noise = "{title: Words,", "{noise: {kind: missing, rate: 0.5}, title: Words,"
    noisy = load(write_paper(tmp_path, noise))
    assert with_stored_runs(plan, noisy, runs)["words"].runs == ()
    trained = load(write_paper(tmp_path, ("{title: Words,", "{training: {clip: 1.0}, title: Words,")))
    assert with_stored_runs(plan, trained, runs)["words"].runs == ()
    other = load(write_paper(tmp_path, ("variant: chen2022-kim-embeddings", "variant: chen2022-kim-words")))
    found = with_stored_runs(plan, other, runs)
    assert found["letters"].runs == ()
    assert found["letters"].not_run == "the claim file describes it differently from when it was run"
    assert len(found["words"].runs) == 2


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"scope": "other_data"', '"scope": "same_data"', "it was changed after this tool wrote it"),
        ('"level": 0.005', '"level": 0.05', "it was changed after this tool wrote it"),
        ('"scope": "other_data"', '"scope": "best_data"', r"experiments\.\d+\.scope: "),
        ("{", "", "changed since it was written"),
    ],
)
def test_a_manifest_that_is_not_as_it_was_written_is_refused_and_not_overwritten(
    paper: Paper, tmp_path: Path, old: str, new: str, why: str
) -> None:
    """Else an edit could turn other data into the paper's own, open the gate, or take a look back."""
    ledger = Ledger(tmp_path, "toy2024")
    ledger.keep(kept(paper, planned(paper, tmp_path)))
    ledger.take(FIRST, ["a"])
    path = tmp_path / "manifests" / "toy2024.json"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    broken = path.read_bytes()
    for use in (ledger.plans, lambda: ledger.looks(["a"]), lambda: ledger.take(PLAIN, ["a"])):
        with pytest.raises(StoreError, match=why) as caught:
            use()
        assert "restore it" in str(caught.value)
    assert path.read_bytes() == broken


def test_a_run_that_was_on_record_and_is_gone_is_known_by_its_seed(paper: Paper, tmp_path: Path) -> None:
    """One that is still to be run is not gone."""
    plan, store = planned(paper, tmp_path, seeds=4), Store(tmp_path)
    runs = [run for run in runs_of(plan) if run.key in plan.keys["words"]]
    for run in runs[:3]:
        store.put(run)
    ledger = Ledger(tmp_path, "toy2024")
    ledger.note_settled(run.spec for run in runs)
    assert ledger.lost_seeds() == {}
    for run in (runs[0], runs[2]):
        (tmp_path / f"{run.key}.json").unlink()
    lost = ledger.lost_seeds()
    assert lost == {runs[0].key: (0, 2)}
    found = with_stored_runs(kept(paper, plan), paper, store.runs(), lost)["words"]
    assert ([run.spec.seed for run in found.runs], found.gone) == ([1], (0, 2))
    assert plan.with_runs({runs[1].key: runs[1]}, lost)["words"].gone == (0, 2)


# --------------------------------------------------------------------------- looks


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "runs", "toy")


def test_a_look_is_kept_for_the_next_command(ledger: Ledger) -> None:
    assert ledger.looks(["a"]) == ()
    assert ledger.take(PLAIN, ["a", "b"]) == (PLAIN,)
    assert ledger.take(FIRST, ["a"]) == (PLAIN, FIRST)
    assert Ledger(ledger.store, "toy").looks(["a"]) == (PLAIN, FIRST)
    assert Ledger(ledger.store, "other").looks(["a"]) == ()


def test_the_same_look_again_is_one_look_and_keeps_its_place(ledger: Ledger) -> None:
    for look in (FIRST, SECOND, FIRST):
        ledger.take(look, ["a"])
    assert ledger.looks(["a"]) == (FIRST, SECOND)
    ledger.take(SECOND, ["a", "b"])
    assert ledger.looks(["b"]) == (SECOND,)
    assert ledger.looks(["a"]) == (FIRST, SECOND)
