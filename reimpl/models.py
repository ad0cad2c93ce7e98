"""Finds a model by the name in the claim file: `xml_cnn` is `reimpl/xml_cnn.py`, or a third party's module.

A model is a module with

* `Config`: a frozen dataclass of JSON values, with a field `loss` naming one of `reimpl.losses.LOSSES`; a
  field that comes after runs were stored has a default by `reimpl.config_fields.later`;
* `VARIANTS`: name -> `Config`;
* `build(config, *, vectors, labels, length, padding_id, freeze_padding) -> torch.nn.Module`, whose module has
  `minimum_width` and maps token ids (B, T) to scores (B, L); where these depend on the other documents of the
  batch, it has `reads_neighbours` set, and documents are scored in file order;
* optionally, on the module that `build` gives, a loss of its own: `batch_loss(token_ids, rows, cols)`, a mean
  that replaces `Config.loss`, with `batch_weight(size, rows, cols)` where it is divided by something else
  than the number of documents; and `batch_best(token_ids, k)`, the k best labels' scores and ids, in place of
  scores (B, L). `parts()` names parts, name -> module, for rates of their own (`Protocol.part_rates`), and
  `output_name` its last layer, if that is not `output` (`reimpl.on_top`);
* optionally `REVISION`, an int that counts up when a correction changes the numbers (of a file in a folder
  its content counts too, `reimpl.model_files`);
* optionally, instead of `build`, `train(config, data, protocol, *, seed, device, precision, watch) -> Result`
  (`reimpl.training`) where a model is no single network trained step by step: label trees, linear models;
* optionally, with a `train` of its own, `chooses_epoch(config, labels)`: whether that has the epoch chosen as
  the protocol says, so that data on which this cannot be are refused before a run;
* optionally `missing(config)`, a sentence about what this machine lacks for it and how to get it, or None;
* optionally `DETERMINISTIC = True`: all seeds give one result, so that one run is enough;
* optionally `TAKES`, what of a corpus it can learn from: ("texts",), which is the default, ("features",), or
  both;
* optionally `SMALL`, key -> value: sizes under a reduced protocol, of keys that are not None, where they are
  smaller than what is asked for; or a function of that;
* optionally, of a model that holds another, `resolve(config)`, which writes out that one's configuration, and
  `reduce(config, sizes)`, which reduces that one too.

* optionally, of a model that is not ours, `checks()`: its fidelity checks, as in `reimpl.fidelity`.

A package of its own offers models through the entry point group `xmtc_audit.models` (name = module), and a
folder that the environment variable `XMTC_AUDIT_MODELS` names offers its files.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.machinery import PathFinder
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from reimpl.config_fields import as_dict, wanted
from reimpl.errors import ConfigError
from reimpl.model_files import code_of as code_of
from reimpl.model_files import load_file as load_file
from reimpl.model_files import reached_by
from reimpl.plugins import MODELS as GROUP
from reimpl.plugins import Offered, offered

#: Environment variable with folders of models' files, separated as in PATH; worker processes get it too.
FOLDERS = "XMTC_AUDIT_MODELS"


def find_model(name: str, code: str = "") -> ModuleType:
    """The model's module; imports torch. Raises `ConfigError` naming the known models.

    A package cannot put its own module in the place of one that is here. Of a file in a folder `code` asks
    for what it held when it was loaded before (`reimpl.model_files`).
    """
    if name in _own_models():
        return importlib.import_module(f"reimpl.{name}")
    if (path := files_of_models().get(name)) is not None:
        module, value = load_file(path, code), str(path)
    elif (offer := _offers().find(name)) is not None:
        module, value = cast(ModuleType, offer.load()), offer.point.value
    else:
        raise ConfigError(f"model {name!r} is not known; known are {', '.join(known_models())}")
    missing = [part for part in ("Config", "VARIANTS") if not hasattr(module, part)]
    if not (hasattr(module, "build") or hasattr(module, "train")):
        missing.append("build")
    if missing:
        raise ConfigError(f"model {name!r}: {value!r} has no {' and no '.join(missing)}")
    return module


def known_models() -> list[str]:
    """Names of all models, without importing any: the files here that define `VARIANTS`, and others'."""
    return sorted({*_own_models(), *_offers().there, *files_of_models()})


def sources_of_models() -> dict[str, str]:
    """Where each model comes from, and why one that a package offers is not used; nothing is imported."""
    offers = _offers()
    found = {name: f"this toolkit (reimpl/{name}.py)" for name in _own_models()}
    found |= {name: it.source for name, it in offers.there.items()}
    found |= {name: str(path) for name, path in files_of_models().items()}
    return dict(sorted((found | {f"({name})": why for name, why in offers.refused.items()}).items()))


