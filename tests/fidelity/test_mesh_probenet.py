"""MeSHProbeNet a second time in numpy, one document, word and probe after the other; sizes by hand. Counts
are worked out from the layers' shapes, for the sizes of sections 5.2.3 and 5.6.1 of Xun et al. 2020."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
import torch

from reimpl.fidelity import Array, MismatchError, close
from reimpl.layers import dropout
from reimpl.mesh_probenet import VARIANTS, Config, MeSHProbeNet
from tests.fidelity import plain_lstm

_LENGTHS = (5, 11, 1, 8)


@pytest.mark.parametrize("variant", ["code", "paper", "large"])
def test_numpy_computes_the_same_scores(variant: str) -> None:
    """A random network with a bottleneck and its dropouts on, against numpy given the same masks."""
    config = replace(VARIANTS[variant], hidden=4, bottleneck=5)
    rng = np.random.default_rng(20200823)
    torch.manual_seed(3)
    vectors = torch.from_numpy(rng.normal(size=(30, 10)))
    network = MeSHProbeNet(config, vectors=vectors, labels=7, padding_id=2).double()
    for start in (network.lstm.initial_cell, network.lstm.initial_hidden):
        if start is not None:
            start.data.normal_()
    ids = np.full((4, 14), 2)
    for row, length in zip(ids, _LENGTHS, strict=True):
        row[:length] = rng.integers(3, 30, size=length)
    torch.manual_seed(7)
    ours = network.train()(torch.from_numpy(ids)).detach().numpy()
    torch.manual_seed(7)  # the same draws: first the mask of the words, then that of the LSTM outputs
    masks = [
        dropout(torch.ones(size, dtype=torch.float64), p, True).numpy()
        for size, p in (((4, 11, 10), config.dropout_embedding), ((4, 11, 8), config.dropout_states))
    ]
    weights = plain_lstm.arrays_of(network)
    expected = [_scores(config, weights, *it) for it in zip(ids, _LENGTHS, *masks, strict=True)]
    close("scores", ours, np.stack(expected), tolerance=1e-10)


def _scores(
    config: Config, weights: Mapping[str, Array], ids: Array, length: int, words: Array, states: Array
) -> Array:
    """Of one document, given the masks of its words and LSTM outputs."""
    x = weights["embedding.weight"][ids[:length]] * words[:length]
    seen = plain_lstm.outputs(weights, x, config.layers) * states[:length]
    contexts = [plain_lstm.softmax(seen @ probe) @ seen for probe in weights["probes.weight"]]
    z = weights["bottleneck.weight"] @ np.concatenate(contexts) + weights["bottleneck.bias"]
    scores: Array = weights["output.weight"] @ np.where(z > 0, z, np.expm1(z)) + weights["output.bias"]
    return scores


def test_parameter_counts_by_hand() -> None:
    """LSTM, starts, probes and output, word vectors left out (one word of 300 components)."""
    expected = {
        # 8 x 300 x 602 + 8 x 300 x 902 + 8 x 300 + 5 x 600 + 3,001 x 3,956
        ("code", 3_956, None): 15_486_956,
        # the same without 8 x 300 learned numbers
        ("paper", 3_956, None): 15_484_556,
        # 3,609,600 + 2,400 + 3,000 + 3,001 x 512 + 513 x 501,008
        ("code", 501_008, 512): 262_168_616,
        # 8 x 400 x 702 + 2 x 8 x 400 x 1,202 + 12 x 400 + 10 x 800 + 8,001 x 3,956
        ("large", 3_956, None): 41_603_956,
    }
    for (variant, labels, bottleneck), count in expected.items():
        config = replace(VARIANTS[variant], bottleneck=bottleneck)
        with torch.device("meta"):  # shapes without memory
            network = MeSHProbeNet(config, vectors=torch.empty(1, 300), labels=labels)
        assert sum(p.numel() for p in network.parameters()) - 300 == count, variant


def test_first_weights_fill_their_bounds() -> None:
    """Learned states start at zero, probes and linear layers within Xavier's bound, and reach it."""
    torch.manual_seed(0)
    config = replace(VARIANTS["code"], hidden=60, probes=40, bottleneck=50)
    network = MeSHProbeNet(config, vectors=torch.zeros(3, 20), labels=90)
    assert network.lstm.initial_cell is not None and network.lstm.initial_hidden is not None
    for start in (network.lstm.initial_cell, network.lstm.initial_hidden):
        close("learned first states", start.detach(), torch.zeros(4, 60), tolerance=0)
    for name in ("probes", "bottleneck", "output"):
        weight = getattr(network, name).weight
        largest = weight.abs().max().item() / (6 / sum(weight.shape)) ** 0.5
        if not 0.95 <= largest <= 1.000001:
            raise MismatchError(f"the largest weight of {name} is {largest:.4g} of Xavier's bound")
