"""Finds a model by the name in the claim file: `xml_cnn` is `reimpl/xml_cnn.py`, `omikuji` is
`reimpl/baselines/omikuji.py`; or a third party's module.

A model is a module with `Config`, a frozen dataclass of JSON values with a field `loss`; `VARIANTS`, name ->
`Config`; and either

* `build(config, *, vectors, labels, length, padding_id, freeze_padding) -> torch.nn.Module`, whose module has
  `minimum_width` and maps token ids (B, T) to scores (B, L). It may have `reads_neighbours` (scores depend on
  the other documents of the batch), `batch_loss(token_ids, rows, cols)`, a mean, with `batch_weight(size,
  rows, cols)`, what it is divided by; `batch_best(token_ids, k)`, scores and ids; `begin_epoch(epoch)`;
  `parts()`, name -> module, for rates of their own; `output_name` of its last layer (`reimpl.on_top`); and
  modules that compute outside autocast, with their name for the record in `in_float32`;
* or `train(config, data, protocol, *, seed, device, precision, watch) -> Result`, and with it maybe
  `chooses_epoch(config, labels)`: whether the epoch is chosen as the protocol says.

It may have `REVISION`, which counts up when a correction changes the numbers; `missing(config)`, what this
machine lacks for it; `DETERMINISTIC`, all seeds give one result; `TAKES`, ("texts",) or ("features",) or
both; `SMALL`, sizes under a reduced protocol, or functions of what is asked for; `resolve(config)` and
`reduce(config, sizes)` of one that holds another model; and `checks()`, its fidelity checks.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import inspect
import json
import os
import re
import sys
import textwrap
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from itertools import accumulate, pairwise, takewhile
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from reimpl.data.preprocessing import PREPROCESSINGS
from reimpl.errors import ConfigError, known_names
from reimpl.protocol import PROTOCOLS, TABLES, TUNING, as_dict, as_json, from_json

#: Entry points by which packages offer models: `their_net = "their_package.net"`.
GROUP = "xmtc_audit.models"
#: Environment variable with folders of models' files, separated as in PATH; worker processes get it too.
FOLDERS = "XMTC_AUDIT_MODELS"


def find_model(name: str) -> ModuleType:
    """The model's module; imports torch. Raises `ConfigError` naming the known models."""
    if (own := _own_models().get(name)) is not None:
        return importlib.import_module(_module_of(own))
    if (path := files_of_models().get(name)) is not None:
        module, value = load_file(path), str(path)
    elif name in (refused := _offers()[1]):
        raise ConfigError(refused[name])
    elif (point := _offers()[0].get(name)) is not None:
        value = point.value
        try:
            module = cast(ModuleType, point.load())
        except (Exception, SystemExit) as err:
            what = f"model {name!r}: {value!r} cannot be imported ({fault(err)})"
            raise ConfigError(f"{what}; install {_package(point)} anew") from err
    else:
        raise ConfigError(f"model {name!r} is not known; {known_names(name, known_models())}")
    build = ["train" if hasattr(module, "train") else "build"]
    if missing := [part for part in ("Config", "VARIANTS", *build) if not hasattr(module, part)]:
        raise ConfigError(f"model {name!r}: {value!r} has no {' and no '.join(missing)}")
    return module


def known_models() -> list[str]:
    """Names of all models, without importing any: the files here that define `VARIANTS`, and others'."""
    return sorted({*_own_models(), *_offers()[0], *files_of_models()})


def sources_of_models() -> dict[str, str]:
    """Where each model comes from, and why a model that a package offers is not used; imports nothing."""
    usable, refused = _offers()
    own = {name: _module_of(path).replace(".", "/") for name, path in _own_models().items()}
    sources = {name: f"this toolkit ({path}.py)" for name, path in own.items()}
    sources |= {name: _source(point) for name, point in usable.items()}
    sources |= {name: str(path) for name, path in files_of_models().items()}
    return dict(sorted((sources | {f"({name})": why for name, why in refused.items()}).items()))


def source_of_other(name: str) -> str | None:
    """Where a third-party model comes from; None for one of ours."""
    return None if name in _own_models() else sources_of_models().get(name)


def files_of_models() -> dict[str, Path]:
    """Models in the folders that `XMTC_AUDIT_MODELS` lists, by name; none replaces one of ours."""
    folders = [folder for folder in os.environ.get(FOLDERS, "").split(os.pathsep) if folder]
    files = {name: path for folder in reversed(folders) for name, path in _defining(Path(folder)).items()}
    own = _own_models() if files else {}
    return {name: path.resolve() for name, path in files.items() if name not in own}


