"""Is this the data that a paper speaks of? Content decides; sizes only tell what differs.

Three answers (`Scope`): `same_data`, the very split, known by its content, or by its partition where only the
order of the documents differs; `other_split`, the same documents split otherwise, known by the corpus hash;
`other_data`, everything else. Equal sizes alone never give `same_data`: Delicious comes in at least eleven
splits of the same sizes.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

from reimpl.data.catalogue import Catalogue, Entry, Known, Published, Sizes

if TYPE_CHECKING:
    from reimpl.data.dataset import Dataset, Split

Scope: TypeAlias = Literal["same_data", "other_split", "other_data"]
How: TypeAlias = Literal["content", "partition", "corpus", "label_set", "sizes", "nothing"]

#: How a printed statistic is called in a sentence.
NOUNS: Mapping[str, str] = {
    "train": "training documents",
    "test": "test documents",
    "dev": "dev documents",
    "labels": "labels",
    "features": "features",
    "labels_per_document": "labels a document",
    "documents_per_label": "documents a label",
    "words_per_document": "words a document",
    "words_per_document_train": "words a training document",
    "words_per_document_test": "words a test document",
}
_SIZES = ("train", "test", "labels")
#: A size as it may be printed: `3,200`, `about 3,200`, `~3200`, `3.8K`.
_COUNT = re.compile(
    r"(?P<about>(?:(?:about|around|roughly|approximately|approx\.|circa|ca\.)\s|[~\u2248])?)\s?"
    r"(?P<number>[0-9][0-9.]*)\s?(?P<unit>[KkMm]?)"
)
#: Said of the very split whose documents stand in another order: nothing but an unshuffled run can tell.
REORDERED = "the documents stand in another order"


@dataclass(frozen=True)
class Observed:
    """What was read of a corpus."""

    content: str
    corpus: str
    label_set: str
    statistics: Mapping[str, tuple[float, ...]]
    """By the papers' names: in each way in which papers count, the usual one first."""
    partition: str = ""
    """Empty where it is not known."""


@dataclass(frozen=True)
class Recognition:
    """Which entry of the catalogue a corpus is, or comes nearest to, and by what."""

    key: str | None
    how: How
    known: Known | None = None
    versions: tuple[Sizes, ...] = ()
    """Versions of the entry with these sizes; where nothing fits, the nearest one."""
    differences: tuple[str, ...] = ()
    """Against the first of `versions`."""
    far: bool = False
    """Whether nothing fits, and the nearest is more than twice or less than half as large in some size."""

    @property
    def sentence(self) -> str:
        """What it is, and what that rests on."""
        if self.how == "content" and self.known:
            return f"{self.key}, by content: {self.known.what}"
        if self.how == "partition" and self.known:
            return f"{self.key}, by content: {self.known.what}; {REORDERED}"
        if self.how == "corpus" and self.known:
            sure = self.differences or self.known.partition
            order = "" if sure else ", or in that one in another order"
            return f"{self.key}, in another split than the one on record{order} ({self.known.what})"
        differ = f" ({'; '.join(self.differences)})" if self.differences else ""
        if self.how == "label_set" and self.known:
            return f"labels of {self.key}, but other documents than those on record{differ}"
        if self.how == "sizes":
            return (
                f"sizes of {self.key} ({_who(self.versions[0])}); whether it is the same content is not known"
            )
        if self.key is None or self.far:
            return "no entry of the catalogue"
        if not self.versions:
            return f"{self.key} has no sizes or contents on record to hold it against"
        return f"no entry of the catalogue; nearest in size is {self.key}{differ}"


def scope_of(
    content: str,
    corpus: str,
    partition: str = "",
    *,
    same: Collection[str],
    corpora: Collection[str],
    partitions: Collection[str] = (),
) -> Scope:
    """What a corpus is to a claim that names the contents `same`, the `partitions` and the `corpora`.

    An empty hash is no identity.
    """
    if (content and content in same) or (partition and partition in partitions):
        return "same_data"
    return "other_split" if corpus and corpus in corpora else "other_data"


def label_set_of(labels: Iterable[str]) -> str:
    """SHA-256 of the distinct label names, sorted, a line each."""
    return hashlib.sha256("".join(f"{name}\n" for name in sorted(set(labels))).encode()).hexdigest()


def observed_of(dataset: Dataset) -> Observed:
    """What a prepared corpus shows: sizes and labels; not its words, which are cut."""
    parts = [("train", dataset.train), ("test", dataset.test), ("dev", dataset.dev)]
    counts = {name: (float(part.size),) for name, part in parts if part is not None}
    seen = dict.fromkeys(dataset.labels)
    return Observed(
        dataset.content,
        dataset.corpus,
        label_set_of(seen),
        {**counts, "labels": (float(dataset.n_labels),), **_label_means(dataset.splits, dataset.n_labels)},
        dataset.partition,
    )


