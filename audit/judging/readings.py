"""A claim under each reading of what the paper leaves open, and what they come to together.

The claim is judged anew under each reading, all of its arms under the same one. The headline decides only
what every declared reading decides alike; elsewhere it is *inconclusive*.

Error level. Some reading is the paper's, and nobody knows which. "Reproduced under all readings" is the
intersection of one verdict a reading, each at the full level: it is false only if the verdict under the
paper's reading is false too, so it errs no more often than that single test, whatever the dependence
between readings (intersection-union test: Berger 1982). No correction is made for the number of readings,
since none is picked: a reading more can only undo a verdict. The p-values of the intersection are the largest
over the readings. With these a claim stands in the family of its paper's other claims, where Holm and
Benjamini-Hochberg adjust it as any other; a single reading is adjusted there in its claim's place. As both
adjustments grow with a claim's own p, the intersection of the verdicts and the verdict by the largest p are
one and the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from audit.judging.case import Judged, badged
from audit.readings import Departures, experiment_id, within
from audit.record import ClaimRecord, ExperimentRecord, Outcome, Readings, ReadingVerdict, Verdict
from audit.stats.decision import Decidable, Route

_ENDS = ("reproduced_from", "reproduced_up_to", "contradicted_from", "contradicted_up_to")


@dataclass(frozen=True)
class UnderReading:
    """The claim with the runs of one reading."""

    reading: Departures
    judged: Judged

    @property
    def was_run(self) -> bool:
        return self.judged.test is not None or self.judged.verdict.reason != "not_run"


def under(
    reading: Departures,
    claim: ClaimRecord,
    experiments: Mapping[str, ExperimentRecord],
    readings: Readings,
) -> dict[str, ExperimentRecord]:
    """The experiments, with those of the claim as they were run under a reading, or left out if not run."""
    found = dict(experiments)
    for name in dict.fromkeys(claim.experiments):
        key = experiment_id(name, within(reading, readings.of.get(name, ())))
        if key != name:
            found.pop(name, None)
            if key in experiments:
                found[name] = replace(experiments[key], id=name)
    return found


def begun(
    grid: Sequence[Departures],
    claim: ClaimRecord,
    experiments: Mapping[str, ExperimentRecord],
    readings: Readings,
) -> bool:
    """Whether any reading but the default was run, for any arm."""
    keys = {
        experiment_id(name, within(reading, readings.of.get(name, ())))
        for reading in grid[1:]
        for name in claim.experiments
    }
    return any(key in experiments and experiments[key].runs for key in keys - set(claim.experiments))


def together(held: Sequence[UnderReading], default: Decidable | None) -> Decidable | None:
    """The test of the intersection: its p-values are the largest over the readings that were run.

    Where some reading cannot be tested there is no largest one: it has no p-values, is capped, and so belongs
    to no family. A reading in which nothing is random has the p-values 0 and 1.
    """
    tests = [it.judged.test for it in held if it.was_run]
    if default is None or not tests:
        return default
    pairs = [_ps(test) for test in tests]
    lacking = [test for test, pair in zip(tests, pairs, strict=True) if pair is None]
    if lacking:
        cap = next((test.cap for test in lacking if test is not None and test.cap), None)
        cap = default.cap or cap or "ambiguous_description"
        return replace(default, p_reproduced=None, contradictions=(), cap=cap, exact=None)
    known = [pair for pair in pairs if pair is not None]
    if all(test is not None and test.exact is not None for test in tests):
        return default
    against = max(p for _, p in known)
    reasons = [route.reason for route in default.contradictions] or [default.if_undecided]
    return Decidable(
        p_reproduced=max(p for p, _ in known),
        contradictions=(Route(reason=reasons[0], p=against),),
        if_reproduced=default.if_reproduced,
        if_undecided=default.if_undecided,
        if_both=default.if_both,
    )


def _ps(test: Decidable | None) -> tuple[float, float] | None:
    if test is None or test.cap is not None:
        return None
    if test.exact is not None:
        return float(test.exact.outcome != "reproduced"), float(test.exact.outcome != "contradicted")
    if test.p_reproduced is None or test.p_contradicted is None:
        return None
    return test.p_reproduced, test.p_contradicted


def reading_verdict(reading: Departures, verdict: Verdict) -> ReadingVerdict:
    """What is kept of the verdict under one reading."""
    shared = [it.name for it in fields(ReadingVerdict)][1:]  # all but the reading itself
    return ReadingVerdict(dict(reading), **{name: getattr(verdict, name) for name in shared})


def headline(default: Verdict, found: Sequence[tuple[Departures, Verdict]], declared: int) -> Verdict:
    """The verdict of all readings: that of the default where they agree and all were run, else inconclusive.

    `found` are the verdicts of the readings that were run. Where all of them are inconclusive the default's
    reason stands.
    """
    verdicts = tuple(reading_verdict(reading, it) for reading, it in found)
    outcomes = Counter(it.outcome for it in verdicts)
    shown = replace(default, readings=verdicts, readings_declared=declared)
    shown = _with_common_band(shown, [it for _, it in found])
    if len(outcomes) > 1:
        shown = replace(shown, outcome="inconclusive", reason="ambiguous_description")
    elif len(verdicts) < declared and outcomes["inconclusive"] == 0:
        shown = replace(shown, outcome="inconclusive", reason="some_readings")
    return badged(shown, about(outcomes, declared))


def about(outcomes: Mapping[Outcome, int], declared: int) -> str:
    """`all 13 readings reproduced`, `12 of 13 readings run: 9 reproduced, 3 inconclusive`."""
    number = sum(outcomes.values())
    order: tuple[Outcome, ...] = ("reproduced", "contradicted", "inconclusive")
    counts = ", ".join(f"{outcomes[it]} {it}" for it in order if outcomes.get(it))
    if number < declared:
        return f"{number} of {declared} readings run: {counts}"
    if len(outcomes) == 1:
        return f"all {declared} readings {next(iter(outcomes))}"
    return f"{declared} readings: {counts}"


def default_alone(verdict: Verdict, declared: int, *, imported: bool) -> Verdict:
    """The verdict where none but the default reading was run: it says so, and contradicts nothing.

    Imported runs that may contradict are of the authors' code, which leaves nothing open.
    """
    shown = replace(verdict, readings_declared=declared)
    if not imported and declared > 1:
        shown = replace(shown, barred=shown.barred or "some_readings")
        if shown.outcome == "contradicted":
            shown = replace(shown, outcome="inconclusive", reason="some_readings")
    run = bool(verdict.n) and min(verdict.n) > 0
    return badged(shown, f"the default reading alone, of {declared} declared") if run else shown


def _with_common_band(verdict: Verdict, found: Sequence[Verdict]) -> Verdict:
    """The margins that would give the outcome under every reading; None where a reading has no such end."""
    ends: dict[str, Any] = {
        name: _end(name, [getattr(it, f"margin_{name}") for it in found]) for name in _ENDS
    }
    return replace(verdict, **{f"margin_{name}": end for name, end in ends.items()})


def _end(name: str, values: Sequence[float | None]) -> float | None:
    known = [it for it in values if it is not None]
    if not known or len(known) < len(values):
        return None
    return max(known) if name.endswith("_from") else min(known)
