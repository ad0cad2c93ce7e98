"""Protocols, recipes and tuning protocols in one line each, for who has to choose one by its name.

Whose it is stands here; what it does is read from the object itself, so that the line cannot grow old.
"""

from __future__ import annotations

from collections.abc import Mapping

from reimpl.data.recipe import RECIPES, Recipe
from reimpl.protocol import PROTOCOLS, Protocol
from reimpl.tuning import TUNING

#: Whose protocol it is; a reduced one is that of its name without `-small`.
OF_PROTOCOLS: Mapping[str, str] = {
    "chen2022": "Chen et al. 2022, Appendix A.3",
    "chen2022-code": "Chen et al. 2022, public code",
    "liu2017": "Liu et al. 2017, public code",
    "libmultilabel": "LibMultiLabel's Kim-CNN on EURLEX57K",
    "you2019-code": "You et al. 2019, public code",
    "you2019-paper": "You et al. 2019, as in the paper",
    "xun2020": "Xun et al. 2020, public code",
    "xun2020-paper": "Xun et al. 2020, as in the paper",
    "ye2020": "Ye et al. 2020, as in the paper",
    "ye2020-code": "Ye et al. 2020, public code",
    "wang2019": "Wang et al. 2019, and ours where it is silent",
    "rank-ae-third-party": "a third party's code of Rank-AE",
    "small": "nobody's, for a suite on a laptop's CPU",
}
#: Whose recipe it is.
OF_RECIPES: Mapping[str, str] = {
    "study2022": "Chen et al. 2022, public code",
    "liu2017": "Liu et al. 2017, public code",
    "attentionxml": "You et al. 2019, public code",
    "cornet": "Xun et al. 2020, public code",
    "aplc_xlnet": "Ye et al. 2020, public code",
    "bow": "scikit-learn's tf-idf as it comes, for linear models",
}
_OPTIMISERS = {"adam": "Adam", "lasagne_adam": "Lasagne's Adam", "dense_sparse_adam": "AttentionXML's Adam"}
_VOCABULARIES = {
    "study": "the words of training texts",
    "liu": "the {size:,} most frequent words of training and test texts",
    "attentionxml": "the {size:,} most frequent words of training texts",
    "bow": "the words of training texts",
    "all": "the words of all texts",
}


def protocols() -> dict[str, str]:
    """Name -> whose it is, how long and how it trains, and which epoch is reported."""
    return {name: _protocol(it) for name, it in PROTOCOLS.items()}


def recipes() -> dict[str, str]:
    """Name -> whose it is, and what becomes of the texts."""
    return {name: _recipe(it) for name, it in RECIPES.items()}


def tunings() -> dict[str, str]:
    """Name -> whose it is, and how it seeks."""
    return {name: f"{it.source}: {it.trials} trials by {it.metric}" for name, it in TUNING.items()}


def _protocol(it: Protocol) -> str:
    whole = it.name.removesuffix("-small")
    of = OF_PROTOCOLS.get(it.name) or f"{OF_PROTOCOLS[whole]}, at the sizes of small"
    way = (
        f"{it.epochs} epochs, batches of {it.batch_size}, {_OPTIMISERS[it.optimiser]} at {it.learning_rate:g}"
    )
    return f"{of}: {way}, {it.length} tokens; {_reported(it)}"


def _reported(it: Protocol) -> str:
    if it.select == "last":
        return "the last epoch counts" if it.average_from is None else "averaged weights count"
    on = "the test set" if it.select == "best_on_test" else "documents held out"
    averaged = "" if it.average_from is None else " of averaged weights"
    return f"the best {it.select_metric}{averaged} on {on} counts"


def _recipe(it: Recipe) -> str:
    words = _VOCABULARIES[it.vocabulary].format(size=it.vocabulary_size)
    what = " and ".join(["tokens"] * it.tokens + ["tf-idf features"] * it.tfidf)
    lost = "; training texts without labels are dropped" if it.unlabelled == "drop" else ""
    return f"{OF_RECIPES[it.name]}: {what} of {words}{lost}"
