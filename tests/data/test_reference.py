"""The copies of the reference vectors are the originals."""

from __future__ import annotations

import pytest

from tests.data.reference import FOLDER
from tests.shared import shared


@pytest.mark.parametrize("name", ["06_text.json", "07_vocabulary.json"])
def test_copy_equals_the_original(name: str) -> None:
    """A stored reference file is byte for byte the one it was copied from."""
    assert (FOLDER / name).read_bytes() == shared(f"refdyn/{name}").read_bytes()
