"""Rank-AE (Wang et al. 2019): an autoencoder of label sets, and a network from words to the same space.

Wang et al. (2019), NAACL, sections 2.2-2.4 and 3.1; starry91/Extreme-Classification 7e54d2f is a third
party's. Training: x_h = F(x) from the words and y_h = E(y) from the labels are drawn together (Lh), and
D(y_h) is to give the labels back (Lae): L = Lh + lambda Lae, Eq. (1). Prediction: D(F(x)). F: words with
vectors e and weights v, V' = v e; A = sigmoid(F2 ReLU(F1 V')), Eq. (5); the mean of V' o A over the words;
one linear layer. E and D: linear, activation, linear. Words that a document does not have are never made.
C2AE (Yeh et al. 2017, AAAI), its ancestor, has other losses and no attention: x_h and y_h are to be
orthogonal over the documents, and Lae takes pairs of labels. Its size h, tuned there, is Rank-AE's here. B
documents, V words, n words of the batch, C components of a word vector, U attention units, e units of
encoder and decoder, h size of the common space, L labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple, Unpack, cast

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

from reimpl import training
from reimpl.batching import DeviceWords, Weights, WordBatch, word_weights
from reimpl.data.dataset import Dataset, Split
from reimpl.data.splits import for_protocol
from reimpl.errors import ConfigError
from reimpl.losses import Over, bce_mean, bce_sum_over_labels, exponential_loss, how_often, ranking_loss
from reimpl.protocol import Protocol, check, later
from reimpl.training import How, Result

#: What of a corpus it can learn from, the better one first.
TAKES = ("features", "texts")

Activation = Literal["none", "relu", "leaky_relu", "sigmoid", "tanh"]
_ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "none": lambda x: x,
    "relu": torch.relu,
    "leaky_relu": F.leaky_relu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
}
#: Up to so many labels are few: h is 100 with few labels and 200 with many (section 3.1); the line is ours.
_FEW_LABELS = 4_000


@dataclass(frozen=True)
class Config:
    """The settings of the model; the defaults are the closest reading of the paper."""

    input: Literal["features", "text"] = "features"
    """features: those of the corpus, or its words if it has none. text: its words (section 3.2, IMDb)."""
    weights: Weights = "given"
    """given: as in the corpus (of words: their counts in the document); binary: 1 for each; or tf-idf."""
    normalise: bool = False
    """Whether the weights of a document are divided by their Euclidean norm."""
    ids: Literal["words", "presence"] = "words"
    """presence: the flag 1 replaces the id of every word (third party, main.py)."""
    embedding: int = 100
    """C, dimension of the vectors of features; words of texts have the vectors of the data."""
    attention: Literal["channel", "none"] = "channel"
    reduction: int = 4
    """r: the attention has C / r units, rounded down."""
    attention_units: int | None = later(None)
    """Units of the attention, instead of C / r (third party: 5 for its vectors of 14)."""
    attention_bias: bool = False
    """Whether F1 and F2 have biases; Eq. (5) shows none."""
    attention_norm: bool = False
    """Whether batch normalisation of each word position precedes the ReLU (third party)."""
    pooling: Literal["words", "slots", "sum"] = "words"
    """Divisor of the mean: words of the document, or of the vocabulary (third party). sum: none (C2AE)."""
    feature_layers: tuple[int, ...] = later(())
    """Units of layers before the linear layer of F; E's activation precedes each of them and that layer."""
    hidden: int | None = None
    """h, dimension of the shared space; null: 100, or 200 with many labels."""
    feature_activation: Activation = "none"
    """Activation after the linear layer of F."""
    encoder: int = 200
    """e, units of the inner layers of E and D; the paper does not state it."""
    encoder_activation: Activation = "relu"
    """Activation between the two layers of E."""
    label_activation: Activation = "none"
    """Activation after the two layers of E."""
    decoder_activation: Activation = "relu"
    """Activation between the two layers of D."""
    layer_norm: bool = False
    """Whether there is batch normalisation between the two layers of E, and of D (third party)."""
    norm_epochs: int | None = None
    """Epochs after which batch normalisation stays in evaluation mode; null: never (third party: 1)."""
    output: Literal["sigmoid", "none"] = "sigmoid"
    """How the ranking loss reads the scores; section 2.3 takes them as probabilities."""
    loss: Literal["ranking", "bce", "exponential"] = "ranking"
    """Lae; bce: BCE-AE, always on sigmoids; exponential: the loss of C2AE."""
    scale: float = later(1.0)
    """c in exp(-c (positive - negative)) of C2AE."""
    pairs: Literal["each", "means"] = later("each")
    """C2AE: each positive against each negative, or their means (third party)."""
    decoded: Literal["labels", "text"] = later("labels")
    """What Lae decodes: E(y), or F(x) (third party of C2AE)."""
    orthogonality: float = later(0.0)
    """Weight of |X'X / B - I|^2 + |Y'Y / B - I|^2 in Lh, of the batch's F(x) and E(y) (C2AE)."""
    margin: float = 0.1
    """m; the paper tunes it in [0, 1] without a value. Held-out P@1 on Delicious: 51 at 0.5, 60 at 0.1."""
    balance: float = 1.0
    """lambda; the paper tunes it."""
    hidden_loss: Over = "mean"
    """Sum or mean over the h components in Lh; "mean squared loss" (section 2.3)."""
    label_loss: Over = "sum"
    """Sum or mean over the labels in LP and LN, and in BCE. Over documents always the mean."""
    init: Literal["torch", "kaiming_normal"] = "torch"
    """Initial weights of the layers; biases have torch's default."""

    def __post_init__(self) -> None:
        check(self)
        for name in ("margin", "balance", "scale", "orthogonality"):
            value = getattr(self, name)
            if isinstance(value, bool) or not (isinstance(value, int | float) and 0 <= value < math.inf):
                raise ConfigError(f"{name} must be a number from 0, not {value!r}")
        if self.attention == "none" and self.attention_norm:
            raise ConfigError("attention_norm must be false where attention is 'none'")

    def common(self, labels: int) -> int:
        return self.hidden or (100 if labels <= _FEW_LABELS else 200)


