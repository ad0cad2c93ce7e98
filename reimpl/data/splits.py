"""Hold-out: which training documents form a validation (or test) part; a rule, a seed and a rounding. Where
public code exists its very documents are held out: scikit-learn's `train_test_split` takes the first ones of
`RandomState(seed).permutation(n)`, which numpy has frozen (NEP 19). Both keep the order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from reimpl.data.dataset import Dataset, IntArray, Split, offsets_of
from reimpl.data.files import digest_of
from reimpl.errors import ConfigError, DataError, known_names

if TYPE_CHECKING:
    from reimpl.protocol import Protocol


#: Counts up when the same rule holds out other documents than before.
SPLITS_VERSION = 1


@dataclass(frozen=True)
class HoldOut:
    """A share of the documents, or a number of them, drawn at random."""

    name: str
    seed: int
    share: float | None = None  # Of the documents, rounded up as scikit-learn does: 0.25 of 10 are 3
    count: int | None = None  # Documents, whatever there are
    few: tuple[int, int] | None = None  # (n, count): of fewer than n documents so many instead

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that determines which documents are held out; the name does not."""
        chosen = {"share": self.share, "count": self.count, "seed": self.seed}
        return chosen if self.few is None else {**chosen, "few": list(self.few)}

    def size(self, n: int) -> int:
        """Documents held out of n. Raises `DataError` when that leaves none to train on."""
        taken = self.count if self.count is not None else math.ceil((self.share or 0.0) * n)
        if self.few is not None and n < self.few[0]:
            taken = self.few[1]
        if not 0 < taken < n:
            what = f"hold-out {self.name!r} takes {taken} of {n} documents and must leave one or more"
            raise DataError(f"{what}; use a rule for fewer")
        return taken

    def rows(self, n: int) -> tuple[IntArray, IntArray]:
        """int64 numbers of the documents that stay, and of those held out, both rising."""
        drawn = np.random.RandomState(self.seed).permutation(n)
        size = self.size(n)
        return np.sort(drawn[size:]), np.sort(drawn[:size])


#: By name. A seed without a public code to take it from is ours.
RULES: Mapping[str, HoldOut] = {
    rule.name: rule
    for rule in (
        # Chen et al. 2022, section 4.1, a random 80/20 split; sian-chen/xml-cnn-study-code at 2051eda,
        # data_utils.py, val_size 0.2, random_state 42
        HoldOut("chen2022", 42, share=0.2),
        # LibMultiLabel at 5cd775a, val_size 0.2, random_state 42, without a validation file
        HoldOut("libmultilabel", 42, share=0.2),
        # Liu et al. 2017, section 4.6, 25 % held out; its public code holds out none
        HoldOut("liu2017", 0, share=0.25),
        # Wang et al. 2019, section 3.1, another 20 % of the training data; how is not stated
        HoldOut("wang2019", 0, share=0.2),
        # yourh/AttentionXML, EUR-Lex and Wiki10-31K: valid_size 200, random_state 1240
        HoldOut("you2019-200", 1240, count=200),
        # yourh/AttentionXML, all other data sets: valid_size 4000, random_state 1240
        HoldOut("you2019-4000", 1240, count=4000),
        # both rules of yourh/AttentionXML by size; the line between them is ours
        HoldOut("you2019", 1240, count=4000, few=(100_000, 200)),
        # ours, for protocols that are reduced for a CPU
        HoldOut("you2019-small", 1240, share=0.1),
    )
}


def find_rule(name: str) -> HoldOut:
    """The rule of that name. Raises `ConfigError` naming the known ones."""
    if name not in RULES:
        raise ConfigError(f"hold-out {name!r} is not known; {known_names(name, RULES)}")
    return RULES[name]


def take(split: Split, rows: IntArray) -> Split:
    """The documents of these numbers, in this order, with their words, labels and features."""

    def gathered(values: IntArray, offsets: IntArray) -> tuple[IntArray, IntArray]:
        lengths = (offsets[1:] - offsets[:-1])[rows]
        new = offsets_of(lengths)
        return values[np.arange(new[-1]) + np.repeat(offsets[:-1][rows] - new[:-1], lengths)], new

    features = None if split.features is None else split.features[rows]
    words, labels = gathered(split.tokens, split.offsets), gathered(split.label_ids, split.label_offsets)
    return Split(*words, *labels, features)


