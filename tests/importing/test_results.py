"""Tables of others' results become checked results; whatever can be read in two ways is asked about, and what
is no table is told in one sentence that names the place."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.claims.load import Paper, load
from audit.errors import AuditError, ImportFileError
from audit.importing.results import Declared, Result, from_results, read_table
from tests.importing.rows import COLUMNS, ROWS, Row, changed, write_rows
from tests.runner.papers import write_paper


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    return load(write_paper(tmp_path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "r.csv"


def read(paper: Paper, *paths: Path, **declared: Any) -> dict[tuple[str, int], Result]:
    found = from_results(paper, paths, Declared(**declared))
    return {(it.experiment, it.seed): it for it in found}


def refused(paper: Paper, *paths: Path, **declared: Any) -> list[str]:
    with pytest.raises(ImportFileError) as caught:
        from_results(paper, paths, Declared(**declared))
    return caught.value.problems


def one(value: Any = "80.1", *, metric: str = "P@1", dataset: str = "corpus", seed: Any = 0) -> Row:
    return "words", dataset, metric, seed, value


# --------------------------------------------------------------------------- accepted


WIDE = (("words", 0, "80.10", "60.5"), ("words", 1, "80.30", "60.7"), ("letters", 0, "", ""))


@pytest.mark.parametrize(
    "columns",
    [
        ("experiment", "seed", "P@1", "P@3"),
        ("tags.mlflow.runName", "params.seed", "metrics.P_at_1", "metrics.precision-3"),
        ("Name", "seed", "test/P@1", "test/P@3"),
    ],
)
def test_a_column_for_each_metric_is_read_as_trackers_export_it(
    paper: Paper, path: Path, columns: tuple[str, ...]
) -> None:
    """Columns that are no metric, as a loss or a score on held-out documents, are left alone."""
    rows = [(*row, "0.1", "99.0") for row in WIDE]
    found = read(paper, write_rows(path, rows, (*columns, "loss", "val_P@1")), dataset="corpus")
    assert {key: it.metrics for key, it in found.items()} == {
        ("words", 0): {"P@1": 80.1, "P@3": 60.5},
        ("words", 1): {"P@1": 80.3, "P@3": 60.7},
        ("letters", 0): {},
    }


CARD = """---
license: mit
model-index:
- name: words
  results:
  - dataset: {name: Corpus, type: corpus, split: test}
    metrics:
    - {type: precision_at_1, value: 80.10, name: P@1}
    - {type: loss, value: 0.3}
