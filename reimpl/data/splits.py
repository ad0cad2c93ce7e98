"""Hold-out: which training documents a validation (or test) part is made of; a rule, a seed and a rounding.
Where public code exists its very documents are held out: scikit-learn's `train_test_split` takes the first
ones of `RandomState(seed).permutation(n)`, which numpy has frozen (NEP 19). Both parts keep the order of the
file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from reimpl.data.dataset import Dataset, IntArray, Split, offsets_of
from reimpl.data.storage import digest_of
from reimpl.errors import ConfigError, DataError

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
        """All that decides which documents are held out; the name does not."""
        chosen = {"share": self.share, "count": self.count, "seed": self.seed}
        return chosen if self.few is None else {**chosen, "few": list(self.few)}

    def size(self, n: int) -> int:
        """Documents held out of n. Raises `DataError` when that leaves none to train on."""
        taken = self.count if self.count is not None else math.ceil((self.share or 0.0) * n)
        if self.few is not None and n < self.few[0]:
            taken = self.few[1]
        if not 0 < taken < n:
            what = f"hold-out {self.name!r} takes {taken} of {n} documents and must leave some"
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
        # both rules of yourh/AttentionXML by size: its data sets of 200 have up to 15,539 training documents,
        # the others 1,186,239 and more; the line between them is ours
        HoldOut("you2019", 1240, count=4000, few=(100_000, 200)),
        # ours, for protocols that are reduced for a CPU
        HoldOut("you2019-small", 1240, share=0.1),
    )
}


def find_rule(name: str) -> HoldOut:
    """The rule of that name. Raises `ConfigError` naming the known ones."""
    if name not in RULES:
        raise ConfigError(f"hold-out {name!r} is not known; known are {', '.join(RULES)}")
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


def split_off(split: Split, rule: HoldOut) -> tuple[Split, Split]:
    stay, held_out = rule.rows(split.size)
    return take(split, stay), take(split, held_out)


def hold_out(data: Dataset, rule: HoldOut) -> Dataset:
    """The data with a dev part out of their training documents; words and label names stay those of the whole
    training set, as in the public code, which counts first. Raises `DataError` when there is a dev part, or
    too few documents."""
    if data.dev is not None:
        there = f"there are {data.dev.size} dev documents"
        raise DataError(f"{data.name}: {there}; hold-out {rule.name!r} is for none")
    train, dev = split_off(data.train, rule)
    sizes = {"hold_out.train": train.size, "hold_out.dev": dev.size, "hold_out.seed": rule.seed}
    part = f"{rule.share:.0%}" if rule.share is not None else f"{dev.size}"
    note = (
        f"dev: {dev.size} of {data.train.size} training documents held out ({part} at random, rule "
        f"{rule.name}, seed {rule.seed}), {train.size} left to train on."
    )
    fingerprint = derived(data.fingerprint, "hold_out", [SPLITS_VERSION, rule.identity])
    counts, notes = {**data.counts, **sizes}, (*data.notes, note)
    return replace(data, train=train, dev=dev, fingerprint=fingerprint, counts=counts, notes=notes)


def derived(fingerprint: str, what: str, choices: Any) -> str:
    """SHA-256 of data made from those with `fingerprint` by a transform and all of its choices."""
    return digest_of([fingerprint, what, choices])


def for_protocol(data: Dataset, protocol: Protocol) -> Dataset:
    """The data with the dev part that a protocol asks for: their own, else one held out by its rule."""
    if protocol.hold_out is None or data.dev is not None:
        return data
    return hold_out(data, find_rule(protocol.hold_out))
