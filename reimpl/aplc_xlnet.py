"""APLC-XLNet: a pretrained XLNet, one hidden layer, and label clusters.

Paper
    Ye, Chen, Wang, Davison (2020), Pretrained Generalized Autoregressive Model with Adaptive Probabilistic
    Label Clusters for Extreme Multi-label Text Classification, ICML.
    XLNet: Yang, Dai, Yang, Carbonell, Salakhutdinov, Le (2019), NeurIPS.
Public code
    huiyegit/APLC_XLNet bf6f91d, code/{Adapative_label_clusters,pytorch_transformers/modeling_xlnet,
    pytorch_transformers/modeling_utils}.py. The encoder here is that of `transformers` (extra `xlnet`), which
    grew out of it.

Shapes: B documents, T places, X components of XLNet's states, d of the hidden layer, L labels.

A text ends in a separator and [CLS], and is padded on the left, so that the last state, [CLS]'s, stands for
the document (section 3.1). The hidden layer takes the place of XLNet's own summary layer.

Nothing is downloaded: without pretrained weights on the machine (`reimpl.word_pieces`) an experiment is
reported as not run. One that says so in its configuration (`stand_in`) has an encoder trained from scratch in
XLNet's place where the protocol is reduced: such a claim is about the clusters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Unpack, cast

import torch
from torch import Tensor, nn

from reimpl import aplc, training, word_pieces
from reimpl.aplc import Clustered
from reimpl.data.dataset import Dataset
from reimpl.errors import ConfigError
from reimpl.label_clusters import ClusterOptions, LabelClusters, by_frequency
from reimpl.layers import dropout
from reimpl.models import find_config
from reimpl.protocol import Protocol
from reimpl.training import How, Result

#: Segments of a text and of [CLS]; padding has another, which nothing looks at.
_TEXT, _CLS, _PADDING = 0, 2, 4
#: Of first weights, as XLNet's.
_DEVIATION = 0.02


@dataclass(frozen=True)
class Config(ClusterOptions):
    """The clusters, and what is before them. Defaults: the public code on EURLex-4k."""

    weights: str = "xlnet/xlnet-base-cased"
    """A folder with the weights, or their name (`reimpl.word_pieces.find_weights`)."""
    encoder: Literal["xlnet", "bilstm"] = "xlnet"
    """bilstm: the one of `attention_xml` under its maximum, from scratch; not the paper's system."""
    stand_in: Literal["none", "bilstm"] = "none"
    """What a reduced protocol puts in XLNet's place."""
    hidden: int = 768
    """d; 512 on Amazon-670k."""
    activation: Literal["tanh", "none"] = "tanh"
    """Of the hidden layer (modeling_utils.py:709-787). The paper names none."""
    dropout: float = 0.1
    """On the hidden layer (code only). XLNet's own are in its configuration."""


#: Named members; sizes are those of EURLex-4k (Tables 2 and 3).
VARIANTS: Mapping[str, Config] = {
    "code": Config(),
    # What Ye et al. 2020 wrote: see `aplc`; of the hidden layer, that it is fully connected.
    "paper": Config(
        tail="linear",
        normalise="batch",
        absent_roots=False,
        products="logarithms",
        activation="none",
        dropout=0.0,
    ),
}

#: A pretrained network has its size, and clusters are choices.
SMALL: Mapping[str, Any] = {}
#: Units of the stand-in, each way, and the width of its document vectors: six clusters still have four.
_STAND_IN: Mapping[str, Any] = {"hidden": 64, "fully_connected": [128]}


def reduce(config: Config, sizes: Mapping[str, Any]) -> Config:
    """With the stand-in in XLNet's place, if there is to be one."""
    if config.stand_in == "none":
        return config
    width = min(config.hidden, _STAND_IN["fully_connected"][-1])
    return replace(config, encoder="bilstm", hidden=width)


def missing(config: Config) -> str | None:
    """What this machine lacks for the encoder."""
    return None if config.encoder == "bilstm" else word_pieces.missing(config.weights)


class Summary(nn.Module):
    """The last state of a text through the hidden layer."""

    def __init__(self, states: int, hidden: int, *, activation: str = "tanh", dropout: float = 0.1) -> None:
        super().__init__()
        self.layer = nn.Linear(states, hidden)
        self.activation, self.dropout = activation, dropout
        nn.init.normal_(self.layer.weight, std=_DEVIATION)
        nn.init.zeros_(self.layer.bias)

    def forward(self, states: Tensor) -> Tensor:
        """(B, T, X) -> (B, d)"""
        z = self.layer(states[:, -1])
        z = torch.tanh(z) if self.activation == "tanh" else z
        return dropout(z, self.dropout, self.training)


