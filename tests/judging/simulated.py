"""Papers whose truth is known: 40 claims over the three metrics of 8 experiments with common runs.

A run has P@1, P@3 and P@5 that are correlated (0.8), SD 0.3 each. 24 claims are values, 6 orders, 6
equivalences, 3 gaps, 1 is "significantly better". `Truth` says how far each is from what the paper states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from audit.record import ClaimRecord, ExperimentRecord
from tests.judging.made import HALF, claim
from tests.records import make_experiment, make_run

SD, CORRELATION, D = 0.3, 0.8, 0.5
METRICS = ("P@1", "P@3", "P@5")
NAMES = tuple("abcdefgh")
BASE = np.array([78.0, 64.0, 53.0])

Floats = np.ndarray


@dataclass(frozen=True)
class Truth:
    """Points, each of one number for each of the experiments or pairs."""

    printed: tuple[float, ...]
    """Mean of the paper's method minus ours, for each experiment."""
    pairs: tuple[float, float, float, float]
    """True difference within the pairs (a, b), (c, d), (e, f), (g, h)."""
    paper_runs_vary: bool
    """Whether the paper prints one run of its method, or its mean."""


#: Every claim is true by the skin of its teeth: to contradict it is an error. A gap of 0.5 for ours of 0.
TRUE_AT_THE_MARGIN = Truth(printed=(D, -D, D, 0.0, D, D, -D, D), pairs=(0.0, 0.0, D, D), paper_runs_vary=True)
#: Every claim is just false about the numbers as printed: to reproduce it is an error.
FALSE_AT_THE_MARGIN = replace(TRUE_AT_THE_MARGIN, printed=(D, -D, D, -D, D, D, -D, D), paper_runs_vary=False)
#: The claims about the first four experiments hold, those about the others are just false.
HALF_TRUE = Truth(printed=(0.0, 0.0, 0.0, 0.0, D, D, -D, D), pairs=(1.5, 1.5, D, D), paper_runs_vary=False)
#: The claims about the first four experiments are grossly wrong, those about the others just true.
HALF_WRONG = Truth(printed=(3.0, 3.0, 3.0, 3.0, D, D, -D, D), pairs=(-1.5, -1.5, D, D), paper_runs_vary=True)


@dataclass(frozen=True)
class Paper:
    claims: tuple[ClaimRecord, ...]
    experiments: Mapping[str, ExperimentRecord]
    """With eight seeds each."""

    def at(self, seeds: int) -> dict[str, ExperimentRecord]:
        return {name: replace(it, runs=it.runs[:seeds]) for name, it in self.experiments.items()}


def paper(truth: Truth, rng: np.random.Generator, *, most: int = 8) -> Paper:
    """A paper and our runs, drawn anew."""
    ours = np.tile(BASE, (len(NAMES), 1))
    for pair, difference in enumerate(truth.pairs):
        ours[2 * pair] += difference
    theirs = ours + np.array(truth.printed)[:, None]
    if truth.paper_runs_vary:
        theirs = theirs + _noise(rng, len(NAMES))
    found = {}
    for name, means in zip(NAMES, ours, strict=True):
        runs = [
            replace(
                make_run(seed, None, key=f"{name}{seed}"), metrics=dict(zip(METRICS, values, strict=True))
            )
            for seed, values in enumerate((means + _noise(rng, most)).tolist())
        ]
        found[name] = make_experiment(name, runs)
    return Paper(_claims(theirs), found)


def _noise(rng: np.random.Generator, runs: int) -> Floats:
    """(runs, 3): correlated errors of SD 0.3."""
    common, own = rng.standard_normal((runs, 1)), rng.standard_normal((runs, 3))
    noise: Floats = SD * (np.sqrt(CORRELATION) * common + np.sqrt(1.0 - CORRELATION) * own)
    return noise


def _claims(theirs: Floats) -> tuple[ClaimRecord, ...]:
    cells = {
        (name, metric): f"{theirs[i, k]:.2f}"
        for i, name in enumerate(NAMES)
        for k, metric in enumerate(METRICS)
    }
    found = [
        claim("value", name, id=f"value {name}", metric=metric, printed=(cells[name, metric],))
        for name in NAMES
        for metric in METRICS
    ]
    for metric in METRICS:
        printed = (cells["c", metric], cells["d", metric])
        found += [
            claim("order", "a", "b", id="order ab", metric=metric),
            claim("order", "c", "d", id="order cd", metric=metric),
            claim("equivalent", "e", "f", id="equivalent ef", metric=metric),
            claim("equivalent", "g", "h", id="equivalent gh", metric=metric),
            claim("gap", "c", "d", id="gap cd", metric=metric, printed=printed),
        ]
    found.append(claim("significant", "g", "h", id="significant gh", margin=HALF))
    return tuple(found)


def holds(truth: Truth, claim: ClaimRecord) -> bool:
    """Whether the claim is true; of `TRUE_AT_THE_MARGIN` and `FALSE_AT_THE_MARGIN` all are what they say."""
    if truth in (TRUE_AT_THE_MARGIN, FALSE_AT_THE_MARGIN):
        return truth is TRUE_AT_THE_MARGIN
    first = claim.experiments[0] in "abcd"
    if truth is HALF_TRUE:
        return first
    return not first or claim.kind == "gap"  # a gap may hold between two numbers that are wrong
