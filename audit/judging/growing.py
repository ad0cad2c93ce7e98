"""Complexity claims: what runs of growing size cost, and by which power it grows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from audit.evidence import COUNTED
from audit.judging.case import Case, Judged, badged, final, with_interval
from audit.judging.measured import TIMES, machine
from audit.record import ClaimRecord, Run
from audit.stats.growth import FEWEST_REPEATS, growth


def why_no_growth(claim: ClaimRecord) -> str | None:
    """Reason code of a claim that names no runs to be timed; None for one that does."""
    if claim.details.get("sizes"):
        return None
    return "counted_exactly" if claim.details.get("operations") else "no_sizes"


def judge_complexity(case: Case) -> Judged:
    """The slope of log cost on log size, over experiments that differ in that one size.

    Of times the least of each size's runs counts, three or more on one machine; counts of parameters are the
    same in each run. How a cost grows is the method's matter, so that runs on other data may speak to it too.
    """
    quantity, sizes = case.claim.details["quantity"], case.claim.details["sizes"]
    if not one_size_grows(case):
        return final(case, "not_one_size")
    if quantity in TIMES:
        if len({machine(run) for arm in case.arms for run in arm.runs}) > 1:
            return final(case, "different_machines")
        if min(len(arm.values) for arm in case.arms) < FEWEST_REPEATS:
            return final(case, "too_few_seeds")
    if quantity in COUNTED and any(len(set(arm.values)) > 1 for arm in case.arms):
        return final(case, "not_one_size")
    if len(case.arms) < 3:
        return final(case, "too_few_sizes")
    n = [float(sizes[arm.experiment]) for arm in case.arms]
    exponent = float(case.claim.details["exponent"])
    test = growth(n, [min(arm.values) for arm in case.arms], exponent=exponent, alpha=case.alpha)
    shown = replace(
        with_interval(case.plain, test), estimate=test.slope, target=test.claimed, margin=test.margin
    )
    local = ", ".join(f"{it:.2f}" for it in test.local_slopes)
    shown = badged(shown, f"{len(n)} sizes over {test.decades:.2f} decades", f"local exponents {local}")
    return Judged(shown, test)


def one_size_grows(case: Case) -> bool:
    """Whether the records of our runs differ in nothing but one setting, and that as the claim file says.

    Where the data grow, no setting may change. What was imported tells no settings, and is taken at its word.
    """
    held = [(arm.experiment, _settings(run)) for arm in case.arms for run in arm.runs if not run.imported]
    names = {name for _, settings in held for name in settings}
    changed = [it for it in sorted(names) if len({repr(settings.get(it)) for _, settings in held}) > 1]
    if not changed or changed == ["data"]:
        return True
    if len(changed) > 1:
        return False
    sizes = case.claim.details["sizes"]
    ratios = []
    for name, settings in held:
        value = settings.get(changed[0])
        if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
            return False
        ratios.append(value / sizes[name])
    return all(math.isclose(it, ratios[0], rel_tol=1e-9) for it in ratios)


def _settings(run: Run) -> Mapping[str, Any]:
    spec = run.spec
    return {
        "model": spec.model,
        "precision": spec.precision,
        "revision": spec.revision,
        "code": spec.code,
        "data": spec.data,
        **{f"config {name}": value for name, value in spec.config.items()},
        **{f"protocol {name}": value for name, value in spec.protocol.items()},
    }
