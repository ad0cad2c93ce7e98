"""CorNet's blocks by hand, and on any base."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from reimpl import cornet, xml_cnn
from reimpl.config_fields import as_dict, as_json
from reimpl.models import find_config, reduced_config
from reimpl.optim import with_sparse_gradients
from reimpl.protocol import protocol
from tests.test_models import offer

Patch = pytest.MonkeyPatch


# ------------------------------------------------------------------------------- whole networks, any base

KIM: dict[str, Any] = {"base": "xml_cnn", "base_variant": "chen2022-kim-words"}
PARTS: dict[str, Any] = {"labels": 9, "length": 12, "padding_id": 0, "freeze_padding": True}


def test_one_mapping_puts_cornet_on_a_model() -> None:
    """The base's configuration is written out, and so is part of a run's key; its variant only names it."""
    config = find_config(cornet, "code", {**KIM, "base_config": {"maps": 5}})
    kim = xml_cnn.VARIANTS["chen2022-kim-words"]
    assert config.base_config == as_json(as_dict(replace(kim, maps=5)))
    assert (config.base_variant, config.loss, config.blocks, config.context) == (None, "bce_mean", 2, 1000)
    assert find_config(cornet, None, json.loads(json.dumps(as_dict(config)))) == config


def test_scores_are_the_bases_scores_through_the_blocks() -> None:
    """And with no blocks they are the base's own."""
    ids = torch.randint(0, 30, (3, 12))
    for blocks in (0, 2):
        config = find_config(cornet, "code", {**KIM, "blocks": blocks, "context": 4})
        network = cornet.build(config, vectors=torch.randn(30, 16), **PARTS).eval()
        x = network.base(ids)
        for block in network.blocks:
            x = block(x)
        assert torch.equal(network(ids), x)
        assert len(network.blocks) == blocks


@pytest.mark.parametrize(
    ("base", "variant", "reduced"),
    [
        ("xml_cnn", "xun2020-code", {"maps": 16, "hidden": 128}),
        ("xml_cnn", "chen2022-kim-words", {"maps": 16}),
        ("bert_xml", "code", {"hidden": "as_vectors", "inner": 64}),
        ("mesh_probenet", "code", {"hidden": 32}),
        ("attention_xml", "code", {"hidden": 32, "fully_connected": [32]}),
    ],
)
def test_reduced_sizes_reach_the_base(base: str, variant: str, reduced: dict[str, Any]) -> None:
    """By its own rule, and the blocks get a smaller bottleneck; everything else stays."""
    whole = find_config(cornet, "code", {"base": base, "base_variant": variant})
    small = reduced_config(cornet, whole, protocol("small").model)
    assert small == replace(whole, context=64, base_config={**whole.base_config, **reduced})


THEIRS = """
from dataclasses import dataclass
from torch import nn
REVISION = 3
@dataclass(frozen=True)
class Config:
    loss: str = "softmax_ce"
    size: int = 3
VARIANTS = {"plain": Config()}
class Net(nn.Module):
    minimum_width, position_bound, dense_embeddings = 7, True, True
    def __init__(self, vectors, labels):
        super().__init__()
        self.words = nn.EmbeddingBag.from_pretrained(vectors, freeze=False)
        self.output = nn.Linear(vectors.shape[1], labels)
    def forward(self, ids):
        return self.output(self.words(ids))
def build(config, *, vectors, labels, length, padding_id, freeze_padding):
    return Net(vectors, labels)
"""


def test_another_packages_model_is_a_base_like_any_other(monkeypatch: Patch, tmp_path: Path) -> None:
    """Its revision enters the configuration, and it answers what the training asks of a network."""
    offer(monkeypatch, tmp_path, THEIRS)
    config = find_config(cornet, "code", {"base": "theirs", "base_variant": "plain", "context": 4})
    assert config.base_config == {"loss": "softmax_ce", "size": 3}
    assert (config.base_revision, config.loss) == (3, "softmax_ce")
    assert as_dict(config)["base_revision"] == 3
    network = cornet.build(config, vectors=torch.randn(30, 16), **PARTS)
    assert (network.minimum_width, network.position_bound, network.dense_embeddings) == (7, True, True)
    assert network(torch.randint(0, 30, (3, 12))).shape == (3, 9)


def test_embeddings_of_the_base_have_sparse_gradients_but_for_bert_xml() -> None:
    """As the public code's optimiser sees them."""
    for base, dense in (("xml_cnn", False), ("bert_xml", True)):
        config = find_config(cornet, "code", {"base": base, "context": 4})
        network = cornet.build(config, vectors=torch.randn(30, 300), **PARTS)
        with_sparse_gradients(network)
        embedding = next(m for m in network.modules() if isinstance(m, nn.Embedding))
        assert embedding.sparse is not dense
