"""The looks taken at a paper's runs, beside the run records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audit.errors import StoreError
from audit.record import Look
from audit.runner.ledger import Ledger

PLAIN, FIRST = Look(3, 0.05), Look(3, 0.025, "halving", (3, 5))
SECOND = Look(5, 0.0125, "halving", (3, 5))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "runs", "toy")


def test_a_look_is_kept_for_the_next_command(ledger: Ledger) -> None:
    assert ledger.looks(["a"]) == ()
    assert ledger.take(PLAIN, ["a", "b"]) == (PLAIN,)
    assert ledger.take(FIRST, ["a"]) == (PLAIN, FIRST)
    assert Ledger(ledger.store, "toy").looks(["a"]) == (PLAIN, FIRST)
    assert Ledger(ledger.store, "other").looks(["a"]) == ()


def test_only_looks_at_these_runs_count(ledger: Ledger) -> None:
    ledger.take(PLAIN, ["a", "b"])
    assert ledger.looks(["b", "z"]) == (PLAIN,)
    assert ledger.looks(["z"]) == ledger.looks([]) == ()


def test_the_same_look_again_is_one_look_and_becomes_the_newest(ledger: Ledger) -> None:
    for look in (FIRST, SECOND, FIRST):
        ledger.take(look, ["a"])
    assert ledger.looks(["a"]) == (SECOND, FIRST)
    ledger.take(SECOND, ["a", "b"])
    assert ledger.looks(["b"]) == (SECOND,)
    assert ledger.looks(["a"]) == (FIRST, SECOND)


def test_a_look_that_was_declared_further_takes_the_place_of_the_older_one(ledger: Ledger) -> None:
    longer = Look(3, 0.025, "halving", (3, 5, 8))
    ledger.take(FIRST, ["a"])
    assert ledger.take(longer, ["a"]) == (longer,)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"looks": [{"seeds": 3}]}',
        '{"looks": [{"seeds": "3", "level": 0.05, "split": null, "declared": [], "runs": []}]}',
        '{"looks": [{"seeds": 3, "level": 2.0, "split": null, "declared": [], "runs": []}]}',
        '{"looks": [{"seeds": 3, "level": 0.05, "split": "most", "declared": [], "runs": []}]}',
    ],
)
def test_a_broken_record_of_looks_is_one_sentence_and_is_not_overwritten(
    ledger: Ledger, content: str
) -> None:
    ledger.path.parent.mkdir(parents=True)
    ledger.path.write_text(content)
    for attempt in (lambda: ledger.looks(["a"]), lambda: ledger.take(PLAIN, ["a"])):
        with pytest.raises(StoreError, match=r"looks/toy\.json: no whole record of the looks .* restore it"):
            attempt()
    assert ledger.path.read_text() == content


def test_the_file_says_what_was_looked_at(ledger: Ledger) -> None:
    ledger.take(FIRST, ["b", "a"])
    expected = {"seeds": 3, "level": 0.025, "split": "halving", "declared": [3, 5], "runs": ["a", "b"]}
    assert json.loads(ledger.path.read_text()) == {"format": 1, "looks": [expected]}
