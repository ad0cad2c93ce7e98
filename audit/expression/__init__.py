"""A small language for sentences with numbers in them, over printed cells: read and checked, never run.

`interval` is exact arithmetic, `words` what "about 12" means, `functions` the table of functions, `grammar`
reads a text to a tree, `meaning` evaluates the tree, `filled` shows it with its numbers.
"""

from __future__ import annotations

from audit.expression.functions import FUNCTIONS, RELATIONS
from audit.expression.grammar import ExpressionError, Node, names, parse, references
from audit.expression.interval import UndefinedError
from audit.expression.meaning import Lookup, Outcome, evaluate, value_of

__all__ = [
    "FUNCTIONS",
    "RELATIONS",
    "ExpressionError",
    "Lookup",
    "Node",
    "Outcome",
    "UndefinedError",
    "evaluate",
    "names",
    "parse",
    "references",
    "value_of",
]
