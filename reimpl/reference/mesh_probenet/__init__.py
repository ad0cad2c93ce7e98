"""MeSHProbeNet against the public code, XunGuangxu/CorNet ecc0996, for `reimpl.fidelity`.

Of the network with a bottleneck, which the public code has under CorNet's blocks only, the arrays hold what
enters these; gradients through both are among the checks of `cornet`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch.nn.functional as F  # noqa: N812 - the usual name

from reimpl.mesh_probenet import VARIANTS, MeSHProbeNet
from reimpl.reference import comparer


def build(case: Any, weights: Any, inputs: Any) -> MeSHProbeNet:
    """The named variant at the case's sizes."""
    config = replace(VARIANTS[case["variant"]], **case["config"])
    return MeSHProbeNet(config, vectors=weights["word_embedding"], labels=len(weights["output_bias"]))


def rename(network: Any, name: str) -> str:
    """Stored name of a parameter."""
    return {"embedding.weight": "word_embedding", "probes.weight": "probe_weight"}.get(
        name, comparer.lstm(name)
    )


def outputs(network: Any, inputs: Any, case: Any) -> dict[str, Any]:
    """LSTM outputs, what the probes see, and the scores."""
    ids = inputs["token_ids"]
    features, logits = network.features(ids), network(ids)
    found = {"encoder_states": network.states(ids)[0], "feature": features, "logits": logits}
    if network.bottleneck is not None:
        found |= {"bottleneck_output": F.elu(network.bottleneck(features)), "raw_logits": logits}
    return found
