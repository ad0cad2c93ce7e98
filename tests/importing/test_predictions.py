"""Predictions of documents and their truth become runs, scored by the same code as ours."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import f1_score

from audit import cli
from audit.claims.load import Paper, load
from audit.errors import ImportFileError
from audit.importing.predictions import from_predictions
from audit.importing.results import Declared, Result
from tests.runner.papers import write_paper

CHANGE = (
    "better: t1.words, worse: t1.letters, metric: P@1",
    "better: t1.words, worse: t1.letters, metric: [P@1, P@3]",
)
Lists = Mapping[str, Sequence[Any]]

#: Four documents: hits at ranks 1 and 3, at rank 2, none, and at rank 1 of a short list.
TRUTH = {"d1": ["a", "c"], "d2": ["b"], "d3": ["c"], "d4": ["a"]}
LISTS = {"d1": ["a", "b", "c"], "d2": ["a", "b", "c"], "d3": ["a", "b", "d"], "d4": ["a"]}
#: Six training documents: a in three of them, b in two, c in one, e in one, d in none.
TRAIN = {"t1": ["a"], "t2": ["a", "b"], "t3": ["a"], "t4": ["b"], "t5": ["c"], "t6": ["e"]}


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    return load(write_paper(tmp_path, CHANGE))


def with_claim_of(metric: str, folder: Path) -> Paper:
    """The toy paper with one more claim, of that metric, in its second table."""
    old = (
        "columns: [P@1]\n    rows:\n"
        '      - {id: again, experiment: again, source: own_run, values: ["81.00"]}\n'
        '      - {id: lost, experiment: lost, source: own_run, values: ["50.00"]}\n'
    )
    new = old.replace("[P@1]", f"[P@1, {metric}]").replace('"]', '", "30.00"]')
    first = "  - {id: words-value, kind: value, of: t1.words, metric: P@1,"
    row = "again" if metric.startswith("PS") else "lost"
    claim = f"  - {{id: more, kind: value, of: t2.{row}, metric: {metric}, says: so, where: {{page: 3}}}}\n"
    return load(write_paper(folder, CHANGE, (old, new), (first, claim + first)))


def write(path: Path, lists: Lists, *, scored: bool) -> Path:
    items = [{"document": name, "labels": list(labels)} for name, labels in lists.items()]
    if scored:
        items = [{**it, "scores": [1 / (1 + i) for i in range(len(it["labels"]))]} for it in items]
    path.write_text("".join(json.dumps(it) + "\n" for it in items))
    return path


@pytest.fixture
def truth(tmp_path: Path) -> Path:
    return write(tmp_path / "truth.jsonl", TRUTH, scored=False)


def score(
    paper: Paper, truth: Path, *paths: Path, seeds: Sequence[int] = (0,), **declared: Any
) -> tuple[Result, ...]:
    given = Declared(**{"dataset": "corpus", **declared})
    return from_predictions(*(paper, paths), truth=truth, experiment="words", seeds=seeds, declared=given)


def test_labels_by_number_and_packed_files_are_read(paper: Paper, truth: Path, tmp_path: Path) -> None:
    """Numbers are lines of the file of names, from 0."""
    packed, names = tmp_path / "truth.jsonl.gz", tmp_path / "names.txt"
    packed.write_bytes(gzip.compress(truth.read_bytes()))
    names.write_text("a\nb\nc\nd\n")
    numbered = {name: ["abcd".index(label) for label in labels] for name, labels in LISTS.items()}
    (plain,) = score(paper, truth, write(tmp_path / "p.jsonl", LISTS, scored=True), threshold=0.4)
    assert any(note.startswith("F1 not scored: no claim") for note in plain.notes)  # told, as it does nothing
    (found,) = score(paper, packed, write(tmp_path / "q.jsonl", numbered, scored=True), labels=names)
    assert found.metrics == plain.metrics


# --------------------------------------------------------------------------- scored


def test_the_metrics_of_the_claims_are_those_of_the_definition(
    paper: Paper, truth: Path, tmp_path: Path
) -> None:
    """P@1 = (1 + 0 + 0 + 1) / 4; P@3 = (2 + 1 + 0 + 1) / (4 x 3); documents are matched by name."""
    (found,) = score(paper, truth, write(tmp_path / "p.jsonl", dict(reversed(LISTS.items())), scored=True))
    assert found.metrics == {"P@1": pytest.approx(50.0), "P@3": pytest.approx(100 / 3)}
    assert (found.experiment, found.seed, found.dataset, found.n_test) == ("words", 0, "Corpus", 4)
    assert [it.file for it in found.sources] == ["p.jsonl", "truth.jsonl"]
    arrays = found.predictions
    assert arrays is not None and arrays["documents"].tolist() == ["d1", "d2", "d3", "d4"]
    names = [*arrays["label_names"].tolist(), ""]
    assert [[names[i] for i in row if i >= 0] for row in arrays["ids"].tolist()] == list(LISTS.values())
    assert arrays["truth_offsets"].tolist() == [0, 2, 3, 4, 5]


def test_files_of_other_programs_give_the_same_metrics(paper: Paper, truth: Path, tmp_path: Path) -> None:
    """The same lists and truth, in the order of the documents, with labels as names or as columns."""
    number = {"a": 0, "b": 1, "c": 2, "d": 3}
    scores = {name: [1 / (1 + i) for i in range(len(of))] for name, of in LISTS.items()}
    lines = [" ".join(f"{a}:{s}" for a, s in zip(of, scores[key], strict=True)) for key, of in LISTS.items()]
    (tmp_path / "p.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "test.txt").write_text("".join(f"{' '.join(of)}\tsome text\n" for of in TRUTH.values()))
    matrices = {}
    for what, table in (("scores", scores), ("truth", {name: [1.0] * len(of) for name, of in TRUTH.items()})):
        dense = np.zeros((4, 4))
        for row, (name, of) in enumerate((LISTS if what == "scores" else TRUTH).items()):
            dense[row, [number[label] for label in of]] = table[name]
        matrices[what] = dense
        sparse.save_npz(tmp_path / f"{what}.npz", sparse.csr_matrix(dense))
        np.save(tmp_path / f"{what}.npy", dense)
    full = [[*of, *"xyz"][:3] for of in LISTS.values()]
    np.save(tmp_path / "best-labels.npy", np.array(full, dtype=object))
    np.save(tmp_path / "best-scores.npy", np.tile([3.0, 2.0, 1.0], (4, 1)))
    np.save(tmp_path / "true.npy", np.array([list(of) for of in TRUTH.values()], dtype=object))
    (found,) = score(paper, truth, write(tmp_path / "p.jsonl", LISTS, scored=True))
    alike = set[str]()
    for true, lists in (("test.txt", "p.txt"), ("truth.npz", "scores.npz"), ("true.npy", "best-labels.npy")):
        (same,) = score(paper, tmp_path / true, tmp_path / lists)
        assert same.metrics == found.metrics, lists
        alike.add(same.documents)
    assert len(alike) == 1  # the same data, whatever a program calls its labels
    np.savez(tmp_path / "y.npz", y_true=matrices["truth"] > 0, y_score=matrices["scores"])
    for true, lists in (("y.npz", "y.npz"), ("truth.npy", "scores.npy")):  # with all labels in the lists
        (same,) = score(paper, tmp_path / true, tmp_path / lists)
        assert same.metrics["P@1"] == found.metrics["P@1"], lists


def test_a_truth_is_lists_or_a_matrix_of_0_and_1(paper: Paper, tmp_path: Path) -> None:
    np.save(tmp_path / "scores.npy", np.eye(2))
    for name, array in (("pad.npy", np.array([[0, -1], [1, 2]])), ("graded.npy", np.array([[0.5, 1.0]] * 2))):
        np.save(tmp_path / name, array)
        with pytest.raises(ImportFileError, match="neither a matrix of 0 and 1 nor numbers of labels"):
            score(paper, tmp_path / name, tmp_path / "scores.npy")
    sparse.save_npz(tmp_path / "graded.npz", sparse.csr_matrix([[0.5, 1.0]] * 2))
    with pytest.raises(ImportFileError, match="a matrix of the truth holds 0 and 1"):
        score(paper, tmp_path / "graded.npz", tmp_path / "scores.npy")


def test_an_array_that_could_run_code_is_not_read(paper: Paper, truth: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "bad-labels.npy", np.array([[Path("x")]], dtype=object))
    np.save(tmp_path / "bad-scores.npy", np.ones((1, 1)))
    with pytest.raises(ImportFileError, match="and only strings are read"):
        score(paper, truth, tmp_path / "bad-labels.npy")
    for damaged in (b"PK\x03\x04 no archive", b""):
        (tmp_path / "bad.npz").write_bytes(damaged)
        with pytest.raises(ImportFileError, match="cannot be read"):
            score(paper, truth, tmp_path / "bad.npz")


@pytest.mark.parametrize("value", ["true", '"0.9"', "null"])
def test_scores_that_are_no_numbers_are_refused(
    paper: Paper, truth: Path, tmp_path: Path, value: str
) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(f'{{"document": "d1", "labels": ["a"], "scores": [{value}]}}\n')
    with pytest.raises(ImportFileError, match="give a finite number for each"):
        score(paper, truth, path)


def test_labels_are_the_same_without_blanks_and_strange_ones_are_told(
    paper: Paper, truth: Path, tmp_path: Path
) -> None:
    lists = {name: [f" {label} " for label in of] for name, of in LISTS.items()} | {"d3": ["A", "b", "d"]}
    (found,) = score(paper, truth, write(tmp_path / "p.jsonl", lists, scored=True))
    assert found.metrics["P@1"] == pytest.approx(50.0)
    said = "2 of 5 labels do not occur in truth.jsonl, 1 of them but for case or Unicode form"
    assert said in found.notes


def test_the_documents_are_known_in_any_order(paper: Paper, truth: Path, tmp_path: Path) -> None:
    lists = write(tmp_path / "p.jsonl", LISTS, scored=True)
    turned = write(tmp_path / "turned.jsonl", dict(reversed(TRUTH.items())), scored=False)
    fewer = {name: it for name, it in LISTS.items() if name != "d4"}
    part = write(tmp_path / "part.jsonl", {it: TRUTH[it] for it in fewer}, scored=False)
    (one,), (two,) = score(paper, truth, lists), score(paper, turned, lists)
    (three,) = score(paper, part, write(tmp_path / "q.jsonl", fewer, scored=True))
    assert one.documents == two.documents != three.documents


@pytest.mark.parametrize(
    ("metric", "trained", "threshold", "why"),
    [
        ("Macro-F1", True, 0.4, None),
        ("Micro-F1", False, 0.4, None),  # no label that neither side has counts
        ("Macro-F1", True, None, "it needs predicted labels; add --threshold SCORE"),
        ("Macro-F1", False, 0.4, "it averages over all labels"),
        ("Macro-F1", True, 0.3, "3 lists full to the last label"),  # and may have been cut off there
    ],
)
def test_f1_is_scikit_learn_s_over_all_known_labels_or_says_why_not(
    truth: Path, tmp_path: Path, metric: str, trained: bool, threshold: float | None, why: str | None
) -> None:
    """Scores are 1, 1/2, 1/3: above 0.4 the first two of each list; labels a to e, e in training alone."""
    train = write(tmp_path / "train.jsonl", TRAIN, scored=False) if trained else None
    lists = write(tmp_path / "p.jsonl", LISTS, scored=True)
    (found,) = score(with_claim_of(metric, tmp_path), truth, lists, train_truth=train, threshold=threshold)
    if why:
        assert f"{metric} not scored: {why}" in "\n".join(found.notes) and metric not in found.metrics
        return
    decided = {name: labels[:2] for name, labels in LISTS.items()}
    as_rows = [[[label in held[name] for label in "abcde"] for name in TRUTH] for held in (TRUTH, decided)]
    wanted = f1_score(*as_rows, average=metric[:5].lower(), zero_division=0)
    assert found.metrics[metric] == pytest.approx(100 * wanted)


# --------------------------------------------------------------------------- asked about

NAMES = "none of its labels is in truth.jsonl; use the same names"
A = '{"document": "d1", "labels": '
#: Truth, lists or the first line of their file, and what is said.
UNFIT: list[tuple[Lists, Lists | str, str]] = [
    (TRUTH, {k: v for k, v in LISTS.items() if k != "d2"}, "p.jsonl: no prediction for 1 of 4 documents, 'd"),
    (TRUTH, {k: ["x"] for k in LISTS}, f"p.jsonl: {NAMES}"),
    (TRUTH, A + '["a"], "scores": [1, 2]}', "p.jsonl:1: document 'd1' has 1 label and scores"),
    (TRUTH, A + '["a"]}', "it has 'document', 'labels' and lacks 'scores'; write it as"),
]  # fmt: skip


@pytest.mark.parametrize(("true", "lists", "sentence"), UNFIT)
def test_what_does_not_fit_together_is_one_sentence(
    paper: Paper, tmp_path: Path, true: Lists, lists: Lists | str, sentence: str
) -> None:
    truth = write(tmp_path / "truth.jsonl", true, scored=False)
    path = write(tmp_path / "p.jsonl", LISTS if isinstance(lists, str) else lists, scored=True)
    if isinstance(lists, str):
        path.write_text("\n".join([lists, *path.read_text().splitlines()[1:]]))
    with pytest.raises(ImportFileError) as caught:
        score(paper, truth, path)
    assert len(caught.value.problems) == 1 and sentence in str(caught.value)


def test_by_command(truth: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From files to the store; options without predictions, and other label names, are refused."""
    with_claim_of("PSP@1", tmp_path)
    lists = write(tmp_path / "p.jsonl", LISTS, scored=True)
    base = ["import", str(lists), "--paper", str(tmp_path / "toy.yaml"), "--store", str(tmp_path / "store")]
    train = ["--train-truth", str(write(tmp_path / "train.jsonl", TRAIN, scored=False))]
    other = ["--train-truth", str(write(tmp_path / "other.jsonl", {"t1": ["x"]}, scored=False))]
    named = ["--truth", str(truth), "--experiment", "words", "--seed", "0", "--dataset", "corpus"]
    assert cli.main([*base, *named, *train]) == 0
    assert "PSP@1" in capsys.readouterr().out
    for arguments, sentence in (
        (train, "--train-truth is for predictions; add --truth FILE"),
        ([*named, *other], NAMES[:38]),
    ):
        assert cli.main([*base, *arguments]) == 2
        assert sentence in capsys.readouterr().err
