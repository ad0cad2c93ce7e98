"""Beside the other seeds: the same predictions twice, and values that a misplaced point would give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit.claim import Paper, load
from audit.errors import ImportFileError
from audit.imported import Provenance, origin
from audit.importing import Declared, Kept, from_predictions, from_results, keep
from audit.store import Store
from tests.importing.rows import Row, write_rows
from tests.importing.test_predictions import LISTS, TRUTH, write
from tests.runner.papers import write_paper

Lists = Mapping[str, Sequence[Any]]


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    return load(write_paper(tmp_path))


class Desk:
    """Imports into one store; `ask` gives the questions."""

    def __init__(self, folder: Path, paper: Paper) -> None:
        self.folder, self.paper, self.store = folder, paper, Store(folder / "store")
        self.truth: Lists = TRUTH

    def predictions(
        self, seeds: Mapping[int, Lists], *, experiment: str = "words", replacing: bool = False, **more: Any
    ) -> Kept:
        given = Declared(dataset="corpus", **more)
        paths = [write(self.folder / f"p{seed}.jsonl", lists, scored=True) for seed, lists in seeds.items()]
        return self._keep(paths, list(seeds), experiment, given, replacing)

    def files(self, seeds: Mapping[int, Path]) -> Kept:
        return self._keep(list(seeds.values()), list(seeds), "words", Declared(dataset="corpus"), False)

    def _keep(
        self, paths: list[Path], seeds: list[int], experiment: str, given: Declared, replacing: bool
    ) -> Kept:
        truth = write(self.folder / "truth.jsonl", self.truth, scored=False)
        found = from_predictions(
            self.paper, paths, truth=truth, experiment=experiment, seeds=seeds, declared=given
        )
        return keep(found, self.store, self.paper, given, replacing=replacing)

    def values(self, *rows: Row, **more: Any) -> Kept:
        given = Declared(**more)
        results = from_results(self.paper, [write_rows(self.folder / "r.csv", rows)], given)
        return keep(results, self.store, self.paper, given)


@pytest.fixture
def desk(tmp_path: Path, paper: Paper) -> Desk:
    return Desk(tmp_path, paper)


def row(seed: int, value: str, *, experiment: str = "words", metric: str = "P@1") -> Row:
    return experiment, "corpus", metric, seed, value


def test_equal_values_of_all_digits_are_asked_about_as_equal_predictions_are(desk: Desk) -> None:
    """constant_seeds.csv: one value of six decimals three times; two decimals may be equal by chance."""
    same = [row(seed, "50.234567", experiment="letters") for seed in (0, 1, 2)]
    with pytest.raises(ImportFileError) as caught:
        desk.values(row(0, "77.123401"), row(1, "77.443401"), *same)
    assert caught.value.problems[0] == (
        "r.csv: the values of 'letters', seed 1, are those of seed 0 (r.csv) in all digits; one run or two? "
        "leave one out, or add --same-predictions-ok if two runs gave them"
    )
    assert len(caught.value.problems) == 2
    more = (
        row(1, "30.5", experiment="letters", metric="P@3"),
        row(2, "31.5", experiment="letters", metric="P@3"),
    )
    assert len(desk.values(*same[1:], *more).added) == 2  # another P@3: another run
    desk.values(row(5, "50.23"), row(6, "50.23"))
    with pytest.raises(ImportFileError, match=r"seed 8, are those of seed 7"):
        desk.values(row(7, "12.3456"))
        desk.values(row(8, "12.3456"))
    kept = desk.values(row(8, "12.3456"), same_predictions_ok=True)
    assert [Provenance.of(run).same_lists_as for run in kept.added] == [7]


OTHER = {**LISTS, "d3": ["b", "a", "d"]}

# --------------------------------------------------------------------------- the same predictions


def test_one_file_as_two_seeds_is_one_run_or_two(desk: Desk) -> None:
    """And nothing of the import is kept before that is answered."""
    with pytest.raises(ImportFileError) as caught:
        desk.predictions({5: LISTS, 6: LISTS, 7: OTHER})
    assert caught.value.problems == [
        "p6.jsonl: the predictions of 'words', seed 6, are those of seed 5 (p5.jsonl) for all documents; one "
        "run or two? leave one out, or add --same-predictions-ok if two runs gave them"
    ]
    assert list(desk.store.runs()) == []


def test_a_later_import_of_the_same_lists_is_asked_about(desk: Desk) -> None:
    desk.predictions({5: LISTS})
    with pytest.raises(ImportFileError, match=r"p6\.jsonl: .* are those of seed 5 \(p5\.jsonl\)"):
        desk.predictions({6: LISTS})


def test_other_scores_another_order_of_documents_and_shorter_lists_hide_nothing(desk: Desk) -> None:
    desk.predictions({5: LISTS})
    path = write(desk.folder / "p6.jsonl", dict(reversed(LISTS.items())), scored=True)
    path.write_text(path.read_text().replace("1.0", "7.5"))
    with pytest.raises(ImportFileError, match="are those of seed 5"):
        desk.files({6: path})
    short = {name: labels[:1] for name, labels in LISTS.items()}
    with pytest.raises(ImportFileError, match="are those of seed 5"):
        desk.predictions({7: short})


def test_a_truth_in_another_order_hides_nothing(desk: Desk) -> None:
    """Documents are numbered as the truth names them, and two imports may name them otherwise."""
    desk.predictions({5: LISTS})
    desk.truth = dict(reversed(TRUTH.items()))
    with pytest.raises(ImportFileError, match="are those of seed 5"):
        desk.predictions({6: LISTS})


def test_the_same_labels_as_arrays_are_the_same_predictions(desk: Desk, tmp_path: Path) -> None:
    desk.predictions({5: LISTS})
    labels = np.array([[*labels, "", ""][:3] for labels in LISTS.values()])
    scores = np.where(labels == "", -np.inf, [3.0, 2.0, 1.0])
    np.savez(tmp_path / "p6.npz", document=list(LISTS), labels=labels, scores=scores)
    with pytest.raises(ImportFileError, match=r"p6\.npz: .* are those of seed 5"):
        desk.files({6: tmp_path / "p6.npz"})


def test_one_label_less_is_another_run(desk: Desk) -> None:
    assert len(desk.predictions({5: LISTS, 6: {**LISTS, "d1": ["a", "b"]}, 7: OTHER}).added) == 3


def test_another_experiment_may_have_the_same_predictions(desk: Desk) -> None:
    desk.predictions({5: LISTS})
    assert len(desk.predictions({5: LISTS}, experiment="letters").added) == 1


def test_what_replaces_a_run_is_not_compared_with_it(desk: Desk) -> None:
    desk.predictions({5: LISTS}, by="J. Doe")
    assert len(desk.predictions({5: LISTS}, by="J. Roe", replacing=True).added) == 1


def test_runs_stated_to_be_two_are_kept_and_that_stands_beside_the_verdict(desk: Desk) -> None:
    kept = desk.predictions({5: LISTS, 6: LISTS, 7: OTHER}, same_predictions_ok=True)
    assert [Provenance.of(run).same_lists_as for run in kept.added] == [None, 5, None]
    assert "1 of 3 imported runs has the results of another seed, as stated of runs of their own" in origin(
        kept.added
    )
    again = desk.predictions({5: LISTS, 6: LISTS})  # what was answered once is not asked again
    assert len(again.same) == 2


# --------------------------------------------------------------------------- a misplaced point


@pytest.mark.parametrize(
    ("value", "asked"), [("7.59", True), ("0.00", True), ("9.50", True), ("9.52", False)]
)
def test_a_value_an_eighth_of_the_other_seeds_or_less_is_asked_about(
    desk: Desk, value: str, asked: bool
) -> None:
    """76.10 is eight times 9.5125."""
    rows = [row(0, "76.10"), row(1, "75.00"), row(2, "77.00"), row(3, value)]
    if not asked:
        assert len(desk.values(*rows).added) == 4
        return
    with pytest.raises(ImportFileError) as caught:
        desk.values(*rows)
    assert caught.value.problems == [
        f"r.csv: 'words': P@1 is {value} for seed 3 and 76.10 for seed 0; is a decimal point misplaced? "
        "correct it, or add --outliers-ok if both came out so"
    ]
    assert list(desk.store.runs()) == []
    assert len(desk.values(*rows, outliers_ok=True).added) == 4


def test_a_value_ten_times_the_others_is_asked_about_too(desk: Desk) -> None:
    with pytest.raises(ImportFileError, match=r"P@1 is 76\.00 for seed 2 and 7\.60 for seed 0"):
        desk.values(row(0, "7.60"), row(1, "7.50"), row(2, "76.00"))


def test_two_seeds_a_factor_of_ten_apart_are_one_question(desk: Desk) -> None:
    with pytest.raises(ImportFileError) as caught:
        desk.values(row(0, "76.10"), row(1, "7.61"))
    assert len(caught.value.problems) == 1


def test_a_seed_that_comes_later_is_held_against_those_in_the_store(desk: Desk) -> None:
    desk.values(row(0, "76.10"), row(1, "75.00"))
    with pytest.raises(ImportFileError, match=r"P@1 is 7\.59 for seed 2 and 7[56]\.\d0 for seed [01]"):
        desk.values(row(2, "7.59"))


def test_other_metrics_experiments_and_very_small_values_are_no_yardstick(desk: Desk) -> None:
    rows = [row(0, "76.10"), row(0, "5.00", metric="PSP@1"), row(0, "5.00", experiment="letters")]
    rows += [row(0, "0.02", metric="PSP@5"), row(1, "0.90", metric="PSP@5"), row(1, "76.00")]
    assert len(desk.values(*rows, unit="percent").added) == 3


def test_failed_seeds_are_no_outliers(desk: Desk) -> None:
    assert len(desk.values(row(0, "76.10"), row(1, "failed"), row(2, "75.90")).added) == 3
