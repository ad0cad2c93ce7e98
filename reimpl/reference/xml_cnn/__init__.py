"""Kim-CNN and XML-CNN against the public code, for `reimpl.fidelity`.

Stored: sian-chen/xml-cnn-study-code 2051eda, ntumlgroup/LibMultiLabel 5cd775a, XunGuangxu/CorNet ecc0996.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from reimpl.reference.numbers import Array
from reimpl.xml_cnn import VARIANTS, XMLCNN


def build(case: Any, weights: Any, inputs: Any) -> XMLCNN:
    """The named variant at the case's sizes."""
    config = replace(VARIANTS[case["variant"]], **case["config"])
    sizes = {"labels": len(weights["output_bias"]), "length": inputs["token_ids"].shape[1]}
    return XMLCNN(config, vectors=weights["word_embedding"], **sizes)


def rename(network: Any, name: str) -> str:
    """Stored name of a parameter."""
    kind, _, rest = name.partition(".")
    if kind == "convolutions":
        i, what = rest.split(".")
        return f"conv_window{network.config.windows[int(i)]}_{'kernel' if what == 'weight' else 'bias'}"
    return "word_embedding" if name == "embedding.weight" else name.replace(".", "_")


def layout(stored: Mapping[str, Array]) -> dict[str, Array]:
    """Kernels (F, C, k), which CorNet's program has as (F, 1, k, C); matrices (outputs, inputs).

    Lasagne's arrays have matrices (inputs, outputs), biases of zero, and kernels that are read backwards.
    """
    out = {n: a[:, 0].swapaxes(1, 2) if "_kernel" in n and a.ndim == 4 else a for n, a in stored.items()}
    if "weight.hidden_weight" not in stored or "weight.hidden_bias" in stored:
        return out
    for name in ("weight.hidden", "weight.output"):
        out[f"{name}_weight"] = stored[f"{name}_weight"].T.copy()
        out[f"{name}_bias"] = np.zeros(stored[f"{name}_weight"].shape[1], np.float32)
    for name in [name for name in stored if name.endswith("_kernel_lasagne")]:
        kernel = out.pop(name)
        out[name.removesuffix("_lasagne")] = kernel[:, :, ::-1].copy()
        out[name.replace("_kernel_lasagne", "_bias")] = np.zeros(len(kernel), np.float32)
    return out


def outputs(network: Any, inputs: Any, case: Any) -> dict[str, Any]:
    """What enters the last layers, and the scores."""
    return {"feature": network.features(inputs["token_ids"]), "logits": network(inputs["token_ids"])}
