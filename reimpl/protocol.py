"""Configurations as plain values, and training and tuning protocols, which are data in `protocols.toml`."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from importlib.resources import files
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from reimpl.errors import ConfigError, known_names

# A run's key is a digest of its configuration: a field that comes after runs were stored is declared with
# `later` and left out of the values while at its default, so that stored runs keep their keys.
_LATER = "later"


def later(default: Any) -> Any:
    """A dataclass field added after runs were stored; its default is the value that those runs had."""
    return field(default=default, metadata={_LATER: True})


def as_dict(config: Any) -> dict[str, Any]:
    """The fields of a `Config`, without `later` ones at their default."""
    later = (it for it in fields(config) if _LATER in it.metadata)
    idle = {it.name for it in later if getattr(config, it.name) == it.default}
    return {name: value for name, value in asdict(config).items() if name not in idle}


def as_json(value: Any) -> Any:
    """The value as JSON holds it: tuples are lists."""
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, list | tuple) else value


def is_whole(value: object, least: int = 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def check(config: Any, *, of: str = "", from_zero: Collection[str] = ()) -> None:
    """Raises `ConfigError`, which begins with `of`, for a value that its annotation does not allow, a whole
    number below 1 (0 for `from_zero`), a dropout rate outside [0, 1). Lists become tuples."""
    for name, annotation in get_type_hints(type(config)).items():
        value = getattr(config, name)
        union = get_origin(annotation) in (Union, UnionType)
        kinds = get_args(annotation) if union else (annotation,)
        choices = [choice for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]
        least, wrong = 0 if name in from_zero else 1, ""
        if (value is None and NoneType in kinds) or (isinstance(value, str) and value in choices):
            continue
        if int in kinds and not is_whole(value, least):
            null = ", or null for none" if NoneType in kinds else ""
            wrong = f"a whole number from {least}{null}"
        elif bool in kinds and not isinstance(value, bool):
            wrong = "true or false"
        elif tuple[int, ...] in kinds:
            if not (isinstance(value, list | tuple) and all(is_whole(number, least) for number in value)):
                wrong = f"a list of whole numbers from {least}"
            object.__setattr__(config, name, tuple(value) if isinstance(value, list) else value)
        elif choices and int not in kinds and (float not in kinds or isinstance(value, str)):
            wrong = f"{'a number or ' * (float in kinds)}one of {', '.join(map(repr, choices))}"
        elif name.startswith("dropout") and not (isinstance(value, int | float) and 0 <= value < 1):
            wrong = "a number in [0, 1)"
        if wrong:
            raise ConfigError(f"{of}{name} must be {wrong}, not {value!r}")


def from_json(kind: type, values: Mapping[str, Any], where: str) -> Any:
    """The dataclass with these values, strict: "16" and true are no numbers. Raises `ConfigError`."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_json(json.dumps(values, default=str), strict=True)
    except ValidationError as err:
        first = err.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        what = f"{where} key {place!r}: {first['msg']}, not {first['input']!r}"
        raise ConfigError(what, first["loc"]) from err


class ChangeError(ConfigError):
    """An impossible change of a named protocol; `key` is the one at fault, if there is one."""

    def __init__(self, where: str, key: str | None, why: str) -> None:
        super().__init__(f"{where} key {key!r} {why}" if key else why)
        self.key, self.why = key, why


_Base = TypeVar("_Base", "Protocol", "TuningProtocol")


def with_changes(base: _Base, changes: Mapping[str, Any], where: str, keys: Sequence[str]) -> _Base:
    """`base` with some of these keys changed. Raises `ChangeError` naming the key and the value."""
    from reimpl.data.splits import find_rule

    for name in changes:
        if name not in keys:
            raise ChangeError(where, name, f"is not known; {known_names(name, keys)}")
    try:
        changed: _Base = from_json(type(base), {**asdict(base), **changes}, where)
    except ConfigError as err:
        key = str(err.place[0]) if err.place else None
        value = repr(changes.get(str(key)))
        why = str(err).partition(": ")[2].replace(f", not {value}", "", 1)
        raise ChangeError(where, key, f"cannot be {value}: {why}" if key else str(err)) from err
    try:
        find_rule(changed.hold_out or "you2019")
    except ConfigError as err:
        raise ChangeError(where, "hold_out", f"cannot be: {err}") from err
    return changed


