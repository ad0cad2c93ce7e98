"""Training and scoring of one network on one data set by one protocol, with one seed. A step asks the device
for nothing, so the host runs ahead of it. All chance comes from two generators, numpy's for the order of
documents and torch's for weights and dropout, and a checkpoint holds both: a run that was interrupted at any
step and resumed ends, on the CPU, with the same bits as one that was not. B documents of a batch, N
documents, L labels, T tokens, K labels kept of each ranking."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Required, TypedDict, Unpack, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from reimpl.batching import DeviceSplit, scoring_plan, top_k, training_plan
from reimpl.data.dataset import Dataset, Split
from reimpl.data.splits import for_protocol
from reimpl.errors import ConfigError, DataError
from reimpl.losses import loss
from reimpl.machine import (
    CheckpointError,
    Precision,
    is_out_of_memory,
    load_checkpoint,
    numeric_mode,
    peak_memory,
    reset_peak_memory,
    save_checkpoint,
)
from reimpl.metrics import evaluate, inverse_propensity, propensity_constants
from reimpl.optim import OPTIMISERS, Average, Best, NormClip, QueueClip, rate_groups, with_sparse_gradients
from reimpl.protocol import Protocol

#: Labels kept of each test document's ranking.
KEPT = 10
#: Metrics by which a protocol may choose an epoch, at 1, 3 and 5.
MEASURED = ("P", "R", "RP", "nDCG")
#: What the curve of a run holds of each evaluation.
_ON_CURVE = ("P@1", "P@3", "P@5", "nDCG@5", "RP@5")
#: Seconds between two checkpoints and between two looks at the loss.
CHECKPOINT_EVERY = 60.0
_LOOK_EVERY = 0.5
_OUT_OF_MEMORY = "out of memory"
#: So many times the seconds that a checkpoint took are between it and the next: 2 % of the time at most.
_CHECKPOINT_SHARE = 50

#: Split and device -> an object with `batch(documents, width)`, which gives what the network takes.
Inputs = Callable[[Split, torch.device], Any]
Ids = NDArray[np.int32]
Scores = NDArray[np.float32]


class Interrupted(Exception):  # noqa: N818 - a request, not an error
    """Raised after a checkpoint was written because `Watch.stop` asked for it."""


class _FailedError(Exception):
    """The loss or the scores are no longer finite, or memory is insufficient."""


@dataclass
class Watch:
    #: Called with steps done, steps in all, and the mean loss of the epoch so far.
    progress: Callable[[int, int, float | None], None] = lambda done, total, loss: None
    stop: Callable[[], bool] = lambda: False  # Asked before each step; True ends it with a checkpoint
    checkpoint: Path | None = None  # State of an unfinished run; read when it is there, removed by the caller
    checkpoint_every: float = CHECKPOINT_EVERY  # Seconds at least; longer where checkpoints take long
    #: Told each evaluation as it stands on the curve; what it raises ends the run.
    evaluated: Callable[[Mapping[str, float]], None] = lambda row: None
    members: Path | None = None  # Where ensembles over the same data keep their models, for each other

    def part(self, before: int, parts: int, checkpoint: Path | None) -> Watch:
        """The watch of one of several trainings of similar length, after `before` others."""

        def progress(done: int, total: int, loss: float | None) -> None:
            self.progress(before * total + done, parts * total, loss)

        return replace(self, progress=progress, checkpoint=checkpoint)


class How(TypedDict, total=False):
    seed: Required[int]
    device: str  # cpu unless another is named
    precision: Precision  # float32 unless another is named
    watch: Watch | None


@dataclass(frozen=True)
class Result:
    """The result of a run. `metrics` are percent; they are empty if it failed, and `reason` says why."""

    metrics: Mapping[str, float]
    curve: tuple[Mapping[str, float], ...]
    seconds: float
    peak_memory_bytes: int | None
    parameters: int
    top_ids: Ids | None = None  # (N, K) label ids of the test documents, best first
    top_scores: Scores | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    prediction_seconds: float | None = None  # What ranking the test documents took, without the metrics

    @property
    def failed(self) -> bool:
        return self.reason is not None

    @property
    def out_of_memory(self) -> bool:
        """Whether it failed for lack of memory, which may suffice when nothing else runs."""
        return _OUT_OF_MEMORY in (self.reason or "")

    def noted(self, *notes: str) -> Result:
        """The result with these notes before its own."""
        return replace(self, notes=(*notes, *self.notes))

    def packed(self) -> dict[str, Any]:
        return {
            name: torch.from_numpy(value) if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }

    @classmethod
    def unpacked(cls, content: Mapping[str, Any]) -> Result:
        values: dict[str, Any] = {each.name: content[each.name] for each in fields(cls)}
        arrays = {name: value.numpy() for name, value in values.items() if isinstance(value, Tensor)}
        return cls(**(values | arrays))

    @classmethod
    def of_ranking(cls, data: Dataset, ids: Ids, scores: Scores, *, began: float, **more: Any) -> Result:
        """The result of the best labels (N, K) of a model with its own training, on the CPU; K of `kept`."""
        costs: Any = {"metrics": measure(ids, data.test, data), "seconds": time.perf_counter() - began}
        costs |= {"curve": (), "peak_memory_bytes": peak_memory()}
        return cls(**costs, top_ids=ids, top_scores=scores, **more)

    @classmethod
    def of_parts(cls, parts: Mapping[int, Result], name: str) -> Result:
        """Curves, costs and notes of trainings by number, which each row of the curve has under `name`."""
        results = [parts[i] for i in sorted(parts)]
        times = [result.prediction_seconds for result in results]
        peaks = [result.peak_memory_bytes for result in results if result.peak_memory_bytes is not None]
        return cls(
            metrics={},
            curve=tuple({name: float(i), **row} for i in sorted(parts) for row in parts[i].curve),
            seconds=sum(result.seconds for result in results),
            peak_memory_bytes=max(peaks, default=None),
            parameters=sum(result.parameters for result in results),
            notes=tuple(dict.fromkeys(note for result in results for note in result.notes)),
            prediction_seconds=None if None in times else sum(time or 0.0 for time in times),
        )


def begin_again(train: Callable[[], Result], path: Path | None, note: str) -> Result:
    """The result of `train`; if its checkpoint `path` cannot be read, from the beginning, with a note."""
    try:
        return train()
    except CheckpointError:
        assert path is not None
        path.unlink(missing_ok=True)
        result = train()
        return replace(result, notes=(*result.notes, note))


def train(
    build: Callable[[Tensor], nn.Module],
    data: Dataset,
    protocol: Protocol,
    *,
    loss_name: str = "bce_mean",
    keep: int = KEPT,
    inputs: Inputs | None = None,
    **how: Unpack[How],
) -> Result:
    """Build a network (`build` gets `data.vectors`, after seeding), train it, and score the test set; `keep`:
    best labels of each document. `inputs`: what batches are made of, if not token ids. Raises `ConfigError`
    for a network or data that do not fit, `CheckpointError`, and `Interrupted`."""
    run = Run(data, protocol, loss_name, inputs=inputs, **how)
    run.kept = kept(data, keep)
    return run.go(build)


def kept(data: Dataset, keep: int = KEPT) -> int:
    """How many labels of each ranking are kept: `keep`, or all."""
    return min(keep, data.n_labels)


def cutoffs(labels: int) -> tuple[int, ...]:
    return tuple(k for k in (1, 3, 5) if k <= labels)


def _frequency(data: Dataset) -> tuple[NDArray[np.int64], int]:
    """(L,) documents of the whole training set that have each label, and how many there are. Documents held
    out of it count (yourh/AttentionXML e2bbbec, evaluation.py); a dev part of the corpus does not."""
    parts = [data.train]
    if data.dev is not None and "hold_out.dev" in data.counts:
        parts.append(data.dev)
    counts = sum(np.bincount(part.label_ids, minlength=data.n_labels) for part in parts)
    return np.asarray(counts), sum(part.size for part in parts)


def measure(ids: Ids, split: Split, data: Dataset) -> dict[str, float]:
    """All metrics, in percent, of the K best labels (N, K) of the documents of a split of the data."""
    frequency, size = _frequency(data)
    A, B = propensity_constants(data.name)
    # propensities of fewer documents are above 1
    weights = inverse_propensity(frequency, size, A=A, B=B) if size >= 3 else None
    metrics = evaluate(ids, split.labels(data.n_labels), ks=cutoffs(data.n_labels), weights=weights)
    # A metric that is 0/0 (PSP of a test set without labels) is no number: it is left out.
    return {name: value for name, value in metrics.items() if math.isfinite(value)}


def check_selection(protocol: Protocol, data: Dataset) -> None:
    """Raises `ConfigError` if the data have no held-out documents, or too few labels for the metric."""
    if protocol.select == "best_on_dev" and data.dev is None and protocol.hold_out is None:
        lacking = f"selects on validation data, and {data.name!r} has none; add a dev split or a hold_out"
        raise ConfigError(f"protocol {protocol.name!r} {lacking}")
    known = [f"{name}@{k}" for name in MEASURED for k in cutoffs(data.n_labels)]
    if protocol.select != "last" and protocol.select_metric not in known:
        raise ConfigError(
            f"protocol {protocol.name!r} selects by {protocol.select_metric!r}, which is not measured on "
            f"{data.name!r} with its {data.n_labels} labels; measured are {', '.join(known)}"
        )


def conditions(network: nn.Module, precision: Precision, device: torch.device) -> tuple[str, ...]:
    """Notes on the arithmetic: the precision of each part, and on a GPU whether runs are repeatable."""
    notes = []
    if precision == "bf16":
        apart = dict.fromkeys(str(it.in_float32) for it in network.modules() if hasattr(it, "in_float32"))
        but = f", except {' and '.join(apart)} in float32" if apart else ""
        recurrent = any(isinstance(it, nn.RNNBase) for it in network.modules())
        if recurrent and not apart and device.type == "cuda":
            but = ", except recurrent layers, for which cuDNN takes float16"
        rest = "weights, loss and optimiser in float32"
        notes.append(f"bf16: matrix products and convolutions in bfloat16{but}; {rest}")
    if device.type == "cuda":
        why = "some of torch's GPU kernels add in any order"
        notes.append(f"on a GPU two runs with the same seed can differ in their last bits: {why}")
    return tuple(notes)


def what_ties(network: nn.Module) -> str | None:
    """What makes the documents of a batch affect each other in the network's present mode, if anything."""
    if getattr(network, "reads_neighbours", False):
        return "reads_neighbours"
    # frozen batch normalisation is in the mode of prediction
    norm = any(module.training and hasattr(module, "running_mean") for module in network.modules())
    return "batch normalisation" if norm else None


