"""Bow-CNN (Johnson and Zhang 2015) as a variant of XML-CNN. A file of its own, since no number of its
authors' program checks it: its runs cannot contradict a claim."""

from __future__ import annotations

from collections.abc import Mapping

from reimpl.xml_cnn import Config, build

__all__ = ["VARIANTS", "Config", "build"]

VARIANTS: Mapping[str, Config] = {
    # One layer of 1,000 maps over bags of 20 words, 10 pools, dropout .5. A word that a region holds twice
    # counts twice. Sizes are the paper's for long documents; the loss over labels is our choice.
    "paper": Config(
        regions="bags",
        windows=(20,),
        maps=1000,
        pools=10,
        padding="full",
        hidden=None,
        dropout_embedding=0.0,
        loss="bce_sum_over_labels",
    ),
}
