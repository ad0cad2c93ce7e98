"""How what is run departs from what the paper and its public code say, one sentence a departure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.claims.load import Paper
from audit.record import Deviation
from audit.runner.reasons import Reasons

if TYPE_CHECKING:
    from audit.runner.data_request import DataRequest
    from reimpl.data.dataset import Dataset
    from reimpl.protocol import Protocol

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


def deviations(
    paper: Paper,
    experiment: str,
    claimed: Protocol,
    used: Protocol,
    claimed_config: Any,
    config: Any,
    data: Dataset,
    request: DataRequest,
    precision: str,
) -> tuple[Deviation, ...]:
    """All departures of a run of `experiment` from the claim file, those of the public code at the end."""
    found = [
        *_of_data(paper, experiment, claimed, data, request),
        *_of_values(
            asdict(claimed),
            asdict(used),
            Reasons(claimed, used).of_training,
            only=_acting(claimed, used, data),
        ),
        *_of_values(
            _flat(asdict(claimed_config)), _flat(asdict(config)), Reasons(claimed, used).of_config, only=None
        ),
    ]
    if precision != "float32":
        found.append(Deviation("arithmetic", "float32 (assumed)", precision, "chosen on the command line"))
    if not data.padding_trainable and data.recipe == "liu2017":
        found.append(Deviation("padding row", "trainable", "frozen", "recipe"))
    own = [replace(it, here=SEE_SETTINGS, as_set=True) for it in paper.departures_of(experiment)]
    return (*found, *own)


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
        apart = "".join(f"; {it}" for it in _means_apart(printed.printed, data))
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


def _means_apart(printed: Mapping[str, str], data: Dataset) -> Sequence[str]:
    """How the printed means of labels differ from those here; the sizes are told anyway."""
    from reimpl.data.identity import differences, observed_of

    means = {name: value for name, value in printed.items() if name.endswith(("_document", "_label"))}
    return differences(means, observed_of(data))


def _vectors(data: Dataset, request: DataRequest) -> tuple[str, str]:
    """The initial word vectors that were used, and why."""
    size = f"{data.dimension} components"
    if request.folder is None:
        return f"made, {size}, the same for every seed", "made words have no trained vectors"
    if request.vectors.startswith("random"):
        return f"random, {size}, the same for every seed", "no vector file was given"
    return f"{Path(request.vectors).name}, {size}", "the file that was given"


def _of_values(
    paper: dict[str, Any],
    here: dict[str, Any],
    why: Callable[[str, Any, Any], str],
    *,
    only: dict[str, str] | None,
) -> Iterator[Deviation]:
    for key, value in here.items():
        if paper[key] != value and (only is None or key in only):
            name = key.replace("_", " ") if only is None else only[key]
            reason = why(key, paper[key], value)
            yield Deviation(
                name, _text(paper[key]), _text(value), reason, numbers=_numbers(paper[key], value)
            )


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
