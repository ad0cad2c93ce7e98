"""Labels of single documents, read from a file: predicted ones with their scores, or the true ones.

JSON lines, or a list in a JSON file:

    {"document": "d1", "labels": ["a", "b"], "scores": [0.9, 0.4]}      the labels best first
    {"document": "d1", "labels": ["b"]}                                 the truth

or .npz: `document` (N,), `labels` (N, K) and `scores` (N, K); of the truth `document` (N,), `labels` (M,)
and `offsets` (N + 1,). A list that ends early is filled up with -1, or with empty text. Labels are names or
numbers, as long as both files use the same. No array is documents x labels.
"""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.claim_names import counted
from audit.importing.declared import Source
from audit.importing.problems import Problems
from audit.importing.table import TableFile, explained, refuse, text

_MOST_NAME = 500

#: How one document is written, without scores (truth) and with them (predictions).
_FORMS = (
    '{"document": "d1", "labels": ["b"]}',
    '{"document": "d1", "labels": ["a", "b"], "scores": [0.9, 0.4]}',
)


@dataclass(frozen=True)
class Document:
    """One document of a file: its true labels, or the predicted ones best first."""

    place: str
    name: str
    labels: tuple[str, ...]
    scores: tuple[float, ...] | None


class DocumentFile:
    """A file of documents. `source` is known once `documents` has come to its end."""

    def __init__(self, path: Path, *, scored: bool) -> None:
        self.path, self.scored = path, scored
        self.source = Source(path.name, "")

    def documents(self, problems: Problems) -> Iterator[Document]:
        """All that are sound; what is wrong with the others goes to `problems`."""
        for place, item in self._npz() if self.path.suffix == ".npz" else self._objects():
            try:
                yield self._document(place, item)
            except ValueError as err:
                problems.add(place, str(err))

    def _document(self, place: str, item: Any) -> Document:
        wanted = ("document", "labels", "scores") if self.scored else ("document", "labels")
        form = _FORMS[self.scored]
        if not isinstance(item, dict):
            raise ValueError(f"{text(item)[:60]} is no document; write each as {form}")
        if lacking := [name for name in wanted if name not in item]:
            there = ", ".join(repr(name[:40]) for name in list(item)[:8]) or "nothing"
            raise ValueError(f"it has {there} and lacks {', '.join(map(repr, lacking))}; write it as {form}")
        name, labels = text(item["document"]), item["labels"]
        if not 0 < len(name) <= _MOST_NAME:
            raise ValueError(f"document {name[:60]!r}: give it a name of 1 to {_MOST_NAME} characters")
        if not isinstance(labels, list) or not all(isinstance(it, str) for it in labels):
            raise ValueError(f"labels {text(labels)[:60]!r} are no list of names or numbers")
        if len(set(labels)) < len(labels):
            twice = next(it for it in labels if labels.count(it) > 1)
            raise ValueError(f"document {name!r} has the label {twice[:60]!r} twice; remove one")
        return Document(place, name, tuple(labels), _scores(name, labels, item) if self.scored else None)

    def _objects(self) -> Iterator[tuple[str, Any]]:
        file = TableFile(self.path)
        for number, item in file.objects():
            yield f"{self.path}:{number}", item
        self.source = file.source

    def _npz(self) -> Iterator[tuple[str, Any]]:
        with explained(self.path):
            content = self.path.read_bytes()
        self.source = Source(self.path.name, hashlib.sha256(content).hexdigest())
        names = ("document", "labels", "scores") if self.scored else ("document", "offsets", "labels")
        held = _load(self.path, content, names)
        count = len(held["document"])
        if self.scored:
            if held["labels"].ndim != 2 or {held["scores"].shape, (count, held["labels"].shape[1])} != {
                held["labels"].shape
            }:
                refuse(
                    self.path,
                    f"labels {held['labels'].shape} and scores {held['scores'].shape} are not ({count}, K)",
                )
            lists = (_until_end(row) for row in held["labels"].tolist())
        else:
            offsets = held["offsets"]
            rising = (
                offsets.shape == (count + 1,) and offsets.dtype.kind in "iu" and (np.diff(offsets) >= 0).all()
            )
            if not rising or offsets[0] != 0 or offsets[-1] != len(held["labels"]):
                refuse(
                    self.path, f"offsets do not rise from 0 to the {len(held['labels'])} labels; correct them"
                )
            lists = ([str(it) for it in part] for part in np.split(held["labels"], offsets[1:-1]))
        for i, (name, labels) in enumerate(zip(held["document"].tolist(), lists, strict=True)):
            item = {"document": str(name), "labels": labels}
            if self.scored:
                item["scores"] = held["scores"][i, : len(labels)].tolist()
            yield f"{self.path}: document {i}", item


def _scores(name: str, labels: Sequence[str], item: Mapping[str, Any]) -> tuple[float, ...]:
    given = item["scores"]
    if not isinstance(given, list) or len(given) != len(labels):
        number = counted(len(labels), "label")
        raise ValueError(f"document {name!r} has {number} and scores {text(given)[:60]}; give one each")
    try:
        scores = tuple(map(_number, given))
    except ValueError as err:
        raise ValueError(f"document {name!r} has the score {err}, which is no number; give numbers") from err
    if not all(map(math.isfinite, scores)):
        raise ValueError(f"document {name!r} has a score that is no finite number; leave such labels out")
    if any(a < b for a, b in pairwise(scores)):
        raise ValueError(f"document {name!r}: the scores rise; list its labels best first")
    return scores


def _number(score: Any) -> float:
    """Raises `ValueError` with what stands there instead."""
    try:
        return float(score)
    except (TypeError, ValueError) as err:
        raise ValueError(text(score)[:60] or "null") from err


def _load(path: Path, content: bytes, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {}
    reading, there = "", []
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            there = list(stored.files)
            for reading in (name for name in names if name in there):
                found[reading] = stored[reading]
    except Exception as err:  # a damaged archive raises any of ten types
        what = "no .npz archive that can be read"
        if reading and reading not in found:
            what = f"its array {reading!r} is no array of numbers or text, or is damaged"
        refuse(path, f"{what}; write it anew with numpy.savez", err)
    wanted = f"write the arrays {', '.join(names)}"
    if lacking := [name for name in names if name not in found]:
        held = ", ".join(map(repr, there[:8])) or "nothing"
        refuse(path, f"it has {held} and lacks {', '.join(map(repr, lacking))}; {wanted}")
    if found["document"].ndim != 1:
        refuse(path, f"document has the shape {found['document'].shape}; give one name for each document")
    if found["labels"].size and found["labels"].dtype.kind not in "iuU":  # 3.0 would be another label than 3
        refuse(path, f"labels of type {found['labels'].dtype}; give names or whole numbers")
    if not len(found["document"]):
        refuse(path, "it holds no documents; give one or more")
    return found


def _until_end(labels: Sequence[Any]) -> list[str]:
    """The labels before the first -1 or empty text."""
    end = next((i for i, it in enumerate(labels) if it in (-1, "")), len(labels))
    return [str(it) for it in labels[:end]]
