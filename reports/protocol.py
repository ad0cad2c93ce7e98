"""The protocol: what was reduced, each point against the paper and its code, and the record of every run."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.record import IMPORTED, Deviation, ExperimentRecord, Run, Scope
from reports import digits
from reports.curves import Curves, curves_of
from reports.lookup import Lookup, same_also, unique_anchors
from reports.notes import all_experiments, imported_data, scope_made, scope_means, seed_note
from reports.text import View, listed, plural
from reports.words import SCOPE_WORDS, all_but, heading, untold

PROTOCOL_NONE = "No departure from the paper is on record."
PROTOCOL_OPEN = "left open"
FOLLOWED = "as the settings below have it"
SETTINGS = "What was run, in full"

#: Whose a setting is, where training and model have one of the same name.
TRAINING, MODEL = "training", "model"


def points_line(lines: int, unknown: int, code: int) -> str:
    """`22 points: on 9 the paper is silent, for 11 its public code is known`"""
    if not lines:
        return PROTOCOL_NONE
    parts = []
    if unknown:
        parts.append(f"on {digits.count(unknown)} the paper is silent")
    if code:
        parts.append(f"for {digits.count(code)} its public code is known")
    rest = f": {listed(parts)}" if parts else ""
    return f"{plural(lines, 'point')}{rest}."


def unknown_in_all(unknown: int, lines: int) -> str:
    """The unknowns of the whole paper, counted."""
    if not lines:
        return PROTOCOL_NONE
    if not unknown:
        return f"On none of {plural(lines, 'point')} is the paper silent, as far as is on record."
    return f"On {digits.count(unknown)} of {plural(lines, 'point')} the paper is silent."


def setting(name: str, value: object) -> tuple[str, str]:
    """A setting as it is shown: `batch_size`, 32 -> `batch size`, `32`."""
    if value is None:
        shown = "none"
    elif isinstance(value, bool):
        shown = "yes" if value else "no"
    elif isinstance(value, list | tuple):
        shown = ", ".join(str(it) for it in value) or "none"
    else:
        shown = str(value)
    return name.replace("_", " "), shown


def declared(choices: Sequence[str]) -> str:
    """The choices that were declared before the runs."""
    return f"declared: {listed([it.replace('_', ' ') for it in choices], word='or')}"


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


def protocol_diff(found: Lookup) -> View:
    """Every point once, under the experiments that share it; those of most experiments first.

    Of an experiment for which the runs of another one stand, no more than what is not told there.
    """
    run = [it for it in found.audit.experiments if it.runs]
    held_all = {it.id: tuple(_point_points(it, found)) for it in run}
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
    return View(
        summary=unknown_in_all(sum(it.silent for it in shared), len(shared)),
        groups=tuple(
            PointGroup(*_named(names, points, found), tuple(held), _point_counts(held))
            for names, held in ordered
        ),
        settings=tuple(_settings(it, found, anchors[it.id], points[it.id]) for it in run if it.id in points),
    )


def settings_anchors(found: Lookup) -> dict[str, str]:
    """Experiment -> fragment of what was run; of one for which another's runs stand, that one's."""
    run = [it.id for it in found.audit.experiments if it.runs]
    anchors = unique_anchors("s", run)
    return {name: anchors[found.same.experiments.get(name, name)] for name in run}


def _point_points(experiment: ExperimentRecord, found: Lookup) -> Iterator[Point]:
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
            paper=f"{PROTOCOL_OPEN}; {declared(choice.choices)}",
            code=digits.ABSENT,
            here=taken.replace("_", " "),
            why=choice.why,
            silent=True,
            as_set=False,
        )


def _point(it: Deviation) -> Point:
    return Point(
        what=it.what,
        paper=it.paper or digits.ABSENT,
        code=it.code or digits.ABSENT,
        here=FOLLOWED if it.as_set else it.here,
        why=it.why,
        silent=it.silent,
        as_set=it.as_set,
    )


def _point_counts(points: list[Point] | tuple[Point, ...]) -> str:
    silent = sum(it.silent for it in points)
    return points_line(len(points), silent, sum(it.code != digits.ABSENT for it in points))


def _named(names: tuple[str, ...], of: Mapping[str, object], found: Lookup) -> tuple[str, tuple[str, ...]]:
    """The heading, and the names that it does not tell."""
    if len(of) > 1 and len(names) == len(of):
        return all_experiments(len(names)), ()
    others = [found.title(name) for name in of if name not in names]
    if len(others) <= _FEW_OTHERS < len(names):
        return all_but(len(of), others), ()
    titles = [found.title(name) for name in names]
    return heading(titles), untold(titles)


def _settings(it: ExperimentRecord, found: Lookup, anchor: str, points: tuple[Point, ...]) -> View:
    spec = found.runs(it.id)[0].spec
    return View(
        anchor=anchor,
        title=found.title(it.id),
        named=", ".join(part for part in (it.model, it.variant, it.protocol) if part),
        counts=_point_counts(points),
        values=tuple(_point_values(spec.protocol, spec.config or it.config)),
        also=same_also([found.title(name) for name in found.same.again(it.id)]),
    )


def _point_values(training: Mapping[str, Any], model: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Both, a name that both have told apart; no variant of a base whose keys are all written out."""
    written_out = bool(model.get("base_config")) and model.get("base_variant") is None
    for held, other, whose in ((training, model, TRAINING), (model, training, MODEL)):
        for key, value in held.items():
            if not (written_out and key == "base_variant"):
                name, shown = setting(key, value)
                yield (f"{name} ({whose})" if key in other else name), shown


