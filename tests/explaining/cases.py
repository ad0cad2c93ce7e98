"""Claims of every kind and in every situation that changes how they are judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from audit.judging.looks import judge_by
from audit.judging.verdicts import judge_of
from audit.record import Audit, ClaimRecord, ExperimentRecord, FidelityCheck, Look, Margin, PaperInfo
from tests.records import make_experiment, make_run
from tests.reports.every_kind import KINDS, MARGIN, claim, experiments

LENIENT = Margin(2.0, "lenient", "from the text alone")
KIND = {kind: (names, more) for kind, names, more in KINDS}


def audited(
    claims: Sequence[ClaimRecord],
    records: Sequence[ExperimentRecord],
    *,
    looks: Sequence[Look] = (),
    **more: Any,
) -> Audit:
    """The audit of these claims with its verdicts."""
    plain = Audit(
        paper=PaperInfo("kinds", "Every kind of claim"),
        tables=(),
        experiments=tuple(records),
        claims=tuple(claims),
        verdicts=(),
        fidelity=(FidelityCheck("xml_cnn", "shapes", True, ""),),
        looks=tuple(looks),
        **more,
    )
    verdicts = judge_by(plain.looks, {it.id: it for it in records}, judge_of(plain))
    return replace(plain, verdicts=verdicts)


def made(kind: str, **more: Any) -> ClaimRecord:
    names, given = KIND[kind]
    details = {**given.get("details", {}), **more.pop("details", {})}
    return claim(kind, more.pop("experiments", names), **{**given, **more, "details": details})


def _experiment(name: str, values: Sequence[float], **more: Any) -> ExperimentRecord:
    return make_experiment(name, [make_run(k, x, key=f"{name}{k}") for k, x in enumerate(values)], **more)


NEAR = [_experiment("a", [76.5, 76.1, 76.7, 76.2, 76.6]), _experiment("b", [76.4, 76.2, 76.5, 76.3, 76.4])]
FOUR = [
    _experiment("a", [76.2, 76.5, 76.3]),
    _experiment("b", [70.1, 70.5, 70.4, 70.0]),
    _experiment("c", [60.2, 60.7, 60.4]),
]

#: Name -> claim, experiments, and what else the audit has.
CASES: Mapping[str, tuple[ClaimRecord, Sequence[ExperimentRecord], dict[str, Any]]] = {
    **{kind: (made(kind), experiments(), {}) for kind in KIND},
    **{f"{kind}, flipped": (made(kind), experiments(flip=True), {}) for kind in KIND},
    "value, two seeds": (made("value"), experiments(seeds=2), {}),
    **{f"{kind}, no seed": (made(kind), experiments(seeds=0), {}) for kind in KIND},
    **{f"{kind}, other data": (made(kind), experiments("other_data"), {}) for kind in KIND},
    "value, other split": (made("value"), experiments("other_split"), {"test_sizes": {"toy": 3865}}),
    "value, three runs behind": (made("value", runs_behind=3), experiments(), {}),
    "value, spread of unknown reading": (
        made("value", runs_behind=5, details={"spread": {"size": "0.40", "reading": None}}),
        experiments(flip=True),
        {},
    ),
    "value, moderated": (made("value", printed=("76.40",), margin=LENIENT), FOUR, {}),
    "order, moderated": (made("order"), FOUR, {}),
    "value, deterministic": (
        made("value", printed=("76.40",), deterministic=True),
        [_experiment("a", [76.4, 76.4, 76.4])],
        {},
    ),
    "order, negligible": (made("order", negligible=0.6), NEAR, {}),
    "equivalent, no loss": (made("equivalent", details={"no_loss": True}), NEAR, {}),
    "trend, rising": (made("trend", details={"direction": "rising"}), experiments(), {}),
    "optimum, not among the best": (
        made("optimum", details={"strength": "among_best"}, margin=MARGIN),
        experiments(flip=True),
        {},
    ),
    "dominance, one of two data sets": (
        made(
            "dominance",
            details={
                "lines": [
                    {"dataset": "toy", "metric": "P@1", "winner": "a", "rivals": ["b", "c"]},
                    {"dataset": "other", "metric": "P@1", "winner": "c", "rivals": ["b"]},
                ],
                "at_least": 1,
            },
        ),
        experiments(),
        {},
    ),
    "cost of parameters": (made("cost", details={"quantity": "parameters"}), experiments(), {}),
}
