"""C2AE (Yeh et al. 2017), built from the networks of Rank-AE. A file of its own, since only its loss is
compared with its authors' program: its runs cannot contradict a claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reimpl.rank_ae import SMALL, TAKES, Config, chooses_epoch, train

__all__ = ["SMALL", "TAKES", "VARIANTS", "Config", "chooses_epoch", "train"]

_C2AE = Config(
    embedding=512,
    attention="none",
    pooling="sum",
    feature_layers=(512,),
    encoder=512,
    encoder_activation="leaky_relu",
    decoder_activation="leaky_relu",
    output="none",
    loss="exponential",
    balance=2.0,
    orthogonality=0.5,
    hidden_loss="sum",
)

VARIANTS: Mapping[str, Config] = {
    # Yeh et al. 2017: F of three layers, 512 units; weights of the two losses as in the authors' program.
    "paper": _C2AE,
    # chihkuanyeh/C2AE, as far as we know it: the pairs' differences times 5.
    "code": replace(_C2AE, scale=5.0),
    # dhruvramani/C2AE-Multilabel-Classification, not quite C2AE: no orthogonality, exp of a difference
    # of means times |N| / |P|, F(x) decoded in training. Its dropout is left out, as its rates are unknown.
    "third-party": replace(_C2AE, orthogonality=0.0, hidden_loss="mean", pairs="means", decoded="text"),
}
