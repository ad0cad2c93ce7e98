"""What `describe` finds in a corpus of texts, kept beside its preparations: the next look reads no text.

    CACHE/figures/KEY.json   named by a digest of the source's bytes and of how they are read

A file that is not whole, or not of this version, counts as none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from reimpl.data.histogram import Bin
from reimpl.data.source import Source
from reimpl.data.storage import MEMORY, digest_of, read_checked, remembered, with_digest, write_whole

#: Counts up when `describe` finds more than before, or something else.
FIGURES_VERSION = 1

_BINS = ("label_frequencies", "lengths")


@dataclass(frozen=True)
class KeptFigures:
    """The figures of one corpus, as it is now, if they were found before."""

    path: Path

    def read(self, name: str) -> Mapping[str, Any] | None:
        """As `describe` gave them, under the `name` that the corpus has now; None where there are none."""
        try:
            text = read_checked(self.path)
            if text is None:
                return None
            figures = json.loads(text)
        except (OSError, ValueError):
            return None
        statistics = {key: tuple(readings) for key, readings in figures["statistics"].items()}
        bins = {key: tuple(Bin(*it) for it in figures[key]) for key in _BINS}
        return {**figures, "name": name, "statistics": statistics, **bins}

    def keep(self, figures: Mapping[str, Any]) -> None:
        """For the next time, in one step; where nothing can be written they are found anew."""
        bins = {key: [astuple(it) for it in figures[key]] for key in _BINS}
        text = json.dumps({**figures, **bins})
        with suppress(OSError):
            write_whole(self.path, with_digest(text))


def kept_figures(source: Source, cache: Path) -> KeptFigures:
    """Where those of a source are. Call it before `describe`: what changes meanwhile has another name.

    Raises `DataError` where the source cannot be read.
    """
    # what comes to nothing leaves no folder behind
    memory = remembered(cache / MEMORY) if cache.is_dir() else nullcontext()
    with memory:
        key = digest_of(json.dumps([FIGURES_VERSION, source.digest()]))[:32]
    return KeptFigures(cache / "figures" / f"{key}.json")