class XLNetEncoder(nn.Module):
    """Padded on the right, as the training gives texts, to vectors (B, d)."""

    #: The separator and [CLS].
    minimum_width = 2

    def __init__(self, xlnet: nn.Module, summary: Summary, *, padding_id: int) -> None:
        super().__init__()
        self.xlnet, self.summary, self.padding_id = xlnet, summary, padding_id

    def forward(self, token_ids: Tensor) -> Tensor:
        """Piece ids (B, T) -> vectors (B, d)."""
        ids = self.padded_on_the_left(token_ids)
        there = ids != self.padding_id
        segments = torch.where(there, _TEXT, _PADDING)
        segments[:, -1] = _CLS
        states = self.xlnet(ids, attention_mask=there.float(), token_type_ids=segments, use_mems=False)[0]
        return cast(Tensor, self.summary(states))

    def padded_on_the_left(self, token_ids: Tensor) -> Tensor:
        """(B, T) -> (B, T): the same rows, turned so that each ends where its text ends."""
        T = token_ids.shape[1]
        padding = (token_ids == self.padding_id).sum(1, keepdim=True)
        place = torch.arange(T, device=token_ids.device)
        return token_ids.long().gather(1, (place - padding) % T)


class APLCXLNet(Clustered):
    """Encoder, hidden layer and clusters, with learning rates of their own."""

    base: XLNetEncoder

    def parts(self) -> dict[str, nn.Module]:
        """Table 3's three: XLNet, hidden layer, APLC."""
        return {"encoder": self.base.xlnet, "hidden": self.base.summary, "clusters": self.clusters}


def chooses_epoch(config: Config, labels: int) -> bool:
    """Whether the protocol's metric chooses the epoch: it is trained by `reimpl.training`."""
    return True


def train(config: Config, data: Dataset, protocol: Protocol, **how: Unpack[How]) -> Result:
    """Fine-tunes XLNet with the layers above it.

    Raises `ConfigError` where weights or packages are missing, and what `reimpl.training.train` raises.
    """
    if config.encoder == "bilstm":
        return _stand_in(config, data, protocol, **how)
    lack, folder = missing(config), word_pieces.find_weights(config.weights)
    if lack is not None or folder is None:
        raise ConfigError(f"APLC-XLNet {lack}")
    pieces = word_pieces.pieces_of(data, folder, protocol.length)

    def network(vectors: Tensor) -> APLCXLNet:
        """Word vectors are the weights' own."""
        from transformers import XLNetModel

        xlnet = XLNetModel.from_pretrained(str(folder), local_files_only=True, dtype=torch.float32)
        states: int = xlnet.config.d_model
        summary = Summary(states, config.hidden, activation=config.activation, dropout=config.dropout)
        order = by_frequency(data.train, data.n_labels)
        clusters = LabelClusters(config, features=config.hidden, order=order)
        return APLCXLNet(XLNetEncoder(xlnet, summary, padding_id=pieces.padding_id), clusters)

    result = training.train(network, pieces, protocol, **how)
    sizes = ", ".join(f"{size:,}" for size in config.sizes(data.n_labels))
    weights = f"weights {config.weights}, sha256 {word_pieces.digest_of(folder)}"
    return result.noted(f"label clusters of {sizes} labels", weights)


def _stand_in(config: Config, data: Dataset, protocol: Protocol, **how: Unpack[How]) -> Result:
    """The clusters on a BiLSTM from scratch, all at the rate of the clusters."""
    own = {it.name: getattr(config, it.name) for it in fields(ClusterOptions)}
    base = {**_STAND_IN, "fully_connected": [config.hidden]}
    keys = {**own, "base": "attention_xml", "base_variant": "bilstm", "base_config": base}
    clusters = find_config(aplc, None, keys)
    rate = (protocol.part_rates or {}).get("clusters", protocol.learning_rate)
    protocol = replace(protocol, part_rates=None, learning_rate=rate)
    result = aplc.train(clusters, data, protocol, **how)
    return result.noted(f"a BiLSTM from scratch stands in XLNet's place; one learning rate, {rate:g}")
