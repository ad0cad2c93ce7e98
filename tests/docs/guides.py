"""Guides that can be carried out: the commands and their output in `docs/*.md`, run again and compared.

In a guide, a block that begins with ```console holds commands, each after `$ ` (further lines of it after
`> `), and what they print. All blocks of a guide run in order, in one folder that holds the files of
`docs/examples/`. An exit code other than 0 stands behind the output as `[exit code 1]`. A block whose first
line is a comment with the path of a file (`# mystats/delta.py`) is written there when it is reached.

What differs from run to run is marked in the guide: a line `...` stands for any number of lines, and `[..]`
within a line for any text. Renewing keeps a block that still agrees as it is; in one that does not, all
output is written anew, with the `VARYING` parts marked, and lines to leave out are left out again by hand.

    python -m tests.docs.guides            # renews all guides; read the diff
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = "```"

#: Where `python -m pip install -q FOLDER` puts a package, which no guide sees.
SITE = ".site"

#: What no two runs share, in any guide.
VARYING = (r"\b\d+(?:\.\d+)? ?(?:ms|s|min|seconds?|minutes?)\b",)


@dataclass(frozen=True)
class Step:
    """A command as it is typed, and the lines that the guide shows below it."""

    command: str
    shown: tuple[str, ...]


def steps(block: Sequence[str]) -> list[Step]:
    """Each command of a block, its further lines joined to it."""
    found: list[tuple[list[str], list[str]]] = []
    for line in block:
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1][0].append(line[2:])
        elif found:
            found[-1][1].append(line)
        else:
            raise ValueError(f"{line!r} stands before any command; begin the block with `$ `")
    return [Step("\n".join(command), tuple(shown)) for command, shown in found]


def agrees(shown: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether the output is what the guide shows, `...` and `[..]` taken as what they stand for."""
    pattern = "".join(
        "(?:.*\n)*?" if line == "..." else re.escape(line).replace(re.escape("[..]"), ".*") + "\n"
        for line in shown
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def marked(line: str) -> str:
    """The line with its varying parts marked: "3 runs in 12.4 s" is "3 runs in [..]"."""
    for pattern in VARYING:
        line = re.sub(pattern, "[..]", line)
    return line


# --------------------------------------------------------------------------- running


def carry_out(command: str, folder: Path) -> list[str]:
    """What the command prints, both streams, without blanks at line ends; the exit code behind it if not 0.
    Commands of this toolkit run within this process, for speed, except those that train, and all once a
    package was installed."""
    words = shlex.split(command.replace("\\\n", " "))
    plugins = (folder / SITE).exists()
    if words[:5] == ["python", "-m", "pip", "install", "-q"]:
        printed, code = install(folder / words[5], folder / SITE), 0
    elif words[0] == "audit" and words[1] != "run" and not plugins and not {"|", ">"} & {*words}:
        printed, code = _here(words[1:], folder)
    else:
        printed, code = _outside(command, folder)
    lines = [line.rstrip() for line in printed.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return [*lines, f"[exit code {code}]"] if code else lines


def install(source: Path, site: Path) -> str:
    """A package as pip leaves it, files and entry points, in a folder on the path and without an index."""
    project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
    name, version = project["name"], project["version"]
    info = site / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    shutil.copytree(source / name, site / name)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    groups = project.get("entry-points", {}).items()
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in held.items()) for group, held in groups]
    (info / "entry_points.txt").write_text("\n".join(lines))
    return ""


def _here(words: Sequence[str], folder: Path) -> tuple[str, int]:
    from audit import cli

    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    nothing_typed, kept = io.StringIO(), sys.stdin
    with contextlib.chdir(folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        sys.stdin = nothing_typed
        try:
            code = cli.main(list(words))
        finally:
            sys.stdin = kept
    said.seek(0)
    return said.read(), code


def _outside(command: str, folder: Path) -> tuple[str, int]:
    names = f'audit() {{ "{sys.executable}" -m audit "$@"; }}; python() {{ "{sys.executable}" "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-c", names + command],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout, done.returncode


def environment(folder: Path) -> dict[str, str]:
    """One thread, a fixed width, what was installed in the folder, and this project as it is here."""
    import audit

    path = [str(folder / SITE), str(Path(audit.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    held = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV"))}
    return {
        **held,
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
        "COLUMNS": "100",
        "CUDA_VISIBLE_DEVICES": "",
        "PYTHONIOENCODING": "utf-8",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def prepared(folder: Path) -> Path:
    """The folder with the files that the guides speak of."""
    shutil.copytree(DOCS / "examples", folder, dirs_exist_ok=True)
    return folder


# --------------------------------------------------------------------------- a guide


def differences(text: str, folder: Path) -> list[str]:
    """What a guide shows and is not so, each with the command; all blocks are carried out in order."""
    found: list[str] = []

    def compare(step: Step) -> list[str]:
        printed = carry_out(step.command, folder)
        if not agrees(step.shown, printed):
            found.append("\n".join([f"$ {step.command}", "--- shown", *step.shown, "--- printed", *printed]))
        return list(step.shown)

    _with_output(text, folder, compare)
    return found


def renewed(text: str, folder: Path) -> str:
    """The guide with the output as it is now where that is not what it shows."""

    def renew(step: Step) -> list[str]:
        printed = carry_out(step.command, folder)
        if agrees(step.shown, printed):
            return list(step.shown)
        return [marked(line) for line in printed]

    return _with_output(text, folder, renew)


def _with_output(text: str, folder: Path, output: Callable[[Step], list[str]]) -> str:
    lines: list[str] = []
    block: list[str] | None = None
    language = ""
    for line in text.splitlines():
        if block is None:
            lines.append(line)
            if line.startswith(FENCE):
                block, language = [], line.removeprefix(FENCE)
        elif line == FENCE:
            lines += _console(block, output) if language == "console" else _file(block, folder)
            lines.append(line)
            block = None
        else:
            block.append(line)
    if block is not None:
        raise ValueError("the last block has no end")
    return "\n".join(lines) + "\n"


def _console(block: Sequence[str], output: Callable[[Step], list[str]]) -> Iterator[str]:
    for step in steps(block):
        first, *more = step.command.split("\n")
        yield f"$ {first}"
        yield from (f"> {it}" for it in more)
        yield from output(step)


def _file(block: Sequence[str], folder: Path) -> Sequence[str]:
    if block and (named := re.fullmatch(r"# (\w[\w./-]*\.(?:py|toml|yaml))", block[0])):
        path = folder / named[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(block) + "\n")
    return block


def guides() -> list[Path]:
    """All pages under `docs/` that have console blocks."""
    return sorted(path for path in DOCS.glob("*.md") if f"\n{FENCE}console\n" in path.read_text())


def main() -> None:
    os.environ.update(COLUMNS="100", OMP_NUM_THREADS="1")
    for path in guides():
        with tempfile.TemporaryDirectory() as folder:
            path.write_text(renewed(path.read_text(), prepared(Path(folder))))
        print(f"{path.relative_to(ROOT)}: as it is now")


if __name__ == "__main__":
    main()
