"""Every model, two steps of it: with each precision and optimiser, and on a device that is only claimed."""

from __future__ import annotations

import math
from typing import Any

import pytest

from reimpl import training
from reimpl.models import find_config, find_model
from reimpl.optim import OPTIMISERS
from reimpl.training import Result
from tests.toys import toy_data, toy_protocol

_LSTM = {"hidden": 3}
_ON = {"base": "xml_cnn", "base_variant": "chen2022-kim-words"}
_TREE = {"tree_height": 1, "cluster_size": 3, "ways": 2, "candidates": 2}
#: Name -> model, variant, keys that make it small or are the point.
FAMILIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "XML-CNN": ("xml_cnn", "chen2022-xmlcnn-words", {"windows": (2, 3), "maps": 3, "hidden": 5}),
    "Kim-CNN": ("xml_cnn", "kim2014", {"windows": (2, 3), "maps": 3, "loss": "softmax_ce_normalised"}),
    "AttentionXML": ("attention_xml", "code", {**_LSTM, "fully_connected": (4,)}),
    "AttentionXML tree": ("attention_xml", "code", {**_LSTM, "fully_connected": (4,), **_TREE}),
    "AttentionXML tree of the paper": ("attention_xml", "paper", {**_LSTM, "fully_connected": (4,), **_TREE}),
    "MeSHProbeNet": ("mesh_probenet", "code", {**_LSTM, "probes": 2}),
    "BertXML": ("bert_xml", "code", {"hidden": 4, "inner": 6, "cls_tokens": 2}),
    "CorNet": ("cornet", "code", {**_ON, "base_config": {"windows": (2, 3), "maps": 3}, "context": 4}),
    "APLC": ("aplc", "code", {**_ON, "base_config": {"windows": (2, 3), "maps": 3}, "clusters": 3}),
    "Rank-AE": ("rank_ae", "paper", {"encoder": 5, "hidden": 4}),
    "Rank-AE, third party": ("rank_ae", "third-party", {"encoder": 5, "hidden": 4}),
    "linear": ("linear", "svm", {}),
}


def train(family: str, optimiser: Any = "adam", **how: Any) -> Result:
    """One epoch of two batches."""
    model, variant, keys = FAMILIES[family]
    module = find_model(model)
    config = find_config(module, variant, keys)
    data, protocol = toy_data(n_train=10), toy_protocol(epochs=1, padding="batch", optimiser=optimiser)
    if hasattr(module, "train"):
        result: Result = module.train(config, data, protocol, seed=0, **how)
        return result

    def build(vectors: Any) -> Any:
        parts = {"padding_id": 0, "freeze_padding": True, "length": protocol.length}
        return module.build(config, vectors=vectors, labels=data.n_labels, **parts)

    return training.train(build, data, protocol, loss_name=config.loss, seed=0, **how)


@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("precision", ["float32", "tf32", "bf16"])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_model_is_trained_with_each_precision_and_optimiser(
    family: str, precision: Any, optimiser: str
) -> None:
    result = train(family, optimiser, precision=precision)
    assert result.reason is None and result.metrics
    assert all(math.isfinite(row["loss"]) for row in result.curve)
    said = [note for note in result.notes if note.startswith("bf16: matrix products")]
    assert len(said) == (precision == "bf16" and family != "linear")
    recurrent = family.startswith("AttentionXML") or family == "MeSHProbeNet"
    assert ["the LSTM in float32" in note for note in said] == [recurrent] * len(said)
