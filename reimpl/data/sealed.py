"""Folders of files whose every change is seen, without reading gigabytes at each start.

For each file its size, a digest of all its bytes and one of samples of them are kept. Size and samples are
looked at every time; all bytes when the file system says that the file was touched since they were last found
right (another size, time, device or number), or when asked for. A file of up to a megabyte is all sample.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from reimpl.data import digests
from reimpl.data.files import sha256_of
from reimpl.data.whole_file import write_whole
from reimpl.errors import DataError

_SEAL = "seen.json"
_WHOLE = 1 << 20
_END = 1 << 16
_SAMPLE, _SAMPLES = 1 << 12, 62


def sealed(folder: Path, names: Iterable[str]) -> dict[str, list[Any]]:
    """Size and digests of files that are finished: for `check`, which from now on knows their state."""
    names = list(names)
    found = {
        name: [(folder / name).stat().st_size, sha256_of(folder / name), samples(folder / name)]
        for name in names
    }
    _stamp(folder, names)
    return found


def check(folder: Path, expected: Mapping[str, list[Any]], *, everything: bool) -> None:
    """Raises `DataError` naming the first file that is not as it was sealed, `OSError` if it is missing."""
    seen = _seen(folder)
    touched = [name for name in expected if everything or digests.state(folder / name) != seen.get(name)]
    for name, (size, digest, sampled) in expected.items():
        path = folder / name
        if (
            path.stat().st_size != size
            or samples(path) != sampled
            or (name in touched and sha256_of(path) != digest)
        ):
            raise DataError(f"{folder}: {name} is damaged")
    if touched:
        _stamp(folder, expected)


def samples(path: Path) -> str:
    """SHA-256 of both ends of a file and of places between them; of all of a small one."""
    size = path.stat().st_size
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        if size <= _WHOLE:
            digest.update(stream.read())
        else:
            digest.update(stream.read(_END))
            for n in range(1, _SAMPLES + 1):
                stream.seek(size * n // (_SAMPLES + 1))
                digest.update(stream.read(_SAMPLE))
            stream.seek(max(size - _END, 0))
            digest.update(stream.read())
    return digest.hexdigest()


def _stamp(folder: Path, names: Iterable[str]) -> None:
    states = {name: digests.state(folder / name) for name in names}
    # a folder that cannot be written to is read in full each time
    with suppress(OSError):
        write_whole(folder / _SEAL, json.dumps(states))


def _seen(folder: Path) -> dict[str, Any]:
    try:
        seen = json.loads((folder / _SEAL).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return seen if isinstance(seen, dict) else {}
