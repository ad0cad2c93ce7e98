"""What a format is to the rest: options, what was seen and why, and sources of raw text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias

from reimpl.data.dataset import Dataset
from reimpl.data.files import File, Tree, head
from reimpl.data.source import Document, Source
from reimpl.data.storage import file_digest
from reimpl.errors import ConfigError, DataError, option

Kind: TypeAlias = Literal["text", "features"]
Base: TypeAlias = Literal[0, 1]

#: How files name the splits; the first is ours.
SPLIT_WORDS: Mapping[str, tuple[str, ...]] = {
    "train": ("train", "trn"),
    "test": ("test", "tst"),
    "dev": ("dev", "valid", "val"),
}
_SPLIT = "(" + "|".join(word for words in SPLIT_WORDS.values() for word in words) + ")"
_PREFIX = r"(?:[\w.-]+[_.-])?"
#: Lines that tell formats apart.
_LOOK_AT = 20


@dataclass(frozen=True)
class Options:
    """What a file does not say of itself. Each reader takes some of them and refuses the others."""

    features_from: Base | None = None
    """0 or 1: the first feature id."""
    labels_from: Base | None = None
    """0 or 1: the first label id."""
    column: int | None = None
    """Which of several splits, from 0."""
    data: Path | None = None
    """The data file that split files speak of, when it lies elsewhere."""
    text: tuple[str, ...] | None = None
    """Names of the fields that make up the text, joined by a space."""
    labels: str | None = None
    """Name of the field that holds the labels."""
    separator: str | None = None
    """What parts the labels within their field."""
    ids: bool | None = None
    """Whether a first column holds document ids."""
    raw: bool | None = None
    """Of texts that are there tokenised and raw: whether to read the raw ones."""

    def __post_init__(self) -> None:
        for name in ("features_from", "labels_from"):
            if getattr(self, name) not in (None, 0, 1):
                raise ConfigError(f"{name} is {getattr(self, name)!r}; give 0 or 1")
        for name in ("separator", "labels", "text"):
            if getattr(self, name) in ("", ()):
                raise ConfigError(f"{option(name)} is empty; give at least one character")

    @property
    def stated(self) -> tuple[str, ...]:
        """Names of those that have a value."""
        return tuple(it.name for it in fields(self) if getattr(self, it.name) is not None)


@dataclass(frozen=True)
class Format:
    """What something on disk is, and why."""

    name: str
    title: str
    kind: Kind
    why: str
    files: Mapping[str, str] = field(default_factory=dict)
    """Role (`train`, `test labels`, ...) -> file."""
    needs: tuple[str, ...] = ()
    """A sentence for each option that must be stated before it can be read."""


@dataclass(frozen=True)
class Ambiguous:
    """Something on disk that two formats fit."""

    could_be: tuple[Format, ...]
    ask: str
    """One sentence: what they are and what to add to the command."""


@dataclass(frozen=True)
class Found:
    """What a reader sees in a tree that it can read."""

    why: str
    files: Mapping[str, File]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reader:
    """One format: how it is called, recognised and opened."""

    name: str
    title: str
    kind: Kind
    options: tuple[str, ...]
    detect: Callable[[Tree], Found | None]
    open: Callable[[Tree, Options], Source | Dataset]
    """Texts as a source that streams them, features as a data set."""

    def check(self, options: Options) -> None:
        """Raises `ConfigError` for an option that means nothing here."""
        for name in options.stated:
            if name not in self.options:
                takes = ", ".join(map(option, self.options)) or "none"
                raise ConfigError(f"option {option(name)} means nothing for {self.title}; it takes {takes}")


@dataclass(frozen=True)
class TextSource:
    """A corpus of raw texts in any format; it is read anew, and streamed, at each call of `documents`."""

    name: str
    readers: Mapping[str, Callable[[], Iterator[Document]]]
    """Split -> its documents."""
    files: tuple[File, ...]
    choices: str
    """Format and options, as they enter `digest`."""
    notes: tuple[str, ...] = ()
    pieces: Mapping[str, Callable[[], Iterator[Any]]] = field(default_factory=dict)
    """Split -> the same documents in chunks (`numbering.Lines`) that a worker process takes apart."""
    by_split: bool = False
    """Whether `digest` calls the files, one a split, by their splits."""
    tokenised: bool = False
    """Whether a program has parted the words by blanks already."""

    @property
    def splits(self) -> tuple[str, ...]:
        """`train`, `test` and maybe `dev`."""
        return tuple(self.readers)

    def documents(self, split: str) -> Iterator[Document]:
        """Documents of a split, in order; raises `DataError` with file and line, or if there is none."""
        empty = True
        for document in self.readers[split]():
            empty = False
            yield document
        if empty:
            raise DataError(f"{self.name}: {split} has no documents; give a file that is not empty")

    def digest(self) -> str:
        """SHA-256 over the files' bytes as they lie on disk and over the options."""
        packed = {path: file_digest(path) for path in sorted({file.path for file in self.files})}
        named = self.splits if self.by_split else [f"{file.name} {file.member}" for file in self.files]
        parts = [f"{name} {packed[file.path]}" for name, file in zip(named, self.files, strict=True)]
        return hashlib.sha256("\n".join([self.choices, *parts]).encode()).hexdigest()