def _label_means(splits: Mapping[str, Split], n_labels: int) -> dict[str, tuple[float, ...]]:
    pairs = [(len(part.label_ids), part.size) for part in splits.values()]
    return label_means(pairs, n_labels)


def label_means(pairs: Sequence[tuple[int, int]], n_labels: int) -> dict[str, tuple[float, ...]]:
    """Both label statistics from (labels given, documents) of train and the others: in train, then in all."""
    readings = [pairs[0], (sum(given for given, _ in pairs), sum(size for _, size in pairs))]
    return {
        "labels_per_document": tuple(given / size for given, size in readings if size),
        "documents_per_label": tuple(given / n_labels for given, _ in readings if n_labels),
    }


def differences(printed: Mapping[str, str], observed: Observed) -> tuple[str, ...]:
    """What is printed and not here: "printed 5.30 labels a document, here 5.14".

    A statistic differs when no way of counting it rounds to the printed number; the usual way is shown, with
    as many places as are printed.
    """
    found = []
    for name, noun in NOUNS.items():
        readings = observed.statistics.get(name)
        if name in printed and readings:
            value, places = _printed(printed[name])
            half = Fraction(10) ** -places / 2
            if not any(abs(Fraction(it) - value) <= half for it in readings):
                places = max(places, 0)
                here = f"{readings[0]:,.{places}f}"
                if here == f"{float(value):,.{places}f}":  # pragma: no cover - rounding at the very edge
                    here = f"{readings[0]:,.{places + 2}f}"
                found.append(f"printed {printed[name]} {noun}, here {here}")
    return tuple(found)


def far_apart(printed: Mapping[str, str], observed: Observed) -> bool:
    """Whether a tenth more or fewer documents are here than are printed, which is no slip."""
    for name in ("train", "test"):
        readings = observed.statistics.get(name)
        if name in printed and readings:
            value, _ = _printed(printed[name])
            if not any(abs(Fraction(it) - value) <= value / 10 for it in readings):
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
    """The entry by content, in any order too, else by corpus, label set, sizes; else the nearest in size."""
    tests: tuple[tuple[How, str], ...] = (
        ("content", observed.content),
        ("partition", observed.partition),
        ("corpus", observed.corpus),
        ("label_set", observed.label_set),
    )
    for how, mine in tests:
        for key, entry in catalogue.entries.items():
            for known in entry.known:
                if mine and mine == getattr(known, how):
                    sizes = (known.sizes,) if known.sizes else ()
                    apart = differences(sizes[0].printed, observed) if sizes else ()
                    return Recognition(key, how, known, sizes, apart)
    return _by_size(observed, catalogue)


def _by_size(observed: Observed, catalogue: Catalogue) -> Recognition:
    equal = {
        key: tuple(it for it in entry.versions if _equal_sizes(it, observed))
        for key, entry in catalogue.entries.items()
    }
    for key, versions in equal.items():
        if versions and not catalogue.entries[key].stand_in_for:
            return Recognition(key, "sizes", versions=versions)
    near = [
        (distance, key, version)
        for key, entry in catalogue.entries.items()
        for version in entry.versions
        if (distance := _distance(version, observed)) is not None
    ]
    if not near:
        return Recognition(None, "nothing")
    _, key, version = min(near, key=lambda it: it[0])
    differ, far = differences(_counts(version), observed), max(_factors(version, observed)) > math.log(2)
    return Recognition(key, "nothing", versions=(version,), differences=differ, far=far)


def compared(observed: Observed, key: str, entry: Entry) -> Recognition:
    """As `recognise`, against one entry that the user names."""
    found = recognise(observed, Catalogue(format=1, places={}, entries={key: _without_places(entry)}))
    if found.how == "nothing" and found.key is None:
        return Recognition(key, "nothing")
    return found


def _without_places(entry: Entry) -> Entry:
    return entry.model_copy(update={"places": (), "stand_in_for": None})


def _counts(version: Sizes) -> dict[str, str]:
    return {name: value for name, value in version.printed.items() if name in _SIZES}


def _equal_sizes(version: Sizes, observed: Observed) -> bool:
    counts = _counts(version)
    return {"train", "test"} <= counts.keys() and not differences(counts, observed)


def _distance(version: Sizes, observed: Observed) -> float | None:
    """Sum of the logarithms of the factors by which the sizes differ; None without sizes of both."""
    factors = _factors(version, observed)
    whole = {"train", "test"} <= version.printed.keys() and len(factors) == len(_counts(version))
    return sum(factors) if whole else None


def _factors(version: Sizes, observed: Observed) -> list[float]:
    """Of each size that is above 0 in both: the logarithm of the factor by which they differ."""
    pairs = [
        (float(_printed(text)[0]), observed.statistics.get(name, (0.0,))[0])
        for name, text in _counts(version).items()
    ]
    return [abs(math.log(value / here)) for value, here in pairs if value > 0 and here > 0]


def _who(version: Sizes) -> str:
    if isinstance(version, Published):
        return f"as printed by {', '.join(version.by)}"
    return "as on record"
