"""Claims about what runs cost: time, memory, parameters, and steps to a score."""

from __future__ import annotations

from dataclasses import replace

from audit.evidence import Arm
from audit.judging.case import Case, Judged, aligned, badged, final
from audit.record import Run
from audit.stats.convergence import Reach, convergence, steps_to
from audit.stats.cost import cost

_BYTES_A_NUMBER = 4


def measured(run: Run, quantity: str) -> float | None:
    """What a run cost; None where its record does not have it."""
    if quantity == "training_time":
        return run.seconds or None
    if quantity == "parameters":
        return run.parameters
    if quantity == "model_size":
        return run.parameters * _BYTES_A_NUMBER if run.parameters else None
    return None


def judge_cost(case: Case) -> Judged:
    """Ratio of the costs of both arms. Times count only if all runs were on one kind of device."""
    quantity = case.claim.details["quantity"]
    costs = [[it for run in arm.runs if (it := measured(run, quantity)) is not None] for arm in case.arms]
    if not all(costs):
        return final(case.badge(f"{quantity} is not in the run records"), "not_measured")
    if quantity == "training_time" and len({_machine(run) for arm in case.arms for run in arm.runs}) > 1:
        return final(case, "different_machines")
    counted = quantity in ("parameters", "model_size")
    cheaper, dearer = costs
    test = cost(cheaper, dearer, deterministic=counted)
    shown = replace(case.plain, values=(tuple(cheaper), tuple(dearer)), estimate=test.ratio, target=None)
    shown = replace(shown, ci90=test.ci90, ci95=test.ci95, df=test.df)
    return Judged(badged(shown, f"ratio of {quantity}"), test)


def _machine(run: Run) -> tuple[str, int | None]:
    return run.device, run.threads


def judge_convergence(case: Case) -> Judged:
    """Steps to the score that the claim file fixes; runs that never reach it stay in, as censored."""
    target = case.claim.details.get("target")
    if target is None:
        return final(case, "no_target_score")
    if aligned(case) is None:
        return final(case, "too_few_seeds")
    reaches = [_reaches(arm, case.claim.metric, float(target)) for arm in case.arms]
    if not all(reaches):
        return final(case, "not_measured")
    faster, slower = reaches
    test = convergence(faster, slower, pair=case.pair)
    medians = " and ".join("not reached" if it is None else f"{it:g}" for it in test.medians)
    shown = replace(case.plain, target=float(target))
    return Judged(badged(shown, f"median epochs to {target:g}: {medians}"), test)


def _reaches(arm: Arm, metric: str, target: float) -> list[Reach]:
    """One for each run whose curve holds the validation metric."""
    found = []
    for run in arm.runs:
        curve = [(it["epoch"], it[metric]) for it in run.curve if metric in it and "epoch" in it]
        if curve:
            found.append(steps_to(curve, target))
    return found
