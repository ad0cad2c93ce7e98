"""BertXML against the public code, XunGuangxu/CorNet ecc0996, for `reimpl.fidelity`.

The same network under CorNet's blocks, without and with a bottleneck, is among the cases of `cornet`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from reimpl.bert_xml import VARIANTS, BertXML

_NAMES = {"words.weight": "word_embedding", "cls": "word_embedding+", "positions": "position_embedding"}


def build(case: Any, weights: Any, inputs: Any) -> BertXML:
    """The named variant at the case's sizes; its [CLS] symbols are the last rows of the words."""
    config = replace(VARIANTS[case["variant"]], **case["config"])
    sizes = {"labels": len(weights["output_bias"]), "length": inputs["token_ids"].shape[1]}
    return BertXML(config, vectors=weights["word_embedding"][: -config.cls_tokens], **sizes)


def rename(network: Any, name: str) -> str:
    """Stored name of a parameter."""
    if name in _NAMES:
        return _NAMES[name]
    name = name.replace(f"encoder.{len(network.encoder) - 1}.", "probe_layer_").replace("encoder.", "layer")
    name = name.replace("inner.", "feedforward_in_").replace("outer.", "feedforward_out_")
    return re.sub(r"attention\.(?!output)", "", name).replace(".", "_")


def outputs(network: Any, inputs: Any, case: Any) -> dict[str, Any]:
    """States of the [CLS] symbols, what enters the last layer, and the scores."""
    ids = inputs["token_ids"]
    features = network.features(ids)
    return {
        "probe_vectors": network.document_vectors(ids),
        "feature": features,
        "logits": network.output(features),
    }
