"""All formats by name; what something on disk is, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from reimpl.data.files import File, Tree, head, shown, tree
from reimpl.data.formats import arrays, fields, lml, pairs, xc, xc_splits
from reimpl.data.formats.base import Ambiguous, Format, Found, Options, Reader, by_split
from reimpl.data.formats.bow import BowDataset
from reimpl.data.source import Source
from reimpl.errors import ConfigError, DataError
from reimpl.plugins import READERS as GROUP
from reimpl.plugins import load_all, tell

_IDS = ("features_from", "labels_from")
_FIELDS = ("text", "labels", "separator")

READERS: Mapping[str, Reader] = {
    it.name: it
    for it in (
        Reader("lml", "LibMultiLabel text", "text", ("ids",), lml.detect, lml.open_lml),
        Reader("attentionxml", "AttentionXML's raw pairs", "text", ("raw",), pairs.detect, pairs.open_pairs),
        Reader("attentionxml-npy", "AttentionXML's arrays", "text", (), arrays.detect_ids, arrays.open_ids),
        Reader("jsonl", "JSON lines", "text", _FIELDS, fields.detect_json, fields.open_json),
        Reader("csv", "CSV", "text", _FIELDS, fields.detect_csv, fields.open_csv),
        Reader(
            "xc", "Extreme Classification Repository file", "features", _IDS, xc.detect_headed, xc.open_headed
        ),
        Reader(
            "xc-splits",
            "Extreme Classification Repository data with columns of splits",
            "features",
            (*_IDS, "column", "data"),
            xc_splits.detect,
            xc_splits.open_column,
        ),
        Reader("svmlight", "LIBSVM multi-label", "features", _IDS, xc.detect_bare, xc.open_bare),
        Reader("npz", "sparse matrices", "features", (), arrays.detect_matrices, arrays.open_matrices),
    )
}


def sniff(path: Path) -> Format | Ambiguous:
    """What a file, a folder or a .zip is and why, or between which formats one must choose.

    Raises `DataError` when it is none that is known, or cannot be looked at.
    """
    where = tree(path)
    found, unclear = _detected(where)
    if not found and unclear is not None:
        raise unclear
    if not found and (why := _why_unknown(where)) is not None:
        raise DataError(why)
    if not found:
        shown = ", ".join(sorted(where.files)[:5])
        known = ", ".join(readers())
        raise DataError(
            f"{path}: no known format ({shown}); formats are {known}, state format=... if it is one"
        )
    formats = tuple(_format(reader, it) for reader, it in found)
    if len(formats) == 1:
        return formats[0]
    could = "; or ".join(f"{it.title} ({it.why})" for it in formats)
    ask = f"{path} could be {could}: state {' or '.join(f'format={it.name}' for it in formats)}"
    return Ambiguous(formats, ask)


def _detected(where: Tree) -> tuple[list[tuple[Reader, Found]], DataError | None]:
    """The readers that see their format, and the first complaint of one that cannot tell.

    Two files for one split are no complaint about a folder that is another format beside them.
    """
    found: list[tuple[Reader, Found]] = []
    unclear: DataError | None = None
    for reader in readers().values():
        try:
            it = reader.detect(where)
        except DataError as err:
            unclear = unclear or err
            continue
        except Exception as err:
            if reader.name in READERS:
                raise
            tell(f"reader {reader.name!r} ({reader.title}) is left out: {type(err).__name__}: {err}")
            continue
        if it is not None:
            found.append((reader, it))
    return found, unclear


def _format(reader: Reader, found: Found) -> Format:
    files = {role: file.name for role, file in found.files.items()}
    return Format(reader.name, reader.title, reader.kind, found.why, files, found.needs)


def read(path: Path, options: Options | None = None, *, format: str | None = None) -> Source | BowDataset:
    """A corpus: texts are streamed by the source that comes back, features are read at once.

    `format` is a name of `READERS`, else what `sniff` says. Raises `DataError` for data that cannot be read
    or of which something must be stated, `ConfigError` for an unknown format or an option it does not take.
    """
    options = options or Options()
    reader = find_reader(_sniffed(path) if format is None else format)
    reader.check(options)
    corpus = reader.open(tree(path), options)
    if isinstance(corpus, BowDataset):
        _check_documents(path, corpus)
    return corpus


def _check_documents(path: Path, data: BowDataset) -> None:
    """Raises `DataError` for a split without rows; texts are looked at when they are read."""
    for split, part in data.parts.items():
        if part.size == 0:
            raise DataError(f"{path}: {split} has no documents; give a file that is not empty")


def find_reader(name: str) -> Reader:
    """The reader of that name; raises `ConfigError` naming the known ones."""
    known = readers()
    if name not in known:
        raise ConfigError(f"format {name!r} is unknown; known are {', '.join(known)}")
    return known[name]


@cache
def readers() -> Mapping[str, Reader]:
    """Ours, and those of other packages that can be used (`reimpl.plugins`)."""
    return {**READERS, **load_all(GROUP, own=READERS, check=_amiss)}


def _amiss(name: str, reader: object) -> str | None:
    if not isinstance(reader, Reader):
        return "is no reimpl.data.formats.base.Reader"
    return None if reader.name == name else f"is called {reader.name!r}; its entry point has to be, too"


def _sniffed(path: Path) -> str:
    found = sniff(path)
    if isinstance(found, Ambiguous):
        raise DataError(found.ask)
    return found.name


_ANY_SPLIT = r"{prefix}{split}(?:\.\w+)?"


def _why_unknown(where: Tree) -> str | None:
    """One sentence about the file of a split, or the one file given, that is amiss; None where none is plain.

    Raises `DataError` for a file that cannot be read.
    """
    files = list(by_split(where, _ANY_SPLIT).values()) or [it for (it, *_) in where.files.values()]
    return next((why for file in files[:3] if (why := _amiss_in(file))), None)


def _amiss_in(file: File) -> str | None:
    start = head(file)
    line = start.split(b"\n")[0].decode("utf-8", "replace").strip()
    name = file.stem.lower()
    if not start.strip():
        return f"{file}: the file is empty; give one with documents"
    if name.endswith((".jsonl", ".ndjson", ".json")) and not line.startswith("{"):
        seen = "an array" if line.startswith("[") else shown(line)
        return f"{file}:1: {seen} where an object a line is expected; write each document as one line {{...}}"
    if (
        name.endswith(".csv")
        and "," not in line
        and (mark := next((it for it in ";\t|" if it in line), None))
    ):
        return (
            f"{file}:1: {shown(line)}: columns are parted by {mark!r}, and by ',' in .csv or tabs in .tsv; "
            "write it so"
        )
    return None
