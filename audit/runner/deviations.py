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
    from reimpl.data.catalogue import Observed
    from reimpl.data.dataset import Dataset
    from reimpl.protocol import Protocol

# --------------------------------------------------------------------------- the data

_SIZES = ("train", "test", "labels")
_COUNTED = ("train", "test", "dev", "labels", "features")


def sheet_of(described: Described, data: Dataset) -> DataSheet:
    """The data, as they come, against a data set of a claim file."""
    from reimpl.data.catalogue import differences

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
    from reimpl.data.catalogue import far_apart

    return far_apart(described.printed, _known(data)[0])


def statistics(printed: Mapping[str, str], observed: Observed) -> tuple[DataStatistic, ...]:
    """All that is printed or was counted, by the rules of `catalogue.differences`. With as many places as are
    printed, in the way of counting that agrees if one does."""
    from reimpl.data.catalogue import NOUNS, differences

    every = []
    for name, noun in NOUNS.items():
        text, counts = printed.get(name), observed.statistics.get(name, ())
        if text is None and not counts:
            continue
        agreeing = [
            count
            for count in counts
            if text and not differences({name: text}, replace(observed, statistics={name: (count,)}))
        ]
        places = 0 if name in _COUNTED else 2 if text is None else len(text.partition(".")[2])
        here = f"{(agreeing or counts)[0]:,.{places}f}" if counts else None
        every.append(DataStatistic(noun, text, here, bool(text and counts and not agreeing)))
    return tuple(every)


@lru_cache(maxsize=2)
def _known(data: Dataset) -> tuple[Observed, str]:
    """What is seen of the data, and what the catalogue says to it; once for all experiments on them. Features
    of a corpus without texts; words a document, as the recipe parts them, before any cut."""
    from reimpl.data.catalogue import catalogue, observed_of, recognise
    from reimpl.data.dataset import has_words

    observed, more = observed_of(data), dict[str, tuple[float, ...]]()
    means = {split: data.counts.get(f"{split}.mean_words") for split in data.splits}
    sizes = {split: data.counts.get(f"{split}.documents", 0.0) for split in data.splits}
    train, test = means["train"], means["test"]
    if not has_words(data) and data.train.features is not None:
        more = {"features": (float(data.train.features.shape[1]),)}
    elif train is not None and test is not None:
        total = sum(sizes[split] * (mean or 0.0) for split, mean in means.items())
        more = {
            "words_per_document": (train, total / sum(sizes.values())),
            "words_per_document_train": (train,),
            "words_per_document_test": (test,),
        }
    observed = replace(observed, statistics={**observed.statistics, **more})
    return observed, recognise(observed, catalogue()).sentence


# --------------------------------------------------------------------------- departures

