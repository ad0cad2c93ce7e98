"""The corpora of the field: printed sizes and by whom, where to get them, and what identifies their content.

The data are in `catalogue.yaml` beside this file and are checked as they are read. A number stands there only
with a source, and what is not known is "unknown".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError, model_validator

from reimpl.errors import DataError

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$")]
Number = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,3}(,[0-9]{3})*(\.[0-9]+)?$|^[0-9]+(\.[0-9]+)?$")]
Checksum = Annotated[
    str, StringConstraints(pattern=r"^(sha256:[0-9a-f]{64}|sha1:[0-9a-f]{40}|md5:[0-9a-f]{32})$")
]
Words = Annotated[str, StringConstraints(min_length=1)]

#: The statistics that papers print, by the names that claim files use.
STATISTICS = (
    "train",
    "test",
    "dev",
    "labels",
    "features",
    "labels_per_document",
    "documents_per_label",
    "words_per_document",
    "words_per_document_train",
    "words_per_document_test",
)


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Sizes(_Part):
    """Statistics as printed: strings, so that 5.30 is not 5.3."""

    train: Number | None = None
    test: Number | None = None
    dev: Number | None = None
    labels: Number | None = None
    features: Number | None = None
    labels_per_document: Number | None = None
    documents_per_label: Number | None = None
    words_per_document: Number | None = None
    words_per_document_train: Number | None = None
    words_per_document_test: Number | None = None

    @property
    def printed(self) -> dict[str, str]:
        """Those that are there, by name."""
        values = {name: getattr(self, name) for name in STATISTICS}
        return {name: value for name, value in values.items() if value is not None}


class Published(Sizes):
    """Statistics of one version, and the papers that print them."""

    by: tuple[Words, ...]
    """Keys of papers, or a place of the catalogue."""
    note: Words | None = None


class Known(_Part):
    """A content that was read: enough to recognise it."""

    what: Words
    content: Digest
    """`Dataset.content`: this split in this order."""
    corpus: Digest
    """`Dataset.corpus`: these documents in any order and split."""
    partition: Digest | None = None
    """`Dataset.partition`: these documents in these splits, in any order within each."""
    sizes: Sizes | None = None
    label_set: Digest | None = None
    """`identity.label_set_of` its labels: the names, wherever they stand."""
    published: bool = False
    """Whether these are the very data that published numbers are about, split included."""


class Truncation(_Part):
    """To how much of a document which papers' systems cut it."""

    length: int
    unit: Literal["words", "word pieces"]
    by: tuple[Words, ...]


class Propensity(_Part):
    """A and B of PSP@k."""

    A: float
    B: float
    source: Words


class Place(_Part):
    """Where a user gets data."""

    name: Words
    url: Words | None = None


class RemoteFile(_Part):
    """A file that can be downloaded from its address alone, without a click or a login."""

    url: Annotated[str, StringConstraints(pattern=r"^(https?|file)://[^\s#]+$")]
    name: Words | None = None
    """How it is called here, where the address does not say it."""
    checksum: Checksum | None = None
    source: Words
    """Who states address and checksum."""


class Entry(_Part):
    """One corpus, in all versions that bear its name."""

    name: Words
    about: Words
    formats: tuple[Words, ...]
    """Formats in which it is passed around, by the names of the readers."""
    raw_text: bool
    licence: Words
    """"unknown" where we do not know."""
    places: tuple[Key, ...] = ()
    files: tuple[RemoteFile, ...] = ()
    """What `audit data get` downloads."""
    by_hand: Words | None = None
    """How a user comes to it where no place has it, as words of a sentence."""
    stand_in_for: Key | None = None
    """The entry whose sizes it copies, being other data."""
    split_columns: int | None = None
    """How many splits come beside its one data file."""
    truncation: tuple[Truncation, ...] = ()
    propensity: Propensity | None = None
    published: tuple[Published, ...] = ()
    known: tuple[Known, ...] = ()

    @property
    def versions(self) -> tuple[Sizes, ...]:
        """All sizes on record, the published ones first; those that another one tells in full only once."""
        sizes = [*self.published, *(it.sizes for it in self.known if it.sizes)]
        found: dict[tuple[str | None, ...], Sizes] = {}
        for it in sorted(sizes, key=lambda it: it.labels is None):
            counted = {(kept[0], kept[1]) for kept in found}
            if it.labels is not None or (it.train, it.test) not in counted:
                found.setdefault((it.train, it.test, it.labels), it)
        return tuple(found.values())


class Catalogue(_Part):
    """All entries by their keys, which claim files name as `catalogue`."""

    format: Literal[1]
    places: Mapping[Key, Place]
    entries: Mapping[Key, Entry]

    @model_validator(mode="after")
    def _names_are_known(self) -> Catalogue:
        for key, entry in self.entries.items():
            for place in set(entry.places) - set(self.places):
                raise ValueError(f"{key}: place {place!r} is unknown; known are {', '.join(self.places)}")
            if entry.stand_in_for and entry.stand_in_for not in self.entries:
                raise ValueError(f"{key}: stands in for {entry.stand_in_for!r}, which is no entry")
        contents = [known.content for entry in self.entries.values() for known in entry.known]
        if len(set(contents)) < len(contents):
            raise ValueError("one content stands in two places; keep one")
        return self

    def find(self, key: str) -> Entry:
        """The entry of that key; raises `DataError` naming the known ones."""
        if key not in self.entries:
            raise DataError(f"catalogue: {key!r} is unknown; known are {', '.join(self.entries)}")
        return self.entries[key]


def parse_catalogue(text: str, name: str) -> Catalogue:
    """A catalogue from YAML text; raises `DataError` with the first problem."""
    try:
        return Catalogue.model_validate(yaml.load(text, Loader=yaml.CSafeLoader))
    except yaml.YAMLError as err:
        raise DataError(f"{name}: no YAML ({str(err).splitlines()[0]}); correct the file") from err
    except ValidationError as err:
        first = err.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise DataError(f"{name}: {where or 'catalogue'}: {first['msg']}; correct the file") from err


@lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    """The catalogue that comes with this package."""
    text = (files("reimpl.data") / "catalogue.yaml").read_text("utf-8")
    return parse_catalogue(text, "reimpl/data/catalogue.yaml")
