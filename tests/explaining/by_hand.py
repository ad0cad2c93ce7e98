"""Works out what a derivation prints, from its text alone, by scipy and statsmodels."""

from __future__ import annotations

import math
import re
from itertools import permutations
from typing import Any

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests

_SIGNS = re.compile(r"[-+*/^(),.;\[\]>=\s\d]|e[-+]?\d+|PC|Page|Holm|P|t|z|L|sqrt|abs|max|min|exp")


def work_out(filled: str) -> float:
    """The value of a formula with its numbers filled in; the text may hold nothing but such formulas."""
    assert not _SIGNS.sub("", filled), f"not a formula: {filled}"
    text = filled.replace("^", "**").replace("PC(", "partial(").replace(";", ",")
    text = re.sub(r"(?<![\w])t\(([\d.]+), ", r"quantile(\1, ", text)
    text = _tails(text)
    return float(eval(text, {"__builtins__": {}}, _NAMES))


def _tails(text: str) -> str:
    """`P[t(2) >= x]` as `tail(2, x)`, from the innermost bracket; `P[z >= x]` with infinite df."""
    while (start := text.rfind("P[")) >= 0:
        end, depth = start + 2, 1
        while depth:
            depth += {"[": 1, "]": -1}.get(text[end], 0)
            end += 1
        law, distance = text[start + 2 : end - 1].split(" >= ")
        df = "inf" if law == "z" else law.removeprefix("t(").removesuffix(")")
        text = f"{text[:start]}tail({df}, {distance}){text[end:]}"
    return text


def _tail(df: float, distance: float) -> float:
    return float(stats.norm.sf(distance) if math.isinf(df) else stats.t.sf(distance, df))


def _holm(*p_values: float) -> list[float]:
    return [float(p) for p in multipletests(p_values, method="holm")[1]]


def _partial(at_least: int, *p_values: float) -> float:
    """Benjamini and Heller 2008, with Bonferroni."""
    return min(1.0, (len(p_values) - at_least + 1) * sorted(p_values)[at_least - 1])


def _page(*blocks: list[float]) -> float:
    if len(blocks) == 1:  # scipy wants two
        orders = [_page_statistic(list(it)) for it in permutations(blocks[0])]
        return float(np.mean([it >= _page_statistic(*blocks) for it in orders]))
    return float(stats.page_trend_test(np.array(blocks), method="exact").pvalue)


def _page_statistic(*blocks: list[float]) -> float:
    ranks = stats.rankdata(np.array(blocks), axis=1)
    return float((ranks * np.arange(1, ranks.shape[1] + 1)).sum())


_NAMES: dict[str, Any] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "abs": abs,
    "max": lambda *it: max(*it) if len(it) > 1 else max(it[0]) if isinstance(it[0], list) else it[0],
    "min": lambda *it: min(*it) if len(it) > 1 else min(it[0]) if isinstance(it[0], list) else it[0],
    "inf": math.inf,
    "tail": _tail,
    "quantile": lambda p, df: float(stats.t.ppf(p, df)),
    "z": lambda p: float(stats.norm.ppf(p)),
    "Holm": _holm,
    "partial": _partial,
    "Page": _page,
    "L": _page_statistic,
}