# ----------------------------------------------------------------------------------------- training protocols


@dataclass(frozen=True)
class Protocol:
    """Everything about training that is not the network or the data."""

    name: str
    epochs: int
    batch_size: int
    learning_rate: float = 1e-3
    optimiser: Literal["adam", "lasagne_adam", "dense_sparse_adam", "adadelta"] = "adam"
    """lasagne_adam: Lasagne's place of epsilon. dense_sparse_adam: absent words rest, too (AttentionXML).
    adadelta: with rho 0.95 and epsilon 1e-6 (Kim)."""
    part_rates: Mapping[str, float] | None = later(None)
    """Learning rates of parts of the network, by its names for them; `learning_rate` is that of the rest."""
    schedule: Literal["constant", "triangular"] = later("constant")
    """triangular: all rates rise linearly for `warm_up` steps, and fall linearly to 0 at the end."""
    warm_up: int = later(0)
    weight_decay: float = later(0.0)
    """L2, before Adam's moments; dense_sparse_adam takes it, times the rate, off the weights."""
    clip: float | Literal["you2019"] | None = later(None)
    """Largest norm of all gradients together; you2019: AttentionXML's bound of the last five norms."""
    shuffle: Literal["documents", "batches"] = "documents"
    """documents: a fresh permutation each epoch. batches: fixed ones, permuted (Liu et al.'s code)."""
    padding: Literal["length", "split", "batch"] = "length"
    """To `length` tokens, or at most so many: the longest of the split (Liu et al.'s code) or batch."""
    length: int = 500
    """Tokens kept of a document."""
    select: Literal["last", "best_on_test", "best_on_dev"] = "last"
    """Which epoch is reported. `best_on_test` looks at the test set; it is here because public code does."""
    select_metric: str = "P@1"
    select_above: float | None = later(None)
    """Percent that the first evaluation must exceed to count as the best; None: whatever it is."""
    keep_from: int | None = later(None)
    """Epochs before the best weights are kept: earlier ones are lost (CorNet's pipeline trainer)."""
    hold_out: str | None = later(None)
    """Rule of `reimpl.data.splits` by which `best_on_dev` gets its documents where the corpus brings none."""
    patience: int | None = None
    """Stop after so many evaluations in a row that do not better the selection metric; None: run them all."""
    evaluate: Literal["end", "every_epoch", "every_steps"] = "end"
    evaluate_every: int | None = later(None)
    """Steps between two evaluations under `every_steps`, counted through all epochs."""
    average_from: int | None = later(None)
    """Epochs that are over when the averaging of weights (SWA) begins; None: no averaging. The mean takes in
    the weights as they are then and at each evaluation, or epoch; evaluations and the report see it."""
    dimension: int = 300
    """Components of a word vector when vectors are drawn at random."""
    model: Mapping[str, Any] = field(default_factory=dict)
    """Overrides of the model's configuration: empty except in reduced protocols."""
    deviation: str | None = None
    """Set when the protocol is nobody's: why it is there, in one sentence for the report."""

    def __post_init__(self) -> None:
        of = f"protocol {self.name!r}: "
        check(self, of=of, from_zero=("warm_up", *BEGINNINGS))
        for complaint in self._complaints():
            raise ConfigError(f"{of}{complaint}")

    def _complaints(self) -> Iterator[str]:
        rates = {f"part_rates: that of {part!r}": rate for part, rate in (self.part_rates or {}).items()}
        rates |= {"learning_rate": self.learning_rate}
        if self.clip is not None and not isinstance(self.clip, str):
            rates["clip"] = self.clip
        for name, rate in rates.items():
            if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate < math.inf:
                yield f"{name} must be positive, not {rate!r}"
        if not 0 <= self.weight_decay < math.inf:
            yield f"weight_decay must be 0 or more, not {self.weight_decay!r}"
        if self.warm_up and self.schedule == "constant":
            yield f"warm_up {self.warm_up!r} needs schedule: triangular"
        for name in ("patience", "keep_from", "select_above"):
            if (value := getattr(self, name)) is not None and self.select == "last":
                yield f"{name} {value!r} needs a selected epoch, not select: last"
        if self.hold_out is not None and self.select != "best_on_dev":
            yield f"hold_out {self.hold_out!r} is for select: best_on_dev, not {self.select}"
        if self.select != "last" and self.evaluate == "end":
            yield f"{self.select} needs evaluate: every_epoch or every_steps"
        if (self.evaluate == "every_steps") != (self.evaluate_every is not None):
            yield f"evaluate: {self.evaluate} does not go with evaluate_every {self.evaluate_every!r}"
        for name in BEGINNINGS:
            if (value := getattr(self, name)) is not None and value >= self.epochs:
                yield f"{name} must be before the end of {self.epochs} epochs, not {value!r}"

    def as_dict(self) -> dict[str, Any]:
        return as_dict(self)


