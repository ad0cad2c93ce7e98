"""A small language for sentences with numbers in them, over printed cells: read and checked, never run.

Reads from the bottom up: `interval` (exact arithmetic), `words` (what "about 12" means), `reading` (numbers
with their rounding, and truth), `functions` (the table); then from text to tree (`tokens`, `tree`, `parts`,
`grammar`) and from tree to an outcome (`meaning`, `filled`, `outcome`).
"""

from __future__ import annotations

from audit.expression.errors import ExpressionError, UndefinedError
from audit.expression.functions import FUNCTIONS
from audit.expression.grammar import parse
from audit.expression.meaning import Lookup
from audit.expression.outcome import Outcome, evaluate, value_of
from audit.expression.tree import Expression, names, references
from audit.expression.words import RELATIONS

__all__ = [
    "FUNCTIONS",
    "RELATIONS",
    "Expression",
    "ExpressionError",
    "Lookup",
    "Outcome",
    "UndefinedError",
    "evaluate",
    "names",
    "parse",
    "references",
    "value_of",
]
