"""Configurations of models as plain values, for records and run keys.

A run's key is a digest of its configuration, so a field that a `Config` gains would give every stored run of
that model another key. Such a field is declared with `later`, and is left out of the values while it is at
its default: runs from before it are found again.

Importing this module does not import torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field, fields
from typing import Any

_LATER = "later"


def later(default: Any) -> Any:
    """Default of a dataclass field that came after runs were stored: that which those runs had."""
    return field(default=default, metadata={_LATER: True})


def as_dict(config: Any) -> dict[str, Any]:
    """The fields of a `Config`, without those of `later` that are at their default."""
    idle = {
        it.name for it in fields(config) if _LATER in it.metadata and getattr(config, it.name) == it.default
    }
    return {name: value for name, value in asdict(config).items() if name not in idle}


def as_json(value: Any) -> Any:
    """As JSON holds it: tuples are lists."""
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, list | tuple) else value
