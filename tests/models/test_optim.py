"""Optimisers and clipping against stored steps of Lasagne itself and of AttentionXML's public code."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from reimpl.optim import OPTIMISERS, DenseSparseAdam, NormClip, QueueClip, with_sparse_gradients

REFERENCE = Path(__file__).parents[1] / "reference"
CASES = json.loads((REFERENCE / "04_lasagne_adam.json").read_text())["cases"]

cases = pytest.mark.parametrize("case", CASES, ids=lambda c: c["prefix"] + c["gradient_scale"])
ways = pytest.mark.parametrize("options", [{"fused": True}, {"foreach": False}], ids=str)


@pytest.fixture(scope="module")
def stored() -> dict[str, np.ndarray]:
    with np.load(REFERENCE / "04_lasagne_adam.npz") as arrays:
        return dict(arrays)


def _optimiser(
    name: str, case: dict[str, Any], start: np.ndarray, **options: Any
) -> tuple[torch.Tensor, torch.optim.Optimizer]:
    weights = torch.tensor(start, requires_grad=True)
    how = {"lr": case["lr"], "betas": tuple(case["betas"]), "eps": case["eps"], **options}
    return weights, OPTIMISERS[name]([weights], **how)


def _steps(optimiser: torch.optim.Optimizer, weights: torch.Tensor, gradients: np.ndarray) -> np.ndarray:
    path = []
    for gradient in gradients:
        weights.grad = torch.from_numpy(gradient.copy())
        optimiser.step()
        path.append(weights.detach().numpy().copy())
    return np.array(path)


@cases
@ways
def test_steps_equal_those_of_lasagne(
    stored: dict[str, np.ndarray], case: dict[str, Any], options: dict[str, bool]
) -> None:
    """Twelve steps in float64 within 1e-14, for gradients from 1 to 1e-10 and zero, and the moments."""
    p = case["prefix"]
    weights, optimiser = _optimiser("lasagne_adam", case, stored[p + "start"], **options)
    path = _steps(optimiser, weights, stored[p + "grads"])
    np.testing.assert_allclose(path, stored[p + "lasagne"], rtol=0, atol=1e-14)
    state = optimiser.state[weights]
    np.testing.assert_allclose(state["exp_avg"], stored[p + "exp_avg"], rtol=1e-12, atol=1e-30)
    np.testing.assert_allclose(state["exp_avg_sq"], stored[p + "exp_avg_sq"], rtol=1e-12, atol=1e-30)


# --------------------------------------------------------------------------- dense and sparse Adam


DYNAMICS = json.loads(gzip.decompress((REFERENCE / "03_training_dynamics.json.gz").read_bytes()))
SETTINGS = DYNAMICS["dense_sparse_adam"]
settings = pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting["prefix"])


@pytest.fixture(scope="module")
def dynamics() -> dict[str, np.ndarray]:
    with np.load(REFERENCE / "03_training_dynamics.npz") as arrays:
        return dict(arrays)


GRADIENTS = ("dense_grad", "sparse_idx", "sparse_val")
RESULTS = [f"{kind}_{what}" for kind in ("dense", "sparse") for what in ("params", "exp_avg", "exp_avg_sq")]


def rows_gradient(rows: Any, values: Any, like: torch.Tensor) -> torch.Tensor:
    """A sparse gradient as an embedding leaves it: rows may be there twice; -1 is none."""
    place, held = torch.as_tensor(rows), torch.as_tensor(values, dtype=like.dtype)
    there = place >= 0
    size = tuple(like.shape)
    return torch.sparse_coo_tensor(place[there][None], held[there], size, check_invariants=True)


@settings
def test_dense_and_sparse_steps_equal_those_of_the_public_code(
    dynamics: dict[str, np.ndarray], setting: dict[str, Any]
) -> None:
    """Twelve steps with rows seen twice or not at all, other betas, and decay; the moments too."""
    names, path = ("dense", "sparse"), []
    parts = [torch.tensor(dynamics[f"{setting['prefix']}{name}_start"], requires_grad=True) for name in names]
    options = {"lr": setting["lr"], "betas": tuple(setting["betas"]), "eps": setting["eps"]}
    optimiser = DenseSparseAdam(parts, **options, weight_decay=setting["weight_decay"], fused=True)
    stored = {name: dynamics[setting["prefix"] + name] for name in (*GRADIENTS, *RESULTS)}
    for dense, rows, values in zip(*(stored[name] for name in GRADIENTS), strict=True):
        parts[0].grad = torch.from_numpy(dense.copy())
        parts[1].grad = rows_gradient(rows, values, parts[1])
        optimiser.step()
        path.append([part.detach().numpy().copy() for part in parts])
    for place, name in enumerate(names):
        found = np.array([step[place] for step in path])
        np.testing.assert_allclose(found, stored[f"{name}_params"], rtol=0, atol=1e-12)
        for moment in ("exp_avg", "exp_avg_sq"):
            ours = optimiser.state[parts[place]][moment]
            np.testing.assert_allclose(ours, stored[f"{name}_{moment}"], rtol=0, atol=1e-12)


def test_embeddings_are_made_sparse_unless_the_network_wants_them_dense() -> None:
    class Tables(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.out = torch.nn.Embedding(5, 2), torch.nn.Linear(2, 1)

    network = Tables()
    with_sparse_gradients(network)
    network.out(network.words(torch.tensor([1, 1, 3]))).sum().backward()
    gradient = network.words.weight.grad
    assert gradient is not None and gradient.is_sparse
    assert gradient.coalesce().indices().tolist() == [[1, 3]]
    dense = Tables()
    dense.dense_embeddings = True  # type: ignore[assignment]
    with_sparse_gradients(dense)
    dense.out(dense.words(torch.tensor([1]))).sum().backward()
    assert dense.words.weight.grad is not None and not dense.words.weight.grad.is_sparse


SEQUENCES: dict[str, list[dict[str, Any]]] = DYNAMICS["adaptive_clip"]


def weights(gradient: Any) -> Tensor:
    held = torch.as_tensor(gradient, dtype=torch.float64)
    parameter = torch.zeros(held.shape, dtype=torch.float64, requires_grad=True)
    parameter.grad = held.clone()
    return parameter


@pytest.mark.parametrize("name", SEQUENCES)
def test_the_sequence_of_the_public_code_is_followed(name: str) -> None:
    """Bound, queue and what is left of the norm, step by step."""
    rule = QueueClip("cpu", factor=float(name.rpartition("clip")[2]))
    for step in SEQUENCES[name]:
        assert rule.bound.item() == pytest.approx(float(step["bound"]), rel=1e-12)
        parameter = weights([step["norm"] * 0.6, step["norm"] * -0.8])
        rule([parameter])
        assert parameter.grad is not None
        assert parameter.grad.norm().item() == pytest.approx(step["norm_after"], rel=1e-6, abs=1e-12)
        queue = [it for it in rule.queue.tolist() if it != -math.inf]
        assert queue == pytest.approx([float(it) for it in step["queue_after"]], rel=1e-12)


@pytest.mark.parametrize("bound", [0.1, 1.0, 100.0])
def test_a_bound_scales_as_torch_does(bound: float) -> None:
    ours = [weights([3.0, 4.0]), weights([[12.0]]), torch.zeros(2, requires_grad=True)]
    theirs = [weights([3.0, 4.0]), weights([[12.0]])]
    NormClip(bound)(ours)
    torch.nn.utils.clip_grad_norm_(theirs, bound)
    for mine, other in zip(ours[:2], theirs, strict=True):
        torch.testing.assert_close(mine.grad, other.grad, rtol=1e-12, atol=0)
    assert ours[2].grad is None


@pytest.mark.parametrize("rule", [NormClip(1.0), QueueClip("cpu")], ids=["norm", "queue"])
def test_a_row_looked_up_twice_counts_with_its_sum(rule: Any) -> None:
    """Ids 1, 1, 2 of three components each: norm sqrt(15), and not the 3 of three separate rows."""
    table = torch.nn.Embedding(5, 3, sparse=True)
    table(torch.tensor([1, 1, 2])).sum().backward()
    rule([table.weight])
    gradient = table.weight.grad
    assert gradient is not None and gradient.is_sparse
    norm = gradient.to_dense().norm().item()
    if isinstance(rule, QueueClip):
        assert norm == pytest.approx(15**0.5)
        assert rule.queue[-1] == 1.0
    else:
        assert norm == pytest.approx(1.0, abs=1e-5)
        assert gradient.to_dense()[1].tolist() == pytest.approx([2 / 15**0.5] * 3, rel=1e-5)


def test_adadelta_takes_the_step_of_zeiler_2012() -> None:
    """x -= rms(dx) / rms(g) * g, with running means of 0.95 and epsilon 1e-6 in both roots."""
    x, gradients = torch.nn.Parameter(torch.tensor([1.0], dtype=torch.float64)), [0.5, -0.2, 0.1]
    step = OPTIMISERS["adadelta"]([x], lr=1.0, weight_decay=0.0, fused=True)
    value, of_g, of_dx = 1.0, 0.0, 0.0
    for g in gradients:
        x.grad = torch.tensor([g], dtype=torch.float64)
        step.step()
        of_g = 0.95 * of_g + 0.05 * g**2
        dx = -math.sqrt(of_dx + 1e-6) / math.sqrt(of_g + 1e-6) * g
        of_dx = 0.95 * of_dx + 0.05 * dx**2
        value += dx
        assert x.item() == pytest.approx(value, rel=1e-12)
