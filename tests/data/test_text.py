"""The tokenisers, string by string."""

from __future__ import annotations

from typing import Any

import pytest

from reimpl.data.text import (
    ATTENTIONXML,
    LIU,
    STUDY,
    treebank_tokens,
)
from tests.data.reference import reference

STRINGS = reference("06_text.json")["strings"]


@pytest.mark.parametrize("case", STRINGS, ids=[repr(case["text"])[:40] for case in STRINGS])
def test_equals_the_public_code(case: dict[str, Any]) -> None:
    """The three rules give the words that the public programs gave."""
    assert STUDY(case["text"]) == case["study"]
    assert LIU(case["text"]) == case["xmlcnn_original"]
    assert ATTENTIONXML(case["text"]) == case["attentionxml"]


# --------------------------------------------------------------------------- Penn Treebank


@pytest.mark.parametrize("case", STRINGS, ids=[repr(case["text"])[:40] for case in STRINGS])
def test_equals_nltk(case: dict[str, Any]) -> None:
    """The tokens that NLTK 3.4 gave."""
    assert treebank_tokens(case["text"]) == case["nltk_raw_tokens"]