BOX_TERM = "Protocol"
OWN = "the paper’s own, as far as it is described"
_BOX_REDUCED = "reduced{cpu}{where}"
_BOX_IMPORTED = "of {number} the runs were imported, by the protocol of the program that made them"
#: Of what was changed, words that tell more than the name of the setting.
_TOLD = {
    "epochs": "{here} epochs for {paper}",
    "words kept of a document": "{here} words of a document for {paper}",
    "word vectors": "word vectors of {here} components for {paper}",
    "documents a batch": "batches of {here} documents for {paper}",
}
RISING_RULE = "their mean score on held-out documents is best at the last evaluation"


def change(what: str, here: Sequence[float], paper: Sequence[float]) -> str:
    """`20 epochs for 30`, `20 epochs for 5 to 51`; the numbers from the smallest to the largest.

    >>> change("epochs", [20], [5, 30, 51]), change("learning rate", [5e-5], [0.001])
    ('20 epochs for 5 to 51', 'learning rate 5e-05 for 0.001')
    """
    pattern = _TOLD.get(what, f"{what.replace('_', ' ')} {{here}} for {{paper}}")
    return pattern.format(here=_span(here), paper=_span(paper))


def protocol(reduced: int, own: int, imported: int, *, cpu: bool, changes: Sequence[str], more: int) -> str:
    """Of so many experiments with runs; `changes` are the largest, and `more` of them are not told.

    >>> protocol(4, 0, 0, cpu=True, changes=["20 epochs for 30", "maps 16 for 128"], more=2)
    'Reduced for a CPU: 20 epochs for 30, maps 16 for 128, and 2 more.'
    """
    number = reduced + own + imported
    parts = []
    if reduced:
        where = "" if reduced == number else f" in {digits.count(reduced)} of {plural(number, 'experiment')}"
        text = _BOX_REDUCED.format(cpu=" for a CPU" if cpu else "", where=where)
        rest = [f"and {digits.count(more)} more"] if more and changes else []
        parts.append(f"{text}: {', '.join([*changes, *rest])}" if changes else text)
    if own:
        parts.append(OWN if own == number else f"in {digits.count(own)} {OWN}")
    if imported:
        parts.append(_BOX_IMPORTED.format(number=plural(imported, "experiment")))
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def rising(number: int, of: int) -> str:
    """That training may have ended too early; empty where no curve says so.

    >>> rising(3, 4)[:60]
    'In 3 of 4 arms the curve was still rising at the end (their '
    """
    if not number:
        return ""
    arms = "the one arm with a curve" if of == 1 else f"{digits.count(number)} of {digits.count(of)} arms"
    rule = RISING_RULE.replace("their", "its" if of == 1 else "their")
    what = "scores may be" if of == 1 else "differences may be"
    return f"In {arms} the curve was still rising at the end ({rule}): {what} about training time."


def _span(numbers: Sequence[float]) -> str:
    ordered = [f"{it:.0f}" if it.is_integer() else f"{it:g}" for it in map(float, sorted(set(numbers)))]
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"