---
# Words
"""
LOGBOOK = """# Results
| Page |
| --- |
| [Results](#/results) |

---
<!-- trackio-cell
{"type": "markdown", "id": "c1"}
-->
| experiment | seed | P@1 |
|---|---|---|
| words | 0 | **80.10** |

````output
| words | 1 | 99.9 |
````
"""
NESTED = {"config": {"seed": 0, "lr": 0.1}, "val": [{"P@1": 99.0}], "test": [{"P@1": 80.10}]}
EVAL = "- dataset: {id: corpus, task_id: P@1}\n  value: 80.10\n"
SUMMARY = f'summary,config,name\n"{NESTED["test"][0]}","{{\'seed\': 0}}",sunny-sun-7\n'  # type: ignore[index]


@pytest.mark.parametrize(
    ("name", "content", "seeds"),
    [
        ("README.md", CARD, [0]),  # Hugging Face: model card
        ("r.yaml", EVAL, [0]),  # and .eval_results
        ("page.md", LOGBOOK, []),  # Trackio
        ("logs.json", json.dumps(NESTED), []),  # LibMultiLabel
        ("runs.csv", SUMMARY, []),  # Weights & Biases, with names of its own
    ],
)
def test_what_hubs_logbooks_and_trackers_write_is_read(
    paper: Paper, tmp_path: Path, name: str, content: str, seeds: list[int]
) -> None:
    (tmp_path / name).write_text(content)
    experiment = None if name == "page.md" else "words"
    (found,) = from_results(
        paper, [tmp_path / name], Declared(dataset="corpus"), experiment=experiment, seeds=seeds
    )
    assert (found.experiment, found.seed, found.metrics) == ("words", 0, {"P@1": 80.1})


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("r.md", CARD.replace("split: test", "split: validation"), "of 'validation', documents held out"),
        ("r.yaml", EVAL.replace("P@1", "default"), "unknown metric 'default'"),
        ("r.yaml", "a: &a [1]\nb: *a\n", "it has no results in Hugging Face's format (it has an alias"),
        ("r.yaml", "- {dataset: x}\n", "it has no results in Hugging Face's format"),
    ],
)
def test_what_they_leave_open_is_asked_about(
    paper: Paper, tmp_path: Path, name: str, content: str, said: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ImportFileError) as caught:
        from_results(paper, [tmp_path / name], Declared(dataset="corpus"), experiment="words", seeds=[0])
    assert said in str(caught.value)


def test_scores_that_may_be_of_documents_held_out_are_asked_about(paper: Paper, path: Path) -> None:
    write_rows(path, WIDE[:1], ("experiment", "seed", "eval_P@1", "eval_P@3"))
    (problem,) = refused(paper, path, dataset="corpus")
    assert "'eval_p@1': of the test documents, or of documents held out?" in problem
    both = write_rows(path, WIDE[:1], ("experiment", "seed", "P@1", "test_P@1"))
    assert "'p@1' and 'test_p@1' are both P@1; leave one out" in refused(paper, both, dataset="corpus")[0]


def test_metrics_are_spelled_as_in_tables_and_what_is_not_read_is_named(paper: Paper, path: Path) -> None:
    path.write_text("experiment,seed,P@1,f1_micro,train_loss\nwords,0,80.1,60.5,0.31\n")
    (found,) = from_results(paper, [path], Declared(dataset="corpus"))
    assert found.metrics == {"P@1": 80.1, "Micro-F1": 60.5}
    assert found.notes == ("not read: train_loss",)


def test_one_evaluation_a_file_is_read_with_its_experiment_and_seed(paper: Paper, tmp_path: Path) -> None:
    files = [tmp_path / f"predict_results_{n}.json" for n in range(2)]
    for n, file in enumerate(files):
        file.write_text(json.dumps({"test_P@1": 80.1 + n, "test_runtime": 3.5}))
    found = from_results(paper, files, Declared(dataset="corpus"), experiment="words", seeds=[4, 7])
    assert {it.seed: it.metrics for it in found} == {4: {"P@1": 80.1}, 7: {"P@1": 81.1}}
    with pytest.raises(AuditError, match="2 files and 1 seed; give one for each file"):
        from_results(paper, files, Declared(dataset="corpus"), experiment="words", seeds=[4])


@pytest.mark.parametrize("name", ["r.csv", "r.json", "r.jsonl", "R.CSV"])
def test_all_forms_give_the_same_results(paper: Paper, tmp_path: Path, name: str) -> None:
    path = write_rows(tmp_path / name)
    found = read(paper, path)
    assert {key: it.metrics for key, it in found.items()} == {
        (experiment, seed): {} if value == "failed" else {metric: float(value)}
        for experiment, _, metric, seed, value in ROWS
    }
    (source,) = found["words", 0].sources
    assert (source.file, source.sha256) == (name, hashlib.sha256(path.read_bytes()).hexdigest())
    assert found["letters", 3].failed


def test_what_programs_write_is_taken(paper: Paper, path: Path) -> None:
    """Headers in any case with a byte-order mark, empty lines; numbers in JSON as such, null for a failure;
    a failed seed with or without a metric; every seed that a generator takes."""
    head = b"\xef\xbb\xbfExperiment , DATASET,Metric,Seed,VALUE\r\n"
    path.write_bytes(head + b"words,corpus,P@1,0,80.5\r\n\r\n,,,,\r\n")
    assert read(paper, path)["words", 0].metrics == {"P@1": 80.5}
    rows = one(80.1), one("80.2", seed="1"), one(None, seed=2)
    lines = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    (path.with_suffix(".json")).write_text(json.dumps(lines))
    found = read(paper, path.with_suffix(".json"))
    assert [found["words", seed].metrics for seed in range(3)] == [{"P@1": 80.1}, {"P@1": 80.2}, {}]
    odd = [one("", metric=""), one("FAILED", seed=1), one(seed="+7"), one(seed="3.0"), one(seed=2**63 - 1)]
    found = read(paper, write_rows(path, odd))
    failed = {seed for (_, seed), it in found.items() if it.failed}
    assert failed == {0, 1} and {seed for _, seed in found} == {0, 1, 7, 3, 2**63 - 1}


def test_fractions_become_percent_without_a_rounding_of_ours(paper: Paper, path: Path) -> None:
    """0.7638 x 100 in binary is 76.38000000000001; nought is the same in both units."""
    found = read(paper, write_rows(path, [one("0.7638"), one("1", seed=1)]), unit="fraction")
    assert [it.metrics["P@1"] for it in found.values()] == [76.38, 100.0]
    found = read(paper, write_rows(path, [one("0.7638")]), unit="percent")
    assert found["words", 0].metrics == {"P@1": 0.7638}
    assert read(paper, write_rows(path, [one("0.0")]))["words", 0].metrics == {"P@1": 0.0}


def test_data_sets_are_known_by_id_and_name_or_keep_the_name_they_were_given(
    paper: Paper, path: Path
) -> None:
    names = {"CORPUS": "Corpus", "EURLEX57K": "EURLEX57K", "nods": "nods"}
    found = {name: read(paper, write_rows(path, [one(dataset=name)]))["words", 0].dataset for name in names}
    assert found == names


# --------------------------------------------------------------------------- asked about

#: Row of `ROWS` (the line is two more), column, value, and a part of what is said of it.
QUESTIONS = [
    (0, "experiment", "wrods", "'wrods' is not an experiment of toy2024; did you mean 'words'? Known: wor"),
    (2, "seed", "2.5", "seed '2.5' is not a whole number; "),
    (2, "dataset", "RCV1", "'words' is on 'RCV1' here and on 'Corpus' at {path}:2; import the results of on"),
    (0, "dataset", "Corpsu", "'Corpsu' is not a data set of toy2024; did you mean 'Corpus'? If it"),
    (0, "dataset", "nods", "'words' is on 'nods' here and on 'Corpus' at {path}:3; import"),
    (1, "metric", "Prec@1", "unknown metric 'Prec@1'; did you mean 'P@1'? Known: P@1, R@1"),
    (1, "metric", "precision@10", "unknown metric 'precision@10'; did you mean 'P@10'?"),
    (1, "metric", "Recall@5", "unknown metric 'Recall@5'; did you mean 'R@5'?"),
    (0, "value", "NaN", "value 'NaN' is not a number; write it plainly, as 76.38, or failed"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "column", "value", "sentence"), QUESTIONS)
def test_what_can_be_read_in_two_ways_is_asked_about_in_one_sentence(
    paper: Paper, path: Path, row: int, column: str, value: Any, sentence: str
) -> None:
    (problem,) = refused(paper, write_rows(path, changed((row, column, value))))
    assert problem.startswith(f"{path}:{row + 2}: ") and sentence.format(path=path) in problem


def test_a_unit_is_asked_for_once_a_metric_with_what_the_paper_prints(paper: Paper, path: Path) -> None:
    write_rows(path, [one("0.7638")])
    question = "is P@1 0.7638 a percentage or a fraction? the paper prints 80.00"
    assert refused(paper, path) == [f"{path}:2: {question}; add --unit percent or --unit fraction"]
    rows = [one(f"0.{5 + s}", metric=m, seed=s) for s in range(3) for m in ("P@1", "nDCG@3")]
    assert [it.split()[2] for it in refused(paper, write_rows(path, rows))] == ["P@1", "nDCG@3"]
    (problem,) = refused(paper, write_rows(path, [one("1.01")]), unit="fraction")
    assert "P@1 1.01 lies outside 0 to 1, its range in --unit fraction" in problem


def test_a_run_has_failed_in_all_its_metrics_or_in_none(paper: Paper, path: Path) -> None:
    write_rows(path, [one(), one("failed", metric="P@3")])
    what = "'words', seed 0, failed here and has values elsewhere; which is it? write failed in all"
    assert refused(paper, path) == [f"{path}:3: {what} its rows, or remove this row"]


# --------------------------------------------------------------------------- what is no table

HEADER = b"experiment,dataset,metric,seed,value\n"
ROW = b"words,corpus,P@1,0,80.1\n"
OBJECT = b'{"experiment": "words", "dataset": "corpus", "metric": "P@1", "seed": 0, "value": 80}\n'

#: Name, content, a part of what is said after the path.
BAD: list[tuple[str, bytes, str]] = [
    ("r.csv", HEADER, ": there are no rows; give one for each metric"),
    ("r.jsonl", OBJECT + b'{"experiment": "words"}\n', ":2: no column 'dataset', 'metric'"),
    ("r.csv", HEADER + ROW + b"words,corpus\n", ":3: 2 cells under 5 columns; give one for each"),
    ("r.csv", HEADER.replace(b",", b";") + b"words;corpus;P@1;0;80,1\n", ":1: its columns are separated by"),
    ("r.csv", HEADER.replace(b",", b"\t"), ":1: its columns are separated by '\\t'; save it with commas"),
    ("r.csv", HEADER + b"caf\xe9,corpus,P@1,0,80\n", ": its byte 0xe9 is not UTF-8; save it"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "sentence"), BAD)
def test_what_is_no_table_is_one_sentence(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ImportFileError) as caught:
        read_table(path, COLUMNS)
    said = str(caught.value)
    assert said.startswith(str(path)) and sentence in said and "\n" not in said
    path.unlink()
    with pytest.raises(ImportFileError, match=r"No such file|its name does not end"):
        read_table(path, COLUMNS)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([".csv", ".json", ".jsonl"]), st.integers(0, 250), st.binary(max_size=8))
def test_a_file_with_other_bytes_is_read_or_refused(
    paper: Paper, tmp_path: Path, form: str, at: int, new: bytes
) -> None:
    path = write_rows(tmp_path / f"r{form}")
    content = path.read_bytes()
    path.write_bytes(content[:at] + new + content[at + len(new) :])
    with suppress(ImportFileError):
        assert from_results(paper, [path], Declared())
