"""Tuning protocols, data in `protocols.toml`: what is sought, where, how often, and by which metric;
`audit.runner.search` carries them out. Where a paper says that it tuned and not how, `ours` says what is
chosen here, with its reason."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from reimpl.config_fields import ChangeError, check, from_json, with_changes
from reimpl.errors import ConfigError
from reimpl.protocol import TABLES

Target = Literal["config", "training"]


@dataclass(frozen=True)
class Parameter:
    """One setting that is sought: an interval of numbers, or some values."""

    target: Target
    """Where the value goes: the model's configuration, or the training protocol."""
    key: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    """Whether the logarithm of the number is drawn evenly."""
    choices: tuple[Any, ...] = ()
    """Values instead of an interval."""
    when: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the configuration with the values at which the setting does something."""

    @property
    def name(self) -> str:
        """`config.margin`: two places may have one key."""
        return f"{self.target}.{self.key}"

    def applies(self, config: Mapping[str, Any]) -> bool:
        """Whether it does something here; what a configuration has none of (hidden: null) is not sought."""
        if self.target == "config" and config.get(self.key) is None:
            return False
        return all(config.get(key) == value for key, value in self.when.items())


@dataclass(frozen=True)
class TuningProtocol:
    """Everything about a search that is not the experiment or the data. Raises `ConfigError`."""

    name: str
    trials: int
    metric: str
    """Which is to be as high as possible on the documents held out."""
    spaces: Mapping[str, tuple[Parameter, ...]]
    """By model. A key that the experiment sets itself is not sought."""
    hold_out: str
    """Rule of `reimpl.data.splits` for the documents held out, where the corpus brings no dev part."""
    sampler: Literal["random", "tpe"] = "random"
    pruner: Literal["none", "median", "halving"] = "none"
    """median: a trial ends that is below the median of the others at the same epoch, after five finished ones
    and a fifth of the epochs. halving: successive halving, a third goes on at each rung."""
    score: Literal["best", "last"] = "best"
    """Which epoch of a trial counts."""
    patience: int | None = None
    """Epochs in a row without a gain that end a trial."""
    epochs: int | None = None
    """Of a trial; None: as many as the training protocol has."""
    metric_on: Mapping[str, str] = field(default_factory=dict)
    """Catalogue name of a data set -> its own metric."""
    ours: tuple[str, ...] = ()
    """What the paper leaves out and is chosen here, with the reason, one sentence each."""
    source: str = ""
    """Where the rest is written."""

    def __post_init__(self) -> None:
        of = f"tuning protocol {self.name!r}: "
        check(self, of=of)
        for metric in (self.metric, *self.metric_on.values()):
            if not re.fullmatch(r"P@[135]|RP@5|nDCG@5", metric):
                known = "followed are P@1, P@3, P@5, RP@5 and nDCG@5"
                raise ConfigError(f"{of}metric cannot be {metric!r}; {known}")
        if self.patience is not None and self.score == "last":
            raise ConfigError(f"{of}patience {self.patience!r} goes with score: best, not last")

    def metric_for(self, catalogue: str | None) -> str:
        """The metric on the data set of that catalogue name."""
        return self.metric_on.get(catalogue or "", self.metric)


TUNING: Mapping[str, TuningProtocol] = {
    name: from_json(TuningProtocol, {"name": name, **table}, f"tuning protocol {name!r}")
    for name, table in TABLES["tuning"].items()
}
#: Fields of a protocol that an experiment of a claim file may set otherwise.
KEYS = ("trials", "metric", "hold_out", "sampler", "pruner", "score", "patience", "epochs")


def tuning(said: str | Mapping[str, Any]) -> TuningProtocol:
    """The protocol of a claim file's `tuning`: a name, or `{protocol: NAME}` with overrides. Raises
    `ChangeError`."""
    from reimpl.data.splits import find_rule

    asked: dict[str, Any] = {"protocol": said} if isinstance(said, str) else dict(said)
    name = asked.pop("protocol", None)
    if not isinstance(name, str) or name not in TUNING:
        key, known = "protocol" if not isinstance(said, str) else None, ", ".join(TUNING)
        raise ChangeError("tuning", key, f"there is no tuning protocol {name!r}; known are {known}")
    for key in asked:
        if key not in KEYS:
            raise ChangeError("tuning", key, f"is not known; known are protocol, {', '.join(KEYS)}")
    if "metric" in asked:  # what an experiment asks for is for its data set
        asked["metric_on"] = {}
    changed = with_changes(TUNING[name], asked, "tuning")
    try:
        find_rule(changed.hold_out)
    except ConfigError as err:
        raise ChangeError("tuning", "hold_out", f"cannot be: {err}") from err
    return changed


def space_of(
    protocol: TuningProtocol,
    model: str,
    config: Mapping[str, Any],
    *,
    set_config: Mapping[str, Any],
    set_training: Mapping[str, Any],
    sizes: Mapping[str, Any],
) -> tuple[Parameter, ...]:
    """What is sought for a model of this `config`: not what the experiment sets itself (`set_config`,
    `set_training`), nor what a reduced protocol reduces (`sizes`). Raises `ConfigError` where nothing is
    left."""
    if lack := _lack(protocol, model):
        raise ConfigError(f"tuning {lack}")
    held = {f"config.{key}" for key in (*set_config, *sizes)} | {f"training.{key}" for key in set_training}
    found = tuple(
        sought for sought in protocol.spaces[model] if sought.applies(config) and sought.name not in held
    )
    if not found:
        raise ConfigError(f"tuning protocol {protocol.name!r} leaves nothing to seek for model {model!r}")
    return found


def problem(model: str | None, said: Any) -> tuple[str | None, str] | None:
    """What is wrong with a claim file's `tuning`: the key, if it is one, and a sentence; None for nothing."""
    try:
        asked = tuning(said)
    except ChangeError as err:
        return err.key, err.why
    lack = _lack(asked, model)
    return (None, lack) if lack else None


def _lack(protocol: TuningProtocol, model: str | None) -> str | None:
    if model is None or model in protocol.spaces:
        return None
    known = ", ".join(protocol.spaces)
    return f"protocol {protocol.name!r} has no ranges for model {model!r}; it has {known}"
