"""Training by AttentionXML's rules: evaluation by steps, averaging, patience, clipping, sparse rows."""

from __future__ import annotations

import gzip
import json
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from reimpl import training
from reimpl.data.dataset import Dataset
from reimpl.optim import DenseSparseAdam
from reimpl.protocol import Protocol
from reimpl.training import Interrupted, Result, Watch, train
from tests.models.test_training import Bag, Build
from tests.models.test_training import bag as bag_of
from tests.toys import same, stopping, toy_data, toy_protocol

LOOPS: list[dict[str, Any]] = json.loads(
    gzip.decompress((Path(__file__).parents[1] / "reference" / "03_training_dynamics.json.gz").read_bytes())
)["swa_and_early_stop_loop"]

#: Long enough that gradients pass the bound.
VECTORS = 100 * toy_data().vectors


def bag(data: Dataset, made: list[nn.Module] | None = None, dropout: float = 0.2) -> Build:
    """With dropout, so that the generator matters."""
    return bag_of(data, made, dropout=dropout)


def run(data: Dataset, protocol: Protocol, build: Build | None = None, **options: Any) -> Result:
    return train(build or bag(data), data, protocol, **{"loss_name": "bce_mean", "seed": 0, **options})


def by_steps(**changes: Any) -> Protocol:
    """Five batches an epoch, an evaluation on the dev set every two steps."""
    parts = {"select": "best_on_dev", "evaluate": "every_steps", "evaluate_every": 2, "epochs": 4}
    return toy_protocol(**{**parts, "select_metric": "nDCG@5", "padding": "batch", **changes})


#: All of AttentionXML's rules at once.
ALL = {"optimiser": "dense_sparse_adam", "clip": "you2019", "average_from": 1, "patience": 4}


class Path3(nn.Module):
    """Three numbers that an optimiser sets to the next point of a stored path."""

    minimum_width = 1

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(3, dtype=torch.float64))

    def forward(self, ids: Tensor) -> Tensor:
        return self.weight.sum() * torch.zeros(len(ids), 6, dtype=torch.float64)


