"""fastText (Joulin et al. 2017): its own program, from the package fasttext-community (MIT).

The mean of the vectors of a document's words, a linear layer, and the loss. By `softmax` one of a document's
labels, drawn anew each epoch, is the class; by `ova` each label is a question of its own; `hs` is a softmax
over a Huffman tree. One thread, so that a seed gives one result.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np

from reimpl.baselines.libraries import at_work, lacking, result
from reimpl.data.dataset import Dataset, Split
from reimpl.errors import ConfigError
from reimpl.machine import peak_memory
from reimpl.protocol import Protocol, check
from reimpl.training import How, Result, kept

#: What of a corpus it can learn from.
TAKES = ("texts",)
_LABEL = "__label__"
#: Documents that are ranked together.
_BATCH = 1000
#: Vectors of sequences of words, which share them by their hash.
_BUCKETS = 2_000_000


@dataclass(frozen=True)
class Config:
    """What distinguishes the members of the family: the program's own arguments."""

    loss: Literal["softmax", "ova", "hs"] = "softmax"
    dimension: int = 100
    epochs: int = 5
    learning_rate: float = 0.1
    """Initial rate; it falls linearly to 0 with the words read."""
    word_ngrams: int = 1

    def __post_init__(self) -> None:
        check(self)
        if not 0 < self.learning_rate < float("inf"):
            raise ConfigError(f"fasttext: learning_rate must be positive, not {self.learning_rate!r}")


VARIANTS = {
    # the program's defaults, which suit corpora of millions of documents
    "default": Config(),
    # learning rate and epochs of the program's tutorial on text classification, before it adds word pairs
    "tutorial": Config(epochs=25, learning_rate=1.0),
    # the tutorial's section on several labels per document
    "one-vs-all": Config(loss="ova", epochs=25, learning_rate=0.5),
}


def missing(config: Config) -> str | None:
    """What this machine lacks, and how to get it; None where all is there."""
    return lacking("fasttext")


def train(config: Config, data: Dataset, protocol: Protocol, **how: Unpack[How]) -> Result:
    """Of the protocol the length of a document counts alone. Raises `Interrupted` before it begins."""
    import fasttext

    began = time.perf_counter()
    with at_work(how.get("watch")) as folder:
        path = folder / "train.txt"
        labels = np.split(data.train.label_ids, data.train.label_offsets[1:-1])
        texts = zip(_texts(data.train, protocol.length), labels, strict=True)
        lines = (f"{' '.join(f'{_LABEL}{label}' for label in of)} {text}\n" for text, of in texts if len(of))
        with path.open("w") as file:
            file.writelines(lines)
        arguments: dict[str, Any] = {"loss": config.loss, "dim": config.dimension, "epoch": config.epochs}
        arguments |= {"lr": config.learning_rate, "wordNgrams": config.word_ngrams, "seed": how["seed"]}
        try:
            model = fasttext.train_supervised(str(path), thread=1, verbose=0, **arguments)
        except RuntimeError as err:  # numbers that are none, at a rate that is too high
            seconds, why = time.perf_counter() - began, f"fastText ended with {str(err)!r}"
            return Result({}, (), seconds, peak_memory(), 0, reason=f"{why}: try a lower learning_rate")
    trained = time.perf_counter()
    words, known = len(model.get_words()), len(model.get_labels())
    never = data.n_labels - known
    return result(
        data,
        _rankings(model, list(_texts(data.test, protocol.length)), kept(data)),
        began=began,
        trained=trained,
        parameters=config.dimension * (words + known + _BUCKETS * (config.word_ngrams > 1)),
        notes=(f"{never} labels without a training document are never predicted",) if never else (),
    )


def _texts(split: Split, length: int) -> Iterator[str]:
    """Ids of the words, which it takes for words: it looks into none."""
    for of in np.split(split.tokens, split.offsets[1:-1]):
        yield " ".join(map(str, of[:length].tolist()))


def _rankings(model: Any, texts: list[str], k: int) -> Iterator[list[tuple[int, float]]]:
    for first in range(0, len(texts), _BATCH):
        for labels, scores in zip(*model.predict(texts[first : first + _BATCH], k=k), strict=True):
            ids = (int(label.removeprefix(_LABEL)) for label in labels)
            yield list(zip(ids, np.asarray(scores).tolist(), strict=True))
