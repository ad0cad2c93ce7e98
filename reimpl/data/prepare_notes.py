"""What preparation counted, and the sentences that tell it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from reimpl.data.dataset import IntArray, Split
from reimpl.data.encode import SplitNumbers
from reimpl.data.recipe import Recipe
from reimpl.data.tokenise import ATTENTIONXML, TOKENISED
from reimpl.data.vectors import Lookup, described
from reimpl.data.vocabulary import Vocabulary


def of_split(
    split: str, part: SplitNumbers, made: Split, *, length: int, unknown: int, cut: bool
) -> dict[str, float]:
    """Counts of one split; `unknown` of its kept words (of all where nothing is `cut`) have no row."""
    n, words = part.size, part.words
    truncated = int((words > length).sum()) if cut else 0
    read = (part.kept if cut else words).sum(dtype=np.int64)
    return {
        f"{split}.documents": n,
        f"{split}.mean_words": float(words.mean()) if n else 0.0,
        f"{split}.truncated": truncated,
        f"{split}.truncated_share": truncated / n if n else 0.0,
        f"{split}.unknown_word_share": unknown / max(int(read), 1),
        f"{split}.empty_texts": int((words == 0).sum()),
        f"{split}.duplicate_labels": len(part.labels.values) - len(made.label_ids),
    }


def of_universe(splits: Mapping[str, Split], n_labels: int) -> dict[str, float]:
    """The label set is that of all splits together; labels without a training document are counted.

    The share of unknown labels is that of the labels that a split's documents have, repetitions not counted.
    """
    seen = {split: np.bincount(part.label_ids, minlength=n_labels) > 0 for split, part in splits.items()}
    counts: dict[str, float] = {"labels": n_labels, "labels.not_in_train": int((~seen["train"]).sum())}
    counts |= {f"labels.in_{split}": int(mask.sum()) for split, mask in seen.items()}
    for split, part in splits.items():
        if split != "train":
            unknown = int((~seen["train"])[part.label_ids].sum())
            counts[f"{split}.unknown_label_share"] = unknown / max(len(part.label_ids), 1)
    return counts | {"labels.test_not_in_train": int((seen["test"] & ~seen["train"]).sum())}


def of_vectors(lookup: Lookup, times: IntArray, vocabulary: Vocabulary, *, known: int) -> dict[str, float]:
    """Coverage: of the words of the vocabulary, and of the training text (cut) without the special words.

    `times` (V,) is how often each word stands there; `known` words were met in all texts.
    """
    found = lookup.found
    ordinary = np.ones(len(found), dtype=np.bool_)
    special = [number for number in vocabulary.special if number >= 0]
    ordinary[special] = False
    text = int(times[ordinary].sum())
    return {
        **lookup.counts,
        "vocabulary": len(found),
        "vocabulary.words_met": known,
        "vectors.words_found_share": float(found[ordinary].mean()) if ordinary.any() else 0.0,
        "vectors.text_found_share": int(times[ordinary & found].sum()) / text if text else 0.0,
    }


def notes(counts: Mapping[str, float], recipe: Recipe, length: int) -> tuple[str, ...]:
    """One sentence for each rule that acted."""
    splits = [split for split in ("train", "test", "dev") if f"{split}.documents" in counts]
    empty = "one unknown word" if recipe.empty == "unknown" else "no token"
    told = [(counts["labels.test_not_in_train"], "{} labels occur in test and in no training document.")]
    for split in splits:
        told += [
            (
                counts.get(f"{split}.unlabelled_dropped", 0),
                f"{split}: {{}} documents without labels dropped.",
            ),
            (counts.get(f"{split}.unlabelled_kept", 0), f"{split}: {{}} documents without labels kept."),
            (counts[f"{split}.empty_texts"], f"{split}: {{}} texts without words became {empty}."),
            (counts[f"{split}.duplicate_labels"], f"{split}: {{}} repeated labels counted once."),
        ]
        cut = f"{split}: {{}} of {counts[f'{split}.documents']:.0f} documents cut to {length} words."
        told.append((counts[f"{split}.truncated"], cut))
    return (
        *(sentence.format(int(count)) for count, sentence in told if count),
        *_of_recipe(recipe),
        *((_coverage(counts, recipe),) if recipe.tokens else ()),
    )


def _of_recipe(recipe: Recipe) -> tuple[str, ...]:
    told = []
    if recipe.tokeniser is ATTENTIONXML:
        told.append(
            "Words by NLTK 3.4's rules without its sentence splitter: "
            "a full stop inside a text stays at its word."
        )
    if recipe.tokeniser is TOKENISED:
        told.append("The texts were tokenised already and are parted at blanks.")
    if recipe.tfidf:
        told.append("Features: tf-idf of whole documents, as scikit-learn's TfidfVectorizer weighs words.")
    return tuple(told)


def _coverage(counts: Mapping[str, float], recipe: Recipe) -> str:
    # rounded down: 100.0 % would say that no word was missed
    covered = f"{math.floor(1000 * counts['vectors.text_found_share']) / 10} % of the training text"
    return f"Words with a vector: {covered}; the other rows are {described(recipe.out_of_vocabulary)}."
