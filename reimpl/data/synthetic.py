"""A synthetic corpus: seeded, in memory, in about a second; what `audit run` uses without data. A document
holds one passage of topic words for each of its labels, at a random place among background words: which words
occur identifies the labels, their position does not. So the question of the XML-CNN study, how a model reads
a text, decides alone. It is no evidence about EUR-Lex: its verdicts have the scope `other_data`."""

from __future__ import annotations

import hashlib

import numpy as np

from reimpl.data.dataset import Dataset, FloatArray, IntArray, Split, offsets_of
from reimpl.data.numbering import identities_of_sums, rows_as_bytes, sum_of_digests

PAD, UNK = "**PAD**", "<unk>"


N_TRAIN, N_TEST, N_LABELS = 1500, 1000, 40
LABEL_EXPONENT = 0.8  # Zipf exponent of the label frequencies: 0 is uniform
MOST_LABELS = 4  # A document has 1 to this many labels, fewer being likelier
WORDS_PER_LABEL = 16  # Topic words that a label owns alone
TOPIC_PROBABILITY = 0.2  # Share of a document's positions that hold a topic word
NOISE = 0.2  # Share of topic words, beyond the first of each passage, that are of a random label
N_BACKGROUND = 500
BACKGROUND_EXPONENT = 1.0  # Zipf exponent of the background words
MEAN_LENGTH = 80.0  # Mean words a document; log-normal, spread 0.4, cut to 5 .. `length`.
VECTOR_SCALE = 0.3  # Standard deviation of a component; trained GloVe components have about this
LIKENESS = 0.5  # What vectors of two words of one label have in common, 0 to 1
BACKGROUND_SCALE = 0.5  # Size of background words' vectors against topic words'


def synthetic(*, seed: int = 0, length: int = 96, dimension: int = 32) -> Dataset:
    """The synthetic corpus of `seed`: documents of at most `length` words, vectors of E = `dimension`."""
    rng = np.random.default_rng(seed)
    topics = [f"topic{i}_{j}" for i in range(N_LABELS) for j in range(WORDS_PER_LABEL)]
    # the topic words label by label, the background words by falling frequency
    words = (PAD, UNK, *topics, *(f"word{i}" for i in range(N_BACKGROUND)))
    train = _split(N_TRAIN, length, rng)
    test = _split(N_TEST, length, rng)
    vectors = _vectors(len(words), dimension, rng)
    sums = {}
    for name, part in (("train", train), ("test", test)):
        rows = rows_as_bytes(part.label_ids, part.label_offsets, part.offsets, part.tokens)
        sums[name] = part.size, sum_of_digests(rows)
    return Dataset(
        name="synthetic",
        preprocessing="synthetic",
        fingerprint=_digest(train, test, vectors),
        content=_digest(train, test),
        **identities_of_sums(sums, "made "),
        train=train,
        test=test,
        labels=tuple(f"topic{i}" for i in range(N_LABELS)),
        vocabulary=words,
        vectors=vectors,
        padding_id=0,
        padding_trainable=False,
        counts={"length": length, "seed": seed},
        notes=("A made corpus (Zipf labels, topic words at random positions), not a corpus of any paper.",),
    )


def _digest(train: Split, test: Split, *more: FloatArray) -> str:
    """SHA-256 of the arrays, so that another random generator gives another corpus."""
    digest = hashlib.sha256()
    for split in (train, test):
        for array in (split.tokens, split.offsets, split.label_ids, split.label_offsets):
            digest.update(array.tobytes())
    for extra in more:
        digest.update(extra.tobytes())
    return digest.hexdigest()


def _zipf(n: int, exponent: float) -> FloatArray:
    """Probabilities (n,) proportional to 1 / rank^exponent."""
    weights: FloatArray = 1.0 / np.arange(1, n + 1) ** exponent
    weights /= weights.sum()
    return weights


