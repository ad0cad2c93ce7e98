"""APLC against the public code, huiyegit/APLC_XLNet bf6f91d, for `reimpl.fidelity`."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from reimpl.label_clusters import ClusterOptions, LabelClusters

_NAMES = (
    ("reduce.weight", "project_weight"),
    ("norm.weight", "layernorm_scale"),
    ("norm.bias", "layernorm_shift"),
    ("expand.weight", "label_weight"),
)


class Layer(nn.Module):
    """The code's clusters, for labels that are sorted already, behind a hidden layer where there is one."""

    def __init__(self, case: Any, hidden: nn.Module | None = None) -> None:
        super().__init__()
        cutoffs = tuple(case["cutoffs"])
        options = ClusterOptions(clusters=len(cutoffs) + 1, cutoffs=cutoffs)
        self.hidden = hidden
        self.clusters = LabelClusters(options, features=case["features"], order=np.arange(case["labels"]))


def build(case: Any, weights: Any, inputs: Any) -> Layer:
    """The layer at the case's sizes."""
    return Layer(case)


def rename(network: Any, name: str) -> str:
    """Stored name of a parameter: labels of the head and units of the root are one weight in the code."""
    name = name.removeprefix("clusters.").replace("hidden.layer.", "hidden_")
    for ours, theirs in _NAMES:
        name = name.replace(ours, theirs)
    names = {"head.weight": "head_weight", "roots.weight": "head_weight+"}
    return names.get(name, name.replace("tails.", "tail").replace(".", "_"))


def outputs(network: Any, inputs: Any, case: Any) -> dict[str, Any]:
    """The documents' vectors and the probabilities of all labels."""
    (given,) = (value for name, value in inputs.items() if name != "label_ids")
    features = given if network.hidden is None else network.hidden(given)
    return {"features": features, "probabilities": network.clusters.probabilities(features)}


def losses(network: Any, outputs: Any, inputs: Any, case: Any) -> dict[str, Any]:
    """Of label ids that are padded by repetition, or by -1."""
    ids = inputs["label_ids"].long()
    rows = torch.arange(len(ids))[:, None].expand(ids.shape)
    pairs = torch.unique(torch.stack((rows[ids >= 0], ids[ids >= 0])), dim=1)
    return {"aplc": network.clusters.loss(outputs["features"], *pairs)}
