"""Our measured values as model card metadata: the `model-index` of Hugging Face's model cards.

Only what was measured here: neither printed numbers nor imported ones. A value is the mean over the seeds
that ended, in percent; `args` has the seeds and the standard deviation.
Shape: https://github.com/huggingface/hub-docs/blob/main/modelcard.md, key `model-index`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

from audit.record import Audit, DataInfo, ExperimentRecord, Run
from reports.exports.told import line
from reports.strings import slug
from reports.table_view import mean_and_sd

_AT = {"P": "precision", "nDCG": "ndcg", "PSP": "propensity_scored_precision", "R": "recall"}


def model_index(audit: Audit) -> str:
    """YAML with one entry for each experiment that ran here, to be put between a model card's `---` lines."""
    from ruamel.yaml import YAML

    out = io.StringIO()
    writer = YAML()
    writer.width = 4096  # no breaks within a text
    writer.dump({"model-index": [it for e in audit.experiments if (it := _entry(e))]}, out)
    return out.getvalue()


def _entry(experiment: ExperimentRecord) -> dict[str, Any] | None:
    runs = [run for run in experiment.runs if run.status == "done" and not run.imported]
    if not runs:
        return None
    corpora = dict.fromkeys((run.data.fingerprint, run.data.name) for run in runs)
    groups = [[run for run in runs if (run.data.fingerprint, run.data.name) == it] for it in corpora]
    return {
        "name": line(experiment.title or experiment.id),
        "results": [_result(group, experiment) for group in groups],
    }


def _result(runs: Sequence[Run], experiment: ExperimentRecord) -> dict[str, Any]:
    """All metrics on one corpus."""
    names = dict.fromkeys(name for run in runs for name in run.metrics)
    return {
        "task": {"type": "text-classification", "name": "extreme multi-label text classification"},
        "dataset": _dataset(runs[0].data),
        "metrics": [_metric(name, runs, experiment) for name in names],
    }


def _dataset(data: DataInfo) -> dict[str, Any]:
    return {
        "type": slug(data.name) or "data",
        "name": line(data.name),
        "split": "test",
        "revision": line(data.fingerprint),
        "args": {
            "recipe": line(data.recipe),
            "train": data.n_train,
            "test": data.n_test,
            "labels": data.n_labels,
        },
    }


def _metric(name: str, runs: Sequence[Run], experiment: ExperimentRecord) -> dict[str, Any]:
    pairs = sorted((run.spec.seed, run.metrics[name]) for run in runs if name in run.metrics)
    mean, sd = mean_and_sd([value for _, value in pairs])
    seeds = f"mean of {len(pairs)} seeds" if len(pairs) > 1 else "one seed"
    args: dict[str, Any] = {"seeds": [seed for seed, _ in pairs], "protocol": line(experiment.protocol)}
    if sd is not None:
        args["standard_deviation"] = round(sd, 4)
    return {
        "type": _type(name),
        "value": round(mean, 4),
        "name": f"{line(name)}, percent ({seeds})",
        "args": args,
    }


def _type(name: str) -> str:
    """`P@1` as `precision_at_1`; another name in lower case."""
    at = re.fullmatch(r"(\w+)@(\d+)", name)
    if at and at[1] in _AT:
        return f"{_AT[at[1]]}_at_{at[2]}"
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "metric"