#: So many changes are named; all are under “Protocol”.
_BOX_NAMED = 6
#: These are named before larger ones: what everybody asks first.
_BOX_FIRST = ("epochs", "words kept of a document", "word vectors")
#: Told in the panel of the data, or of a search.
_ELSEWHERE = ("data", "tuning")
#: A curve of fewer evaluations does not tell whether it rises.
_LEAST = 3
#: Before a setting of the model that another one holds: told once.
_BASE = "base "


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
    text = protocol(
        len(reduced),
        len(run) - len(reduced) - imported,
        imported,
        cpu=any("CPU" in str(it.runs[0].spec.protocol.get("deviation")) for it in reduced),
        changes=changes[:_BOX_NAMED],
        more=len(changes) - len(changes[:_BOX_NAMED]),
    )
    if not text:
        return None
    curves = [it for it in map(curves_of, run) if it is not None and _tells(it)]
    return ProtocolBox(text, rising(sum(map(is_rising, curves)), len(curves)))


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
    held: dict[str, list[tuple[float, float]]] = {}
    for it in dict.fromkeys(it for experiment in experiments for it in experiment.deviations):
        if (
            it.numbers
            and min(it.numbers) > 0
            and it.numbers[0] != it.numbers[1]
            and it.what not in _ELSEWHERE
        ):
            held.setdefault(it.what, []).append((it.numbers[1], it.numbers[0]))
    told = [it for it in held if it.removeprefix(_BASE) == it or it.removeprefix(_BASE) not in held]
    ordered = sorted(told, key=lambda what: _box_rank(what, held))
    return [change(what, *zip(*held[what], strict=True)) for what in ordered]


def _box_rank(what: str, held: Mapping[str, list[tuple[float, float]]]) -> tuple[int, float]:
    place = _BOX_FIRST.index(what) if what in _BOX_FIRST else len(_BOX_FIRST)
    return place, -max(abs(math.log(here / paper)) for here, paper in held[what])


def scope_notes(found: Lookup) -> tuple[View, ...]:
    """What each sort of data allows, with the data sets of the paper that it is or stands for."""
    keys: dict[str, set[str]] = defaultdict(set)
    datasets: dict[str, dict[str, None]] = defaultdict(dict)
    places: dict[str, tuple[Scope, Run]] = {}
    for experiment in found.audit.experiments:
        for run in experiment.runs:
            place = f"{experiment.scope}|{run.data.fingerprint}|{_stated(run)}"
            keys[place].add(run.key)
            datasets[place][experiment.dataset] = None
            places.setdefault(place, (experiment.scope, run))
    made: dict[tuple[Scope, str], list[str]] = defaultdict(list)
    for place, (scope, run) in places.items():
        told = scope_made(runs=len(keys[place]), data=_protocol_data(run), datasets=tuple(datasets[place]))
        made[scope, _stated(run)].append(told)
    return tuple(
        View(
            scope=scope,
            word=SCOPE_WORDS[scope],
            means=scope_means(scope, stated=stated, split_known=found.audit.splits is None),
            made=tuple(runs),
        )
        for (scope, stated), runs in made.items()
    )


def _stated(run: Run) -> str:
    """Why imported runs are said to be on the paper's own data; empty where nobody has to say so."""
    return str(run.spec.config.get("same_data") or "") if run.imported else ""


def _protocol_data(run: Run) -> str:
    data = run.data
    if run.imported:
        return imported_data(data.name, fingerprint=data.fingerprint[:12])
    test, labels = plural(data.n_test, "test document"), plural(data.n_labels, "label")
    return f"“{data.name}” ({digits.count(data.n_train)} training and {test}, {labels})"


def run_rows(found: Lookup) -> tuple[View, ...]:
    """Every run once, in the order of the experiments, then by seed."""
    used: dict[str, list[str]] = {}
    runs: dict[str, Run] = {}
    for experiment in found.audit.experiments:
        for run in found.runs(experiment.id):
            runs.setdefault(run.key, run)
            used.setdefault(run.key, []).append(found.title(experiment.id))
    return tuple(_protocol_row(run, used[key], found.run_anchors[key]) for key, run in runs.items())


def _protocol_row(run: Run, titles: list[str], anchor: str) -> View:
    return View(
        anchor=anchor,
        key=run.key,
        experiments=heading(titles),
        names=untold(titles),
        seed=str(run.spec.seed),
        status="done" if run.status == "done" else seed_note(run.status, run.reason),
        device=run.device + (f", {plural(run.threads, 'thread')}" if run.threads else ""),
        seconds=digits.ABSENT if run.imported and not run.seconds else digits.duration(run.seconds),
        memory=digits.memory(run.peak_memory_bytes),
        code=(run.commit or digits.ABSENT)[:10] + (" + changes" if run.dirty else ""),
    )


def version_notes(runs: Iterable[Run]) -> tuple[str, ...]:
    """The versions the runs were made with, each set of them once with its number of runs."""
    sets: dict[str, int] = defaultdict(int)
    for run in {run.key: run for run in runs}.values():
        text = ", ".join(f"{name} {version}" for name, version in sorted(run.versions.items()))
        sets[text or "no versions on record"] += 1
    return tuple(f"{plural(number, 'run')}: {text}" for text, number in sets.items())
