"""The arrays of one split, from the numbers of the corpus: token ids, labels, features; a block at a time."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from reimpl.data.dataset import FloatArray, IntArray, Split, offsets_of
from reimpl.data.encode import Ragged, SplitNumbers
from reimpl.data.recipe import Recipe
from reimpl.data.spool import Arrays, steps
from reimpl.data.tfidf import weigh
from reimpl.data.vocabulary import Vocabulary

#: Tokens that are turned into ids at once.
_BLOCK = 4_000_000


def finished_split(
    split: str,
    part: SplitNumbers,
    recipe: Recipe,
    vocabulary: Vocabulary,
    order: IntArray,
    weights: FloatArray,
    arrays: Arrays,
) -> tuple[Split, IntArray, int]:
    """The split; how often each word of the vocabulary stands in it (V,); and its words without a row.

    What is known of the ids is told to the split, so that gigabytes of them are not read again.
    """
    tokens, offsets, times = _tokens(split, part, recipe, vocabulary, arrays)
    unknown = int(times[vocabulary.unknown_id]) if recipe.tokens else 0
    features = None
    if recipe.tfidf:
        columns = np.where(vocabulary.ids == vocabulary.unknown_id, -1, vocabulary.ids)
        n_columns = len(vocabulary.words)
        features, known = weigh(part, columns, weights, n_columns, arrays, f"{split}.features")
        if not recipe.tokens:
            unknown = int(part.words.sum(dtype=np.int64)) - known
    if recipe.empty == "unknown":
        times[vocabulary.unknown_id] += int((part.kept == 0).sum())
    labels = _sorted_labels(part.labels, order)
    flat = {"label_ids": labels.values, "label_offsets": labels.offsets, "offsets": offsets}
    stored = {}
    for name, values in flat.items():
        growing = arrays.new(f"{split}.{name}", values.dtype.type)
        growing.append(values)
        stored[name] = growing.done()
    split_made = Split(tokens=tokens, features=features, **stored)
    met = np.flatnonzero(times)
    token_range = (int(met[0]), int(met[-1])) if len(met) else (0, -1)
    return split_made.with_ranges(token_range, split_made.label_range), times, unknown


def _tokens(
    split: str, part: SplitNumbers, recipe: Recipe, vocabulary: Vocabulary, arrays: Arrays
) -> tuple[IntArray, IntArray, IntArray]:
    """Token ids, their offsets, and how often each id stands there (V,) before empty texts are filled."""
    ids = arrays.new(f"{split}.tokens", np.int32)
    times = np.zeros(len(vocabulary.words), dtype=np.int64)
    read, kept = part.tokens.reader(), part.kept
    for first, last in steps(kept, _BLOCK):
        lengths = kept[first:last]
        values = vocabulary.ids[read(int(lengths.sum(dtype=np.int64)))]
        times += np.bincount(values, minlength=len(times))
        if recipe.empty == "unknown":
            values = Ragged(values, offsets_of(lengths)).filled(vocabulary.unknown_id).values
        ids.append(values)
    lengths = np.maximum(kept, 1) if recipe.empty == "unknown" else kept
    return ids.done(), offsets_of(lengths), times


def _sorted_labels(labels: Ragged, order: IntArray) -> Ragged:
    """Label ids, rising within a document; a label written twice counts once."""
    ids = order[labels.values].astype(np.int32)
    ones = np.ones(len(ids), dtype=np.int8)
    matrix = sparse.csr_matrix((ones, ids, labels.offsets), shape=(len(labels.offsets) - 1, len(order)))
    matrix.sum_duplicates()
    return Ragged(matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64))
