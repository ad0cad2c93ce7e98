"""The derivation of what single test documents say of a comparison, beside its verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator

from audit.explaining.step import Step, num, quantile_text
from audit.record import Estimate, InstanceEvidence


def document_steps(found: InstanceEvidence) -> Iterator[Step]:
    """Errors and intervals of the two estimands, the draws of documents, and McNemar's test of each pair."""
    d, s, n = found.difference, found.sd_documents, found.documents
    yield Step("d", "mean over documents of (mean over seeds of A - mean over seeds of B)", "", d)
    yield Step("s_d", "SD over documents of the same differences", "", s)
    yield Step("N, documents", "", "", float(n))
    if found.texts < n:
        yield Step("different texts among them", "", "", float(found.texts))
    if found.these is not None:
        yield Step("se, these documents", "of the verdict: seeds alone vary", "", found.these.se)
        yield from _interval("these documents", d, found.these)
    if found.these is not None and found.new is not None:
        filled = f"sqrt({num(found.these.se)}^2 + {num(s)}^2 / {n})"
        yield Step("se, new documents", "sqrt(se^2 + s_d^2 / N)", filled, found.new.se)
        yield _freedom(found.these, found.new, s * s / n, n)
        yield from _interval("new documents", d, found.new)
    if found.bootstrap is not None:
        how = f"{found.replicates} draws of documents, one for all seeds, numpy seed {found.rng_seed}"
        for end, share, value in zip(("from", "to"), ("2.5 %", "97.5 %"), found.bootstrap, strict=True):
            yield Step(f"95 % by drawing documents, {end}", f"{share} quantile of {how}", "", value)
    for pair in found.pairs:
        b, c = pair.first_only, pair.second_only
        formula = "min(1, 2 P[Bin(b + c, 1/2) <= min(b, c)])"
        filled = f"min(1, 2 * Bin({b + c}; {min(b, c)}))"
        name = f"McNemar's p of seeds {pair.seeds[0]} and {pair.seeds[1]}, b = {b} and c = {c}"
        yield Step(name, formula, filled, pair.p)


def _freedom(these: Estimate, new: Estimate, documents: float, n: int) -> Step:
    """Satterthwaite: the seeds' part has the degrees of freedom that it has by itself."""
    total = f"({num(these.se)}^2 + {num(documents)})^2"
    own = "" if these.df is None or these.se == 0.0 else f"{num(these.se)}^4 / {num(these.df)} + "
    filled = f"{total} / ({own}{num(documents)}^2 / {n - 1})" if documents else ""
    value = math.inf if new.df is None else new.df
    return Step(
        "df, new documents", "(se^2 + v)^2 / (se^4 / df + v^2 / (N - 1)), v = s_d^2 / N", filled, value
    )


def _interval(of: str, d: float, it: Estimate) -> Iterator[Step]:
    df = math.inf if it.df is None else it.df
    for end, sign, value in zip(("from", "to"), "-+", it.ci95, strict=True):
        filled = f"{num(d)} {sign} {quantile_text(0.975, df)} * {num(it.se)}"
        yield Step(f"95 % interval, {of}, {end}", f"d {sign} t(0.975) se", filled, value)
