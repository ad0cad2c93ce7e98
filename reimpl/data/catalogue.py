"""The corpora of the field, as `catalogue.yaml` beside this file has them: printed sizes and by whom, where
to get them, what identifies their content. A number stands there only with a source; what is not known is
"unknown"."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict

from reimpl.errors import DataError


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Sizes(_Part):
    """Statistics as printed: strings, so that 5.30 is not 5.3; their names are those of claim files."""

    train: str | None = None
    test: str | None = None
    dev: str | None = None
    labels: str | None = None
    features: str | None = None
    labels_per_document: str | None = None
    documents_per_label: str | None = None
    words_per_document: str | None = None
    words_per_document_train: str | None = None
    words_per_document_test: str | None = None

    @property
    def printed(self) -> dict[str, str]:
        return self.model_dump(include=set(Sizes.model_fields), exclude_none=True)


class Published(Sizes):
    """Statistics of one version, and the papers that print them."""

    by: tuple[str, ...]  # Keys of papers, or a place of the catalogue
    note: str | None = None


class Known(_Part):
    """A content that was read: enough to recognise it."""

    what: str
    content: str  # `Dataset.content`: this split in this order
    corpus: str  # `Dataset.corpus`: these documents in any order and split
    partition: str | None = None  # `Dataset.partition`: in these splits, in any order within each
    sizes: Sizes | None = None
    label_set: str | None = None  # `identity.label_set_of` its labels: the names, wherever they stand
    published: bool = False  # Whether published numbers are about these very data, split included


class Truncation(_Part):
    """To how much of a document which papers' systems cut it."""

    length: int
    unit: Literal["words", "word pieces"]
    by: tuple[str, ...]


class Propensity(_Part):
    """A and B of PSP@k."""

    A: float
    B: float
    source: str


class Place(_Part):
    """Where a user gets data."""

    name: str
    url: str | None = None


class Entry(_Part):
    """One corpus, in all versions that bear its name."""

    name: str
    about: str
    formats: tuple[str, ...]  # Formats in which it is passed around, by the names of the readers
    raw_text: bool
    licence: str  # "unknown" where we do not know
    places: tuple[str, ...] = ()
    by_hand: str | None = None  # How a user comes to it where no place has it, as words of a sentence
    stand_in_for: str | None = None  # The entry whose sizes it copies, being other data
    split_columns: int | None = None  # How many splits come beside its one data file
    truncation: tuple[Truncation, ...] = ()
    propensity: Propensity | None = None
    published: tuple[Published, ...] = ()
    known: tuple[Known, ...] = ()

    @property
    def versions(self) -> tuple[Sizes, ...]:
        """All sizes on record, the published ones first; those that another one tells in full only once."""
        sizes = [*self.published, *(known.sizes for known in self.known if known.sizes)]
        found: dict[tuple[str | None, ...], Sizes] = {}
        for each in sorted(sizes, key=lambda each: each.labels is None):
            if each.labels is not None or (each.train, each.test) not in {kept[:2] for kept in found}:
                found.setdefault((each.train, each.test, each.labels), each)
        return tuple(found.values())


class Catalogue(_Part):
    """All entries by their keys, which claim files name as `catalogue`."""

    format: Literal[1]
    places: Mapping[str, Place]
    entries: Mapping[str, Entry]

    def find(self, key: str) -> Entry:
        """Raises `DataError` naming the known keys."""
        if key not in self.entries:
            raise DataError(f"catalogue: {key!r} is unknown; known are {', '.join(self.entries)}")
        return self.entries[key]


@lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    text = (files("reimpl.data") / "catalogue.yaml").read_text("utf-8")
    return Catalogue.model_validate(yaml.load(text, Loader=yaml.CSafeLoader))
