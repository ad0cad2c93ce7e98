"""Texts that carry their own digest in their first line, so that a cut or changed file is noticed."""

from __future__ import annotations

import hashlib
from pathlib import Path


def digest_of(text: str) -> str:
    """SHA-256 of its UTF-8 bytes, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def with_digest(text: str) -> str:
    """What is to be written."""
    return f"{digest_of(text)}\n{text}"


def read_checked(path: Path) -> str | None:
    """The text without its digest; None where it is not as it was written. Raises `OSError`, `ValueError`."""
    digest, _, text = path.read_text("utf-8").partition("\n")
    return text if digest == digest_of(text) else None
