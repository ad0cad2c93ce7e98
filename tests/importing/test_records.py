"""Checked results become sealed runs: all or none, never twice, and nothing is overwritten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.claim import Paper, load
from audit.errors import ImportFileError, StoreError
from audit.imported import UNKNOWN, Provenance, active, counting
from audit.importing import Declared, Kept, from_predictions, from_results, keep
from audit.record import Run
from audit.store import Store
from tests.importing.rows import ROWS, Row, changed, write_rows
from tests.importing.test_predictions import LISTS, TRUTH, write
from tests.runner.papers import write_paper


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    return load(write_paper(tmp_path))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


class Desk:
    """Imports tables into one store."""

    def __init__(self, folder: Path, paper: Paper, store: Store) -> None:
        self.folder, self.paper, self.store = folder, paper, store

    def take(
        self,
        rows: list[Row] | tuple[Row, ...] = ROWS,
        *,
        name: str = "r.csv",
        again: bool = False,
        **declared: Any,
    ) -> Kept:
        given = Declared(**declared)
        results = from_results(self.paper, [write_rows(self.folder / name, rows)], given)
        return keep(results, self.store, self.paper, given, replacing=again)

    def refused(self, rows: list[Row] | tuple[Row, ...] = ROWS, **more: Any) -> list[str]:
        before = files(self.store)
        with pytest.raises(ImportFileError) as caught:
            self.take(rows, **more)
        assert files(self.store) == before
        return caught.value.problems

    def values(self) -> dict[str, list[float | None]]:
        found = active(self.store.runs(), "toy2024", self.store.root)
        return {name: [run.metrics.get("P@1") for run in runs] for name, runs in found.items()}


@pytest.fixture
def desk(tmp_path: Path, paper: Paper, store: Store) -> Desk:
    return Desk(tmp_path, paper, store)


def files(store: Store) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in store.root.glob("*.json")}


VALUES = {"words": [80.1, 80.3, 80.2], "letters": [40.1, 40.3, 40.2, None]}


def test_every_seed_is_a_sealed_run_that_says_where_it_is_from(desk: Desk, paper: Paper) -> None:
    kept = desk.take(by="J. Doe, LibMultiLabel", authors_code="github.com/x@1", same_data="their own split")
    assert len(kept.added) == 7 and kept.same == ()
    assert desk.values() == VALUES
    run = next(it for it in kept.added if it.status == "done")
    assert (run.imported, run.spec.model, run.spec.protocol) == (True, "imported", {"name": "imported"})
    assert run.seal and run.key == run.spec.key == desk.store.get(run.key).key  # type: ignore[union-attr]
    held = Provenance.of(run)
    assert (held.by, held.authors_code, held.same_data) == (
        "J. Doe, LibMultiLabel",
        "github.com/x@1",
        "their own split",
    )
    assert held.files[0][0] == "r.csv" and len(held.files[0][1]) == 64
    assert run.margins == {"toy2024": paper.margins_hash}
    assert (run.data.name, run.data.fingerprint, run.data.n_test) == ("Corpus", UNKNOWN, 0)
    failed = next(it for it in kept.added if it.status == "failed")
    assert (failed.spec.seed, failed.metrics, failed.reason) == (3, {}, "as the imported file says")


def test_the_same_file_twice_changes_nothing(desk: Desk) -> None:
    desk.take(by="J. Doe")
    before = files(desk.store)
    again = desk.take(by="J. Doe")
    assert (len(again.added), len(again.same)) == (0, 7)
    assert files(desk.store) == before
    assert len(desk.take(name="copy.csv").same) == 7  # the same values under another name are the same runs
    assert files(desk.store) == before


def test_a_file_that_has_grown_adds_only_what_is_new(desk: Desk) -> None:
    desk.take(ROWS[:3])
    kept = desk.take([*ROWS[:3], ("words", "corpus", "P@1", 3, "80.4")])
    assert ([run.spec.seed for run in kept.added], len(kept.same)) == ([3], 3)
    assert desk.values() == {"words": [80.1, 80.3, 80.2, 80.4]}


def test_another_value_is_asked_about_and_nothing_of_the_file_is_kept(desk: Desk) -> None:
    desk.take(ROWS[:3])
    rows = [*changed((0, "value", "81.10"))[:3], ("letters", "corpus", "P@1", 0, "40.1")]
    (problem,) = desk.refused(rows, name="new.csv")
    assert problem == (
        f"new.csv: 'words', seed 0, is in {desk.store.root} already, from r.csv and with other values of "
        "P@1; which one counts? add --replace to put these in its place (the old record stays, and is named)"
    )


@pytest.mark.parametrize(
    ("rows", "declared", "said"),
    [
        ([("words", "corpus", "P@3", 0, "60.0")], {}, "other values of P@3 and further metrics (P@1)"),
        ([("words", "corpus", "P@1", 0, "failed")], {}, "values"),
        ([("letters", "corpus", "P@1", 3, "40.0")], {}, "other values of P@1"),
        (ROWS[:1], {"by": "somebody else"}, "another --by ('J. Doe' there, 'somebody else' here)"),
        (ROWS[:1], {"authors_code": "theirs"}, "another --authors-code (none there, 'theirs' here)"),
        (ROWS[:1], {"same_data": "sure"}, "another --same-data (none there, 'sure' here)"),
        (ROWS[:1], {"fingerprint": "a" * 32}, f"another fingerprint ('unknown' there, '{'a' * 32}' here)"),
        (ROWS[:1], {"test_size": 400}, "another number of test documents ('0' there, '400' here)"),
    ],
)
def test_whatever_says_otherwise_of_a_seed_is_asked_about(
    desk: Desk, rows: list[Row], declared: dict[str, Any], said: str
) -> None:
    desk.take(by="J. Doe")
    problems = desk.refused(rows, name="new.csv", **declared)
    assert f"with {said}; which one counts?" in problems[0]


def test_fewer_metrics_are_asked_about(desk: Desk) -> None:
    desk.take([ROWS[0], ("words", "corpus", "P@3", 0, "60.0")])
    assert "with further metrics (P@3); which one counts?" in desk.refused(ROWS[:1])[0]


def test_a_replacement_names_what_it_replaces_and_leaves_it_where_it_is(desk: Desk) -> None:
    first = desk.take(ROWS[:3])
    before = files(desk.store)
    kept = desk.take(changed((0, "value", "81.10"))[:3], again=True)
    assert [run.spec.seed for run in kept.added] == [0]
    assert Provenance.of(kept.added[0]).replaces == (first.added[0].key,)
    assert desk.values() == {"words": [81.1, 80.3, 80.2]}
    assert before.items() < files(desk.store).items()
    back = desk.take(ROWS[:3], again=True)  # and back again, as a third record
    assert desk.values() == {"words": [80.1, 80.3, 80.2]}
    assert len({it.key for it in (*first.added, *kept.added, *back.added)}) == 5


def test_a_replacement_keeps_the_margins_of_the_first_look(desk: Desk, tmp_path: Path) -> None:
    """Else margins chosen after the numbers could be passed off as fixed before, by importing once more."""
    first = desk.paper.margins_hash
    desk.take(ROWS[:3])
    desk.paper = load(write_paper(tmp_path, ("{value: 0.5, rule: field", "{value: 1.0, rule: lenient")))
    assert desk.paper.margins_hash != first
    kept = desk.take(
        changed((0, "value", "81.10"), (1, "value", "81.30"), (2, "value", "81.20"))[:3], again=True
    )
    assert [run.margins for run in kept.added] == [{"toy2024": first}] * 3
    assert desk.take(ROWS[3:]).added[0].margins == {"toy2024": desk.paper.margins_hash}


def test_seeds_of_one_experiment_are_of_one_data_set(desk: Desk) -> None:
    desk.take(ROWS[:3])
    rows = [("words", "RCV1", "P@1", 3, "80.1")]
    (problem,) = desk.refused(rows, name="new.csv")
    assert (
        "'words', seed 0, is in the store with other data than these ('Corpus', fingerprint unknown there"
        in problem
    )
    assert "import all its seeds anew, declared alike, with --replace" in problem
    (problem,) = desk.refused([("words", "corpus", "P@1", 3, "80.1")], same_data="sure")
    assert "stated to be the paper's own here" in problem
    kept = desk.take(
        [(*row[:1], "RCV1", *row[2:]) for row in ROWS[:3]], again=True
    )  # all of them: no question
    assert {run.data.name for run in kept.added} == {"RCV1"}


def test_no_run_of_ours_can_have_the_key_of_an_import(desk: Desk) -> None:
    from reimpl.models import known_models
    from reimpl.protocol import PROTOCOLS

    assert "imported" not in known_models()
    assert "imported" not in PROTOCOLS
    run = desk.take().added[0]
    assert not replace(run, spec=replace(run.spec, protocol={"name": "small"})).imported
    assert not replace(run, spec=replace(run.spec, model="xml_cnn")).imported


def test_the_key_holds_all_that_tells_imports_apart(desk: Desk, tmp_path: Path, paper: Paper) -> None:
    other = load(write_paper(tmp_path, ("key: toy2024", "key: toy2025"), name="other.yaml"))
    keys = []
    for n, (who, extra) in enumerate(
        [
            (paper, {}),
            (other, {}),
            (paper, {"by": "x"}),
            (paper, {"authors_code": "x"}),
            (paper, {"same_data": "x"}),
        ]
    ):
        desk.store, desk.paper = Store(tmp_path / f"s{n}"), who
        keys += [run.key for run in desk.take(**extra).added]
    assert len(set(keys)) == len(keys) == 5 * 7


# --------------------------------------------------------------------------- what goes amiss


@pytest.fixture
def two_fit(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A disk that has room for two more records."""
    put, room = Store.put, iter(range(2))

    def full(self: Store, run: Run, **more: Any) -> Run:
        if next(room, None) is None:
            raise StoreError(f"{self.root}: No space left on device")
        return put(self, run, **more)

    monkeypatch.setattr(Store, "put", full)
    return monkeypatch


