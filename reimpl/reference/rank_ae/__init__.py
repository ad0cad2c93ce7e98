"""Rank-AE against the only public code, for `reimpl.fidelity`.

Stored: a third party's program, starry91/Extreme-Classification 7e54d2f. Where the paper says otherwise there
is no code.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import nn

from reimpl import rank_ae
from reimpl.rank_ae import VARIANTS, Config, Learned, RankAE
from reimpl.reference.numbers import MismatchError
from reimpl.word_batches import WordBatch

_NAMES = (
    ("label_vectors", "encoder1_weight.T"),
    ("label_bias", "encoder1_bias"),
    ("attention.norm.", "attention_batchnorm_"),
    ("encoder_norm.", "encoder_batchnorm_"),
    ("decoder_norm.", "decoder_batchnorm_"),
    ("encoder.", "encoder2_"),
    ("decoder.", "decoder1_"),
    ("output.", "decoder2_"),
    ("embedding", "word_embedding"),
)


def _config(case: Any) -> Config:
    return replace(VARIANTS[case["variant"]], **case["config"])


def build(case: Any, weights: Any, inputs: Any) -> nn.Module:
    """The network; none where losses of given scores are all."""
    if case["mode"] == "loss only":
        return nn.Module()
    labels = len(weights["decoder2_bias"])
    return RankAE(_config(case), vectors=weights["word_embedding"], labels=labels)


def rename(network: Any, name: str) -> str:
    """Stored name of a parameter or of a running value."""
    for ours, theirs in _NAMES:
        if name.startswith(ours):
            name = theirs + name.removeprefix(ours)
            break
    if name.endswith(("batchnorm_weight", "batchnorm_bias")):
        name = name.replace("_weight", "_scale").replace("_bias", "_shift")
    return name if name.endswith(".T") else name.replace(".", "_")


def outputs(network: Any, inputs: Any, case: Any) -> dict[str, Any]:
    """F(x), E(y) and D(E(y)); in evaluation mode also D(F(x))."""
    if case["mode"] == "loss only":
        return Learned(inputs["text_hidden"], inputs["label_hidden"], inputs["scores"])._asdict()
    words, ids = inputs["tfidf"][:, :, 0], inputs["word_ids"]
    slots = torch.arange(ids.shape[1]).expand(ids.shape)
    if not torch.equal(ids.long(), (words != 0).long() if _config(case).ids == "presence" else slots):
        raise MismatchError("the stored ids are not those of the variant")
    rows, columns = words.nonzero(as_tuple=True)
    batch = WordBatch(rows, columns, words[words != 0], len(ids))
    found = network.learn(batch, *inputs["labels"].nonzero(as_tuple=True))._asdict()
    return found if network.training else {**found, "predicted_scores": network(batch)}


def losses(network: Any, outputs: Any, inputs: Any, case: Any) -> dict[str, Any]:
    """Lh, Lae and their sum."""
    learned = Learned(*(outputs[name] for name in Learned._fields))
    where = inputs["labels"].nonzero(as_tuple=True)
    hidden, ranking = rank_ae.losses(_config(case), learned, *where)
    return {"hidden": hidden, "ranking": ranking, "total": hidden + _config(case).balance * ranking}
