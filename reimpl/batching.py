"""Which documents make up each batch, planned per epoch in numpy with everything that the device must not be
asked for (sizes, widths, bounds), so that no step waits for the device; and the best labels of a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from reimpl.data.dataset import Dataset, IntArray, Split, words_as_features
from reimpl.errors import ConfigError, DataError
from reimpl.protocol import Protocol


@dataclass(frozen=True, eq=False)
class Plan:
    """N documents in batches. Batch i is `order[starts[i]:starts[i + 1]]`, padded to `widths[i]` tokens."""

    order: IntArray  # int64 (N,): document numbers
    starts: IntArray  # int64 (batches + 1,)
    widths: IntArray  # int64 (batches,)
    label_rows: IntArray  # int64 (positives,): row of each positive label within its batch, in this order
    label_cols: IntArray  # int64 (positives,): its label id
    label_starts: IntArray  # int64 (batches + 1,): where the positives of each batch begin

    def __len__(self) -> int:
        return len(self.widths)


def width_of_split(split: Split, protocol: Protocol) -> int | None:
    """Tokens to which every document of this split is padded; None if each batch has its own width."""
    if protocol.padding == "length":
        return protocol.length
    return max(1, min(split.longest, protocol.length)) if protocol.padding == "split" else None


def training_plan(split: Split, protocol: Protocol, minimum_width: int, rng: np.random.Generator) -> Plan:
    """One epoch of training in the protocol's order."""
    size, n = protocol.batch_size, split.size
    order: IntArray = np.arange(n) if protocol.shuffle == "batches" else rng.permutation(n)
    blocks = [order[start : start + size] for start in range(0, n, size)]
    if protocol.shuffle == "batches":
        blocks = [blocks[i] for i in rng.permutation(len(blocks))]
    return _plan(split, blocks, protocol, minimum_width)


def scoring_plan(
    split: Split,
    protocol: Protocol,
    minimum_width: int,
    maximum_width: int | None = None,
    *,
    file_order: bool = False,
) -> Plan:
    """All documents once, by length where the width is free and not `file_order`. `maximum_width` is for a
    network of one width: a test set with longer documents than the training set's is cut."""
    free = width_of_split(split, protocol) is None and not file_order
    order = np.argsort(split.lengths, kind="stable") if free else np.arange(split.size)
    size = protocol.batch_size
    blocks = [order[start : start + size] for start in range(0, split.size, size)]
    return _plan(split, blocks, protocol, minimum_width, maximum_width)


def _plan(
    split: Split,
    blocks: Sequence[IntArray],
    protocol: Protocol,
    minimum_width: int,
    maximum_width: int | None = None,
) -> Plan:
    sizes = np.array([len(block) for block in blocks], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    order = np.concatenate(blocks) if blocks else np.empty(0, dtype=np.int64)
    counts = np.diff(split.label_offsets)[order]
    first = np.cumsum(counts) - counts  # place of each document's first positive in the new order
    source = np.repeat(split.label_offsets[order] - first, counts) + np.arange(counts.sum())
    row_in_batch = np.arange(len(order)) - np.repeat(starts[:-1], sizes)
    # what the padding rule says, at most `length`, within the network's reach
    fixed = width_of_split(split, protocol)
    widths: IntArray = np.full(len(blocks), fixed or 0)
    if fixed is None and len(order):
        widths = np.minimum(np.maximum.reduceat(split.lengths[order], starts[:-1]), protocol.length)
    return Plan(
        order=order,
        starts=starts,
        widths=widths.clip(minimum_width, maximum_width),
        label_rows=np.repeat(row_in_batch, counts),
        label_cols=split.label_ids[source].astype(np.int64),
        label_starts=np.concatenate([[0], np.cumsum(counts)])[starts],
    )


# ------------------------------------------------------------------- the documents of a split on the device


class DeviceSplit:
    """Token ids of a split on the device, flat; on a CPU the split's own, read from disk as needed."""

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


# ---------------------------------------------------------------------------------------- the k best labels
# `torch.topk` leaves open which of several equal scores it returns, and CPU and GPU choose differently; equal
# scores are common (a sigmoid that saturates, half precision). The rule here, on any device: score falling,
# then lower label id.

#: Scores looked at in one go in rows with many ties.
_BLOCK = 1 << 22

#: Labels fetched beyond the k best: a tie at the edge that ends among them is settled without another look.
_SPARE = 4


def top_k(scores: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k best labels of each document and their scores: score falling, ties by lower label id. scores (B,
    L), k from 1 to L -> values and int64 ids (B, k); -inf: never predict, id -1. `DataError` for NaN."""
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
    """In `ids`, give the places with the k-th score to the lowest ids of all labels that have it."""
    k = ids.shape[1]
    for rows in torch.split(open_tie.nonzero()[:, 0], max(1, _BLOCK // scores.shape[1])):
        kth = values[rows, -1:]
        above = (values[rows] > kth).sum(dim=1, keepdim=True)  # these keep the places in front
        equal = scores[rows] == kth
        lowest = equal & (equal.cumsum(dim=1, dtype=torch.int32) <= k - above)
        row, label = lowest.nonzero(as_tuple=True)  # k - above of each row, rising
        place = above[row, 0] + torch.arange(len(row), device=row.device) - torch.searchsorted(row, row)
        ids[rows[row], place] = label


Weights = Literal["given", "binary", "tfidf"]


class WordBatch(NamedTuple):
    """B documents. The n entries are sorted by document, and no document has a word twice."""

    documents: Tensor  # int64 (n,): number within the batch
    words: Tensor  # int64 (n,)
    weights: Tensor  # float32 (n,), not zero
    size: int  # B


class DeviceWords:
    """The weighted words of a split on the device; batches are selected there."""

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
        words, weights = (of.index_select(0, place) for of in (self.words, self.weights))
        return WordBatch(row, words, weights, len(documents))


class WordWeights(NamedTuple):
    """How the documents of a data set become weighted words."""

    of: Callable[[Split], sparse.csr_matrix]  # (N, V) of a split, no zero among the values
    words: int  # V
    are_words: bool  # Whether the columns are the words of the vocabulary, and so have vectors

    @property
    def notes(self) -> tuple[str, ...]:
        note = "features: counts of the words of each document, as prepared"
        return (note,) if self.are_words else ()


def word_weights(
    data: Dataset, weights: Weights, *, normalise: bool, texts: bool = False, dtype: type = np.float32
) -> WordWeights:
    """Features of the corpus, or the words of its (cut) texts, with `texts` or where there is nothing else.
    given: as the corpus has them, or how often a word is in a document. binary: 1 for each. tfidf: that times
    1 + ln((1 + N) / (1 + training documents with the word)). `normalise` divides each document by its
    Euclidean norm. Raises `ConfigError` for tfidf of features that are weights already."""
    from sklearn.preprocessing import normalize  # half a second, for networks that take no weights

    are_words = data.train.features is None or (texts and len(data.train.tokens) > 0)

    def plain(split: Split) -> sparse.csr_matrix:
        return words_as_features(split, len(data.vocabulary)) if are_words else split.features

    idf: np.ndarray | None = None
    if weights == "tfidf":
        train = plain(data.train)
        if not are_words and (weighted := train.data[train.data % 1 != 0]).size:
            why = f"the features of {data.name!r} are weights already ({weighted[0]:.3g} is not a count)"
            raise ConfigError(f"weights: tfidf would weigh twice, since {why}; use weights: given")
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