@pytest.mark.usefixtures("two_fit")
def test_of_an_import_that_does_not_fit_on_the_disk_nothing_stays(desk: Desk) -> None:
    with pytest.raises(StoreError, match=r"No space left on device; nothing of this import was kept$"):
        desk.take(ROWS[:3])
    assert files(desk.store) == {}


def test_predictions_of_an_import_that_does_not_fit_do_not_stay_either(
    two_fit: pytest.MonkeyPatch, paper: Paper, store: Store, tmp_path: Path
) -> None:
    given = Declared(dataset="corpus", same_predictions_ok=True)
    truth = write(tmp_path / "truth.jsonl", TRUTH, scored=False)
    lists = [write(tmp_path / f"p{k}.jsonl", LISTS, scored=True) for k in range(3)]
    results = from_predictions(paper, lists, truth=truth, experiment="words", seeds=(0, 1, 2), declared=given)
    with pytest.raises(StoreError, match="nothing of this import was kept"):
        keep(results, store, paper, given)
    two_fit.undo()
    assert [it.name for it in store.root.iterdir()] == ["locks"]


def test_an_import_that_was_cut_short_is_missed_and_repeating_it_makes_it_whole(
    desk: Desk, two_fit: pytest.MonkeyPatch
) -> None:
    def stuck(self: Store, run: Run) -> None:
        raise StoreError("read-only")

    two_fit.setattr(Store, "take_back", stuck)
    with pytest.raises(StoreError, match=r"2 of 3 runs went in, and the same command completes them$"):
        desk.take(ROWS[:3])
    two_fit.undo()
    with pytest.raises(
        StoreError, match=r"of the imported seeds of 'words' \(0, 1 are there\) 2 is missing; import r.csv"
    ):
        desk.values()
    kept = desk.take(ROWS[:3])
    assert (len(kept.added), len(kept.same)) == (1, 2)
    assert desk.values() == {"words": VALUES["words"]}


