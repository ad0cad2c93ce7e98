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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from reimpl import checkpoint
from reimpl.checkpoint import CheckpointError
from reimpl.data.dataset import Dataset
from reimpl.data.storage import digest_of
from reimpl.errors import DataError
from reimpl.protocol import Protocol
from reimpl.training import Interrupted, Result, Watch, kept, measure

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

#: Trains one model: (config, data, protocol, seed=, device=, precision=, watch=, keep=) -> its result, whose
#: `top_scores` are the probabilities of the `keep` best labels.
Trainer: TypeAlias = Callable[..., Result]


def join(
    ids: Sequence[Ids], scores: Sequence[Scores], rule: Rule = "sum", *, keep: int
) -> tuple[Ids, Scores]:
    """The `keep` best labels of R rankings together, int32 (N, keep), and their scores, float64.

    ids, scores: for each model (N, K), best first; a label that is -1 is none. Where there are fewer labels
    than `keep`, ids are -1 and scores 0. Raises `DataError` for lists of unlike documents.
    """
    if len({np.shape(it)[0] for it in (*ids, *scores)}) != 1:
        raise DataError(
            f"rankings of {', '.join(str(len(it)) for it in ids)} documents cannot be joined; "
            "rank the same documents with every model"
        )
    width = max(it.shape[1] for it in ids)
    # (N, K, R): rank by rank, and within a rank model by model, when flattened
    flat_ids = np.stack([_widened(it, width, -1) for it in ids], axis=2).reshape(len(ids[0]), -1)
    flat = np.stack([_widened(it, width, 0) for it in scores], axis=2).reshape(flat_ids.shape)
    size = max(1, _BLOCK // max(1, flat.shape[1]))
    parts = [_joined(flat_ids[a : a + size], flat[a : a + size], keep) for a in range(0, len(flat), size)]
    joined = np.concatenate([it for it, _ in parts]) if parts else np.empty((0, keep), dtype=np.int32)
    total = np.concatenate([it for _, it in parts]) if parts else np.empty((0, keep))
    return joined, total / len(ids) if rule == "mean" else total


def _widened(lists: NDArray[Any], width: int, value: int) -> NDArray[Any]:
    return np.pad(lists, ((0, 0), (0, width - lists.shape[1])), constant_values=value)


def _joined(ids: Ids, scores: Scores, keep: int) -> tuple[Ids, Scores]:
    """ids, scores (n, K R) in the order of first appearance that decides ties."""
    n, width = ids.shape
    by_id = np.argsort(ids, axis=1, kind="stable")
    in_order = np.take_along_axis(ids, by_id, axis=1)
    new = np.ones((n, width), dtype=bool)
    new[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
    group = np.cumsum(new.ravel()) - 1
    values = np.take_along_axis(scores, by_id, axis=1).astype(np.float64)
    sums = np.bincount(group, weights=values.ravel())
    rows = np.repeat(np.arange(n), width)[new.ravel()]
    first = by_id.ravel()[new.ravel()]  # the stable order puts a label's first appearance in front
    label = in_order.ravel()[new.ravel()]
    total = np.full((n, width), -np.inf)
    total[rows, first] = np.where(label >= 0, sums, -np.inf)
    total = _widened_scores(total, keep)
    best = np.argsort(-total, axis=1, kind="stable")[:, :keep]
    kept_scores = np.take_along_axis(total, best, axis=1)
    none = kept_scores == -np.inf
    found = np.take_along_axis(_widened(ids, total.shape[1], -1), best, axis=1)
    return np.where(none, -1, found).astype(np.int32), np.where(none, 0.0, kept_scores)


def _widened_scores(total: Scores, keep: int) -> Scores:
    short = max(0, keep - total.shape[1])
    return np.pad(total, ((0, 0), (0, short)), constant_values=-np.inf)


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
    seed: int,
    device: str,
    precision: str,
    watch: Watch,
) -> Result:
    """Train `models` of `config` one after another with `one`, and join what they say of the test documents.

    A model that is done is kept, in `watch.members` or else beside the checkpoint, so that neither this run,
    when it was interrupted, nor another ensemble with the same settings and seed trains it again. One that
    another process is at work on is left for the end. The curve holds the rows of all, each with the number
    of its `model`. The ensemble fails with the first of its models that does. Raises what `one` raises.
    """
    keep = list_length(rule, documents=data.test.size, labels=data.n_labels)
    told = {"device": device, "precision": precision, "keep": keep}
    members = [
        _Member(i, own, watch, (asdict(config), asdict(protocol), told))
        for i, own in enumerate(seeds(seed, models))
    ]
    results: dict[int, Result] = {}
    found: list[int] = []
    for mine in _as_they_are_free(members, watch):
        result = mine.finished()
        if result is None:
            how = {"seed": mine.seed, "watch": mine.watching(len(results), models), **told}
            result = mine.begin_again_if_unreadable(lambda how=how: one(config, data, protocol, **how))  # type: ignore[misc]
            mine.keep(result)
        else:
            found.append(mine.number + 1)
        results[mine.number] = result
        if result.failed:
            break
    whole = _together(results, data, rule)
    if watch.members is None or not found:
        return whole
    note = f"models of the ensemble that were there already, trained with the same settings: {sorted(found)}"
    return replace(whole, notes=(*whole.notes, note))


def _as_they_are_free(members: Sequence[_Member], watch: Watch) -> Iterator[_Member]:
    """Each member once, held while the caller works on it, those first that no other process holds."""
    left = list(members)
    while left:
        for mine in left:
            with mine.held() as free:
                if free:
                    left.remove(mine)
                    yield mine
                    break
        else:
            if watch.stop():
                raise Interrupted
            time.sleep(_POLL)


def _together(by_number: Mapping[int, Result], data: Dataset, rule: Rule) -> Result:
    numbers = sorted(by_number)
    results = [by_number[i] for i in numbers]
    peaks = [it.peak_memory_bytes for it in results if it.peak_memory_bytes is not None]
    whole = Result(
        metrics={},
        curve=tuple({"model": i + 1.0, **row} for i in numbers for row in by_number[i].curve),
        seconds=sum(it.seconds for it in results),
        peak_memory_bytes=max(peaks, default=None),
        parameters=sum(it.parameters for it in results),
        notes=tuple(dict.fromkeys(note for it in results for note in it.notes)),
    )
    for i in numbers:
        if by_number[i].failed:
            return replace(whole, reason=f"model {i + 1} of the ensemble: {by_number[i].reason}")
    began = time.perf_counter()
    lists = [it.top_ids for it in results if it.top_ids is not None]
    scores = [it.top_scores for it in results if it.top_scores is not None]
    ids, joined = join(lists, scores, rule, keep=kept(data))
    joining = time.perf_counter() - began
    times = [it.prediction_seconds for it in results if it.prediction_seconds is not None]
    return replace(
        whole,
        metrics=measure(ids.astype(np.int32), data.test, data),
        top_ids=ids.astype(np.int32),
        top_scores=joined.astype(np.float32),
        seconds=whole.seconds + time.perf_counter() - began,
        prediction_seconds=sum(times) + joining if len(times) == len(results) else None,
    )


class _Member:
    """One model: its share of the progress, and its files."""

    def __init__(self, number: int, seed: int, watch: Watch, settings: tuple[Any, ...]) -> None:
        """settings: what the model is trained with beside its seed and the data, as JSON has it."""
        self.number, self.seed, self.watch = number, seed, watch
        path = watch.checkpoint
        # By the stem, from which a model makes names of its own.
        self.checkpoint = path.with_name(f"{path.stem}-model-{number}{path.suffix}") if path else None
        self.done = self.checkpoint.with_suffix(f"{self.checkpoint.suffix}.done") if self.checkpoint else None
        self.shared = watch.members is not None
        if watch.members is not None:
            content = json.dumps([seed, *settings], sort_keys=True, default=str)
            self.done = watch.members / f"{digest_of(content)[:32]}.pt"

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Whether no other process works on this model; none begins while the block runs."""
        if not self.shared or self.done is None:
            yield True
            return
        self.done.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.done.with_suffix(".lock"))
        try:
            lock.acquire(blocking=False)
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def watching(self, before: int, models: int) -> Watch:
        """For the training of this model, where `before` of `models` are done."""

        def progress(done: int, total: int, loss: float | None) -> None:
            self.watch.progress(before * total + done, models * total, loss)

        return replace(self.watch, progress=progress, checkpoint=self.checkpoint)

    def finished(self) -> Result | None:
        """What an earlier attempt left, if it is whole."""
        if self.done is None or not self.done.exists():
            return None
        try:
            with checkpoint.load(self.done, torch.device("cpu")) as content:
                lists = {name: content[name].numpy() for name in ("top_ids", "top_scores") if name in content}
                plain = json.loads(content["result"])
                return Result(
                    **{**plain, **lists, "curve": tuple(plain["curve"]), "notes": tuple(plain["notes"])}
                )
        except CheckpointError:
            self.done.unlink()
            return None

    def begin_again_if_unreadable(self, train: Callable[[], Result]) -> Result:
        try:
            return train()
        except CheckpointError:
            assert self.checkpoint is not None
            self.checkpoint.unlink()
            result = train()
            note = "a checkpoint could not be read, so a model of the ensemble was begun again"
            return replace(result, notes=(*result.notes, note))

    def keep(self, result: Result) -> None:
        """So that the next attempt finds it; its checkpoint is of no more use."""
        if self.done is None or result.failed:
            return
        plain = json.dumps(asdict(replace(result, top_ids=None, top_scores=None)))
        lists = {"top_ids": result.top_ids, "top_scores": result.top_scores}
        tensors = {name: torch.from_numpy(it) for name, it in lists.items() if it is not None}
        checkpoint.save(self.done, {"result": plain, **tensors}, torch.device("cpu"))
        if self.checkpoint is not None:
            self.checkpoint.unlink(missing_ok=True)


def probabilities(result: Result, of: Callable[[Scores], Scores]) -> Result:
    """The same with `of` its scores: in float64, where more of them differ near 1."""
    if result.top_scores is None:
        return result
    return replace(result, top_scores=of(result.top_scores.astype(np.float64)))
