"""An audit with a claim of every kind, judged by the comparator: what the page must be able to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from audit.judging.verdicts import compare
from audit.record import Audit, ClaimRecord, ExperimentRecord, Margin, PaperInfo, Run, Scope, Where
from tests.records import make_experiment, make_run

MARGIN = Margin(0.5, "field", "usual")
#: Scores of five seeds an experiment, seconds, and the epoch from which on it has 70.
RUNS: dict[str, tuple[tuple[float, ...], float, int]] = {
    "a": ((78.6, 78.1, 78.9, 78.4, 78.7), 10.0, 1),
    "b": ((76.8, 77.2, 76.5, 77.0, 76.9), 21.0, 3),
    "c": ((70.1, 70.6, 70.2, 69.8, 70.4), 33.0, 4),
}
#: Experiments of growing size: the size, and the least seconds over their seeds.
SWEEP: dict[str, tuple[float, float]] = {
    "n1": (1000.0, 10.1),
    "n2": (2000.0, 19.9),
    "n3": (4000.0, 40.2),
    "n4": (8000.0, 81.0),
    "n5": (16000.0, 159.0),
}
KINDS: tuple[tuple[str, tuple[str, ...], dict[str, Any]], ...] = (
    ("value", ("a",), {"printed": ("78.60",), "margin": MARGIN}),
    ("order", ("a", "b"), {"printed": ("78.60", "76.81")}),
    ("gap", ("a", "c"), {"printed": ("78.60", "70.00"), "margin": MARGIN}),
    ("equivalent", ("a", "b"), {"margin": MARGIN}),
    ("significant", ("a", "b"), {"printed": ("78.60", "76.81"), "margin": MARGIN}),
    ("ranking", ("a", "b", "c"), {}),
    ("trend", ("a", "b", "c"), {"details": {"direction": "falling"}}),
    ("optimum", ("a", "b", "c"), {"details": {"strength": "unique"}}),
    (
        "dominance",
        ("a", "b", "c"),
        {
            "metric": "",
            "details": {
                "lines": [{"dataset": "toy", "metric": "P@1", "winner": "a", "rivals": ["b", "c"]}],
                "place": 1,
            },
        },
    ),
    ("cost", ("a", "c"), {"metric": "", "details": {"quantity": "training_time"}}),
    ("convergence", ("a", "c"), {"details": {"target": 70.0}}),
    (
        "complexity",
        tuple(SWEEP),
        {
            "metric": "",
            "details": {
                "of": "time an epoch",
                "grows_with": "L",
                "exponent": 1.0,
                "sizes": {name: size for name, (size, _) in SWEEP.items()},
                "quantity": "training_time",
            },
        },
    ),
)


def claim(kind: str, experiments: Sequence[str], **more: Any) -> ClaimRecord:
    given: dict[str, Any] = {"says": "", "metric": "P@1", "where": Where("3.2", 7), "dataset": "toy"}
    given |= more
    identity = f"the-{kind}:{given['metric']}" if given["metric"] else f"the-{kind}"
    return ClaimRecord(id=identity, claim=f"the-{kind}", kind=kind, experiments=tuple(experiments), **given)


def claims() -> tuple[ClaimRecord, ...]:
    return tuple(claim(kind, experiments, **more) for kind, experiments, more in KINDS)


def experiments(scope: Scope = "same_data", *, seeds: int = 5, flip: bool = False) -> list[ExperimentRecord]:
    """`flip` gives the best experiment the runs of the worst, and vice versa, and a sweep the power 2."""
    names = list(RUNS)
    sweep = {name: seconds * (size / 1000.0 if flip else 1.0) for name, (size, seconds) in SWEEP.items()}
    runs = dict(zip(names, (RUNS[name] for name in (reversed(names) if flip else names)), strict=True))
    return [
        replace(
            make_experiment(name, [_run(name, seed, *runs[name]) for seed in range(seeds)], scope=scope),
            title=f"Method {name.upper()}",
        )
        for name in names
    ] + [
        make_experiment(
            name,
            [make_run(k, 70.0, key=f"{name}-{k}", seconds=s + 0.3 * k) for k in range(seeds)],
            scope=scope,
        )
        for name, s in sweep.items()
    ]


def _run(name: str, seed: int, scores: Sequence[float], seconds: float, epoch: int) -> Run:
    curve = tuple({"epoch": float(k), "P@1": 71.0 if k >= epoch else 50.0} for k in (1, 2, 3, 4))
    more: dict[str, Any] = {"seconds": seconds + 0.3 * seed, "parameters": 1000, "curve": curve}
    return make_run(seed, scores[seed], key=f"{name}{seed}", **more)


def every_kind(scope: Scope = "same_data", *, seeds: int = 5, flip: bool = False) -> Audit:
    """All kinds with `seeds` seeds an experiment; with none, nothing was run."""
    records = experiments(scope, seeds=seeds, flip=flip)
    made = claims()
    return Audit(
        paper=PaperInfo("kinds", "Every kind of claim"),
        tables=(),
        experiments=tuple(records),
        claims=made,
        verdicts=compare(made, {it.id: it for it in records}, fidelity={"xml_cnn": True}),
    )
