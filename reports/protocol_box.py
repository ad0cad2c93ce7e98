"""The protocol on the first screen: whether it was reduced and in what, and whether training ended early."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from audit.record import IMPORTED, Deviation, ExperimentRecord
from reports.learning_curves import Curves, curves_of
from reports.lookup import Lookup
from reports.wording import protocol_box as words

#: So many changes are named; all are under “Protocol”.
_NAMED = 6
#: These are named before larger ones: what everybody asks first.
_FIRST = ("epochs", "words kept of a document", "word vectors")
#: Told in the panel of the data, or of a search.
_ELSEWHERE = ("data", "tuning")
#: A curve of fewer evaluations does not tell whether it rises.
_LEAST = 3
#: Before a setting of the model that another one holds: told once.
_BASE = "base "
_COMPONENTS = re.compile(r"(\d+) components")
_ONE_NUMBER = re.compile(r"\D*?(\d+(?:,\d{3})*(?:\.\d+)?)\D*")


@dataclass(frozen=True)
class ProtocolBox:
    text: str
    rising: str
    """A warning; empty where no learning curve was still rising."""


def protocol_box(found: Lookup) -> ProtocolBox | None:
    """Of the experiments that have runs, those of the same runs once; None where there are none."""
    run = [it for it in found.audit.experiments if it.runs and it.id not in found.same.experiments]
    run = [it for it in run if not it.reading_of] or run
    reduced = [it for it in run if is_reduced(it)]
    imported = sum(it.protocol == IMPORTED for it in run)
    changes = _changes(reduced)
    text = words.protocol(
        len(reduced),
        len(run) - len(reduced) - imported,
        imported,
        cpu=any("CPU" in str(it.runs[0].spec.protocol.get("deviation")) for it in reduced),
        changes=changes[:_NAMED],
        more=len(changes) - len(changes[:_NAMED]),
    )
    if not text:
        return None
    curves = [it for it in map(curves_of, run) if it is not None and _tells(it)]
    return ProtocolBox(text, words.rising(sum(map(is_rising, curves)), len(curves)))


def is_reduced(experiment: ExperimentRecord) -> bool:
    """By the name of its protocol: `small`, or one that ends so."""
    return f"-{experiment.protocol}".endswith("-small")


def is_rising(curves: Curves) -> bool:
    """Whether the mean over the seeds is best at the last evaluation that any seed had."""
    last = max(line[-1][0] for line in curves.seeds)
    return max(curves.mean, key=lambda it: it[1])[0] == last


def _tells(curves: Curves) -> bool:
    return curves.metric != "loss" and len(curves.mean) >= _LEAST


def _changes(experiments: Iterable[ExperimentRecord]) -> list[str]:
    """Numbers that are others here, over all experiments: the first-asked, then by how many times."""
    held: dict[str, list[tuple[str, str]]] = {}
    for deviation in dict.fromkeys(it for experiment in experiments for it in experiment.deviations):
        pair = _numbers(deviation)
        if pair is not None and deviation.what not in _ELSEWHERE:
            held.setdefault(deviation.what, []).append(pair)
    told = [it for it in held if it.removeprefix(_BASE) == it or it.removeprefix(_BASE) not in held]
    ordered = sorted(told, key=lambda what: _rank(what, held))
    return [
        words.change(it, [here for here, _ in held[it]], [paper for _, paper in held[it]]) for it in ordered
    ]


def _rank(what: str, held: Mapping[str, list[tuple[str, str]]]) -> tuple[int, float]:
    place = _FIRST.index(what) if what in _FIRST else len(_FIRST)
    return place, -max(abs(math.log(_value(here) / _value(paper))) for here, paper in held[what])


def _numbers(it: Deviation) -> tuple[str, str] | None:
    """Here and in the paper, where each is one number above 0, or one of components, and they differ."""
    for pattern in (_COMPONENTS.search, _ONE_NUMBER.fullmatch):
        here, paper = pattern(it.here), pattern(it.paper)
        if here and paper and _value(here[1]) != _value(paper[1]):
            return (here[1], paper[1]) if _value(here[1]) > 0 < _value(paper[1]) else None
    return None


def _value(number: str) -> float:
    return float(number.replace(",", ""))
