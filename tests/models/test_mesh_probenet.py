"""MeSHProbeNet: the network, refusals, variants and training."""

from __future__ import annotations

from typing import Any

import pytest
from torch import Tensor, nn

from reimpl.mesh_probenet import VARIANTS, Config, build
from reimpl.training import train
from tests.toys import toy_data, toy_protocol


def test_variants_differ_as_paper_and_public_code_do() -> None:
    """Sizes of sections 5.2.3 and 5.6.1 (the large one); starts and dropout on the words are the code's."""
    told = {
        name: (it.hidden, it.layers, it.probes, it.start, it.dropout_embedding, it.dropout_states)
        for name, it in VARIANTS.items()
    }
    assert told == {
        "code": (300, 2, 5, "learned", 0.2, 0.5),
        "paper": (300, 2, 5, "zero", 0.0, 0.5),
        "large": (400, 3, 10, "learned", 0.2, 0.5),
    }


@pytest.mark.parametrize("optimiser", ["adam", "dense_sparse_adam"])
def test_it_trains_and_ranks(optimiser: Any) -> None:
    data, config = toy_data(), Config(hidden=4, probes=2, bottleneck=5)

    def made(vectors: Tensor) -> nn.Module:
        return build(config, vectors=vectors, labels=6, length=9, padding_id=0, freeze_padding=True)

    protocol = toy_protocol(padding="batch", optimiser=optimiser)
    result = train(made, data, protocol, loss_name=config.loss, seed=1)
    assert not result.failed
    losses = [row["loss"] for row in result.curve]
    assert losses[-1] < losses[0]
