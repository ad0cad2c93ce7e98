"""Blocks small enough to be worked out by hand, their sizes on the paper's data sets, their first weights."""

from __future__ import annotations

import numpy as np
import torch

from reimpl.cornet import Block, cornet_blocks
from reimpl.fidelity import MismatchError, close


def three_labels() -> str:
    """Scores 0, 1, -1 through a bottleneck of two.

    Their sigmoids are .5, .731059, .268941; W1 and b1 make .231059 and 2 * .731059 - 2 = -.537883, whose ELU
    is e^-.537883 - 1 = -.416017; W2 hands on the first, the second and their sum.
    """
    block = Block(3, 2)
    weights = ([[1, 0, -1], [0, 2, 0]], [0, -2], [[1, 0], [0, 1], [1, 1]], [0, 0, 0])
    layers = (block.reduce.weight, block.reduce.bias, block.expand.weight, block.expand.bias)
    for parameter, values in zip(layers, weights, strict=True):
        parameter.data = torch.tensor(values, dtype=torch.float64)
    ours = block(torch.tensor([[0, 1, -1]], dtype=torch.float64)).detach().numpy()
    expected = [[0.2310585786300, 0.5839833290317, -1.1849580923383]]
    gap = close("scores of three labels", ours, expected, tolerance=1e-11)
    return f"0, 1, -1 become 0.231059, 0.583983, -1.184958, within {gap:.0e}"


def in_numpy() -> str:
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
    gap = close("scores after three blocks", ours.detach().numpy(), x, tolerance=1e-10)
    return f"6 x 17 scores after three blocks agree within {gap:.0e}"


def identity() -> str:
    """Blocks whose second layer is zero give back the very scores they got."""
    blocks = cornet_blocks(9, blocks=2, context=4)
    for parameter in [p for name, p in blocks.named_parameters() if ".expand." in name]:
        parameter.data.zero_()
    x = torch.randn(5, 9) * 10
    close("scores through a second layer of zeros", blocks[1](blocks[0](x)).detach(), x, tolerance=0)
    return "a second layer of zeros changes no score"


def parameter_counts() -> str:
    """The numbers of the blocks on the paper's data sets: blocks x (2 L R + R + L)."""
    # (labels, blocks, R): 2 x (2 x 3,956 x 1,000 + 1,000 + 3,956), and so on
    expected = {
        (3_956, 2, 1000): 15_833_912,
        (13_330, 2, 1000): 53_348_660,
        (501_008, 2, 100): 201_405_416,
        (501_008, 1, 200): 200_904_408,
    }
    for (labels, blocks, context), count in expected.items():
        with torch.device("meta"):  # shapes without memory
            made = cornet_blocks(labels, blocks=blocks, context=context)
        built = sum(p.numel() for p in made.parameters())
        if built != count:
            raise MismatchError(f"{blocks} blocks of {labels:,} labels have {built:,} numbers, not {count:,}")
    return f"{len(expected)} sizes equal those of the public configurations"


def initial_weights() -> str:
    """Xavier's bound on the weights and torch's own on the biases, both filled out."""
    torch.manual_seed(2020)
    for name, p in cornet_blocks(300, context=200).named_parameters():
        fan_in = 300 if ".reduce." in name else 200
        bound = (6 / 500) ** 0.5 if name.endswith("weight") else (1 / fan_in) ** 0.5
        largest = p.abs().max().item() / bound
        if not 0.95 <= largest <= 1.000001:
            raise MismatchError(f"the largest number of {name} is {largest:.4g} of its bound {bound:.4g}")
    return "weights are within Xavier's bound, biases within torch's, and reach them"
