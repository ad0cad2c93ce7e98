"""Inverse propensities of labels: how much more a rarely seen label counts (Jain et al., KDD 2016, Eq. 2).

    1 + C (freq + B)^-A,   C = (ln N - 1) (B + 1)^A

N is the number of training documents, those without labels included (yourh/AttentionXML
e2bbbec deepxml/evaluation.py, kunaldahiya/pyxclib 5d13086 xclib/evaluation/xc_metrics.py and
mwydmuch/napkinXC e95fb3f python/napkinxc/metrics.py agree).
"""

from __future__ import annotations

import math
import re
import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reimpl.errors import ConfigError, DataError
from reimpl.truth import integers

#: A and B of every data set that has none of its own.
DEFAULT_CONSTANTS = (0.55, 1.5)

_WIKIPEDIA, _AMAZON = (0.5, 0.4), (0.6, 2.6)

#: A and B by data set name, letters and digits only. Whole names, never prefixes: AmazonCat-13K has the
#: default values, not Amazon's (kunaldahiya/pyxclib #7, where the maintainer corrected himself).
_CONSTANTS = {
    "amazon670k": _AMAZON,
    "amazon3m": _AMAZON,
    "wiki500k": _WIKIPEDIA,
    "wikipedia500k": _WIKIPEDIA,
    "wikilshtc": _WIKIPEDIA,
    "wikilshtc325k": _WIKIPEDIA,
}


class PropensityWarning(UserWarning):
    """Inverse propensities below 1: labels would count for less than one hit."""


def propensity_constants(dataset: str) -> tuple[float, float]:
    """A and B that the field uses for this data set, by its name in any spelling.

    >>> propensity_constants("Amazon-670K"), propensity_constants("AmazonCat-13K")
    ((0.6, 2.6), (0.55, 1.5))
    """
    return _CONSTANTS.get(re.sub(r"[^a-z0-9]", "", dataset.lower()), DEFAULT_CONSTANTS)


def inverse_propensity(
    train_frequency: ArrayLike, n_train: int, *, A: float, B: float
) -> NDArray[np.float64]:
    """Inverse propensity of each label, from how many of the `n_train` training documents carry it.

    train_frequency (L,) -> (L,) float64. Warns for n_train < 3: below e, C is negative and weights fall
    under 1. Raises `DataError` for a frequency outside 0..n_train, `ConfigError` for A, B or n_train.
    """
    frequency = integers(train_frequency, "training frequencies")
    if n_train < 1 or not (math.isfinite(A) and A > 0 and math.isfinite(B) and B > 0):
        raise ConfigError(f"propensity with N={n_train!r}, A={A!r}, B={B!r}: all must be above 0")
    if len(frequency) and not 0 <= frequency.min() <= frequency.max() <= n_train:
        raise DataError(
            f"training frequencies from {frequency.min()} to {frequency.max()} of {n_train} training "
            "documents: count each label once per document, and all documents in N"
        )
    if n_train < 3:
        warnings.warn(
            f"{n_train} training documents make inverse propensities below 1", PropensityWarning, stacklevel=2
        )
    C = (math.log(n_train) - 1) * (B + 1) ** A
    return np.asarray(1 + C * (frequency + B) ** -A, dtype=np.float64)