def known_variants(model: str) -> tuple[str, ...] | None:
    """The model's variants, read from its file without an import; None if only the import can show them."""
    path = (_own_models() | files_of_models()).get(model)
    names = [] if path is None else [variant_keys(node) for node in ast.parse(path.read_bytes()).body]
    found = [keys for keys in names if keys is not None]
    if len(found) != 1 or any(not isinstance(getattr(key, "value", None), str) for key in found[0]):
        return None  # made in several steps; a `**` has the key None
    return tuple(str(cast(ast.Constant, key).value) for key in found[0])


def variant_keys(node: ast.stmt) -> list[ast.expr | None] | None:
    """The keys of `VARIANTS` from the statements that make or change it: none if it is not a plain dict."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return None
    if not any(isinstance(part, ast.Name) and part.id == "VARIANTS" for part in ast.walk(node)):
        return None
    value = getattr(node, "value", None)
    return value.keys if isinstance(value, ast.Dict) else [None]


def known_bases() -> list[str]:
    """Models that can be another one's base: their file defines `build`, or only the import can show it."""
    files = _own_models() | files_of_models()
    pattern = re.compile(r"^(def build\b|build\b.*=|from .*\bbuild\b)", re.MULTILINE)
    networks = {name for name, path in files.items() if pattern.search(path.read_text(encoding="utf-8"))}
    return sorted(networks | ({*_offers()[0]} - {*files}))


def _offers() -> tuple[dict[str, EntryPoint], dict[str, str]]:
    """Models that packages offer, and why a name is not used: it is ours, or two packages offer it."""
    by_name: dict[str, list[EntryPoint]] = {}
    for point in _points():
        by_name.setdefault(point.name, []).append(point)
    usable, refused, own = {}, {}, _own_models() if by_name else {}
    for name, points in by_name.items():
        sources = " and ".join(map(_source, points))
        if name in own:
            refused[name] = f"model {name!r} of {sources} has the name of one of ours, which is used"
        elif len(points) > 1:
            refused[name] = f"model {name!r} is offered by {sources}; uninstall one of them"
        else:
            usable[name] = points[0]
    return usable, refused


@cache
def _points() -> list[EntryPoint]:
    return list(entry_points(group=GROUP))


def _package(point: EntryPoint) -> str:
    dist = getattr(point, "dist", None)
    return f"{dist.name} {dist.version}" if dist else "a package without a name"


def _source(point: EntryPoint) -> str:
    return f"{_package(point)} ({point.value})"


def _own_models() -> dict[str, Path]:
    here = Path(__file__).parent
    return _defining(here) | _defining(here / "baselines")


def _module_of(own: Path) -> str:
    return ".".join(("reimpl", *own.relative_to(Path(__file__).parent).with_suffix("").parts))


def _defining(folder: Path) -> dict[str, Path]:
    files = sorted(folder.glob("*.py"))
    return {path.stem: path for path in files if "\nVARIANTS" in path.read_text(encoding="utf-8")}


# ------------------------------------------------------------------------------------- files of a folder


def load_file(path: Path) -> ModuleType:
    """The module of a model's file, as first imported (see `forget`). Raises `ConfigError`."""
    name = f"xmtc_audit_models.{path.stem}"
    module = sys.modules.get(name)
    if module is not None and module.__file__ == str(path):
        return module
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    sys.modules[name] = module  # dataclasses look their module up
    try:
        # Not by its loader: compiled files are told apart by second and size, and edits may agree in both.
        exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), module.__dict__)
    except (Exception, SystemExit) as err:
        del sys.modules[name]
        why = f"{path} cannot be imported ({fault(err, module)}); correct it"
        raise ConfigError(f"model {path.stem!r}: {why}") from err
    return module


def forget(folder: Path) -> None:
    """Makes the next import of a folder's models, and of what they import there, read the files again."""
    files = {str(file) for path in _defining(folder).values() for file in reached_by(path)}
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) in files:
            del sys.modules[name]
    sources_of.cache_clear()


def fault(err: BaseException, *modules: ModuleType) -> str:
    """`ValueError: oops (mine/net.py:31)`: the error, and the last line of these models in its traceback."""
    others = [module for module in modules if not module.__name__.startswith("reimpl.")]
    folders = {str(Path(module.__file__ or "").parent) for module in others}
    packages = {module.__name__.partition(".")[0] for module in others}
    place = ""
    for frame, line in traceback.walk_tb(err.__traceback__):
        file, name = Path(frame.f_code.co_filename), str(frame.f_globals.get("__name__", ""))
        if str(file.parent) in folders or name.partition(".")[0] in packages:
            shown = file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file
            place = f" ({shown}:{line})"
    return f"{type(err).__name__}: {' '.join(str(err).split())}".removesuffix(": ") + place


# ----------------------------------------------------------------------------------- what a file imports


