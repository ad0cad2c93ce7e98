"""What follows from the definition without another program: padding, sizes, first weights, small numbers.

Counts: worked out from the layers' shapes, for the sizes of Table 2 of You et al. 2019.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from reimpl import label_attention, recurrent
from reimpl.attention_xml import VARIANTS, AttentionXML
from reimpl.fidelity import MismatchError, close
from reimpl.reference import plain_lstm


def padding() -> str:
    """A document with five paddings more has the scores it had, also where they are not cut off first."""
    for variant in VARIANTS:
        network, ids = _small(variant), torch.tensor([[3, 4, 5, 4, 6, 7]])
        wide = torch.cat([ids, torch.zeros(1, 5, dtype=torch.long)], dim=1)
        expected = network(ids).detach()
        close(f"{variant}, padded", network(wide).detach(), expected, tolerance=1e-6)
        with plain_lstm.without_looking():
            close(f"{variant}, padded, in full width", network(wide).detach(), expected, tolerance=1e-6)
    return "padding a document changes no score"


def neighbours() -> str:
    """A short document beside a longer one: the same scores with a mask, others without.

    The public codes differ here: .0174 for LibMultiLabel's network, 3e-8 for AttentionXML's.
    """
    ids = torch.tensor([[3, 4, 5, 0, 0, 0], [6, 7, 8, 9, 3, 4]])
    for variant, config in VARIANTS.items():
        network = _small(variant)
        together, alone = network(ids)[:1].detach(), network(ids[:1]).detach()
        if config.mask:
            close(f"{variant}, beside a longer one", together, alone, tolerance=1e-6)
        elif (together - alone).abs().max() < 1e-3:
            raise MismatchError(f"{variant} does not attend to the padding of a short document")
    return "neighbours change no score of a network with a mask, and all without"


def attention_weights() -> str:
    """Scores 1 and 2 and a padding with state 0: e^1, e^2 (and e^0) over their sum."""
    # The first component is the score, the others tell the words apart.
    states, query = torch.tensor([[[1.0, 1, 0], [2, 0, 1], [0, 0, 0]]]), torch.tensor([[1.0, 0, 0]])
    words = torch.tensor([[True, True, False]])
    for name, mask, weights in (
        ("masked", words, [0.268941, 0.731059]),
        ("unmasked", None, [0.244728, 0.665241]),
    ):
        seen = label_attention.attend(states, mask, query)
        close(f"weights of the words, {name}", seen[0, 0, 1:], weights, tolerance=1e-6)
    return "two words weigh .268941 and .731059; with padding in between them .244728 and .665241"


def chunks() -> str:
    """Labels in chunks of one to all: the same scores to 1e-6."""
    torch.manual_seed(1)
    states, queries = torch.randn(3, 9, 6), torch.randn(11, 6)
    words = recurrent.places(torch.tensor([9, 4, 1]), 9)
    layers = [(torch.randn(4, 6), torch.randn(4)), (torch.randn(1, 4), torch.randn(1))]
    whole = label_attention.shared_layers(label_attention.attend(states, words, queries), layers)
    before = dict(label_attention.CHUNK)
    try:
        for numbers in (1, 200, 10**9):
            label_attention.CHUNK.update(dict.fromkeys(before, numbers))
            ours = label_attention.label_scores(states, words, queries, layers)
            close(f"scores in chunks of {numbers} numbers", ours, whole, tolerance=1e-6)
    finally:
        label_attention.CHUNK.update(before)
    return "scores in chunks equal those of all labels at once"


def parameter_counts() -> str:
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
        built = sum(p.numel() for p in network.parameters()) - 300
        formula = config.parameter_count(vocabulary=1, dimension=300, labels=labels) - 300
        for what, value in (("built", built), ("by formula", formula)):
            if value != count:
                raise MismatchError(
                    f"{variant} of {labels:,} labels {what}: {value:,} numbers, not {count:,}"
                )
    if _small("code", labels=3, hidden=4).queries.weight.numel() != 24:  # type: ignore[union-attr]
        raise MismatchError("three labels over 2 x 4 LSTM units do not have 24 numbers of attention")
    return f"{len(expected)} networks have the numbers that their shapes ask for; 3 labels of 8 units have 24"


def initial_weights() -> str:
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
    return "first states are zero; other weights fill Xavier's bounds, and torch's in the LSTM"


def _reaches(name: str, weight: Tensor, bound: float) -> None:
    largest = weight.abs().max().item() / bound
    if not 0.95 <= largest <= 1.000001:
        raise MismatchError(f"the largest number of {name} is {largest:.4g} of its bound {bound:.4g}")


def _small(variant: str, *, labels: int = 5, hidden: int = 8, layers: tuple[int, ...] = (6,)) -> AttentionXML:
    torch.manual_seed(11)
    config = replace(VARIANTS[variant], hidden=hidden, fully_connected=layers)
    return AttentionXML(config, vectors=torch.randn(10, 7), labels=labels).eval()
