"""How labels are cut into clusters, what the clusters are made of, and how they learn (`label_clusters`).

Paper and public code as there. What the two do differently is an option each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from reimpl.cluster_loss import Products
from reimpl.config_fields import check_choices, is_size
from reimpl.errors import ConfigError


@dataclass(frozen=True)
class ClusterOptions:
    """The clusters of a model. Defaults: the public code."""

    clusters: int = 2
    """The head and the tails; 1: no tails, which is a linear layer."""
    shares: tuple[float, ...] | None = None
    """Of the labels, a cluster each from the head; None: even. What rounding leaves is the last one's."""
    cutoffs: tuple[int, ...] | None = None
    """First label of each tail, as the code's scripts have them, in place of shares."""
    divisor: int = 2
    """q: tail i reads d / q^i components, rounded down."""
    tail: Literal["norm_relu", "linear"] = "norm_relu"
    """Between the two layers of a tail: layer normalisation and ReLU (:90-107), or nothing (Eq. 6)."""
    head: Literal["root", "leaf"] = "root"
    """leaf: a tree of two levels, in which the head is a tail too, of d components (i = 0)."""
    normalise: Literal["documents", "batch"] = "documents"
    """documents: the mean of what each document's sum is over its own count (code). batch: all sums over all
    counts (Eq. 5)."""
    absent_roots: bool = True
    """Whether the unit of a tail without a positive learns to be 0, and counts as a label. Not in Eq. 5."""
    products: Products = "probabilities"
    """probabilities: cross-entropy of the product as a number, whose logarithm ends at -100 (code).
    logarithms: exact also where a sigmoid is 0 or 1."""
    evaluation: Literal["probabilities", "double_sigmoid"] = "probabilities"
    """double_sigmoid: of the probabilities again, as the code ranks them: small ones become 0.5 and tie."""
    loss: Literal["clusters"] = "clusters"
    """Cross-entropy over the clusters, as the keys above say."""

    def __post_init__(self) -> None:
        for name in ("shares", "cutoffs"):
            if isinstance(getattr(self, name), list):  # as a claim file gives them
                object.__setattr__(self, name, tuple(getattr(self, name)))
        check_choices(self)
        for name in ("clusters", "divisor"):
            if not is_size(getattr(self, name)):
                raise ConfigError(f"{name} must be a whole number from 1, not {getattr(self, name)!r}")
        for complaint in (*self._of_shares(), *self._of_cutoffs()):
            raise ConfigError(complaint)

    def _of_shares(self) -> Iterator[str]:
        shares = self.shares
        if shares is None:
            return
        if len(shares) != self.clusters or not all(_is_share(it) for it in shares):
            yield f"shares must be {self.clusters} numbers above 0, as clusters says, not {shares!r}"
        elif abs(sum(shares) - 1) > 1e-6:
            yield f"shares must add up to 1, not {sum(shares):g}"

    def _of_cutoffs(self) -> Iterator[str]:
        cutoffs = self.cutoffs
        if cutoffs is None:
            return
        if self.shares is not None:
            yield f"cutoffs {cutoffs!r} stand in place of shares {self.shares!r}; drop one of them"
        rising = all(map(is_size, cutoffs)) and all(a < b for a, b in pairwise(cutoffs))
        if len(cutoffs) != self.clusters - 1 or not rising:
            yield f"cutoffs must be {self.clusters - 1} rising whole numbers, not {cutoffs!r}"

    def sizes(self, labels: int) -> tuple[int, ...]:
        """Labels of each cluster; raises `ConfigError` where one has none."""
        if self.cutoffs is not None:
            sizes = [b - a for a, b in pairwise((0, *self.cutoffs, labels))]
        else:
            shares = self.shares or (1 / self.clusters,) * self.clusters
            # a share in decimals is a little below what it says
            sizes = [int(share * labels + 1e-9) for share in shares[:-1]]
            sizes.append(labels - sum(sizes))
        if min(sizes) < 1:
            raise ConfigError(
                f"{len(sizes):,} clusters of {labels:,} labels: one has none by these shares or cutoffs; "
                "use fewer clusters"
            )
        return tuple(sizes)

    def inner(self, features: int) -> tuple[int, ...]:
        """Components that each tail reads; raises `ConfigError` where one has none."""
        powers = range(0 if self.head == "leaf" else 1, self.clusters)
        inner = tuple(features // self.divisor**i for i in powers)
        if min(inner, default=1) < 1:
            raise ConfigError(
                f"{features} components divided by {self.divisor} for each of {len(inner)} tails leave "
                "nothing; use fewer clusters or a smaller divisor"
            )
        return inner

    def cluster_count(self, *, features: int, labels: int) -> int:
        """Numbers of the layer by formula: Eq. (6), and what `tail` adds to it."""
        sizes, inner = self.sizes(labels), self.inner(features)
        head = 0 if self.head == "leaf" else sizes[0]
        tails = zip(inner, sizes[len(sizes) - len(inner) :], strict=True)
        each = sum(d * (features + size) for d, size in tails)
        norms = 2 * sum(inner) if self.tail == "norm_relu" else 0
        return features * (head + len(inner)) + each + norms


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0