@pytest.mark.parametrize(
    "loop", LOOPS, ids=lambda it: f"{it['batches_per_epoch']}x{it['nb_epoch']}by{it['step']}"
)
def test_a_whole_loop_of_the_public_code_is_followed(
    loop: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The weights that each evaluation sees, when it ends, and the weights that it comes back with."""
    network, places = Path3(), count()
    seen: list[list[float]] = []

    class Follow(torch.optim.Adam):
        def step(self, closure: Any = None) -> None:  # type: ignore[override]
            with torch.no_grad():
                network.weight.copy_(torch.tensor(loop["trajectory"][next(places)], dtype=torch.float64))

    def score(self: Any, split: Any) -> Any:
        if split is not data.dev:
            return {}, None, None
        seen.append(network.weight.tolist())
        return {"nDCG@5": 100 * loop["evaluations"][len(seen) - 1]["nDCG"]}, None, None

    data = toy_data(n_train=loop["batches_per_epoch"] * 5, n_dev=9)
    begins = loop["swa_warmup"] if (loop["swa_warmup"] or 0) < loop["nb_epoch"] else None
    protocol = by_steps(
        epochs=loop["nb_epoch"],
        evaluate_every=loop["step"],
        average_from=begins,
        patience=None if loop["early"] is None else loop["early"] + 1,
        select_above=0.0,
    )
    with torch.no_grad():
        network.weight.copy_(torch.tensor(loop["params_start"], dtype=torch.float64))
    monkeypatch.setitem(training.OPTIMISERS, "adam", Follow)
    monkeypatch.setattr(training.Run, "_score", score)
    run(data, protocol, lambda vectors: network)
    stored = [it["params_evaluated"] for it in loop["evaluations"]]
    assert len(seen) == loop["evaluations_run"] == len(stored)
    np.testing.assert_allclose(seen, stored, rtol=0, atol=1e-12)
    assert next(places) == loop["steps_run"]
    np.testing.assert_allclose(network.weight.tolist(), loop["saved_at"][-1]["params_saved"], atol=1e-12)


def plain(data: Dataset, protocol: Protocol) -> tuple[nn.Module, int]:
    """The same rules written out, with batches of the width of their longest document."""
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    network = Bag(torch.from_numpy(data.vectors), data.n_labels, dropout=0.0)
    network.embedding.sparse = True
    weights = list(network.parameters())
    optimiser, queue = DenseSparseAdam(weights, lr=protocol.learning_rate), [float("inf")]
    mean, models, split, clipped = [it.detach().clone() for it in weights], 1, data.train, 0
    for epoch in range(protocol.epochs):
        if epoch == protocol.average_from:
            mean, models = [it.detach().clone() for it in weights], 1
        order = rng.permutation(split.size)
        for lo in range(0, split.size, 5):
            chosen = order[lo : lo + 5]
            rows = [split.tokens[split.offsets[i] : split.offsets[i + 1]].tolist() for i in chosen]
            width = max(map(len, rows))
            y = torch.zeros(len(chosen), data.n_labels)
            for row, i in enumerate(chosen):
                y[row, split.label_ids[split.label_offsets[i] : split.label_offsets[i + 1]]] = 1
            logits = network(torch.tensor([row + [0] * (width - len(row)) for row in rows]))
            optimiser.zero_grad()
            nn.functional.binary_cross_entropy_with_logits(logits, y).backward()  # type: ignore[no-untyped-call]
            # torch's own clipping does not know sparse gradients on a CPU.
            gradients = [it.grad.to_dense() for it in weights if it.grad is not None]
            norm, bound = float(torch.cat([it.flatten() for it in gradients]).norm()), 5 * max(queue)
            for weight in weights:
                assert weight.grad is not None
                weight.grad = weight.grad * min(1.0, bound / (norm + 1e-6))
            queue = [*queue, min(norm, 2 * max(queue), 1.0)][-5:]
            clipped += norm > bound
            optimiser.step()
        assert protocol.average_from is not None
        if epoch >= protocol.average_from:  # the mean takes in the end of each epoch
            models += 1
            mean = [m + (w.detach() - m) / models for m, w in zip(mean, weights, strict=True)]
    with torch.no_grad():
        for weight, value in zip(weights, mean, strict=True):
            weight.copy_(value)
    return network, clipped


def test_weights_are_those_of_a_plain_loop_with_clipping_and_averaging() -> None:
    """What is reported is the mean of the start of the second epoch and the ends of three."""
    data = toy_data(vectors=VECTORS)
    protocol = toy_protocol(
        epochs=4, padding="batch", optimiser="dense_sparse_adam", clip="you2019", average_from=1
    )
    made: list[nn.Module] = []
    run(data, protocol, bag(data, made, dropout=0.0))
    network, clipped = plain(data, protocol)
    assert 3 <= clipped <= 12  # of 20 steps
    for name, weight in network.state_dict().items():
        torch.testing.assert_close(made[0].state_dict()[name], weight, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("stops", [(0,), (12, 3), (6, 0, 0, 5)], ids=str)
@pytest.mark.parametrize(
    "rules",
    [
        ALL,
        {**ALL, "patience": None},
        {"average_from": 0, "clip": 0.1, "keep_from": 2},
        {"average_from": 2, "select": "last", "select_metric": "P@1"},
    ],
    ids=["all", "no patience", "kept late", "last"],
)
def test_a_resumed_run_ends_with_the_bits_of_an_undisturbed_one(
    tmp_path: Path, rules: dict[str, Any], stops: tuple[int, ...]
) -> None:
    """Also where it stops right after an evaluation, or as the averaging begins."""
    data, protocol = toy_data(n_dev=9, vectors=VECTORS), by_steps(**rules, learning_rate=0.05)
    undisturbed, path = run(data, protocol), tmp_path / "state.pt"
    for stop in stops:
        try:
            run(data, protocol, watch=Watch(stop=stopping(stop), checkpoint=path))
        except Interrupted:
            continue
        break
    assert same(undisturbed, run(data, protocol, watch=Watch(checkpoint=path)))
