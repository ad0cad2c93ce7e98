"""Losses over sparse labels: the cost of the targets grows with the positives, not with B x L.

Targets come as two index tensors, `rows` (document within the batch) and `cols` (label), one entry a positive
label and no pair twice. Shapes: B documents, L labels, logits (B, L).

Which reduction a paper or its code uses decides the step size of the gradient, so each is named:

bce_mean
    BCE over documents and labels, divided by B L. Public codes of Liu et al. 2017 (cnn_model.py:103) and of
    Chen et al. 2022.
bce_sum_over_labels
    BCE summed over labels, divided by B. Liu et al. 2017, text; Chen et al. 2022, Eq. (4).
softmax_ce
    Minus the sum of log p over the positives, divided by B. Chen et al. 2022, Eq. (3), and its code, which
    calls it extended cross-entropy.
softmax_ce_normalised
    The same with each document's sum divided by its number of positives. Liu et al. 2017, text (CNN-Kim).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, cast

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor

from reimpl.errors import ConfigError

Loss = Callable[[Tensor, Tensor, Tensor], Tensor]


class _BinaryCrossEntropySum(torch.autograd.Function):
    """Sum over all B x L of BCE with logits; the gradient sigmoid(s) - y is formed in one pass."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
        ctx.save_for_backward(logits, rows, cols)
        # -[y log sigma(s) + (1 - y) log(1 - sigma(s))] = softplus(s) - y s
        return F.softplus(logits).sum() - logits[rows, cols].sum()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        logits, rows, cols = ctx.saved_tensors
        slope = torch.sigmoid(logits)
        slope[rows, cols] -= 1  # no pair comes twice, so plain indexing is exact
        return slope.mul_(grad), None, None


