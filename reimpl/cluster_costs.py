"""Size and cost of label clusters by the paper's formulas: Ye et al. 2020, Eq. (6) to (14).

Letters as there: d components of the hidden state, l0 labels of the head and li of tail i, q, Nb documents a
batch, pi the chance that a batch visits tail i. Costs are multiplications. Importing this imports no torch.
"""

from __future__ import annotations

from collections.abc import Sequence


def parameters(d: float, sizes: Sequence[int], q: float) -> float:
    """Eq. (6): d (l0 + K) + sum of d / q^i (d + li)."""
    head, *tails = sizes
    return d * (head + len(tails)) + sum(d / q**i * (d + size) for i, size in enumerate(tails, 1))


def parameters_in_short(d: float, sizes: Sequence[int], q: float) -> float:
    """Eq. (7): sum of d li / q^i, from i = 0; K is small beside l0, and d beside li."""
    return sum(d * size / q**i for i, size in enumerate(sizes))


def linear_parameters(d: float, sizes: Sequence[int]) -> float:
    """Eq. (8): d L."""
    return d * sum(sizes)


def parameter_ratio(sizes: Sequence[int], q: float) -> float:
    """Eq. (9): how many times the numbers of Eq. (7) a linear layer has."""
    return sum(sizes) / sum(size / q**i for i, size in enumerate(sizes))


def head_cost(d: float, sizes: Sequence[int], batch: int) -> float:
    """First term of Eq. (10): Nb d (l0 + K)."""
    return batch * d * (sizes[0] + len(sizes) - 1)


def tail_costs(d: float, sizes: Sequence[int], q: float, batch: int, visits: Sequence[float]) -> list[float]:
    """The others: pi Nb d / q^i (li + d). All documents of a batch are counted where one visits."""
    tails = enumerate(zip(visits, sizes[1:], strict=True), 1)
    return [p * batch * d / q**i * (size + d) for i, (p, size) in tails]


def cost(d: float, sizes: Sequence[int], q: float, batch: int, visits: Sequence[float]) -> float:
    """Eq. (10) and (11)."""
    return head_cost(d, sizes, batch) + sum(tail_costs(d, sizes, q, batch, visits))


def cost_in_short(d: float, sizes: Sequence[int], q: float, batch: int, visits: Sequence[float]) -> float:
    """Eq. (12): Nb d (l0 + sum of pi li / q^i)."""
    shares = (1.0, *visits)
    parts = (p * size / q**i for i, (p, size) in enumerate(zip(shares, sizes, strict=True)))
    return batch * d * sum(parts)


def linear_cost(d: float, sizes: Sequence[int], batch: int) -> float:
    """Eq. (13): Nb d L."""
    return batch * d * sum(sizes)


def cost_ratio(sizes: Sequence[int], q: float, visits: Sequence[float]) -> float:
    """Eq. (14): how many times the cost of Eq. (12) a linear layer has."""
    return sum(sizes) / cost_in_short(1, sizes, q, 1, visits)