def source_of_other(name: str) -> str | None:
    """Where a model comes from that is none of ours; None for one of ours."""
    return None if name in _own_models() else sources_of_models().get(name)


#: Part of the code that decides a run -> the files that it begins with; each file counts in the first part.
_PARTS = {
    "metrics": ("metrics.py",),
    "data": (
        "data/prepare.py",
        "data/synthetic.py",
        "data/formats/features.py",
        "data/noise.py",
        "data/splits.py",
    ),
    "training": ("training.py",),
}


@cache
def sources_of(models: tuple[str, ...]) -> Mapping[str, str]:
    """Part of the code that decides a run of these models -> digest of its files, as they are now.

    Of `import` statements, and nothing is imported; a comment counts as a change. A model from a folder is
    left out, since its content is part of the run's key.
    """
    here = Path(__file__).parent
    parts = {name: tuple(here / it for it in files) for name, files in _PARTS.items()}
    parts["model"] = tuple(file for name in models if (file := _file_of(name)) is not None)
    seen: set[Path] = set()
    found = {}
    for name, files in parts.items():
        reached = {it for file in files for it in reached_by(file)} - seen
        seen |= reached
        found[name] = _digest_of(reached)
    return found


def _file_of(model: str) -> Path | None:
    """The file of one of ours, or of a package, which is looked for without importing that."""
    if model in _own_models():
        return Path(__file__).with_name(f"{model}.py")
    offer = None if model in files_of_models() else _offers().there.get(model)
    if offer is None:
        return None
    spec, places = None, None
    for name in accumulate(offer.point.module.split("."), "{}.{}".format):
        spec = PathFinder.find_spec(name, places)
        if spec is None:
            return None
        places = spec.submodule_search_locations
    return Path(spec.origin) if spec and spec.origin and spec.has_location else None


def _digest_of(files: Iterable[Path]) -> str:
    """The same on all systems, wherever the package lies."""
    contents = {f"{it.parent.name}/{it.name}": it.read_bytes().replace(b"\r\n", b"\n") for it in files}
    lines = (f"{hashlib.sha256(contents[name]).hexdigest()}  {name}" for name in sorted(contents))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


def _offers() -> Offered:
    return offered(GROUP, own=_own_models())


def _own_models() -> list[str]:
    return list(_defining(Path(__file__).parent))


def files_of_models() -> dict[str, Path]:
    """Models in the folders that `XMTC_AUDIT_MODELS` lists, by name; none of ours is replaced by one."""
    folders = [it for it in os.environ.get(FOLDERS, "").split(os.pathsep) if it]
    if not folders:
        return {}
    own = _own_models()
    found = {name: path for it in reversed(folders) for name, path in _defining(Path(it)).items()}
    return {name: path.resolve() for name, path in found.items() if name not in own}


def _defining(folder: Path) -> dict[str, Path]:
    files = sorted(folder.glob("*.py"))
    return {path.stem: path for path in files if "\nVARIANTS" in path.read_text(encoding="utf-8")}


def known_variants(model: str) -> tuple[str, ...] | None:
    """The model's variants, read from its file without importing it, and so without torch.

    None where only the import can tell: the model comes with another package (or is none at all), or its
    `VARIANTS` is not one dict written out with text keys.
    """
    path = (_defining(Path(__file__).parent) | files_of_models()).get(model)
    if path is None:
        return None
    source = path.read_text(encoding="utf-8")
    uses = [node for node in ast.parse(source).body if _runs_on_import(node) and _names_variants(node)]
    if len(uses) != 1 or not isinstance(uses[0], ast.Assign | ast.AnnAssign):
        return None  # made in several steps
    value = uses[0].value
    keys = value.keys if isinstance(value, ast.Dict) else [None]
    names = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    return tuple(names) if len(names) == len(keys) else None  # a `**` has the key None


def known_bases() -> list[str]:
    """Models that another one can be put on: those whose file defines `build`, which is read and not run.

    Those of other packages are among them, since only the import can tell.
    """
    files = _defining(Path(__file__).parent) | files_of_models()
    networks = {name for name, path in files.items() if "build" in _top_names(path)}
    return sorted(networks | ({*_offers().there} - {*files}))


def _top_names(path: Path) -> set[str]:
    """What a file defines or imports at its top."""
    found = set[str]()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {it.asname or it.name for it in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            found |= {
                it.id for it in ast.walk(node) if isinstance(it, ast.Name) and isinstance(it.ctx, ast.Store)
            }
    return found


def _runs_on_import(node: ast.stmt) -> bool:
    return not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def _names_variants(node: ast.stmt) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "VARIANTS" for part in ast.walk(node))


