"""A made corpus of Wiki-500K's shape, generated as it is read.

Wiki-500K as Xun et al. 2020 (Table 1) print it: 1,779,881 training documents, 501,008 labels, 4.75 labels a
document, 2,381,304 distinct words. Here words and labels are drawn with probability 1/rank, so that common
ones are as common as in a language and nearly all words are met; documents have 400 words on average (50 to
750) rather than 808, so that the largest run takes minutes. A word has 6 letters in running text; a document
has 2.4 kB.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from reimpl.data.numbering import Lines
from reimpl.data.source import Document

FULL = 1_779_881
WORDS, LABELS = 2_381_304, 501_008
LABELS_A_DOCUMENT = 4.75
FEWEST, MOST = 50, 750

_A_BLOCK = 400


@dataclass(frozen=True)
class WikiShaped:
    """`documents` for training and a fiftieth of that for testing; the same ones each time."""

    size: int
    name: str = "wiki-shaped"

    @property
    def splits(self) -> tuple[str, ...]:
        return ("train", "test")

    @cached_property
    def words(self) -> list[bytes]:
        """All words: the syllables of their number, at least two."""
        syllables = [a + b for a in "bcdfghjklmnprstvwz" for b in "aeiou"]
        base = len(syllables)
        made = [""] * WORDS
        for number in range(WORDS):
            rest, parts = number + base, []
            while rest:
                rest, digit = divmod(rest, base)
                parts.append(syllables[digit])
            made[number] = "".join(parts)
        return [word.encode() for word in made]

    @property
    def pieces(self) -> dict[str, Callable[[], Iterator[Lines]]]:
        return {split: partial(self.chunks, split) for split in self.splits}

    def chunks(self, split: str) -> Iterator[Lines]:
        """Lines in LibMultiLabel's format, some hundred a chunk."""
        size = self.size if split == "train" else self.size // 50
        rng = np.random.default_rng(0 if split == "train" else 1)
        words = self.words
        for first in range(0, size, _A_BLOCK):
            n = min(_A_BLOCK, size - first)
            lengths = rng.integers(FEWEST, MOST + 1, n)
            labels = rng.poisson(LABELS_A_DOCUMENT - 1, n) + 1
            numbers = _ranks(rng, int(lengths.sum()), WORDS).tolist()
            names = _ranks(rng, int(labels.sum()), LABELS).tolist()
            spans = zip(
                pairwise([0, *np.cumsum(lengths).tolist()]),
                pairwise([0, *np.cumsum(labels).tolist()]),
                strict=True,
            )
            lines = [
                b"%b\t%b\n"
                % (
                    b" ".join(b"Q%d" % name for name in names[c:d]),
                    b" ".join(map(words.__getitem__, numbers[a:b])),
                )
                for (a, b), (c, d) in spans
            ]
            yield Lines(b"".join(lines), self.name, first + 1, ids=False)

    def documents(self, split: str) -> Iterator[Document]:
        """The same, taken apart."""
        for chunk in self.chunks(split):
            for line in chunk.packed.decode().splitlines():
                labels, _, text = line.partition("\t")
                yield Document(tuple(labels.split()), text)

    def digest(self) -> str:
        return hashlib.sha256(f"{self.name} {self.size}".encode()).hexdigest()


def _ranks(rng: np.random.Generator, count: int, most: int) -> np.ndarray:
    """Numbers from 0 with probability about 1/(number + 1)."""
    draws = np.exp(rng.random(count, dtype=np.float32) * np.float32(np.log(most)))
    return np.minimum(draws.astype(np.int64) - 1, most - 1)
