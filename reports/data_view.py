"""The data section: what each corpus is, what is printed of it and what is here, what preparing it did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from audit.record import DataInfo, DataSheet, ExperimentRecord, Scope
from reports import digits
from reports.lookup import Lookup
from reports.wording import data as words
from reports.wording.words import listed, plural

_SPLITS = ("train", "test", "dev")


@dataclass(frozen=True)
class PrintedCell:
    text: str
    differs: bool


@dataclass(frozen=True)
class StatisticRow:
    name: str
    here: str
    printed: tuple[PrintedCell, ...]
    """One for each data set of the paper."""


@dataclass(frozen=True)
class CountRow:
    name: str
    values: tuple[str, ...]
    """One for each split of the preparation."""


@dataclass(frozen=True)
class Preparation:
    """The corpus by one recipe and length."""

    title: str
    splits: tuple[str, ...]
    rows: tuple[CountRow, ...]
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class DataBlock:
    """One corpus, beside each data set of the paper that experiments on it are about."""

    corpus: str
    recognised: str
    hashes: tuple[tuple[str, str], ...]
    datasets: tuple[tuple[str, Scope], ...]
    comparisons: tuple[str, ...]
    """One sentence for each of `datasets`: what differs."""
    statistics: tuple[StatisticRow, ...]
    preparations: tuple[Preparation, ...]


def data_blocks(found: Lookup) -> tuple[DataBlock, ...]:
    """In the order of the experiments that were run on them here."""
    held: dict[tuple[str, ...], list[tuple[ExperimentRecord, DataSheet]]] = {}
    for it in found.audit.experiments:
        if it.data is not None and any(not run.imported for run in it.runs):
            key = (it.data.content, it.data.partition, it.data.corpus, it.data.recognised)
            held.setdefault(key, []).append((it, it.data))
    return tuple(_block(pairs) for pairs in held.values())


def _block(pairs: list[tuple[ExperimentRecord, DataSheet]]) -> DataBlock:
    sheet, infos = pairs[0][1], _infos([experiment for experiment, _ in pairs])
    sheets = {(it.dataset or experiment.dataset, experiment.scope): it for experiment, it in pairs}
    return DataBlock(
        corpus=listed(list(dict.fromkeys(info.name for info, _ in infos.values()))),
        recognised=sheet.recognised,
        hashes=tuple(_hashes(sheet)),
        datasets=tuple(sheets),
        comparisons=tuple(
            words.comparison(
                name, scope, [(it.printed, it.here, it.name, it.differs) for it in mine.statistics]
            )
            for (name, scope), mine in sheets.items()
        ),
        statistics=tuple(_statistics(list(sheets.values()))),
        preparations=tuple(_preparation(info, number) for info, number in infos.values()),
    )


def _statistics(sheets: list[DataSheet]) -> Iterator[StatisticRow]:
    """`here` with the most places that any data set prints."""
    of = [{it.name: it for it in sheet.statistics} for sheet in sheets]
    for name in dict.fromkeys(name for mine in of for name in mine):
        held = [mine.get(name) for mine in of]
        here = max((it.here or "" for it in held if it), key=len)
        cells = (PrintedCell((it and it.printed) or digits.ABSENT, bool(it and it.differs)) for it in held)
        yield StatisticRow(name, here or digits.ABSENT, tuple(cells))


def _infos(experiments: list[ExperimentRecord]) -> dict[str, tuple[DataInfo, int]]:
    """Fingerprint -> prepared data, with how many experiments ran on them."""
    found: dict[str, tuple[DataInfo, int]] = {}
    for experiment in experiments:
        for info in {run.data.fingerprint: run.data for run in experiment.runs if not run.imported}.values():
            number = found[info.fingerprint][1] if info.fingerprint in found else 0
            found[info.fingerprint] = (info, number + 1)
    return found


def _hashes(sheet: DataSheet) -> Iterator[tuple[str, str]]:
    for name, value in (
        ("content, in this order", sheet.content),
        ("in any order", sheet.partition),
        ("in any order and split", sheet.corpus),
    ):
        if value:
            yield name, value


def _preparation(info: DataInfo, experiments: int) -> Preparation:
    counts, made = info.counts, plural(experiments, "experiment")
    splits = tuple(it for it in _SPLITS if any(name.startswith(f"{it}.") for name in counts))
    return Preparation(
        title=f"Recipe “{info.recipe}”, {made}, fingerprint {info.fingerprint[:12]}",
        splits=splits,
        rows=tuple(_rows(counts, splits)),
        facts=tuple(
            (noun, words.counted(name, counts[name])) for name, noun in words.OF_ALL.items() if name in counts
        ),
        notes=info.notes,
    )


def _rows(counts: Mapping[str, float], splits: tuple[str, ...]) -> Iterator[CountRow]:
    """What was counted; a rule that never acted has no row."""
    for what, noun in words.OF_SPLIT.items():
        held = {split: counts[f"{split}.{what}"] for split in splits if f"{split}.{what}" in counts}
        if held and (any(held.values()) or what in words.ALWAYS):
            values = (
                words.counted(f"{split}.{what}", held[split]) if split in held else digits.ABSENT
                for split in splits
            )
            yield CountRow(noun, tuple(values))
