"""The best evaluation, the end of patience and the mean of weights, against AttentionXML's public code."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from reimpl.optim import Average, Best

REFERENCE = Path(__file__).parents[1] / "reference"
SEQUENCES: list[dict[str, Any]] = json.loads(
    gzip.decompress((REFERENCE / "03_training_dynamics.json.gz").read_bytes())
)["early_stop"]


class Counter(nn.Module):
    """Its one weight is the number of the evaluation."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))
        self.table = nn.Embedding(3, 2)
        self.table.weight.requires_grad_(False)

    def now(self, value: float) -> Counter:
        with torch.no_grad():
            self.weight.fill_(value)
        return self


def followed(best: Best, scores: list[float]) -> tuple[list[int], int]:
    """The evaluations, from 1, that were the best so far, and how many there were until patience ended."""
    network, improving = Counter(), []
    for i, score in enumerate(scores, 1):
        if best.offer(score, network.now(i), epoch=i - 1):
            improving.append(i)
        if best.exhausted:
            return improving, i
    return improving, len(scores)


@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda it: f"early{it['early']}-{len(it['nDCG'])}")
def test_the_sequences_of_the_public_code_are_followed(sequence: dict[str, Any]) -> None:
    """Its patience e ends at the evaluation e + 1 without a gain, and a first score of 0 is none."""
    early = sequence["early"]
    best = Best(above=0.0, patience=None if early is None else early + 1)
    improving, run = followed(best, sequence["nDCG"])
    assert improving == sequence["improving_evaluations"]
    assert run == sequence["evaluations_run"]
    network = Counter()
    kept = best.restore(network)
    assert (int(network.weight) if kept else None) == sequence["best_evaluation"]


def test_as_good_is_no_gain_and_nan_is_none() -> None:
    assert followed(Best(), [0.5, 0.5, math.nan, 0.6])[0] == [1, 4]


def test_weights_of_before_the_kept_epochs_are_lost_and_yet_must_be_beaten() -> None:
    """CorNet's pipeline trainer: of 9, 5, 7, 8 from the third epoch on nothing is kept, of 10 the last."""
    for last, kept in ((8.0, False), (10.0, True)):
        best, network = Best(keep_from=2), Counter()
        followed(best, [9.0, 5.0, 7.0, last])
        assert best.restore(network) == kept
        assert network.weight.item() == (4.0 if kept else 0.0)


def test_the_means_of_the_reference_vectors_come_out() -> None:
    with np.load(REFERENCE / "attentionxml_swa.npz") as stored:
        seen, means = stored["input.weights_seen"], stored["output.averages"]
    weight = nn.Parameter(torch.from_numpy(seen[0].copy()))
    average = Average([weight])
    average.start()
    for live, expected in zip(seen[1:], means, strict=True):
        with torch.no_grad():
            weight.copy_(torch.from_numpy(live))
        average.add()
        average.swap()
        np.testing.assert_allclose(weight.detach().numpy(), expected, rtol=0, atol=1e-6)
        average.swap()
        np.testing.assert_array_equal(weight.detach().numpy(), live)