def by_split(tree: Tree, pattern: str) -> dict[str, File]:
    """Split -> file, in our order, of the names (without packing) that fit a pattern with `{split}` in it.

    `{prefix}` lets something like `eurlex_` stand in front. Raises `DataError` for two files of one split.
    """
    regex = re.compile(pattern.replace("{split}", _SPLIT).replace("{prefix}", _PREFIX), re.IGNORECASE)
    names: dict[str, str] = {}
    for name in tree.files:
        if match := regex.fullmatch(name):
            word = next(group for group in match.groups() if group).lower()
            split = next(split for split, words in SPLIT_WORDS.items() if word in words)
            if split in names:
                raise DataError(
                    f"{tree.path}: {names[split]} and {name} are both there for {split}; keep one"
                )
            names[split] = name
    files = {split: tree.find(names[split]) for split in SPLIT_WORDS if split in names}
    return {split: file for split, file in files.items() if file is not None}


def split_files(tree: Tree, pattern: str, suffixes: tuple[str, ...] = ("",)) -> dict[str, File]:
    """As `by_split`; else, as `data`, the one file that the user points at, if its name ends so."""
    files = by_split(tree, pattern)
    if not files and tree.single:
        ((file,),) = tree.files.values()
        return {"data": file} if file.stem.lower().endswith(suffixes) else {}
    return files


def need_train_and_test(tree: Tree, files: Mapping[str, object], title: str) -> None:
    """Raises `DataError` when one of the two is missing."""
    for split in ("train", "test"):
        if split not in files:
            here = "one file without splits" if tree.single else f"no {split} file"
            raise DataError(f"{tree.path}: {here}; {title} needs a folder with train and test files")


def need_beside(tree: Tree, files: Mapping[str, File], beside: Mapping[str, object], what: str) -> None:
    """Raises `DataError` for a split without the other file that belongs to it."""
    for split, file in files.items():
        if split not in beside:
            raise DataError(f"{tree.path}: {file.name} has no {what.format(split)} beside it; add the file")


def pairs_seen(files: Mapping[str, File], what: str, beside: Mapping[str, File]) -> dict[str, File]:
    """Both kinds of files by their roles: `train texts`, `train labels`."""
    return {f"{split} {what}": file for split, file in files.items()} | {
        f"{split} labels": file for split, file in beside.items()
    }


def first_lines(file: File) -> Sequence[bytes]:
    """The first whole lines; of a file that is one long line, none."""
    start = head(file)
    lines = start.split(b"\n")
    if len(lines) == 1:
        return [start] if len(start) < 1 << 16 else []
    return lines[:-1][:_LOOK_AT]
