"""Ctrl-C while the models of the claim file are built: it comes, a little later, and spoils nothing."""

from __future__ import annotations

import signal
from typing import Annotated, Any

import pytest
from pydantic import ValidationError
from pydantic_core import core_schema

from audit.claims.schema import Model
from audit.interrupts import held_back


def test_it_waits_until_the_block_is_over() -> None:
    before = signal.getsignal(signal.SIGINT)
    done = []
    with pytest.raises(KeyboardInterrupt), held_back():
        signal.raise_signal(signal.SIGINT)
        done.append("what was begun")
    assert done
    assert signal.getsignal(signal.SIGINT) is before
    with held_back():
        done.append("and nothing comes where nothing came")
    assert signal.getsignal(signal.SIGINT) is before


class Pattern(str):
    """A pattern at whose copy the interrupt comes: pydantic, in Rust, has nowhere to put it."""

    def __str__(self) -> str:
        signal.raise_signal(signal.SIGINT)
        return str.__str__(self)


class Matching:
    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.str_schema(pattern=Pattern("^[a-z]+$"))


def test_a_model_that_is_built_meanwhile_is_whole() -> None:
    class Late(Model):
        name: Annotated[str, Matching()]

    with pytest.raises(KeyboardInterrupt):
        Late.model_validate({"name": "eurlex"})
    assert Late.model_validate({"name": "eurlex"}).name == "eurlex"
    with pytest.raises(ValidationError, match=r"\^\[a-z\]\+\$"):
        Late.model_validate({"name": "EUR-Lex"})