def bce_sum_over_labels(logits: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
    """Eq. (4): binary cross-entropy summed over the labels, mean over the documents."""
    total = cast(Tensor, _BinaryCrossEntropySum.apply(logits, rows, cols))  # type: ignore[no-untyped-call]
    return total / logits.shape[0]


def bce_mean(logits: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
    """Binary cross-entropy averaged over documents and labels: Eq. (4) divided by L."""
    return bce_sum_over_labels(logits, rows, cols) / logits.shape[1]


def softmax_ce(logits: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
    """Eq. (3): minus the sum of the positives' log-softmax, divided by the number of documents only."""
    return -F.log_softmax(logits, dim=1)[rows, cols].sum() / logits.shape[0]


def softmax_ce_normalised(logits: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
    """Eq. (3) with targets y / |y|, so that a document weighs the same however many labels it has.

    A document without labels adds 0 and still counts in the mean.
    """
    positives = torch.bincount(rows, minlength=logits.shape[0]).to(logits.dtype)
    return -(F.log_softmax(logits, dim=1)[rows, cols] / positives[rows]).sum() / logits.shape[0]


LOSSES: dict[str, Loss] = {
    "bce_mean": bce_mean,
    "bce_sum_over_labels": bce_sum_over_labels,
    "softmax_ce": softmax_ce,
    "softmax_ce_normalised": softmax_ce_normalised,
}


def loss(name: str) -> Loss:
    """The loss of that name. Raises `ConfigError` naming the known ones."""
    if name not in LOSSES:
        raise ConfigError(f"loss {name!r} is not known; known are {', '.join(LOSSES)}")
    return LOSSES[name]


# ----------------------------------------------------------------------- the margin ranking loss of Rank-AE
# Wang et al. (2019), Rank-AE, NAACL, Eq. (2)-(4), in time and memory linear in the number of labels;
# starry91/Extreme-Classification 7e54d2f (a third party's; there is no official code), losses.py.
#
# Shapes: B documents, L labels, scores y' (B, L); P and N are a document's positive and negative labels.
#
#     LP = sum over n in N of max(0, m + y'_n - min over P of y'_p)
#     LN = sum over p in P of max(0, m + max over N of y'_n - y'_p)
#
# The paper leaves open whether the sums are sums or means over the labels, and what a document without
# positives or without negatives adds: here 0. The third-party code sums, and ends with an error where no
# label is negative.

Over = Literal["sum", "mean"]


class RankingLoss(NamedTuple):
    """Both parts of each document."""

    positive: Tensor  # LP (B,): the negatives against the lowest positive
    negative: Tensor  # LN (B,): the positives against the highest negative


def ranking_loss(
    scores: Tensor, rows: Tensor, cols: Tensor, *, margin: float, over: Over = "sum"
) -> RankingLoss:
    """LP and LN of each document, (B,) each.

    The positives are `rows` and `cols` (positives,), no pair twice. `over`: sums over N and over P, or means.
    Where several labels share the lowest positive or the highest negative score, the gradient is shared
    equally among them; a term of exactly 0 has slope 1, as the public code's clamp has.
    """
    parts = _Ranking.apply(scores, rows, cols, margin, over == "mean")  # type: ignore[no-untyped-call]
    return RankingLoss(*cast(tuple[Tensor, Tensor], parts))


class _Ranking(torch.autograd.Function):
    """Keeps the scores and, in the array that the terms were in, which negatives are the highest.

    Comparisons are written as numbers: a pass over B x L booleans takes several times as long.
    """

    @staticmethod
    def forward(
        ctx: Any, scores: Tensor, rows: Tensor, cols: Tensor, margin: float, mean: bool
    ) -> tuple[Tensor, Tensor]:
        mine = scores[rows, cols]
        lowest = torch.full_like(scores[:, 0], torch.inf).scatter_reduce_(0, rows, mine, "amin")
        terms = scores.clone()
        terms[rows, cols] = -torch.inf
        highest = terms.amax(1)
        LP = terms.add_((margin - lowest)[:, None]).clamp_(min=0).sum(1)
        LN = torch.zeros_like(lowest).index_add_(0, rows, ((margin + highest)[rows] - mine).clamp(min=0))
        positives = torch.bincount(rows, minlength=len(scores))
        two_sided = (positives > 0) & (positives < scores.shape[1])
        at_highest = torch.eq(scores, highest[:, None], out=terms)
        at_highest[rows, cols] = 0
        ctx.save_for_backward(scores, rows, cols, lowest, highest, two_sided, at_highest)
        ctx.margin, ctx.mean = margin, mean
        divisors, none = _divisors(scores, rows, mean), torch.zeros_like(LP)
        return torch.where(two_sided, LP / divisors[0], none), torch.where(two_sided, LN / divisors[1], none)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None, None, None]:
        scores, rows, cols, lowest, highest, two_sided, at_highest = ctx.saved_tensors
        to_LP, to_LN = (
            torch.where(two_sided, grad, torch.zeros_like(grad)) / divisor
            for grad, divisor in zip(grads, _divisors(scores, rows, ctx.mean), strict=True)
        )
        mine = scores[rows, cols]
        # LP: 1 for each negative whose term is open, and minus their number for the lowest positives
        slope = torch.empty_like(scores)
        torch.ge(scores, (lowest - ctx.margin)[:, None], out=slope)
        slope[rows, cols] = 0
        open_negatives = slope.sum(1)
        slope *= to_LP[:, None]
        at_lowest = (mine == lowest[rows]).to(scores.dtype)
        sharing = torch.zeros_like(lowest).index_add_(0, rows, at_lowest).clamp(min=1)
        of_positives = -at_lowest * (to_LP * open_negatives / sharing)[rows]
        # LN: minus 1 for each positive whose term is open, and their number for the highest negatives
        opened = ((ctx.margin + highest)[rows] - mine >= 0).to(scores.dtype)
        of_positives -= opened * to_LN[rows]
        open_positives = torch.zeros_like(lowest).index_add_(0, rows, opened)
        shares = to_LN * open_positives / at_highest.sum(1).clamp(min=1)
        slope.addcmul_(at_highest, shares[:, None])
        slope[rows, cols] = of_positives
        return slope, None, None, None, None


def _divisors(scores: Tensor, rows: Tensor, mean: bool) -> tuple[Tensor, Tensor]:
    """(B,) numbers of negatives and of positives, at least 1; or ones."""
    if not mean:
        ones = torch.ones_like(scores[:, 0])
        return ones, ones
    positives = torch.bincount(rows, minlength=len(scores)).to(scores.dtype)
    return (scores.shape[1] - positives).clamp(min=1), positives.clamp(min=1)