def find_config(module: ModuleType, variant: str | None, changes: Mapping[str, Any]) -> Any:
    """The variant's `Config` with some keys changed, checked for names and types.

    Raises `ConfigError` naming the variants, the key or the value.
    """
    from pydantic import TypeAdapter, ValidationError

    variants: Mapping[str, Any] = module.VARIANTS
    if variant is not None and variant not in variants:
        raise ConfigError(
            f"variant {variant!r} of {module.__name__!r} is not known; known are {', '.join(variants)}"
        )
    base = as_dict(variants[variant]) if variant else {}
    known = module.Config.__dataclass_fields__
    for key in changes:
        if key not in known:
            raise ConfigError(
                f"config key {key!r} is not known to {module.__name__!r}; known are {', '.join(known)}",
                [key],
                alone=True,
            )
    try:
        # As JSON and strict: a list is a tuple, but "16" and true are no numbers.
        text = json.dumps({**base, **changes}, default=str)
        config = TypeAdapter(module.Config).validate_json(text, strict=True)
    except ValidationError as err:
        first = err.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        why = f"config key {place!r}: {first['msg']}, not {first['input']!r}{wanted(first['type'])}"
        raise ConfigError(why, first["loc"], alone=True) from err
    except ConfigError as err:  # of the `Config` itself
        words = re.findall(r"\w+", str(err))
        err.place = err.place or tuple([word for word in words if word in changes][:1])
        raise
    return module.resolve(config) if hasattr(module, "resolve") else config


def reduced_config(module: ModuleType, config: Any, sizes: Mapping[str, Any]) -> Any:
    """`config` at the model's own `SMALL` sizes, or else at `sizes`, where these are no larger than its own.

    A reduced size is for what the configuration has: a network without a hidden layer gets none.
    """
    own = getattr(module, "SMALL", sizes)
    asked = {key: getattr(config, key, None) for key in own}
    changes = {key: smaller(value, own[key]) for key, value in asked.items() if value is not None}
    config = find_config(module, None, {**as_dict(config), **changes})
    return module.reduce(config, sizes) if hasattr(module, "reduce") else config


def smaller(asked: Any, reduced: Any) -> Any:
    """The smaller of two sizes, of lists place by place; what is no size is as reduced.

    `reduced` may be a function of what is asked for.

    >>> smaller(16, 32), smaller((16, 512), (32, 32)), smaller((), (32,))
    (16, (16, 32), ())
    """
    if callable(reduced):
        return reduced(asked)
    if isinstance(asked, list | tuple) and isinstance(reduced, list | tuple):
        return tuple(smaller(*pair) for pair in zip(asked, reduced, strict=False))
    numbers = all(isinstance(it, int | float) and not isinstance(it, bool) for it in (asked, reduced))
    return min(asked, reduced) if numbers else reduced


# ----------------------------------------------------------------------- what is wrong with a configuration

Place = tuple[str | int, ...]


def config_problems(
    model: str, variant: str | None, config: Mapping[str, Any]
) -> Iterator[tuple[Place, str]]:
    """Each problem with the keys that lead to it from the experiment, as ("config", "maps"), and a sentence.

    A key that is unknown or of another type is told and left out, and the rest is looked at; where keys do
    not go together, nothing more is said.
    """
    try:
        module = find_model(model)
    except ConfigError as err:
        yield ("model",), str(err)
        return
    if variant is not None and variant not in module.VARIANTS:
        known = ", ".join(module.VARIANTS)
        yield ("variant",), f"model {model!r} has no variant {variant!r}; known are {known}"
        return
    yield from _in_config(module, variant, config)


def _in_config(
    module: ModuleType, variant: str | None, config: Mapping[str, Any]
) -> Iterator[tuple[Place, str]]:
    found = _problem(module, variant, config)
    while found is not None:
        yield ("config", *found.place), str(found)
        rest = without(config, found.place) if found.alone else None
        if rest is None:
            return
        config, found = rest, _problem(module, variant, rest)


def _problem(module: ModuleType, variant: str | None, config: Mapping[str, Any]) -> ConfigError | None:
    try:
        find_config(module, variant, config)
    except ConfigError as err:
        return err
    return None


def without(config: Mapping[str, Any], place: Place) -> dict[str, Any] | None:
    """The configuration without the key at `place`; None where it does not stand there."""
    if not place or place[0] not in config:
        return None
    key, *within = place
    inner = config[str(key)]
    if within and isinstance(inner, Mapping) and (less := without(inner, tuple(within))) is not None:
        return {**config, str(key): less}
    return {name: value for name, value in config.items() if name != key}
