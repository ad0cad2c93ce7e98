"""A model on top of another one: CorNet on a network's scores, label clusters on its vectors. The base is any
model with `build`: a claim file names it, its variant and the changed keys. Both are trained together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, TypeVar, cast

from torch import nn

from reimpl.errors import ConfigError
from reimpl.models import find_config, find_model, known_bases, known_models, reduced_config
from reimpl.protocol import as_dict, as_json, later


@dataclass(frozen=True)
class OnTop:
    """The base, in the `Config` of the model on top."""

    base: str | None = None
    """Name of the model below, as in xml_cnn; it has to be given."""
    base_variant: str | None = None
    """A variant of the base. `resolve` writes its keys into `base_config` and sets this to None."""
    base_config: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the base that differ from its variant; all its keys when written out."""
    base_revision: int = later(1)
    """REVISION of the base, filled in: a correction of the base also makes new runs of what is on it."""


_Config = TypeVar("_Config", bound=OnTop)


def resolve(config: _Config) -> _Config:
    """The configuration with all keys of the base's variant, for the run's key. Raises `ConfigError`."""
    revision = getattr(base_module(config), "REVISION", 1)
    return replace(_written_out(config, base_config(config)), base_revision=revision)


def reduce(config: _Config, sizes: Mapping[str, Any]) -> _Config:
    return _written_out(config, reduced_config(base_module(config), base_config(config), sizes))


def _written_out(config: _Config, base: Any) -> _Config:
    return replace(config, base_variant=None, base_config=as_json(as_dict(base)))


def base_config(config: OnTop) -> Any:
    """The base's own `Config`. Raises `ConfigError`."""
    module = base_module(config)
    unknown = config.base_variant is not None and config.base_variant not in module.VARIANTS
    try:
        found = find_config(module, config.base_variant, config.base_config)
        if hasattr(module, "check_single"):
            module.check_single(found)
    except ConfigError as err:
        place = ["base_variant"] if unknown else ["base_config", *err.place]
        raise ConfigError(f"base {config.base!r}: {err}", place) from err
    return found


def base_module(config: OnTop) -> ModuleType:
    """The base's module. Raises `ConfigError` if it is missing, unknown, or no network."""
    offer = f"one can be put on {', '.join(known_bases())}"
    if config.base is None:
        why = " is missing: name the model that this is put on, as in base: xml_cnn"
    elif config.base not in known_models():
        why = f": model {config.base!r} is not known; {offer}"
    else:
        try:
            module = find_model(config.base)
        except ConfigError as err:
            raise ConfigError(f"config key 'base': {err}", ["base"]) from err
        if hasattr(module, "build"):
            return module
        why = f": model {config.base!r} is not a single network with `build`; {offer}"
    raise ConfigError(f"config key 'base'{why}", ["base"])


class Upon(nn.Module):
    """A network on top of another one, `base`, which answers for it in training."""

    base: nn.Module

    def __getattr__(self, name: str) -> Any:
        """Properties of the base hold for the whole (`reimpl.models`)."""
        if name in ("minimum_width", "position_bound", "reads_neighbours", "dense_embeddings"):
            return getattr(self.base, name, False)
        return super().__getattr__(name)


def encoder(module: ModuleType, config: Any, **sizes: Any) -> tuple[nn.Module, int]:
    """A model's network from token ids (B, T) to vectors (B, H), and H; sizes: but for its labels. Leaves out
    its last layer, `output` or the one `output_name` names. Raises `ConfigError` if there is none."""
    network = module.build(config, labels=1, **sizes)
    name = getattr(network, "output_name", "output")
    output = dict(network.named_modules()).get(name) if name else None
    if not isinstance(output, nn.Linear):
        what = f"the network of {module.__name__!r} has no layer from document vectors to scores"
        raise ConfigError(f"{what} ({name!r} is not an nn.Linear); name it in output_name")
    network.set_submodule(name, nn.Identity())
    return cast(nn.Module, network), output.in_features
