"""Collections and runs at random: documents with labels, rankings of several methods, their exact metrics.
P@k is hits / (k documents), a fraction; nDCG@k is summed as the definition has it. Documents without labels
count 0 in both. What is here knows nothing of `audit`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

RANKS = 5
KS = (1, 3, 5)
_DISCOUNTS = 1 / np.log2(np.arange(2, RANKS + 2))

Counts = NDArray[np.int64]
Hits = NDArray[np.bool_]


@dataclass(frozen=True)
class Collection:
    """A data set: how many labels each document has, and how many labels there are."""

    name: str
    train: Counts
    test: Counts
    labels: int

    @property
    def documents(self) -> int:
        return len(self.test)


def collection(rng: np.random.Generator, name: str) -> Collection:
    """Label counts of many shapes: all alike, few or many labels, long tails, documents without any."""
    documents = int(rng.choice([rng.integers(20, 300), rng.integers(300, 4_000), 3_865]))
    shape = rng.integers(5)
    sizes = int(documents * rng.uniform(1.5, 5)), documents

    def counts(size: int) -> Counts:
        drawn: Counts = {
            0: lambda: np.full(size, 1 + rng_mean),
            1: lambda: 1 + rng.poisson(rng_mean, size),
            2: lambda: rng.geometric(1 / (1 + rng_mean), size),
            3: lambda: np.ceil(rng.lognormal(np.log(1 + rng_mean), 0.8, size)).astype(np.int64),
            4: lambda: rng.poisson(rng_mean + 0.5, size),
        }[int(shape)]()
        return drawn

    rng_mean = int(rng.integers(0, 8))
    train, test = counts(sizes[0]), counts(sizes[1])
    return Collection(name, train, test, int(rng.integers(8, 5_000)))


@dataclass(frozen=True)
class Method:
    """How well a method ranks: its chance of a right label at each rank, and how alike its runs are."""

    name: str
    right: NDArray[np.float64]
    """(RANKS,): 0 and 1 at the edges, where it is never or always right."""
    alike: float


def method(rng: np.random.Generator, name: str) -> Method:
    first = rng.choice([0.0, 1.0, rng.uniform(0.2, 0.95)], p=[0.03, 0.05, 0.92])
    fall = rng.uniform(0.6, 1.0) if first < 1 else 1.0
    return Method(name, first * fall ** np.arange(RANKS), float(rng.choice([0.5, 0.9, 0.99])))


def runs(rng: np.random.Generator, on: Collection, of: Method, seeds: int) -> tuple[Hits, ...]:
    """(documents, RANKS) for each seed: which ranks are right. Runs share most of their luck."""
    hard = rng.beta(3, 1.5, size=(on.documents, 1)) ** (0.0 if of.right[0] == 1 else 1.0)
    luck = rng.random((on.documents, RANKS))
    found = []
    for _ in range(seeds):
        fresh = rng.random((on.documents, RANKS)) > of.alike
        mine = np.where(fresh, rng.random((on.documents, RANKS)), luck)
        wanted = mine < np.minimum(1.5 * hard, 1) * of.right
        found.append(wanted & (np.cumsum(wanted, axis=1) <= on.test[:, None]))
    return tuple(found)


def metrics(hits: Hits, on: Collection, by: str = "") -> dict[str, Fraction]:
    """In percent. `by`: P@k over min(k, labels), or P or nDCG over the documents that have labels alone."""
    found: dict[str, Fraction] = {}
    labelled = Fraction(on.documents, max(int((on.test > 0).sum()), 1))
    for k in KS:
        over = np.minimum(k, np.maximum(on.test, 1)) if by == "labels" else np.full(on.documents, k)
        right = sum((Fraction(int(hits[over == n, :k].sum()), int(n)) for n in set(over)), Fraction(0))
        found[f"P@{k}"] = 100 * right / on.documents * (labelled if by == "P" else 1)
        ideal = np.concatenate([[0.0], np.cumsum(_DISCOUNTS)])[np.minimum(on.test, k)]
        each = np.divide(hits[:, :k] @ _DISCOUNTS[:k], ideal, out=np.zeros(on.documents), where=ideal > 0)
        first = Fraction(100 * int(hits[:, 0].sum()), on.documents)
        found[f"nDCG@{k}"] = (Fraction(100 * float(each.mean())) if k > 1 else first) * (
            labelled if by == "nDCG" else 1
        )
    return found


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def in_print(value: Fraction, decimals: int, rule: str) -> str:
    """The number with so many decimals, ties going up, to even digits, or cut."""
    units, rest = divmod(value.numerator * 10**decimals, value.denominator)
    twice = 0 if rule == "cut" else 2 * rest
    if twice > value.denominator or (twice == value.denominator and (rule == "half_up" or units % 2)):
        units += 1
    whole, part = divmod(units, 10**decimals)
    return f"{whole}.{part:0{decimals}d}" if decimals else str(whole)
