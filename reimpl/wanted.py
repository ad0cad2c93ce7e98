"""What to write in place of a value of another type: the last words of a sentence about it."""

from __future__ import annotations

_KINDS = {
    "int": "a whole number without quotes, as 10",
    "float": "a number without quotes, as 0.5",
    "bool": "true or false",
    "string": "a text",
    "list": "a list, as [1, 2]",
    "tuple": "a list, as [1, 2]",
    "dict": "keys with values",
}


def wanted(kind: str) -> str:
    """`; give a whole number ...` by pydantic's name of the error, as `int_type`; empty where it says all.

    >>> wanted("bool_type")
    '; give true or false'
    """
    name = kind.removesuffix("_type").removesuffix("_parsing").removesuffix("_from_float")
    return f"; give {_KINDS[name]}" if name in _KINDS else ""