@dataclass
class _State:
    """The state of a run: all that a checkpoint holds besides the weights and the generators."""

    epoch: int = 0
    batch: int = 0
    loss_sum: float = 0.0
    seconds: float = 0.0
    epoch_seconds: float = 0.0
    curve: list[dict[str, float]] = field(default_factory=list)


#: What of which part of a run goes into a checkpoint, beside the network, the optimiser and the generators.
_STORED = {
    "state": tuple(each.name for each in fields(_State)),
    "best": ("score", "since", "weights"),
    "average": ("models", "means"),
    "clip": ("queue",),
}


class Run:
    """One training. A model with a different training overrides the methods that differ."""

    network: nn.Module

    def __init__(
        self,
        data: Dataset,
        protocol: Protocol,
        loss_name: str = "bce_mean",
        *,
        inputs: Inputs | None = None,
        seed: int,
        device: str = "cpu",
        precision: Precision = "float32",
        watch: Watch | None = None,
    ) -> None:
        data = for_protocol(data, protocol)
        check_selection(protocol, data)
        self.data, self.protocol, self.loss, self.seed = data, protocol, loss(loss_name), seed
        self.device, self.precision, self.watch = torch.device(device), precision, watch or Watch()
        self.inputs = inputs or (lambda split, device: DeviceSplit(split, data.padding_id, device))
        self.kept = kept(data)
        self.predicting: float | None = None
        self.micro_batch = protocol.batch_size
        self.notes: list[str] = []
        self.saving = 0.0  # Seconds that the last checkpoint took

    def go(self, build: Callable[[Tensor], nn.Module]) -> Result:
        metrics: dict[str, float] = {}
        ids = scores = reason = None
        with numeric_mode(self.precision):
            self._prepare(build)
            try:
                while self.state.epoch < self.protocol.epochs and not self.best.exhausted:
                    self._one_epoch()
                # the weights that are reported: the best ones, else the mean of those averaged, else the last
                if self.protocol.select != "last" and not self.best.restore(self.network):
                    self.notes.append("no evaluation kept its weights: the report uses the final weights")
                if self.best.weights is None:
                    self.average.swap()
                metrics, ids, scores = self._score(self.data.test)
            except _FailedError as problem:
                reason = str(problem)
            except (RuntimeError, MemoryError) as problem:  # where nothing can be done in parts
                if not is_out_of_memory(problem):
                    raise
                reason = f"{_OUT_OF_MEMORY} on {self.device}: {str(problem).partition(chr(10))[0]}"
        return Result(
            metrics=metrics,
            curve=tuple(self.state.curve),
            seconds=time.perf_counter() - self.clock,
            peak_memory_bytes=peak_memory(self.device),
            parameters=sum(p.numel() for p in self.parameters),
            top_ids=ids,
            top_scores=scores,
            reason=reason,
            notes=(*self.conditions, *self.notes),
            prediction_seconds=None if reason else self.predicting,
        )

    def _prepare(self, build: Callable[[Tensor], nn.Module]) -> None:
        protocol = self.protocol
        reset_peak_memory(self.device)
        self.state = _State()
        above = -math.inf if protocol.select_above is None else protocol.select_above
        self.best = Best(above=above, patience=protocol.patience, keep_from=protocol.keep_from or 0)
        torch.manual_seed(self.seed)
        self.rng = np.random.default_rng(self.seed)
        self.network = build(torch.from_numpy(self.data.vectors)).to(self.device)
        if not hasattr(self.network, "minimum_width"):
            raise ConfigError("the network has no `minimum_width` of a batch; set it, for example to 1")
        self.minimum_width = int(self.network.minimum_width)  # type: ignore[arg-type]
        if protocol.optimiser == "dense_sparse_adam":
            with_sparse_gradients(self.network)
        self.conditions = conditions(self.network, self.precision, self.device)
        self.parameters = list(self.network.parameters())
        self.average = Average(self.parameters)
        self.clip: NormClip | None = None
        if protocol.clip is not None:
            queued = isinstance(protocol.clip, str)  # you2019
            self.clip = QueueClip(self.device) if queued else NormClip(cast(float, protocol.clip))
        self.optimiser = OPTIMISERS[protocol.optimiser](
            rate_groups(self.network, protocol.part_rates),
            lr=protocol.learning_rate,
            weight_decay=protocol.weight_decay,
            fused=True,
        )
        self.rates = [group["lr"] for group in self.optimiser.param_groups]
        self.train_split = self.inputs(self.data.train, self.device)
        self.epoch_rng_state = self.rng.bit_generator.state
        self._resume()
        self.saved = time.perf_counter()
        self.clock = self.saved - self.state.seconds

    def _one_epoch(self) -> None:
        """The rest of an epoch; it ends early when patience ends."""
        state, protocol, watch = self.state, self.protocol, self.watch
        self.rng.bit_generator.state = self.epoch_rng_state
        plan = training_plan(self.data.train, protocol, self.minimum_width, self.rng)
        began = looked = time.perf_counter()
        began -= state.epoch_seconds
        if state.epoch == protocol.average_from and state.batch == 0:
            self.average.start()
        if hasattr(self.network, "begin_epoch"):
            self.network.begin_epoch(state.epoch)  # type: ignore[operator]
        self.network.train()
        order, rows, cols = (
            torch.from_numpy(array).to(self.device)
            for array in (plan.order, plan.label_rows, plan.label_cols)
        )
        total = torch.tensor(state.loss_sum, dtype=torch.float64, device=self.device)
        steps, done = protocol.epochs * len(plan), len(plan)
        for i in range(state.batch, len(plan)):
            state.batch = i
            now = time.perf_counter()
            stop = watch.stop()
            if stop or now - self.saved >= max(watch.checkpoint_every, _CHECKPOINT_SHARE * self.saving):
                state.loss_sum, state.epoch_seconds = float(total), now - began
                now = time.perf_counter()
                self._save()
                self.saved = time.perf_counter()
                self.saving = self.saved - now
            if stop:
                raise Interrupted
            step = state.epoch * len(plan) + i
            if protocol.schedule == "triangular":
                # Ye et al. 2020, Eq. (15), of Howard and Ruder 2018
                warm, left = protocol.warm_up, steps - step
                share = step / warm if step < warm else max(0.0, left / max(1, steps - warm))
                for group, rate in zip(self.optimiser.param_groups, self.rates, strict=True):
                    group["lr"] = rate * share
            lo, hi = int(plan.starts[i]), int(plan.starts[i + 1])
            first, last = int(plan.label_starts[i]), int(plan.label_starts[i + 1])
            mean_loss = self._step(order[lo:hi], int(plan.widths[i]), rows[first:last], cols[first:last])
            total.add_(mean_loss, alpha=hi - lo)
            if now - looked >= _LOOK_EVERY:
                looked = now
                watch.progress(step + 1, steps, self._look(total, hi))
            if protocol.evaluate_every is not None and (step + 1) % protocol.evaluate_every == 0:
                row = {"epoch": state.epoch + (i + 1) / len(plan), "step": float(step + 1)}
                row["loss"] = self._look(total, hi)
                self._evaluate(row)
                state.curve.append(row)
                self.network.train()
                if self.best.exhausted:
                    done = i + 1
                    break
        else:
            watch.progress((state.epoch + 1) * len(plan), steps, None)
        row = {"epoch": float(state.epoch + done / len(plan)), "loss": self._look(total, plan.starts[done])}
        self.epoch_rng_state = self.rng.bit_generator.state
        if protocol.evaluate == "every_epoch":
            self._evaluate(row)
        elif protocol.evaluate == "end":
            self.average.add()
        row["seconds"] = time.perf_counter() - began
        state.curve.append(row)
        state.epoch, state.batch, state.loss_sum, state.epoch_seconds = state.epoch + 1, 0, 0.0, 0.0

    def _step(self, documents: Tensor, width: int, rows: Tensor, cols: Tensor) -> Tensor:
        """One update on a batch; in parts with the same total gradient if memory does not suffice."""
        while True:
            try:
                for parameter in self.parameters:  # zero_grad does the same and takes six times as long
                    parameter.grad = None
                value = self._backward(documents, width, rows, cols)
                break
            except RuntimeError as problem:  # torch.OutOfMemoryError is one
                self._halve(problem)
        if self.clip is not None:
            self.clip(self.parameters)
        self.optimiser.step()  # not tried twice: it may have moved some weights
        if hasattr(self.network, "after_step"):
            self.network.after_step()  # type: ignore[operator]
        return value

    def _backward(self, documents: Tensor, width: int, rows: Tensor, cols: Tensor) -> Tensor:
        size = len(documents)
        if size <= self.micro_batch or what_ties(self.network):  # the parts may be those of scoring
            value = self._forward_loss(documents, width, rows, cols)
            value.backward()  # type: ignore[no-untyped-call]
            return value.detach()
        total = torch.zeros((), dtype=torch.float64, device=self.device)
        # A loss is a mean, of documents or of what the network says, so a part weighs as its share.
        weight = getattr(self.network, "batch_weight", lambda size, rows, cols: float(size))
        for lo in range(0, size, self.micro_batch):
            part = documents[lo : lo + self.micro_batch]
            mine = (rows >= lo) & (rows < lo + len(part))
            positives = rows[mine] - lo, cols[mine]
            share = weight(len(part), *positives) / weight(size, rows, cols)
            value = self._forward_loss(part, width, *positives) * share
            value.backward()  # type: ignore[no-untyped-call]
            total += value.detach()
        return total

    def _forward_loss(self, documents: Tensor, width: int, rows: Tensor, cols: Tensor) -> Tensor:
        batch = self.train_split.batch(documents, width)
        own = getattr(self.network, "batch_loss", None)
        with self._autocast():
            if own is not None:
                return cast(Tensor, own(batch, rows, cols))
            logits = self._scores(batch, len(documents))
        return self.loss(logits.float(), rows, cols)

    def _scores(self, batch: Any, documents: int) -> Tensor:
        """The network's scores (B, L). Raises `ConfigError` for another shape."""
        logits, asked = self.network(batch), (documents, self.data.n_labels)
        shape = tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
        if shape != asked:
            raise ConfigError(f"the network gives {shape}; it must give scores (documents, labels), {asked}")
        return cast(Tensor, logits)

    def _look(self, total: Tensor, documents: int) -> float:
        mean = float(total) / max(1, int(documents))
        if not math.isfinite(mean):
            epoch = f"{self.state.epoch + 1} of {self.protocol.epochs}"
            raise _FailedError(f"the training loss became {mean} in epoch {epoch}")
        return mean

    def _halve(self, problem: RuntimeError) -> None:
        if not is_out_of_memory(problem):
            raise problem
        problem.__traceback__ = None  # its frames hold the tensors of the batch
        if self.device.type == "cuda":
            for parameter in self.parameters:
                parameter.grad = None
            torch.cuda.empty_cache()
        if (tie := what_ties(self.network)) is not None:
            why = f"on {self.device}; a batch cannot be computed in parts, since its documents depend on each"
            raise _FailedError(f"{_OUT_OF_MEMORY} {why} other ({tie})") from problem
        if self.micro_batch == 1:
            why = f"with one document at a time on {self.device}"
            raise _FailedError(f"{_OUT_OF_MEMORY} {why}") from problem
        self.micro_batch = (self.micro_batch + 1) // 2
        parts = f"batches of {self.protocol.batch_size} computed in parts of {self.micro_batch}"
        note = f"{_OUT_OF_MEMORY}: {parts}"
        self.notes = [*(old for old in self.notes if not old.startswith(_OUT_OF_MEMORY)), note]

    def _autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bf16")

    def _evaluate(self, row: dict[str, float]) -> None:
        """Adds the metrics of the weights, or of their mean, to a row of the curve; the best are kept."""
        protocol = self.protocol
        on_dev = protocol.select == "best_on_dev"
        self.average.add()
        self.average.swap()
        metrics, _, _ = self._score(self.data.dev if on_dev and self.data.dev else self.data.test)
        if protocol.select != "last":
            self.best.offer(metrics[protocol.select_metric], self.network, self.state.epoch)
        self.average.swap()
        row |= {name: metrics[name] for name in _ON_CURVE if name in metrics}
        self.watch.evaluated(row)

    def _score(self, split: Split) -> tuple[dict[str, float], Ids, Scores]:
        began = time.perf_counter()
        try:
            ids, scores = self.ranked(split, self.kept)
            finite = bool(np.isfinite(scores[ids >= 0]).all())  # -1 stands where a ranking has no more labels
        except DataError:  # a score that is NaN has no place in a ranking
            finite = False
        if not finite:
            epochs = self.protocol.epochs
            after = min(self.state.epoch + 1, epochs)
            raise _FailedError(f"scores are not finite after epoch {after} of {epochs}")
        self.predicting = time.perf_counter() - began
        return measure(ids, split, self.data), ids, scores

    def ranked(self, split: Split, K: int) -> tuple[Ids, Scores]:
        """The K best labels of every document and their scores, (N, K) each."""
        on_device, network = self.inputs(split, self.device), self.network
        plan = scoring_plan(
            split,
            self.protocol,
            self.minimum_width,
            # A network with a weight for every position takes one width.
            self.minimum_width if getattr(network, "position_bound", False) else None,
            # Beside documents of its own length one would have other scores than among random ones.
            file_order=getattr(network, "reads_neighbours", False),
        )
        ids, scores = np.empty((split.size, K), dtype=np.int32), np.empty((split.size, K), dtype=np.float32)
        network.eval()
        with torch.inference_mode():
            for i in range(len(plan)):
                order = plan.order[plan.starts[i] : plan.starts[i + 1]]
                documents, width = torch.from_numpy(order).to(self.device), int(plan.widths[i])
                done = 0
                while done < len(order):
                    part = documents[done : done + self.micro_batch]
                    try:
                        with self._autocast():
                            values, best = self._choose_best(on_device.batch(part, width), part, K)
                    except RuntimeError as problem:
                        self._halve(problem)
                        continue
                    own = order[done : done + len(part)]
                    scores[own], ids[own] = values.cpu().numpy(), best.cpu().numpy()
                    done += len(part)
        return ids, scores

    def _choose_best(self, batch: Any, documents: Tensor, K: int) -> tuple[Tensor, Tensor]:
        """The K best labels' scores and ids, (B, K) each: the network's own choice if it makes one."""
        own = getattr(self.network, "batch_best", None)
        if own is not None:
            return cast(tuple[Tensor, Tensor], own(batch, K))
        scores = self._scores(batch, len(documents)).float()
        return top_k(scores, K)

    def _save(self) -> None:
        if self.watch.checkpoint is None:
            return
        self.state.seconds = time.perf_counter() - self.clock
        content: dict[str, Any] = {
            "order_rng": json.dumps(self.epoch_rng_state),
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "data": self.data.fingerprint,  # with the documents that are held out
            "micro_batch": self.micro_batch,
            "notes": list(self.notes),
        }
        for part, names in _STORED.items():
            content[part] = {name: getattr(getattr(self, part), name, None) for name in names}
        problem = save_checkpoint(self.watch.checkpoint, content, self.device)
        # A run can do without: what is lost is the way back, not the result.
        note = f"no checkpoint could be written ({problem})"
        self.notes += [note] if problem and note not in self.notes else []

    def _resume(self) -> None:
        path = self.watch.checkpoint
        if path is None or not path.exists():
            return
        with load_checkpoint(path, self.device) as content:
            if content["data"] != self.data.fingerprint:
                raise DataError("it is of other data")
            self.network.load_state_dict(content["network"])
            self.optimiser.load_state_dict(content["optimiser"])
            for part in _STORED:
                if hasattr(getattr(self, part), "__dict__"):
                    vars(getattr(self, part)).update(content[part])
            if isinstance(self.clip, QueueClip):
                self.clip.queue = self.clip.queue.to(self.device)
            self.epoch_rng_state = json.loads(content["order_rng"])
            self.micro_batch, self.notes = content["micro_batch"], content["notes"]
