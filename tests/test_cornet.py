"""CorNet's blocks against hand examples, the public code's numbers and planted mistakes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import nn

from reimpl import cornet, fidelity
from reimpl.cornet import Block, cornet_blocks
from reimpl.fidelity import check
from tests.shared import shared

REFERENCE = Path(fidelity.__file__).parent / "reference" / "cornet"
CASES = json.loads((REFERENCE / "manifest.json").read_text())["cases"]
BLOCKS = [f"cornet_block_{name}" for name in ("1", "2", "3", "2_elu", "2_relu", "2_tanh")]

Patch = pytest.MonkeyPatch


def red() -> set[str]:
    """Names of the fidelity checks that do not pass."""
    return {it.name for it in check("cornet") if not it.passed}


# ------------------------------------------------------------------------------------------------ fidelity


def test_all_checks_of_cornet_pass() -> None:
    assert [f"{it.name}: {it.detail}" for it in check("cornet") if not it.passed] == []


def test_every_block_of_the_public_code_is_among_the_cases() -> None:
    assert [case["case"] for case in CASES][:6] == BLOCKS


@pytest.mark.parametrize("case", [case["case"] for case in CASES])
def test_the_stored_arrays_are_those_of_the_reference_data(case: str) -> None:
    """All, bit for bit, but for the float32 gradients (kept in float64) and the lengths (not read)."""
    with np.load(shared(f"refvec/{case}.npz")) as whole, np.load(REFERENCE / f"{case}.npz") as ours:
        assert set(ours.files) == {
            n for n in whole.files if not n.startswith("grad.") and n != "input.lengths"
        }
        assert all(np.array_equal(ours[name], whole[name]) for name in ours.files)


def _forward(form: Callable[[Block, torch.Tensor], torch.Tensor]) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(Block, "forward", form)


def _corrected(block: Block, probabilities: torch.Tensor) -> torch.Tensor:
    return block.expand(F.elu(block.reduce(probabilities)))  # type: ignore[no-any-return]


MISTAKES: dict[str, Callable[[Patch], None]] = {
    "the sigmoid is added back": _forward(lambda b, x: _corrected(b, torch.sigmoid(x)) + torch.sigmoid(x)),
    "nothing is added back": _forward(lambda b, x: _corrected(b, torch.sigmoid(x))),
    "raw scores go in": _forward(lambda b, x: _corrected(b, x) + x),
    "ReLU stands for ELU": _forward(lambda b, x: b.expand(F.relu(b.reduce(torch.sigmoid(x)))) + x),
    "no ELU": _forward(lambda b, x: b.expand(b.reduce(torch.sigmoid(x))) + x),
    "weights start as torch's": lambda patch: patch.setattr(nn.init, "xavier_uniform_", lambda w: w),
    "weights start normal": lambda patch: patch.setattr(nn.init, "xavier_uniform_", nn.init.xavier_normal_),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_turns_a_check_red(monkeypatch: Patch, mistake: str) -> None:
    MISTAKES[mistake](monkeypatch)
    assert red()


def test_a_tanh_in_place_of_the_named_activation_turns_its_case_red(monkeypatch: Patch) -> None:
    others = {**cornet._ACTIVATIONS, "elu": nn.Tanh()}
    monkeypatch.setattr(cornet, "_ACTIVATIONS", others)
    assert red() == {"cornet_block_2_elu"}


# -------------------------------------------------------------------------------------------------- blocks


def test_three_labels_by_hand() -> None:
    """L = 3, R = 2: scores 0, 1, -1 become 0.231059, 0.583983, -1.184958."""
    block = Block(3, 2)
    values: list[Any] = [[[1, 0, -1], [0, 2, 0]], [0, -2], [[1, 0], [0, 1], [1, 1]], [0, 0, 0]]
    for parameter, value in zip(block.parameters(), values, strict=True):
        parameter.data = torch.tensor(value, dtype=torch.float32)
    scores = block(torch.tensor([[0.0, 1, -1]]))[0].tolist()
    assert [round(score, 6) for score in scores] == [0.231059, 0.583983, -1.184958]


def test_a_second_layer_of_zeros_is_the_identity() -> None:
    blocks = cornet_blocks(9, blocks=3, context=4)
    for parameter in [p for name, p in blocks.named_parameters() if ".expand." in name]:
        parameter.data.zero_()
    x = torch.randn(5, 9) * 20
    assert torch.equal(blocks[2](blocks[1](blocks[0](x))), x)


def test_a_block_leaves_what_it_was_given_as_it_is() -> None:
    """The residual is added to the block's own output."""
    x = torch.randn(4, 6)
    before = x.clone()
    assert not torch.equal(cornet_blocks(6, blocks=1, context=3)[0](x), before)
    assert torch.equal(x, before)


@pytest.mark.parametrize(
    ("labels", "blocks", "context", "expected"),
    [
        (3_956, 2, 1000, 15_833_912),
        (13_330, 2, 1000, 53_348_660),
        (501_008, 2, 100, 201_405_416),
        (501_008, 1, 200, 200_904_408),
    ],
)
def test_the_blocks_are_as_large_as_the_public_codes(
    labels: int, blocks: int, context: int, expected: int
) -> None:
    with torch.device("meta"):
        made = cornet_blocks(labels, blocks=blocks, context=context)
    assert sum(p.numel() for p in made.parameters()) == expected


def test_training_keeps_one_tensor_of_documents_times_labels_a_block() -> None:
    """What autograd saves beside the parameters: the sigmoids of 4 x 1,000 scores, nothing else so large."""
    blocks = cornet_blocks(1000, blocks=2, context=8)
    owned = {p.untyped_storage().data_ptr() for p in blocks.parameters()}
    saved: dict[int, int] = {}

    def note(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in owned:
            saved[storage.data_ptr()] = storage.nbytes()
        return tensor

    x = torch.randn(4, 1000, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        y = blocks[1](blocks[0](x))
    assert sorted(saved.values())[-3:] == [4 * 8 * 4, 4 * 1000 * 4, 4 * 1000 * 4]
    y.sum().backward()
    assert x.grad is not None
