"""CorNet's blocks a second time in numpy, and their first weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import nn

from reimpl import bert_xml, cornet
from reimpl.cornet import Block, cornet_blocks
from reimpl.fidelity import MismatchError, close
from tests.fidelity.gate import blind

Patch = pytest.MonkeyPatch


def test_numpy_computes_the_same_scores() -> None:
    """Three random blocks, scores up to 40 in size."""
    rng = np.random.default_rng(2020)
    blocks = cornet_blocks(17, blocks=3, context=5).double()
    x = rng.normal(size=(6, 17)) * 15
    ours = torch.from_numpy(x)
    for block in blocks:
        ours = block(ours)
        W1, b1, W2, b2 = (p.detach().numpy() for p in block.parameters())
        z = 1 / (1 + np.exp(-x)) @ W1.T + b1
        x = x + np.where(z > 0, z, np.expm1(z)) @ W2.T + b2
    close("scores after three blocks", ours.detach().numpy(), x, tolerance=1e-10)


def test_first_weights_fill_their_bounds() -> None:
    """Xavier's bound on the weights and torch's own on the biases, both filled out."""
    torch.manual_seed(2020)
    for name, p in cornet_blocks(300, context=200).named_parameters():
        fan_in = 300 if ".reduce." in name else 200
        bound = (6 / 500) ** 0.5 if name.endswith("weight") else (1 / fan_in) ** 0.5
        largest = p.abs().max().item() / bound
        if not 0.95 <= largest <= 1.000001:
            raise MismatchError(f"the largest number of {name} is {largest:.4g} of its bound {bound:.4g}")


def _forward(form: Callable[[Block, torch.Tensor], torch.Tensor]) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(Block, "forward", form)


def _corrected(block: Block, probabilities: torch.Tensor) -> torch.Tensor:
    return block.expand(F.elu(block.reduce(probabilities)))  # type: ignore[no-any-return]


MISTAKES: dict[str, Callable[[Patch], None]] = {
    "the sigmoid is added back": _forward(lambda b, x: _corrected(b, torch.sigmoid(x)) + torch.sigmoid(x)),
    "nothing is added back": _forward(lambda b, x: _corrected(b, torch.sigmoid(x))),
    "raw scores go in": _forward(lambda b, x: _corrected(b, x) + x),
    "ReLU stands for ELU": _forward(lambda b, x: b.expand(F.relu(b.reduce(torch.sigmoid(x)))) + x),
    "no ELU": _forward(lambda b, x: b.expand(b.reduce(torch.sigmoid(x))) + x),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_seen(monkeypatch: Patch, mistake: str) -> None:
    MISTAKES[mistake](monkeypatch)
    assert blind("cornet", ["cornet_block_2", "cornet_xmlcnn", test_numpy_computes_the_same_scores]) == []


@pytest.mark.parametrize("rule", [lambda weight: weight, nn.init.xavier_normal_], ids=["torch", "normal"])
def test_other_first_weights_are_seen(monkeypatch: Patch, rule: Callable[..., object]) -> None:
    monkeypatch.setattr(nn.init, "xavier_uniform_", rule)
    assert blind("cornet", [test_first_weights_fill_their_bounds]) == []


def test_another_activation_and_a_broken_base_turn_their_cases_red(monkeypatch: Patch) -> None:
    monkeypatch.setattr(cornet, "_ACTIVATIONS", {**cornet._ACTIVATIONS, "elu": nn.Tanh()})
    monkeypatch.setattr(bert_xml.Layer, "forward", lambda layer, x, states, mask: x)
    red = ["cornet_block_2_elu", "cornet_bertxml", "cornet_bertxml_bottleneck"]
    assert blind("cornet", [*red, "cornet_block_2_relu", "cornet_xmlcnn"]) == [
        "cornet_block_2_relu",
        "cornet_xmlcnn",
    ]