def hold_out(data: Dataset, rule: HoldOut) -> Dataset:
    """The data with a dev part taken from their training documents; words and labels stay those of all of
    these, as in the public code. Raises `DataError` if there is a dev part, or too few documents."""
    if data.dev is not None:
        there = f"there are {data.dev.size} dev documents"
        raise DataError(f"{data.name}: {there}; hold-out {rule.name!r} is for none")
    train, dev = (take(data.train, rows) for rows in rule.rows(data.train.size))
    sizes = {"hold_out.train": train.size, "hold_out.dev": dev.size, "hold_out.seed": rule.seed}
    part = f"{rule.share:.0%}" if rule.share is not None else f"{dev.size}"
    note = (
        f"dev: {dev.size} of {data.train.size} training documents held out ({part} at random, rule "
        f"{rule.name}, seed {rule.seed}), {train.size} left for training."
    )
    fingerprint = digest_of([data.fingerprint, "hold_out", [SPLITS_VERSION, rule.identity]])
    counts, notes = {**data.counts, **sizes}, (*data.notes, note)
    return replace(data, train=train, dev=dev, fingerprint=fingerprint, counts=counts, notes=notes)


def for_protocol(data: Dataset, protocol: Protocol) -> Dataset:
    """The data with the dev part that a protocol asks for: their own, else one held out by its rule."""
    if protocol.hold_out is None or data.dev is not None:
        return data
    return hold_out(data, find_rule(protocol.hold_out))


# -------------------------------------------------------------------------------------------- noise in labels
# As Rank-AE's paper puts it into the training labels (Wang et al. 2019, section 3.3): `missing` takes
# positives away with a rate. "Flipping either from positive to negative or from negative to positive" has two
# readings: `flipped`, every entry of the label matrix (at 10 % of 983 labels a document gets some 96 that are
# not its own), and `swapped`, a positive for one that the document does not have. It is drawn once, from a
# generator of its own: all seeds and methods learn from the same labels; what is held out and the test set
# stay clean. Nothing is ever documents x labels. M positives.


Kind = Literal["missing", "flipped", "swapped"]

#: Counts up when the same noise gives other labels than before.
NOISE_VERSION = 1
#: More labels than this are not made: flipping half of Wiki-500K's matrix would make 10^12.
MOST_LABELS = 50_000_000
#: Flips that are looked for in one go.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class LabelNoise:
    """A document that loses its last label stays, as in the paper's matrix."""

    kind: Kind
    rate: float  # probability that a label is hit, 0 to 1; the paper goes to 0.6
    seed: int = 0

    def __str__(self) -> str:
        others = " for others" if self.kind == "swapped" else ""
        return f"{100 * self.rate:g} % of the labels {self.kind}{others}"


