"""The mean of weights against AttentionXML's public code: toy values, reference vectors, whole loops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from reimpl.averaging import Average

REFERENCE = Path(__file__).parent / "reference"


def parameter(value: Any) -> nn.Parameter:
    return nn.Parameter(torch.tensor(value, dtype=torch.float64))


def set_to(weight: Tensor, value: Any) -> None:
    with torch.no_grad():
        weight.copy_(torch.tensor(value, dtype=weight.dtype))


def averaged(start: float, *later: float, **options: Any) -> float:
    """The mean that an evaluation after the last of these weights sees."""
    weight = parameter([start])
    average = Average([weight], **options)
    average.start()
    for value in later:
        set_to(weight, [value])
        average.add()
    with average.in_place():
        return weight.item()


def test_the_weights_at_the_start_are_the_first_of_the_mean() -> None:
    """FACTS: a snapshot of 10, then 1, 2, 6: (10 + 1 + 2 + 6) / 4."""
    assert averaged(10, 1, 2, 6) == pytest.approx(4.75)


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
        with average.in_place():
            np.testing.assert_allclose(weight.detach().numpy(), expected, rtol=0, atol=1e-6)
        np.testing.assert_array_equal(weight.detach().numpy(), live)


def test_the_mean_travels_in_its_state(tmp_path: Path) -> None:
    weight, other = parameter([10.0]), parameter([0.0])
    average = Average([weight])
    torch.save(average.state_dict(), tmp_path / "before")
    average.start()
    set_to(weight, [1.0])
    average.add()
    torch.save(average.state_dict(), tmp_path / "state")
    again = Average([other])
    again.load_state_dict(torch.load(tmp_path / "state", weights_only=True))
    for value in (2.0, 6.0):
        set_to(other, [value])
        again.add()
    with again.in_place():
        assert other.item() == pytest.approx(4.75)
    again.load_state_dict(torch.load(tmp_path / "before", weights_only=True))
    assert again.means is None
