"""Papers whose truth is known: 40 claims over the three metrics of 8 experiments with common runs.

A run has P@1, P@3 and P@5 that are correlated (0.8), SD 0.3 each. 24 claims are values, 6 orders, 6
equivalences, 3 gaps, 1 is "significantly better". `Truth` says how far each is from what the paper states.

    python -m tests.judging.simulated [PAPERS]      error rates of papers of 30 printed values
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from audit.judging.evidence import Evidence
from audit.judging.looks import judge_by, ruled
from audit.judging.verdicts import Judgement
from audit.record import ClaimRecord, ExperimentRecord, Look, Verdict
from audit.stats.decision import ALPHA
from tests.judging.made import HALF, claim
from tests.records import DATA, make_experiment, make_run

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


#: Claims of a paper. All methods are at 50 %, so that scatter as a share is scatter in points.
CLAIMS = 30
MEANS = np.full(CLAIMS, 50.0)
HALF_UNIT = 0.005
LARGE = replace(DATA, n_test=1_000_000)


@dataclass(frozen=True)
class World:
    """How runs come out, ours and the paper's: points."""

    off: float = 0.0
    """Mean of the paper's method minus ours, up or down."""
    ratio: float = 1.0
    """SD of the paper's one run over that of ours; 0 prints the mean itself."""
    noise: str = "normal"
    """`t3`, `exponential` (of the same SD), or `bad`: one seed in ten is 2 points lower."""


def printed_values(world: World, rng: np.random.Generator, seeds: int) -> Paper:
    """A paper of 30 printed values, one run behind each, and our runs; SDs are lognormal around 0.3."""
    sds = SD * np.exp(rng.normal(0.0, 0.6, CLAIMS) - 0.18)
    ours = MEANS[:, None] + sds[:, None] * _drawn(world.noise, rng, (CLAIMS, seeds))
    if world.noise == "bad":
        ours -= 2.0 * (rng.random(ours.shape) < 0.1)
    sides = rng.choice((-1.0, 1.0), CLAIMS)
    theirs = MEANS + sides * world.off + world.ratio * sds * _drawn(world.noise, rng, (CLAIMS, 1))[:, 0]
    claims, found = [], {}
    for i, (values, number) in enumerate(zip(ours.tolist(), theirs.tolist(), strict=True)):
        runs = [make_run(seed, x, key=f"e{i}s{seed}", data=LARGE) for seed, x in enumerate(values)]
        found[f"e{i}"] = make_experiment(f"e{i}", runs)
        claims.append(claim("value", f"e{i}", id=f"v{i}", printed=(f"{number:.2f}",)))
    return Paper(tuple(claims), found)


def _drawn(noise: str, rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    if noise == "t3":
        return rng.standard_t(3, shape) / np.sqrt(3.0)
    return rng.exponential(1.0, shape) - 1.0 if noise == "exponential" else rng.standard_normal(shape)


def outcomes(held: Paper, looks: Sequence[int], level: float | None = None) -> list[str]:
    """Of the claims, judged at so many seeds one after another, each look at its level, or at `level`. As
    `compare` decides them, without what it then adds to each verdict (on what the verdict hangs), which takes
    five times as long and changes no outcome."""

    def judge(experiments: Mapping[str, ExperimentRecord], level: float) -> tuple[Verdict, ...]:
        evidence = Evidence.of(held.claims, experiments)
        return tuple(Judgement(held.claims, evidence, {"xml_cnn": True}, alpha=level).verdicts())

    taken = ruled([Look(seeds, ALPHA) for seeds in looks])
    taken = taken if level is None else tuple(replace(look, level=level) for look in taken)
    return [it.outcome for it in judge_by(taken, held.experiments, judge)]


@dataclass(frozen=True)
class Rates:
    """Percent."""

    papers: float
    """Papers with at least one such verdict."""
    claims: float
    """Claims with it."""


def rates(
    world: World, outcome: str, *, looks: Sequence[int], papers: int, level: float | None = None
) -> Rates:
    rng = np.random.default_rng(1)
    found = []
    for _ in range(papers):
        held = printed_values(world, rng, looks[-1])
        found.append(sum(it == outcome for it in outcomes(held, looks, level)))
    counts = np.array(found)
    return Rates(100.0 * float((counts > 0).mean()), 100.0 * float(counts.mean()) / CLAIMS)


#: What is shown, its world, the outcome that is counted, and whether papers or claims are.
TABLE: tuple[tuple[str, World, str, str], ...] = (
    ("equal methods, paper's SD as ours", World(), "contradicted", "papers"),
    ("paper's SD twice ours", World(ratio=2.0), "contradicted", "papers"),
    ("paper's SD three times ours", World(ratio=3.0), "contradicted", "papers"),
    ("truth at the margin", World(off=D + HALF_UNIT), "contradicted", "papers"),
    ("heavy tails (t with 3 df)", World(noise="t3"), "contradicted", "papers"),
    ("skewed (exponential)", World(noise="exponential"), "contradicted", "papers"),
    ("one bad seed in ten", World(noise="bad"), "contradicted", "papers"),
    ("all claims false by the margin", World(off=D, ratio=0.0), "reproduced", "papers"),
    ("the same, heavy tails", World(off=D, ratio=0.0, noise="t3"), "reproduced", "papers"),
    ("the same, skewed", World(off=D, ratio=0.0, noise="exponential"), "reproduced", "papers"),
    ("truth 2.5 points off", World(off=2.5), "contradicted", "claims"),
    ("truth 4 points off", World(off=4.0), "contradicted", "claims"),
    ("equal methods", World(ratio=0.0), "reproduced", "claims"),
)
LOOKS = tuple(range(3, 11))


def main(papers: int = 300) -> None:
    """The table of docs/how-verdicts-are-made.md."""
    for what, world, outcome, of in TABLE:
        each = [getattr(rates(world, outcome, looks=(seeds,), papers=papers), of) for seeds in (3, 5, 8)]
        print(f"| {what} | {of} {outcome} | {' | '.join(f'{x:.1f}' for x in each)} |", flush=True)
    off = [
        rates(World(off=it), "contradicted", looks=(n,), papers=papers, level=ALPHA).claims
        for it in (2.5, 4.0)
        for n in (3, 5, 8)
    ]
    print(f"at the whole {ALPHA:.0%}, 2.5 and 4 points off: {', '.join(f'{x:.1f}' for x in off)}", flush=True)
    for what, world, outcome, of in TABLE[:2]:
        found = rates(world, outcome, looks=LOOKS, papers=papers)
        print(
            f"| {what}, judged at 3, 4, ..., 10 seeds | {of} {outcome} | {getattr(found, of):.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
