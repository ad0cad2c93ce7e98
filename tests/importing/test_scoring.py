"""PSP from the training documents' labels, and F1 from a threshold, of imported predictions."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import f1_score

from audit import cli
from audit.claim import Paper, load
from audit.errors import AuditError
from audit.importing import Declared, Result, from_predictions
from audit.importing.predictions import Scoring, propensity_of
from tests.importing.test_predictions import CHANGE, LISTS, PSP_CLAIM, PSP_COLUMN, TRUTH, write
from tests.runner.papers import write_paper

#: Six training documents: a in three of them, b in two, c in one, e in one, d in none.
TRAIN = {"t1": ["a"], "t2": ["a", "b"], "t3": ["a"], "t4": ["b"], "t5": ["c"], "t6": ["e"]}


@pytest.fixture
def psp(tmp_path: Path) -> Paper:
    return load(write_paper(tmp_path, CHANGE, PSP_COLUMN, PSP_CLAIM))


@pytest.fixture
def f1(tmp_path: Path) -> Paper:
    column = (PSP_COLUMN[0], PSP_COLUMN[1].replace("[P@1, PSP@1]", "[P@1, Macro-F1]"))
    claim = (PSP_CLAIM[0], PSP_CLAIM[1].replace("PSP@1", "Macro-F1").replace("t2.again", "t2.lost"))
    return load(write_paper(tmp_path, CHANGE, column, claim))


def score(paper: Paper, folder: Path, lists: Any = None, **scoring: Any) -> Result:
    train = write(folder / "train.jsonl", TRAIN, scored=False)
    (found,) = from_predictions(
        paper,
        [write(folder / "p.jsonl", lists or LISTS, scored=True)],
        truth=write(folder / "truth.jsonl", TRUTH, scored=False),
        experiment="words",
        seeds=(0,),
        declared=Declared(dataset="corpus"),
        scoring=Scoring(**({"train_truth": train} | scoring)),
    )
    return found


@pytest.mark.parametrize(("constants", "a", "b"), [(None, 0.55, 1.5), ((0.6, 2.6), 0.6, 2.6)])
def test_psp_is_that_of_its_definition(
    psp: Paper, tmp_path: Path, constants: tuple[float, float] | None, a: float, b: float
) -> None:
    """Hits a and a; at best the rarer of a and c, b, c, and a; 1 + C (n + B)^-A, C = (ln 6 - 1)(B + 1)^A."""
    found = score(psp, tmp_path, propensity=constants)
    c = (math.log(6) - 1) * (b + 1) ** a
    weight = {label: 1 + c * (n + b) ** -a for label, n in {"a": 3, "b": 2, "c": 1}.items()}
    best = weight["c"] + weight["b"] + weight["c"] + weight["a"]
    assert found.metrics["PSP@1"] == pytest.approx(100 * 2 * weight["a"] / best)
    assert found.metrics["P@1"] == pytest.approx(50.0)
    assert f"propensities by A = {a:g}, B = {b:g} and 6 training documents" in found.notes
    assert [it.file for it in found.sources] == ["p.jsonl", "truth.jsonl", "train.jsonl"]


def test_macro_f1_is_scikit_learn_s_over_all_known_labels(f1: Paper, tmp_path: Path) -> None:
    """Scores are 1, 1/2, 1/3: above 0.4 the first two of each list; labels a to e, e in training alone."""
    found = score(f1, tmp_path, threshold=0.4)
    decided = {name: labels[:2] for name, labels in LISTS.items()}
    as_rows = [[[label in held[name] for label in "abcde"] for name in TRUTH] for held in (TRUTH, decided)]
    assert found.metrics["Macro-F1"] == pytest.approx(
        100 * f1_score(*as_rows, average="macro", zero_division=0)
    )
    assert "F1 over 5 labels, those with a score above 0.4 decided for" in found.notes


@pytest.mark.parametrize(
    ("scoring", "why"),
    [
        ({}, "it needs decisions; add --threshold SCORE"),
        ({"threshold": 0.4, "train_truth": None}, "it is a mean over all labels"),
        ({"threshold": 0.3}, "3 lists full to the last label"),
    ],
)
def test_f1_that_the_lists_do_not_give_is_said(
    f1: Paper, tmp_path: Path, scoring: dict[str, Any], why: str
) -> None:
    """A list whose last score is above the threshold may have been cut off there."""
    found = score(f1, tmp_path, **scoring)
    assert "Macro-F1" not in found.metrics
    assert any(note.startswith(f"Macro-F1 not scored: {why}") for note in found.notes), found.notes


def test_micro_f1_needs_no_label_that_neither_side_has(tmp_path: Path) -> None:
    column = (PSP_COLUMN[0], PSP_COLUMN[1].replace("[P@1, PSP@1]", "[P@1, Micro-F1]"))
    claim = (PSP_CLAIM[0], PSP_CLAIM[1].replace("PSP@1", "Micro-F1").replace("t2.again", "t2.lost"))
    found = score(
        load(write_paper(tmp_path, CHANGE, column, claim)),
        tmp_path,
        threshold=0.4,
        train_truth=None,
    )
    assert found.metrics["Micro-F1"] == pytest.approx(100 * 2 * 3 / (7 + 5))  # 3 hits of 7 decided, 5 true


@pytest.mark.parametrize("text", ["0.5", "a,b", "0,1", "-1,2", "nan,1", "1,2,3"])
def test_constants_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(AuditError, match=r"give A and B, numbers above 0, as in 0\.55,1\.5"):
        propensity_of(text)


def test_training_documents_with_other_label_names_are_refused(psp: Paper, tmp_path: Path) -> None:
    other = write(tmp_path / "other.jsonl", {"t1": ["x"]}, scored=False)
    with pytest.raises(AuditError, match=r"none of its labels is in truth\.jsonl"):
        score(psp, tmp_path, train_truth=other)


def test_by_command(psp: Paper, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From files to the store; the options without predictions are refused."""
    score(psp, tmp_path)  # writes the files
    paper, store = str(tmp_path / "toy.yaml"), str(tmp_path / "store")
    base = ["import", str(tmp_path / "p.jsonl"), "--paper", paper, "--store", store]
    train = ["--train-truth", str(tmp_path / "train.jsonl")]
    named = ["--truth", str(tmp_path / "truth.jsonl"), "--experiment", "words", "--seed", "0"]
    assert cli.main([*base, *named, *train, "--dataset", "corpus"]) == 0
    assert "PSP@1" in capsys.readouterr().out
    assert cli.main([*base, *train]) == 2
    assert "--train-truth, --propensity and --threshold go with predictions" in capsys.readouterr().err
    assert cli.main([*base, *named, "--propensity", "1,2", "--dataset", "corpus"]) == 2
    assert "--propensity goes with --train-truth FILE" in capsys.readouterr().err
