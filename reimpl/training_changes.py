"""Changes of a named protocol that an experiment of a claim file asks for, under `training`.

Imports no torch, as `reimpl.protocol`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from reimpl.config_fields import wanted
from reimpl.errors import ConfigError
from reimpl.protocol import (
    BEGINNINGS,
    PROTOCOLS,
    SIZES,
    SIZES_OF_CHOICES,
    Protocol,
    in_proportion,
    reduced_sizes,
)


class TrainingError(ConfigError):
    """A change that cannot be. `key` is the one at fault; None where several do not go together."""

    def __init__(self, key: str | None, why: str) -> None:
        super().__init__(f"training key {key!r} {why}" if key else why)
        self.key, self.why = key, why


#: Fields of a protocol that an experiment may change.
KEYS = tuple(it.name for it in fields(Protocol) if it.name not in ("name", "model", "deviation"))


def with_training(base: Protocol, training: Mapping[str, Any]) -> Protocol:
    """`base` with some of its fields changed. Raises `TrainingError` naming the key and the value."""
    from pydantic import TypeAdapter, ValidationError

    for key in training:
        if key not in KEYS:
            raise TrainingError(key, f"is not known; known are {', '.join(KEYS)}")
    try:
        # As JSON and strict: "16" and true are no numbers.
        text = json.dumps({**asdict(base), **training}, default=str)
        changed = TypeAdapter(Protocol).validate_json(text, strict=True)
    except ValidationError as err:
        first = err.errors()[0]
        key = str(first["loc"][0])
        why = f"cannot be {training.get(key)!r}: {first['msg']}{wanted(first['type'])}"
        raise TrainingError(key, why) from err
    except ConfigError as err:
        raise TrainingError(None, str(err)) from err
    _check_names(changed)
    return changed


def _check_names(changed: Protocol) -> None:
    from reimpl.data.splits import find_rule

    if changed.hold_out is not None:
        try:
            find_rule(changed.hold_out)
        except ConfigError as err:
            raise TrainingError("hold_out", f"cannot be: {err}") from err
    if not re.fullmatch(r"(P|R|RP|nDCG)@[135]", changed.select_metric):
        raise TrainingError(
            "select_metric",
            f"cannot be {changed.select_metric!r}; measured are P, R, RP, nDCG at 1, 3 and 5, as in nDCG@5",
        )


def with_choices(base: Protocol, claimed: Protocol, training: Mapping[str, Any]) -> Protocol:
    """`base`, which stands in for `claimed`, with the choices that `training` makes.

    Experiments of a paper differ in their choices, and its claims compare them. Sizes stay those of `base`,
    but those of a reduced protocol are no larger than claimed (`reduced_sizes`), and an epoch at which
    something begins is in proportion (`in_proportion`). What does nothing there is dropped: where nothing is
    selected, there is no patience.
    """
    changes: dict[str, Any] = {key: getattr(claimed, key) for key in training if key not in SIZES}
    if base.deviation is not None:
        usual = PROTOCOLS.get(claimed.name, claimed).learning_rate
        changes |= reduced_sizes(base, claimed, usual_rate=usual)
    changes |= _beginnings(base, claimed, training, changes.get("epochs", base.epochs))
    changes |= {key: _size_of_choice(key, base, claimed) for key in SIZES_OF_CHOICES if key in training}
    return replace(base, **_tidy({**asdict(base), **changes}, claimed))


def _beginnings(
    base: Protocol, claimed: Protocol, training: Mapping[str, Any], epochs: int
) -> dict[str, int | None]:
    """When something begins that `training` or `base` has, among so many epochs."""
    reduced = base.deviation is not None
    found = {}
    for key in (it for it in BEGINNINGS if it in training or getattr(base, it) is not None):
        asked = key in training or (reduced and getattr(claimed, key) is not None)
        found[key] = in_proportion(key, claimed if asked else base, epochs, reduced=reduced)
    return found


def _size_of_choice(key: str, base: Protocol, claimed: Protocol) -> Any:
    """The size of a choice that is claimed: that of `base` where it has one, and no larger than claimed."""
    value = getattr(claimed, key)
    if value is None:
        return None
    own = getattr(base, key) or (SIZES_OF_CHOICES[key] if base.deviation else value)
    return min(own, value) if base.deviation and isinstance(value, int) else own


def _tidy(parts: dict[str, Any], claimed: Protocol) -> dict[str, Any]:
    """Without what goes with a choice that is not made, and with what goes with one that is."""
    if parts["evaluate"] != "every_steps":
        parts["evaluate_every"] = None
    elif parts["evaluate_every"] is None:
        parts["evaluate_every"] = claimed.evaluate_every
    if parts["select"] == "last":
        parts |= {"patience": None, "keep_from": None, "select_above": None}
    if parts["select"] != "best_on_dev":
        parts["hold_out"] = None
    return parts


def problem(name: str, training: Mapping[str, Any]) -> tuple[str | None, str] | None:
    """What is wrong with changing the protocol of that name so: the key, if it is one, and a sentence."""
    try:
        with_training(PROTOCOLS[name], training)
    except TrainingError as err:
        return err.key, err.why
    return None
