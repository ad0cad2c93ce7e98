"""Tables of others' results become checked results, and whatever can be read in two ways is asked about."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from audit.claim import Paper, load
from audit.errors import AuditError, ImportFileError
from audit.importing import Declared, Result, from_results
from audit.importing import results as module
from tests.importing.rows import COLUMNS, ROWS, Row, changed, write_rows
from tests.runner.papers import write_paper

FINGERPRINT = "ab" * 32


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    return load(write_paper(tmp_path))


def read(paper: Paper, *paths: Path, **declared: Any) -> dict[tuple[str, int], Result]:
    found = from_results(paper, paths, Declared(**declared))
    return {(it.experiment, it.seed): it for it in found}


def refused(paper: Paper, *paths: Path, **declared: Any) -> list[str]:
    with pytest.raises(ImportFileError) as caught:
        from_results(paper, paths, Declared(**declared))
    return caught.value.problems


# --------------------------------------------------------------------------- accepted


@pytest.mark.parametrize("name", ["r.csv", "r.json", "r.jsonl", "r.ndjson", "R.CSV"])
def test_the_three_forms_give_the_same_results(paper: Paper, tmp_path: Path, name: str) -> None:
    path = write_rows(tmp_path / name)
    found = read(paper, path)
    assert {key: it.metrics for key, it in found.items()} == {
        ("words", 0): {"P@1": 80.1},
        ("words", 1): {"P@1": 80.3},
        ("words", 2): {"P@1": 80.2},
        ("letters", 0): {"P@1": 40.1},
        ("letters", 1): {"P@1": 40.3},
        ("letters", 2): {"P@1": 40.2},
        ("letters", 3): {},
    }
    (source,) = found["words", 0].sources
    assert (source.file, source.sha256) == (name, hashlib.sha256(path.read_bytes()).hexdigest())


def test_headers_are_taken_in_any_case_with_a_byte_order_mark_and_empty_lines(
    paper: Paper, tmp_path: Path
) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(
        b"\xef\xbb\xbfExperiment , DATASET,Metric,Seed,VALUE\r\nwords,corpus,P@1,0,80.5\r\n\r\n,,,,\r\n"
    )
    assert read(paper, path)["words", 0].metrics == {"P@1": 80.5}


def test_numbers_in_json_may_be_numbers_or_text_and_null_is_a_failed_run(
    paper: Paper, tmp_path: Path
) -> None:
    path = tmp_path / "r.json"
    path.write_text(
        '[{"experiment": "words", "dataset": "corpus", "metric": "P@1", "seed": 0, "value": 80.1},'
        ' {"experiment": "words", "dataset": "corpus", "metric": "P@1", "seed": "1", "value": "80.2"},'
        ' {"experiment": "words", "dataset": "corpus", "metric": "P@1", "seed": 2, "value": null}]'
    )
    found = read(paper, path)
    assert [found["words", seed].metrics for seed in range(3)] == [{"P@1": 80.1}, {"P@1": 80.2}, {}]
    assert found["words", 2].failed


@pytest.mark.parametrize("word", ["", "failed", "FAILED"])
def test_a_failed_seed_may_be_written_with_or_without_a_metric(
    paper: Paper, tmp_path: Path, word: str
) -> None:
    rows = [("words", "corpus", "", 0, word), ("words", "corpus", "P@1", 1, word)]
    assert all(it.failed for it in read(paper, write_rows(tmp_path / "r.csv", rows)).values())


def test_fractions_become_percent_without_a_rounding_of_ours(paper: Paper, tmp_path: Path) -> None:
    """0.7638 x 100 in binary is 76.38000000000001."""
    rows = [("words", "corpus", "P@1", 0, "0.7638"), ("words", "corpus", "P@1", 1, "1")]
    found = read(paper, write_rows(tmp_path / "r.json", rows), unit="fraction")
    assert [it.metrics["P@1"] for it in found.values()] == [76.38, 100.0]


def test_percent_may_be_small_when_it_is_said(paper: Paper, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "r.csv", [("words", "corpus", "P@1", 0, "0.7638")])
    assert read(paper, path, unit="percent")["words", 0].metrics == {"P@1": 0.7638}


def test_nought_is_the_same_in_both_units(paper: Paper, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "r.csv", [("words", "corpus", "P@1", 0, "0.0")])
    assert read(paper, path)["words", 0].metrics == {"P@1": 0.0}


def test_files_of_one_import_make_one_run_together(paper: Paper, tmp_path: Path) -> None:
    one = write_rows(tmp_path / "p1.csv", [("words", "corpus", "P@1", 0, "80.1")])
    two = write_rows(tmp_path / "p3.jsonl", [("words", "corpus", "P@3", 0, "60.1")])
    found = read(paper, one, two, one)  # a file named twice is one file
    assert found["words", 0].metrics == {"P@1": 80.1, "P@3": 60.1}
    assert [it.file for it in found["words", 0].sources] == ["p1.csv", "p3.jsonl"]


def test_other_columns_are_kept_as_notes(paper: Paper, tmp_path: Path) -> None:
    columns = (*COLUMNS, "GPU", "log")
    rows = [
        ("words", "corpus", "P@1", 0, "80.1", "A100", "x" * 5000),
        ("words", "corpus", "P@3", 0, "60.1", "A100", ""),
    ]
    notes = read(paper, write_rows(tmp_path / "r.csv", rows, columns))["words", 0].notes
    assert notes[0] == "gpu: A100"
    assert len(notes) == 2 and len(notes[1]) == 200


@pytest.mark.parametrize("named", ["corpus", "Corpus", "CORPUS"])
def test_a_data_set_of_the_paper_is_known_by_id_and_name(paper: Paper, tmp_path: Path, named: str) -> None:
    rows = [("words", named, "P@1", 0, "80.1")]
    assert read(paper, write_rows(tmp_path / "r.csv", rows))["words", 0].dataset == "Corpus"


def test_another_data_set_keeps_the_name_it_was_given(paper: Paper, tmp_path: Path) -> None:
    rows = [("words", "RCV1 (ours)", "P@1", 0, "80.1")]
    assert read(paper, write_rows(tmp_path / "r.csv", rows))["words", 0].dataset == "RCV1 (ours)"


def test_options_stand_in_for_columns(paper: Paper, tmp_path: Path) -> None:
    columns = ("experiment", "metric", "seed", "value")
    path = write_rows(tmp_path / "r.csv", [("words", "P@1", "3.0", "80.1")], columns)
    found = read(paper, path, dataset="corpus", fingerprint=FINGERPRINT)
    assert (found["words", 3].dataset, found["words", 3].fingerprint) == ("Corpus", FINGERPRINT)


def test_a_fingerprint_may_stand_in_a_column(paper: Paper, tmp_path: Path) -> None:
    rows = [(*row, FINGERPRINT) for row in ROWS]
    found = read(paper, write_rows(tmp_path / "r.csv", rows, (*COLUMNS, "fingerprint")))
    assert {it.fingerprint for it in found.values()} == {FINGERPRINT}
    assert all(it.notes == () for it in found.values())


SEVERAL = (
    "  elsewhere:\n",
    "  both: {title: Both, method: both, datasets: [corpus, other], unavailable: not here}\n  elsewhere:\n",
)


def test_the_data_set_tells_which_of_several_experiments_is_meant(tmp_path: Path) -> None:
    paper = load(write_paper(tmp_path, SEVERAL))
    path = write_rows(tmp_path / "r.csv", [("both", "Other", "P@1", 0, "80.1")])
    assert list(read(paper, path)) == [("both-other", 0)]
    path = write_rows(tmp_path / "r.csv", [("both", "elsewhere", "P@1", 0, "80.1")])
    assert refused(paper, path) == [
        f"{path}:2: 'both' is on several data sets; write one of both-corpus, both-other"
    ]


# --------------------------------------------------------------------------- asked about

#: What was changed in `ROWS`, the row that is named, and what is said of it.
QUESTIONS: dict[str, tuple[tuple[int, str, Any], int, str]] = {
    "an unknown experiment": (
        (0, "experiment", "wrods"),
        2,
        "'wrods' is no experiment of toy2024; did you mean 'words'? Known: words, letters, ",
    ),
    "no experiment": ((0, "experiment", ""), 2, "name the experiment, or add --experiment ID"),
    "an unknown metric": ((1, "metric", "p@1"), 3, "metric 'p@1' is unknown; did you mean 'P@1'? "),
    "a metric in words": ((1, "metric", "precision"), 3, "metric 'precision' is unknown; "),
    "no metric": ((1, "metric", ""), 3, "metric '' is unknown"),
    "a seed in words": ((2, "seed", "two"), 4, "seed 'two' is no whole number; "),
    "half a seed": ((2, "seed", "2.5"), 4, "seed '2.5' is no whole number"),
    "no seed": ((2, "seed", ""), 4, "seed '' is no whole number"),
    "a seed below 0": ((2, "seed", -1), 4, "seed -1 is below 0; number the seeds 0, 1, 2, ..."),
    "a seed of 64 bits": (
        (2, "seed", 2**63),
        4,
        "seed 9223372036854775808 is above 9223372036854775807, the largest of 63 bits; number the seeds 0, ",
    ),
    "a very large seed": ((2, "seed", "9" * 23), 4, f"seed {'9' * 23} is above 9223372036854775807"),
    "a data set spelled otherwise": (
        (0, "dataset", "CORPUS_1"),
        2,
        "'CORPUS_1' is no data set of toy2024, and 'Corpus' is one; which was it? write that name, or add "
        "--other-dataset if it was another one",
    ),
    "a fraction among percents": (
        (0, "value", "0.8010"),
        2,
        "is P@1 0.8010 a percentage or a fraction? other values of P@1 go up to 80.30; add --unit percent ",
    ),
    "exactly one": ((0, "value", "1.0"), 2, "is P@1 1.0 a percentage or a fraction? "),
    "more than all": ((0, "value", "100.01"), 2, "P@1 100.01 lies outside 0 to 100, its range in percent"),
    "less than nothing": ((0, "value", "-0.5"), 2, "P@1 -0.5 lies outside 0 to 100"),
    "NaN": ((0, "value", "NaN"), 2, "'NaN' is no value; did the run fail? then write failed there"),
    "infinity": ((0, "value", "-inf"), 2, "'-inf' is no value; did the run fail?"),
    "a dash": ((0, "value", "-"), 2, "'-' is no value; did the run fail?"),
    "a comma": (
        (0, "value", "80,10"),
        2,
        "value '80,10' is no number; write it plainly, as 76.38, or failed",
    ),
    "a sign of percent": ((0, "value", "80.1%"), 2, "value '80.1%' is no number"),
    "Python's underscore": ((0, "value", "8_0"), 2, "value '8_0' is no number"),
    "other digits": ((0, "value", "٨٠"), 2, "value '٨٠' is no number"),
    "another data set of the paper": (
        (0, "dataset", "other"),
        2,
        "'words' is on 'Corpus' and not on 'other'; which one was run? ",
    ),
    "two data sets": (
        (2, "dataset", "RCV1"),
        4,
        "'words' is on 'RCV1' here and on 'Corpus' at {path}:2; import the results of one data set only",
    ),
    "no data set": (
        (0, "dataset", ""),
        2,
        "no data set is named; name it in the column dataset, or add --dataset",
    ),
    "a seed twice": (
        (1, "seed", 0),
        3,
        "P@1 of words, seed 0, stands at {path}:2 too, with 80.10 there and 80.30 here; which one counts?",
    ),
    "failed and not": (
        (6, "seed", 2),
        8,
        "P@1 of letters, seed 2, stands at {path}:7 too, with 40.20 there and failed",
    ),
}


@pytest.mark.parametrize("what", QUESTIONS)
def test_what_can_be_read_in_two_ways_is_asked_about_in_one_sentence(
    paper: Paper, tmp_path: Path, what: str
) -> None:
    change, line, sentence = QUESTIONS[what]
    path = write_rows(tmp_path / "r.csv", changed(change))
    (problem,) = refused(paper, path)
    assert problem.startswith(f"{path}:{line}: ")
    assert sentence.format(path=path) in problem


@pytest.mark.parametrize("column", COLUMNS)
def test_what_is_no_name_or_number_is_not_repeated_at_length_nor_shown(
    paper: Paper, tmp_path: Path, column: str
) -> None:
    """Also what JSON can hold and UTF-8 cannot: half a surrogate pair."""
    for text, sentence in (
        ("9" * 5000, f"{column} has 5000 characters; is this the right column?"),
        ("a\u202eb", rf"{column} 'a\u202eb' holds characters that cannot be shown"),
        ("a\ud800b", rf"{column} 'a\ud800b' holds characters that cannot be shown"),
    ):
        (problem,) = refused(paper, write_rows(tmp_path / "r.json", changed((0, column, text))))
        assert sentence in problem


@pytest.mark.parametrize("seed", [0, 2**63 - 1, "+7", "3.0"])
def test_every_seed_that_a_generator_takes_is_one(paper: Paper, tmp_path: Path, seed: Any) -> None:
    assert ("words", int(float(seed)) if seed != 2**63 - 1 else seed) in read(
        paper, write_rows(tmp_path / "r.csv", changed((0, "seed", seed))[:1])
    )


def test_another_data_set_of_a_like_name_is_one_that_is_said_to_be(paper: Paper, tmp_path: Path) -> None:
    """And a name that is like none is another data set without a word."""
    for name, more in (("Corpus-1", {"other_dataset": True}), ("RCV1", {})):
        rows = [(*row[:1], name, *row[2:]) for row in ROWS]
        found = read(paper, write_rows(tmp_path / "r.csv", rows), **more)
        assert {it.dataset for it in found.values()} == {name}


def test_notes_are_made_fit_to_be_kept(paper: Paper, tmp_path: Path) -> None:
    rows = [(*ROWS[0], "A100 \ud800 \x1b[31m\nnext")]
    found = read(paper, write_rows(tmp_path / "r.json", rows, (*COLUMNS, "gpu")))
    assert found["words", 0].notes == ("gpu: A100 ? ? next",)


def test_the_same_value_twice_is_asked_about_too(paper: Paper, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "r.csv", [*ROWS, ROWS[0]])
    (problem,) = refused(paper, path)
    assert "P@1 of words, seed 0, stands at" in problem and "with the same value; one run or two?" in problem
    copy = write_rows(tmp_path / "copy.csv")
    assert len(refused(paper, write_rows(tmp_path / "r.csv"), copy)) == 7


@pytest.mark.parametrize(
    ("value", "printed"), [("0.7638", "the paper prints 80.00"), ("0.002", "the paper prints 80.00")]
)
def test_values_that_are_all_below_one_are_asked_about_with_what_the_paper_prints(
    paper: Paper, tmp_path: Path, value: str, printed: str
) -> None:
    path = write_rows(tmp_path / "r.csv", [("words", "corpus", "P@1", 0, value)])
    assert refused(paper, path) == [
        f"{path}:2: is P@1 {value} a percentage or a fraction? {printed}; "
        "add --unit percent or --unit fraction"
    ]


def test_a_unit_is_asked_for_once_a_metric(paper: Paper, tmp_path: Path) -> None:
    rows = [("words", "corpus", m, s, f"0.{5 + s}") for s in range(3) for m in ("P@1", "nDCG@3")]
    path = write_rows(tmp_path / "r.csv", rows)
    assert [it.split()[2] for it in refused(paper, path)] == ["P@1", "nDCG@3"]


def test_a_fraction_above_one_is_none(paper: Paper, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "r.csv", [("words", "corpus", "P@1", 0, "1.01")])
    assert (
        "P@1 1.01 lies outside 0 to 1, its range in --unit fraction"
        in refused(paper, path, unit="fraction")[0]
    )


def test_a_run_has_failed_in_all_its_metrics_or_in_none(paper: Paper, tmp_path: Path) -> None:
    rows = [("words", "corpus", "P@1", 0, "80.1"), ("words", "corpus", "P@3", 0, "failed")]
    path = write_rows(tmp_path / "r.csv", rows)
    assert refused(paper, path) == [
        f"{path}:3: 'words', seed 0, has failed here and has values elsewhere; which is it? write failed in "
        "all its rows, or leave this row out"
    ]


def test_a_column_and_an_option_that_disagree_are_asked_about(paper: Paper, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "r.csv", ROWS[:1])
    assert "--dataset 'other'" in refused(paper, path, dataset="other")[0]
    rows = [(*ROWS[0], FINGERPRINT)]
    path = write_rows(tmp_path / "r.csv", rows, (*COLUMNS, "fingerprint"))
    assert "another than --fingerprint says" in refused(paper, path, fingerprint="cd" * 32)[0]
    path = write_rows(tmp_path / "r.csv", [(*ROWS[0], "ABC")], (*COLUMNS, "fingerprint"))
    assert "fingerprint 'ABC' is none; give 32 to 64 digits" in refused(paper, path)[0]


def test_two_fingerprints_of_one_experiment_are_two_data_sets(paper: Paper, tmp_path: Path) -> None:
    rows: list[Row] = [(*ROWS[0], FINGERPRINT), (*ROWS[1], "cd" * 32)]
    path = write_rows(tmp_path / "r.csv", rows, (*COLUMNS, "fingerprint"))
    assert "is on 'Corpus' (cdcdcdcdcdcd) here and on 'Corpus' (abababababab) at" in refused(paper, path)[0]


def test_all_problems_come_at_once_and_one_of_many_rows_is_one_line(paper: Paper, tmp_path: Path) -> None:
    rows = [("wrods", "corpus", "P@1", s, "80.1") for s in range(5)]
    path = write_rows(tmp_path / "r.csv", [*rows, ("words", "corpus", "P@1", 0, "x")])
    first, second = refused(paper, path)
    assert first.startswith(f"{path}:2: 'wrods'") and first.endswith("(4 more such rows)")
    assert second.startswith(f"{path}:7: value 'x'")


def test_a_file_of_nothing_but_problems_tells_the_first_twenty(paper: Paper, tmp_path: Path) -> None:
    rows = [("words", "corpus", "P@1", 0, f"x{i}") for i in range(1000)]
    problems = refused(paper, write_rows(tmp_path / "r.csv", rows))
    assert len(problems) == 21
    assert problems[-1] == "and 980 more"


def test_a_column_of_something_else_under_the_name_of_seed_is_noticed(
    paper: Paper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reading ends there: a file of any size is not gathered first."""
    monkeypatch.setattr(module, "MOST_SEEDS", 3)
    rows = [("words", "corpus", "P@1", s, "80.1") for s in range(5)]
    path = write_rows(tmp_path / "r.csv", rows)
    assert refused(paper, path) == [f"{path}:5: 'words' has more than 3 seeds; is seed the column?"]


@pytest.mark.parametrize(
    ("declared", "sentence"),
    [
        ({"unit": "points"}, "--unit 'points' is unknown; add --unit percent or --unit fraction"),
        ({"fingerprint": "AB"}, "--fingerprint 'AB' is none; give 32 to 64 digits"),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused(declared: dict[str, Any], sentence: str) -> None:
    with pytest.raises(AuditError, match=sentence):
        Declared(**declared)
