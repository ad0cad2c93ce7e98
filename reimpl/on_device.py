"""The documents of a split on the device: batches are cut out there, without a step back to the host."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from reimpl.data.dataset import Split


class OnDevice(Protocol):
    """A split from which batches are cut."""

    def batch(self, documents: Tensor, width: int) -> Any:
        """(B,) document numbers -> what the network takes of them."""


class DeviceSplit:
    """Token ids of a split on the device, flat; batches are cut out of them there.

    On a CPU these are the split's own, read from disk as they are needed where they lie there.
    """

    def __init__(self, split: Split, padding_id: int, device: torch.device) -> None:
        # Without a token there would be nothing to read from beyond the end of an empty document.
        tokens = split.tokens if len(split.tokens) else np.full(1, padding_id)
        # torch wants what may be written to, and writes nothing
        self.tokens = torch.from_numpy(np.require(tokens, np.int32, ["C", "W"])).to(device)
        self.starts = torch.from_numpy(split.offsets[:-1].astype(np.int64)).to(device)
        self.ends = torch.from_numpy(split.offsets[1:].astype(np.int64)).to(device)
        self.padding = padding_id

    def batch(self, documents: Tensor, width: int) -> Tensor:
        """(B,) document numbers -> (B, width) token ids, cut and padded on the right."""
        place = torch.arange(width, device=documents.device)
        source = self.starts.index_select(0, documents)[:, None] + place
        beyond = source >= self.ends.index_select(0, documents)[:, None]
        return self.tokens.take(source.masked_fill_(beyond, 0)).masked_fill_(beyond, self.padding)
