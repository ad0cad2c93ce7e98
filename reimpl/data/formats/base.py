"""The interface of a format: its options, how it is recognised and opened."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal, TypeAlias

from reimpl.data.dataset import Dataset
from reimpl.data.files import File, Tree, head
from reimpl.data.numbering import TextSource
from reimpl.errors import ConfigError, DataError, option

Base: TypeAlias = Literal[0, 1]

#: One of several files of a split, as Hugging Face's tools write them.
_SHARD = re.compile(r"-(\d{5})-of-(\d{5})(?=\.)")
#: How files name the splits -> how we do.
SPLITS = {"train": "train", "trn": "train", "training": "train", "test": "test", "tst": "test"}
SPLITS |= dict.fromkeys(("dev", "valid", "val", "validation", "eval", "development"), "dev")


@dataclass(frozen=True)
class Options:
    """What a file does not say about itself. Each reader takes some options and refuses the others."""

    base: Base | None = None  # 0 or 1: the first feature id and label id, where these do not tell
    column: int | None = None  # which of several splits, from 0
    data: Path | None = None  # the data file that split files speak of, when it lies elsewhere
    text: tuple[str, ...] | None = None  # names of the fields that make up the text, joined by a space
    labels: str | None = None  # name of the field that holds the labels
    separator: str | None = None  # what parts the labels within their field
    ids: bool | None = None  # whether a first column holds document ids
    raw: bool | None = None  # of texts that are there tokenised and raw: whether to read the raw ones

    def __post_init__(self) -> None:
        if self.base not in (None, 0, 1):
            raise ConfigError(f"base is {self.base!r}; give 0 or 1")
        for name in ("separator", "labels", "text"):
            if getattr(self, name) in ("", ()):
                raise ConfigError(f"{option(name)} is empty; give at least one character")

    @property
    def stated(self) -> tuple[str, ...]:
        return tuple(each.name for each in fields(self) if getattr(self, each.name) is not None)


@dataclass(frozen=True)
class Reader:
    """One format: its name, how it is recognised and opened."""

    name: str
    title: str
    options: tuple[str, ...]
    detect: Callable[[Tree], object]  # what shows that files are of this format; falsy where they are not
    open: Callable[[Tree, Options], TextSource | Dataset]  # texts as a source, features as a data set


def by_split(tree: Tree, pattern: str) -> dict[str, File]:
    """Split -> file, for names (without packing) that fit `{split}` and maybe `{prefix}`, as `eurlex_`."""
    pattern = pattern.replace("{split}", f"({'|'.join(SPLITS)})").replace("{prefix}", r"(?:[\w.-]+[_.-])?")
    names: dict[str, str] = {}
    for name in sorted(tree.files):
        if match := re.fullmatch(pattern, _SHARD.sub("", name), re.IGNORECASE):
            split = SPLITS[next(filter(None, match.groups())).lower()]
            other = names.get(split)
            if other and _SHARD.sub("", name) == _SHARD.sub("", other):
                continue
            if other:
                raise DataError(f"{tree.path}: both {other} and {name} exist for {split}; keep one")
            names[split] = name
    splits = ("train", "test", "dev")
    return {split: file for split in splits if (file := tree.find(names.get(split, "")))}


def shards(tree: Tree, file: File) -> tuple[File, ...]:
    """The file, or all files of its set. Raises `DataError` if one is missing."""
    match = _SHARD.search(file.stem)
    if match is None:
        return (file,)
    before, after, size = file.stem[: match.start()], file.stem[match.end() :], int(match[2])
    names = [f"{before}-{n:05}-of-{size:05}{after}" for n in range(size)]
    found = [(name, tree.find(name)) for name in names]
    if missing := [name for name, one in found if one is None]:
        raise DataError(f"{tree.path}: {missing[0]} is missing, one of {size}; get the others")
    return tuple(one for _, one in found if one is not None)


def first_file(tree: Tree, pattern: str) -> File | None:
    """The train file, else another one that fits; None if there is none."""
    return next(iter(by_split(tree, pattern).values()), None)


def train_and_test(tree: Tree, pattern: str, title: str) -> dict[str, File]:
    """As `by_split`; raises `DataError` if one of the two is missing."""
    files = by_split(tree, pattern)
    for split in ("train", "test"):
        if split not in files:
            raise DataError(f"{tree.path}: no {split} file; {title} needs a folder with train and test files")
    return files


def files_beside(tree: Tree, files: Mapping[str, File], pattern: str, what: str) -> dict[str, File]:
    """The other file of each split; raises `DataError` for a split without it."""
    others = by_split(tree, pattern)
    for split, file in files.items():
        if split not in others:
            raise DataError(f"{tree.path}: {file.name} has no {what.format(split)} beside it; add the file")
    return others


def first_lines(file: File) -> Sequence[bytes]:
    """The first whole lines, by which formats are told apart; empty for a file that is one long line."""
    start = head(file)
    lines = start.split(b"\n")
    if len(lines) == 1:
        return [start] if len(start) < 1 << 16 else []
    return lines[:-1][:20]
