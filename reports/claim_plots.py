"""The plot of each kind of claim: what is on its axis, and what its intervals are read against."""

from __future__ import annotations

from dataclasses import replace

from audit.record import ClaimRecord, Verdict
from reports import digits, wording
from reports.figures import Bounds, IntervalPlot, Lane, interval_plot


def plot_of(claim: ClaimRecord, verdict: Verdict | None, names: tuple[str, ...], name: str) -> str:
    """The interval plot as SVG with a short name; empty where there is nothing to draw."""
    plot = intervals_of(claim, verdict, names)
    return interval_plot(replace(plot, name=name)) if plot else ""


def intervals_of(claim: ClaimRecord, verdict: Verdict | None, names: tuple[str, ...]) -> IntervalPlot | None:
    """What the plot shows; none for a printed number on other data, which shares no axis with ours."""
    if verdict is None or (claim.kind in wording.PRINTED and verdict.scope == "other_data"):
        return None
    plain = IntervalPlot(
        description=wording.plot_description(claim, verdict),
        axis="",
        estimate=verdict.estimate,
        ci90=verdict.ci90,
        ci95=verdict.ci95,
    )
    if claim.kind in wording.COMPARISONS:
        return _of_several(plain, claim, verdict, names)
    if verdict.estimate is None:
        return None
    drawn = {"value": _of_value, "cost": _of_ratio, "complexity": _of_power}.get(claim.kind, _of_difference)
    return drawn(plain, claim, verdict, names)


def _of_value(
    plain: IntervalPlot, claim: ClaimRecord, verdict: Verdict, names: tuple[str, ...]
) -> IntervalPlot:
    return replace(
        plain,
        axis=f"{claim.metric}, points",
        target=verdict.target,
        target_label=f"printed {claim.printed[0] if claim.printed else digits.points(verdict.target)}",
        margin=_around(verdict.target, verdict.margin),
        pi95=verdict.pi95,
        dots=verdict.values[0] if verdict.values else (),
    )


def _of_difference(
    plain: IntervalPlot, claim: ClaimRecord, verdict: Verdict, names: tuple[str, ...]
) -> IntervalPlot:
    """The margin lies around no difference, but around the printed one where its size is claimed."""
    target = verdict.target if verdict.scope != "other_data" else None
    centre = target if claim.kind == "gap" else 0.0
    band = claim.negligible if claim.kind == "order" and verdict.margin is None else verdict.margin
    return replace(
        plain,
        axis=f"difference in {claim.metric}, points",
        target=target,
        target_label=f"printed {digits.signed(target)}",
        margin=_around(centre, band),
        pi95=verdict.pi95,
        zero=True,
        lanes=_lanes(verdict, names),
        lanes_axis=f"{claim.metric}, points",
    )


def _of_ratio(
    plain: IntervalPlot, claim: ClaimRecord, verdict: Verdict, names: tuple[str, ...]
) -> IntervalPlot:
    unit = {"training_time": "seconds", "prediction_time": "seconds", "model_size": "bytes"}.get(
        str(claim.details.get("quantity")), ""
    )
    return replace(
        plain,
        axis=f"ratio of {wording.subject(claim)}",
        target=1.0,
        target_label="as much",
        lanes=_lanes(verdict, names),
        lanes_axis=", ".join(it for it in (wording.subject(claim), unit) if it),
    )


def _of_power(
    plain: IntervalPlot, claim: ClaimRecord, verdict: Verdict, names: tuple[str, ...]
) -> IntervalPlot:
    """The costs themselves share no linear axis: they stand in the strips."""
    return replace(
        plain,
        axis="exponent of the growth",
        target=verdict.target,
        target_label=f"claimed {digits.points(verdict.target)}",
        margin=_around(verdict.target, verdict.margin),
    )


def _of_several(
    plain: IntervalPlot, claim: ClaimRecord, verdict: Verdict, names: tuple[str, ...]
) -> IntervalPlot:
    """Every seed of every arm under each other; not where the arms are on several data sets."""
    shown = {} if claim.kind == "dominance" else dict(zip(names, verdict.values, strict=False))
    return replace(
        plain,
        lanes=tuple(Lane(name, values) for name, values in shown.items()),
        lanes_axis=f"{claim.metric}, points",
    )


def _lanes(verdict: Verdict, names: tuple[str, ...]) -> tuple[Lane, ...]:
    return tuple(Lane(name, values) for name, values in zip(names, verdict.values, strict=False))


def _around(centre: float | None, margin: float | None) -> Bounds | None:
    return None if centre is None or margin is None else (centre - margin, centre + margin)
