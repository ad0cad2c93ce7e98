"""The k best labels of score tensors, with ties decided by label id, on any device.

`torch.topk` leaves open which of several equal scores it returns, and CPU and GPU choose differently; equal
scores are common (a sigmoid that saturates, half precision). The rule here and in `reimpl.label_lists.top_k`
is: score falling, then lower label id.
"""

from __future__ import annotations

import torch
from torch import Tensor

from reimpl.errors import DataError
from reimpl.label_lists import check_top_k, nan_message

#: Scores of tied rows looked at in one go.
_BLOCK = 1 << 22


def top_k(scores: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k best labels of each document and their scores: score falling, ties by lower label id.

    scores (B, L) -> values (B, k) and ids (B, k) int64, on the device of `scores`. A score of -inf means
    "never predict": such places have id -1. Raises `ConfigError` for k outside 1..L and `DataError` for NaN.
    Costs one `torch.topk` of k + 1; only rows whose k-th and next score are equal are read again.
    """
    check_top_k(tuple(scores.shape), k)
    scores = scores.detach()
    values, ids = torch.topk(scores, min(k + 1, scores.shape[1]), dim=1)
    has_nan = values[:, 0].isnan()  # torch.topk ranks NaN above everything, so it would come first
    tied = values[:, k - 1] == values[:, -1] if scores.shape[1] > k else torch.zeros_like(has_nan)
    any_nan, any_tied = torch.stack((has_nan.any(), tied.any())).tolist()  # the one wait for the device
    if any_nan:
        raise DataError(nan_message(int(has_nan.nonzero()[0, 0])))
    values, ids = values[:, :k], ids[:, :k]
    if any_tied:
        ids = _lowest_of_tied(scores, values, ids, tied)
    return _in_order(scores, ids)


def _lowest_of_tied(scores: Tensor, values: Tensor, ids: Tensor, tied: Tensor) -> Tensor:
    """`ids`, with the places of the k-th score given to the lowest of all labels that have it."""
    k = ids.shape[1]
    ids = ids.clone()
    for rows in torch.split(tied.nonzero()[:, 0], max(1, _BLOCK // scores.shape[1])):
        kth = values[rows, -1:]
        row, label = (scores[rows] == kth).nonzero(as_tuple=True)  # labels rise within a row
        first = torch.searchsorted(row, row)  # where the row begins
        # The labels above the k-th score come first in `values`; these take the places after them.
        above = (values[rows] > kth).sum(dim=1)
        place = above[row] + torch.arange(len(row), device=row.device) - first
        fits = place < k
        ids[rows[row[fits]], place[fits]] = label[fits]
    return ids


def _in_order(scores: Tensor, ids: Tensor) -> tuple[Tensor, Tensor]:
    ids = ids.sort(dim=1).values
    values = scores.gather(1, ids) + 0  # -0.0 becomes 0.0: some devices sort it below
    order = values.sort(dim=1, descending=True, stable=True).indices
    values, ids = values.gather(1, order), ids.gather(1, order)
    return values, ids.masked_fill(values == -torch.inf, -1)
