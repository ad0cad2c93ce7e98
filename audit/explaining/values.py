"""The derivation of value claims: one mean against a printed number."""

from __future__ import annotations

from collections.abc import Iterator

from audit.explaining.step import (
    Step,
    band_steps,
    doubled,
    interval_steps,
    mean_and_sd,
    num,
    percent,
    quantile_text,
    tail_step,
)
from audit.judging.case import Case
from audit.judging.value import other_split_of, spread_of
from audit.stats.instance import OtherSplit, instance_se
from audit.stats.printed import printed
from audit.stats.sample import sample
from audit.stats.student import quantile
from audit.stats.target import Error, error

_INFINITE = float("inf")


def value_steps(case: Case) -> Iterator[Step]:
    """As `audit.stats.value`: d, both standard errors, both p-values, the intervals and the band."""
    (arm,) = case.arms
    reported = printed(case.claim.printed[0])
    v, h = float(reported.value), float(reported.half_unit)
    ours = sample(arm.values)
    yield from mean_and_sd("", arm.values)
    d = ours.mean - v
    yield Step("d", "mean - v", f"{num(ours.mean)} - {num(v)}", d)
    s, df = ours.sd or 0.0, ours.df
    if s == 0.0:
        return  # nothing random
    split = other_split_of(case, arm, target=v)
    judged = case.plain.scope == "same_data" or split is not None
    documents = 0.0
    if split is not None:
        yield from _documents(ours.mean, v, split)
        documents = instance_se(v, documents=split.documents_paper) ** 2
        documents += instance_se(ours.mean, documents=split.documents_ours) ** 2
    own = error((s * s / ours.n, df), (documents, _INFINITE))
    yield _error("se", "s^2 / n", f"{num(s)}^2 / {ours.n}", documents, own)
    if split is not None:
        yield _freedom("df", [(s * s / ours.n, df)], documents, own)
    yield from _paper_sds(case)
    predicted = []
    for name, formula, filled, parts in _predicted(case, s, df, ours.n):
        it = error(*parts, (documents, _INFINITE))
        predicted.append(it)
        yield _error(name, formula, filled, documents, it)
        if len(parts) > 1 or split is not None:
            yield _freedom(name.replace("se_pred", "df_pred"), parts, documents, it)
        if split is not None:
            predicted.append(error(*parts))
            yield _error(f"{name}, of seeds alone", formula, filled, 0.0, predicted[-1])
            if len(parts) > 1:
                yield _freedom(
                    f"{name.replace('se_pred', 'df_pred')}, of seeds alone", parts, 0.0, predicted[-1]
                )
    if judged:
        yield from _tests(d, h, case.margin, own, predicted)
    for level in (1.0 - 2.0 * case.alpha, 1.0 - case.alpha):
        yield from interval_steps(f"{percent(level)} interval", ours.mean, *own, level=level)
    yield from _prediction(ours.mean, predicted, level=1.0 - case.alpha)
    if judged:
        yield from band_steps(case, (f"abs({num(d)})", abs(d)), own=own, predicted=predicted, h=h)


def _documents(mean: float, v: float, split: OtherSplit) -> Iterator[Step]:
    for name, p, documents in (
        ("se_documents, paper", v, split.documents_paper),
        ("se_documents, ours", mean, split.documents_ours),
    ):
        filled = f"sqrt({num(p)} * (100 - {num(p)}) / {documents})"
        yield Step(name, "sqrt(p (100 - p) / N)", filled, instance_se(p, documents=documents))


def _error(name: str, formula: str, filled: str, documents: float, found: Error) -> Step:
    also, and_also = (" + se_documents^2 of both", f" + {num(documents)}") if documents else ("", "")
    return Step(name, f"sqrt({formula}{also})", f"sqrt({filled}{and_also})", found.se)


