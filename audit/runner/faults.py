"""What is told of a fault: of names and settings that cannot be, and inside a run."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from audit.errors import option
from audit.record import RunSpec, models_of
from audit.runner.versions import codes_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from reimpl.errors import ConfigError


def told(err: BaseException, spec: RunSpec) -> str:
    """`ValueError: oops (mine/net.py:31)`: with the last line of a model of others, where one led to it."""
    from reimpl.errors import ConfigError
    from reimpl.models import fault, find_model

    modules = []
    for model, code in codes_of(spec).items():
        with suppress(ConfigError):
            modules.append(find_model(model, code))
    return fault(err, *modules)


def with_way_out(err: ConfigError, model: str, config: Mapping[str, Any]) -> str:
    """The message; where a model, or the one that it is put on, is not there, with what would add it."""
    from reimpl.models import known_models

    known = known_models()
    if all(it in known for it in models_of(model, config)):
        return err.message
    return f"{err.message}; `{option('models', 'DIR')}` adds those of a folder"
