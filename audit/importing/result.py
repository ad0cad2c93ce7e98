"""One experiment with one seed as others' files give it, what is declared of it, and all that is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from numpy.typing import NDArray

from audit.errors import AuditError, ImportFileError, option

Unit = Literal["percent", "fraction"]

#: As in a claim file: a SHA-256, or its first half.
FINGERPRINT = re.compile(r"[0-9a-f]{32,64}")


@dataclass(frozen=True)
class Source:
    """A file that numbers came from."""

    file: str
    """Its name, without the folder."""
    sha256: str
    """Of its bytes, 64 hex digits."""


#: What some write where a reason is asked for.
_NO_REASON = (
    "no",
    "not",
    "yes",
    "true",
    "false",
    "unknown",
    "none",
    "i do not know",
    "i don't know",
    "maybe",
)


@dataclass(frozen=True)
class Declared:
    """The options of `audit import`. Raises `AuditError` for one that cannot be meant."""

    by: str = ""
    """Who ran it, with what."""
    authors_code: str = ""
    """Which code of the paper's authors was run; empty where it was another program."""
    unit: Unit | None = None
    dataset: str | None = None
    """Stands in for the column of that name."""
    fingerprint: str | None = None
    """Identity of the corpus, as `audit data describe` prints it under `content`."""
    same_data: str = ""
    """Why the data are the paper's own, where no fingerprint can tell."""
    other_split: str = ""
    """Why they are another split of the paper's documents."""
    test_size: int = 0
    """Test documents, where the files do not tell; 0: not said."""
    other_dataset: bool = False
    """A data set whose name is much like one of the paper's is another one all the same."""
    same_predictions_ok: bool = False
    """Several seeds of one experiment gave the same lists or values, each in a run of its own."""
    outliers_ok: bool = False
    """Values far from those of the other seeds are what came out."""

    def __post_init__(self) -> None:
        if self.unit not in (None, "percent", "fraction"):
            raise AuditError(
                f"{option('unit')} {self.unit!r} is unknown; "
                f"add {option('unit', 'percent')} or {option('unit', 'fraction')}"
            )
        for name, text in (
            (option("same_data"), self.same_data),
            (option("other_split"), self.other_split),
        ):
            if text and text.strip(" .!?").lower() in _NO_REASON:
                raise AuditError(f"{name} {text!r} is no reason; say how you know, as in: the authors' files")
        if self.same_data and self.other_split:
            raise AuditError(
                f"{option('same_data')} and {option('other_split')} exclude each other; "
                "keep the one that is so"
            )
        if self.test_size < 0:
            raise AuditError(
                f"{option('test_size')} {self.test_size}: give the number of test documents, 1 or more"
            )
        if self.fingerprint is not None and not FINGERPRINT.fullmatch(self.fingerprint):
            raise AuditError(f"{option('fingerprint')} {self.fingerprint!r} is none; {WHAT_A_FINGERPRINT_IS}")


WHAT_A_FINGERPRINT_IS = "give 32 to 64 digits of 0-9 and a-f, as `audit data describe DIR` prints for content"


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


#: More lines than this help nobody; the first ones show the pattern.
SHOWN = 20


class Problems:
    """Collects sentences, each with its place and what to do; what is said of many rows is said once."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._count: dict[str, int] = {}
        self._further = 0

    def add(self, place: str, what: str) -> None:
        if what in self._first or len(self._first) < SHOWN:
            self._first.setdefault(what, place)
            self._count[what] = self._count.get(what, 0) + 1
        else:
            self._further += 1  # a file of many millions of bad rows must not fill the memory

    def __bool__(self) -> bool:
        return bool(self._first)

    def settle(self) -> None:
        """Raises `ImportFileError` if there is anything to tell: nothing of the import is kept then."""
        if not self:
            return
        lines = [f"{place}: {what}{self._more(what)}" for what, place in self._first.items()]
        raise ImportFileError([*lines, *([f"and {self._further} more"] if self._further else [])])

    def _more(self, what: str) -> str:
        more = self._count[what] - 1
        return f" ({more} more such {'row' if more == 1 else 'rows'})" if more else ""
