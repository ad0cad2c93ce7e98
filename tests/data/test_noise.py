"""Noise hits as many labels as it says, of the training part only, and everything else stays."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reimpl.data.dataset import Split
from reimpl.data.noise import LabelNoise, fingerprint_with, noisy, with_noise
from reimpl.data.splits import find_rule, hold_out
from reimpl.data.synthetic import synthetic
from reimpl.errors import ConfigError, DataError
from tests.toys import topics, toy_data

KINDS = ("missing", "flipped", "swapped")


def labelled(*labels: list[int]) -> Split:
    return Split.from_lists([[1, 2]] * len(labels), labels)


def random_split(n: int, n_labels: int, mean: float, seed: int = 0) -> Split:
    rng = np.random.default_rng(seed)
    there = rng.random((n, n_labels)) < mean / n_labels
    return Split.from_lists([[1]] * n, [np.flatnonzero(row).tolist() for row in there])


def sets(split: Split) -> list[set[int]]:
    """Label set of each document, by a plain loop."""
    ends = split.label_offsets
    return [set(split.label_ids[ends[i] : ends[i + 1]].tolist()) for i in range(split.size)]


def same(first: Split, second: Split) -> bool:
    return all(
        np.array_equal(getattr(first, name), getattr(second, name))
        for name in ("tokens", "offsets", "label_ids", "label_offsets")
    )


def apply(split: Split, n_labels: int, kind: str, rate: float, **how: Any) -> Split:
    return noisy(split, LabelNoise(kind, rate, **how), n_labels=n_labels).split  # type: ignore[arg-type]


def within(count: int, n: int, rate: float) -> bool:
    """Six standard deviations of a binomial: an honest draw is outside once in 500 million."""
    return abs(count - n * rate) <= 6 * math.sqrt(n * rate * (1 - rate)) + 1e-9


def splits() -> st.SearchStrategy[tuple[Split, int]]:
    def of(n_labels: int) -> st.SearchStrategy[tuple[Split, int]]:
        rows = st.lists(st.sets(st.integers(0, n_labels - 1)).map(sorted), max_size=8)
        return rows.map(lambda it: (labelled(*it), n_labels))

    return st.integers(1, 7).flatmap(of)


RATES = st.floats(0, 1)


# --------------------------------------------------------------------------- what each kind does


@given(splits(), RATES)
def test_a_swap_keeps_the_number_of_labels_and_brings_none_that_was_there(
    given: tuple[Split, int], rate: float
) -> None:
    split, n_labels = given
    hit = noisy(split, LabelNoise("swapped", rate), n_labels=n_labels)  # type: ignore[arg-type]
    removed = added = 0
    for before, after in zip(sets(split), sets(hit.split), strict=True):
        lost, new = before - after, after - before
        assert len(new) == min(len(lost), n_labels - len(before))
        removed, added = removed + len(lost), added + len(new)
    assert (hit.removed, hit.added) == (removed, added)


@given(splits(), RATES, st.sampled_from(KINDS))
def test_removed_and_added_are_what_they_say(given: tuple[Split, int], rate: float, kind: str) -> None:
    split, n_labels = given
    hit = noisy(split, LabelNoise(kind, rate), n_labels=n_labels)  # type: ignore[arg-type]
    pairs = list(zip(sets(split), sets(hit.split), strict=True))
    assert hit.removed == sum(len(before - after) for before, after in pairs)
    assert hit.added == sum(len(after - before) for before, after in pairs)
    assert hit.unlabelled == sum(bool(before) and not after for before, after in pairs)


# --------------------------------------------------------------------------- how many


@pytest.mark.parametrize("rate", [0.05, 0.2, 0.4, 0.6, 0.95])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_each_label_is_hit_with_the_rate(rate: float, seed: int) -> None:
    split, n_labels = random_split(800, 50, 4.0), 50
    positives, negatives = len(split.label_ids), 800 * 50 - len(split.label_ids)
    for kind in KINDS:
        hit = noisy(split, LabelNoise(kind, rate, seed=seed), n_labels=n_labels)  # type: ignore[arg-type]
        assert within(hit.removed, positives, rate)
        if kind == "flipped":
            assert within(hit.added, negatives, rate)


def test_every_entry_of_the_matrix_is_flipped_as_often_as_any_other() -> None:
    """4,000 draws on 3 documents x 5 labels at 30 %; for each entry the chance of 5 SD is 6 in 10 million."""
    split, n = labelled([0, 4], [], [1, 2, 3]), 4000
    was = split.labels(5).toarray() > 0
    flips = np.zeros((3, 5))
    for seed in range(n):
        now = apply(split, 5, "flipped", 0.3, seed=seed).labels(5).toarray() > 0
        flips += now != was
    assert np.all(np.abs(flips / n - 0.3) < 5 * np.sqrt(0.25 / n))


def test_the_wrong_label_of_a_swap_is_any_of_the_others_alike() -> None:
    """Two labels of {0, 5} go, two of 1 to 4 come: six pairs, each with chance 1/6, here within 5 SD."""
    n = 3000
    pairs: dict[tuple[int, ...], int] = {}
    for seed in range(n):
        [after] = sets(apply(labelled([0, 5]), 6, "swapped", 1.0, seed=seed))
        pairs[tuple(sorted(after))] = pairs.get(tuple(sorted(after)), 0) + 1
    assert set(pairs) == set(combinations((1, 2, 3, 4), 2))
    assert all(abs(it / n - 1 / 6) < 5 * math.sqrt(5 / 36 / n) for it in pairs.values())


# --------------------------------------------------------------------------- chance


@given(splits(), st.sampled_from(KINDS), RATES, st.integers(0, 5))
def test_one_seed_gives_one_result_whatever_the_global_one(
    given: tuple[Split, int], kind: str, rate: float, seed: int
) -> None:
    split, n_labels = given
    np.random.seed(1)
    first = apply(split, n_labels, kind, rate, seed=seed)
    np.random.seed(2)
    assert same(apply(split, n_labels, kind, rate, seed=seed), first)


def test_what_a_lower_rate_removes_a_higher_one_removes_too() -> None:
    """So that the points of a curve over the rate differ by the rate, and not by the luck of the draw."""
    split = random_split(200, 20, 4.0)
    parts = [sets(apply(split, 20, "missing", rate)) for rate in (0.1, 0.3, 0.6)]
    for less, more in pairwise(parts):
        assert all(b <= a for a, b in zip(less, more, strict=True))


# --------------------------------------------------------------------------- data sets


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


def test_noise_is_told_in_the_notes_and_the_counts() -> None:
    data = toy_data(train=labelled([0], [1, 2], [3], []), dev=labelled([0]))
    changed = with_noise(data, LabelNoise("swapped", 1.0, seed=9))
    assert changed.notes == (
        "train: 100 % of the labels swapped for others (seed 9): of 4 labels 4 removed, 4 wrong ones added, "
        "0 documents left without labels kept; dev and test are clean.",
    )
    assert {name: changed.counts[name] for name in changed.counts if name.startswith("noise")} == {
        "noise.rate": 1.0,
        "noise.seed": 9,
        "noise.removed": 4,
        "noise.added": 4,
        "noise.unlabelled": 0,
    }


def test_every_choice_changes_the_fingerprint_but_at_rate_zero_none() -> None:
    data = toy_data(n_dev=5)
    choices = [
        LabelNoise("missing", 0.5),
        LabelNoise("flipped", 0.5),
        LabelNoise("swapped", 0.5),
        LabelNoise("missing", 0.4),
        LabelNoise("missing", 0.5, seed=1),
    ]
    prints = {with_noise(data, it).fingerprint for it in choices}
    assert len(prints | {data.fingerprint}) == 6
    clean = {with_noise(data, replace(it, rate=0)).fingerprint for it in choices}
    assert clean == {data.fingerprint}


def test_noise_that_leaves_nothing_to_learn_is_refused() -> None:
    with pytest.raises(DataError, match=r"^toy: noise left no label of \d+; use a lower rate"):
        with_noise(toy_data(n_dev=2), LabelNoise("missing", 1.0))


# --------------------------------------------------------------------------- size


def test_flipping_more_than_memory_holds_is_refused_with_the_number() -> None:
    split = topics(1_000)
    message = (
        r"flipping 0.6 of 500,000,000 entries would make 300,000,000 labels, and 50,000,000 are the most"
    )
    with pytest.raises(DataError, match=message):
        apply(split, 500_000, "flipped", 0.6)


@pytest.mark.parametrize("kind", KINDS)
def test_memory_is_that_of_the_labels_and_not_of_the_matrix(kind: str) -> None:
    """20,000 documents x 500,000 labels would be 10 GB of single bytes; 0.0001 % of it are 10,000 flips."""
    rng = np.random.default_rng(0)
    ids = np.sort(rng.integers(0, 500_000, (20_000, 3)), axis=1).astype(np.int32)
    ids += np.arange(3, dtype=np.int32)  # no label twice in a document
    offsets = np.arange(20_001, dtype=np.int64)
    split = Split(np.zeros(20_000, dtype=np.int32), offsets, ids.ravel(), 3 * offsets)
    tracemalloc.start()
    try:
        apply(split, 500_003, kind, 1e-6 if kind == "flipped" else 0.5)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20e6


# --------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "random"}, "kind must be one of 'missing', 'flipped', 'swapped', not 'random'"),
        ({"rate": -0.1}, "rate must be a share from 0 to 1, not -0.1"),
        ({"rate": 60}, "rate must be a share from 0 to 1, not 60"),
        ({"rate": float("nan")}, "rate must be a share from 0 to 1, not nan"),
        ({"rate": True}, "rate must be a share from 0 to 1, not True"),
        ({"seed": -1}, "seed must be 0 or more, not -1"),
    ],
)
def test_noise_that_is_none_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=f"^noise: {message}"):
        LabelNoise(**{"kind": "missing", "rate": 0.5, **changes})


@pytest.mark.parametrize(
    "noise", [LabelNoise("missing", 0.0), LabelNoise("missing", 0.3), LabelNoise("swapped", 0.6)]
)
def test_the_fingerprint_is_known_before_the_noise_is_made(noise: LabelNoise) -> None:
    data = synthetic(length=8, dimension=4)
    assert fingerprint_with(data, noise) == with_noise(data, noise).fingerprint
