"""MeSHProbeNet: the network, refusals, variants and training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from reimpl import mesh_probenet
from reimpl.errors import ConfigError
from reimpl.mesh_probenet import VARIANTS, Config, MeSHProbeNet, build
from reimpl.models import find_config, known_variants, reduced_config
from reimpl.training import train
from tests.toys import toy_data, toy_protocol


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def network(**changes: Any) -> MeSHProbeNet:
    """Small, in evaluation mode; ten words of seven components, padding 0."""
    torch.manual_seed(2)
    config = replace(VARIANTS["code"], hidden=6, **changes)
    return MeSHProbeNet(config, vectors=torch.randn(10, 7), labels=4).eval()


# ------------------------------------------------------------------------------------------- the network


@pytest.mark.parametrize("bottleneck", [None, 3])
def test_features_stand_probe_after_probe(bottleneck: int | None) -> None:
    """Two probes that are exchanged exchange the halves of what enters the next layer."""
    net, ids = network(probes=2, bottleneck=bottleneck), torch.tensor([[3, 4, 5, 0]])
    before = net.features(ids)
    assert before.shape == (1, 24)
    net.probes.weight.data = net.probes.weight.data.flip(0)
    torch.testing.assert_close(net.features(ids), before.roll(12, dims=1), rtol=0, atol=1e-7)
    assert net(ids).shape == (1, 4)


def test_padding_and_neighbours_change_nothing() -> None:
    net = network()
    alone = net(torch.tensor([[3, 4, 5]]))
    beside = net(torch.tensor([[3, 4, 5, 0, 0, 0, 0], [6, 7, 8, 9, 3, 0, 0]]))[:1]
    torch.testing.assert_close(beside, alone, rtol=0, atol=1e-6)


def test_a_document_without_words_has_scores() -> None:
    assert network()(torch.tensor([[0, 0, 0], [3, 4, 0]])).isfinite().all()


@pytest.mark.parametrize("train_vectors", [True, False])
def test_word_vectors_are_trained_or_frozen(train_vectors: bool) -> None:
    net = network(train_vectors=train_vectors)
    net(torch.tensor([[1, 2, 0]])).sum().backward()
    grad = net.embedding.weight.grad
    assert (grad is not None) == train_vectors
    assert grad is None or grad.any(dim=1).nonzero().flatten().tolist() == [1, 2]


# ------------------------------------------------------------------------- configurations and training


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": "random"}, "start must be one of 'learned', 'zero', not 'random'"),
        ({"hidden": 0}, "hidden must be a whole number from 1, not 0"),
        ({"probes": 2.0}, "probes must be a whole number from 1, not 2.0"),
        ({"bottleneck": 0}, "bottleneck must be a whole number from 1, or null for none, not 0"),
        ({"train_vectors": 1}, "train_vectors must be true or false, not 1"),
        ({"dropout_embedding": 1}, r"dropout_embedding must be a number in \[0, 1\), not 1"),
        ({"loss": "hinge"}, "loss 'hinge' is not known"),
    ],
)
def test_a_value_that_cannot_be_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Config(**change)


def test_a_claim_file_names_variants_and_changes_keys() -> None:
    assert known_variants("mesh_probenet") == ("code", "paper", "large")
    config = find_config(mesh_probenet, "code", {"bottleneck": 512, "train_vectors": False})
    assert config == Config(bottleneck=512, train_vectors=False)


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


def test_reduced_sizes_keep_the_choices() -> None:
    """The large network stays larger than the other, and no bottleneck comes where there is none."""
    small = {name: reduced_config(mesh_probenet, it, {}) for name, it in VARIANTS.items()}
    assert small["code"].bottleneck is None and small["code"].hidden < 64
    assert (small["large"].layers, small["large"].probes) == (3, 10)
    assert small["paper"].start == "zero"
    assert reduced_config(mesh_probenet, Config(bottleneck=512), {}).bottleneck == 64


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
