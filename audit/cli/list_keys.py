"""`audit list model NAME` and `audit list training`: the keys of `config:` and `training:`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from audit.errors import AuditError

if TYPE_CHECKING:
    from reimpl.described import KeyLine

_WIDTH = 100


def asked_model(words: Sequence[str]) -> str | None:
    """NAME of `model NAME`; None where something else is asked for. Raises `AuditError` without a name."""
    from reimpl.models import known_models

    if not words or words[0] != "model":
        return None
    if len(words) != 2:
        raise AuditError(f"list model: name one of {', '.join(known_models())}")
    return words[1]


def model_lines(name: str) -> Iterator[str]:
    """Variants and keys of a model. Imports it; raises `reimpl.errors.ConfigError` for an unknown one."""
    from reimpl.described import keys_of, variants_of
    from reimpl.losses import LOSSES
    from reimpl.models import find_model, known_bases, sources_of_models

    module = find_model(name)
    title = (module.__doc__ or "").strip().partition("\n")[0]
    yield f"model {name}: {title}".rstrip(": ")
    yield f"from {sources_of_models()[name]}"
    yield "\nvariants, named by `variant:`"
    for variant, (comment, sets) in variants_of(module).items():
        yield f"  {variant}"
        yield from _wrapped(comment)
        yield from _wrapped(
            "sets " + ", ".join(f"{key}: {value}" for key, value in sets.items()) if sets else ""
        )
    yield "\nkeys, set by `config:`"
    keys = keys_of(module.Config)
    yield from _keys(keys)
    yield ""
    if "base_variant" in module.Config.__dataclass_fields__:
        yield f"base is one of {', '.join(known_bases())}; base_config has keys of that one"
    if any(it.name == "loss" and it.type.startswith("text") for it in keys):
        yield f"loss is one of {', '.join(LOSSES)}"


def training_lines() -> Iterator[str]:
    """The fields of a protocol that an experiment may change. No defaults: each protocol has its own."""
    from reimpl.data.splits import RULES
    from reimpl.described import keys_of
    from reimpl.protocol import KEYS, Protocol

    yield "keys, set by `training:`; what is left out is as `protocol:` has it (`audit list protocols`)"
    yield from _keys(replace(it, default=None) for it in keys_of(Protocol) if it.name in KEYS)
    yield f"\nhold_out is one of {', '.join(RULES)}"


def _keys(keys: Iterable[KeyLine]) -> Iterator[str]:
    for it in keys:
        default = "" if it.default is None else f"; default {it.default}"
        yield f"  {it.name}: {it.type}{default}"
        yield from _wrapped(it.says)


def _wrapped(text: str) -> Iterator[str]:
    yield from textwrap.wrap(text, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)
