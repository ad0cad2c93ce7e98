"""Convolution and pooling against loops, against autograd and against stored pools of torch."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name

from reimpl import layers
from reimpl.layers import conv_max_pool

REFERENCE = Path(__file__).parents[1] / "reference"
POOLING = json.loads((REFERENCE / "08_pooling.json").read_text())

#: Positions per pool from which the sparse backward pass is taken: never, always.
BRANCHES = [pytest.param(10**9, id="dense"), pytest.param(0, id="sparse")]


@pytest.fixture
def stored() -> dict[str, np.ndarray]:
    with np.load(REFERENCE / "08_pooling.npz") as arrays:
        return dict(arrays)


@pytest.mark.parametrize("threshold", BRANCHES)
@pytest.mark.parametrize("i", range(len(POOLING["adaptive"])))
def test_dynamic_pooling_equals_the_stored_pools(
    monkeypatch: pytest.MonkeyPatch, stored: dict[str, np.ndarray], i: int, threshold: int
) -> None:
    """Values exactly, and the gradient of sum over i of (i + 1) out_i, through a convolution by one."""
    monkeypatch.setattr(layers, "_SPARSE_FROM", threshold)
    case = POOLING["adaptive"][i]
    x = torch.from_numpy(stored[case["x"]]).view(1, -1, 1).requires_grad_()
    out = conv_max_pool(x, torch.ones(1, 1, 1, dtype=torch.float64), None, pools=case["p"]).flatten()
    assert out.tolist() == case["out"]
    (out * torch.arange(1, case["p"] + 1)).sum().backward()
    assert x.grad is not None
    assert x.grad.flatten().tolist() == stored[case["grad"]].tolist()


def _operands(B: int, T: int, k: int, *, kind: str) -> list[torch.Tensor]:
    rng = np.random.default_rng(B * 1000 + T)
    x, w, b = rng.normal(size=(B, T, 3)), rng.normal(size=(5, 3, k)), rng.normal(size=5)
    if kind != "random":  # small integers: sums are exact, and most maxima are reached at several places
        x, w, b = (rng.integers(-1, 2, size=a.shape).astype(float) for a in (x, w, b))
    return [torch.from_numpy(a).requires_grad_() for a in (x, w, b)]


@pytest.mark.parametrize("threshold", BRANCHES)
@pytest.mark.parametrize("kind", ["random", "ties"])
@pytest.mark.parametrize(("B", "T", "k"), [(1, 9, 2), (3, 40, 4)])
@pytest.mark.parametrize(("stride", "pools"), [(1, 1), (2, 4)])
def test_values_and_gradients_equal_autograd(
    monkeypatch: pytest.MonkeyPatch,
    B: int,
    T: int,
    k: int,
    stride: int,
    pools: int,
    kind: str,
    threshold: int,
) -> None:
    """Both backward passes give what autograd makes of torch's own convolution and pooling."""
    monkeypatch.setattr(layers, "_SPARSE_FROM", threshold)
    ours, theirs = _operands(B, T, k, kind=kind), _operands(B, T, k, kind=kind)
    out = conv_max_pool(*ours, pools=pools, stride=stride)
    x, w, b = theirs
    convolved = F.conv1d(x.transpose(1, 2), w, b, stride=stride)
    expected = F.adaptive_max_pool1d(convolved, pools)
    torch.testing.assert_close(out, expected, rtol=0, atol=1e-12)
    slope = torch.from_numpy(np.random.default_rng(3).normal(size=tuple(out.shape)))
    (out * slope).sum().backward()
    (expected * slope).sum().backward()
    for a, c in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a.grad, c.grad, rtol=0, atol=1e-11)


@pytest.mark.parametrize("p", [0.2, 0.5, 0.75])
def test_dropout_drops_that_share_and_keeps_the_mean(p: float) -> None:
    """A million draws: the share is within five standard errors, the same seed drops the same."""
    x = torch.ones(999_999, requires_grad=True)
    torch.manual_seed(3)
    y = layers.dropout(x, p, True)
    assert float((y == 0).float().mean()) == pytest.approx(p, abs=5 * (p * (1 - p) / 1e6) ** 0.5)
    assert y.unique().tolist() == pytest.approx([0.0, 1 / (1 - p)])
    y.sum().backward()
    assert x.grad is not None and torch.equal(x.grad, y.detach())
    torch.manual_seed(3)
    assert torch.equal(layers.dropout(x, p, True), y)
    assert torch.equal(layers.dropout(x, p, False), x)
