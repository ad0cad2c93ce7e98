"""Claims about what runs cost: time, memory, parameters, and steps to a score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from audit.evidence import COUNTED, Arm
from audit.judging.case import Case, Judged, badged, final
from audit.record import Run
from audit.stats.convergence import Reach, convergence, steps_to
from audit.stats.cost import cost

_BYTES_A_NUMBER = 4
#: Costs that are times, which two machines do not have alike.
TIMES = ("training_time", "prediction_time")


def measured(run: Run, quantity: str) -> float | None:
    """What a run cost; None where its record does not have it: a cost is above 0."""
    parameters = float(run.parameters or 0)
    costs = {
        "training_time": run.seconds,
        "prediction_time": run.prediction_seconds or 0.0,
        "parameters": parameters,
        "model_size": parameters * _BYTES_A_NUMBER,
    }
    held = costs.get(quantity, 0.0)
    return held if held > 0.0 and math.isfinite(held) else None


def judge_cost(case: Case) -> Judged:
    """Ratio of the costs of both arms. Times count only if all runs were on one kind of device."""
    quantity = case.claim.details["quantity"]
    if quantity in TIMES and len({machine(run) for arm in case.arms for run in arm.runs}) > 1:
        return final(case, "different_machines")
    counted = quantity in COUNTED
    if counted and case.plain.scope == "other_data":  # other labels and words make another network
        return final(case, "other_data")
    cheaper, dearer = (arm.values for arm in case.arms)
    test = cost(cheaper, dearer, deterministic=counted, alpha=case.alpha)
    shown = replace(case.plain, estimate=test.ratio, ci90=test.ci90, ci95=test.ci95, df=test.df)
    return Judged(badged(shown, f"ratio of {quantity}"), test)


def machine(run: Run) -> tuple[str, int | None]:
    """Times of two machines are not compared."""
    return run.device, run.threads


def judge_convergence(case: Case) -> Judged:
    """Steps to the score that the claim file fixes; runs that never reach it stay in, as censored."""
    target = case.claim.details.get("target")
    if target is None:
        return final(case, "no_target_score")
    reaches = [reaches_of(arm, case.claim.metric, float(target)) for arm in case.arms]
    for arm, reached in zip(case.arms, reaches, strict=True):
        if len(reached) < len(arm.runs):
            case = case.badge(f"{arm.experiment}: a curve in {len(reached)} of {len(arm.runs)} runs")
    if not all(reaches):
        return final(case, "not_measured")
    faster, slower = _seeds_of(reaches) if case.pair else [sorted(it) for it in reaches]
    if case.pair:
        case = case.badge(f"{len(faster)} pairs of seeds")
    if not faster:
        return final(case, "too_few_seeds")
    test = convergence(
        [reaches[0][seed] for seed in faster], [reaches[1][seed] for seed in slower], pair=case.pair
    )
    medians = " and ".join("not reached" if it is None else f"{round(it, 2):g}" for it in test.medians)
    shown = replace(case.plain, target=float(target), medians=tuple(test.medians))
    return Judged(badged(shown, f"median epochs to {target:g}: {medians}"), test)


def _seeds_of(reaches: Sequence[dict[int, Reach]]) -> list[list[int]]:
    """The seeds that both arms have, once for each arm."""
    common = sorted(set.intersection(*map(set, reaches)))
    return [common, common]


def reaches_of(arm: Arm, metric: str, target: float) -> dict[int, Reach]:
    """By seed, for each run whose curve holds the validation metric, at epochs that grow.

    Where a run is evaluated every so many steps, that is within epochs: after 20 of 50 steps, 0.4.
    """
    found = {}
    for run in arm.runs:
        curve = [(it["epoch"], it[metric]) for it in run.curve if metric in it and "epoch" in it]
        if curve and all(before < after for (before, _), (after, _) in pairwise(curve)):
            found[run.spec.seed] = steps_to(curve, target)
    return found
