"""BertXML (Xun et al. 2020): a small Transformer trained from scratch, several [CLS] before each document.
Xun, Jha, Sun, Zhang (2020), KDD, sections 4.2 and 5.2.2; XunGuangxu/CorNet ecc0996, deepxml/bertxml.py. The
last states of the M [CLS] symbols side by side are the document's vector. What the paper does not say (norms,
activation, first weights, dropout) is as in BERT (Devlin et al. 2019). B documents, T token positions, S = M
+ T, Q states asked for, H components of every vector, I units of an inner layer, L labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

from reimpl.errors import ConfigError
from reimpl.layers import dropout
from reimpl.losses import loss
from reimpl.protocol import check

#: BERT's, added to a variance.
_EPSILON = 1e-12
_AS = "as_vectors"
#: Standard deviation of BERT's first weights.
_DEVIATION = 0.02


@dataclass(frozen=True)
class Config:
    """All that distinguishes the members of the family. Defaults: the public code on EUR-Lex."""

    hidden: int | Literal["as_vectors"] = 300
    """H; as_vectors: the dimension of the word vectors."""
    layers: int = 3
    """Number of encoder layers."""
    heads: int = 2
    inner: int = 600
    """I, units of the feed-forward layer of an encoder layer."""
    cls_tokens: int = 5
    """M, number of [CLS] symbols."""
    activation: Literal["relu", "gelu"] = "relu"
    """Activation of the feed-forward layers."""
    norm: Literal["none", "layer"] = "none"
    """layer: layer normalisation after residual sums and on embeddings; code: none (bertxml.py:126-132)."""
    vectors: Literal["kept", "overwritten"] = "overwritten"
    """overwritten: Xavier initialisation replaces the given word vectors (code, bertxml.py:404-415)."""
    pooler: bool = True
    """Whether the document's vector passes ELU, a square layer and ELU before the output (code only)."""
    bottleneck: int | None = None
    """Units of a layer with ELU that replaces the pooler; null: no such layer. 512 on Wiki-500K."""
    dropout: float = 0.1
    """Dropout on the embeddings, the attention weights and each output before its residual sum."""
    init: Literal["xavier_uniform", "bert"] = "xavier_uniform"
    """Initial values of all matrices; biases start at zero."""
    train_vectors: bool = True
    """Whether the word vectors are trained; vectors of positions and [CLS] symbols always are."""
    loss: str = "bce_mean"
    """A name of `reimpl.losses.LOSSES`."""

    def __post_init__(self) -> None:
        loss(self.loss)
        check(self)
        if isinstance(self.hidden, int):
            self.size(self.hidden)

    def size(self, dimension: int) -> int:
        """H for word vectors of `dimension` components; raises `ConfigError` if that is impossible."""
        size = self.hidden if isinstance(self.hidden, int) else dimension
        if self.vectors == "kept" and dimension != size:
            what = f"hidden {size} is not the dimension {dimension} of the word vectors"
            raise ConfigError(f"{what}; give hidden: {_AS}, or vectors of {size} components")
        if size % self.heads:
            raise ConfigError(f"hidden {size} is not divisible by {self.heads} heads")
        return size


_CODE = Config()

#: Named members; sizes of section 5.2.2.
VARIANTS: Mapping[str, Config] = {
    # The public code: no normalisation, given word vectors overwritten, ReLU, a layer above the [CLS] states.
    "code": _CODE,
    # Xun et al. 2020, as in the paper: BERT's layers, word vectors that start as GloVe, the [CLS] states
    # concatenated as input of the output layer. What the paper leaves open is as in BERT.
    "paper": replace(_CODE, activation="gelu", norm="layer", vectors="kept", pooler=False, init="bert"),
}


#: Sizes for protocols that are reduced to a CPU; hidden as the word vectors, which are small then, but for
#: what is no larger than the other sizes.
SMALL: Mapping[str, Any] = {
    "hidden": lambda asked: asked if isinstance(asked, int) and asked <= 64 else _AS,
    "inner": 64,
    "bottleneck": 64,
}


