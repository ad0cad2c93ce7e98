"""Checked results become sealed runs: all or none, never twice, and nothing is overwritten; equal ones
count once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.claims.load import Paper, load
from audit.errors import ImportFileError, StoreError
from audit.importing.predictions import from_predictions
from audit.importing.records import Kept, keep
from audit.importing.results import Declared, from_results
from audit.judging.evidence import UNKNOWN, Provenance, active, repeated
from audit.record import Run
from audit.storage.runs import Store
from tests.importing.rows import ROWS, Row, changed, write_rows
from tests.importing.test_predictions import LISTS, TRUTH, write
from tests.runner.papers import write_paper

Lists = Mapping[str, Sequence[Any]]
Rows = Sequence[Row]
VALUES = {"words": [80.1, 80.3, 80.2], "letters": [40.1, 40.3, 40.2, None]}
NEW = ("value", "81.10")


class Desk:
    """Imports into one store."""

    def __init__(self, folder: Path, paper: Paper, store: Store) -> None:
        self.folder, self.paper, self.store = folder, paper, store
        self.truth: Lists = TRUTH

    def take(self, rows: Rows = ROWS, *, name: str = "r.csv", again: bool = False, **declared: Any) -> Kept:
        given = Declared(**declared)
        results = from_results(self.paper, [write_rows(self.folder / name, rows)], given)
        return keep(results, self.store, self.paper, given, replacing=again)

    def predictions(
        self,
        seeds: Mapping[int, Lists | Path],
        *,
        experiment: str = "words",
        again: bool = False,
        **more: Any,
    ) -> Kept:
        given = Declared(dataset="corpus", **more)
        paths = [
            it if isinstance(it, Path) else write(self.folder / f"p{seed}.jsonl", it, scored=True)
            for seed, it in seeds.items()
        ]
        truth = write(self.folder / "truth.jsonl", self.truth, scored=False)
        results = from_predictions(
            self.paper, paths, truth=truth, experiment=experiment, seeds=list(seeds), declared=given
        )
        return keep(results, self.store, self.paper, given, replacing=again)

    def refused(self, rows: Rows = ROWS, **more: Any) -> list[str]:
        """The questions; nothing is kept before they are answered."""
        before = self.files()
        with pytest.raises(ImportFileError) as caught:
            self.take(rows, **more)
        assert self.files() == before
        return caught.value.problems

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.store.root.glob("*.json")}

    def values(self) -> dict[str, list[float | None]]:
        found = active(self.store.runs(), "toy2024", self.store.root)
        return {name: [run.metrics.get("P@1") for run in runs] for name, runs in found.items()}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, load(write_paper(tmp_path)), Store(tmp_path / "store"))


def row(seed: int, value: str, *, experiment: str = "words", metric: str = "P@1") -> Row:
    return experiment, "corpus", metric, seed, value


def test_every_seed_is_a_sealed_run_that_says_where_it_is_from(desk: Desk) -> None:
    kept = desk.take(by="J. Doe, LibMultiLabel", authors_code="github.com/x@1", same_data="their own split")
    assert (len(kept.added), kept.same) == (7, ()) and desk.values() == VALUES
    run = next(it for it in kept.added if it.status == "done")
    assert (run.imported, run.spec.model, run.spec.protocol) == (True, "imported", {"name": "imported"})
    assert run.seal and run.key == run.spec.key == desk.store.get(run.key).key  # type: ignore[union-attr]
    held = Provenance.of(run)
    said = (held.by, held.authors_code, held.same_data)
    assert said == ("J. Doe, LibMultiLabel", "github.com/x@1", "their own split")
    assert held.files[0][0] == "r.csv" and len(held.files[0][1]) == 64
    assert run.margins == {"toy2024": desk.paper.margins_hash}
    assert (run.data.name, run.data.fingerprint, run.data.n_test) == ("Corpus", UNKNOWN, 0)
    failed = next(it for it in kept.added if it.status == "failed")
    assert (failed.spec.seed, failed.metrics, failed.reason) == (3, {}, "as the imported file says")
    assert not replace(run, spec=replace(run.spec, protocol={"name": "small"})).imported
    assert not replace(run, spec=replace(run.spec, model="xml_cnn")).imported


def test_the_same_file_twice_changes_nothing_and_one_that_has_grown_adds_what_is_new(desk: Desk) -> None:
    desk.take(ROWS[:3], by="J. Doe")
    before = desk.files()
    assert len(desk.take(ROWS[:3], by="J. Doe").same) == 3
    assert len(desk.take(ROWS[:3], name="copy.csv").same) == 3  # the same values under another name
    assert desk.files() == before
    kept = desk.take([*ROWS[:3], row(3, "80.4")], by="J. Doe")
    assert ([run.spec.seed for run in kept.added], len(kept.same)) == ([3], 3)


@pytest.mark.parametrize(
    ("rows", "declared", "said"),
    [
        ([row(0, "60.0", metric="P@3")], {}, "other values of P@3 and further metrics (P@1)"),
        ([row(3, "40.0", experiment="letters")], {}, "other values of P@1"),
        (ROWS[:1], {"authors_code": "theirs"}, "another --authors-code ('' there, 'theirs' here)"),
        (ROWS[:1], {"fingerprint": "a" * 32}, f"another fingerprint ('unknown' there, '{'a' * 32}' here)"),
    ],
)
def test_whatever_says_otherwise_of_a_seed_is_asked_about(
    desk: Desk, rows: Rows, declared: dict[str, Any], said: str
) -> None:
    desk.take(by="J. Doe")
    assert f"with {said}; which one counts?" in desk.refused(rows, name="new.csv", **declared)[0]


def test_a_replacement_names_what_it_replaces_and_leaves_it_where_it_is(desk: Desk) -> None:
    first = desk.take(ROWS[:3])
    before = desk.files()
    kept = desk.take(changed((0, *NEW))[:3], again=True)
    assert [run.spec.seed for run in kept.added] == [0]
    assert Provenance.of(kept.added[0]).replaces == (first.added[0].key,)
    assert desk.values() == {"words": [81.1, 80.3, 80.2]}
    assert before.items() < desk.files().items()
    back = desk.take(ROWS[:3], again=True)  # and back again, as a third record
    assert desk.values() == {"words": VALUES["words"]}
    assert len({it.key for it in (*first.added, *kept.added, *back.added)}) == 5


# --------------------------------------------------------------------------- what goes amiss


def test_an_import_that_was_cut_short_is_missed_and_repeating_it_makes_it_whole(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that has room for two more records."""
    put, room = Store.put, iter(range(2))

    def full(self: Store, run: Run, **more: Any) -> Run:
        if next(room, None) is None:
            raise StoreError(f"{self.root}: No space left on device")
        return put(self, run, **more)

    monkeypatch.setattr(Store, "put", full)
    with pytest.raises(StoreError, match=r"not all was imported: the same command imports the rest$"):
        desk.take(ROWS[:3])
    monkeypatch.undo()
    missing = r"of the imported seeds of 'words' \(0, 1 are there\) 2 is missing; import r.csv"
    with pytest.raises(StoreError, match=missing):
        desk.values()
    kept = desk.take(ROWS[:3])
    assert (len(kept.added), len(kept.same)) == (1, 2)
    assert desk.values() == {"words": VALUES["words"]}


def test_a_record_that_is_taken_away_or_edited_is_missed(desk: Desk) -> None:
    run = next(it for it in desk.take().added if it.metrics)
    path = desk.store.root / f"{run.key}.json"
    path.write_text(path.read_text().replace(str(run.metrics["P@1"]), "99.9"))
    sound = list(desk.store.runs(problems=[]))
    with pytest.raises(StoreError, match="is missing"):
        active(sound, "toy2024", desk.store.root)
    path.unlink()
    with pytest.raises(StoreError, match=r"is missing; import r\.csv again"):
        desk.values()


# --------------------------------------------------------------------------- the same results


def test_seeds_with_equal_values_of_all_digits_or_equal_predictions_count_as_one(desk: Desk) -> None:
    """One value of six decimals three times; two decimals may be equal by chance."""
    rows = [row(seed, "50.234567") for seed in (0, 1, 2)] + [row(seed, "50.23") for seed in (3, 4)]
    both = [*desk.take(rows).added, *desk.predictions({5: LISTS, 6: LISTS}).added]
    alike = repeated(both)
    assert [run.spec.seed for run in both if run.key in alike] == [1, 2, 6]
