"""Recipes by name: every choice between a text and the numbers that a model sees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from reimpl.data.text import ATTENTIONXML, LIU, SKLEARN, STUDY, TOKENISED, Tokeniser
from reimpl.data.vectors import OutOfVocabulary
from reimpl.errors import ConfigError

TFIDF = "smooth, l2"
"""Which tf-idf, for fingerprints."""


@dataclass(frozen=True)
class Recipe:
    """How a corpus is prepared. Change single choices with `dataclasses.replace`."""

    name: str
    tokeniser: Tokeniser
    vocabulary: Literal["study", "liu", "attentionxml", "bow", "all"]
    """`study`: training words by document frequency. `liu`: most frequent words of train and test, cut and
    padded before counting. `attentionxml`: as `study`, the most frequent only, ties to words with a vector.
    `bow`: training words by the alphabet. `all`: those of all splits, as they come."""
    out_of_vocabulary: OutOfVocabulary
    padding_trainable: bool
    unlabelled: Literal["drop", "keep"]
    """What happens to TRAINING documents without labels; those of test and dev always stay."""
    empty: Literal["unknown", "nothing"] = "unknown"
    """A text without any word: one unknown word (LibMultiLabel since 5458b28), or no token at all, which a
    fixed length then fills with padding (the study's code)."""
    min_frequency: int = 1  # `study` only: documents that a word must stand in
    vocabulary_size: int = 30_000
    """Words kept. `liu`: the padding is one of them, the unknown word not. `attentionxml`: both are."""
    tokens: bool = True  # Whether documents are word ids; False for models of features alone
    tfidf: bool = False
    """Whether documents have tf-idf features, a column for each word of the vocabulary; see `tfidf`."""

    @property
    def counts_documents(self) -> bool:
        """Whether the words of whole documents are counted."""
        return self.tfidf or self.vocabulary not in ("liu", "all")

    @property
    def identity(self) -> dict[str, str | int | bool]:
        """Every choice that acts, as plain values, for fingerprints."""
        own: dict[str, str | int | bool] = {"min_frequency": self.min_frequency}
        if self.vocabulary in ("liu", "attentionxml"):
            own = {"vocabulary_size": self.vocabulary_size}
        elif self.vocabulary == "all":
            own = {}
        if self.tfidf:
            own |= {"tfidf": TFIDF, "tokens": self.tokens}
        return {
            "tokeniser": self.tokeniser.name,
            "vocabulary": self.vocabulary,
            "out_of_vocabulary": self.out_of_vocabulary,
            "padding_trainable": self.padding_trainable,
            "unlabelled": self.unlabelled,
            "empty": self.empty,
            **own,
        }

    def of(self, source: object) -> Recipe:
        """The recipe for the texts of `source`: those that are `tokenised` already are parted at blanks only.

        This is AttentionXML's rule; the others tokenise whatever they get.
        """
        if self.tokeniser is ATTENTIONXML and getattr(source, "tokenised", False):
            return replace(self, tokeniser=TOKENISED)
        return self


RECIPES = {
    recipe.name: recipe
    for recipe in (
        # Chen et al. 2022, sian-chen/xml-cnn-study-code at 2051eda, libmultilabel/data_utils.py
        Recipe("study2022", STUDY, "study", "zero", padding_trainable=False, unlabelled="drop"),
        # Liu et al. 2017, jimmy646/XML-CNN at 72de8b3, code/data_helpers.py and code/w2v.py. Documents are
        # padded to the longest of their own SPLIT (`Split.longest`), so train and test may differ in width.
        Recipe("liu2017", LIU, "liu", "uniform", padding_trainable=True, unlabelled="keep"),
        # You et al. 2019, yourh/AttentionXML at e2bbbec, preprocess.py and deepxml/data_utils.py. The
        # features are for the label tree, which that code builds from the repository's BOW file.
        Recipe(
            "attentionxml",
            ATTENTIONXML,
            "attentionxml",
            "wide_uniform",
            padding_trainable=False,
            unlabelled="keep",
            vocabulary_size=500_000,
            tfidf=True,
        ),
        # Xun et al. 2020, XunGuangxu/CorNet at ecc0996: AttentionXML's text and vocabulary, and no label
        # tree, so no features. What else differs is the models' business: BertXML appends its [CLS] ids
        # behind the vocabulary and overwrites the word vectors (deepxml/bertxml.py 404-415).
        Recipe(
            "cornet",
            ATTENTIONXML,
            "attentionxml",
            "wide_uniform",
            padding_trainable=False,
            unlabelled="keep",
            vocabulary_size=500_000,
        ),
        # Ye et al. 2020, huiyegit/APLC_XLNet at bf6f91d: texts as they are, with their capitals, for a
        # tokeniser that cuts each word between blanks into pieces by itself (`reimpl.word_pieces`). No word
        # is unknown to it, whichever split it stands in.
        Recipe("aplc_xlnet", TOKENISED, "all", "uniform", padding_trainable=False, unlabelled="keep"),
        # scikit-learn's TfidfVectorizer as it comes, which LibMultiLabel's linear methods use
        Recipe(
            "bow",
            SKLEARN,
            "bow",
            "zero",
            padding_trainable=False,
            unlabelled="keep",
            empty="nothing",
            tokens=False,
            tfidf=True,
        ),
    )
}


def find_recipe(recipe: str | Recipe) -> Recipe:
    """The recipe of that name; raises `ConfigError` naming the known ones."""
    if isinstance(recipe, Recipe):
        return recipe
    if recipe not in RECIPES:
        raise ConfigError(f"recipe {recipe!r} is unknown; known are {', '.join(RECIPES)}")
    return RECIPES[recipe]
