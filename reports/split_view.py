"""The split columns of a corpus on the page: noise of split and seed, two readings of each printed number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from audit.record import SplitNoise, SplitVerdict
from reports import digits
from reports.figures import IntervalPlot, Lane, interval_plot
from reports.lookup import Lookup
from reports.split_table import shown
from reports.wording import splits as words
from reports.wording.words import Status


@dataclass(frozen=True)
class NoiseRow:
    """One metric of one experiment, formatted."""

    name: str
    metric: str
    printed: str
    mean: str
    sd_columns: str
    sd_seeds: str
    sd_split: str
    one_split: str
    mean_of_splits: str
    plot: str
    """SVG; empty where nothing is printed."""


@dataclass(frozen=True)
class JudgedAs:
    """A printed number under one reading of its split."""

    status: Status
    word: str
    because: str
    p: str
    """Both p-values; empty where nothing was tested."""


@dataclass(frozen=True)
class JudgedRow:
    """One printed number under both readings."""

    name: str
    metric: str
    printed: str
    difference: str
    margin: str
    one_split: JudgedAs | None
    mean_of_splits: JudgedAs | None
    """None with one column."""
    href: str
    """To the claim."""


@dataclass(frozen=True)
class ValueRow:
    """The same metric column by column."""

    name: str
    metric: str
    values: tuple[str, ...]
    """One for each column of the section; a dash where there is none."""
    seeds: str


@dataclass(frozen=True)
class SplitGroup:
    """One experiment: what it measured, and the same column by column."""

    name: str
    rows: tuple[NoiseRow, ...]
    values: tuple[ValueRow, ...]

    @property
    def printed(self) -> bool:
        """Whether the paper prints any of it."""
        return any(row.printed != digits.ABSENT for row in self.rows)

    @property
    def brief(self) -> str:
        """`P@1 61.92, SD columns 1.50`"""
        first = self.rows[0]
        return words.brief(first.metric, first.mean, first.sd_columns)


@dataclass(frozen=True)
class SplitSection:
    title: str
    judged: tuple[JudgedRow, ...]
    """Printed numbers that a claim is about."""
    rows: tuple[NoiseRow, ...]
    columns: tuple[str, ...]
    values: tuple[ValueRow, ...]
    missing: tuple[str, ...]
    command: str
    note: str = words.SPLITS_NOTE
    readings: str = words.READINGS_NOTE
    verdicts: str = words.VERDICTS_NOTE

    @property
    def groups(self) -> tuple[SplitGroup, ...]:
        """Experiment by experiment, what is printed first."""
        held = (
            SplitGroup(
                name,
                tuple(row for row in self.rows if row.name == name),
                tuple(row for row in self.values if row.name == name),
            )
            for name in dict.fromkeys(row.name for row in self.rows)
        )
        return tuple(sorted(held, key=lambda it: not it.printed))


def split_section(found: Lookup) -> SplitSection | None:
    """None where the audit is of no split column, or nothing was measured."""
    study = found.audit.splits
    noise = shown(study) if study is not None else []
    if study is None or not noise:
        return None
    columns = sorted({column for it in noise for column in it.columns})
    return SplitSection(
        title=words.splits_title(study),
        judged=tuple(_judged(it, found) for it in noise if it.as_one_split),
        rows=tuple(_row(it, found.title(it.experiment)) for it in noise),
        columns=tuple(map(str, columns)),
        values=tuple(_values(it, columns, found.title(it.experiment)) for it in noise),
        verdicts=" ".join((words.VERDICTS_NOTE, *words.default_reading(study))),
        missing=words.splits_missing(study),
        command=study.command,
    )


def _judged(it: SplitNoise, found: Lookup) -> JudgedRow:
    one = it.as_one_split
    margin = one.margin if one else None
    return JudgedRow(
        name=found.title(it.experiment),
        metric=it.metric,
        printed=it.printed or digits.ABSENT,
        difference=digits.signed(one.difference if one else None, beside=_edges(margin)),
        margin=digits.margin_size(margin),
        one_split=_as(one, mean=False),
        mean_of_splits=_as(it.as_mean, mean=True),
        href=f"#{anchor}" if (anchor := found.anchors.get(it.claim or "")) else "",
    )


def _edges(margin: float | None) -> tuple[float, ...]:
    return () if margin is None else (-margin, margin)


def _as(of: SplitVerdict | None, *, mean: bool) -> JudgedAs | None:
    if of is None:
        return None
    return JudgedAs(of.outcome, words.word(of), words.because(of, mean=mean), words.p_values(of))


def _row(it: SplitNoise, name: str) -> NoiseRow:
    return NoiseRow(
        name=name,
        metric=it.metric,
        printed=it.printed or digits.ABSENT,
        mean=digits.points(it.mean),
        sd_columns=digits.points(it.sd_columns),
        sd_seeds=digits.points(it.sd_seeds),
        sd_split=digits.points(it.sd_split),
        one_split=words.one_split(it),
        mean_of_splits=words.mean_of_splits(it),
        plot=_plot(it, name),
    )


def _plot(it: SplitNoise, name: str) -> str:
    printed = words.number(it.printed)
    if printed is None:
        return ""
    seeds = (Lane(f"seeds on column {it.column}", it.seed_values),) if len(it.seeds) > 1 else ()
    return interval_plot(
        IntervalPlot(
            description=words.split_plot(it, name),
            axis=f"{it.metric}, points",
            estimate=it.mean,
            target=float(printed),
            target_label=f"printed {it.printed}",
            ci95=it.pi95_mean,
            pi95=it.pi95_column,
            lanes=(Lane("columns, one run each", it.values), *seeds),
            one_axis=True,
        )
    )


def _values(it: SplitNoise, columns: list[int], name: str) -> ValueRow:
    of: Mapping[int, float] = dict(zip(it.columns, it.values, strict=True))
    seeds = (
        ", ".join(digits.points(value) for value in it.seed_values) if len(it.seeds) > 1 else digits.ABSENT
    )
    on = f" (column {it.column})" if len(it.seeds) > 1 else ""
    return ValueRow(name, it.metric, tuple(digits.points(of.get(c)) for c in columns), f"{seeds}{on}")
