"""Losses over sparse labels: the cost of the targets grows with the positives, not with B x L. Targets are
`rows` (document within the batch) and `cols` (label), one entry a positive, no pair twice. Which reduction a
paper or its code uses decides the step size, so each is named. B documents, L labels, logits (B, L)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor

from reimpl.errors import ConfigError, known_names

Loss = Callable[[Tensor, Tensor, Tensor], Tensor]


def how_often(numbers: Tensor, n: int) -> Tensor:
    """int64 (n,): how often each number from 0 to n - 1 occurs. For `bincount` the host waits on a GPU."""
    zeros = torch.zeros(n, dtype=torch.int64, device=numbers.device)
    return zeros.scatter_add_(0, numbers, torch.ones_like(numbers))


def bce_sum_over_labels(logits: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
    """BCE summed over labels, divided by B: Liu et al. 2017, text; Chen et al. 2022, Eq. (4)."""
    # -[y log sigma(s) + (1 - y) log(1 - sigma(s))] = softplus(s) - y s
    return (F.softplus(logits).sum() - logits[rows, cols].sum()) / logits.shape[0]


def bce_mean(logits: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
    """BCE divided by B L: public codes of Liu et al. 2017 (cnn_model.py:103) and of Chen et al. 2022."""
    return bce_sum_over_labels(logits, rows, cols) / logits.shape[1]


def softmax_ce(logits: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
    """Minus the sum of log p over the positives, divided by B: Chen et al. 2022, Eq. (3), and its code."""
    return -F.log_softmax(logits, dim=1)[rows, cols].sum() / logits.shape[0]


def softmax_ce_normalised(logits: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
    """Each document's sum divided by its number of positives: Liu et al. 2017, text (CNN-Kim)."""
    positives = how_often(rows, logits.shape[0]).to(logits.dtype)
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
        raise ConfigError(f"loss {name!r} is not known; {known_names(name, LOSSES)}")
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
    """LP and LN of each document, (B,) each; `over`: sums over N and over P, or means. Labels that share the
    lowest positive or highest negative score share its gradient; a term of 0 has slope 1, as in the public
    code."""
    B, L = scores.shape
    mine = scores[rows, cols]
    positives = how_often(rows, B)
    lowest = torch.full_like(scores[:, 0], torch.inf).scatter_reduce(0, rows, mine, "amin")
    negatives = scores.index_put((rows, cols), scores.new_full((), -torch.inf))
    LP = (negatives + (margin - lowest)[:, None]).clamp(min=0).sum(1)
    opened = ((margin + negatives.amax(1))[rows] - mine).clamp(min=0)
    LN = torch.zeros_like(LP).index_add(0, rows, opened)
    if over == "mean":
        LP, LN = LP / (L - positives).clamp(min=1), LN / positives.clamp(min=1)
    two_sided = (positives > 0) & (positives < L)
    return RankingLoss(LP.where(two_sided, 0), LN.where(two_sided, 0))


# ------------------------------------------------------------------------------------- the loss of C2AE
# Yeh et al. (2017), AAAI: 1 / (|P| |N|) times the sum over p in P and n in N of exp(-c (y'_p - y'_n)), in
# time linear in the labels, since the sum over pairs is a product of two sums. c is 1 in the paper and 5 in
# the authors' program, chihkuanyeh/C2AE.


def exponential_loss(
    scores: Tensor, rows: Tensor, cols: Tensor, *, scale: float, pairs: Literal["each", "means"] = "each"
) -> Tensor:
    """That of each document, (B,); 0 where P or N is empty. means: a third party's, |N| / |P| times the exp
    of the difference of the two means (dhruvramani/C2AE-Multilabel-Classification)."""
    B, L = scores.shape
    scaled = scale * scores
    positives = how_often(rows, B)
    negatives = L - positives
    two_sided = (positives > 0) & (negatives > 0)
    P, N = (it.clamp(min=1).to(scores.dtype) for it in (positives, negatives))
    mine = scaled[rows, cols]
    if pairs == "means":
        of_positives = torch.zeros_like(scaled[:, 0]).index_add(0, rows, mine)
        apart = (scaled.sum(1) - of_positives) / N - of_positives / P
        return (apart.exp() * N / P).where(two_sided, 0)
    # the logarithm of the product, from the lowest positive and the highest negative: no factor overflows
    others = scaled.index_put((rows, cols), scaled.new_full((), -torch.inf))
    lowest = torch.full_like(scaled[:, 0], torch.inf).scatter_reduce(0, rows, mine.detach(), "amin")
    lowest = lowest.where(two_sided, 0)
    apart = ((lowest[rows] - mine) * two_sided[rows]).exp()
    falls = torch.zeros_like(lowest).index_add(0, rows, apart).where(two_sided, 1)
    rises = others.where(two_sided[:, None], 0).logsumexp(1)
    return (falls.log() - lowest + rises - (P * N).log()).exp().where(two_sided, 0)
