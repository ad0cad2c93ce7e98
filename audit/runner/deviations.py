"""How what is run departs from what the paper and its public code say, one sentence a departure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.claims.load import Paper
from audit.claims.schema import Dataset as Described
from audit.record import DataSheet, DataStatistic, Deviation

if TYPE_CHECKING:
    from audit.runner.resolve import DataRequest, Resolved
    from reimpl.data.dataset import Dataset
    from reimpl.data.identity import Observed
    from reimpl.protocol import Protocol


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


SEE_SETTINGS = "see the configuration of the experiment"
_WORDS = {
    "epochs": "epochs",
    "batch_size": "documents a batch",
    "learning_rate": "learning rate",
    "optimiser": "optimiser",
    "shuffle": "order of training",
    "padding": "padding",
    "length": "words kept of a document",
    "select": "epoch that is reported",
    "select_metric": "metric that chooses the epoch",
    "patience": "patience",
    "weight_decay": "weight decay",
    "clip": "bound of the gradients",
    "hold_out": "documents held out",
    "evaluate_every": "steps from one evaluation to the next",
    "average_from": "epochs before weights are averaged",
    "keep_from": "epochs before the best weights are kept",
    "select_above": "score that the first evaluation must exceed",
    "part_rates": "learning rates of parts",
    "schedule": "course of the learning rate",
    "warm_up": "steps before rates fall",
}


_BY_COMMAND = "chosen on the command line"
_IN_PROPORTION = "in proportion to the epochs, of which the reduced protocol has fewer"
#: `reimpl.protocol.AVERAGE_FROM_SHARE` has more.
_LATER = "later, because at reduced sizes the scores rise for longer, and the mean lags behind them"
_INSTEAD = {
    "evaluate_every": "more often, because reduced runs are short",
    "hold_out": "a share of the training documents, because a reduced protocol is for corpora of any size",
}


def deviations(paper: Paper, experiment: str, found: Resolved, precision: str) -> tuple[Deviation, ...]:
    """All departures of a run of `experiment` from the claim file, those of the public code at the end."""
    claimed, used, data = found.claimed, found.used, found.whole
    words = _acting(claimed, used, data)

    def of_training(key: str, theirs: Any, ours: Any) -> str:
        return _why_training(claimed, used, key, theirs, ours)

    def of_config(_: str, theirs: Any, ours: Any) -> str:
        if used.deviation is None:
            return _BY_COMMAND
        reduced = is_reduction(theirs, ours)
        return used.deviation if reduced else "as the model has it under a reduced protocol"

    config, claimed_config = _flat(asdict(found.config)), _flat(asdict(found.claimed_config))
    departures = [
        *_of_data(paper, experiment, claimed, data, found.request),
        *_of_values(asdict(claimed), asdict(used), of_training, words),
        *_of_values(claimed_config, config, of_config, {key: key.replace("_", " ") for key in config}),
    ]
    if precision != "float32":
        departures.append(Deviation("arithmetic", "float32 (assumed)", precision, _BY_COMMAND))
    if not data.padding_trainable and data.preprocessing == "liu2017":
        departures.append(Deviation("padding row", "trainable", "frozen", "recipe"))
    own = [replace(it, here=SEE_SETTINGS, as_set=True) for it in paper.departures_of(experiment)]
    return (*departures, *own)


def _why_training(claimed: Protocol, used: Protocol, key: str, paper: Any, here: Any) -> str:
    """Why a field of the protocol is not as claimed: a reduction is told as one, the rest has its reason."""
    from reimpl.protocol import AMOUNTS, BEGINNINGS

    if used.deviation is None:
        return _BY_COMMAND
    if key in AMOUNTS:
        return used.deviation
    if key == "learning_rate" and here < paper:
        return "lowered by the reduced protocol"
    if key == "learning_rate" and used.epochs < claimed.epochs:
        return "raised, because the reduced protocol takes fewer epochs"
    if paper is not None and here is not None:
        if key in BEGINNINGS:
            return _LATER if here > round(paper / claimed.epochs * used.epochs) else _IN_PROPORTION
        if key in _INSTEAD:
            return _INSTEAD[key]
    return f"as the reduced protocol {used.name} has it"


def is_reduction(paper: Any, here: Any) -> bool:
    """Whether a size is smaller; of lists, whether it is in some place and larger in none.

    >>> is_reduction(512, 128), is_reduction(16, 32), is_reduction((512, 16), (32, 16))
    (True, False, True)
    >>> is_reduction((6, 2), ()), is_reduction(300, "as_vectors")
    (False, False)
    """
    if isinstance(paper, list | tuple) and isinstance(here, list | tuple):
        pairs = list(zip(paper, here, strict=False))
        return bool(pairs) and len(here) <= len(paper) and all(b <= a for a, b in pairs)
    numbers = _numbers(paper, here)
    return numbers is not None and numbers[1] < numbers[0]


def _acting(claimed: Protocol, used: Protocol, data: Dataset) -> dict[str, str]:
    """The keys that do something: where nothing is selected, no metric selects."""
    both, idle = (claimed, used), set[str]()
    if any(it.select == "last" for it in both):
        idle |= {"select_metric", "keep_from", "select_above"}
    if any(it.select != "best_on_dev" for it in both) or data.dev is not None:
        idle.add("hold_out")
    if any(it.evaluate != "every_steps" for it in both):
        idle.add("evaluate_every")
    return {key: word for key, word in _WORDS.items() if key not in idle}


def _of_data(
    paper: Paper, experiment: str, claimed: Protocol, data: Dataset, request: DataRequest
) -> Iterator[Deviation]:
    from reimpl.data.identity import differences, observed_of

    wanted = paper.single_experiments[experiment]
    printed = paper.datasets[wanted.on]
    sizes = ", ".join(f"{key} {value}" for key, value in printed.printed.items())
    here = f"{data.name}: train {data.train.size:,}, test {data.test.size:,}, labels {data.n_labels:,}"
    known = data.content in (printed.content or ())
    if not known and data.partition and data.partition in (printed.partition or ()):
        here = "the same documents in the same splits, in another order"
        yield Deviation("order of the documents", "as on record", here, "the folder that was given")
    elif not known:
        stand_in = "a stand-in corpus" if request.folder is None else "the folder that was given"
        if printed.corpus and data.corpus in printed.corpus:
            stand_in = "the same documents in another split"
        means = {key: it for key, it in printed.printed.items() if key.endswith(("_document", "_label"))}
        apart = "".join(f"; {it}" for it in differences(means, observed_of(data)))  # sizes are told anyway
        yield Deviation(
            "data", f"{printed.name} ({sizes})" if sizes else printed.name, here + apart, stand_in
        )
    if wanted.vectors:
        numbers = float(claimed.dimension), float(data.dimension)
        yield Deviation("word vectors", wanted.vectors, *_vectors(data, request), numbers=numbers)
    if wanted.vocabulary == "reduced":
        yield Deviation(
            "vocabulary",
            "only words that the benchmark's bag-of-words features know",
            "all words of the training set",
            "the list of those words is not public",
        )


def _vectors(data: Dataset, request: DataRequest) -> tuple[str, str]:
    """The initial word vectors that were used, and why."""
    size = f"{data.dimension} components"
    if request.folder is None:
        return f"made, {size}, the same for every seed", "made words have no trained vectors"
    if request.vectors.startswith("random"):
        return f"random, {size}, the same for every seed", "no vector file was given"
    return f"{Path(request.vectors).name}, {size}", "the file that was given"


def _of_values(
    paper: dict[str, Any], here: dict[str, Any], why: Callable[[str, Any, Any], str], words: dict[str, str]
) -> Iterator[Deviation]:
    for key, value in here.items():
        if paper[key] != value and key in words:
            reason, numbers = why(key, paper[key], value), _numbers(paper[key], value)
            yield Deviation(words[key], _text(paper[key]), _text(value), reason, numbers=numbers)


def _numbers(paper: Any, here: Any) -> tuple[float, float] | None:
    """Both, where each is a number."""
    if all(isinstance(it, int | float) and not isinstance(it, bool) for it in (paper, here)):
        return float(paper), float(here)
    return None


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """What a model holds of another key by key: `base_config` {maps: 16} is base maps."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        held = value.items() if isinstance(value, Mapping) else ()
        flat |= {f"{key.removesuffix('_config')}_{inner}": it for inner, it in held}
        if not isinstance(value, Mapping):
            flat[key] = value
    return flat


def _text(value: Any) -> str:
    return str(value).replace("_", " ") if value is not None else "none"
