"""CorNet's blocks a second time in numpy, and their first weights."""

from __future__ import annotations

import numpy as np
import torch

from reimpl.cornet import cornet_blocks
from reimpl.fidelity import MismatchError, close


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
    for name, p in cornet_blocks(300, blocks=2, context=200, activation="sigmoid").named_parameters():
        fan_in = 300 if ".reduce." in name else 200
        bound = (6 / 500) ** 0.5 if name.endswith("weight") else (1 / fan_in) ** 0.5
        largest = p.abs().max().item() / bound
        if not 0.95 <= largest <= 1.000001:
            raise MismatchError(f"the largest number of {name} is {largest:.4g} of its bound {bound:.4g}")
