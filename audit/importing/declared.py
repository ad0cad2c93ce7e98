"""What whoever imports says about the files, beside what stands in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from audit.errors import AuditError

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
            raise AuditError(f"--unit {self.unit!r} is unknown; add --unit percent or --unit fraction")
        if self.same_data and self.other_split:
            raise AuditError("--same-data and --other-split exclude each other; keep the one that is so")
        if self.test_size < 0:
            raise AuditError(f"--test-size {self.test_size}: give the number of test documents, 1 or more")
        if self.fingerprint is not None and not FINGERPRINT.fullmatch(self.fingerprint):
            raise AuditError(f"--fingerprint {self.fingerprint!r} is none; {WHAT_A_FINGERPRINT_IS}")


WHAT_A_FINGERPRINT_IS = "give 32 to 64 digits of 0-9 and a-f, as `audit data describe DIR` prints for content"