class Attention(nn.Module):
    """Multi-head attention, its output layer and dropout; the residual is not added."""

    def __init__(self, hidden: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query, self.key, self.value, self.output = (nn.Linear(hidden, hidden) for _ in range(4))

    def forward(self, x: Tensor, states: Tensor, mask: Tensor) -> Tensor:
        """Queries from x (B, Q, H), keys and values from states (B, S, H), mask bool (B, 1, 1, S)."""
        q, k, v = (  # (B, ..., H) -> (B, heads, ..., H / heads)
            z.view(*z.shape[:2], self.heads, -1).transpose(1, 2)
            for z in (self.query(x), self.key(states), self.value(states))
        )
        rate = self.dropout if self.training else 0.0
        # The code adds -10,000 to the scores of padding: e^-10000 is 0, and [CLS] symbols are always keys.
        # (B, heads, Q, H / heads)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=rate)
        out = self.output(out.transpose(1, 2).flatten(2))
        return dropout(out, self.dropout, self.training)


class Layer(nn.Module):
    """One encoder layer: attention, then two linear layers, each added to what went in."""

    def __init__(self, config: Config, hidden: int) -> None:
        super().__init__()
        self.config = config
        self.attention = Attention(hidden, config.heads, config.dropout)
        self.norm_attention = _norm(config, hidden)
        self.inner, self.outer = nn.Linear(hidden, config.inner), nn.Linear(config.inner, hidden)
        self.norm = _norm(config, hidden)

    def forward(self, x: Tensor, states: Tensor, mask: Tensor) -> Tensor:
        """x (B, Q, H), those of `states` (B, S, H) whose next states are wanted -> (B, Q, H)."""
        x = self.norm_attention(x + self.attention(x, states, mask))
        activation = F.relu if self.config.activation == "relu" else F.gelu
        added = dropout(self.outer(activation(self.inner(x))), self.config.dropout, self.training)
        return cast(Tensor, self.norm(x + added))


def _norm(config: Config, hidden: int) -> nn.Module:
    return nn.LayerNorm(hidden, eps=_EPSILON) if config.norm == "layer" else nn.Identity()


class BertXML(nn.Module):
    #: The public code's optimiser sees dense gradients of these embeddings (`reimpl.optim`).
    dense_embeddings = True
    #: Narrowest batch.
    minimum_width = 1

    def __init__(
        self,
        config: Config,
        *,
        vectors: Tensor,
        labels: int,
        length: int,
        padding_id: int = 0,
        freeze_padding: bool = True,
    ) -> None:
        """For documents of up to `length` tokens; padding is read by no attention, whether frozen or not."""
        super().__init__()
        H, M = config.size(vectors.shape[1]), config.cls_tokens
        self.config, self.length, self.padding_id = config, length, padding_id
        self.words = nn.Embedding(len(vectors), H)
        self.cls = nn.Parameter(torch.empty(M, H))
        self.positions = nn.Parameter(torch.empty(length + M, H))
        self.norm = _norm(config, H)
        self.encoder = nn.ModuleList(Layer(config, H) for _ in range(config.layers))
        between = config.bottleneck or (M * H if config.pooler else None)
        self.pooler = nn.Linear(M * H, between) if between else None
        self.output = nn.Linear(between or M * H, labels)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                self._draw(module.weight, *module.weight.shape)
                nn.init.zeros_(module.bias)
        # The [CLS] symbols are the last rows of the code's table of words, and count in Xavier's bound.
        rows = len(vectors) + M
        for table in (self.words.weight, self.cls, self.positions):
            self._draw(table, len(table) if table is self.positions else rows, table.shape[1])
        if config.vectors == "kept":
            self.words.weight.data.copy_(vectors)
        self.words.weight.requires_grad_(config.train_vectors)

    def _draw(self, weight: Tensor, rows: int, columns: int) -> None:
        if self.config.init == "bert":
            nn.init.normal_(weight, std=_DEVIATION)
        else:
            bound = (6 / (rows + columns)) ** 0.5  # Glorot's, as part of a table of so many rows
            nn.init.uniform_(weight, -bound, bound)

    def document_vectors(self, token_ids: Tensor) -> Tensor:
        """Token ids (B, T) -> last states of the [CLS] symbols side by side, (B, M H)."""
        B, width = token_ids.shape
        if width > self.length:
            what = f"this network has positions for {self.length} tokens and got documents of width {width}"
            raise ConfigError(f"{what}; cut them to that length")
        M = len(self.cls)
        x = torch.cat((self.cls.expand(B, -1, -1), self.words(token_ids)), dim=1)
        x = x + self.positions[: M + width]
        x = dropout(self.norm(x), self.config.dropout, self.training)  # (B, S, H)
        mask = F.pad(token_ids != self.padding_id, (M, 0), value=True)[:, None, None]  # (B, 1, 1, S)
        for layer in self.encoder[:-1]:
            x = layer(x, x, mask)
        return cast(Tensor, self.encoder[-1](x[:, :M], x, mask)).flatten(1)

    def features(self, token_ids: Tensor) -> Tensor:
        """Token ids (B, T) -> what enters the output layer."""
        z = self.document_vectors(token_ids)
        return z if self.pooler is None else F.elu(self.pooler(F.elu(z)))

    def forward(self, token_ids: Tensor) -> Tensor:
        """Token ids (B, T) -> scores before the sigmoid (B, L)."""
        return cast(Tensor, self.output(self.features(token_ids)))


#: The entry point by which the training, or CorNet, finds the network of a configuration.
build = BertXML
