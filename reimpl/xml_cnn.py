"""Kim-CNN (2014) and XML-CNN (Liu et al. 2017): convolutional text classifiers, as in paper and code.

Kim (2014), EMNLP; Liu, Chang, Wu, Yang (2017), SIGIR; Chen, Liu, Yang, Lin, Lin (2022), NAACL;
jimmy646/XML-CNN 72de8b3 (a public copy of Liu et al.'s Lasagne code); sian-chen/xml-cnn-study-code 2051eda;
ntumlgroup/LibMultiLabel 5cd775a; XunGuangxu/CorNet ecc0996. Bow-CNN (Johnson and Zhang 2015, NAACL) has no
word vectors, but weights of the words that a window has, in any order. Two factors: `sweep` over words (the E
components are the channels, Eq. 1) or over embeddings (the T positions are, as in Liu et al.'s code), and
`pooling`: max, dynamic (Eq. 6), overlapping (Eq. 7), none. B documents, T token positions, E components of
a word vector, F maps a window, k window, n = (length swept + 2 padding - k) // stride + 1 positions, p
pooled values a map, h hidden units, L labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, cast

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

from reimpl.errors import ConfigError
from reimpl.layers import conv_max_pool, convolve, dropout
from reimpl.losses import loss
from reimpl.protocol import check, later


@dataclass(frozen=True)
class Config:
    """The settings of the family. Defaults: XML-CNN as the study implements it."""

    sweep: Literal["words", "embeddings"] = "words"
    pooling: Literal["max", "dynamic", "overlapping", "none"] = "dynamic"
    pools: int = 4
    """d of Eq. (6); only used by `dynamic`."""
    windows: tuple[int, ...] = (2, 4, 8)
    maps: int = 128
    """Filters per window."""
    stride: int = 1
    """Stride of the convolution."""
    padding: Literal["none", "full"] = later("none")
    """full: k - 1 zero vectors on either side of the input, so that any window fits."""
    relu: Literal["before_pooling", "after_pooling"] = "after_pooling"
    hidden: int | None = 512
    """Units of the hidden layer; None: no hidden layer (Kim-CNN)."""
    dropout_embedding: float = 0.25
    dropout_output: float = 0.5
    """Dropout before the output layer."""
    init: Literal["xavier_uniform", "kaiming_uniform", "torch"] = "xavier_uniform"
    """Initial weights of convolutions and linear layers; `torch`: torch's default."""
    bias: Literal["torch", "zero"] = "torch"
    loss: str = "bce_mean"
    """A name of `reimpl.losses.LOSSES`."""
    train_vectors: bool = later(True)
    """Whether the word vectors are trained."""
    regions: Literal["sequences", "bags"] = later("sequences")
    """What a window reads: word vectors in order, or the counts of its words (Bow-CNN)."""
    max_norm: float | None = later(None)
    """Maximum norm of a label's weights; longer ones are scaled down after each step (Kim: 3)."""

    def __post_init__(self) -> None:
        loss(self.loss)
        check(self)
        if not self.windows:
            raise ConfigError("windows must be one or more whole numbers, not ()")
        if self.max_norm is not None and not 0 < self.max_norm < float("inf"):
            raise ConfigError(f"max_norm must be a positive number or null, not {self.max_norm!r}")
        if self.regions == "bags" and (self.sweep != "words" or self.pooling not in ("max", "dynamic")):
            raise ConfigError("regions: bags need sweep: words and pooling: max or dynamic")

    def positions(self, *, length: int, dimension: int) -> tuple[int, ...]:
        """Convolution outputs n per window for documents of `length` tokens of `dimension` components."""
        swept = length if self.sweep == "words" else dimension
        return tuple((swept + 2 * self.border(k) - k) // self.stride + 1 for k in self.windows)

    def border(self, window: int) -> int:
        """Zero vectors on either side of the swept text."""
        return window - 1 if self.padding == "full" else 0

    def feature_size(self, *, length: int, dimension: int) -> int:
        """Values after pooling, all windows together."""
        ns = self.positions(length=length, dimension=dimension)
        values = {"max": [1 for _ in ns], "dynamic": [self.pools for _ in ns]}
        values |= {"overlapping": [n - 1 for n in ns], "none": [*ns]}
        return self.maps * sum(values[self.pooling])


_STUDY = Config()
_LIU = Config(
    sweep="embeddings", pooling="overlapping", stride=2, maps=32, relu="before_pooling", bias="zero"
)

#: Named members. `chen2022-*` are the rows of Tables 4 and 5 as the study's configurations build them, with
#: the differences in stride and dropout that its text does not mention.
VARIANTS: Mapping[str, Config] = {
    # Liu et al. 2017, public code: sweep over embeddings, pools 2/1, stride 2, 32 maps, Glorot, zero biases.
    "liu2017-code": _LIU,
    # Liu et al. 2017, as in the paper: word regions, p equal chunks (not stated: 4, as in the study), which
    # overlap by a position if p does not divide n (torch's bins; the paper does not mention this case), 128
    # maps, one dropout of .5, BCE summed over labels. Initial weights are not stated: torch's default.
    "liu2017-paper": Config(
        relu="before_pooling", dropout_embedding=0.0, init="torch", loss="bce_sum_over_labels"
    ),
    # Kim 2014 with the multi-label loss of Eq. (3): windows 3, 4, 5 of 100 maps, dropout .5 on features,
    # norms of at most 3. Its optimiser, Adadelta, is set in the protocol (`optimiser: adadelta`).
    "kim2014": Config(
        pooling="max",
        windows=(3, 4, 5),
        maps=100,
        hidden=None,
        relu="before_pooling",
        dropout_embedding=0.0,
        init="torch",
        loss="softmax_ce",
        max_norm=3.0,
    ),
    # Table 4. KimCNNv2 and XMLCNN have conv stride 1 (the configured stride of 2 is accepted and ignored).
    "chen2022-kim-embeddings": replace(_STUDY, sweep="embeddings", pooling="max", hidden=None),
    "chen2022-kim-words": replace(_STUDY, pooling="max", hidden=None),
    "chen2022-xmlcnn-embeddings": replace(_STUDY, sweep="embeddings"),
    "chen2022-xmlcnn-words": _STUDY,
    # XMLCNNLiu uses the stride of 2; only the embedding row's configuration has a second dropout of .25.
    "chen2022-liu-embeddings": replace(
        _STUDY, sweep="embeddings", pooling="overlapping", stride=2, dropout_output=0.25
    ),
    "chen2022-liu-words": replace(_STUDY, pooling="overlapping", stride=2),
    # LibMultiLabel 5cd775a, example_config/EURLEX57K, Kim-CNN: one window of 8 with 1,024 maps, Kaiming.
    "libmultilabel-kim": Config(
        pooling="max",
        windows=(8,),
        maps=1024,
        hidden=None,
        dropout_embedding=0.0,
        dropout_output=0.4,
        init="kaiming_uniform",
    ),
    # Table 5: XMLCNNLiuMP (global maximum) and XMLCNNLiuNP (no pooling), stride 2.
    "chen2022-liump-words": replace(_STUDY, pooling="max", stride=2),
    "chen2022-liump-embeddings": replace(_STUDY, sweep="embeddings", pooling="max", stride=2),
    "chen2022-liunp-words": replace(_STUDY, pooling="none", stride=2),
    "chen2022-liunp-embeddings": replace(_STUDY, sweep="embeddings", pooling="none", stride=2),
    # CorNet's code: k - 1 zero vectors on either side of the input, eight pools, no dropout on the
    # words, ReLU before the pooling. Its initial weights are unknown: Xavier, as in its other networks.
    "xun2020-code": Config(pools=8, padding="full", relu="before_pooling", dropout_embedding=0.0),
    # Xun et al. 2020, as in the paper: as Liu et al., with eight pools (section 5.2.1) and one dropout of .5.
    "xun2020-paper": Config(pools=8, relu="before_pooling", dropout_embedding=0.0, init="torch"),
}


class XMLCNN(nn.Module):
    """Word embedding, parallel convolutions, pooling, optional hidden layer, one score per label."""

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
        """For documents of `length` tokens; vectors (V, E): initial word vectors. The row of `padding_id` is
        frozen (study code: zero), or a word like any other (Liu et al.'s code)."""
        super().__init__()
        dimension = vectors.shape[1]
        over_words, window = config.sweep == "words", max(config.windows)
        swept, name = (length, "tokens a document") if over_words else (dimension, "vector components")
        swept += 2 * config.border(window)
        more = config.stride if config.pooling == "overlapping" else 0
        if swept < window + more:
            what = f"window {window} does not fit into {swept} {name} (sweep over {config.sweep})"
            raise ConfigError(f"{what}; use shorter windows or longer input")
        self.config, self.length = config, length
        self.embedding: nn.Embedding = nn.Embedding.from_pretrained(  # type: ignore[no-untyped-call]
            vectors.clone() if config.regions == "sequences" else vectors[:, :0],
            freeze=not config.train_vectors,
            padding_idx=padding_id if freeze_padding else None,
        )
        channels = dimension if over_words else length
        self.convolutions = nn.ModuleList(
            nn.Conv1d(channels, config.maps, k, config.stride)
            if config.regions == "sequences"
            else Bags(len(vectors), config.maps, k, padding_id)
            for k in config.windows
        )
        features = config.feature_size(length=length, dimension=dimension)
        self.hidden = nn.Linear(features, config.hidden) if config.hidden else None
        self.output = nn.Linear(config.hidden or features, labels)
        for module in self.modules():
            if isinstance(module, nn.Conv1d | nn.Linear):
                if config.init == "xavier_uniform":
                    nn.init.xavier_uniform_(module.weight)
                elif config.init == "kaiming_uniform":
                    nn.init.kaiming_uniform_(module.weight)
                if config.bias == "zero" and module.bias is not None:
                    nn.init.zeros_(module.bias)

    def features(self, token_ids: Tensor) -> Tensor:
        """(B, T >= `minimum_width`) -> (B, feature_size), after ReLU, ordered by window, filter, position."""
        if self.config.regions == "bags":
            pooled = [self._pooled_bags(token_ids, cast(Bags, bags)).flatten(1) for bags in self.convolutions]
            return torch.cat(pooled, dim=1)
        x = dropout(self.embedding(token_ids), self.config.dropout_embedding, self.training)  # (B, T, E)
        if self.config.sweep == "embeddings":
            # The T positions become channels. A transpose, not a view: (B, T, E) read as (B, E, T) would mix
            # positions and components.
            x = x.transpose(1, 2)  # (B, E, T): swept axis second, channels last, as conv_max_pool wants it
        pooled = [self._pooled(x, cast(nn.Conv1d, conv)).flatten(1) for conv in self.convolutions]
        return F.relu(torch.cat(pooled, dim=1))

    def _pooled_bags(self, token_ids: Tensor, bags: Bags) -> Tensor:
        """(B, T) -> (B, F, p)"""
        border, pools = self.config.border(bags.window), self.config.pools
        maps = bags(token_ids, border=border, stride=self.config.stride)
        return F.adaptive_max_pool1d(F.relu(maps), 1 if self.config.pooling == "max" else pools)

    def _pooled(self, x: Tensor, conv: nn.Conv1d) -> Tensor:
        """(B, swept, channels) -> (B, F, p). Maxima are taken before the ReLU whatever `relu` says: the two
        commute, and it is cheaper on the pooled values. Without pooling there is one place for it only."""
        config = self.config
        border = config.border(conv.kernel_size[0])
        x = F.pad(x, (0, 0, border, border)) if border else x
        if config.pooling in ("max", "dynamic"):
            pools = 1 if config.pooling == "max" else config.pools
            return conv_max_pool(x, conv.weight, conv.bias, pools=pools, stride=config.stride)
        # Contiguous, because pools of neighbours are slow in any other order.
        convolved = convolve(x, conv.weight, conv.bias, stride=config.stride).contiguous()  # (B, F, n)
        if config.pooling == "none":
            return convolved
        return torch.maximum(convolved[..., :-1], convolved[..., 1:])  # pools of 2, a position apart: Eq. (7)

    def forward(self, token_ids: Tensor) -> Tensor:
        """Token ids (B, T) -> scores before the sigmoid (B, L)."""
        z = self.features(token_ids)
        if self.hidden is not None:
            z = F.relu(self.hidden(z))
        return cast(Tensor, self.output(dropout(z, self.config.dropout_output, self.training)))

    @torch.no_grad()
    def after_step(self) -> None:
        if self.config.max_norm is not None:
            self.output.weight.copy_(torch.renorm(self.output.weight, 2, 0, self.config.max_norm))

    @property
    def minimum_width(self) -> int:
        """Narrowest batch the network takes: its own length, or its widest window less the padding."""
        if self.position_bound:
            return self.length
        return max(1, *(k - 2 * self.config.border(k) for k in self.config.windows))

    @property
    def position_bound(self) -> bool:
        """True if there is a weight for every token position, so that all documents need one length."""
        return self.config.sweep == "embeddings" or self.config.pooling in ("overlapping", "none")


class Bags(nn.Module):
    """Weights of a region's words, added up: W times the bag of words of each window, and a bias."""

    def __init__(self, words: int, maps: int, window: int, padding_id: int) -> None:
        super().__init__()
        self.window = window
        self.weight = nn.Embedding(words, maps, padding_idx=padding_id)
        nn.init.normal_(self.weight.weight, std=0.01)
        nn.init.zeros_(self.weight.weight[padding_id])
        self.bias = nn.Parameter(torch.zeros(maps))

    def forward(self, token_ids: Tensor, *, border: int, stride: int) -> Tensor:
        """(B, T) -> (B, F, n)"""
        x = F.pad(self.weight(token_ids).transpose(1, 2), (border, border))
        return F.avg_pool1d(x, self.window, stride) * self.window + self.bias[:, None]


#: The entry point by which the training, or CorNet, finds the network of a configuration.
build = XMLCNN
