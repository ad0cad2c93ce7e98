"""One experiment with one seed, as others' files give it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from audit.importing.declared import Source


@dataclass(frozen=True)
class Result:
    """What was imported for one run, all of it checked."""

    experiment: str
    seed: int
    dataset: str
    """The paper's name of the data set, or the file's where the paper has none such."""
    fingerprint: str | None
    metrics: Mapping[str, float]
    """Percent; empty where the run failed."""
    sources: tuple[Source, ...]
    unit: str = "percent"
    """In which the file gives the values."""
    notes: tuple[str, ...] = ()
    """Whatever else the file says about the run."""
    n_test: int = 0
    """Test documents; 0 where the files do not tell."""
    predictions: Mapping[str, NDArray[Any]] | None = field(default=None, compare=False)

    @property
    def failed(self) -> bool:
        return not self.metrics
