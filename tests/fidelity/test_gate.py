"""The fidelity gate: whose checks it collects, what it does with those that fail, how it compares."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from reimpl.fidelity import Check, MismatchError, check, close, close_after_step

Patch = pytest.MonkeyPatch


def test_the_gate_disturbs_nobody() -> None:
    """torch's random state, threads, gradient mode and default type stay as they are, and do not matter."""
    torch.manual_seed(5)
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    with torch.no_grad():
        assert all(it.passed for it in check("aplc"))
        assert not torch.is_grad_enabled()
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == threads
    torch.set_default_dtype(torch.float64)
    try:
        assert all(it.passed for it in check("aplc"))
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("model", ["no_such_model", "../xml_cnn", ""])
def test_a_model_without_checks_does_not_pass(model: str) -> None:
    """Nothing known is not nothing wrong, whatever the name."""
    (only,) = check(model)
    assert (only.model, only.passed) == (model, False)
    assert "there are none" in only.detail


MODEL = """\
from dataclasses import dataclass
@dataclass(frozen=True)
class Config: pass
VARIANTS = {"plain": Config()}
def build(config, **sizes): ...
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: Patch) -> Iterator[Callable[[str], None]]:
    """Writes a model called toy_model with its checks."""
    monkeypatch.setenv("XMTC_AUDIT_MODELS", str(tmp_path))
    yield lambda source: (tmp_path / "toy_model.py").write_text(MODEL + source) and None
    sys.modules.pop("xmtc_audit_models.toy_model", None)


def test_a_model_brings_checks_of_its_own(package: Callable[[str], None]) -> None:
    """Nothing else is edited; a mismatch, an error and a pass stand side by side."""
    package(
        "from reimpl.fidelity import MismatchError\n"
        "def near(): return 'near enough'\n"
        "def far(): raise MismatchError('logits depart by 2')\n"
        "def broken(): raise ValueError('two\\nlines')\n"
        "def checks(): return [('near', near), ('far', far), ('broken', broken)]\n"
    )
    assert check("toy_model") == (
        Check("toy_model", "near", True, "near enough"),
        Check("toy_model", "far", False, "logits depart by 2"),
        Check("toy_model", "broken", False, "stopped by ValueError: two lines"),
    )


@pytest.mark.parametrize(
    ("source", "detail"),
    [
        ("def checks(): return []", "there are none"),
        ("", "there are none"),
        ("import no_such_module", "cannot be read: ConfigError"),
        ("def checks():\n    yield 'one', lambda: 'fine'\n    raise OSError('gone')", "OSError: gone"),
    ],
)
def test_checks_that_cannot_be_read_do_not_pass(
    package: Callable[[str], None], source: str, detail: str
) -> None:
    """No check at all, or a package that breaks, is one failed check with the reason."""
    package(source)
    (only,) = check("toy_model")
    assert not only.passed
    assert detail in only.detail


# ------------------------------------------------------------------------------------------- the comparisons


def test_close_is_relative_to_the_largest_reference_value() -> None:
    """|a - b| / max(1, max |b|): 1e-3 of 200 is 5e-6, 1e-3 of .1 is 1e-3."""
    assert close("x", [200.001, 0], [200.0, 0], tolerance=1e-5) == pytest.approx(5e-6)
    assert close("x", [0.101], [0.1], tolerance=1.1e-3) == pytest.approx(1e-3)
    with pytest.raises(MismatchError, match=r"x differs by 1\.0e-03, more than 1e-05"):
        close("x", [0.101], [0.1], tolerance=1e-5)


@pytest.mark.parametrize("ours", [[float("nan")], [float("inf")], [1.0, 1.0], [[1.0]], 1.0])
def test_not_a_number_and_another_shape_are_never_close(ours: Any) -> None:
    """Nothing is broadcast, and NaN does not slip through a comparison."""
    with pytest.raises(MismatchError):
        close("x", ours, [1.0], tolerance=1e9)


def test_after_a_step_only_clear_gradients_are_compared() -> None:
    """Noise may go either way, a clear gradient may not, and what has none must not move."""
    before, gradient = np.zeros(3), np.array([1e-9, 1e-3, 0.0])
    reference = np.array([1e-3, -1e-3, 0.0])
    steps = {"before": before, "gradient": gradient}
    assert close_after_step("w", np.array([-1e-3, -1e-3, 0]), reference, **steps) == 0
    with pytest.raises(MismatchError, match=r"differs by 2\.0e-03 after one step"):
        close_after_step("w", np.array([1e-3, 1e-3, 0]), reference, **steps)
    with pytest.raises(MismatchError, match="no gradient"):
        close_after_step("w", np.array([1e-3, -1e-3, 1e-9]), reference, **steps)
    with pytest.raises(MismatchError, match="shape"):
        close_after_step("w", np.zeros(2), reference, **steps)