def _vectors(n_words: int, dimension: int, rng: np.random.Generator) -> FloatArray:
    """float32 (V, E): normal rows; words of one label resemble one another. Zero for PAD and UNK."""
    vectors = rng.normal(0.0, 1.0, (n_words, dimension))
    first = 2 + N_LABELS * WORDS_PER_LABEL
    common = np.repeat(rng.normal(0.0, 1.0, (N_LABELS, dimension)), WORDS_PER_LABEL, axis=0)
    vectors[2:first] = LIKENESS * common + np.sqrt(1 - LIKENESS**2) * vectors[2:first]
    vectors[first:] *= BACKGROUND_SCALE
    vectors[:2] = 0.0
    scaled: FloatArray = (VECTOR_SCALE * vectors).astype(np.float32)
    return scaled


def _split(n: int, length: int, rng: np.random.Generator) -> Split:
    drawn = np.clip(rng.lognormal(np.log(MEAN_LENGTH) - 0.08, 0.4, n), 5, length)
    offsets = offsets_of(np.maximum(drawn.astype(np.int64), MOST_LABELS))
    label_ids, label_offsets = _labels(n, rng)
    first = 2 + N_LABELS * WORDS_PER_LABEL
    cumulative = np.cumsum(_zipf(N_BACKGROUND, BACKGROUND_EXPONENT))
    background = np.searchsorted(cumulative, rng.random(int(offsets[-1])), side="right")
    tokens = (first + np.minimum(background, N_BACKGROUND - 1)).astype(np.int32)
    _place_topics(tokens, offsets, label_ids, label_offsets, rng)
    return Split(tokens, offsets, label_ids, label_offsets)


def _labels(n: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Label ids and offsets of n documents: how many with weights 1, 1/2, 1/3, ...; which ones by Zipf,
    without repetition by the Gumbel trick: the largest of log-probability plus Gumbel noise."""
    sizes = rng.choice(np.arange(1, MOST_LABELS + 1), size=n, p=_zipf(MOST_LABELS, 1.0))
    scores = np.log(_zipf(N_LABELS, LABEL_EXPONENT)) + rng.gumbel(size=(n, N_LABELS))
    chosen = np.argsort(-scores, axis=1)[:, :MOST_LABELS]
    keep = np.arange(MOST_LABELS) < sizes[:, None]
    # ids beyond a document's size sort to the end of its row and are cut off there
    ids = np.sort(np.where(keep, chosen, N_LABELS), axis=1)
    return ids[ids < N_LABELS].astype(np.int32), offsets_of(sizes)


def _place_topics(
    tokens: IntArray,
    offsets: IntArray,
    label_ids: IntArray,
    label_offsets: IntArray,
    rng: np.random.Generator,
) -> None:
    """Writes one passage of topic words for each label into each document, in place: in random order, without
    overlap, with the background words distributed at random between them. The first word of a passage is its
    label's own, each other one is, with probability `NOISE`, of a random label."""
    lengths, sizes = np.diff(offsets), np.diff(label_offsets)
    wanted = np.maximum(rng.binomial(lengths, TOPIC_PROBABILITY), sizes)
    document = np.repeat(np.arange(len(lengths)), sizes)  # of each passage
    label = label_ids[np.argsort(document + rng.random(len(document)))]
    number = np.arange(len(document)) - label_offsets[document]
    words = wanted[document] // sizes[document] + (number < wanted[document] % sizes[document])
    # Background words before each passage: sorted cuts of the document's background.
    cuts = np.floor(rng.random(len(document)) * (lengths - wanted + 1)[document]).astype(np.int64)
    cuts = cuts[np.lexsort((cuts, document))]
    written = np.cumsum(words) - words
    start = offsets[document] + cuts + written - written[label_offsets[document]]
    turn = np.arange(words.sum()) - np.repeat(written, words)
    place = np.repeat(start, words) + turn
    owner = np.repeat(label, words)
    off_topic = (turn > 0) & (rng.random(len(turn)) < NOISE)
    owner = np.where(off_topic, rng.integers(N_LABELS, size=len(turn)), owner)
    tokens[place] = 2 + owner * WORDS_PER_LABEL + rng.integers(WORDS_PER_LABEL, size=len(turn))
