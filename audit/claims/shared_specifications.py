"""Readings whose runs are those of another experiment's reading, since both are one run.

On a corpus that stands in for several data sets, experiments that differ in nothing but their data set are
the very same runs. What the paper leaves open in one of them is open in all: runs of another reading that
were made for one of them are theirs too, also where the command named that one alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from audit.claims.experiments import Experiment
from audit.claims.load import Paper
from audit.claims.specifications import experiment_id
from audit.record import Deviation, ExperimentRecord, digest

_NAMES = {"title", "method", "dataset", "datasets", "readings", "vectors"}


def with_shared_readings(
    paper: Paper, records: Sequence[ExperimentRecord], keys: Mapping[str, tuple[str, ...]]
) -> tuple[list[ExperimentRecord], dict[str, tuple[str, ...]]]:
    """The records and run keys with those of readings that share the runs of one that is among them.

    Two readings share their runs where their experiments do under the default reading, are described alike
    but for the data set, and both readings set the same.
    """
    by_id = {it.id: it for it in records}
    found, found_keys = list(records), dict(keys)
    for name, twin in _shared(paper, keys):
        found.append(_as_of(name, paper, by_id, by_id[twin]))
        found_keys[name] = keys[twin]
    return found, found_keys


def _shared(paper: Paper, keys: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Reading that is not among the keys -> one among them that is the same runs."""
    readings = paper.reading_experiments
    alike: dict[str, list[str]] = {}
    for base in dict.fromkeys(it.base for it in readings.values()):
        if keys.get(base):
            same = digest([keys[base][0], _described(paper.single_experiments[base])])
            alike.setdefault(same, []).append(base)
    others = {base: [it for it in held if it != base] for held in alike.values() for base in held}
    for name, it in readings.items():
        if name in keys:
            continue
        twins = (experiment_id(base, it.reading) for base in others.get(it.base, ()))
        twin = next((twin for twin in twins if twin in keys and twin in readings), None)
        if twin is not None and _described(readings[twin].experiment) == _described(it.experiment):
            yield name, twin


def _described(experiment: Experiment) -> str:
    return digest(experiment.model_dump(mode="json", exclude=_NAMES))


def _as_of(
    name: str, paper: Paper, by_id: Mapping[str, ExperimentRecord], twin: ExperimentRecord
) -> ExperimentRecord:
    """The twin's record as that of `name`: what hangs on the data set is taken of its own experiment."""
    it = paper.reading_experiments[name]
    own, twins = by_id.get(it.base), by_id.get(twin.reading_of)
    return replace(
        twin,
        id=name,
        title=it.experiment.title,
        dataset=it.experiment.on,
        reading_of=it.base,
        scope=own.scope if own else "other_data",
        data=own.data if own else None,
        deviations=_departures(own, twins, twin) if own and twins else twin.deviations,
    )


def _departures(
    own: ExperimentRecord, twins: ExperimentRecord, twin: ExperimentRecord
) -> tuple[Deviation, ...]:
    """Those of its own experiment, changed as the reading changes those of the twin's."""
    lost = [it for it in twins.deviations if it not in twin.deviations]
    new = [it for it in twin.deviations if it not in twins.deviations]
    return (*(it for it in own.deviations if it not in lost), *(it for it in new if it not in own.deviations))
