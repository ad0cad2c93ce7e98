"""The data sets of the papers that come with the toolkit, without reading all of their claim files each time.

Reading seven papers takes longer than all else that `audit data add` does with a corpus it knows. What their
claim files say of data sets is kept under a digest of these files; what is not whole counts as none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from audit.claim import Paper
from audit.claim_model import Dataset
from audit.files import write

#: Paper -> its name of a data set -> what its claim file says of it.
DataSets = Mapping[str, Mapping[str, Dataset]]


def data_sets(files: Sequence[Path], read: Callable[[], Sequence[Paper]], cache: Path | None) -> DataSets:
    """What `read` gives of the claim files, or gave when they were the same and it was kept in `cache`.

    Raises what `read` does. A cache that cannot be written is no hindrance.
    """
    if cache is None:
        return _of(read())
    path = cache / "papers.json"
    digest = _digest(files)
    if (known := _kept(path, digest)) is not None:
        return known
    found = _of(read())
    _keep(path, digest, found)
    return found


def _of(papers: Sequence[Paper]) -> DataSets:
    return {paper.paper.key: paper.datasets for paper in papers}


def _digest(files: Sequence[Path]) -> str:
    """Of all their bytes, and of what a data set can say."""
    digest = hashlib.sha256(json.dumps(sorted(Dataset.model_fields)).encode())
    for path in files:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _kept(path: Path, digest: str) -> DataSets | None:
    try:
        first, _, text = path.read_text("utf-8").partition("\n")
        if first != f"{digest} {hashlib.sha256(text.encode()).hexdigest()}":
            return None
        return {
            paper: {name: Dataset.model_validate(it) for name, it in found.items()}
            for paper, found in json.loads(text).items()
        }
    except (OSError, ValueError):  # pydantic's complaint is a ValueError
        return None


def _keep(path: Path, digest: str, found: DataSets) -> None:
    plain = {
        paper: {name: it.model_dump(mode="json") for name, it in sets.items()}
        for paper, sets in found.items()
    }
    text = json.dumps(plain, ensure_ascii=False)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, f"{digest} {hashlib.sha256(text.encode()).hexdigest()}\n{text}".encode())