_PLAIN = ("epochs", "learning_rate", "optimiser", "padding", "patience", "weight_decay")
_WORDS = {
    **{key: key.replace("_", " ") for key in _PLAIN},
    "batch_size": "documents a batch",
    "shuffle": "order of training",
    "length": "words kept of a document",
    "select": "epoch that is reported",
    "select_metric": "metric that chooses the epoch",
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


def deviations(paper: Paper, experiment: str, resolved: Resolved, precision: str) -> tuple[Deviation, ...]:
    """All departures of a run of `experiment` from the claim file, those of the public code at the end."""
    from reimpl.protocol import AMOUNTS

    claimed, used, data = resolved.claimed, resolved.used, resolved.whole

    def of_training(key: str, theirs: Any, ours: Any) -> str:
        if used.deviation is None:
            return _BY_COMMAND
        if key in AMOUNTS:  # a reduction is told as one
            return used.deviation
        if key == "learning_rate" and ours < theirs:
            return "lowered by the reduced protocol"
        if key == "learning_rate" and used.epochs < claimed.epochs:
            return "raised, because the reduced protocol takes fewer epochs"
        return f"as the reduced protocol {used.name} has it"

    def of_config(_: str, theirs: Any, ours: Any) -> str:
        """A reduction: a smaller size, or a list smaller in some place and larger in none."""
        if used.deviation is None:
            return _BY_COMMAND
        lists = isinstance(theirs, list | tuple) and isinstance(ours, list | tuple)
        pairs = [_numbers(*pair) for pair in (zip(theirs, ours, strict=False) if lists else [(theirs, ours)])]
        shorter = not lists or len(ours) <= len(theirs)
        if pairs and shorter and all(pair is not None and pair[1] <= pair[0] for pair in pairs):
            return used.deviation
        return "as the model has it under a reduced protocol"

    idle = set[str]()  # what does nothing: where nothing is selected, no metric selects
    if "last" in (claimed.select, used.select):
        idle |= {"select_metric", "keep_from", "select_above"}
    if {claimed.select, used.select} != {"best_on_dev"} or data.dev is not None:
        idle.add("hold_out")
    if {claimed.evaluate, used.evaluate} != {"every_steps"}:
        idle.add("evaluate_every")
    words = {key: word for key, word in _WORDS.items() if key not in idle}
    config, claimed_config = _flat(asdict(resolved.config)), _flat(asdict(resolved.claimed_config))
    departures = [
        *_of_data(paper, experiment, claimed, data, resolved.request),
        *_of_values(asdict(claimed), asdict(used), of_training, words),
        *_of_values(claimed_config, config, of_config, {key: key.replace("_", " ") for key in config}),
    ]
    if precision != "float32":
        departures.append(Deviation("arithmetic", "float32 (assumed)", precision, _BY_COMMAND))
    if not data.padding_trainable and data.preprocessing == "liu2017":
        departures.append(Deviation("padding row", "trainable", "frozen", "recipe"))
    see = "see the configuration of the experiment"
    own = [replace(of, here=see, as_set=True) for of in paper.departures_of(experiment)]
    return (*departures, *own)


def _of_data(
    paper: Paper, experiment: str, claimed: Protocol, data: Dataset, request: DataRequest
) -> Iterator[Deviation]:
    from reimpl.data.catalogue import differences, observed_of

    wanted = paper.single_experiments[experiment]
    printed = paper.datasets[wanted.on]
    known = data.content in (printed.content or ())
    if not known and data.partition and data.partition in (printed.partition or ()):
        here = "the same documents in the same splits, in another order"
        yield Deviation("order of the documents", "as on record", here, "the folder that was given")
    elif not known:
        stand_in = "a stand-in corpus" if request.folder is None else "the folder that was given"
        if printed.corpus and data.corpus in printed.corpus:
            stand_in = "the same documents in another split"
        sizes = ", ".join(f"{key} {value}" for key, value in printed.printed.items())
        here = f"{data.name}: train {data.train.size:,}, test {data.test.size:,}, labels {data.n_labels:,}"
        means = {key: text for key, text in printed.printed.items() if key.endswith(("_document", "_label"))}
        here += "".join(f"; {of}" for of in differences(means, observed_of(data)))  # sizes are told anyway
        yield Deviation("data", f"{printed.name} ({sizes})" if sizes else printed.name, here, stand_in)
    if wanted.vectors:
        size = f"{data.dimension} components"
        vectors, why = f"{Path(request.vectors).name}, {size}", "the file that was given"
        if request.folder is None:
            vectors, why = f"made, {size}, the same for every seed", "made words have no trained vectors"
        elif request.vectors.startswith("random"):
            vectors, why = f"random, {size}, the same for every seed", "no vector file was given"
        numbers = float(claimed.dimension), float(data.dimension)
        yield Deviation("word vectors", wanted.vectors, vectors, why, numbers=numbers)
    if wanted.vocabulary == "reduced":
        yield Deviation(
            "vocabulary",
            "only words that the benchmark's bag-of-words features know",
            "all words of the training set",
            "the list of those words is not public",
        )


def _of_values(
    paper: dict[str, Any], here: dict[str, Any], why: Callable[[str, Any, Any], str], words: dict[str, str]
) -> Iterator[Deviation]:
    for key, value in here.items():
        if paper[key] != value and key in words:
            reason, numbers = why(key, paper[key], value), _numbers(paper[key], value)
            theirs, ours = ("none" if of is None else str(of).replace("_", " ") for of in (paper[key], value))
            yield Deviation(words[key], theirs, ours, reason, numbers=numbers)


def _numbers(paper: Any, here: Any) -> tuple[float, float] | None:
    """Both, where each is a number."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in (paper, here)):
        return float(paper), float(here)
    return None


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """What a model holds of another key by key: `base_config` {maps: 16} is base maps."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            flat |= {f"{key.removesuffix('_config')}_{inner}": of for inner, of in value.items()}
        else:
            flat[key] = value
    return flat
