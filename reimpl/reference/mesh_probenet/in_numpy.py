"""The forward pass a second time in numpy, one document, word and probe after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name

from reimpl.fidelity import Array, close
from reimpl.mesh_probenet import VARIANTS, Config, MeSHProbeNet
from reimpl.reference import plain_lstm
from reimpl.reference.mesh_probenet.public_code import parts

_LENGTHS = (5, 11, 1, 8)


def forward(variant: str) -> str:
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
        F.dropout(torch.ones(size, dtype=torch.float64), p).numpy()
        for size, p in (((4, 11, 10), config.dropout_embedding), ((4, 11, 8), config.dropout_states))
    ]
    weights = {name: p.numpy() for name, p in parts(network, lambda p: p.data).items()}
    expected = [_scores(config, weights, *it) for it in zip(ids, _LENGTHS, *masks, strict=True)]
    gap = close("scores", ours, np.stack(expected), tolerance=1e-10)
    return f"4 x 7 scores of documents of {', '.join(map(str, _LENGTHS))} words agree within {gap:.0e}"


def _scores(
    config: Config, weights: Mapping[str, Array], ids: Array, length: int, words: Array, states: Array
) -> Array:
    """Of one document, given the masks of its words and LSTM outputs."""
    x = weights["word_embedding"][ids[:length]] * words[:length]
    seen = plain_lstm.outputs(weights, x, config.layers) * states[:length]
    contexts = [plain_lstm.softmax(seen @ probe) @ seen for probe in weights["probe_weight"]]
    z = weights["bottleneck_weight"] @ np.concatenate(contexts) + weights["bottleneck_bias"]
    scores: Array = weights["output_weight"] @ np.where(z > 0, z, np.expm1(z)) + weights["output_bias"]
    return scores
