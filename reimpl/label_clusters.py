"""Adaptive probabilistic label clusters (APLC): an output layer whose rare labels are asked about seldom
(Ye, Chen, Wang, Davison 2020, ICML, section 3.3; huiyegit/APLC_XLNet bf6f91d). Labels are sorted by
falling frequency and cut into a head and tails. The root scores the head's labels and has one unit a tail;
a label of a tail has the probability of that unit times its own (Eq. 2), from a vector of d / q^i
components. In training a tail is computed for the documents that have a label in it (Eq. 3 and 4). A tail
that no document visits has no gradient: its weights and moments rest. B documents, d components of a
document's vector, L labels, K tail clusters, l labels of a cluster, n documents that have a label in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal, TypeAlias, cast

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from reimpl.batching import top_k
from reimpl.data.dataset import Split
from reimpl.errors import ConfigError
from reimpl.protocol import check

#: Scores looked at in one go. In blocks that stay in a processor's cache a step is faster, too.
BLOCK = 1 << 18
#: The same on a GPU, where every block costs a dozen launches.
_BLOCK_OF_A_GPU = 1 << 23
#: Of first weights; the code draws them as XLNet's.
_DEVIATION = 0.02

Products: TypeAlias = Literal["probabilities", "logarithms"]


@dataclass(frozen=True)
class ClusterOptions:
    """The clusters of a model. Defaults: the public code."""

    clusters: int = 2
    """Number of clusters, the head included; 1: no tails, so a linear layer."""
    shares: tuple[float, ...] | None = None
    """Share of the labels in each cluster, head first; None: equal. The last cluster takes the rounding."""
    cutoffs: tuple[int, ...] | None = None
    """First label of each tail, as in the code's scripts; replaces shares."""
    divisor: int = 2
    """q: tail i reads d / q^i components, rounded down."""
    tail: Literal["norm_relu", "linear"] = "norm_relu"
    """Between the two layers of a tail: layer normalisation and ReLU (code, :90-107), or nothing (Eq. 6)."""
    head: Literal["root", "leaf"] = "root"
    """leaf: a tree of two levels, in which the head is also a tail, with d components (i = 0)."""
    normalise: Literal["documents", "batch"] = "documents"
    """documents: each document's sum over its count, averaged (code). batch: total over total (Eq. 5)."""
    absent_roots: bool = True
    """Whether the unit of a tail without positives learns 0 and counts as a label. Not in Eq. 5."""
    products: Products = "probabilities"
    """probabilities: the logarithm of the product, cut off at -100 (code). logarithms: exact."""
    evaluation: Literal["probabilities", "double_sigmoid"] = "probabilities"
    """double_sigmoid: a second sigmoid, as the code ranks: small probabilities become 0.5 and tie."""
    loss: Literal["clusters"] = "clusters"
    """Cross-entropy over the clusters, as set by the keys above."""

    def __post_init__(self) -> None:
        if isinstance(self.shares, list):  # as a claim file gives them
            object.__setattr__(self, "shares", tuple(self.shares))
        check(self)
        shares, cutoffs, n = self.shares, self.cutoffs, self.clusters
        sound = shares is None or (len(shares) == n and min(shares) > 0 and abs(sum(shares) - 1) <= 1e-6)
        if not sound:
            raise ConfigError(f"shares must be {n} numbers above 0 that add up to 1, not {shares!r}")
        if cutoffs is not None:
            if shares is not None:
                both = f"cutoffs {cutoffs!r} replace shares {shares!r}"
                raise ConfigError(f"{both}; drop one of them")
            if len(cutoffs) != n - 1 or any(a >= b for a, b in pairwise(cutoffs)):
                raise ConfigError(f"cutoffs must be {n - 1} rising whole numbers, not {cutoffs!r}")

    def sizes(self, labels: int) -> tuple[int, ...]:
        """Labels of each cluster; raises `ConfigError` if one is empty."""
        if self.cutoffs is not None:
            sizes = [b - a for a, b in pairwise((0, *self.cutoffs, labels))]
        else:
            shares = self.shares or (1 / self.clusters,) * self.clusters
            # a share in decimals is a little below what it says
            sizes = [int(share * labels + 1e-9) for share in shares[:-1]]
            sizes.append(labels - sum(sizes))
        if min(sizes) < 1:
            what = f"{len(sizes):,} clusters of {labels:,} labels: one has none"
            raise ConfigError(f"{what} by these shares or cutoffs; use fewer clusters")
        return tuple(sizes)

    def inner(self, features: int) -> tuple[int, ...]:
        """Components that each tail reads; raises `ConfigError` if one has none."""
        powers = range(0 if self.head == "leaf" else 1, self.clusters)
        inner = tuple(features // self.divisor**i for i in powers)
        if min(inner, default=1) < 1:
            what = f"{features} components divided by {self.divisor} for each of {len(inner)} tails"
            raise ConfigError(f"{what} leave nothing; use fewer clusters or a smaller divisor")
        return inner


def by_frequency(split: Split, labels: int) -> NDArray[np.int64]:
    """int64 (L,): label ids, the most frequent of the split first, ties by lower id."""
    return np.argsort(-np.bincount(split.label_ids, minlength=labels), kind="stable")


class LabelClusters(nn.Module):
    """Head, root units and tails over documents' vectors of `features` components."""

    order: Tensor
    rank: Tensor
    first: Tensor  # of each cluster but the head, its first rank
    counts: Tensor  # labels of each tail
    in_float32 = "the label clusters"

    def __init__(
        self, options: ClusterOptions, *, features: int, order: NDArray[np.int64], block: int | None = None
    ) -> None:
        """order (L,): label ids by falling frequency (`by_frequency`); block: scores computed at once."""
        super().__init__()
        self.options, self.labels, self.block = options, len(order), block
        self.sizes, inner = options.sizes(self.labels), options.inner(features)
        self.starts = tuple(accumulate(self.sizes, initial=0))
        self.in_root = len(self.sizes) - len(inner)  # 1, or 0 with the head in a leaf
        self.head = nn.Linear(features, self.sizes[0], bias=False) if self.in_root else None
        self.roots = nn.Linear(features, len(inner), bias=False) if inner else None
        self.tails = nn.ModuleList(
            _Tail(features, d, size, norm=options.tail == "norm_relu")
            for d, size in zip(inner, self.sizes[self.in_root :], strict=True)
        )
        self.register_buffer("order", torch.from_numpy(np.array(order, dtype=np.int64)))
        self.register_buffer("rank", torch.argsort(self.order))
        # known numbers, which would be sent to a GPU in each step otherwise
        self.register_buffer("first", torch.tensor(self.starts[1:-1], dtype=torch.int64), persistent=False)
        tails = torch.tensor(self.sizes[self.in_root :], dtype=torch.int64)
        self.register_buffer("counts", tails, persistent=False)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=_DEVIATION)

    def visits(self, size: int, rows: Tensor, ranks: Tensor) -> tuple[Tensor, Tensor]:
        """For B = `size` documents with positives of these ranks in `rows`: bool (B, K), whether a document
        has a label in a tail, and (B,) the number of outputs that it learns from."""
        cluster = torch.searchsorted(self.first, ranks, right=True)
        visited = torch.zeros(size, len(self.sizes), dtype=torch.bool, device=rows.device)
        visited[rows, cluster] = True
        tails = visited[:, self.in_root :]
        counts = (tails * self.counts).sum(1) + (self.sizes[0] if self.in_root else 0)
        return tails, counts + (~tails).sum(1) if self.options.absent_roots else counts

    def weight(self, size: int, rows: Tensor, cols: Tensor) -> Tensor:
        """What `loss` divides by: B, or the labels of all visited clusters of all documents."""
        if self.options.normalise == "documents":
            return torch.full((), float(size), device=rows.device)
        return self.visits(size, rows, self.rank[cols])[1].sum().clamp(min=1)

    def loss(self, features: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
        """Eq. (5), or the code's: vectors (B, d) and positives, in any order, no pair twice -> scalar. A
        document without labels learns that the labels of the head, and the root's units, are 0. No more than
        a block of scores is ever held. Waits for the device once."""
        B, width, options = len(features), self._width(features), self.options
        ranks, by_rank = self.rank[cols].sort()
        rows = rows[by_rank]
        visited, counts = self.visits(B, rows, ranks)
        by_documents = options.normalise == "documents"
        divisor = counts.clamp(min=1) * B if by_documents else counts.sum().clamp(min=1)
        share = divisor.to(features.dtype).reciprocal().expand(B)
        # ranks at which blocks of `width` labels begin, and the end: no block lies in two clusters
        edges = [lo for a, b in pairwise(self.starts) for lo in range(a, b, width)] + [self.labels]
        blocks = [torch.arange(a, b, width, device=ranks.device) for a, b in pairwise(self.starts)]
        bounds = torch.searchsorted(ranks, torch.cat([*blocks, ranks.new_full((1,), self.labels)]))
        looked_up = torch.cat((bounds, visited.sum(0))).tolist()  # the one wait for the device
        place = dict(zip(edges, looked_up, strict=False))
        first = torch.argsort(visited.int(), dim=0, descending=True, stable=True)

        def of_cluster(
            cluster: int, x: Tensor, weight: Tensor, share: Tensor, documents: Tensor, root: Tensor | None
        ) -> Tensor:
            """`documents` of the positives, as the cluster numbers them."""
            (a, b), total = self.starts[cluster : cluster + 2], features.new_zeros(())
            for lo, part in zip(range(a, b, width), torch.split(weight, width), strict=True):
                some = slice(place[lo], place[min(lo + width, b)])
                block = x, part, share, documents[some], ranks[some] - lo, root, options.products
                # Scores are made anew in the backward pass: those of a cluster are never there together.
                total = total + checkpoint(block_loss, *block, use_reentrant=False, preserve_rng_state=False)
            return total

        total = features.new_zeros(())
        if self.head is not None:
            total = total + of_cluster(0, features, self.head.weight, share, rows, None)
        units = self._units(features)
        if options.absent_roots:
            total = total + (F.softplus(units) * ~visited * share[:, None]).sum()
        for i, present in enumerate(looked_up[len(edges) :]):
            if present:
                mine, tail = first[:present, i], self._tail(i)
                x, root = tail.reduced(features[mine]), units[mine, i : i + 1]
                documents = (visited[:, i].cumsum(0) - 1)[rows]
                of = i + self.in_root, x, tail.expand.weight, share[mine], documents, root
                total = total + of_cluster(*of)
        return total

    def _width(self, features: Tensor) -> int:
        block = self.block or (_BLOCK_OF_A_GPU if features.is_cuda else BLOCK)
        return max(1, block // max(len(features), 1))

    def _units(self, features: Tensor) -> Tensor:
        return features.new_zeros(len(features), 0) if self.roots is None else self.roots(features)

    def _tail(self, i: int) -> _Tail:
        return cast(_Tail, self.tails[i])

    def probabilities(self, features: Tensor) -> Tensor:
        """Vectors (B, d) -> probabilities, or what is ranked for them, (B, L) by label id."""
        ranked = torch.cat([part for _, part in self._scores(features)], dim=1)
        return ranked[:, self.rank]

    def best(self, features: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """The k best labels of each document and what they are ranked by, (B, k) each; ties go to the label
        that is more frequent in training, which has the lower id in the public code."""
        values, ranks = features.new_empty(len(features), 0), self.order.new_empty(len(features), 0)
        for lo, scores in self._scores(features):
            found, at = top_k(scores, min(k, scores.shape[1]))
            values, ranks = torch.cat((values, found), dim=1), torch.cat((ranks, at + lo), dim=1)
            values, kept = top_k(values, min(k, values.shape[1]))
            ranks = ranks.gather(1, kept)
        return values, self.order[ranks]

    def _scores(self, features: Tensor) -> Iterator[tuple[int, Tensor]]:
        """Block after block: its first rank, and its scores (B, width)."""
        width = self._width(features)
        units = torch.sigmoid(self._units(features))
        for cluster, (a, b) in enumerate(pairwise(self.starts)):
            i = cluster - self.in_root
            reduced = features if i < 0 else self._tail(i).reduced(features)
            weight = cast(nn.Linear, self.head if i < 0 else self._tail(i).expand).weight
            for lo in range(0, b - a, width):
                scores = torch.sigmoid(F.linear(reduced, weight[lo : lo + width]))
                scores = scores if i < 0 else scores * units[:, i : i + 1]
                again = self.options.evaluation == "double_sigmoid"
                yield a + lo, torch.sigmoid(scores) if again else scores


class _Tail(nn.Module):
    """d components -> fewer -> the scores of a tail's labels."""

    def __init__(self, features: int, inner: int, labels: int, *, norm: bool) -> None:
        super().__init__()
        self.reduce = nn.Linear(features, inner, bias=False)
        self.norm = nn.LayerNorm(inner) if norm else None
        self.expand = nn.Linear(inner, labels, bias=False)

    def reduced(self, features: Tensor) -> Tensor:
        """(n, d) -> (n, d / q^i)"""
        z: Tensor = self.reduce(features)
        return z if self.norm is None else F.relu(self.norm(z))


def block_loss(
    x: Tensor,
    weight: Tensor,
    share: Tensor,
    rows: Tensor,
    cols: Tensor,
    root: Tensor | None,
    products: Products,
) -> Tensor:
    """Sum over n documents and a block of c labels of share times binary cross-entropy: a scalar. x (n, d);
    weight (c, d); share (n,) what a document counts; rows and cols: the positives; root (n, 1): the unit of
    the cluster before its sigmoid, whose probability multiplies each label's; None: the labels' alone."""
    scores = F.linear(x, weight)  # (n, c)
    target = torch.zeros_like(scores)
    target[rows, cols] = 1
    if root is None:
        losses = F.binary_cross_entropy_with_logits(scores, target, reduction="none")
    elif products == "probabilities":
        losses = F.binary_cross_entropy(scores.sigmoid() * root.sigmoid(), target, reduction="none")
    else:
        present = F.softplus(-root) + F.softplus(-scores)  # - log p
        # 1 - p is 1 - sigmoid(root), or sigmoid(root) times 1 - sigmoid(score)
        absent = -torch.logaddexp(-F.softplus(root), -F.softplus(-root) - F.softplus(scores))
        losses = torch.where(target > 0, present, absent)
    return losses.sum(1) @ share
