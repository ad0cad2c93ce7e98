"""Plain data as the YAML that a person would have written: short things on one line, numbers in quotes."""

from __future__ import annotations

import json

import yaml

from audit.claim_source import Plain

#: A mapping or list of this many characters still stands on one line.
ONE_LINE = 110


def rendered(value: Plain, *, flow: bool = False) -> str:
    """YAML text of plain data, without a line end after it; with `flow`, on one line.

    Text that could be read as anything else is quoted: printed numbers stay the strings they are.
    """
    if isinstance(value, str):
        return _text(value)
    if not isinstance(value, dict | list | tuple):
        return json.dumps(value)
    if flow or _is_short(value):
        if isinstance(value, dict):
            held = (f"{_text(str(key))}: {rendered(it, flow=True)}" for key, it in value.items())
            return f"{{{', '.join(held)}}}"
        return f"[{', '.join(rendered(it, flow=True) for it in value)}]"
    if isinstance(value, dict):
        return "\n".join(_entry(_text(str(key)), it) for key, it in value.items())
    return "\n".join("  - " + indented(rendered(it), 4)[4:] for it in value)


def _entry(key: str, value: Plain) -> str:
    text = rendered(value)
    on_line = not isinstance(value, dict | list | tuple) or text[:1] in "[{"
    by = 0 if isinstance(value, list | tuple) else 2  # a list is indented as it is rendered
    return f"{key}: {text}" if on_line else f"{key}:\n{indented(text, by)}"


def block(held: Plain) -> str:
    """One entry of a mapping or list on lines of its own, its value in whatever way reads best."""
    if isinstance(held, dict):
        return "\n".join(_entry(_text(str(key)), it) for key, it in held.items())
    return "\n".join("- " + indented(rendered(it), 2)[2:] for it in held)


def indented(text: str, by: int) -> str:
    return "\n".join(f"{' ' * by}{line}" if line else line for line in text.split("\n"))


def _text(text: str) -> str:
    """Quoted where YAML could take it for something else, or where brackets around it could."""
    plain = text.replace("@", "").replace("-", "").replace("_", "")
    words = plain.replace(" ", "").replace(".", "")
    safe = words.isalnum() and text[0].isalpha() and text.isascii() and text == text.strip()
    reserved = text.casefold() in ("null", "true", "false", "yes", "no", "on", "off", "y", "n")
    if safe and not reserved:
        return text
    quoted: str = yaml.dump(text, default_style='"', allow_unicode=True, width=float("inf"))
    return quoted.rstrip("\n")


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
