"""Noise in the training labels, as Rank-AE's paper puts it there (Wang et al. 2019, section 3.3): `missing`
takes positives away with a rate. "Flipping either from positive to negative or from negative to positive" has
two readings: `flipped`, every entry of the label matrix (at 10 % of 983 labels a document gets some 96 that
are not its own), and `swapped`, a positive for one that the document does not have. It is drawn once, from a
generator of its own: all seeds and methods learn from the same labels; 20 % held out and the test set stay
clean. Nothing is ever documents x labels. N documents, L labels, M positives."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np

from reimpl.data.dataset import Dataset, IntArray, Split, offsets_of
from reimpl.data.splits import RULES, HoldOut, derived, hold_out
from reimpl.errors import ConfigError, DataError

Kind = Literal["missing", "flipped", "swapped"]

#: Counts up when the same noise gives other labels than before.
NOISE_VERSION = 1
#: More labels than this are not made: flipping half of Wiki-500K's matrix would make 10^12.
MOST_LABELS = 50_000_000
#: Flips that are looked for in one go.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class LabelNoise:
    """Raises `ConfigError`. A document that loses its last label stays, as its zeros do in the paper's
    matrix."""

    kind: Kind
    rate: float  # probability that a label is hit, 0 to 1; the paper goes to 0.6
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            known = ", ".join(map(repr, get_args(Kind)))
            raise ConfigError(f"noise: kind must be one of {known}, not {self.kind!r}")
        if isinstance(self.rate, bool) or not 0 <= self.rate <= 1:
            raise ConfigError(f"noise: rate must be a share from 0 to 1, not {self.rate!r}")
        if self.seed < 0:
            raise ConfigError(f"noise: seed must be 0 or more, not {self.seed!r}")

    def __str__(self) -> str:
        others = " for others" if self.kind == "swapped" else ""
        return f"{100 * self.rate:g} % of the labels {self.kind}{others}"


class Hit(NamedTuple):
    """What noise did to a split."""

    split: Split
    removed: int  # positive labels that became negative
    added: int  # negative labels that became positive
    unlabelled: int  # documents that had a label and lost their last one


def noisy(split: Split, noise: LabelNoise, *, n_labels: int) -> Hit:
    """The documents with noise in their labels; time and memory grow with the labels, M log M. Raises
    `DataError` for more than `MOST_LABELS` expected flips."""
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
    return Hit(changed, removed=int(lost.sum()), added=len(new), unlabelled=int(bare.sum()))


def with_noise(data: Dataset, noise: LabelNoise, rule: HoldOut = RULES["wang2019"]) -> Dataset:
    """The data with noisy training labels. Where the corpus brings no dev part the rule first holds one out,
    so that its labels are clean. Raises `DataError` when no training label is left."""
    clean = data if data.dev is not None else hold_out(data, rule)
    if noise.rate == 0:
        return clean  # the same data whatever the kind, and so the same runs
    hit, before = noisy(clean.train, noise, n_labels=clean.n_labels), len(clean.train.label_ids)
    if not len(hit.split.label_ids):
        raise DataError(f"{data.name}: noise left no label of {before}; use a lower rate")
    counts = {**clean.counts, "noise.rate": noise.rate, "noise.seed": noise.seed}
    counts |= {f"noise.{name}": getattr(hit, name) for name in ("removed", "added", "unlabelled")}
    note = (
        f"train: {noise} (seed {noise.seed}): of {before} labels {hit.removed} removed, {hit.added} wrong "
        f"ones added, {hit.unlabelled} documents left without labels kept; dev and test are clean."
    )
    fingerprint, notes = _fingerprint(clean, noise), (*clean.notes, note)
    return replace(clean, train=hit.split, fingerprint=fingerprint, counts=counts, notes=notes)


def fingerprint_with(data: Dataset, noise: LabelNoise, rule: HoldOut = RULES["wang2019"]) -> str:
    clean = data if data.dev is not None else hold_out(data, rule)
    return clean.fingerprint if noise.rate == 0 else _fingerprint(clean, noise)


def _fingerprint(clean: Dataset, noise: LabelNoise) -> str:
    # every label is hit or not by itself, and no document is dropped: options of earlier versions
    rules = {"draw": "each", "unlabelled": "keep"}
    plain = {**asdict(noise), "rate": float(noise.rate), **rules}  # 0 and 0.0 are one rate
    return derived(clean.fingerprint, "noise", [NOISE_VERSION, plain])


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
    """A key for each entry of `documents`: different labels that it does not have, all equally likely, as far
    as it lacks any."""
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