#: Epochs at which something begins: they are reduced in proportion.
BEGINNINGS = ("average_from", "keep_from")

TABLES: Mapping[str, Any] = tomllib.loads((files("reimpl") / "protocols.toml").read_text("utf-8"))


def _read(name: str) -> dict[str, Any]:
    """Fields of a protocol, including those of the protocol that it extends."""
    values = dict(TABLES["training"][name])
    base = _read(values.pop("like")) if "like" in values else {}
    dropped = ("whose", *values.pop("without", ()))
    return {key: value for key, value in {**base, **values, "name": name}.items() if key not in dropped}


_FULL: Mapping[str, Protocol] = {name: Protocol(**_read(name)) for name in TABLES["training"]}

#: Amounts of a reduced protocol: the smaller of its own and what is asked for.
AMOUNTS = ("epochs", "batch_size", "length", "dimension")
#: What a reduced protocol has of its own; all else is a choice, and stays that of the one reduced.
SIZES = (*AMOUNTS, "learning_rate", "model", "deviation")
#: Sizes that are there only where a choice is made.
SIZES_OF_CHOICES: Mapping[str, Any] = {"hold_out": "you2019-small", "evaluate_every": 50}
#: Averaging of a reduced protocol begins no earlier than after this share of its epochs, as in Izmailov et
#: al. (2018, section 4): the mean of weights on the rise lags behind the last ones.
AVERAGE_FROM_SHARE = 0.75
#: Carried out on a CPU as they are: the networks are small, or there is none.
_FIT_A_CPU = ("wang2019", "rank-ae-third-party", "baseline")
#: Reduced with their choices kept. The others become `small` as a whole.
_KEEP_CHOICES = ("you2019-code", "you2019-paper", "xun2020", "xun2020-paper", "ye2020", "ye2020-code")


def in_proportion(name: str, whole: Protocol, epochs: int, *, reduced: bool = True) -> int | None:
    """The epoch of `epochs` that corresponds to the one under `name` of `whole`."""
    value: int | None = getattr(whole, name)
    if value is None or epochs == whole.epochs:
        return value
    earliest = round(AVERAGE_FROM_SHARE * epochs) if reduced and name == "average_from" else 0
    return int(min(epochs - 1, max(earliest, round(value / whole.epochs * epochs))))


