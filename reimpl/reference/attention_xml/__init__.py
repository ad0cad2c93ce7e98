"""AttentionXML against the public code, for `reimpl.fidelity`.

Stored: yourh/AttentionXML e2bbbec and ntumlgroup/LibMultiLabel 5cd775a. No public code has the maximum in
place of the attention (`bilstm`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reimpl.attention_xml import VARIANTS, AttentionXML
from reimpl.label_attention import attend
from reimpl.reference import comparer


def build(case: Any, weights: Any, inputs: Any) -> AttentionXML:
    """The named variant at the case's sizes; a table with one row more where there are candidates."""
    filler = "candidates" in inputs
    config = replace(VARIANTS[case["variant"]], **case["config"])
    labels = len(weights["attention_weight"]) - filler
    return AttentionXML(config, vectors=weights["word_embedding"], labels=labels, filler=filler)


def rename(network: Any, name: str) -> str:
    """Stored name of a parameter."""
    if name.startswith("layers."):
        _, i, kind = name.split(".")
        return f"label_score_{kind}" if int(i) == len(network.layers) - 1 else f"label_fc{i}_{kind}"
    names = {"embedding.weight": "word_embedding", "queries.weight": "attention_weight"}
    return names.get(name, comparer.lstm(name))


def outputs(network: Any, inputs: Any, case: Any) -> dict[str, Any]:
    """LSTM outputs, what each label attends to, and the scores."""
    ids, chosen = inputs["token_ids"], inputs.get("candidates")
    queries = network.queries.weight if chosen is None else network.queries.weight[chosen]
    states, lengths = network.states(ids)
    seen = attend(states, network.attended(lengths, states.shape[1]), queries)
    return {"encoder_states": states, "label_vectors": seen, "logits": network(ids, chosen)}