def _freedom(name: str, parts: list[tuple[float, float]], documents: float, found: Error) -> Step:
    """Satterthwaite; the binomial part has no degrees of freedom to speak of."""
    total = " + ".join([num(variance) for variance, _ in parts] + ([num(documents)] if documents else []))
    below = " + ".join(f"{num(variance)}^2 / {num(df)}" for variance, df in parts)
    return Step(name, "(sum v)^2 / sum (v^2 / df)", f"({total})^2 / ({below})", found.df)


def _predicted(
    case: Case, s: float, df: float, n: int
) -> Iterator[tuple[str, str, str, list[tuple[float, float]]]]:
    """Name, formula, formula filled in, and parts of each variance of the difference to the paper's runs."""
    m, spread = case.claim.runs_behind, spread_of(case)
    if spread is None:
        formula, filled = "s^2 (1 / n + kappa^2 / m)", f"{num(s)}^2 * (1 / {n} + {num(case.kappa)}^2 / {m})"
        yield "se_pred", formula, filled, [(s * s * (1.0 / n + case.kappa**2 / m), df)]
        return
    for reading, sd in spread.sds(m).items():
        parts = [(s * s / n, df), (sd * sd / m, float(m - 1))]
        filled = f"{num(s)}^2 / {n} + {num(sd)}^2 / {m}"
        yield f"se_pred, “±” read as {reading}", "s^2 / n + s_paper^2 / m", filled, parts


def _paper_sds(case: Case) -> Iterator[Step]:
    """SD of one of the paper's runs, by each reading of what is printed; `Spread.sds` has the formulas."""
    m, spread = case.claim.runs_behind, spread_of(case)
    if spread is None:
        return
    x = f"({num(float(spread.size.value))} + {num(float(spread.size.half_unit))})"
    texts = {
        "sd": ("x", x),
        "se": ("x sqrt(m)", f"{x} * sqrt({m})"),
        "ci95": ("x sqrt(m) / t(0.975; m - 1)", f"{x} * sqrt({m}) / {quantile_text(0.975, m - 1.0)}"),
    }
    for reading, sd in spread.sds(m).items():
        formula, filled = texts[reading]
        formula += ", x the printed spread and half a unit of its last digit"
        yield Step(f"s_paper, “±” read as {reading}", formula, filled, sd)


def _tests(d: float, h: float, D: float, own: Error, predicted: list[Error]) -> Iterator[Step]:
    low = tail_step("p_low", "P[t >= (D - h + d) / se]", (f"{num(D)} - {num(h)} + {num(d)}", D - h + d), *own)
    high = tail_step(
        "p_high", "P[t >= (D - h - d) / se]", (f"{num(D)} - {num(h)} - {num(d)}", D - h - d), *own
    )
    yield low
    yield high
    yield Step(
        "p_rep", "max(p_low, p_high)", f"max({num(low.value)}, {num(high.value)})", max(low.value, high.value)
    )
    over = (f"abs({num(d)}) - ({num(D)} + {num(h)})", abs(d) - (D + h))
    tests = [
        doubled("p_con", "min(1, 2 P[t >= (abs(d) - (D + h)) / se_pred])", over, *it) for it in predicted
    ]
    if len(tests) == 1:
        yield tests[0]
        return
    filled = ", ".join(test.filled for test in tests)
    formula = "the largest of these"
    yield Step("p_con", formula, f"max({filled})", max(test.value for test in tests))


def _prediction(mean: float, predicted: list[Error], *, level: float) -> Iterator[Step]:
    """The widest of the readings."""
    p = 0.5 + level / 2.0
    wide = max(predicted, key=lambda it: quantile(p, it.df) * it.se)
    half = quantile(p, wide.df) * wide.se
    for end, sign, value in (("from", "-", mean - half), ("to", "+", mean + half)):
        filled = f"{num(mean)} {sign} {quantile_text(p, wide.df)} * {num(wide.se)}"
        name = f"{percent(level)} of the paper's runs, {end}"
        yield Step(name, f"mean {sign} t({num(p)}) se_pred", filled, value)
