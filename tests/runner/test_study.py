"""Studies as records: their keys, their answer, and their way to disk and back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.errors import StoreError
from audit.runner import resolve as study_store
from audit.study import SearchRange, Study, StudySpec, Trial

SPEC = StudySpec(
    model="rank_ae",
    config={"embedding": 100, "attention": "channel"},
    training={"name": "wang2019", "epochs": 100},
    space=(SearchRange("config.margin", 0.0, 1.0), SearchRange("config.kind", choices=("a", 2))),
    data="f" * 64,
    metric="P@1",
    sampler="tpe",
    pruner="median",
)


def trial(number: int, score: float | None, state: Any = "done", **more: Any) -> Trial:
    return Trial(number, state, {"config.margin": 0.1 * number, "config.kind": "a"}, score, **more)


def make_study(*trials: Trial, spec: StudySpec = SPEC, **more: Any) -> Study:
    parts: dict[str, Any] = {"protocol": "wang2019", "wanted": len(trials), "seconds": 3.5, "data": "toy"}
    parts |= {"validation": "dev: 8 of 40", "n_train": 32, "n_validation": 8, **more}
    return Study(spec.key, spec, trials=trials, **parts)


TRIALS = (
    trial(0, 50.0),
    trial(1, 61.25),
    trial(2, 70.0, "pruned"),
    trial(3, 61.25),
    trial(4, None, "failed"),
)


def test_a_study_is_summed_up_in_a_line() -> None:
    study = make_study(*TRIALS)
    assert study.summary == ("tuned: 5 trials (1 pruned, 1 failed), best P@1 61.25 with margin 0.1, kind a")
    assert make_study(trial(0, None, "failed")).summary == "tuned: 1 trial (1 failed), none with a score"


@pytest.mark.parametrize(
    "change",
    [
        {"training": {"name": "wang2019", "epochs": 20}},
        {"space": SPEC.space[:1]},
        {"data": "0" * 64},
        {"seed": 1},
        {"precision": "bf16"},
    ],
)
def test_whatever_decides_a_trial_makes_another_study(change: dict[str, Any]) -> None:
    changed = replace(SPEC, **change)
    assert changed.key != SPEC.key


# --------------------------------------------------------------------------- on disk


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (lambda it: it["trials"][1].update(score=99.0), "it was changed after this tool wrote it"),
        (lambda it: it.update(seal=""), "it was changed after this tool wrote it"),
        (lambda it: it.pop("spec"), "spec"),
        (lambda it: it["trials"][0].update(score="50"), "score"),
        (lambda it: it.update(format_version=9), "a newer version of this tool wrote it"),
    ],
)
def test_a_study_that_is_not_as_it_was_written_is_refused(tmp_path: Path, edit: Any, why: str) -> None:
    path = study_store.study_path(tmp_path, study_store.put_study(tmp_path, make_study(*TRIALS)).key)
    content = json.loads(path.read_text())
    edit(content)
    path.write_text(json.dumps(content))
    with pytest.raises(StoreError, match=why) as caught:
        study_store.get_study(path)
    assert str(caught.value).startswith(str(path))
    path.write_text("{")
    with pytest.raises(StoreError, match="not a valid study"):
        study_store.get_study(path)
