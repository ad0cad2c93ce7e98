"""Binary cross-entropy of the labels of one cluster, block by block, with the gradients made on the way.

Neither the scores of a cluster nor anything of their size is kept for the backward pass: the derivative of a
sum of losses is known as soon as a block of scores is, and is turned into gradients of the weights and of
the documents' vectors at once. Beside the gradients, memory is that of one block.

Shapes: n documents, d components, l labels of the cluster, c labels of a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, cast

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor

Products: TypeAlias = Literal["probabilities", "logarithms"]
Block: TypeAlias = tuple[int, int, Tensor, Tensor]
"""Labels from and to, and of the positives among them the document and the label counted from there."""

#: torch's BCELoss lets no logarithm fall below this,
_LOWEST = -100.0
#: and divides its gradient by no less.
_LEAST = 1e-12


def cluster_loss(
    x: Tensor,
    weight: Tensor,
    share: Tensor,
    blocks: Sequence[Block],
    *,
    root: Tensor | None = None,
    products: Products = "probabilities",
) -> Tensor:
    """Sum over documents and labels of share times binary cross-entropy: a scalar.

    x (n, d) vectors; weight (l, d); share (n,) what a document counts; root (n,): the unit of the cluster
    before its sigmoid, times which, as a probability, that of each label is taken; None: the labels' alone.
    Gradients are of x, weight and root, once.
    """
    learns = torch.is_grad_enabled()  # inside it never is
    return cast(Tensor, _ClusterLoss.apply(x, weight, root, share, blocks, products, learns))  # type: ignore[no-untyped-call]


class _ClusterLoss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        root: Tensor | None,
        share: Tensor,
        blocks: Sequence[Block],
        products: Products,
        learns: bool,
    ) -> Tensor:
        total = x.new_zeros(())
        of_x, of_root = torch.zeros_like(x), None if root is None else torch.zeros_like(root)
        of_weight = torch.empty_like(weight) if learns else None
        for lo, hi, rows, cols in blocks:
            scores = x @ weight[lo:hi].t()  # (n, c)
            sums, slope, of_unit = _terms(scores, root, rows, cols, products)
            total += sums @ share
            if of_weight is None:
                continue
            slope *= share[:, None]
            of_x.addmm_(slope, weight[lo:hi])
            torch.mm(slope.t(), x, out=of_weight[lo:hi])
            if of_root is not None and of_unit is not None:
                of_root += of_unit * share
        ctx.gradients = (of_x, of_weight, of_root)
        return total

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        # In place, because a second copy of the weights would be what memory is spared for.
        found = tuple(None if it is None else it.mul_(grad) for it in ctx.gradients)
        del ctx.gradients
        return (*found, None, None, None, None)


def _terms(
    scores: Tensor, root: Tensor | None, rows: Tensor, cols: Tensor, products: Products
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Of a block of scores (n, c): sums over its labels (n,), derivatives (n, c), and those of root (n,)."""
    if root is None:
        return _of_logits(scores, rows, cols)
    product = _of_probabilities if products == "probabilities" else _of_logarithms
    return product(scores, root[:, None], rows, cols)


def _of_logits(scores: Tensor, rows: Tensor, cols: Tensor) -> tuple[Tensor, Tensor, None]:
    sums = F.softplus(scores).sum(1)
    sums.index_add_(0, rows, -scores[rows, cols])
    slope = scores.sigmoid_()
    slope[rows, cols] -= 1  # no pair comes twice, so plain indexing is exact
    return sums, slope, None


def _of_probabilities(
    scores: Tensor, root: Tensor, rows: Tensor, cols: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """As torch's BCELoss of the product of two sigmoids."""
    own, unit = torch.sigmoid(scores), torch.sigmoid(root)
    p = own * unit
    losses = torch.log1p(-p).clamp_(min=_LOWEST).neg_()
    positive = p[rows, cols]
    losses[rows, cols] = -torch.log(positive).clamp(min=_LOWEST)
    slope = p / (p * (1 - p)).clamp_(min=_LEAST)
    slope[rows, cols] = (positive - 1) / (positive * (1 - positive)).clamp(min=_LEAST)
    slope *= own
    of_unit = (slope.sum(1, keepdim=True) * unit * (1 - unit))[:, 0]
    return losses.sum(1), slope.mul_(1 - own).mul_(unit), of_unit


def _of_logarithms(scores: Tensor, root: Tensor, rows: Tensor, cols: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The same in logarithms: with a = e^-root and b = e^-score, p / (1 - p) = 1 / (a + b + a b)."""
    present = F.softplus(-root) + F.softplus(-scores)  # - log p
    odds = torch.logaddexp(-root, F.softplus(-root) - scores).neg_()  # log p / (1 - p)
    losses = present + odds
    losses[rows, cols] = present[rows, cols]
    slope = (odds - F.softplus(scores)).exp_()
    of_units = odds.sub_(F.softplus(root)).exp_()
    slope[rows, cols] = torch.sigmoid(scores[rows, cols]) - 1
    of_units[rows, cols] = (torch.sigmoid(root) - 1)[rows, 0]
    return losses.sum(1), slope, of_units.sum(1)
