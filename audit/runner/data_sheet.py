"""A corpus beside the paper's description of its own: identity, each statistic as printed and here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from audit.claims.schema import Dataset as Described
from audit.record import DataSheet, DataStatistic

if TYPE_CHECKING:
    from reimpl.data.dataset import Dataset
    from reimpl.data.identity import Observed

_SIZES = ("train", "test", "labels")
_COUNTED = ("train", "test", "dev", "labels", "features")


def sheet_of(described: Described, data: Dataset) -> DataSheet:
    """The data, as they come, against a data set of a claim file."""
    from reimpl.data.identity import differences

    observed, recognised = _known(data)
    sizes = {name: described.printed[name] for name in _SIZES if name in described.printed}
    return DataSheet(
        dataset=described.name,
        recognised=recognised,
        content=data.content,
        partition=data.partition,
        corpus=data.corpus,
        statistics=statistics(described.printed, observed),
        sizes_apart=differences(sizes, observed),
    )


def has_other_sizes(described: Described, data: Dataset) -> bool:
    """Whether it holds far more or fewer documents than are printed."""
    from reimpl.data.identity import far_apart

    return far_apart(described.printed, _known(data)[0])


def statistics(printed: Mapping[str, str], observed: Observed) -> tuple[DataStatistic, ...]:
    """All that is printed or was counted, by the rules of `identity.differences`."""
    from reimpl.data.identity import NOUNS, differences

    return tuple(
        DataStatistic(
            name=noun,
            printed=printed.get(name),
            here=_shown(name, printed.get(name), observed),
            differs=bool(differences({name: printed[name]}, observed)) if name in printed else False,
        )
        for name, noun in NOUNS.items()
        if name in printed or name in observed.statistics
    )


def _shown(name: str, printed: str | None, observed: Observed) -> str | None:
    """With as many places as are printed, in the way of counting that agrees if one does; or None."""
    from reimpl.data.identity import differences

    readings = observed.statistics.get(name)
    if not readings:
        return None
    places = 0 if name in _COUNTED else 2 if printed is None else len(printed.partition(".")[2])
    agree = (
        it
        for it in readings
        if printed is not None
        and not differences({name: printed}, replace(observed, statistics={name: (it,)}))
    )
    return f"{next(agree, readings[0]):,.{places}f}"


@lru_cache(maxsize=2)
def _known(data: Dataset) -> tuple[Observed, str]:
    """What is seen of the data, and what the catalogue says to it; once for all experiments on them."""
    from reimpl.data.catalogue import catalogue
    from reimpl.data.identity import observed_of, recognise

    observed = observed_of(data)
    observed = replace(observed, statistics={**observed.statistics, **_more(data)})
    return observed, recognise(observed, catalogue()).sentence


def _more(data: Dataset) -> dict[str, tuple[float, ...]]:
    """Features of a corpus without texts; words a document, as the recipe parts them, before any cut."""
    from reimpl.data.dataset import has_words

    if not has_words(data) and data.train.features is not None:
        return {"features": (float(data.train.features.shape[1]),)}
    means = {split: data.counts.get(f"{split}.mean_words") for split in data.splits}
    sizes = {split: data.counts.get(f"{split}.documents", 0.0) for split in data.splits}
    train, test = means["train"], means["test"]
    if train is None or test is None:
        return {}
    total = sum(sizes[split] * (mean or 0.0) for split, mean in means.items())
    return {
        "words_per_document": (train, total / sum(sizes.values())),
        "words_per_document_train": (train,),
        "words_per_document_test": (test,),
    }