_PAPER = Config()

_THIRD_PARTY = Config(
    attention_bias=True,
    attention_norm=True,
    pooling="slots",
    hidden=100,
    feature_activation="sigmoid",
    encoder=800,
    label_activation="sigmoid",
    decoder_activation="sigmoid",
    layer_norm=True,
    norm_epochs=1,
    output="none",
    margin=10.0,
    hidden_loss="sum",
    init="kaiming_normal",
)

VARIANTS: Mapping[str, Config] = {
    "paper": _PAPER,
    # BCE-AE, the baseline of section 3.3 and Figure 4.
    "bce": replace(_PAPER, loss="bce"),
    "no-attention": replace(_PAPER, attention="none"),
    # Its code with its faults: margin outside [0, 1], batch normalisation that validation switches off after
    # the first epoch. Sizes for EUR-Lex as in params.config (the README says 1,000 instead of 800).
    "third-party": _THIRD_PARTY,
    # What its code really runs: its batches (main.py) hold presence flags where the ids belong.
    "binary-ids": replace(_THIRD_PARTY, ids="presence"),
}

#: Sizes for protocols that are reduced to a CPU.
SMALL: Mapping[str, Any] = {"embedding": 32, "encoder": 64}


class Learned(NamedTuple):
    text_hidden: Tensor  # F(x), (B, h)
    label_hidden: Tensor  # E(y), (B, h)
    logits: Tensor  # D(E(y)), or D(F(x)), before the sigmoid, (B, L)