def reduced_sizes(base: Protocol, asked: Protocol, *, usual_rate: float) -> dict[str, Any]:
    """Amounts and learning rate of `asked` under the reduced `base`: no amount is larger than asked. If
    epochs are fewer the rate is that of `base`, times what is asked for over `usual_rate`."""
    amounts = {name: min(getattr(base, name), getattr(asked, name)) for name in AMOUNTS}
    fewer = amounts["epochs"] < asked.epochs
    rate = base.learning_rate * (asked.learning_rate / usual_rate) if fewer else asked.learning_rate
    return {**amounts, "learning_rate": float(f"{rate:.6g}")}


def _reduced(whole: Protocol) -> Protocol:
    """`whole` at the sizes of `small` that are no larger, named after `whole` with `-small`."""
    small = _FULL["small"]
    changes = reduced_sizes(small, whole, usual_rate=whole.learning_rate)
    if whole.part_rates:  # rates that differ are a choice, and belong together
        del changes["learning_rate"]
    changes |= {"model": small.model, "deviation": small.deviation}
    changes |= {k: v for k, v in SIZES_OF_CHOICES.items() if getattr(whole, k) is not None}
    changes |= {name: in_proportion(name, whole, changes["epochs"]) for name in BEGINNINGS}
    return replace(whole, name=f"{whole.name}-small", **changes)


PROTOCOLS: Mapping[str, Protocol] = {
    **_FULL,
    **{it.name: it for it in (_reduced(_FULL[name]) for name in _KEEP_CHOICES)},
}


def on_a_cpu(name: str) -> str:
    """The protocol that replaces the named one on a CPU; a reduced one stays."""
    if protocol(name).deviation or name in _FIT_A_CPU:
        return name
    return f"{name}-small" if name in _KEEP_CHOICES else "small"


def protocol(name: str) -> Protocol:
    """The protocol of that name. Raises `ConfigError` naming the known ones."""
    if name not in PROTOCOLS:
        raise ConfigError(f"protocol {name!r} is not known; {known_names(name, PROTOCOLS)}")
    return PROTOCOLS[name]


# ------------------------------------------------- `training` of an experiment of a claim file

#: Fields of a protocol that an experiment may change.
KEYS = tuple(it.name for it in fields(Protocol) if it.name not in ("name", "model", "deviation"))


def with_training(base: Protocol, training: Mapping[str, Any]) -> Protocol:
    """`base` with some of its fields changed. Raises `ChangeError` naming the key and the value."""
    changed = with_changes(base, training, "training", KEYS)
    if not re.fullmatch(r"(P|R|RP|nDCG)@[135]", changed.select_metric):
        known = "measured are P, R, RP, nDCG at 1, 3 and 5, as in nDCG@5"
        raise ChangeError("training", "select_metric", f"cannot be {changed.select_metric!r}; {known}")
    return changed


def with_choices(base: Protocol, claimed: Protocol, training: Mapping[str, Any]) -> Protocol:
    """`base`, which stands in for `claimed`, with the choices that `training` makes, because claims compare
    these. Sizes stay those of `base`; an epoch at which something begins is in proportion."""
    reduced = base.deviation is not None
    parts = asdict(base) | {key: getattr(claimed, key) for key in training if key not in SIZES}
    if reduced:
        usual = PROTOCOLS.get(claimed.name, claimed).learning_rate
        parts |= reduced_sizes(base, claimed, usual_rate=usual)
    for key in BEGINNINGS:
        asked = key in training or (reduced and getattr(claimed, key) is not None)
        if key in training or getattr(base, key) is not None:
            parts[key] = in_proportion(key, claimed if asked else base, parts["epochs"], reduced=reduced)
    for key, size in SIZES_OF_CHOICES.items():
        value = getattr(claimed, key)
        if key in training:
            own = value and (getattr(base, key) or (size if reduced else value))
            parts[key] = min(own, value) if own and reduced and isinstance(value, int) else own
    if parts["evaluate"] != "every_steps":
        parts["evaluate_every"] = None
    elif parts["evaluate_every"] is None:
        parts["evaluate_every"] = claimed.evaluate_every
    if parts["select"] == "last":
        parts |= {"patience": None, "keep_from": None, "select_above": None}
    if parts["select"] != "best_on_dev":
        parts["hold_out"] = None
    return replace(base, **parts)


