"""CorNet's blocks by hand, and on any base."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from reimpl import cornet, xml_cnn
from reimpl.models import find_config
from reimpl.optim import with_sparse_gradients
from reimpl.protocol import as_dict, as_json

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


def test_embeddings_of_the_base_have_sparse_gradients_but_for_bert_xml() -> None:
    """As the public code's optimiser sees them."""
    for base, dense in (("xml_cnn", False), ("bert_xml", True)):
        config = find_config(cornet, "code", {"base": base, "context": 4})
        network = cornet.build(config, vectors=torch.randn(30, 300), **PARTS)
        with_sparse_gradients(network)
        embedding = next(m for m in network.modules() if isinstance(m, nn.Embedding))
        assert embedding.sparse is not dense