def noisy(split: Split, noise: LabelNoise, *, n_labels: int) -> tuple[Split, dict[str, int]]:
    """The documents with noise in their labels; labels `removed` and `added`, and documents that lost their
    last one, `unlabelled`. Raises `DataError` for more than `MOST_LABELS` expected flips."""
    rng = np.random.default_rng(noise.seed)
    # int64 (M,) document x L + label of each positive, rising
    rows = np.repeat(np.arange(split.size, dtype=np.int64), np.diff(split.label_offsets))
    keys = rows * n_labels + split.label_ids
    # with one seed, the labels that a lower rate hits are among those of a higher one
    lost = rng.random(len(keys)) < noise.rate
    new: IntArray = np.empty(0, dtype=np.int64)
    if noise.kind == "flipped":
        new = _flipped_on(keys, split.size * n_labels, noise, rng)
    elif noise.kind == "swapped":
        new = _others(keys, keys[lost] // n_labels, n_labels, rng)
    documents, ids = np.divmod(np.sort(np.concatenate((keys[~lost], new))), max(n_labels, 1))
    counts = np.bincount(documents, minlength=split.size)
    changed = replace(split, label_ids=ids.astype(split.label_ids.dtype), label_offsets=offsets_of(counts))
    bare = (counts == 0) & (np.diff(split.label_offsets) > 0)
    return changed, {"removed": int(lost.sum()), "added": len(new), "unlabelled": int(bare.sum())}


def with_noise(data: Dataset, noise: LabelNoise, rule: HoldOut = RULES["wang2019"]) -> Dataset:
    """The data with noisy training labels; a dev part is held out first, so that its labels are clean."""
    clean = data if data.dev is not None else hold_out(data, rule)
    if noise.rate == 0:
        return clean  # the same data whatever the kind, and so the same runs
    train, hit = noisy(clean.train, noise, n_labels=clean.n_labels)
    before = len(clean.train.label_ids)
    if not len(train.label_ids):
        raise DataError(f"{data.name}: noise left no label of {before}; use a lower rate")
    counts = {**clean.counts, "noise.rate": noise.rate, "noise.seed": noise.seed}
    counts |= {f"noise.{name}": count for name, count in hit.items()}
    note = (
        f"train: {noise} (seed {noise.seed}): of {before} labels {hit['removed']} removed, {hit['added']} "
        f"wrong labels added, {hit['unlabelled']} documents left without labels kept; dev and test are clean."
    )
    fingerprint, notes = fingerprint_with(clean, noise), (*clean.notes, note)
    return replace(clean, train=train, fingerprint=fingerprint, counts=counts, notes=notes)


def fingerprint_with(data: Dataset, noise: LabelNoise) -> str:
    clean = data if data.dev is not None else hold_out(data, RULES["wang2019"])
    if noise.rate == 0:
        return clean.fingerprint
    # every label is hit or not by itself, and no document is dropped: options of earlier versions
    rules = {"draw": "each", "unlabelled": "keep"}
    plain = {**asdict(noise), "rate": float(noise.rate), **rules}  # 0 and 0.0 are one rate
    return digest_of([clean.fingerprint, "noise", [NOISE_VERSION, plain]])


def _flipped_on(keys: IntArray, cells: int, noise: LabelNoise, rng: np.random.Generator) -> IntArray:
    """Keys of the negatives that become positive, each with the rate."""
    if noise.rate * cells > MOST_LABELS:
        would = f"flipping {noise.rate:g} of {cells:,} entries would make {noise.rate * cells:,.0f} labels"
        remedy = "use kind: swapped, or a lower rate"
        raise DataError(f"noise: {would}, and {MOST_LABELS:,} are the most; {remedy}")
    # counted from 0 over the whole matrix without its positives, and so moved on by the positives before:
    # which of the n negatives are hit is drawn by the gaps between them, not drawing the others
    n, found, last = cells - len(keys), [np.empty(0, dtype=np.int64)], -1
    while noise.rate > 0 and last < n and n > 0:
        gaps = rng.geometric(noise.rate, size=min(_BLOCK, int(n * noise.rate) + 16))
        steps = last + np.cumsum(np.minimum(gaps, n + 1))  # a gap of a tiny rate is astronomic
        found.append(steps[steps < n])
        last = int(steps[-1])
    places = np.concatenate(found)
    before = keys - np.arange(len(keys))  # negatives before each positive
    return places + np.searchsorted(before, places, side="right")


def _others(keys: IntArray, documents: IntArray, n_labels: int, rng: np.random.Generator) -> IntArray:
    """Keys (document L + label) for the entries of `documents`: labels that it lacks, all equally likely."""
    have = np.bincount(keys // n_labels, minlength=int(documents.max(initial=-1)) + 1) if len(keys) else keys
    wanted = np.bincount(documents)
    wanted = np.minimum(wanted, n_labels - have[: len(wanted)])
    taken = np.empty(0, dtype=np.int64)
    while True:
        missing = wanted - np.bincount(taken // n_labels, minlength=len(wanted))
        rows = np.repeat(np.arange(len(wanted), dtype=np.int64), missing)
        if not len(rows):
            return taken
        # Repeats and labels that are there are drawn again: what stays are the first different ones of a
        # sequence of uniform draws, and so any set with the same chance.
        drawn = np.unique(rows * n_labels + rng.integers(n_labels, size=len(rows)))
        fresh = np.setdiff1d(np.setdiff1d(drawn, keys, assume_unique=True), taken, assume_unique=True)
        taken = np.sort(np.concatenate((taken, fresh)))
