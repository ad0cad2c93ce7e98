"""Lasagne's Adam against stored steps of Lasagne itself."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from reimpl.optim import OPTIMISERS, LasagneAdam
from tests.shared import shared

REFERENCE = Path(__file__).parent / "reference"
CASES = json.loads((REFERENCE / "04_lasagne_adam.json").read_text())["cases"]

cases = pytest.mark.parametrize("case", CASES, ids=lambda c: c["prefix"] + c["gradient_scale"])
ways = pytest.mark.parametrize(
    "options", [{}, {"fused": True}, {"foreach": True}, {"foreach": False}], ids=str
)


@pytest.fixture(scope="module")
def stored() -> dict[str, np.ndarray]:
    with np.load(REFERENCE / "04_lasagne_adam.npz") as arrays:
        return dict(arrays)


@pytest.mark.parametrize("name", ["04_lasagne_adam.json", "04_lasagne_adam.npz"])
def test_the_stored_steps_are_those_of_the_reference_data(name: str) -> None:
    """The copy that travels with the tests holds the same bytes."""
    assert (REFERENCE / name).read_bytes() == shared(f"refdyn/{name}").read_bytes()


def _optimiser(
    name: str, case: dict[str, Any], start: np.ndarray, **options: Any
) -> tuple[torch.Tensor, torch.optim.Optimizer]:
    weights = torch.tensor(start, requires_grad=True)
    return weights, OPTIMISERS[name](
        [weights], lr=case["lr"], betas=tuple(case["betas"]), eps=case["eps"], **options
    )


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


@cases
def test_torch_adam_is_another_optimiser(stored: dict[str, np.ndarray], case: dict[str, Any]) -> None:
    """Its steps equal the stored ones of torch, and depart from Lasagne's by as much as was measured."""
    p = case["prefix"]
    weights, optimiser = _optimiser("adam", case, stored[p + "start"])
    path = _steps(optimiser, weights, stored[p + "grads"])
    np.testing.assert_allclose(path, stored[p + "torch"], rtol=0, atol=1e-14)
    gap = np.abs(path - stored[p + "lasagne"]).max()
    assert gap == pytest.approx(case["largest_abs_difference_lasagne_vs_torch_float64"], rel=1e-5, abs=1e-14)


@cases
@ways
@pytest.mark.parametrize("after", [1, 5])
def test_saved_and_loaded_it_goes_on_as_if_nothing_had_been(
    stored: dict[str, np.ndarray], case: dict[str, Any], options: dict[str, bool], after: int
) -> None:
    """The step count travels in the state dict: resumed, it gives the same bits as if never stopped."""
    p = case["prefix"]
    weights, optimiser = _optimiser("lasagne_adam", case, stored[p + "start"], **options)
    undisturbed = _steps(optimiser, weights, stored[p + "grads"])
    weights, optimiser = _optimiser("lasagne_adam", case, stored[p + "start"], **options)
    _steps(optimiser, weights, stored[p + "grads"][:after])
    saved = copy.deepcopy(optimiser.state_dict())
    weights, optimiser = _optimiser("lasagne_adam", case, weights.detach().numpy(), **options)
    optimiser.load_state_dict(saved)
    resumed = _steps(optimiser, weights, stored[p + "grads"][after:])
    assert np.array_equal(resumed, undisturbed[after:])


def test_float32_steps_stay_near_those_of_lasagne(stored: dict[str, np.ndarray]) -> None:
    """Lasagne itself at floatX=float32, within the rounding of twelve float32 steps."""
    case = CASES[3]
    p = case["prefix"]
    weights, optimiser = _optimiser("lasagne_adam", case, stored[p + "start"].astype(np.float32))
    path = _steps(optimiser, weights, stored[p + "grads"].astype(np.float32))
    np.testing.assert_allclose(path, stored[p + "lasagne_theano_float32"], rtol=0, atol=1e-6)


def test_the_first_step_by_hand() -> None:
    """m / (1 - b1) = g and sqrt(v) = g sqrt(.001), so the step is lr g sqrt(.001) / (g sqrt(.001) + eps)."""
    weights = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    weights.grad = torch.full((1,), 1e-8, dtype=torch.float64)
    LasagneAdam([weights]).step()
    root = 0.001**0.5
    # g = eps; torch's own Adam would move by half the rate
    assert weights.item() == pytest.approx(-1e-3 * root / (root + 1), rel=1e-12)


def test_the_learning_rate_can_change_between_steps() -> None:
    """A schedule writes the group's rate, and the next step uses it."""
    weights = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    optimiser = LasagneAdam([weights], lr=1e-3, eps=0.0)
    weights.grad = torch.ones(1, dtype=torch.float64)
    optimiser.step()
    optimiser.param_groups[0]["lr"] = 0.5
    optimiser.step()
    assert weights.item() == pytest.approx(-0.501)  # a constant gradient moves by the rate at each step


def test_a_closure_returns_its_loss() -> None:
    """As in torch: the closure is called and its value handed on."""
    weights = torch.ones(1, requires_grad=True)
    optimiser = LasagneAdam([weights])

    def closure() -> float:
        optimiser.zero_grad()
        value = (weights * 2).sum()
        value.backward()
        return value.item()

    assert optimiser.step(closure) == 2.0