def problem(name: str, training: Mapping[str, Any]) -> tuple[str | None, str] | None:
    """What is wrong with this change of the protocol of that name: the key, if it is one, and a sentence."""
    try:
        with_training(PROTOCOLS[name], training)
    except ChangeError as err:
        return err.key, err.why
    return None


# ----------------------------------------------------------------------------------------- tuning protocols
# What is sought, where, how often, by which metric; `audit.runner.search` carries them out. Where a paper
# says that it tuned and not how, `ours` says what is chosen here, with its reason.

Target = Literal["config", "training"]


@dataclass(frozen=True)
class Parameter:
    """One setting that is searched: an interval of numbers, or some values."""

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
        """`config.margin`, because two places may have the same key."""
        return f"{self.target}.{self.key}"

    def applies(self, config: Mapping[str, Any]) -> bool:
        """Whether it has an effect; a part that a configuration lacks (hidden: null) is not searched."""
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
    """By model. A key that the experiment sets itself is not tuned."""
    hold_out: str
    """Rule of `reimpl.data.splits` for the documents held out, where the corpus brings no dev part."""
    sampler: Literal["random", "tpe"] = "random"
    pruner: Literal["none", "median"] = "none"
    """median: a trial ends that is below the others' median, after five and a fifth of the epochs."""
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


TUNING: Mapping[str, TuningProtocol] = {
    name: from_json(TuningProtocol, {"name": name, **table}, f"tuning protocol {name!r}")
    for name, table in TABLES["tuning"].items()
}
#: Fields of one that an experiment of a claim file may set otherwise.
TUNING_KEYS = ("trials", "metric", "hold_out", "sampler", "pruner", "score", "patience", "epochs")


def tuning(said: str | Mapping[str, Any]) -> TuningProtocol:
    """A name, or `{protocol: NAME}` with overrides, as in a claim file. Raises `ChangeError`."""
    asked: dict[str, Any] = {"protocol": said} if isinstance(said, str) else dict(said)
    name = asked.pop("protocol", None)
    if not isinstance(name, str) or name not in TUNING:
        key, known = "protocol" if not isinstance(said, str) else None, known_names(str(name), TUNING)
        raise ChangeError("tuning", key, f"there is no tuning protocol {name!r}; {known}")
    changed = with_changes(TUNING[name], asked, "tuning", ("protocol", *TUNING_KEYS))
    # what an experiment asks for is for its data set
    return replace(changed, metric_on={}) if "metric" in asked else changed


def space_of(
    protocol: TuningProtocol,
    model: str,
    config: Mapping[str, Any],
    *,
    set_config: Mapping[str, Any],
    set_training: Mapping[str, Any],
    sizes: Mapping[str, Any],
) -> tuple[Parameter, ...]:
    """What is searched for a model of this `config`: not what the experiment sets itself, nor what a reduced
    protocol reduces (`sizes`). Raises `ConfigError` if nothing is left."""
    if lack := _lack(protocol, model):
        raise ConfigError(f"tuning {lack}")
    held = {f"config.{key}" for key in (*set_config, *sizes)} | {f"training.{key}" for key in set_training}
    found = tuple(it for it in protocol.spaces[model] if it.applies(config) and it.name not in held)
    if not found:
        raise ConfigError(f"tuning protocol {protocol.name!r} leaves nothing to search for model {model!r}")
    return found


def tuning_problem(model: str | None, said: Any) -> tuple[str | None, str] | None:
    """What is wrong with a claim file's `tuning`: the key, if there is one, and a sentence; or None."""
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
