"""Metrics of other packages, by the entry point group `xmtc_audit.metrics`.

The name of the entry point is the family, and claim files say `Hit@5`. It is a function

    hit(top_ids, truth, k) -> (N,) array

of label ids (N, K), best first, -1 where a list ended, of the truth (`reimpl.truth.Truth`) and of k <= K. It
gives what each document reached, 0 to 1; the metric is 100 times the mean. What raises, or gives anything
else, is named in a warning and left out; the other metrics are there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reimpl.metric_names import METRICS, family_problem
from reimpl.plugins import METRICS as GROUP
from reimpl.plugins import load_all, tell
from reimpl.truth import Truth

Function = Callable[[NDArray[Any], Truth, int], Any]


@cache
def plugin_metrics() -> dict[str, Function]:
    """Family -> function, of all that can be loaded."""
    return load_all(GROUP, own=METRICS, check=_amiss)


def _amiss(name: str, function: Any) -> str | None:
    return family_problem(name) or (None if callable(function) else "is no function of lists, truth and k")


def evaluated(top_ids: NDArray[Any], truth: Truth, ks: Iterable[int]) -> dict[str, float]:
    """Every metric of another package at every k, in percent."""
    found = {}
    for family, function in plugin_metrics().items():
        for k in ks:
            try:
                found[f"{family}@{k}"] = _mean(function(top_ids.copy(), truth, k), truth.size)
            except (Exception, SystemExit) as err:  # whatever goes wrong in another's code
                why = " ".join(f"{type(err).__name__}: {err}".split())
                tell(f"metric {family}@{k} of {function.__module__} is left out ({why}); mend that package")
    return found


def _mean(values: Any, documents: int) -> float:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (documents,):
        raise ValueError(f"it gave an array of shape {array.shape}, not ({documents},)")
    if not ((array >= 0.0) & (array <= 1.0)).all():  # NaN is outside too
        raise ValueError("it gave values outside 0 to 1")
    return 100.0 * float(array.mean())