class RankAE(nn.Module):
    """F, E and D. `minimum_width` is for the training of texts; documents have no width here."""

    minimum_width = 1

    def __init__(self, config: Config, *, vectors: Tensor, labels: int) -> None:
        """vectors (V, C): initial word vectors, which are trained along."""
        super().__init__()
        (V, C), e, h = vectors.shape, config.encoder, config.common(labels)
        if config.attention == "channel" and config.attention_units is None and config.reduction > C:
            raise ConfigError(f"reduction must be at most {C}, the size of a vector, not {config.reduction}")
        self.config, self.frozen_norms = config, False
        self.embedding = nn.Parameter(vectors.clone())
        self.attention = ChannelAttention(config, V, C) if config.attention == "channel" else None
        sizes = (C, *config.feature_layers)
        self.before = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(sizes))
        self.feature = nn.Linear(sizes[-1], h)
        of_labels, self.encoder = nn.Linear(labels, e), nn.Linear(e, h)
        self.decoder, self.output = nn.Linear(h, e), nn.Linear(e, labels)
        self.encoder_norm = BatchNorm(e) if config.layer_norm else None
        self.decoder_norm = BatchNorm(e) if config.layer_norm else None
        if config.init == "kaiming_normal":
            for layer in (of_labels, *(it for it in self.modules() if isinstance(it, nn.Linear))):
                nn.init.kaiming_normal_(layer.weight)
        # Labels are rows of the first layer of E, of which only those of the positives are read.
        self.label_vectors = nn.Parameter(of_labels.weight.detach().t().contiguous())
        self.label_bias = of_labels.bias

    def text_hidden(self, batch: WordBatch) -> Tensor:
        """F(x): (B, h)"""
        ids = batch.words if self.config.ids == "words" else torch.ones_like(batch.words)
        weighted = F.embedding(ids, self.embedding) * batch.weights.to(self.embedding.dtype)[:, None]
        if self.attention is not None:
            weighted = weighted * self.attention(weighted, batch)
        pooled = weighted.new_zeros(batch.size, weighted.shape[1]).index_add(0, batch.documents, weighted)
        words = how_often(batch.documents, batch.size).clamp(min=1)[:, None]
        if self.config.pooling != "sum":
            pooled = pooled / (len(self.embedding) if self.config.pooling == "slots" else words)
        if self.config.feature_layers:
            between = _ACTIVATIONS[self.config.encoder_activation]
            for layer in self.before:
                pooled = layer(between(pooled))
            pooled = between(pooled)
        return _ACTIVATIONS[self.config.feature_activation](self.feature(pooled))

    def label_hidden(self, rows: Tensor, cols: Tensor, size: int) -> Tensor:
        """E(y): (B, h), of positives sorted by document."""
        starts = torch.searchsorted(rows, torch.arange(size, device=rows.device))
        z = F.embedding_bag(cols, self.label_vectors, starts, mode="sum") + self.label_bias
        z = z if self.encoder_norm is None else self.encoder_norm(z)
        z = self.encoder(_ACTIVATIONS[self.config.encoder_activation](z))
        return _ACTIVATIONS[self.config.label_activation](z)

    def decode(self, hidden: Tensor) -> Tensor:
        """D before the sigmoid: (B, h) -> (B, L)"""
        z = self.decoder(hidden)
        z = z if self.decoder_norm is None else self.decoder_norm(z)
        return cast(Tensor, self.output(_ACTIVATIONS[self.config.decoder_activation](z)))

    def forward(self, batch: WordBatch) -> Tensor:
        """Scores of the documents, D(F(x)) before the sigmoid, which would make ties of high ones: (B, L)"""
        return self.decode(self.text_hidden(batch))

    def learn(self, batch: WordBatch, rows: Tensor, cols: Tensor) -> Learned:
        """Words, and positives (`rows` rising) -> the inputs of the loss."""
        text, label = self.text_hidden(batch), self.label_hidden(rows, cols, batch.size)
        return Learned(text, label, self.decode(text if self.config.decoded == "text" else label))

    def batch_loss(self, batch: WordBatch, rows: Tensor, cols: Tensor) -> Tensor:
        """Eq. (1)"""
        learned = Learned(*(part.float() for part in self.learn(batch, rows, cols)))
        hidden, output = losses(self.config, learned, rows, cols)
        return hidden + self.config.balance * output

    def begin_epoch(self, epoch: int) -> None:
        after = self.config.norm_epochs
        self.frozen_norms = after is not None and epoch >= after

    def train(self, mode: bool = True) -> RankAE:
        """As of any module, but frozen batch normalisation stays in prediction mode."""
        super().train(mode)
        if self.frozen_norms:
            for module in self.modules():
                if isinstance(module, BatchNorm | SlotBatchNorm):
                    module.eval()
        return self


class ChannelAttention(nn.Module):
    """A = sigmoid(F2 ReLU(F1 V')): Eq. (5), for each word on its own."""

    def __init__(self, config: Config, words: int, dimension: int) -> None:
        super().__init__()
        units = config.attention_units or dimension // config.reduction
        self.reduce = nn.Linear(dimension, units, bias=config.attention_bias)
        self.expand = nn.Linear(units, dimension, bias=config.attention_bias)
        self.norm = SlotBatchNorm(words) if config.attention_norm else None

    def forward(self, weighted: Tensor, batch: WordBatch) -> Tensor:
        """V' -> A, (n, C) each."""
        z = self.reduce(weighted)
        if self.norm is not None:
            absent = z.new_zeros(z.shape[1]) if self.reduce.bias is None else self.reduce.bias
            z = self.norm(z, absent, batch)
        return torch.sigmoid(self.expand(torch.relu(z)))


def losses(config: Config, learned: Learned, rows: Tensor, cols: Tensor) -> tuple[Tensor, Tensor]:
    """Lh and Lae, means over the documents; one with no or with all labels has no ranking loss."""
    apart = (learned.text_hidden - learned.label_hidden).square().sum(1).mean()
    hidden = apart / learned.text_hidden.shape[1] if config.hidden_loss == "mean" else apart
    if config.orthogonality:
        for part in (learned.text_hidden, learned.label_hidden):
            identity = torch.eye(part.shape[1], dtype=part.dtype, device=part.device)
            hidden = hidden + config.orthogonality * (part.t() @ part / len(part) - identity).square().sum()
    if config.loss == "bce":
        bce = bce_mean if config.label_loss == "mean" else bce_sum_over_labels
        return hidden, bce(learned.logits, rows, cols)
    scores = torch.sigmoid(learned.logits) if config.output == "sigmoid" else learned.logits
    if config.loss == "exponential":
        each = exponential_loss(scores, rows, cols, scale=config.scale, pairs=config.pairs)
        return hidden, each.mean()
    LP, LN = ranking_loss(scores, rows, cols, margin=config.margin, over=config.label_loss)
    return hidden, (LP + LN).mean()