def test_a_seed_that_is_taken_away_is_missed(desk: Desk) -> None:
    run = desk.take().added[-1]
    (desk.store.root / f"{run.key}.json").unlink()
    with pytest.raises(StoreError, match=r"is missing; import r\.csv again"):
        desk.values()


def test_an_edited_record_is_missed_as_well(desk: Desk) -> None:
    run = next(it for it in desk.take().added if it.metrics)
    path = desk.store.root / f"{run.key}.json"
    path.write_text(path.read_text().replace(str(run.metrics["P@1"]), "99.9"))
    sound = list(desk.store.runs(problems=[]))
    with pytest.raises(StoreError, match="is missing"):
        active(sound, "toy2024", desk.store.root)


def test_two_stores_that_were_put_together_and_disagree_are_settled_by_one_replacement(
    desk: Desk, tmp_path: Path
) -> None:
    desk.take(ROWS[:3])
    other = Desk(tmp_path, desk.paper, Store(tmp_path / "other"))
    other.take(changed((0, "value", "81.10"))[:3], name="b.csv")
    for path in other.store.root.glob("*.json"):
        (desk.store.root / path.name).write_bytes(path.read_bytes())
    with pytest.raises(
        StoreError, match=r"'words', seed 0, was imported from \w\.csv and from \w\.csv with other"
    ):
        desk.values()
    desk.take(ROWS[:3], again=True)
    assert desk.values() == {"words": VALUES["words"]}
    assert all(len(runs) in (1, 2) for runs in counting(desk.store.runs(), "toy2024").values())


def test_imports_of_other_papers_do_not_mix(desk: Desk, tmp_path: Path) -> None:
    desk.take()
    desk.paper = load(write_paper(tmp_path, ("key: toy2024", "key: toy2025"), name="other.yaml"))
    desk.take(changed((0, "value", "70.0")))
    assert desk.values() == VALUES


def test_predictions_are_kept_beside_the_record(paper: Paper, store: Store, tmp_path: Path) -> None:
    declared = Declared(dataset="corpus")
    truth = write(tmp_path / "truth.jsonl", TRUTH, scored=False)
    path = write(tmp_path / "p.jsonl", LISTS, scored=True)

    def results() -> Iterator[Any]:
        yield from from_predictions(
            paper, [path], truth=truth, experiment="words", seeds=[4], declared=declared
        )

    (run,) = keep(list(results()), store, paper, declared).added
    held = store.predictions(run.key)
    assert held is not None
    assert held["ids"].shape == (4, 3) and held["documents"].tolist() == list(TRUTH)
    assert keep(list(results()), store, paper, declared).same == (run,)
