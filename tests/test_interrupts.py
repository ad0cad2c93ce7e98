"""Ctrl-C while the models of the claim file are built: it comes, a little later, and spoils nothing."""

from __future__ import annotations

import signal
import threading
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


def test_what_is_raised_inside_comes_out_where_nothing_was_held_back() -> None:
    with pytest.raises(ZeroDivisionError), held_back():
        raise ZeroDivisionError


def test_other_threads_are_left_alone() -> None:
    """They may not set handlers, and no interrupt comes to them."""
    seen: list[Any] = []

    def work() -> None:
        before = signal.getsignal(signal.SIGINT)
        with held_back():
            seen.append(signal.getsignal(signal.SIGINT) is before)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True]


def test_whoever_ignores_interrupts_goes_on_doing_so(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with held_back():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


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
