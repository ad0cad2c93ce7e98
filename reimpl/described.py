"""What a model's `config:` and an experiment's `training:` may set: the docstring below a field, and the
comment above an entry of `VARIANTS`, are read from the source, since Python keeps neither."""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from itertools import pairwise, takewhile
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from reimpl.config_fields import as_json
from reimpl.data.preprocessing import PREPROCESSINGS
from reimpl.models import variant_keys
from reimpl.protocol import PROTOCOLS, TABLES, TUNING

_WORDS: Mapping[Any, str] = {
    int: "whole number",
    float: "number",
    str: "text",
    bool: "true or false",
    NoneType: "null",
}


@dataclass(frozen=True)
class KeyLine:
    """A key that a claim file may set."""

    name: str
    type: str  # In words, as in `whole number or null`
    default: str | None  # As YAML has it; None where there is none
    says: str  # Empty where the source says nothing


def keys_of(config: type) -> tuple[KeyLine, ...]:
    """The fields of a dataclass, in its order, with those that it inherits."""
    hints, says = get_type_hints(config), field_docstrings(config)
    names = [(key.name, _default(key)) for key in fields(config)]
    return tuple(KeyLine(name, in_words(hints[name]), value, says.get(name, "")) for name, value in names)


def in_words(kind: Any) -> str:
    """A type as the writer of a claim file reads it, as in `list of whole numbers`, `text or null`, `sum or
    mean`."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " or ".join(map(_plain, parts))
    if origin in (Union, UnionType):
        return " or ".join(map(in_words, parts))
    if origin in (tuple, list):
        return f"list of {in_words(parts[0])}s"
    return "keys and values" if origin else _WORDS.get(kind, str(kind))


def field_docstrings(config: type) -> dict[str, str]:
    """Field -> the docstring below it, on one line, of a class and of those that it inherits from."""
    texts: dict[str, str] = {}
    for part in reversed(config.__mro__[:-1]):
        (node,) = ast.parse(textwrap.dedent(inspect.getsource(part))).body
        for key, after in pairwise(getattr(node, "body", [])):
            if isinstance(key, ast.AnnAssign) and isinstance(after, ast.Expr):
                text = " ".join(str(ast.literal_eval(after.value)).split())
                texts[ast.unparse(key.target)] = re.sub(r"\bNone\b", "null", text)
    return texts


def variants_of(module: ModuleType) -> dict[str, tuple[str, dict[str, str]]]:
    """Name -> the comment above the variant, and the keys that it sets otherwise than their default."""
    lines, comments = inspect.getsource(module).splitlines(), dict[str, str]()
    keys = [key for node in ast.parse("\n".join(lines)).body for key in variant_keys(node) or ()]
    for key in keys:
        if isinstance(key, ast.Constant):
            above = takewhile(lambda line: line.strip().startswith("#"), reversed(lines[: key.lineno - 1]))
            comments[str(key.value)] = " ".join(line.strip().lstrip("# ") for line in reversed([*above]))
    variants = {}
    for name, config in module.VARIANTS.items():
        values = {it.name: (_plain(getattr(config, it.name)), _default(it)) for it in fields(config)}
        sets = {key: value for key, (value, default) in values.items() if value != default}
        variants[name] = (comments.get(name, ""), sets)
    return variants


def _default(field: Field[Any]) -> str | None:
    if field.default_factory is not MISSING:
        return _plain(field.default_factory())
    return None if field.default is MISSING else _plain(field.default)


def _plain(value: Any) -> str:
    """As YAML has it: text without quotes, but for text that would be read as something else."""
    if isinstance(value, str) and value and value not in ("true", "false", "null"):
        return value
    return json.dumps(as_json(value), ensure_ascii=False, default=str)


# Protocols, recipes and tuning protocols in one line each. Whose it is stands in `protocols.toml`; what it
# does is read from the object itself, so that the line cannot grow old.


def protocols() -> dict[str, str]:
    """Name -> whose it is, how long and how it trains, and which epoch is reported."""
    lines = {}
    for name, it in PROTOCOLS.items():
        whole = name if name in TABLES["training"] else name.removesuffix("-small")
        of = TABLES["training"][whole]["whose"] + ", at the sizes of small" * (whole != name)
        averaged = it.average_from is not None
        reported = "averaged weights count" if averaged else "the last epoch counts"
        if it.select != "last":
            on = "the test set" if it.select == "best_on_test" else "documents held out"
            reported = f"the best {it.select_metric}{' of averaged weights' * averaged} on {on} counts"
        lines[name] = (
            f"{of}: {it.epochs} epochs, batches of {it.batch_size}, {TABLES['optimisers'][it.optimiser]} at "
            f"{it.learning_rate:g}, {it.length} tokens; {reported}"
        )
    return lines


def recipes() -> dict[str, str]:
    lines = {}
    for name, it in PREPROCESSINGS.items():
        words = TABLES["vocabularies"][it.vocabulary].format(size=it.vocabulary_size)
        what = " and ".join(["tokens"] * it.tokens + ["tf-idf features"] * it.tfidf)
        lost = "; training texts without labels are dropped" if it.unlabelled == "drop" else ""
        lines[name] = f"{TABLES['recipes'][it.name]}: {what} of {words}{lost}"
    return lines


def tunings() -> dict[str, str]:
    return {name: f"{it.source}: {it.trials} trials by {it.metric}" for name, it in TUNING.items()}
