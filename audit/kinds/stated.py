"""Statements as expressions over cells and constants; `audit.checks` decide them without any run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from audit.claims.schema import MODULE, Count, Key, Misfit, Model, Setting, Text
from audit.claims.source import KeyPath
from audit.expression.grammar import parse, references
from audit.kinds.base import KIND, Claim, Constant, Symbol, formula_misfits


class Formula(Claim):
    """A statement as an exact expression over cells and constants; no run decides it."""

    by_runs = False
    needs_metric = False

    expect: Text
    """The statement as an expression, as in gain(t3.ours.P@1, t3.base.P@1) more than 2."""
    given: Mapping[Symbol, Constant] = {}
    """Constants of the expression by name."""

    def misfits(self) -> Iterator[Misfit]:
        yield from super().misfits()
        yield from formula_misfits(("expect",), self.expect, self.given, statement=True)

    def named(self) -> Iterator[tuple[KeyPath, str, str]]:
        for reference in references(parse(self.expect)):
            yield ("expect",), "cell", reference

    def settings(self) -> dict[str, Any]:
        return {"expect": self.expect, "details": {"given": dict(self.given)} if self.given else {}}


class ArithmeticClaim(Formula):
    """A sentence with a number in it, compared with the tables."""

    kind: Literal["arithmetic"] = KIND


class Counted(Model):
    """Weights of a model, counted in the model itself where `audit check --count-weights` makes one."""

    model: Annotated[str, StringConstraints(pattern=MODULE)]
    """Name of the model's file in reimpl, as in xml_cnn."""
    variant: Text
    """Name of a variant in that file."""
    config: Mapping[Key, Setting] = {}
    """Keys of the variant that are set otherwise."""
    labels: Count
    """Number of labels."""
    length: Count = 500
    """Tokens a document."""
    dimension: Count = 300
    """Components of a word vector."""
    vocabulary: Count = 2
    """Words; matters only where word vectors are counted."""
    weights: Annotated[tuple[Text, ...], Field(min_length=1)]
    """Names of the weights to count, with * for any, as in hidden.*"""
    equals: Text
    """The formula, over the constants in `given`."""


class StructuralClaim(Formula):
    """Shapes, parameter counts and sizes, compared with their formula."""

    check = "structure"

    kind: Literal["structural"] = KIND
    counted: tuple[Counted, ...] = ()
    """The same numbers, counted in a model of ours."""

    def misfits(self) -> Iterator[Misfit]:
        yield from super().misfits()
        for index, weights in enumerate(self.counted):
            yield from formula_misfits(("counted", index, "equals"), weights.equals, self.given)

    def settings(self) -> dict[str, Any]:
        settings = super().settings()
        counted = [weights.model_dump(mode="json") for weights in self.counted]
        return settings | ({"details": settings["details"] | {"counted": counted}} if counted else {})
