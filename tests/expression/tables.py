"""Tables as a claim file has them, for expressions to look up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from audit.expression.grammar import parse
from audit.expression.meaning import Meaning, Number, Outcome, evaluate
from audit.stats.printed import Printed, printed


@dataclass(frozen=True)
class Table:
    """Cells by reference, table.row.column; what shares table and column is of another method."""

    cells_by_reference: Mapping[str, str]
    given: Mapping[str, Printed | Fraction] = field(default_factory=dict)

    def cell(self, reference: str) -> Printed:
        return printed(self.cells_by_reference[reference])

    def cells(self, reference: str) -> list[Printed]:
        table, row, column = reference.split(".")
        return [
            printed(text)
            for other, text in self.cells_by_reference.items()
            if (table, row, column) == (other.split(".")[0], *_starred(other, row, column))
        ]

    def others(self, reference: str) -> list[Printed]:
        table, _, column = reference.split(".")
        return [
            printed(text)
            for other, text in self.cells_by_reference.items()
            if other != reference and other.split(".")[::2] == [table, column]
        ]

    def constant(self, name: str) -> Printed | Fraction:
        return self.given[name]


def _starred(reference: str, row: str, column: str) -> tuple[str, str]:
    own_row, own_column = reference.split(".")[1:]
    return ("*" if row == "*" else own_row), ("*" if column == "*" else own_column)


def outcome(text: str, cells: Mapping[str, str] | None = None, **given: Printed | Fraction) -> Outcome:
    """The outcome of a sentence; a cell that has a short name here is row `name` of table t, column P@1."""
    named = {name if "." in name else f"t.{name}.P@1": value for name, value in (cells or {}).items()}
    return evaluate(parse(text), Table(named, given))


def value(text: str, cells: Mapping[str, str] | None = None, **given: Printed | Fraction) -> Number:
    """The readings of an expression that stands for a number."""
    named = {name if "." in name else f"t.{name}.P@1": value for name, value in (cells or {}).items()}
    return Meaning(Table(named, given)).number(parse(f"{text} > 0").parts[0])
