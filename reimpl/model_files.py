"""Model files of a folder, which are edited between runs: each is known by what stands in it.

A model of a package has a version and a `REVISION`; a file that somebody is at work on has its content. The
content of a model is that of its file and of the files beside it that it imports, and of those that they
import: the `import` statements are read, wherever they stand, and nothing is run for that. What a file gets
at otherwise (data, modules by a computed name, installed packages) is for `REVISION`.

Importing this module does not import torch.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from types import ModuleType

from reimpl.errors import ConfigError

_PACKAGE = "xmtc_audit_models"
#: Attribute of a module that came from a folder: its `Content`.
_CONTENT = "__xmtc_audit_content__"


@dataclass(frozen=True)
class Content:
    """What stands in a model's file and in those beside it that it imports."""

    path: Path
    sources: Mapping[Path, bytes]
    """The model's own file first."""

    @property
    def sha256(self) -> str:
        """Of the file as it is; of several, of the lines that `sha256sum` prints of them from that folder."""
        digests = {
            _named(it, self.path): hashlib.sha256(text).hexdigest() for it, text in self.sources.items()
        }
        if len(digests) == 1:
            return next(iter(digests.values()))
        lines = "".join(f"{digest}  {name}\n" for name, digest in digests.items())
        return hashlib.sha256(lines.encode()).hexdigest()


def content_of(path: Path) -> Content:
    """What stands there now. Raises `OSError` where the file cannot be read."""
    path = path.resolve()
    beside = sorted(reached_by(path) - {path}, key=lambda it: _named(it, path))
    return Content(path, {it: it.read_bytes() for it in (path, *beside)})


def code_of(module: ModuleType) -> str:
    """SHA-256 of what a model from a folder was loaded from; empty for one of ours and of a package."""
    content = getattr(module, _CONTENT, None)
    return content.sha256 if isinstance(content, Content) else ""


def files_of(module: ModuleType) -> tuple[Path, ...]:
    """The files that `code_of` is about; none of a model of ours or of a package."""
    content = getattr(module, _CONTENT, None)
    return tuple(content.sources) if isinstance(content, Content) else ()


# --------------------------------------------------------------------------- loading

_loaded: dict[tuple[Path, str], ModuleType] = {}
#: What was last tried.
_newest: dict[Path, Content] = {}


def load_file(path: Path, code: str = "") -> ModuleType:
    """The module of a model's file as it is now, or as it was when `code` was loaded in this process.

    So a suite goes on with the model that it began with, whatever is edited meanwhile; who asks for `code`
    compares it with `code_of`. Raises `ConfigError` with whatever goes wrong while the file is imported.
    """
    path = path.resolve()
    if (path, code) in _loaded:
        return _loaded[path, code]
    content = content_of(path)
    key = path, content.sha256
    if key not in _loaded:
        _loaded[key] = _run(content)
    return _loaded[key]


def _run(content: Content) -> ModuleType:
    path = content.path
    name = f"{_PACKAGE}.{path.stem}"
    if name in sys.modules:  # an older one may be in use still, and finds itself by its name
        name += f"_{content.sha256[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    setattr(module, _CONTENT, content)
    sys.modules[name] = module  # dataclasses look their module up
    _forget_changed(content)
    _newest[path] = content
    try:
        # Not by its loader: compiled files are told apart by second and size, and edits may agree in both.
        exec(compile(content.sources[path], str(path), "exec", dont_inherit=True), module.__dict__)
    except (Exception, SystemExit) as err:
        del sys.modules[name]
        raise ConfigError(
            f"model {path.stem!r}: {path} cannot be imported ({fault(err, module)}); mend it"
        ) from err
    return module


def _forget_changed(content: Content) -> None:
    """What the file imports from beside it is imported anew where it is not what it was."""
    held = _newest.get(content.path)
    changed = {it for it, text in content.sources.items() if held and held.sources.get(it, text) != text}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if changed and isinstance(file, str) and Path(file).resolve() in changed - {content.path}:
            del sys.modules[name]


# --------------------------------------------------------------------------- faults


def fault(err: BaseException, *modules: ModuleType) -> str:
    """`ValueError: oops (mine/net.py:31)`: what went amiss, and the last line of these models that led to it.

    Without a place where none of their lines did.
    """
    said = f"{type(err).__name__}: {' '.join(str(err).split())}".removesuffix(": ")
    place = _place(err, modules)
    return said if place is None else f"{said} ({place})"


def _place(err: BaseException, modules: tuple[ModuleType, ...]) -> str | None:
    files = {str(path) for module in modules for path in files_of(module)}
    packages = {module.__name__.partition(".")[0] for module in modules if not files_of(module)}
    place, step = None, err.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        package = str(step.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        if file in files or package in packages - {"reimpl"}:
            place = f"{shown(Path(file))}:{step.tb_lineno}"
        step = step.tb_next
    return place


def shown(path: Path) -> Path:
    """From the working folder, where it lies below that."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


# --------------------------------------------------------------------------- what a file imports


def reached_by(path: Path) -> set[Path]:
    """The file, and those of its folder or package that it imports, over any number of steps."""
    top = _top(path)
    found, open_ones = {path}, [path]
    while open_ones:
        new = set(_imported(open_ones.pop(), path.parent, top)) - found
        found |= new
        open_ones += new
    return found


def _top(path: Path) -> Path | None:
    """The outermost folder of the package that the file is in; None where it is in none."""
    within = list(takewhile(lambda it: (it / "__init__.py").is_file(), path.parents))
    return within[-1] if within else None


def _imported(path: Path, folder: Path, top: Path | None) -> Iterator[Path]:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return  # that is told when it is imported
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for it in node.names:
                yield from _absolute(it.name, folder, top)
        elif isinstance(node, ast.ImportFrom):
            base = [node.module] if node.module else []
            for name in (*base, *(".".join([*base, it.name]) for it in node.names)):
                if node.level:
                    yield from _files(name, path.parents[min(node.level, len(path.parents)) - 1])
                else:
                    yield from _absolute(name, folder, top)


def _absolute(name: str, folder: Path, top: Path | None) -> Iterator[Path]:
    """Of all else that could be meant, the packages that are installed, nothing lies beside the file."""
    yield from _files(name, folder)
    if top is not None and name.partition(".")[0] == top.name:
        yield from _files(name, top.parent)


def _files(name: str, root: Path) -> Iterator[Path]:
    """Of the module `a.b`: `a.py` or `a/__init__.py`, and the same of `a/b`."""
    stem = root
    for part in name.split("."):
        stem = stem / part
        for file in (stem.with_name(f"{part}.py"), stem / "__init__.py"):
            if file.is_file():
                yield file.resolve()


def _named(path: Path, model: Path) -> str:
    """From the folder of the model's file, the same on all systems."""
    return Path(os.path.relpath(path, model.parent)).as_posix()
