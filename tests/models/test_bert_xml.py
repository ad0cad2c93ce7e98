"""BertXML against torch's own encoder layer; the network, refusals and variants."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import nn

from reimpl import bert_xml
from reimpl.bert_xml import VARIANTS, BertXML, Config, Layer
from reimpl.losses import loss

#: Twelve components, three heads, four [CLS] symbols.
SMALL: dict[str, Any] = {"hidden": 12, "heads": 3, "inner": 8, "cls_tokens": 4}

Patch = pytest.MonkeyPatch


def network(config: Config, *, seed: int = 0, length: int = 20, labels: int = 6) -> BertXML:
    torch.manual_seed(seed)
    return BertXML(config, vectors=torch.randn(25, 12), labels=labels, length=length)


def tokens(B: int, T: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(T).integers(1, 25, size=(B, T)))


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_a_normalised_layer_is_torchs_encoder_layer(activation: Any) -> None:
    """`nn.TransformerEncoderLayer` with its own weights copied, on documents of 7 and 4 words."""
    config = Config(**SMALL, norm="layer", activation=activation, dropout=0.0)
    torch.manual_seed(1)
    theirs = nn.TransformerEncoderLayer(
        12, 3, 8, dropout=0.0, activation=activation, layer_norm_eps=1e-12, batch_first=True
    ).double()
    ours = Layer(config, 12).double()
    attention = theirs.self_attn
    for layer, weight, bias in zip(
        (ours.attention.query, ours.attention.key, ours.attention.value),
        attention.in_proj_weight.chunk(3),
        attention.in_proj_bias.chunk(3),
        strict=True,
    ):
        layer.weight.data, layer.bias.data = weight.data, bias.data
    pairs: list[tuple[nn.Module, nn.Module]] = [
        (ours.attention.output, attention.out_proj),
        (ours.inner, theirs.linear1),
        (ours.outer, theirs.linear2),
        (ours.norm_attention, theirs.norm1),
        (ours.norm, theirs.norm2),
    ]
    for mine, other in pairs:
        mine.load_state_dict(other.state_dict())
    x = torch.randn(2, 7, 12, dtype=torch.float64)
    is_word = torch.arange(7) < torch.tensor([7, 4])[:, None]
    expected = theirs(x, src_key_padding_mask=~is_word)
    found = ours(x, x, is_word[:, None, None])
    torch.testing.assert_close(found[is_word], expected[is_word], rtol=0, atol=1e-12)


@pytest.mark.parametrize("training", [True, False])
def test_dropout_sits_where_the_public_code_has_it(monkeypatch: Patch, training: bool) -> None:
    """On the sum of the embeddings, on the attention's weights, and on both sums' second part of each layer.
    Documents of 6 words and 4 [CLS] symbols, the latter alone in the last layer."""
    sites: list[Any] = []
    plain = F.scaled_dot_product_attention

    def dropout(x: torch.Tensor, rate: float, on: bool) -> torch.Tensor:
        sites.append((tuple(x.shape), rate if on else 0.0))
        return x

    def attend(q: Any, k: Any, v: Any, attn_mask: Any, dropout_p: float) -> torch.Tensor:
        sites.append(("attention", dropout_p))
        return plain(q, k, v, attn_mask=attn_mask)

    monkeypatch.setattr(bert_xml, "dropout", dropout)
    monkeypatch.setattr(F, "scaled_dot_product_attention", attend)
    network(Config(**SMALL, dropout=0.3)).train(training)(tokens(2, 6))
    rate = 0.3 if training else 0.0
    whole, last = ((2, 10, 12), rate), ((2, 4, 12), rate)
    layer = [("attention", rate), whole, whole]
    assert sites == [whole, *layer, *layer, ("attention", rate), last, last]


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_trains(variant: str) -> None:
    net = network(replace(VARIANTS[variant], **SMALL, dropout=0.0)).train()
    ids, rows, cols = tokens(4, 8), torch.arange(4), torch.tensor([0, 1, 2, 3])
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-2)
    values = []
    for _ in range(60):
        optimiser.zero_grad()
        value = loss("bce_mean")(net(ids), rows, cols)
        value.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        values.append(value.item())
    assert values[-1] < values[0] / 4


def test_code_and_paper_differ_where_the_departures_say() -> None:
    code, paper = VARIANTS["code"], VARIANTS["paper"]
    assert code == Config(
        hidden=300,
        layers=3,
        heads=2,
        inner=600,
        cls_tokens=5,
        activation="relu",  # bertxml.py, its default
        norm="none",  # bertxml.py:126-132
        vectors="overwritten",  # bertxml.py:404-415
        pooler=True,
        bottleneck=None,
        dropout=0.1,
        init="xavier_uniform",
    )
    assert paper == replace(code, activation="gelu", norm="layer", vectors="kept", pooler=False, init="bert")
