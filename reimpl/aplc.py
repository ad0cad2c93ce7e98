"""APLC (Ye et al. 2020): an output layer of label clusters on any encoder of this toolkit. Section 6 of the
paper puts it on any model, as here (`reimpl.on_top`); its code (huiyegit/APLC_XLNet bf6f91d,
code/Adapative_label_clusters.py) on XLNet (`aplc_xlnet`). B documents, T token positions, H components of a
document's vector, L labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack, cast

import torch
from torch import Tensor, nn

from reimpl import training
from reimpl.batching import width_of_split
from reimpl.data.dataset import Dataset
from reimpl.label_clusters import ClusterOptions, LabelClusters, by_frequency
from reimpl.layers import without_autocast
from reimpl.on_top import OnTop, Upon, base_config, base_module, encoder
from reimpl.on_top import reduce as reduce
from reimpl.on_top import resolve as resolve
from reimpl.protocol import Protocol
from reimpl.training import How, Result


@dataclass(frozen=True)
class Config(ClusterOptions, OnTop):
    """The clusters, and the model whose output layer they replace."""


#: Named members: of the clusters only, on whichever base a claim file names.
VARIANTS: Mapping[str, Config] = {
    # The public code.
    "code": Config(),
    # Section 3.3 and Eq. (2) to (6): two linear layers per tail, one divisor per batch, and no term
    # for clusters without a positive label. Only the code cuts off the logarithm.
    "paper": Config(tail="linear", normalise="batch", absent_roots=False, products="logarithms"),
}

#: Clusters are choices, and have no smaller size; the base has its own.
SMALL: Mapping[str, Any] = {}


class Clustered(Upon):
    """An encoder that gives vectors (B, H), with clusters as its output layer."""

    def __init__(self, encoder: nn.Module, clusters: LabelClusters) -> None:
        super().__init__()
        self.base, self.clusters = encoder, clusters

    def features(self, token_ids: Tensor) -> Tensor:
        """Token ids (B, T) -> vectors (B, H), in float32 whatever the arithmetic of the encoder."""
        z = cast(Tensor, self.base(token_ids))
        return z if z.dtype == torch.float64 else z.float()

    def batch_loss(self, token_ids: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
        features = self.features(token_ids)
        with without_autocast(features):
            return self.clusters.loss(features, rows, cols)

    def batch_weight(self, size: int, rows: Tensor, cols: Tensor) -> Tensor:
        return self.clusters.weight(size, rows, cols)

    def batch_best(self, token_ids: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """Token ids (B, T) -> what the k best labels are ranked by, and their ids, (B, k) each."""
        features = self.features(token_ids)
        with without_autocast(features):
            return self.clusters.best(features, k)

    def forward(self, token_ids: Tensor) -> Tensor:
        """Token ids (B, T) -> probabilities (B, L); the training never asks for all of them."""
        features = self.features(token_ids)
        with without_autocast(features):
            return self.clusters.probabilities(features)

    def parts(self) -> dict[str, nn.Module]:
        return {"encoder": self.base, "clusters": self.clusters}


def train(config: Config, data: Dataset, protocol: Protocol, **how: Unpack[How]) -> Result:
    """Trains encoder and clusters together; `top_scores` are what labels are ranked by."""

    def network(vectors: Tensor) -> Clustered:
        body, features = encoder(
            base_module(config),
            base_config(config),
            vectors=vectors,
            length=width_of_split(data.train, protocol) or protocol.length,
            padding_id=data.padding_id,
            freeze_padding=not data.padding_trainable,
        )
        order = by_frequency(data.train, data.n_labels)
        return Clustered(body, LabelClusters(config, features=features, order=order))

    result = training.train(network, data, protocol, **how)
    sizes = ", ".join(f"{size:,}" for size in config.sizes(data.n_labels))
    return result.noted(f"label clusters of {sizes} labels")