def reached_by(path: Path) -> set[Path]:
    """The file, and the files of its folder or package that its `import` statements reach; runs nothing."""
    within = list(takewhile(lambda folder: (folder / "__init__.py").is_file(), path.parents))
    top = within[-1] if within else None  # the outermost folder of its package
    reached, unread = {path}, [path]
    while unread:
        new = set(_imported(unread.pop(), path.parent, top)) - reached
        reached |= new
        unread += new
    return reached


@cache
def _import_statements(content: bytes) -> list[tuple[int, list[str]]]:
    """Level and names of each; a file is parsed once, because all parts of the code import the same few."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return []  # the import reports it
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.append((0, [alias.name for alias in node.names]))
        elif isinstance(node, ast.ImportFrom):
            base = [node.module] if node.module else []
            found.append((node.level, [*base, *(".".join([*base, alias.name]) for alias in node.names)]))
    return found


def _imported(path: Path, folder: Path, top: Path | None) -> Iterator[Path]:
    for level, names in _import_statements(path.read_bytes()):
        for name in names:
            roots = [path.parents[min(level, len(path.parents)) - 1]] if level else [folder]
            if not level and top is not None and name.partition(".")[0] == top.name:
                roots.append(top.parent)
            for root in roots:  # of the module `a.b`: `a.py` or `a/__init__.py`, and the same of `a/b`
                for stem in accumulate(name.split("."), Path.__truediv__, initial=root):
                    files = (stem.with_suffix(".py"), stem / "__init__.py") if stem != root else ()
                    yield from (file.resolve() for file in files if file.is_file())


#: Part of the code that decides a run -> the files that it begins with; each file counts in the first part.
_PARTS = {
    "metrics": ["metrics"],
    "data": ["data/prepare", "data/synthetic", "data/formats/features", "data/splits"],
    "training": ["training"],
}


@cache
def sources_of(models: tuple[str, ...]) -> Mapping[str, str]:
    """Part of the code that determines a run of these models -> digest of its files, as they are now."""
    here = Path(__file__).parent
    parts = {part: [here / f"{file}.py" for file in files] for part, files in _PARTS.items()}
    parts["model"] = [file for name in models if (file := _file_of(name)) is not None]
    seen: set[Path] = set()
    digests = {}
    for part, files in parts.items():
        reached = {path for file in files for path in reached_by(file)} - seen
        seen |= reached
        # The same on all systems, wherever the package lies.
        texts = {f"{file.parent.name}/{file.name}": file.read_bytes() for file in reached}
        plain = {name: text.replace(b"\r\n", b"\n") for name, text in sorted(texts.items())}
        lines = (f"{hashlib.sha256(text).hexdigest()}  {name}" for name, text in plain.items())
        digests[part] = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]
    return digests


def _file_of(model: str) -> Path | None:
    """The file of a model; a package is found without importing it."""
    if model in (files := _own_models() | files_of_models()):
        return files[model]
    point, spec, places = _offers()[0].get(model), None, None
    for name in accumulate(point.module.split("."), "{}.{}".format) if point else ():
        spec = PathFinder.find_spec(name, places)
        if spec is None:
            return None
        places = spec.submodule_search_locations
    return Path(spec.origin) if spec and spec.origin and spec.has_location else None


# -------------------------------------------------------------------------------------- configurations


def find_config(module: ModuleType, variant: str | None, changes: Mapping[str, Any]) -> Any:
    """The variant's `Config` with some keys changed. Raises `ConfigError` naming the key or the value."""
    variants: Mapping[str, Any] = module.VARIANTS
    if variant is not None and variant not in variants:
        known = f"is not known; {known_names(variant, variants)}"
        raise ConfigError(f"variant {variant!r} of {module.__name__!r} {known}")
    known = module.Config.__dataclass_fields__
    for key in changes:
        if key not in known:
            why = f"is not known to {module.__name__!r}; {known_names(key, known)}"
            raise ConfigError(f"config key {key!r} {why}", [key])
    base = as_dict(variants[variant]) if variant else {}
    try:
        config = from_json(module.Config, {**base, **changes}, "config")
    except ConfigError as err:  # where several keys do not go together, the first one that it names
        words = re.findall(r"\w+", str(err))
        err.place = err.place or tuple([word for word in words if word in changes][:1])
        raise
    return module.resolve(config) if hasattr(module, "resolve") else config


def reduced_config(module: ModuleType, config: Any, sizes: Mapping[str, Any]) -> Any:
    """`config` at the model's own `SMALL` sizes, or else at `sizes`, if these are no larger."""
    own = getattr(module, "SMALL", sizes)
    asked = {key: getattr(config, key, None) for key in own}
    changes = {key: smaller(value, own[key]) for key, value in asked.items() if value is not None}
    config = find_config(module, None, {**as_dict(config), **changes})
    return module.reduce(config, sizes) if hasattr(module, "reduce") else config


