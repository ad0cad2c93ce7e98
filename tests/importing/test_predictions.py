"""Predictions of documents and their truth become runs, scored by the same code as ours."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit.claim import Paper, load
from audit.errors import AuditError, ImportFileError
from audit.importing import Declared, Result, from_predictions
from audit.importing.predictions import metrics_used
from tests.runner.papers import write_paper

CHANGE = (
    "better: t1.words, worse: t1.letters, metric: P@1",
    "better: t1.words, worse: t1.letters, metric: [P@1, P@3]",
)

#: Four documents: hits at ranks 1 and 3, at rank 2, none, and at rank 1 of a short list.
TRUTH = {"d1": ["a", "c"], "d2": ["b"], "d3": ["c"], "d4": ["a"]}
LISTS = {"d1": ["a", "b", "c"], "d2": ["a", "b", "c"], "d3": ["a", "b", "d"], "d4": ["a"]}


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    return load(write_paper(tmp_path, CHANGE))


def write(path: Path, lists: Mapping[str, Sequence[Any]], *, scored: bool) -> Path:
    items = [{"document": name, "labels": list(labels)} for name, labels in lists.items()]
    if scored:
        items = [{**it, "scores": [1 / (1 + i) for i in range(len(it["labels"]))]} for it in items]
    path.write_text("".join(json.dumps(it) + "\n" for it in items))
    return path


def score(
    paper: Paper, truth: Path, *paths: Path, seeds: Sequence[int] = (0,), **declared: Any
) -> tuple[Result, ...]:
    given = Declared(**{"dataset": "corpus", **declared})
    return from_predictions(paper, paths, truth=truth, experiment="words", seeds=seeds, declared=given)


def test_the_metrics_of_the_claims_are_those_of_the_definition(paper: Paper, tmp_path: Path) -> None:
    """P@1 = (1 + 0 + 0 + 1) / 4; P@3 = (2 + 1 + 0 + 1) / (4 x 3)."""
    truth = write(tmp_path / "truth.jsonl", TRUTH, scored=False)
    (found,) = score(paper, truth, write(tmp_path / "p.jsonl", LISTS, scored=True))
    assert metrics_used(paper) == ("P@1", "P@3")
    assert found.metrics == {"P@1": pytest.approx(50.0), "P@3": pytest.approx(100 / 3)}
    assert (found.experiment, found.seed, found.dataset, found.n_test) == ("words", 0, "Corpus", 4)
    assert [it.file for it in found.sources] == ["p.jsonl", "truth.jsonl"]


def test_documents_are_matched_by_name_and_not_by_place(paper: Paper, tmp_path: Path) -> None:
    truth = write(tmp_path / "truth.jsonl", TRUTH, scored=False)
    turned = dict(reversed(LISTS.items()))
    (found,) = score(paper, truth, write(tmp_path / "p.jsonl", turned, scored=True))
    assert found.metrics["P@1"] == pytest.approx(50.0)
    arrays = found.predictions
    assert arrays is not None
    assert arrays["documents"].tolist() == ["d1", "d2", "d3", "d4"]
    names = [*arrays["label_names"].tolist(), None]
    assert [[names[i] for i in row] for row in arrays["ids"].tolist()] == [
        ["a", "b", "c"],
        ["a", "b", "c"],
        ["a", "b", "d"],
        ["a", None, None],
    ]
    assert arrays["truth_offsets"].tolist() == [0, 2, 3, 4, 5]


def test_each_file_is_a_seed_in_their_order(paper: Paper, tmp_path: Path) -> None:
    truth = write(tmp_path / "truth.jsonl", TRUTH, scored=False)
    one = write(tmp_path / "a.jsonl", LISTS, scored=True)
    two = write(tmp_path / "b.jsonl", {**LISTS, "d2": ["b"]}, scored=True)
    found = score(paper, truth, two, one, seeds=(7, 3))
    assert [(it.seed, it.metrics["P@1"]) for it in found] == [(7, 75.0), (3, 50.0)]


def npz(tmp_path: Path, **changes: Any) -> tuple[Path, Path]:
    """The same four documents as arrays, labels as numbers a = 0, b = 1, c = 2, d = 3."""
    truth = {
        "document": np.array(list(TRUTH)),
        "offsets": np.array([0, 2, 3, 4, 5]),
        "labels": np.array([0, 2, 1, 2, 0]),
    }
    lists = {
        "document": np.array(list(LISTS)),
        "labels": np.array([[0, 1, 2], [0, 1, 2], [0, 1, 3], [0, -1, -1]]),
        "scores": np.array([[3.0, 2.0, 1.0]] * 3 + [[1.0, -np.inf, -np.inf]]),
    }
    truth |= {k.removeprefix("truth_"): v for k, v in changes.items() if k.startswith("truth_")}
    lists |= {k: v for k, v in changes.items() if not k.startswith("truth_")}
    np.savez(tmp_path / "truth.npz", **truth)
    np.savez(tmp_path / "p.npz", **lists)
    return tmp_path / "truth.npz", tmp_path / "p.npz"


def test_arrays_give_the_same(paper: Paper, tmp_path: Path) -> None:
    (found,) = score(paper, *npz(tmp_path))
    assert found.metrics == {"P@1": pytest.approx(50.0), "P@3": pytest.approx(100 / 3)}


def test_names_and_arrays_may_be_mixed(paper: Paper, tmp_path: Path) -> None:
    """Label 3 is "3" in a text file."""
    _, lists = npz(tmp_path)
    numbers = {"a": 0, "b": 1, "c": 2}
    named = {name: [numbers[it] for it in labels] for name, labels in TRUTH.items()}
    (found,) = score(paper, write(tmp_path / "t.jsonl", named, scored=False), lists)
    assert found.metrics["P@1"] == pytest.approx(50.0)


def test_what_lists_of_this_length_do_not_give_is_said(tmp_path: Path) -> None:
    paper = load(write_paper(tmp_path, CHANGE, PSP_COLUMN, PSP_CLAIM))
    truth = write(tmp_path / "truth.jsonl", TRUTH, scored=False)
    short = {name: labels[:1] for name, labels in LISTS.items()}
    (found,) = score(paper, truth, write(tmp_path / "p.jsonl", short, scored=True))
    assert found.metrics == {"P@1": pytest.approx(50.0)}
    assert "P@3 not scored: the longest list has 1 label" in found.notes
    assert "PSP@1 not scored: it goes by how rare labels are in training; add --train-truth" in found.notes


PSP_COLUMN = (
    'columns: [P@1]\n    rows:\n      - {id: again, experiment: again, source: own_run, values: ["81.00"]}\n'
    '      - {id: lost, experiment: lost, source: own_run, values: ["50.00"]}\n',
    "columns: [P@1, PSP@1]\n    rows:\n"
    '      - {id: again, experiment: again, source: own_run, values: ["81.00", "30.00"]}\n'
    '      - {id: lost, experiment: lost, source: own_run, values: ["50.00", "20.00"]}\n',
)
PSP_CLAIM = (
    "  - {id: words-value, kind: value, of: t1.words, metric: P@1,",
    "  - {id: psp, kind: value, of: t2.again, metric: PSP@1, says: thirty, where: {page: 3}}\n"
    "  - {id: words-value, kind: value, of: t1.words, metric: P@1,",
)


# --------------------------------------------------------------------------- asked about

Change = Mapping[str, Sequence[Any]]

BAD: dict[str, tuple[Change, Change, str]] = {
    "a document without prediction": (
        TRUTH,
        {k: v for k, v in LISTS.items() if k != "d2"},
        "p.jsonl: no prediction for 1 of 4 documents, 'd2' first; give one for each, an empty list where",
    ),
    "a document without truth": (
        {k: v for k, v in TRUTH.items() if k != "d2"},
        LISTS,
        "p.jsonl:2: document 'd2' is not in truth.jsonl",
    ),
    "a label twice": (TRUTH, {**LISTS, "d1": ["a", "a"]}, "p.jsonl:1: document 'd1' has the label 'a' twice"),
    "a true label twice": (
        {**TRUTH, "d1": ["a", "a"]},
        LISTS,
        "truth.jsonl:1: document 'd1' has the label 'a' twice",
    ),
    "other names": (
        TRUTH,
        {k: ["x"] for k in LISTS},
        "p.jsonl: none of its labels is in truth.jsonl; name the labels alike",
    ),
    "empty lists only": (TRUTH, {k: [] for k in LISTS}, "p.jsonl: no document has a predicted label"),
    "labels that are no names": (
        TRUTH,
        {**LISTS, "d1": [True]},
        "p.jsonl:1: labels '.true.' are no list of names",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_what_does_not_fit_together_is_one_sentence(paper: Paper, tmp_path: Path, what: str) -> None:
    truth, lists, sentence = BAD[what]
    with pytest.raises(ImportFileError, match=sentence) as caught:
        score(
            paper,
            write(tmp_path / "truth.jsonl", truth, scored=False),
            write(tmp_path / "p.jsonl", lists, scored=True),
        )
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"document": "d1", "labels": ["a"], "scores": [NaN]}', "has a score that is no finite number"),
        (
            '{"document": "d1", "labels": ["a"], "scores": [1, 2]}',
            r"has 1 label and scores .*; give one each",
        ),
        (
            '{"document": "d1", "labels": ["a", "b"], "scores": [0.1, 0.2]}',
            "the scores rise; list its labels best first",
        ),
        (
            '{"document": "d1", "labels": ["a"], "scores": ["high"]}',
            "has the score high, which is no number; give numbers",
        ),
        (
            '{"document": "d1", "labels": ["a"], "scores": [null]}',
            "has the score null, which is no number; give numbers",
        ),
        (
            '{"document": "d1", "labels": ["a"]}',
            r"it has 'document', 'labels' and lacks 'scores'; write it as .*\[0.9, 0.4\]",
        ),
        ('{"id": 1, "tags": []}', "it has 'id', 'tags' and lacks 'document', 'labels', 'scores'; write"),
        ('{"document": "d1", "labels": "a", "scores": [1]}', "are no list of names or numbers"),
        ("[1]", r"\[.1.\] is no document; write each as"),
    ],
)
def test_a_document_that_is_not_whole_is_named(
    paper: Paper, tmp_path: Path, line: str, sentence: str
) -> None:
    truth = write(tmp_path / "truth.jsonl", TRUTH, scored=False)
    path = write(tmp_path / "p.jsonl", LISTS, scored=True)
    path.write_text("\n".join([line, *path.read_text().splitlines()[1:]]))
    with pytest.raises(ImportFileError, match=sentence) as caught:
        score(paper, truth, path)
    assert caught.value.problems[0].startswith(f"{path}:1: ")


def test_a_document_twice_is_named(paper: Paper, tmp_path: Path) -> None:
    truth = write(tmp_path / "truth.jsonl", TRUTH, scored=False)
    path = write(tmp_path / "p.jsonl", LISTS, scored=True)
    path.write_text(path.read_text() + path.read_text().splitlines()[1])
    with pytest.raises(ImportFileError, match=r"p\.jsonl:5: document 'd2' stands there twice; remove one"):
        score(paper, truth, path)
    truth.write_text(truth.read_text() + truth.read_text().splitlines()[1])
    with pytest.raises(ImportFileError, match=r"truth\.jsonl:5: document 'd2' stands there twice"):
        score(paper, truth, path)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"scores": np.zeros((4, 2))}, r"p.npz: labels \(4, 3\) and scores \(4, 2\) are not \(4, K\)"),
        ({"labels": np.zeros((3, 3), int)}, r"labels \(3, 3\) and scores \(4, 3\) are not"),
        ({"labels": np.zeros((4, 3))}, "labels of type float64; give names or whole numbers"),
        ({"document": np.array(["d1"] * 4)}, "document 1: document 'd1' stands there twice"),
        ({"document": np.zeros((4, 1), int)}, r"document has the shape \(4, 1\); give one name for each"),
        (
            {"document": np.array([{}] * 4)},
            "its array 'document' is no array of numbers or text, or is damaged; write it",
        ),
        ({"truth_offsets": np.array([0, 2, 3, 4, 6])}, "offsets do not rise from 0 to the 5 labels"),
        ({"truth_offsets": np.array([0, 3, 2, 4, 5])}, "offsets do not rise"),
        ({"truth_offsets": np.array([1, 2, 3, 4, 5])}, "offsets do not rise"),
        ({"truth_offsets": np.array([0, 5])}, "offsets do not rise"),
    ],
)
def test_arrays_that_do_not_fit_are_one_sentence(
    paper: Paper, tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ImportFileError, match=sentence):
        score(paper, *npz(tmp_path, **changes))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x93NUMPY"])
def test_a_damaged_archive_is_one_sentence(paper: Paper, tmp_path: Path, content: bytes) -> None:
    truth, lists = npz(tmp_path)
    lists.write_bytes(content)
    with pytest.raises(ImportFileError, match=r"p.npz: no \.npz archive"):
        score(paper, truth, lists)


def test_an_archive_without_its_arrays_names_them(paper: Paper, tmp_path: Path) -> None:
    truth, lists = npz(tmp_path)
    with pytest.raises(
        ImportFileError, match="'labels' and lacks 'scores'; write the arrays document, labels, scores"
    ):
        score(paper, truth, truth)
    with pytest.raises(ImportFileError, match=r"No such file"):
        score(paper, tmp_path / "none.npz", lists)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seeds": ()}, "1 file of predictions and no --seed; give --seed once for each, in their order"),
        ({"seeds": (3, 4)}, "1 file of predictions and --seed 3 --seed 4; give --seed once for each"),
        ({"seeds": (-1,)}, "--seed: seed -1 is below 0; number the seeds 0, 1, 2, ..."),
        ({"seeds": (2**63,)}, "--seed: seed 9223372036854775808 is above 9223372036854775807"),
        ({"dataset": None}, "--dataset: no data set is named; add --dataset NAME"),
        ({"dataset": "other"}, "--dataset: 'words' is on 'Corpus' and not on 'other'"),
        ({"dataset": "corpus-1"}, "--dataset: 'corpus-1' is no data set of toy2024, and 'Corpus' is one"),
    ],
)
def test_what_the_command_lacks_is_told(
    paper: Paper, tmp_path: Path, options: dict[str, Any], sentence: str
) -> None:
    truth = write(tmp_path / "truth.jsonl", TRUTH, scored=False)
    with pytest.raises(AuditError, match=sentence):
        score(paper, truth, write(tmp_path / "p.jsonl", LISTS, scored=True), **options)


def test_one_seed_is_not_given_to_two_files(paper: Paper, tmp_path: Path) -> None:
    truth = write(tmp_path / "truth.jsonl", TRUTH, scored=False)
    path = write(tmp_path / "p.jsonl", LISTS, scored=True)
    with pytest.raises(
        AuditError, match="--seed 1 is there twice; give each file of predictions its own seed"
    ):
        score(paper, truth, path, path, seeds=(1, 1))
