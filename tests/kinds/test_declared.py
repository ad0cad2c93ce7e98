"""A kind of claim that is not fully declared is refused at import, and told what it lacks."""

from __future__ import annotations

from typing import Literal

import pytest

from audit.kinds import name_of
from audit.kinds.base import KIND, Case, Claim, Reference
from audit.stats.decision import Test


def test_what_a_kind_lacks_is_named() -> None:
    class Nameless(Claim):
        references = ("of",)

    with pytest.raises(TypeError) as refused:
        name_of(Nameless)
    assert str(refused.value) == (
        "Nameless is not yet a kind of claim: it lacks kind: Literal[NAME] and arms and judge and "
        "key 'of', which its references name"
    )


def test_a_whole_kind_has_its_name() -> None:
    class AtLeast(Claim):
        references = ("of",)
        arms = 1
        kind: Literal["at_least"] = KIND
        of: Reference

        @staticmethod
        def judge(case: Case) -> Test:
            raise AssertionError

    assert name_of(AtLeast) == "at_least"
