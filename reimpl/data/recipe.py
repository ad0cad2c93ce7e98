"""Recipes by name: every choice between a text and the numbers that a model sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reimpl.data.tokenise import LIU, STUDY, Tokeniser
from reimpl.data.vectors import OutOfVocabulary
from reimpl.errors import ConfigError


@dataclass(frozen=True)
class Recipe:
    """How a corpus is prepared. Change single choices with `dataclasses.replace`."""

    name: str
    tokeniser: Tokeniser
    vocabulary: Literal["study", "liu"]
    """`study`: training words by document frequency. `liu`: most frequent words of train and test, cut and
    padded before counting."""
    out_of_vocabulary: OutOfVocabulary
    padding_trainable: bool
    unlabelled: Literal["drop", "keep"]
    """What happens to TRAINING documents without labels; those of test and dev always stay."""
    empty: Literal["unknown", "nothing"] = "unknown"
    """A text without any word: one unknown word (LibMultiLabel since 5458b28), or no token at all, which a
    fixed length then fills with padding (the study's code)."""
    min_frequency: int = 1
    """`study` only: documents that a word must stand in."""
    vocabulary_size: int = 30_000
    """`liu` only: words kept, the padding counted among them, the unknown word not."""

    def __post_init__(self) -> None:
        for name in ("min_frequency", "vocabulary_size"):
            if getattr(self, name) < 1:
                raise ConfigError(f"recipe {self.name}: {name} is {getattr(self, name)!r}; give at least 1")

    @property
    def identity(self) -> dict[str, str | int | bool]:
        """Every choice that acts, as plain values, for fingerprints."""
        own = {"min_frequency": self.min_frequency}
        if self.vocabulary == "liu":
            own = {"vocabulary_size": self.vocabulary_size}
        return {
            "tokeniser": self.tokeniser.name,
            "vocabulary": self.vocabulary,
            "out_of_vocabulary": self.out_of_vocabulary,
            "padding_trainable": self.padding_trainable,
            "unlabelled": self.unlabelled,
            "empty": self.empty,
            **own,
        }


RECIPES = {
    recipe.name: recipe
    for recipe in (
        # Chen et al. 2022, sian-chen/xml-cnn-study-code at 2051eda, libmultilabel/data_utils.py
        Recipe("study2022", STUDY, "study", "zero", padding_trainable=False, unlabelled="drop"),
        # Liu et al. 2017, jimmy646/XML-CNN at 72de8b3, code/data_helpers.py and code/w2v.py. Documents are
        # padded to the longest of their own SPLIT (`Split.longest`), so train and test may differ in width.
        Recipe("liu2017", LIU, "liu", "uniform", padding_trainable=True, unlabelled="keep"),
    )
}


def find_recipe(recipe: str | Recipe) -> Recipe:
    """The recipe of that name; raises `ConfigError` naming the known ones."""
    if isinstance(recipe, Recipe):
        return recipe
    if recipe not in RECIPES:
        raise ConfigError(f"recipe {recipe!r} is unknown; known are {', '.join(RECIPES)}")
    return RECIPES[recipe]
