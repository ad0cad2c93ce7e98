"""Several models, trained one after another with seeds of their own, whose rankings become one
(yourh/AttentionXML e2bbbec, ensemble.py). `sum`: a label has the sum of its scores in the models' lists;
equal sums stand in the order in which the lists name them, rank by rank and within a rank model by model.
`mean`, as in Parabel, to which the paper likens it, divides by the number of models, and is over the scores
of all labels where there is room. R models, N documents, K labels of a list, L labels."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, Unpack

import numpy as np
import pandas as pd
import torch
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from reimpl.data.dataset import Dataset
from reimpl.data.storage import digest_of
from reimpl.machine import read_checkpoint, save_checkpoint
from reimpl.protocol import Protocol
from reimpl.training import How, Interrupted, Result, Watch, begin_again, kept, measure

Rule: TypeAlias = Literal["sum", "mean"]
Ids: TypeAlias = NDArray[np.integer[Any]]
Scores: TypeAlias = NDArray[np.floating[Any]]

#: Labels of a model's list under `sum`, and numbers of all lists up to which `mean` is over all labels.
LISTED = 100
_ROOM = 1 << 26
#: Numbers joined in one go.
_BLOCK = 1 << 20
#: Seconds between two looks at a model that another process trains.
_POLL = 1.0


def join(
    ids: Sequence[Ids], scores: Sequence[Scores], rule: Rule = "sum", *, keep: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The `keep` best labels of R rankings together, int32 (N, keep), and their scores. ids, scores: for each
    model (N, K), best first; a label that is -1 is none. Where there are fewer than `keep`, ids are -1 and
    scores 0."""
    joined, total = np.full((len(ids[0]), keep), -1, dtype=np.int32), np.zeros((len(ids[0]), keep))
    size = max(1, _BLOCK // sum(lists.shape[1] for lists in ids))
    for first in range(0, len(joined), size):
        rows = slice(first, first + size)
        # rank by rank, and within a rank model by model
        parts = [
            pd.DataFrame(
                {"document": document.ravel(), "rank": rank.ravel(), "label": lists[rows].ravel()}
            ).assign(score=np.asarray(values[rows], dtype=np.float64).ravel())
            for lists, values in zip(ids, scores, strict=True)
            for document, rank in [np.indices(lists[rows].shape)]
        ]
        named = pd.concat(parts).query("label >= 0").sort_values(["document", "rank"], kind="stable")
        # sums stand in the order of first appearance, which decides ties
        sums = named.groupby(["document", "label"], sort=False)["score"].sum().reset_index()
        sums = sums.sort_values(["document", "score"], ascending=[True, False], kind="stable")
        place = sums.groupby("document").cumcount()
        best, place = sums[place < keep], place[place < keep]
        joined[best["document"] + first, place] = best["label"]
        total[best["document"] + first, place] = best["score"]
    return joined, total / len(ids) if rule == "mean" else total


# ------------------------------------------------------------------------------------------------- training


def seeds(seed: int, models: int) -> list[int]:
    """A seed for each model: draws of their own for every run, the same again for the same run."""
    return [int(np.random.SeedSequence((seed, i)).generate_state(1)[0]) for i in range(models)]


def train(
    one: Callable[..., Result],
    config: Any,
    data: Dataset,
    protocol: Protocol,
    *,
    models: int,
    rule: Rule,
    **how: Unpack[How],
) -> Result:
    """Train `models` of `config` one after another with `one`, which gets (config, data, protocol, keep=, and
    `How`) and whose `top_scores` are probabilities, and join them. A model that is done is kept, in
    `watch.members` or beside the checkpoint, so that neither this run nor another ensemble with the same
    settings and seed trains it again; one that another process is at work on is left for the end. The
    ensemble fails with the first of its models that does."""
    watch = how.get("watch") or Watch()
    L = data.n_labels
    over_all = rule == "mean" and data.test.size * L <= _ROOM
    settings: dict[str, Any] = {
        "device": how.get("device", "cpu"),
        "precision": how.get("precision", "float32"),
        "keep": L if over_all else min(LISTED, L),
    }
    results: dict[int, Result] = {}
    there = []
    left = list(enumerate(seeds(how["seed"], models), start=1))
    while left:
        number, seed = left.pop(0)
        path, done, lock = _files(watch, number, [seed, asdict(config), asdict(protocol), settings])
        try:
            free = lock.acquire(blocking=False) if lock else nullcontext()
        except Timeout:  # another process works on it
            left.append((number, seed))
            if watch.stop():
                raise Interrupted from None
            time.sleep(_POLL)
            continue
        with free:
            result = read_checkpoint(done, Result.unpacked)
            if result is None:
                part = watch.part(len(results), models, path)
                train_one = partial(one, config, data, protocol, seed=seed, watch=part, **settings)
                note = "a checkpoint could not be read, so a model of the ensemble was begun again"
                result = begin_again(train_one, path, note)
                if done is not None and not result.failed:
                    save_checkpoint(done, result.packed(), torch.device("cpu"))
                    if path is not None:
                        path.unlink(missing_ok=True)
            elif watch.members is not None:
                there.append(number)
        results[number] = result
        if result.failed:
            break
    whole = Result.of_parts(results, "model")
    if there:
        note = "models of the ensemble that were there already, trained with the same settings"
        whole = replace(whole, notes=(*whole.notes, f"{note}: {sorted(there)}"))
    if results[number].failed:
        return replace(whole, reason=f"model {number} of the ensemble: {results[number].reason}")
    began, predicting = time.perf_counter(), whole.prediction_seconds
    parts = [results[number] for number in sorted(results)]
    lists, scores = zip(*((part.top_ids, part.top_scores) for part in parts), strict=True)
    ids, joined = join(lists, scores, rule, keep=kept(data))
    joining = time.perf_counter() - began
    return replace(
        whole,
        metrics=measure(ids, data.test, data),
        top_ids=ids,
        top_scores=joined.astype(np.float32),
        seconds=whole.seconds + time.perf_counter() - began,
        prediction_seconds=None if predicting is None else predicting + joining,
    )


def _files(watch: Watch, number: int, settings: Any) -> tuple[Path | None, Path | None, FileLock | None]:
    """A model's checkpoint, where it lies when done, and what keeps other processes from it meanwhile."""
    path = watch.checkpoint
    # By the stem, from which a model makes names of its own.
    path = path and path.with_name(f"{path.stem}-model-{number}{path.suffix}")
    if watch.members is None:
        return path, path and path.with_suffix(f"{path.suffix}.done"), None
    watch.members.mkdir(parents=True, exist_ok=True)
    content = json.dumps(settings, sort_keys=True, default=str)
    done = watch.members / f"{digest_of(content)[:32]}.pt"
    return path, done, FileLock(done.with_suffix(".lock"))
