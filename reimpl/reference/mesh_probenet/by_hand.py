"""What follows from the definition without another program: padding, sizes, first weights.

Counts: worked out from the layers' shapes, for the sizes of sections 5.2.3 and 5.6.1 of Xun et al. 2020.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from reimpl.fidelity import MismatchError, close
from reimpl.mesh_probenet import VARIANTS, MeSHProbeNet
from reimpl.reference import plain_lstm


def padding() -> str:
    """Neither paddings nor a longer document beside it change the scores of a document."""
    torch.manual_seed(5)
    network = MeSHProbeNet(replace(VARIANTS["code"], hidden=8), vectors=torch.randn(10, 7), labels=5).eval()
    ids = torch.tensor([[3, 4, 5, 4, 0, 0, 0, 0, 0], [6, 7, 8, 9, 3, 4, 5, 6, 7]])
    alone = network(ids[:1, :4]).detach()
    close("a document that is padded", network(ids[:1]).detach(), alone, tolerance=1e-6)
    close("a document beside a longer one", network(ids)[:1].detach(), alone, tolerance=1e-6)
    with plain_lstm.without_looking():
        close("a document in full width", network(ids[:1]).detach(), alone, tolerance=1e-6)
    return "neither padding nor neighbours change a score"


def parameter_counts() -> str:
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
        built = sum(p.numel() for p in network.parameters()) - 300
        formula = config.parameter_count(vocabulary=1, dimension=300, labels=labels) - 300
        for what, value in (("built", built), ("by formula", formula)):
            if value != count:
                raise MismatchError(
                    f"{variant} of {labels:,} labels {what}: {value:,} numbers, not {count:,}"
                )
    return f"{len(expected)} networks have the numbers that their shapes ask for"


def initial_weights() -> str:
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
    return "first states are zero; the other weights fill Xavier's bounds"
