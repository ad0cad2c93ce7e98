"""The protocol, point by point: the paper, its public code, what was done here; unknowns are counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from audit.record import Deviation, ExperimentRecord
from reports import digits
from reports.lookup import Lookup, unique_anchors
from reports.wording import all_experiments, named, same_runs
from reports.wording import protocol as words

#: Of more experiments that do not share a point the names are too many for a heading.
_FEW_OTHERS = 2


@dataclass(frozen=True)
class Point:
    """One point of the protocol."""

    what: str
    paper: str
    code: str
    here: str
    why: str
    silent: bool
    """Whether the paper does not say."""
    as_set: bool
    """Whether what was done is told by the settings of each experiment."""


@dataclass(frozen=True)
class PointGroup:
    """Points that the same experiments share."""

    experiments: str
    names: tuple[str, ...]
    """Of all of them, where the heading does not tell; empty where it does."""
    points: tuple[Point, ...]
    counts: str


@dataclass(frozen=True)
class Settings:
    """One experiment as it was run."""

    anchor: str
    title: str
    named: str
    """Model, variant and protocol."""
    counts: str
    values: tuple[tuple[str, str], ...]
    also: str = ""
    """Experiments with the same runs; empty where there are none."""


@dataclass(frozen=True)
class ProtocolDiff:
    summary: str
    groups: tuple[PointGroup, ...]
    settings: tuple[Settings, ...]


def protocol_diff(found: Lookup) -> ProtocolDiff:
    """Every point once, under the experiments that share it; those of most experiments first.

    Of an experiment for which the runs of another one stand, no more than what is not told there.
    """
    run = [it for it in found.audit.experiments if it.runs]
    held_all = {it.id: tuple(_points(it, found)) for it in run}
    points = {name: mine for name, mine in held_all.items() if name not in found.same.experiments}
    told = dict(points)
    for name, first in found.same.experiments.items():
        told[name] = tuple(it for it in held_all[name] if it not in held_all[first])
    shared: dict[Point, list[str]] = {}
    for name, mine in told.items():
        for point in mine:
            shared.setdefault(point, []).append(name)
    groups: dict[tuple[str, ...], list[Point]] = {}
    for point, names in shared.items():
        groups.setdefault(tuple(names), []).append(point)
    ordered = sorted(groups.items(), key=lambda item: -len(item[0]))
    anchors = settings_anchors(found)
    return ProtocolDiff(
        summary=words.unknown_in_all(sum(it.silent for it in shared), len(shared)),
        groups=tuple(
            PointGroup(*_named(names, points, found), tuple(held), _counts(held)) for names, held in ordered
        ),
        settings=tuple(_settings(it, found, anchors[it.id], points[it.id]) for it in run if it.id in points),
    )


def settings_anchors(found: Lookup) -> dict[str, str]:
    """Experiment -> fragment of what was run; of one for which another's runs stand, that one's."""
    run = [it.id for it in found.audit.experiments if it.runs]
    anchors = unique_anchors("s", run)
    return {name: anchors[found.same.experiments.get(name, name)] for name in run}


def _points(experiment: ExperimentRecord, found: Lookup) -> Iterator[Point]:
    for it in dict.fromkeys(experiment.deviations):
        yield _point(it)
    readings = found.audit.readings
    if readings is None:
        return
    names = readings.of.get(experiment.reading_of or experiment.id, ())
    for choice in (it for it in readings.open if it.name in names):
        taken = experiment.reading.get(choice.name, choice.choices[0] if choice.choices else "")
        yield Point(
            what=choice.name.replace("_", " "),
            paper=f"{words.OPEN}; {words.declared(choice.choices)}",
            code=digits.ABSENT,
            here=taken.replace("_", " "),
            why=choice.why,
            silent=True,
            as_set=False,
        )


def _point(it: Deviation) -> Point:
    as_set = it.here in ("", words.SEE_SETTINGS)
    return Point(
        what=it.what,
        paper=it.paper or digits.ABSENT,
        code=it.code or digits.ABSENT,
        here=words.FOLLOWED if as_set else it.here,
        why=it.why,
        silent=words.is_silent(it.paper),
        as_set=as_set,
    )


def _counts(points: list[Point] | tuple[Point, ...]) -> str:
    silent = sum(it.silent for it in points)
    return words.points(len(points), silent, sum(it.code != digits.ABSENT for it in points))


def _named(names: tuple[str, ...], of: Mapping[str, object], found: Lookup) -> tuple[str, tuple[str, ...]]:
    """The heading, and the names that it does not tell."""
    if len(of) > 1 and len(names) == len(of):
        return all_experiments(len(names)), ()
    others = [found.title(name) for name in of if name not in names]
    if len(others) <= _FEW_OTHERS < len(names):
        return named.all_but(len(of), others), ()
    titles = [found.title(name) for name in names]
    return named.heading(titles), named.untold(titles)


def _settings(it: ExperimentRecord, found: Lookup, anchor: str, points: tuple[Point, ...]) -> Settings:
    spec = found.runs(it.id)[0].spec
    return Settings(
        anchor=anchor,
        title=found.title(it.id),
        named=", ".join(part for part in (it.model, it.variant, it.protocol) if part),
        counts=_counts(points),
        values=tuple(_values(spec.protocol, spec.config or it.config)),
        also=same_runs.also([found.title(name) for name in found.same.again(it.id)]),
    )


def _values(training: Mapping[str, Any], model: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Both, a name that both have told apart; no variant of a base whose keys are all written out."""
    written_out = bool(model.get("base_config")) and model.get("base_variant") is None
    for held, other, whose in ((training, model, words.TRAINING), (model, training, words.MODEL)):
        for key, value in held.items():
            if not (written_out and key == "base_variant"):
                name, shown = words.setting(key, value)
                yield (f"{name} ({whose})" if key in other else name), shown