def build(config: Config, *, vectors: Tensor, labels: int, **sizes: Any) -> RankAE:
    """The network of `config`; a padding word is an ordinary word that no document has."""
    return RankAE(config, vectors=vectors, labels=labels)


def chooses_epoch(config: Config, labels: int) -> bool:
    return True


def train(config: Config, data: Dataset, protocol: Protocol, **how: Unpack[How]) -> Result:
    """Trains on words and labels together, and ranks the test documents' labels by their words alone."""
    data = for_protocol(data, protocol)
    words = word_weights(data, config.weights, texts=config.input == "text", normalise=config.normalise)

    def network(vectors: Tensor) -> RankAE:
        if not words.are_words:
            vectors = torch.randn(words.words, config.embedding)  # features have no vectors
        return build(config, vectors=vectors, labels=data.n_labels)

    def inputs(split: Split, device: torch.device) -> DeviceWords:
        return DeviceWords(words.of(split), device)

    result = training.train(network, data, protocol, inputs=inputs, **how)
    used = "words of the texts" if words.are_words else "features of the corpus"
    note = f"input: {words.words:,} {used}"
    alone = int((np.diff(data.train.label_offsets) == 0).sum())
    if alone and config.loss == "ranking":
        note += f"; {alone} training documents without labels have no ranking loss"
    return result.noted(note)


# ---------------------------------------------------------------------------- batch normalisation of places
# starry91/Extreme-Classification 7e54d2f, model/net.py, keeps a place for every word of the vocabulary in
# every document and normalises each place over the documents and the U attention units (`BatchNorm1d` of
# places). A word that a document does not have enters its place with the weight zero, so that all that comes
# there is the bias of the layer before: its part in mean and variance is known without a tensor of B x V x U.

_EPS, _MOMENTUM = 1e-5, 0.1


class SlotBatchNorm(nn.Module):
    """Scale, shift and running values, (V,) each; torch's eps and momentum."""

    running_mean: Tensor
    running_var: Tensor

    def __init__(self, words: int) -> None:
        super().__init__()
        self.scale, self.shift = nn.Parameter(torch.ones(words)), nn.Parameter(torch.zeros(words))
        self.register_buffer("running_mean", torch.zeros(words))
        self.register_buffer("running_var", torch.ones(words))

    def forward(self, z: Tensor, absent: Tensor, batch: WordBatch) -> Tensor:
        """z (n, U) of the words that occur and `absent` (U,) of any other -> (n, U)."""
        z, mean, var = z.to(self.scale.dtype), self.running_mean, self.running_var
        n = batch.size * z.shape[1]
        if self.training and n > 1:
            # mean and biased variance of each word's place over documents and units
            units, zeros = z.shape[1], torch.zeros_like(self.scale)
            missing = batch.size - how_often(batch.words, len(self.scale)).to(z.dtype)
            mean = (zeros.index_add(0, batch.words, z.sum(1)) + missing * absent.sum()) / n
            # Squares of distances: their sums of squares and products would lose what is small in float32.
            apart = (z - mean.index_select(0, batch.words)[:, None]).square().sum(1)
            middle = absent.mean()
            of_absent = (absent - middle).square().sum() + units * (middle - mean).square()
            var = (zeros.index_add(0, batch.words, apart) + missing * of_absent) / n
            with torch.no_grad():
                self.running_mean.lerp_(mean.to(self.running_mean.dtype), _MOMENTUM)
                self.running_var.lerp_((var * (n / (n - 1))).to(self.running_var.dtype), _MOMENTUM)
        factor = (var + _EPS).rsqrt() * self.scale
        mean, factor, shift = (it.index_select(0, batch.words)[:, None] for it in (mean, factor, self.shift))
        return (z - mean) * factor + shift


class BatchNorm(nn.BatchNorm1d):
    """torch's, but a batch of one document, which has no variance, is normalised as in prediction."""

    def forward(self, x: Tensor) -> Tensor:
        if self.training and len(x) == 1:
            self.eval()
            x = super().forward(x)
            self.train()
            return x
        return super().forward(x)
