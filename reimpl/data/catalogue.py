"""The corpora of the field, from `catalogue.yaml`: printed sizes and who prints them, where to get them, what
identifies their content. Each number has a source; what is not known is "unknown"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, TypeAlias

import yaml
from pydantic import BaseModel, ConfigDict

from reimpl.errors import DataError, known_names

if TYPE_CHECKING:
    from reimpl.data.dataset import Dataset


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
    """Content that was read: enough to recognise it again."""

    what: str
    content: str  # `Dataset.content`: this split in this order
    corpus: str  # `Dataset.corpus`: these documents in any order and split
    partition: str | None = None  # `Dataset.partition`: in these splits, in any order within each
    sizes: Sizes | None = None
    published: bool = False  # Whether published numbers are about these very data, split included


class Propensity(_Part):
    """A and B of PSP@k."""

    A: float
    B: float
    source: str


class Place(_Part):
    name: str
    url: str | None = None


class Entry(_Part):
    """One corpus, in all versions with its name."""

    name: str
    about: str
    formats: tuple[str, ...]  # Formats in which it is passed around, by the names of the readers
    raw_text: bool
    licence: str  # "unknown" where we do not know
    places: tuple[str, ...] = ()
    by_hand: str | None = None  # How a user comes to it where no place has it, as words of a sentence
    stand_in_for: str | None = None  # The entry whose sizes it copies, being other data
    split_columns: int | None = None  # How many splits come beside its one data file
    truncation: tuple[str, ...] = ()  # To how much of a document which papers' systems cut it
    propensity: Propensity | None = None
    published: tuple[Published, ...] = ()
    known: tuple[Known, ...] = ()

    @property
    def versions(self) -> tuple[Sizes, ...]:
        """All recorded sizes, published ones first; those that another version states in full only once."""
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
        """The entry of that key. Raises `DataError` naming the known keys."""
        if key not in self.entries:
            raise DataError(f"catalogue: {key!r} is unknown; {known_names(key, self.entries)}")
        return self.entries[key]


@lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    text = (files("reimpl.data") / "catalogue.yaml").read_text("utf-8")
    return Catalogue.model_validate(yaml.load(text, Loader=yaml.CSafeLoader))


# --------------------------------------------------------------------------------- is it the data of a paper?
# Content decides, or its partition where only the order differs (`same_data`); the same documents split
# otherwise are `other_split`, everything else `other_data`. Equal sizes never give `same_data`: Delicious
# comes in at least eleven splits of the same sizes.


Scope: TypeAlias = Literal["same_data", "other_split", "other_data"]
How: TypeAlias = Literal["content", "partition", "corpus", "sizes", "nothing"]

#: How a printed statistic is called in a sentence.
NOUNS: Mapping[str, str] = {
    "train": "training documents",
    "test": "test documents",
    "dev": "dev documents",
    "labels": "labels",
    "features": "features",
    "labels_per_document": "labels per document",
    "documents_per_label": "documents per label",
    "words_per_document": "words per document",
    "words_per_document_train": "words per training document",
    "words_per_document_test": "words per test document",
}
#: A size as it may be printed: `3,200`, `about 3,200`, `~3200`, `3.8K`.
_COUNT = re.compile(
    r"(?P<about>(?:(?:about|around|roughly|approximately|approx\.|circa|ca\.)\s|[~\u2248])?)\s?"
    r"(?P<number>[0-9][0-9.]*)\s?(?P<unit>[KkMm]?)"
)
#: Said of the very split whose documents stand in another order: nothing but an unshuffled run can tell.
REORDERED = "the documents are in another order"


@dataclass(frozen=True)
class Observed:
    """What was read from a corpus."""

    content: str
    corpus: str
    statistics: Mapping[str, tuple[float, ...]]  # In each way of counting, the usual first
    partition: str = ""  # empty where it is not known


@dataclass(frozen=True)
class Recognition:
    """Which catalogue entry a corpus is, and how it was recognised."""

    key: str | None
    how: How
    known: Known | None = None
    versions: tuple[Sizes, ...] = ()  # of the entry, with these sizes
    differences: tuple[str, ...] = ()  # against the first of `versions`, or the one that differs least

    @property
    def sentence(self) -> str:
        what = self.known.what if self.known else ""
        sure = self.differences or (self.known and self.known.partition)
        order = "" if sure else ", or in that one in another order"
        by = getattr(self.versions[0], "by", ()) if self.versions else ()
        who = f"as printed by {', '.join(by)}" if by else "as on record"
        none = f"{self.key} has no sizes or contents on record for comparison"
        return {
            "content": f"{self.key}, by content: {what}",
            "partition": f"{self.key}, by content: {what}; {REORDERED}",
            "corpus": f"{self.key}, in another split than the one on record{order} ({what})",
            "sizes": f"sizes of {self.key} ({who}); the content may differ",
            "nothing": none if self.key else "no entry of the catalogue",
        }[self.how]


def scope_of(
    content: str,
    corpus: str,
    partition: str = "",
    *,
    same: Collection[str],
    corpora: Collection[str],
    partitions: Collection[str] = (),
) -> Scope:
    """The scope of a corpus for a claim that names these contents, partitions and corpora; "" is no hash."""
    if (content and content in same) or (partition and partition in partitions):
        return "same_data"
    return "other_split" if corpus and corpus in corpora else "other_data"


def observed_of(dataset: Dataset) -> Observed:
    """Sizes and labels of a prepared corpus; not its words, which are cut."""
    pairs = [(len(part.label_ids), part.size) for part in dataset.splits.values()]
    statistics: dict[str, tuple[float, ...]]
    statistics = {name: (float(part.size),) for name, part in dataset.splits.items()}
    statistics |= {"labels": (float(dataset.n_labels),), **label_means(pairs, dataset.n_labels)}
    return Observed(dataset.content, dataset.corpus, statistics, dataset.partition)


def label_means(pairs: Sequence[tuple[int, int]], n_labels: int) -> dict[str, tuple[float, ...]]:
    """Both label statistics from (labels given, documents) of train and the others: in train, then in all."""
    readings = [pairs[0], (sum(given for given, _ in pairs), sum(size for _, size in pairs))]
    return {
        "labels_per_document": tuple(given / size for given, size in readings if size),
        "documents_per_label": tuple(given / n_labels for given, _ in readings if n_labels),
    }


def differences(printed: Mapping[str, str], observed: Observed) -> tuple[str, ...]:
    """Printed sizes that no way of counting gives here, as "printed 5.30 labels a document, here 5.14"."""
    differ = []
    for name, noun in NOUNS.items():
        readings = observed.statistics.get(name)
        if name in printed and readings:
            value, places = _printed(printed[name])
            half = Fraction(10) ** -places / 2
            if not any(abs(Fraction(reading) - value) <= half for reading in readings):
                differ.append(f"printed {printed[name]} {noun}, here {readings[0]:,.{max(places, 0)}f}")
    return tuple(differ)


def far_apart(printed: Mapping[str, str], observed: Observed) -> bool:
    """Whether the number of documents differs from the printed one by more than a tenth."""
    for name in {"train", "test"} & printed.keys() & observed.statistics.keys():
        value, _ = _printed(printed[name])
        if all(abs(Fraction(reading) - value) > value / 10 for reading in observed.statistics[name]):
            return True
    return False


def _printed(text: str) -> tuple[Fraction, int]:
    """A printed number and its decimal places: -2 of hundreds, as in 3.8K and about 3,200."""
    plain = text.strip().rstrip("%").strip().replace(",", "").replace("\N{MINUS SIGN}", "-")
    match = _COUNT.fullmatch(plain)
    if match is None or not (match["about"] or match["unit"]):
        return Fraction(plain), len(plain.partition(".")[2])
    value = Fraction(match["number"]) * {"": 1, "k": 1_000, "m": 1_000_000}[match["unit"].lower()]
    digits = str(value)
    return value, len(digits.rstrip("0")) - len(digits)


def recognise(observed: Observed, catalogue: Catalogue) -> Recognition:
    """The entry by content (also in another order), else by corpus, else by sizes."""
    hows: tuple[How, ...] = ("content", "partition", "corpus")
    for how in hows:
        mine = getattr(observed, how)
        for key, entry in catalogue.entries.items():
            for known in entry.known:
                if mine and mine == getattr(known, how):
                    apart = differences(known.sizes.printed, observed) if known.sizes else ()
                    return Recognition(key, how, known, (known.sizes,) if known.sizes else (), apart)
    for key, entry in catalogue.entries.items():
        equal = [version for version, apart in _sizes_apart(observed, entry) if not apart]
        if equal and not entry.stand_in_for:
            return Recognition(key, "sizes", versions=tuple(equal))
    return Recognition(None, "nothing")


def _sizes_apart(observed: Observed, entry: Entry) -> Iterator[tuple[Sizes, tuple[str, ...]]]:
    for version in entry.versions:
        if version.train and version.test:
            names = ("train", "test", "labels")
            sizes = {name: text for name, text in version.printed.items() if name in names}
            yield version, differences(sizes, observed)


def compared(observed: Observed, key: str, entry: Entry) -> Recognition:
    """As `recognise`, for one entry that the user names; otherwise how its nearest version differs."""
    alone = entry.model_copy(update={"stand_in_for": None})
    found = recognise(observed, Catalogue.model_construct(format=1, places={}, entries={key: alone}))
    if found.key is not None:
        return found
    apart = min((apart for _, apart in _sizes_apart(observed, entry)), key=len, default=())
    return Recognition(key, "nothing", differences=apart)
