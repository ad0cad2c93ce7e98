"""APLC behind the encoders of the project: what trains, what is counted, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from reimpl import aplc, label_clusters, training
from reimpl.label_clusters import ClusterOptions, LabelClusters
from reimpl.models import find_config
from tests.toys import toy_data, toy_protocol

#: Networks that end in a layer from a vector a document to the scores, at toy sizes.
BASES: dict[str, dict[str, Any]] = {
    "xml_cnn": {"base_variant": "chen2022-kim-words", "base_config": {"windows": [2], "maps": 4}},
    "attention_xml": {
        "base_variant": "bilstm",
        "base_config": {"hidden": 3, "fully_connected": [4], "dropout_output": 0.0},
    },
    "bert_xml": {
        "base_variant": "code",
        "base_config": {"hidden": "as_vectors", "inner": 4, "layers": 1, "dropout": 0.0},
    },
    "mesh_probenet": {"base_variant": "code", "base_config": {"hidden": 3}},
}


def config_of(base: str, variant: str = "code", **changes: Any) -> aplc.Config:
    found = find_config(aplc, variant, {"base": base, **BASES[base], **changes})
    assert isinstance(found, aplc.Config)
    return found


@pytest.mark.parametrize("variant", aplc.VARIANTS)
@pytest.mark.parametrize("base", BASES)
def test_clusters_learn_behind_every_encoder(base: str, variant: str) -> None:
    """The loss falls, and the lists are of all labels."""
    config = config_of(base, variant, clusters=3)
    result = aplc.train(config, toy_data(), toy_protocol(epochs=12), seed=1)
    losses = [row["loss"] for row in result.curve]
    assert losses[-1] < losses[0]
    assert result.top_ids is not None
    assert (np.sort(result.top_ids) == np.arange(6)).all()
    assert result.notes[0] == "label clusters of 2, 2, 2 labels"


@pytest.mark.parametrize("variant", aplc.VARIANTS)
def test_a_batch_in_parts_learns_what_the_whole_learns(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of memory at more than three documents: the divisor stays that of the whole batch."""
    config = config_of("xml_cnn", variant)
    config = replace(
        config, base_config={**config.base_config, "dropout_embedding": 0.0, "dropout_output": 0.0}
    )
    whole = aplc.train(config, toy_data(), toy_protocol(), seed=0)
    kept = aplc.Clustered.batch_loss

    def narrow(self: aplc.Clustered, ids: torch.Tensor, *positives: torch.Tensor) -> torch.Tensor:
        if len(ids) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return kept(self, ids, *positives)

    monkeypatch.setattr(aplc.Clustered, "batch_loss", narrow)
    parts = aplc.train(config, toy_data(), toy_protocol(), seed=0)
    assert any("in parts of 3" in note for note in parts.notes)
    losses = ([row["loss"] for row in of.curve] for of in (parts, whole))
    np.testing.assert_allclose(*losses, rtol=1e-5)


def test_rates_go_to_the_parts_and_follow_the_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    """Encoder and clusters at their rates times (steps - step) / steps; 23 documents in batches of 5."""
    seen: list[list[float]] = []
    kept = training.Run._step

    def step(self: training.Run, *batch: Any) -> torch.Tensor:
        seen.append([group["lr"] for group in self.optimiser.param_groups])
        return kept(self, *batch)

    monkeypatch.setattr(training.Run, "_step", step)
    protocol = toy_protocol(
        epochs=2, schedule="triangular", part_rates={"encoder": 1e-3, "clusters": 1e-2}, warm_up=2
    )
    aplc.train(config_of("xml_cnn"), toy_data(), protocol, seed=0)
    shares = [0, 1 / 2, *(n / 8 for n in range(8, 0, -1))]
    np.testing.assert_allclose(seen, [[1e-3 * it, 1e-2 * it] for it in shares], atol=1e-12)


def test_memory_is_that_of_a_block() -> None:
    """No tensor with an entry for each document and label of a cluster is made."""
    from torch.utils._python_dispatch import TorchDispatchMode

    largest = 0

    class Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            nonlocal largest
            out = func(*args, **(kwargs or {}))
            if isinstance(out, torch.Tensor) and out.is_floating_point():
                largest = max(largest, out.numel())
            return out

    options = ClusterOptions(clusters=2)
    layer = LabelClusters(options, features=4, order=np.arange(40_000))
    x = torch.randn(64, 4, requires_grad=True)
    rows, cols = torch.arange(64), torch.randint(0, 40_000, (64,))
    with Watch():  # type: ignore[no-untyped-call]
        layer.loss(x, rows, cols).backward()  # type: ignore[no-untyped-call]
        with torch.no_grad():
            layer.best(x, 5)
    assert largest <= label_clusters.BLOCK < 64 * 20_000