def smaller(asked: Any, reduced: Any) -> Any:
    """The smaller of two sizes, of lists item by item; for other values the reduced one."""
    if callable(reduced):
        return reduced(asked)
    if isinstance(asked, list | tuple) and isinstance(reduced, list | tuple):
        return tuple(smaller(*pair) for pair in zip(asked, reduced, strict=False))
    numbers = all(isinstance(it, int | float) and not isinstance(it, bool) for it in (asked, reduced))
    return min(asked, reduced) if numbers else reduced


def config_problem(
    model: str, variant: str | None, config: Mapping[str, Any]
) -> tuple[tuple[str | int, ...], str] | None:
    """What is wrong with it: the keys that lead there, as ("config", "maps"), and a sentence."""
    try:
        find_config(find_model(model), variant, config)
    except ConfigError as err:
        return ("config", *err.place), str(err)
    return None


# ---------------------------------------------------------------------------------- what a claim file may set
# Read from the classes that hold it: a key's meaning is the docstring below its field, and a variant's the
# comment above its entry in `VARIANTS`, since Python keeps neither.

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
    """The fields of a dataclass, in its order, including inherited ones."""
    hints, says = get_type_hints(config), field_docstrings(config)
    names = [(key.name, _default(key)) for key in fields(config)]
    return tuple(KeyLine(name, in_words(hints[name]), value, says.get(name, "")) for name, value in names)


def in_words(kind: Any) -> str:
    """A type in words for the writer of a claim file, as in `list of whole numbers`, `sum or mean`."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " or ".join(map(_plain, parts))
    if origin in (Union, UnionType):
        return " or ".join(map(in_words, parts))
    if origin in (tuple, list):
        return f"list of {in_words(parts[0])}s"
    return "keys and values" if origin else _WORDS.get(kind, str(kind))


def field_docstrings(config: type) -> dict[str, str]:
    """Field -> the docstring below it, on one line, of a class and its base classes."""
    texts: dict[str, str] = {}
    for part in reversed(config.__mro__[:-1]):
        (node,) = ast.parse(textwrap.dedent(inspect.getsource(part))).body
        for key, after in pairwise(getattr(node, "body", [])):
            if isinstance(key, ast.AnnAssign) and isinstance(after, ast.Expr):
                text = " ".join(str(ast.literal_eval(after.value)).split())
                texts[ast.unparse(key.target)] = re.sub(r"\bNone\b", "null", text)
    return texts


def variants_of(module: ModuleType) -> dict[str, tuple[str, dict[str, str]]]:
    """Name -> the comment above the variant, and the keys that it changes from their default."""
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
    """A value in YAML; text without quotes unless it would be read as something else."""
    if isinstance(value, str) and value and value not in ("true", "false", "null"):
        return value
    return json.dumps(as_json(value), ensure_ascii=False, default=str)


# Models, protocols, recipes and tuning protocols, a line each: whose it is, and what the object itself says.


def models() -> dict[str, str]:
    """What each model is, by the first sentence of its file, and what it reads; imports none."""
    lines = sources_of_models()
    for name in known_models():
        text = file.read_text(encoding="utf-8") if (file := _file_of(name)) else ""
        if title := re.match(r'"""(.+?)(?:(?<=\.)\s+(?=[A-Z])|\n\n|""")', text, re.DOTALL):
            takes = re.search(r"^TAKES = (.+)$", text, re.MULTILINE)
            reads = " or ".join(re.findall(r"\w+", takes[1])) if takes else "texts"
            of = "" if name in _own_models() else f"; from {lines[name]}"
            lines[name] = f"{' '.join(title[1].split()).rstrip('.')}; reads {reads}{of}"
    return lines


def protocols() -> dict[str, str]:
    lines = {}
    for name, it in PROTOCOLS.items():
        whole = name if name in TABLES["training"] else name.removesuffix("-small")
        of = TABLES["training"][whole]["whose"] + ", at the sizes of small" * (whole != name)
        best = f"epoch of the best {it.select_metric} on the {it.select.removeprefix('best_on_')} documents"
        how = f"{it.epochs:,} epoch{'s' * (it.epochs != 1)}, batches of {it.batch_size}, "
        how += f"{it.optimiser} at rate {it.learning_rate:g}, {it.length:,} tokens a document at most"
        lines[name] = f"{of}: {how}; reports the {'last epoch' if it.select == 'last' else best}"
    return lines


def recipes() -> dict[str, str]:
    return {name: TABLES["recipes"][name] for name in PREPROCESSINGS}


def tunings() -> dict[str, str]:
    return {name: f"{it.source}: {it.trials} trials by {it.metric}" for name, it in TUNING.items()}
