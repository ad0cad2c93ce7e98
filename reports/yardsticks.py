"""What stands beside a claim's own runs: other models on the same data, and all split columns of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from audit.record import ClaimRecord, ExperimentRecord, SplitNoise
from reports.lookup import Lookup
from reports.protocol_diff import settings_anchors
from reports.table_view import mean_and_sd
from reports.wording import yardsticks as words

#: So many other models are named; the tables have all.
_NAMED = 3
#: What every other model is held against, where it was run.
_YARDSTICK = "linear"


@dataclass(frozen=True)
class Beside:
    """A sentence, and where it leads."""

    text: str
    href: str


def others_on_its_data(claim: ClaimRecord, found: Lookup) -> tuple[Beside, ...]:
    """Means of other models by its metric on the very documents of its runs: the linear, then the best."""
    own = [found.experiments[it] for it in claim.experiments if it in found.experiments]
    documents = {digest for it in own for digest in _documents(it)}
    if not claim.metric or len(documents) != 1:
        return ()
    others = _others(own, documents, found)
    held = [(it, values) for it in others if (values := _values(it, claim.metric))]
    held.sort(key=lambda pair: (pair[0].model != _YARDSTICK, -mean_and_sd(pair[1])[0]))
    anchors = settings_anchors(found)
    return tuple(
        Beside(
            words.reaches(
                found.title(it.id),
                claim.metric,
                mean_and_sd(values)[0],
                seeds=len(values),
                tuned=_tuned(it, own),
                columns=_noise(it.id, claim.metric, found),
            ),
            f"#{anchors[it.id]}",
        )
        for it, values in held[:_NAMED]
    )


def over_columns(claim: ClaimRecord, found: Lookup) -> Beside | None:
    """The claim's experiments over all split columns of the corpus; None where one column was run."""
    noise = [it for name in claim.experiments if (it := _noise(name, claim.metric, found))]
    if not noise or len(noise) < len(claim.experiments):
        return None
    return Beside(words.over_columns([(found.title(it.experiment), it) for it in noise]), "#splits")


def _others(own: list[ExperimentRecord], documents: set[str], found: Lookup) -> Iterator[ExperimentRecord]:
    models = {it.model for it in own}
    for it in found.audit.experiments:
        again = it.reading_of or it.id in found.same.experiments
        if it.runs and not again and it.model not in models and _documents(it) == documents:
            yield it


def _documents(it: ExperimentRecord) -> set[str]:
    """Digests of what its runs were trained and tested on; of the documents alone where they are known."""
    if not it.runs:
        return set()
    return {it.data.content} if it.data else {run.data.fingerprint for run in it.runs}


def _values(it: ExperimentRecord, metric: str) -> list[float]:
    return [run.metrics[metric] for run in it.runs if run.status == "done" and metric in run.metrics]


def _tuned(it: ExperimentRecord, own: list[ExperimentRecord]) -> str:
    """How its settings were found, as far as that tells whether the comparison is fair."""
    if it.study is None:
        return words.UNTUNED if any(other.study for other in own) else ""
    same = all(other.study and other.study.validation == it.study.validation for other in own)
    return words.TUNED_ALIKE if same else words.TUNED


def _noise(experiment: str, metric: str, found: Lookup) -> SplitNoise | None:
    held = found.audit.splits.noise if found.audit.splits else ()
    several = (it for it in held if len(it.columns) > 1)
    return next((it for it in several if (it.experiment, it.metric) == (experiment, metric)), None)
