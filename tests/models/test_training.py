"""Training: against a plain loop, across interruptions, when numbers or memory give out, and its choices."""

from __future__ import annotations

import errno
import io
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from reimpl import training, xml_cnn
from reimpl.data.dataset import Dataset, Split
from reimpl.data.splits import find_rule, hold_out
from reimpl.losses import LOSSES
from reimpl.machine import CheckpointError, read_checkpoint
from reimpl.optim import LasagneAdam
from reimpl.protocol import Protocol
from reimpl.training import Interrupted, Result, Watch, train
from tests.toys import same, stopping, toy_data, toy_protocol

Build = Callable[[Tensor], nn.Module]


def small_config(**changes: Any) -> xml_cnn.Config:
    parts: dict[str, Any] = {"windows": (2, 3), "maps": 3, "pooling": "max", "hidden": 5, **changes}
    return xml_cnn.Config(**parts)


def builder(data: Dataset, protocol: Protocol, **changes: Any) -> Build:
    """Builds a small network of the family, as the runner does."""

    def build(vectors: Tensor) -> nn.Module:
        return xml_cnn.build(
            small_config(**changes),
            vectors=vectors,
            labels=data.n_labels,
            length=protocol.length,
            padding_id=data.padding_id,
            freeze_padding=not data.padding_trainable,
        )

    return build


def run(
    data: Dataset | None = None,
    protocol: Protocol | None = None,
    *,
    build: Build | None = None,
    seed: int = 0,
    config: Mapping[str, Any] | None = None,
    **options: Any,
) -> Result:
    data, protocol = data or toy_data(), protocol or toy_protocol()
    build = build or builder(data, protocol, **(config or {}))
    return train(build, data, protocol, **{"loss_name": "bce_mean", "seed": seed, **options})


