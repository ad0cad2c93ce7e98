"""Several models, trained one after another with seeds of their own, whose rankings become one.

Public code
    yourh/AttentionXML e2bbbec, ensemble.py.

A model gives its best K labels of each document. The rule of the code, `sum`: a label has the sum of its
scores in those lists, nothing where it is in none; labels with the same sum stand in the order in which the
lists name them, rank by rank and within a rank model by model. The paper says that its ensemble is like
Parabel's, which takes the mean over the trees: `mean` divides the same sums by the number of models, which
ranks alike and keeps probabilities below 1; where there is room for it, it is over the scores of all labels
and not of 100.

Shapes: R models, N documents, K labels of a list, L labels.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, Unpack

import numpy as np
import torch
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from reimpl import checkpoint
from reimpl.data.dataset import Dataset
from reimpl.data.storage import digest_of
from reimpl.errors import DataError
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

#: Trains one model: (config, data, protocol, keep=, and `How`) -> its result, whose `top_scores` are the
#: probabilities of the `keep` best labels.
Trainer: TypeAlias = Callable[..., Result]


def join(
    ids: Sequence[Ids], scores: Sequence[Scores], rule: Rule = "sum", *, keep: int
) -> tuple[Ids, Scores]:
    """The `keep` best labels of R rankings together, int32 (N, keep), and their scores, float64.

    ids, scores: for each model (N, K), best first; a label that is -1 is none. Where there are fewer labels
    than `keep`, ids are -1 and scores 0. Raises `DataError` for lists of unlike documents.
    """
    if len({np.shape(lists)[0] for lists in (*ids, *scores)}) != 1:
        raise DataError(
            f"rankings of {', '.join(str(len(lists)) for lists in ids)} documents cannot be joined; "
            "rank the same documents with every model"
        )
    width = max(lists.shape[1] for lists in ids)
    # (N, K, R): rank by rank, and within a rank model by model, when flattened
    flat_ids = np.stack([_padded(it, width, -1) for it in ids], axis=2).reshape(len(ids[0]), -1)
    flat = np.stack([_padded(it, width, 0) for it in scores], axis=2).reshape(flat_ids.shape)
    size = max(1, _BLOCK // max(1, flat.shape[1]))
    joined, total = np.empty((len(flat), keep), dtype=np.int32), np.empty((len(flat), keep))
    for a in range(0, len(flat), size):
        joined[a : a + size], total[a : a + size] = _joined(flat_ids[a : a + size], flat[a : a + size], keep)
    return joined, total / len(ids) if rule == "mean" else total


def _padded(lists: NDArray[Any], width: int, value: float) -> NDArray[Any]:
    return np.pad(lists, ((0, 0), (0, max(0, width - lists.shape[1]))), constant_values=value)


def _joined(ids: Ids, scores: Scores, keep: int) -> tuple[Ids, Scores]:
    """ids, scores (n, K R) in the order of first appearance that decides ties."""
    n, width = ids.shape
    by_id = np.argsort(ids, axis=1, kind="stable")
    in_order = np.take_along_axis(ids, by_id, axis=1)
    new = np.ones((n, width), dtype=bool)
    new[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
    values = np.take_along_axis(scores, by_id, axis=1).astype(np.float64)
    sums = np.bincount(np.cumsum(new.ravel()) - 1, weights=values.ravel())
    rows = np.repeat(np.arange(n), width)[new.ravel()]
    first = by_id[new]  # the stable order puts a label's first appearance in front
    total = np.full((n, width), -np.inf)
    total[rows, first] = np.where(in_order[new] >= 0, sums, -np.inf)
    total = _padded(total, keep, -np.inf)
    best = np.argsort(-total, axis=1, kind="stable")[:, :keep]
    kept_scores = np.take_along_axis(total, best, axis=1)
    labels = np.take_along_axis(_padded(ids, total.shape[1], -1), best, axis=1)
    none = kept_scores == -np.inf
    return np.where(none, -1, labels).astype(np.int32), np.where(none, 0.0, kept_scores)


# ------------------------------------------------------------------------------------------------- training


def seeds(seed: int, models: int) -> list[int]:
    """A seed for each model: draws of their own for every run, the same again for the same run."""
    return [int(np.random.SeedSequence((seed, i)).generate_state(1)[0]) for i in range(models)]


def list_length(rule: Rule, *, documents: int, labels: int) -> int:
    """Labels that each model has to give of a document."""
    whole = rule == "mean" and documents * labels <= _ROOM
    return labels if whole else min(LISTED, labels)


def train(
    one: Trainer,
    config: Any,
    data: Dataset,
    protocol: Protocol,
    *,
    models: int,
    rule: Rule,
    **how: Unpack[How],
) -> Result:
    """Train `models` of `config` one after another with `one`, and join what they say of the test documents.

    A model that is done is kept, in `watch.members` or else beside the checkpoint, so that neither this run,
    when it was interrupted, nor another ensemble with the same settings and seed trains it again. One that
    another process is at work on is left for the end. The curve holds the rows of all, each with the number
    of its `model`. The ensemble fails with the first of its models that does. Raises what `one` raises.
    """
    watch = how.get("watch") or Watch()
    settings: dict[str, Any] = {
        "device": how.get("device", "cpu"),
        "precision": how.get("precision", "float32"),
        "keep": list_length(rule, documents=data.test.size, labels=data.n_labels),
    }
    members = [
        _Member(i, seed, watch, (asdict(config), asdict(protocol), settings))
        for i, seed in enumerate(seeds(how["seed"], models))
    ]
    results: dict[int, Result] = {}
    there = []
    for member in _as_they_are_free(members, watch):
        result = checkpoint.read(member.done, Result.unpacked)
        if result is None:
            part = watch.part(len(results), models, member.checkpoint)
            result = begin_again(
                lambda seed=member.seed, part=part: one(  # type: ignore[misc]
                    config, data, protocol, seed=seed, watch=part, **settings
                ),
                member.checkpoint,
                "a checkpoint could not be read, so a model of the ensemble was begun again",
            )
            member.keep(result)
        elif watch.members is not None:
            there.append(member.number + 1)
        results[member.number + 1] = result
        if result.failed:
            break
    whole = Result.of_parts(results, "model")
    failed = [(number, part.reason) for number, part in sorted(results.items()) if part.failed]
    if failed:
        whole = replace(whole, reason="model {} of the ensemble: {}".format(*failed[0]))
    else:
        whole = _joined_results(whole, [results[number] for number in sorted(results)], data, rule)
    note = f"models of the ensemble that were there already, trained with the same settings: {sorted(there)}"
    return replace(whole, notes=(*whole.notes, note)) if there else whole


def _as_they_are_free(members: Sequence[_Member], watch: Watch) -> Iterator[_Member]:
    """Each member once, locked while the caller works on it, those first that no other process works on."""
    left = list(members)
    while left:
        for member in left:
            with member.locked() as free:
                if free:
                    left.remove(member)
                    yield member
                    break
        else:
            if watch.stop():
                raise Interrupted
            time.sleep(_POLL)


def _joined_results(whole: Result, parts: Sequence[Result], data: Dataset, rule: Rule) -> Result:
    began = time.perf_counter()
    lists, scores = zip(*((part.top_ids, part.top_scores) for part in parts), strict=True)
    ids, joined = join(lists, scores, rule, keep=kept(data))
    joining, predicting = time.perf_counter() - began, whole.prediction_seconds
    return replace(
        whole,
        metrics=measure(ids.astype(np.int32), data.test, data),
        top_ids=ids.astype(np.int32),
        top_scores=joined.astype(np.float32),
        seconds=whole.seconds + time.perf_counter() - began,
        prediction_seconds=None if predicting is None else predicting + joining,
    )


class _Member:
    """One model and its files."""

    def __init__(self, number: int, seed: int, watch: Watch, settings: tuple[Any, ...]) -> None:
        """settings: what the model is trained with beside its seed and the data, as JSON has it."""
        self.number, self.seed = number, seed
        path = watch.checkpoint
        # By the stem, from which a model makes names of its own.
        self.checkpoint = path.with_name(f"{path.stem}-model-{number}{path.suffix}") if path else None
        self.done: Path | None = None
        self.lock: FileLock | None = None
        if watch.members is not None:
            content = json.dumps([seed, *settings], sort_keys=True, default=str)
            self.done = watch.members / f"{digest_of(content)[:32]}.pt"
            watch.members.mkdir(parents=True, exist_ok=True)
            self.lock = FileLock(self.done.with_suffix(".lock"))
        elif self.checkpoint is not None:
            self.done = self.checkpoint.with_suffix(f"{self.checkpoint.suffix}.done")

    @contextmanager
    def locked(self) -> Iterator[bool]:
        """Whether no other process works on this model; none begins while the block runs."""
        try:
            with self.lock.acquire(blocking=False) if self.lock else nullcontext():
                yield True
        except Timeout:
            yield False

    def keep(self, result: Result) -> None:
        """So that the next attempt finds it; its checkpoint is of no more use."""
        if self.done is None or result.failed:
            return
        checkpoint.save(self.done, result.packed(), torch.device("cpu"))
        if self.checkpoint is not None:
            self.checkpoint.unlink(missing_ok=True)
