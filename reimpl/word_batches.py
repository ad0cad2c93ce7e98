"""Documents as weighted words, flat: only the words that are there. N documents, B of a batch, V words (or
features), n weights of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import torch
from scipy import sparse
from sklearn.preprocessing import normalize
from torch import Tensor, nn

from reimpl.data.dataset import Dataset, Split, words_as_features

Weights = Literal["given", "binary", "tfidf"]


class WordBatch(NamedTuple):
    """B documents. The n entries are sorted by document, and no document has a word twice."""

    documents: Tensor  # int64 (n,): number within the batch
    words: Tensor  # int64 (n,)
    weights: Tensor  # float32 (n,), not zero
    size: int  # B


class DeviceWords:
    """The weighted words of a split on the device; batches are cut out of them there."""

    def __init__(self, matrix: sparse.csr_matrix, device: torch.device) -> None:
        self.words = torch.from_numpy(matrix.indices.astype(np.int64)).to(device)
        self.weights = torch.from_numpy(matrix.data.astype(np.float32)).to(device)
        starts = torch.from_numpy(matrix.indptr.astype(np.int64)).to(device)
        self.starts, self.lengths = starts[:-1], starts.diff()

    def batch(self, documents: Tensor, width: int = 0) -> WordBatch:
        """(B,) document numbers -> their words; `width` is for networks that take padded texts."""
        lengths = self.lengths.index_select(0, documents)
        row = torch.repeat_interleave(lengths)  # on a GPU the one thing that is waited for
        first = self.starts.index_select(0, documents) - (lengths.cumsum(0) - lengths)
        place = torch.arange(len(row), device=row.device) + first.index_select(0, row)
        return WordBatch(
            row, self.words.index_select(0, place), self.weights.index_select(0, place), len(documents)
        )


class WordWeights(NamedTuple):
    """How the documents of a data set become weighted words."""

    of: Callable[[Split], sparse.csr_matrix]  # (N, V) of a split, no zero among the values
    words: int  # V
    are_words: bool  # Whether the columns are the words of the vocabulary, and so have vectors


def word_weights(
    data: Dataset, weights: Weights, *, normalise: bool, texts: bool = False, dtype: type = np.float32
) -> WordWeights:
    """Features of the corpus, or the words of its (cut) texts, with `texts` or where there is nothing else.
    given: as the corpus has them, or how often a word is in a document. binary: 1 for each. tfidf: that times
    1 + ln((1 + N) / (1 + training documents with the word)). `normalise` divides each document by its
    Euclidean norm."""
    are_words = data.train.features is None or (texts and len(data.train.tokens) > 0)

    def plain(split: Split) -> sparse.csr_matrix:
        return words_as_features(split, len(data.vocabulary)) if are_words else split.features

    idf: np.ndarray | None = None
    if weights == "tfidf":
        train = plain(data.train)
        seen = np.bincount(train.indices, minlength=train.shape[1])
        idf = (1 + np.log((1 + train.shape[0]) / (1 + seen))).astype(dtype)

    def of(split: Split) -> sparse.csr_matrix:
        X = sparse.csr_matrix(plain(split), dtype=dtype, copy=True)
        X.eliminate_zeros()
        if weights == "binary":
            X.data[:] = 1
        if idf is not None:
            X.data *= idf[X.indices]
        if normalise:
            normalize(X, copy=False)
        return X

    return WordWeights(of, plain(data.train).shape[1], are_words)


# ---------------------------------------------------------------------------- batch normalisation of places
# starry91/Extreme-Classification 7e54d2f, model/net.py, keeps a place for every word of the vocabulary in
# every document and normalises each place over the documents and the U attention units (`BatchNorm1d` of
# places). A word that a document does not have enters its place with the weight zero, so that all that comes
# there is the bias of the layer before: its part in mean and variance is known without a tensor of B x V x U.
#
# Shapes: B documents, V words, U units, n words of a batch (see `reimpl.word_batches`).

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
        """z (n, U) of the words that are there and `absent` (U,) of any other -> (n, U)."""
        z, mean, var = z.to(self.scale.dtype), self.running_mean, self.running_var
        n = batch.size * z.shape[1]
        if self.training and n > 1:
            # mean and biased variance of each word's place over documents and units
            units, zeros = z.shape[1], torch.zeros_like(self.scale)
            missing = batch.size - torch.bincount(batch.words, minlength=len(self.scale)).to(z.dtype)
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
