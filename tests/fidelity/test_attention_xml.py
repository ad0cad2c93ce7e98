"""AttentionXML a second time in numpy, one document, word and label after the other; sizes by hand. Counts
are worked out from the layers' shapes, for the sizes of Table 2 of You et al. 2019."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from reimpl.attention_xml import VARIANTS, AttentionXML, Config
from reimpl.fidelity import Array, MismatchError, close
from reimpl.layers import dropout
from tests.fidelity import plain_lstm

_LENGTHS = (5, 11, 1, 8)


@pytest.mark.parametrize("variant", ["code", "paper", "bilstm", "unmasked"])
def test_numpy_computes_the_same_scores(variant: str) -> None:
    """A random network of two LSTM layers with its dropouts on, against numpy given the same masks."""
    config = replace(VARIANTS[variant], hidden=4, layers=2, fully_connected=(6, 5))
    network, ids = _made(config, labels=7)
    torch.manual_seed(7)
    ours = network.train()(ids).detach().numpy()
    torch.manual_seed(7)  # the same draws: the mask of the words, that of the LSTM outputs, that of the units
    masks = [
        dropout(torch.ones(size, dtype=torch.float64), p, True).numpy()
        for size, p in (
            ((4, 11, 10), config.dropout_embedding),
            ((4, 11, 8), config.dropout_states),
            ((4, 5), config.dropout_output),
        )
    ]
    weights = plain_lstm.arrays_of(network)
    expected = [_scores(config, weights, *it) for it in zip(ids.numpy(), _LENGTHS, *masks, strict=True)]
    close("scores", ours, np.stack(expected), tolerance=1e-10)


def test_candidates_have_the_scores_of_numpy() -> None:
    """Candidates with repetitions, and one that is no label, against the scores of all."""
    config = replace(VARIANTS["code"], hidden=4, fully_connected=(6,))
    network, ids = _made(config, labels=7, filler=True)
    weights = plain_lstm.arrays_of(network)
    chosen = np.array([[3, 0, 3, 7], [1, 2, 3, 4], [6, 6, 6, 6], [7, 5, 0, 1]])
    ours = network.eval()(ids, torch.from_numpy(chosen)).detach().numpy()
    alike = np.ones((11, 10)), np.ones((11, 8)), np.ones(6)
    each = [_scores(config, weights, *it, *alike) for it in zip(ids.numpy(), _LENGTHS, strict=True)]
    close("scores", ours, np.take_along_axis(np.stack(each), chosen, axis=1), tolerance=1e-10)


def _made(config: Config, *, labels: int, filler: bool = False) -> tuple[AttentionXML, torch.Tensor]:
    """A network in float64, with starts that are not zero, and ids (4, 14) padded with 2."""
    rng = np.random.default_rng(20191208)
    torch.manual_seed(3)
    vectors = torch.from_numpy(rng.normal(size=(30, 10)))
    network = AttentionXML(config, vectors=vectors, labels=labels, padding_id=2, filler=filler).double()
    for start in (network.lstm.initial_cell, network.lstm.initial_hidden):
        if start is not None:
            start.data.normal_()
    ids = np.full((4, 14), 2)
    for row, length in zip(ids, _LENGTHS, strict=True):
        row[:length] = rng.integers(3, 30, size=length)
    return network, torch.from_numpy(ids)


def _scores(config: Config, weights: Mapping[str, Array], ids: Array, length: int, *masks: Array) -> Array:
    """Of one document, all labels; `masks` of its words, LSTM outputs and hidden units."""
    words, states, units = masks
    seen = np.zeros_like(states)
    x = weights["embedding.weight"][ids[:length]] * words[:length]
    seen[:length] = plain_lstm.outputs(weights, x, config.layers) * states[:length]
    if config.mask:
        seen = seen[:length]  # else zero states as far as the longest document go in
    if config.head == "max_pooling":
        return _layers(config, weights, seen.max(axis=0), units)
    return np.concatenate(
        [
            _layers(config, weights, plain_lstm.softmax(seen @ query) @ seen, units)
            for query in weights["queries.weight"]
        ]
    )


def _layers(config: Config, weights: Mapping[str, Array], x: Array, units: Array) -> Array:
    for i in range(len(config.fully_connected)):
        x = np.maximum(weights[f"layers.{i}.weight"] @ x + weights[f"layers.{i}.bias"], 0)
    if config.head == "max_pooling":
        x = x * units
    last = f"layers.{len(config.fully_connected)}"
    scores: Array = weights[f"{last}.weight"] @ x + weights[f"{last}.bias"]
    return scores


def test_neighbours_change_scores_without_a_mask_only() -> None:
    """A short document beside a longer one: the same scores with a mask, others without. The public codes
    differ here: .0174 for LibMultiLabel's network, 3e-8 for AttentionXML's."""
    ids = torch.tensor([[3, 4, 5, 0, 0, 0], [6, 7, 8, 9, 3, 4]])
    for variant, config in VARIANTS.items():
        network = _small(variant)
        together, alone = network(ids)[:1].detach(), network(ids[:1]).detach()
        if config.mask:
            close(f"{variant}, beside a longer one", together, alone, tolerance=1e-6)
        elif (together - alone).abs().max() < 1e-3:
            raise MismatchError(f"{variant} does not attend to the padding of a short document")


def test_parameter_counts_by_hand() -> None:
    """LSTM, starts, queries and shared layers, word vectors left out (one word of 300 components)."""
    expected = {
        # 2 x 4 x 256 x (300 + 256 + 2) + 4 x 256 + 512 x 3,956 + 513 x 256 + 257
        ("code", 3_956, 256, (256,)): 3_300_865,
        # the same without 4 x 256 learned numbers
        ("paper", 3_956, 256, (256,)): 3_299_841,
        ("unmasked", 3_956, 256, (256,)): 3_299_841,
        # 1,142,784 + 1,024 + 513 x 256 + 257 x 3,956
        ("bilstm", 3_956, 256, (256,)): 2_291_828,
        # 2 x 4 x 512 x (300 + 512 + 2) + 4 x 512 + 1,024 x 13,330 + 1,025 x 512 + 513 x 256 + 257
        ("code", 13_330, 512, (512, 256)): 17_642_497,
    }
    for (variant, labels, hidden, layers), count in expected.items():
        config = replace(VARIANTS[variant], hidden=hidden, fully_connected=layers)
        with torch.device("meta"):  # shapes without memory
            network = AttentionXML(config, vectors=torch.empty(1, 300), labels=labels)
        assert sum(p.numel() for p in network.parameters()) - 300 == count, variant
    if _small("code", labels=3, hidden=4).queries.weight.numel() != 24:  # type: ignore[union-attr]
        raise MismatchError("three labels over 2 x 4 LSTM units do not have 24 numbers of attention")


def test_first_weights_fill_their_bounds() -> None:
    """Learned states start at zero, queries and linear layers within Xavier's bound, and reach it."""
    torch.manual_seed(0)
    network = _small("code", labels=900, hidden=60, layers=(200,))
    assert network.lstm.initial_cell is not None and network.lstm.initial_hidden is not None
    for start in (network.lstm.initial_cell, network.lstm.initial_hidden):
        close("learned first states", start.detach(), torch.zeros(2, 60), tolerance=0)
    for name, layer in (("queries", network.queries), ("shared layer", network.layers[0])):
        assert isinstance(layer, nn.Linear)
        bound = (6 / sum(layer.weight.shape)) ** 0.5
        _reaches(name, layer.weight, bound)
    for lstm in (*network.lstm.forwards, *network.lstm.backwards):
        for name, weight in lstm.named_parameters():
            _reaches(f"LSTM {name}", weight, 60**-0.5)


def _reaches(name: str, weight: Tensor, bound: float) -> None:
    largest = weight.abs().max().item() / bound
    if not 0.95 <= largest <= 1.000001:
        raise MismatchError(f"the largest number of {name} is {largest:.4g} of its bound {bound:.4g}")


def _small(variant: str, *, labels: int = 5, hidden: int = 8, layers: tuple[int, ...] = (6,)) -> AttentionXML:
    torch.manual_seed(11)
    config = replace(VARIANTS[variant], hidden=hidden, fully_connected=layers)
    return AttentionXML(config, vectors=torch.randn(10, 7), labels=labels).eval()