class Bag(nn.Module):
    """Mean word vector times a matrix: simple enough to be trained by hand."""

    minimum_width = 1

    def __init__(self, vectors: Tensor, labels: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.embedding: nn.Embedding = nn.Embedding.from_pretrained(  # type: ignore[no-untyped-call]
            vectors.clone(), freeze=False, padding_idx=0
        )
        self.output, self.dropout = nn.Linear(vectors.shape[1], labels), dropout

    def forward(self, ids: Tensor) -> Tensor:
        mean = nn.functional.dropout(self.embedding(ids).mean(dim=1), self.dropout, self.training)
        scores: Tensor = self.output(mean)
        return scores


def bag(data: Dataset, made: list[nn.Module] | None = None, **options: Any) -> Build:
    """Builds a `Bag`, and keeps it in `made`."""

    def build(vectors: Tensor) -> nn.Module:
        network = Bag(vectors, data.n_labels, **options)
        if made is not None:
            made.append(network)
        return network

    return build


# --------------------------------------------------------------------------- a plain loop


def padded(split: Split, documents: list[int], width: int) -> Tensor:
    rows = [split.tokens[split.offsets[i] : split.offsets[i + 1]].tolist()[:width] for i in documents]
    return torch.tensor([row + [0] * (width - len(row)) for row in rows])


def targets(split: Split, documents: list[int], labels: int) -> Tensor:
    y = torch.zeros(len(documents), labels)
    for row, i in enumerate(documents):
        for label in split.label_ids[split.label_offsets[i] : split.label_offsets[i + 1]]:
            y[row, label] = 1
    return y


def by_hand(data: Dataset, protocol: Protocol, seed: int, network: nn.Module) -> list[float]:
    """Trains the network the way a textbook does; the mean loss a document of every epoch."""
    rng, size, split = np.random.default_rng(seed), protocol.batch_size, data.train
    optimiser = torch.optim.Adam(network.parameters(), lr=protocol.learning_rate)
    if protocol.optimiser == "lasagne_adam":
        optimiser = LasagneAdam(network.parameters(), lr=protocol.learning_rate)
    means = []
    for _ in range(protocol.epochs):
        order, losses = rng.permutation(split.size).tolist(), []
        for lo in range(0, split.size, size):
            documents = order[lo : lo + size]
            logits = network(padded(split, documents, protocol.length))
            y = targets(split, documents, data.n_labels)
            value = nn.functional.binary_cross_entropy_with_logits(logits, y)
            optimiser.zero_grad()
            value.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            losses += [float(value.detach())] * len(documents)
        means.append(sum(losses) / split.size)
    return means


@pytest.mark.parametrize("optimiser", ["adam", "lasagne_adam"])
def test_losses_weights_and_rankings_are_those_of_a_plain_loop(optimiser: Any) -> None:
    data, protocol = toy_data(), toy_protocol(optimiser=optimiser)
    made: list[nn.Module] = []
    result = run(data, protocol, build=bag(data, made), seed=4)
    torch.manual_seed(4)
    network = Bag(torch.from_numpy(data.vectors), data.n_labels)
    losses = by_hand(data, protocol, 4, network)
    assert [row["loss"] for row in result.curve] == pytest.approx(losses, rel=1e-5)
    assert [row["epoch"] for row in result.curve] == [1, 2, 3]
    for name, weight in network.state_dict().items():
        torch.testing.assert_close(made[0].state_dict()[name], weight, rtol=1e-4, atol=1e-6)
    with torch.no_grad():
        scores = network(padded(data.test, list(range(data.test.size)), protocol.length)).numpy()
    assert result.top_ids is not None
    expected = np.argsort(-scores, axis=1, kind="stable")
    np.testing.assert_array_equal(result.top_ids, expected)
    np.testing.assert_allclose(result.top_scores, np.take_along_axis(scores, expected, 1), rtol=1e-4)


# --------------------------------------------------------------------------- seeds


def test_the_same_seed_gives_the_same_bits_and_another_seed_others() -> None:
    first = run(seed=1)
    np.random.seed(99)  # nothing reads the global generator of numpy
    torch.manual_seed(99)
    assert same(first, run(seed=1))
    assert not same(first, run(seed=2))


# --------------------------------------------------------------------------- interruptions


def with_stops(checkpoint: Path, *stops: int, **options: Any) -> tuple[Result, int]:
    """Runs, is stopped at each of `stops` steps after the last start, and goes on; how often it was."""
    interruptions = 0
    for stop in stops:
        try:
            return run(watch=Watch(stop=stopping(stop), checkpoint=checkpoint), **options), interruptions
        except Interrupted:
            interruptions += 1
    return run(watch=Watch(checkpoint=checkpoint), **options), interruptions


#: Five batches an epoch: step 0 is before anything, 5 the beginning of the second epoch, 14 the last.
STEPS = [(0, 0), (5,), (14,), (4, 1, 1, 6)]


@pytest.mark.parametrize("stops", STEPS, ids=str)
@pytest.mark.parametrize(
    "protocol",
    [
        {},
        {"optimiser": "lasagne_adam", "shuffle": "batches", "padding": "split"},
        {"select": "best_on_test", "evaluate": "every_epoch"},
        {"select": "best_on_dev", "evaluate": "every_epoch", "patience": 1},
    ],
    ids=["last", "lasagne", "best", "patience"],
)
def test_a_resumed_run_ends_with_the_bits_of_an_undisturbed_one(
    tmp_path: Path, protocol: dict[str, Any], stops: tuple[int, ...]
) -> None:
    data, chosen = toy_data(n_dev=9), toy_protocol(**protocol)
    undisturbed = run(data, chosen)
    resumed, times = with_stops(tmp_path / "state.pt", *stops, data=data, protocol=chosen)
    assert times == len(stops) or chosen.patience
    assert same(undisturbed, resumed)


def test_a_checkpoint_runs_no_code(tmp_path: Path) -> None:
    """A folder of records may come from somebody else."""

    class Evil:
        def __reduce__(self) -> Any:
            return Path.touch, (tmp_path / "touched",)

    path = tmp_path / "state.pt"
    torch.save({"network": Evil()}, path)
    with pytest.raises(CheckpointError):
        run(watch=Watch(checkpoint=path))
    assert not (tmp_path / "touched").exists()


PASSING = [
    OSError(errno.EIO, "Input/output error"),
    torch.OutOfMemoryError("CUDA out of memory"),
    MemoryError(),
]


@pytest.mark.parametrize("problem", PASSING, ids=repr)
def test_what_a_disk_or_a_memory_refuses_leaves_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    """Nor is a model of an ensemble taken to be not there."""
    path = tmp_path / "state.pt"
    with pytest.raises(Interrupted):
        run(watch=Watch(checkpoint=path, stop=stopping(4)))
    content = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(torch, "load", Mock(side_effect=problem))
        for reading in (lambda: run(watch=Watch(checkpoint=path)), lambda: read_checkpoint(path, dict)):
            with pytest.raises(type(problem)):
                reading()
    assert path.read_bytes() == content
    assert same(run(watch=Watch(checkpoint=path)), run())


def flipped(content: bytes) -> bytes:
    """With another bit in a weight."""
    place = content.index(torch.load(io.BytesIO(content))["network"]["output.weight"].numpy().tobytes())
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize("damage", [*(partial(lambda n, it: it[:n], n) for n in (0, 3, 100, -30)), flipped])
def test_a_file_that_was_cut_off_or_has_changed_is_no_checkpoint(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "state.pt"
    with pytest.raises(Interrupted):
        run(watch=Watch(checkpoint=path, stop=stopping(4)))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CheckpointError, match="is not a readable state of this run"):
        run(watch=Watch(checkpoint=path))
    assert read_checkpoint(path, dict) is None


def test_checkpoints_take_a_fiftieth_of_the_time_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step takes 1 second and a checkpoint 10: one is due after 20, as asked for, others after 500."""
    clock, saved = [0.0], list[float]()

    class Slow(Bag):
        def forward(self, ids: Tensor) -> Tensor:
            clock[0] += self.training
            return super().forward(ids)

    def save(*_: Any) -> None:
        saved.append(clock[0])
        clock[0] += 10

    data = toy_data()
    monkeypatch.setattr(training, "save_checkpoint", save)
    monkeypatch.setattr(training.time, "perf_counter", lambda: clock[0])
    watch = Watch(checkpoint=tmp_path / "state.pt", checkpoint_every=20)
    run(data, toy_protocol(epochs=300), build=lambda vectors: Slow(vectors, data.n_labels), watch=watch)
    assert saved == [20, 530, 1040]  # 1500 steps


# --------------------------------------------------------------------------- numbers that give out


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_loss_that_is_no_number_is_a_failed_run_that_names_the_epoch(value: float) -> None:
    """Step 8 of 5 an epoch is in the second."""
    data, steps = toy_data(), count(1)

    class Poisoned(Bag):
        def forward(self, ids: Tensor) -> Tensor:
            return super().forward(ids) + (value if next(steps) >= 8 else 0)

    result = run(data, build=lambda vectors: Poisoned(vectors, data.n_labels))
    assert result.failed and result.metrics == {} and result.top_ids is None
    assert re.fullmatch(r"the training loss became (nan|inf|-inf) in epoch 2 of 3", result.reason or "")
    assert len(result.curve) == 1


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("column", [0, 11, None])
def test_scores_that_are_no_numbers_are_a_failed_run(value: float, column: int | None) -> None:
    """Also of a single label, which would otherwise pass as the least likely: 12 labels, 10 kept."""
    data = toy_data(n_labels=12)

    class Late(Bag):
        def forward(self, ids: Tensor) -> Tensor:
            scores = super().forward(ids)
            if not self.training:
                scores[:, slice(None) if column is None else column] = value
            return scores

    result = run(data, build=lambda vectors: Late(vectors, data.n_labels))
    assert result.reason == "scores are not finite after epoch 3 of 3"
    assert result.metrics == {} and len(result.curve) == 3
    every = toy_protocol(evaluate="every_epoch")
    result = run(data, every, build=lambda vectors: Late(vectors, data.n_labels))
    assert result.reason == "scores are not finite after epoch 1 of 3"


# --------------------------------------------------------------------------- memory that gives out


class Tight(Bag):
    """Has memory for so many documents at a time."""

    room = 10**9
    error: Exception = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")

    def forward(self, ids: Tensor) -> Tensor:
        if len(ids) > self.room:
            raise self.error
        return super().forward(ids)


def tight(data: Dataset, room: int, made: list[nn.Module] | None = None, **options: Any) -> Build:
    def build(vectors: Tensor) -> nn.Module:
        network = Tight(vectors, data.n_labels)
        network.room = room
        network.__dict__.update(options)
        if made is not None:
            made.append(network)
        return network

    return build


@pytest.mark.parametrize("loss_name", LOSSES)
@pytest.mark.parametrize("room", [1, 3])
def test_batches_in_parts_make_the_same_step(room: int, loss_name: str) -> None:
    """One step on one batch of 20 documents, unbroken and in parts: the same weights to 1e-6."""
    data, protocol = toy_data(n_train=20), toy_protocol(batch_size=20, epochs=1)
    whole: list[nn.Module] = []
    parts: list[nn.Module] = []
    one = run(data, protocol, build=bag(data, whole), loss_name=loss_name)
    other = run(data, protocol, build=tight(data, room, parts), loss_name=loss_name)
    assert other.curve[0]["loss"] == pytest.approx(one.curve[0]["loss"], rel=1e-6)
    for name, weight in whole[0].state_dict().items():
        torch.testing.assert_close(parts[0].state_dict()[name], weight, rtol=0, atol=1e-6)
    size = room  # 20, 10, 5, 3, 2, 1
    assert other.notes == (f"out of memory: batches of 20 computed in parts of {size}",)
    assert one.notes == ()


class Normalised(Tight):
    """Whose documents see each other in training; in prediction too where it `reads_neighbours`."""

    def __init__(self, vectors: Tensor, labels: int) -> None:
        super().__init__(vectors, labels)
        self.norm = nn.BatchNorm1d(labels)

    def forward(self, ids: Tensor) -> Tensor:
        scores: Tensor = self.norm(super().forward(ids))
        return scores


def normalised(data: Dataset, **options: Any) -> Build:
    def build(vectors: Tensor) -> nn.Module:
        network = Normalised(vectors, data.n_labels)
        vars(network).update(options)
        return network

    return build


def test_a_batch_whose_documents_depend_on_each_other_is_not_computed_in_parts() -> None:
    data, why = toy_data(), "out of memory on cpu; a batch cannot be computed in parts, since its documents"
    result = run(data, build=normalised(data, room=3))
    assert result.reason == f"{why} depend on each other (batch normalisation)"
    assert result.out_of_memory and not result.metrics
    result = run(data, build=normalised(data, room=3, reads_neighbours=True))
    assert result.reason == f"{why} depend on each other (reads_neighbours)"


def test_parts_in_prediction_leave_batches_of_training_whole() -> None:
    """Where batch normalisation is fixed, as it is not in training: the same bits as with room for all."""
    data, protocol = toy_data(), toy_protocol(evaluate="every_epoch")

    class Narrow(Normalised):
        def forward(self, ids: Tensor) -> Tensor:
            self.room = 10**9 if self.training else 3
            return super().forward(ids)

    result = run(data, protocol, build=lambda vectors: Narrow(vectors, data.n_labels))
    assert result.notes == ("out of memory: batches of 5 computed in parts of 3",)
    whole = run(data, protocol, build=normalised(data))
    assert same(replace(result, notes=()), whole)


def test_out_of_memory_beside_the_batches_is_a_failed_run_too(monkeypatch: pytest.MonkeyPatch) -> None:
    error = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB\nmore")
    monkeypatch.setattr(torch.optim.Adam, "step", Mock(side_effect=error))
    result = run()
    assert result.reason == "out of memory on cpu: CUDA out of memory. Tried to allocate 20.00 GiB"
    assert result.out_of_memory


# --------------------------------------------------------------------------- which epoch is reported


class Scripted(nn.Module):
    """One batch an epoch; ranks the right label first after the epochs that the script calls good. Every
    document is the word of its label, 1 to 6, so that the network can know. The epoch goes with the weights,
    so that `scored` shows whose weights ranked something."""

    minimum_width = 1

    def __init__(self, good: list[bool]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(6))
        self.epoch = nn.Buffer(torch.tensor(0))
        self.good, self.steps, self.scored = good, 0, list[int]()

    def forward(self, ids: Tensor) -> Tensor:
        if self.training:
            self.steps += 1
            self.epoch.fill_(self.steps)
        else:
            self.scored.append(int(self.epoch))
        return nn.functional.one_hot(self.first(ids), 6) + 0 * self.weight

    def first(self, ids: Tensor) -> Tensor:
        wrong = not self.good[int(self.epoch) - 1]
        return (ids[:, 0].long() - 1 + wrong) % 6


def scripted(good: list[bool], **changes: Any) -> tuple[Result, Scripted]:
    documents = Split.from_lists([[label + 1] for label in range(6)] * 2, [[label] for label in range(6)] * 2)
    data = toy_data(train=documents, test=documents, dev=documents)
    network = Scripted(good)
    protocol = toy_protocol(epochs=len(good), batch_size=12, evaluate="every_epoch", **changes)
    return run(data, protocol, build=lambda vectors: network), network


def test_best_on_test_reports_the_weights_and_predictions_of_the_best_epoch() -> None:
    result, network = scripted([False, True, False, False], select="best_on_test")
    assert [row["P@1"] for row in result.curve] == [0, 100, 0, 0]
    assert network.scored == [1, 2, 3, 4, 2]
    assert result.metrics["P@1"] == 100
    assert result.top_ids is not None
    assert result.top_ids[:, 0].tolist() == [0, 1, 2, 3, 4, 5] * 2


def test_best_on_dev_looks_at_the_dev_set_and_scores_the_test_set() -> None:
    """Label 1 comes first after the first epoch and label 0 after the second: right on dev, then on test."""
    ones = Split.from_lists([[1]] * 3, [[1]] * 3)
    zeros = Split.from_lists([[1]] * 3, [[0]] * 3)
    data = toy_data(dev=ones, test=zeros)
    protocol = toy_protocol(epochs=2, select="best_on_dev", evaluate="every_epoch", batch_size=23)

    class Turning(Scripted):
        def first(self, ids: Tensor) -> Tensor:
            return torch.full((len(ids),), 2 - int(self.epoch))

    result = run(data, protocol, build=lambda vectors: Turning([]))
    assert [row["P@1"] for row in result.curve] == [100, 0]
    assert result.metrics["P@1"] == 0  # of the first epoch


def test_a_protocol_with_a_hold_out_trains_and_selects_on_what_its_rule_leaves_and_takes() -> None:
    rule = {"select": "best_on_dev", "evaluate": "every_epoch"}
    data = toy_data(n_train=40)
    parts = hold_out(data, find_rule("liu2017"))
    by_hand = run(parts, toy_protocol(**rule))
    assert same(run(data, toy_protocol(**rule, hold_out="liu2017")), by_hand)
    assert not same(run(data, toy_protocol(**rule, hold_out="wang2019")), by_hand)


# --------------------------------------------------------------------------- predictions and metrics


@pytest.mark.parametrize("padding", ["length", "split", "batch"])
def test_scoring_in_batches_equals_scoring_all_at_once(padding: Any) -> None:
    """The order of the documents comes back, also where batches are made by length. The network takes the
    maximum over words, so that padding up to its window decides nothing."""
    data = toy_data(n_test=40)

    class Highest(Bag):
        def forward(self, ids: Tensor) -> Tensor:
            held = self.embedding(ids).masked_fill((ids == 0)[..., None], -9.0)
            scores: Tensor = self.output(held.max(dim=1).values)
            return 0 * scores if self.training else scores  # no gradient: the weights stay as drawn

    def scored(size: int) -> Result:
        protocol = toy_protocol(padding=padding, batch_size=size)
        return run(data, protocol, build=lambda vectors: Highest(vectors, data.n_labels))

    one, other = scored(3), scored(1000)
    np.testing.assert_array_equal(one.top_ids, other.top_ids)  # type: ignore[arg-type]
    np.testing.assert_allclose(one.top_scores, other.top_scores, rtol=1e-6, atol=1e-6)  # type: ignore[arg-type]
