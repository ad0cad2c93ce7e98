"""The k best labels of score tensors, with ties decided by label id, on any device.

`torch.topk` leaves open which of several equal scores it returns, and CPU and GPU choose differently; equal
scores are common (a sigmoid that saturates, half precision). The rule here is: score falling, then lower
label id.
"""

from __future__ import annotations

import torch
from torch import Tensor

from reimpl.errors import ConfigError, DataError

#: Scores looked at in one go in rows with many ties.
_BLOCK = 1 << 22

#: Labels fetched beyond the k best: a tie at the edge that ends among them is settled without another look.
_SPARE = 4


def top_k(scores: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k best labels of each document and their scores: score falling, ties by lower label id.

    scores (B, L) -> values (B, k) and ids (B, k) int64, on the device of `scores`. A score of -inf means
    "never predict": such places have id -1. Raises `ConfigError` for k outside 1..L and `DataError` for NaN.
    Costs about one `torch.topk`; only rows where more than four labels tie at the edge are read again.
    """
    if scores.dim() != 2:
        raise ConfigError(f"top-k of scores of shape {tuple(scores.shape)}: give documents x labels")
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= scores.shape[1]:
        raise ConfigError(
            f"top-k with k={k!r} of {scores.shape[1]} labels: k must be a whole number from 1 to that"
        )
    scores = scores.detach()
    fetched = min(k + _SPARE, scores.shape[1])
    values, ids = torch.topk(scores, fetched, dim=1)
    has_nan = values[:, 0].isnan()  # torch.topk ranks NaN above everything, so it would come first
    open_tie = values[:, k - 1] == values[:, -1] if fetched < scores.shape[1] else has_nan
    any_nan, any_open = torch.stack((has_nan.any(), open_tie.any())).tolist()  # the one wait for the device
    if any_nan:
        row = int(has_nan.nonzero()[0, 0])
        raise DataError(f"scores of document {row} hold NaN, which has no rank: look for a diverged run")
    ids = ids.sort(dim=1).values
    values = scores.gather(1, ids) + 0  # -0.0 becomes 0.0: some devices sort it below
    order = values.sort(dim=1, descending=True, stable=True).indices[:, :k]
    values, ids = values.gather(1, order), ids.gather(1, order)
    if any_open:
        _give_to_lowest(scores, values, ids, open_tie)
    return values, ids.masked_fill(values == -torch.inf, -1)


def _give_to_lowest(scores: Tensor, values: Tensor, ids: Tensor, open_tie: Tensor) -> None:
    """In `ids`, give the places of the k-th score to the lowest of all labels that have it."""
    k = ids.shape[1]
    for rows in torch.split(open_tie.nonzero()[:, 0], max(1, _BLOCK // scores.shape[1])):
        kth = values[rows, -1:]
        above = (values[rows] > kth).sum(dim=1, keepdim=True)  # these keep the places in front
        equal = scores[rows] == kth
        lowest = equal & (equal.cumsum(dim=1, dtype=torch.int32) <= k - above)
        row, label = lowest.nonzero(as_tuple=True)  # k - above of each row, rising
        place = above[row, 0] + torch.arange(len(row), device=row.device) - torch.searchsorted(row, row)
        ids[rows[row], place] = label
