"""How a run gets its data: the same prepared corpus in every process, kept for the next run of a process."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reimpl.data.dataset import Dataset
    from reimpl.data.formats import Options
    from reimpl.data.noise import LabelNoise
    from reimpl.data.source import Source


@dataclass(frozen=True)
class DataRequest:
    """How to get a prepared data set, in this process or another."""

    folder: Path | None
    recipe: str
    length: int
    vectors: str
    dimension: int
    cache: Path
    hold_out: str | None = None
    """Rule by which a dev part is held out where the corpus brings none."""
    options: Options | None = None
    """How the corpus is read, where its files do not say."""
    format: str | None = None
    """Name of its format, where two of them fit."""
    noise: LabelNoise | None = None
    """In the training labels."""

    def load(self) -> Dataset:
        """The data set, kept in this process for the next run. Raises `reimpl.errors.DataError`."""
        return _load(self)

    def fingerprint(self) -> str:
        """That of `load`, for which no noise need be made. Raises `reimpl.errors.DataError`."""
        from reimpl.data.noise import fingerprint_with

        clean = replace(self, noise=None).load()
        return clean.fingerprint if self.noise is None else fingerprint_with(clean, self.noise)

    @property
    def whole(self) -> DataRequest:
        """The same corpus as it comes, which is what it is known by."""
        return replace(self, hold_out=None, noise=None)


@lru_cache(maxsize=2)
def _load(request: DataRequest) -> Dataset:
    if request.whole != request:
        return _changed(request.whole.load(), request)
    return _prepared(request)


def _changed(data: Dataset, request: DataRequest) -> Dataset:
    from reimpl.data.noise import with_noise
    from reimpl.data.splits import find_rule, hold_out

    if request.hold_out is not None and data.dev is None:
        data = hold_out(data, find_rule(request.hold_out))
    return data if request.noise is None else with_noise(data, request.noise)


@lru_cache(maxsize=2)
def _prepared(request: DataRequest) -> Dataset:
    if request.folder is None:
        from reimpl.data.synthetic import synthetic

        return synthetic(length=request.length, dimension=request.dimension)
    from reimpl.data.dataset import Dataset
    from reimpl.data.formats import open_corpus

    corpus = open_corpus(request.folder, request.options, format=request.format)
    if isinstance(corpus, Dataset):
        return corpus
    return prepared(
        corpus,
        recipe=request.recipe,
        length=request.length,
        vectors=request.vectors,
        cache=request.cache,
    )


def prepared(corpus: Source, *, recipe: str, length: int, vectors: str, cache: Path) -> Dataset:
    """As `load_or_prepare`; on a terminal a bar shows texts being read and word vectors being converted."""
    from audit.runner.progress import bytes_bar
    from reimpl.data.cache import load_or_prepare
    from reimpl.data.vectors import parse_source, watched

    with bytes_bar(f"preparing {corpus.name}") as show:

        def convert(what: str, done: int, total: int) -> None:
            show(done, total or None, f"word vectors, {what}")

        return load_or_prepare(
            corpus,
            recipe=recipe,
            length=length,
            vectors=watched(parse_source(vectors), convert),
            cache=cache,
            progress=show,
        )
