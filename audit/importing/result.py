"""One experiment with one seed as others' files give it, what is declared of it, and all that is wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.claims.source import visible
from audit.errors import AuditError, ImportFileError, option

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: As in a claim file: a SHA-256, or its first half.
FINGERPRINT = re.compile(r"[0-9a-f]{32,64}")
WHAT_A_FINGERPRINT_IS = "give 32 to 64 digits of 0-9 and a-f, as `audit data describe DIR` prints for content"
#: What some write where a reason is asked for.
_NO_REASON = (
    *("no", "not", "yes", "true", "false", "unknown", "none", "maybe", "i do not know", "i don't know"),
)


@dataclass(frozen=True)
class Source:
    """A file that numbers came from."""

    file: str
    """Its name, without the folder."""
    sha256: str
    """Of its bytes, 64 hex digits."""


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What whoever imports says of the results. Raises `AuditError` for what cannot be meant."""

    by: str = ""
    authors_code: str = ""
    unit: str | None = None
    dataset: str | None = None
    fingerprint: str | None = None
    same_data: str = ""
    other_split: str = ""
    test_size: int = 0
    same_predictions_ok: bool = False
    train_truth: Path | None = None
    propensity: str = ""
    threshold: float | None = None

    def __post_init__(self) -> None:
        for name in ("by", "authors_code", "same_data", "other_split"):
            said = getattr(self, name)
            if not isinstance(said, str):
                raise AuditError(f"{name}={said!r}: say it in a few words")
            try:
                said = visible(" ".join(said.split()))
            except ValueError as err:
                raise AuditError(f"{option(name)}: {err}") from err
            object.__setattr__(self, name, said)
            if name != "by" and said.strip(" .!?").lower() in _NO_REASON:
                how = "no reason; say how you know, as in: the authors' files"
                if name == "authors_code":
                    how = "no code; give its address and commit, or leave it out"
                raise AuditError(f"{option(name)} {said!r} is {how}")
        if self.unit not in (None, "percent", "fraction"):
            units = f"{option('unit', 'percent')} or {option('unit', 'fraction')}"
            raise AuditError(f"{option('unit')} {self.unit!r} is unknown; add {units}")
        if self.same_data and self.other_split:
            both = f"{option('same_data')} and {option('other_split')}"
            raise AuditError(f"{both} exclude each other; keep the one that is so")
        if self.fingerprint is not None and not FINGERPRINT.fullmatch(self.fingerprint):
            raise AuditError(f"{option('fingerprint')} {self.fingerprint!r} is none; {WHAT_A_FINGERPRINT_IS}")
        if self.propensity and self.train_truth is None:
            training = option("train_truth", "FILE")
            raise AuditError(f"{option('propensity')} goes with {training}; add it, or leave both out")
        self.constants  # noqa: B018  read once, so that what is no pair of numbers is told

    @property
    def constants(self) -> tuple[float, float] | None:
        """A and B of the propensities; None for those of the data set's name."""
        if not self.propensity:
            return None
        try:
            a, b = (float(part) for part in self.propensity.split(","))
        except ValueError:
            a = b = math.nan
        if not (a > 0 and b > 0 and math.isfinite(a + b)):
            what = "give A and B, numbers above 0, as in 0.55,1.5"
            raise AuditError(f"{option('propensity')} {self.propensity!r}: {what}")
        return a, b


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
    documents: str = ""
    """Digest of their names and labels, in any order; empty where the files do not tell."""
    predictions: Mapping[str, NDArray[Any]] | None = field(default=None, compare=False)

    @property
    def failed(self) -> bool:
        return not self.metrics


#: More lines than this help nobody; the first ones show the pattern.
SHOWN = 20


class Problems:
    """Collects sentences, each with its place and what to do; what is said of many rows is said once."""

    def __init__(self) -> None:
        self.places: dict[str, list[str]] = {}
        """Sentence -> where it holds."""

    def add(self, place: str, what: str) -> None:
        self.places.setdefault(what, []).append(place)

    def settle(self) -> None:
        """Raises `ImportFileError` if there is anything to tell: nothing of the import is kept then."""
        lines = [
            f"{places[0]}: {what}" + (f" ({len(places) - 1} more such)" if len(places) > 1 else "")
            for what, places in self.places.items()
        ]
        if lines:
            further = [f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
            raise ImportFileError([*lines[:SHOWN], *further])
