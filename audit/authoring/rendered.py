"""Plain data as the YAML that a person would have written: short things on one line, numbers in quotes."""

from __future__ import annotations

import io
from typing import Any

from audit.claim_source import Plain

#: A mapping or list of this many characters still stands on one line.
ONE_LINE = 110
#: Longer than any line: nothing is folded.
_NO_LIMIT = 1 << 30


def rendered(value: Plain, *, flow: bool = False) -> str:
    """YAML text of plain data, without a line end after it; with `flow`, on one line.

    Text that could be read as anything else is quoted: printed numbers stay the strings they are.
    """
    stream = io.StringIO()
    _yaml().dump(_node(value, flow), stream)
    return stream.getvalue().removesuffix("\n").removesuffix("\n...").removesuffix("\n")


def _yaml() -> Any:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.width = _NO_LIMIT
    yaml.allow_unicode = True
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.representer.add_representer(
        type(None), lambda representer, _: representer.represent_scalar("tag:yaml.org,2002:null", "null")
    )
    return yaml


def _node(value: Plain, flow: bool) -> Any:
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if isinstance(value, str):
        return _text(value)
    if not isinstance(value, dict | list | tuple):
        return value
    node: Any = CommentedMap() if isinstance(value, dict) else CommentedSeq()
    inside = flow or _is_short(value)
    if isinstance(value, dict):
        for key, held in value.items():
            node[key] = _node(held, inside)
    else:
        node.extend(_node(held, inside) for held in value)
    if inside:
        node.fa.set_flow_style()
    else:
        node.fa.set_block_style()
    return node


def _text(text: str) -> Any:
    """Quoted where YAML could take it for something else, or where brackets around it could."""
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    plain = text.replace("@", "").replace("-", "").replace("_", "")
    words = plain.replace(" ", "").replace(".", "")
    safe = words.isalnum() and text[0].isalpha() and text.isascii() and text == text.strip()
    reserved = text.casefold() in ("null", "true", "false", "yes", "no", "on", "off", "y", "n")
    return text if safe and not reserved else DoubleQuotedScalarString(text)


def _is_short(value: Plain) -> bool:
    """Whether it reads well on one line: no nested lists of mappings, and not long."""
    if isinstance(value, dict | list | tuple) and not value:
        return True
    held = list(value.values()) if isinstance(value, dict) else list(value)
    deep = any(isinstance(it, dict) and any(isinstance(x, dict | list) for x in it.values()) for it in held)
    return not deep and _length(value) <= ONE_LINE


def _length(value: Plain) -> int:
    if isinstance(value, dict):
        return sum(len(str(key)) + 4 + _length(held) for key, held in value.items())
    if isinstance(value, list | tuple):
        return sum(2 + _length(held) for held in value)
    return len(str(value)) + 2
