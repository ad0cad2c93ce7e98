"""A kind of claim that is not fully declared is refused at import, and told what it lacks."""

from __future__ import annotations

import pytest

from audit.kinds import name_of
from audit.kinds.base import Claim


def test_what_a_kind_lacks_is_named() -> None:
    class Nameless(Claim):
        references = ("of",)

    with pytest.raises(TypeError) as refused:
        name_of(Nameless)
    assert str(refused.value) == (
        "Nameless is not yet a kind of claim: it lacks kind: Literal[NAME] and arms and judge and "
        "key 'of', which its references name"
    )
