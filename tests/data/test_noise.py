"""Noise hits as many labels as it says, of the training part only, and everything else stays."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reimpl.data.dataset import Split
from reimpl.data.splits import Kind, LabelNoise, find_rule, fingerprint_with, hold_out, noisy, with_noise
from tests.toys import toy_data

KINDS = get_args(Kind)


def random_split(n: int, n_labels: int, mean: float, seed: int = 0) -> Split:
    rng = np.random.default_rng(seed)
    there = rng.random((n, n_labels)) < mean / n_labels
    return Split.from_lists([[1]] * n, [np.flatnonzero(row).tolist() for row in there])


def sets(split: Split) -> list[set[int]]:
    """Label set of each document, by a plain loop."""
    ends = split.label_offsets
    return [set(split.label_ids[ends[i] : ends[i + 1]].tolist()) for i in range(split.size)]


def same(first: Split, second: Split) -> bool:
    names = ("tokens", "offsets", "label_ids", "label_offsets")
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in names)


def within(count: int, n: int, rate: float) -> bool:
    """Six standard deviations of a binomial: an honest draw is outside once in 500 million."""
    return abs(count - n * rate) <= 6 * math.sqrt(n * rate * (1 - rate)) + 1e-9


def splits() -> st.SearchStrategy[tuple[Split, int]]:
    def of(n_labels: int) -> st.SearchStrategy[tuple[Split, int]]:
        rows = st.lists(st.sets(st.integers(0, n_labels - 1)).map(sorted), max_size=8)
        return rows.map(lambda it: (Split.from_lists([[1, 2]] * len(it), it), n_labels))

    return st.integers(1, 7).flatmap(of)


RATES = st.floats(0, 1)


@given(splits(), RATES, st.sampled_from(KINDS))
def test_what_is_removed_and_added_is_what_is_said(given: tuple[Split, int], rate: float, kind: str) -> None:
    """A swap keeps the number of labels, as far as there are others, and brings none that was there."""
    split, n_labels = given
    changed, hit = noisy(split, LabelNoise(kind, rate), n_labels=n_labels)  # type: ignore[arg-type]
    pairs = list(zip(sets(split), sets(changed), strict=True))
    assert hit["removed"] == sum(len(before - after) for before, after in pairs)
    assert hit["added"] == sum(len(after - before) for before, after in pairs)
    assert hit["unlabelled"] == sum(bool(before) and not after for before, after in pairs)
    if kind == "swapped":
        for before, after in pairs:
            assert len(after - before) == min(len(before - after), n_labels - len(before))


@pytest.mark.parametrize("rate", [0.05, 0.6])
@pytest.mark.parametrize("seed", [0, 1])
def test_each_label_is_hit_with_the_rate(rate: float, seed: int) -> None:
    split, n_labels = random_split(800, 50, 4.0), 50
    positives, negatives = len(split.label_ids), 800 * 50 - len(split.label_ids)
    for kind in KINDS:
        _, hit = noisy(split, LabelNoise(kind, rate, seed=seed), n_labels=n_labels)  # type: ignore[arg-type]
        assert within(hit["removed"], positives, rate)
        if kind == "flipped":
            assert within(hit["added"], negatives, rate)


@pytest.mark.parametrize("kind", KINDS)
def test_only_training_labels_are_noisy(kind: str) -> None:
    data = toy_data(n_train=50, n_dev=0)
    clean = hold_out(data, find_rule("wang2019"))
    changed = with_noise(data, LabelNoise(kind, 0.4))  # type: ignore[arg-type]
    assert changed.dev is not None and clean.dev is not None
    assert (changed.train.size, changed.dev.size) == (40, 10)  # 80 % and 20 % of 50
    assert changed.test is data.test
    assert same(changed.dev, clean.dev)
    assert not same(changed.train, clean.train)
    assert np.array_equal(changed.train.tokens, clean.train.tokens)


def test_every_choice_changes_the_fingerprint_but_at_rate_zero_none() -> None:
    data = toy_data(n_dev=5)
    choices = [LabelNoise(kind, 0.5) for kind in get_args(Kind)]
    choices += [LabelNoise("missing", 0.4), LabelNoise("missing", 0.5, seed=1)]
    prints = {with_noise(data, it).fingerprint for it in choices}
    assert prints == {fingerprint_with(data, it) for it in choices}
    assert len(prints | {data.fingerprint}) == 6
    clean = {with_noise(data, replace(it, rate=0)).fingerprint for it in choices}
    assert clean == {data.fingerprint}
