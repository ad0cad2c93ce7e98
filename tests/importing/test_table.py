"""What is no table of results is told in one sentence that names the place."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from audit.errors import ImportFileError
from audit.importing import table
from audit.importing.table import TableFile
from tests.importing.rows import COLUMNS, write_rows

HEADER = b"experiment,dataset,metric,seed,value\n"
ROW = b"words,corpus,P@1,0,80.1\n"
OBJECT = b'{"experiment": "words", "dataset": "corpus", "metric": "P@1", "seed": 0, "value": 80}\n'

#: Name, content, what is said after the path.
BAD: dict[str, tuple[str, bytes, str]] = {
    "an empty table": ("r.csv", b"", ": it is empty; the first line names the columns"),
    "empty lines": ("r.csv", b"\n\n\n", ": it is empty; "),
    "only a header": ("r.csv", HEADER, ": it holds no rows; give one for each metric"),
    "no JSON lines": ("r.jsonl", b"\n", ": it holds no rows; "),
    "an empty list": ("r.json", b"[]", ": it holds no rows; "),
    "an empty JSON file": ("r.json", b" ", ": it holds no rows; "),
    "a missing column": (
        "r.csv",
        b"experiment,metric,seed,value\nwords,P@1,0,80.1\n",
        ":1: no column 'dataset', only 'experiment', 'metric', 'seed', 'value'; name the columns "
        "experiment, dataset, metric, seed, value; or add --dataset NAME",
    ),
    "two missing columns": ("r.csv", b"experiment,seed,value\n", ":1: no column 'dataset', 'metric', only "),
    "a missing key": ("r.jsonl", OBJECT + b'{"experiment": "words"}\n', ":2: no column 'dataset', 'metric'"),
    "predictions": (
        "r.jsonl",
        b'{"document": 1, "labels": [1], "scores": [1]}',
        ":1: no column .*; or, if these are predictions, add --truth FILE",
    ),
    "a column twice": ("r.csv", b"seed,experiment,Seed\n", ":1: the column 'seed' stands there twice"),
    "a key twice but for the case": (
        "r.json",
        b'[{"seed": 1, "Seed": 2}]',
        ": item 1: two columns have one name but for the case",
    ),
    "a key twice": (
        "r.jsonl",
        b'{"seed": 1, "seed": 2}',
        ":1: the key 'seed' stands there twice; remove one, or rename it",
    ),
    "a short row": (
        "r.csv",
        HEADER + ROW + b"words,corpus\n",
        ":3: 2 cells under 5 columns; give one for each",
    ),
    "a long row": ("r.csv", HEADER + b"a,b,c,d,e,f\n", ":2: 6 cells under 5 columns"),
    "an open quote": ("r.csv", HEADER + b'"words,corpus,P@1,0,80\n', ":2: no CSV: its quotes do not pair up"),
    "semicolons": ("r.csv", b"experiment;dataset;metric\n", ":1: the columns are separated by semicolons"),
    "tabs": ("r.csv", b"experiment\tdataset\n", ":1: the columns are separated by tabs"),
    "Latin-1": (
        "r.csv",
        HEADER + b"caf\xe9,corpus,P@1,0,80\n",
        ": its byte 0xe9 is no text in UTF-8; save it",
    ),
    "UTF-16": ("r.csv", "experiment,dataset\n".encode("utf-16"), ": its byte 0xff is no text in UTF-8"),
    "UTF-16 lines": ("r.jsonl", "{}".encode("utf-16"), ": its byte 0xff is no text"),
    "half a JSON line": (
        "r.jsonl",
        OBJECT + b'{"experiment": ',
        ":2: no JSON: it ends too early, character 16; write it anew",
    ),
    "half a JSON list": ("r.json", b"[{", ": no JSON: it ends too early, character 3; write it anew"),
    "another language": (
        "r.json",
        b'[\n{"a": x,',
        ": no JSON: it stops making sense at 'x,' on line 2, char",
    ),
    "a JSON object": (
        "r.json",
        b'{"a": 1}',
        r': {"a": "1"} is no list of objects; write \[{\.\.\.}, {\.\.\.}\]',
    ),
    "numbers in a list": ("r.json", b"[1, 2]", ": item 1: 1 is no object of columns"),
    "lists in lines": ("r.jsonl", b"[1, 2]\n", ":1: .* is no object of columns"),
    "deep nesting": ("r.json", b"[" * 100_000, ": it is nested too deep for a table; write one flat"),
    "another kind of file": (
        "r.xlsx",
        b"PK",
        r": its name does not end in \.csv, \.json, \.jsonl, \.ndjson; rename",
    ),
    "no kind": ("results", HEADER, ": its name does not end in "),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_table_is_one_sentence(tmp_path: Path, what: str) -> None:
    name, content, sentence = BAD[what]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ImportFileError, match=sentence) as caught:
        list(TableFile(path).rows(wanted=COLUMNS))
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: path.mkdir(), "Is a directory; give a file of results"),
        (lambda path: None, "No such file or directory; give a file of results"),
    ],
    ids=["a folder", "nothing"],
)
@pytest.mark.parametrize("name", ["r.csv", "r.json", "r.jsonl"])
def test_what_cannot_be_opened_is_told(
    tmp_path: Path, name: str, make: Callable[[Path], None], sentence: str
) -> None:
    make(tmp_path / name)
    with pytest.raises(ImportFileError, match=sentence):
        list(TableFile(tmp_path / name).rows())


def test_a_line_or_a_list_beyond_all_measure_is_refused_before_it_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "MOST_LINE", 1000)
    monkeypatch.setattr(table, "MOST_JSON", 1000)
    for name, sentence in (
        ("r.csv", "a line has more"),
        ("r.jsonl", "a line has more"),
        ("r.json", r"\.jsonl"),
    ):
        path = tmp_path / name
        path.write_bytes(b"x" * 2000)
        with pytest.raises(ImportFileError, match=sentence):
            list(TableFile(path).rows())


@pytest.mark.parametrize("name", ["r.csv", "r.jsonl"])
def test_a_large_file_is_read_as_a_stream(tmp_path: Path, name: str) -> None:
    """8,000 rows, 0.2 to 0.8 MB: what is held at a time does not grow with them."""
    rows = [("words", "corpus", "P@1", seed, "80.10") for seed in range(8_000)]
    path = write_rows(tmp_path / name, rows)
    tracemalloc.start()
    count = sum(1 for _ in TableFile(path).rows(wanted=COLUMNS))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 8_000
    assert peak < 100_000 < path.stat().st_size


def test_nested_values_stay_json(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps([{"A": {"b": [1, 0.10]}, "c": True, "d": None, "e": " x "}]))
    (row,) = TableFile(path).rows()
    assert row.cells == {"a": '{"b": ["1", "0.1"]}', "c": "true", "d": "", "e": "x"}
    assert row.place == f"{path}: item 1"
