"""Mistakes planted in Kim-CNN and XML-CNN turn the public code's cases red.

The plain loops over their formulas are `tests/naive_text_cnn.py`, for `tests/test_xml_cnn.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

from reimpl import fidelity, layers, losses, optim, xml_cnn
from tests.fidelity.gate import blind

Patch = pytest.MonkeyPatch
CASES = fidelity.manifest("reimpl.reference.xml_cnn")["cases"]


@pytest.mark.parametrize("branch", [0, 10**9], ids=["sparse", "dense"])
def test_gradients_hold_on_both_ways_through_the_pooling(monkeypatch: Patch, branch: int) -> None:
    """The public code's documents of 20 words would only take the dense one."""
    monkeypatch.setattr(layers, "_SPARSE_FROM", branch)
    assert all(check.passed for check in fidelity.check("xml_cnn"))


def _view(patch: Patch) -> None:
    """(B, T, E) read as (B, E, T) and not transposed."""

    def pooled(self: xml_cnn.XMLCNN, x: Tensor, conv: nn.Conv1d) -> Tensor:
        B, swept, channels = x.shape
        if self.config.sweep == "words":
            x = x.reshape(B, channels, swept).transpose(1, 2)
        return original(self, x, conv)

    original = xml_cnn.XMLCNN._pooled
    patch.setattr(xml_cnn.XMLCNN, "_pooled", pooled)


def _position_major(patch: Patch) -> None:
    original = xml_cnn.XMLCNN._pooled
    patch.setattr(
        xml_cnn.XMLCNN,
        "_pooled",
        lambda self, x, conv: original(self, x, conv).transpose(1, 2).contiguous(),
    )


def _bins(rule: str) -> Callable[[Patch], None]:
    def plant(patch: Patch) -> None:
        def pool(x: Tensor, weight: Tensor, bias: Tensor | None, *, pools: int, stride: int = 1) -> Tensor:
            convolved = F.conv1d(x.transpose(1, 2), weight, bias, stride=stride)
            n = convolved.shape[2]
            size = n // pools  # floor: the rest of the positions is never looked at
            edges = [i * size for i in range(pools + 1)]
            if rule == "even":  # next to each other, sharing no position
                edges = [i * n // pools for i in range(pools + 1)]
            parts = [convolved[..., a:b].amax(2) for a, b in pairwise(edges)]
            return torch.stack(parts, 2)

        for module in (layers, xml_cnn):
            patch.setattr(module, "conv_max_pool", pool)

    return plant


def _reversed_kernel(patch: Patch) -> None:
    """A true convolution where the public code of the study computes a cross-correlation."""
    original = layers.convolve
    for module in (layers, xml_cnn):
        patch.setattr(module, "convolve", lambda x, w, *a, **k: original(x, w.flip(2), *a, **k))


def _no_relu(calls: str) -> Callable[[Patch], None]:
    """The ReLU after the convolutions or the one after the hidden layer left out."""

    def plant(patch: Patch) -> None:
        original = F.relu
        hidden = (10, 6)  # units of the hidden layer in the reference cases and the numpy networks

        def relu(x: Tensor) -> Tensor:
            return x if (x.shape[-1] in hidden) == (calls == "hidden") else original(x)

        patch.setattr(F, "relu", relu)

    return plant


def _half_gradient(patch: Patch) -> None:
    """The value of the loss is right, its gradient is not."""
    original = losses.LOSSES["bce_mean"]

    def halved(logits: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
        value = original(logits, rows, cols)
        return value / 2 + value.detach() / 2

    patch.setitem(losses.LOSSES, "bce_mean", halved)


def _no_bias(patch: Patch) -> None:
    original = layers.conv_max_pool
    patch.setattr(xml_cnn, "conv_max_pool", lambda x, w, b, **kwargs: original(x, w, None, **kwargs))


def _frozen_never(patch: Patch) -> None:
    made = xml_cnn.XMLCNN.__init__
    patch.setattr(
        xml_cnn.XMLCNN, "__init__", lambda self, *a, **k: made(self, *a, **k | {"freeze_padding": False})
    )


def _loss(patch: Patch, ours: str, other: str) -> None:
    patch.setitem(losses.LOSSES, ours, losses.LOSSES[other])


#: Mistake, and a case that has to see it (there may be more).
MISTAKES: dict[str, tuple[Callable[[Patch], None], str]] = {
    "view for transpose": (_view, "study_xmlcnn_words"),
    "position-major flatten": (_position_major, "study_xmlcnn_words"),
    "pools of floor(n / p)": (_bins("floor"), "study_xmlcnn_words"),
    "pools that share nothing": (_bins("even"), "study_xmlcnn_words"),
    "kernel reversed": (_reversed_kernel, "study_kimcnnv2_words"),
    "kernel of Lasagne not reversed": (_reversed_kernel, "study_liu_from_lasagne_weights"),
    "no ReLU after the convolutions": (_no_relu("features"), "study_xmlcnnliu_nopool_words"),
    "no ReLU after the hidden layer": (_no_relu("hidden"), "study_xmlcnn_words"),
    "bias of the convolution left out": (_no_bias, "study_kimcnnv2_words"),
    "BCE summed over labels": (partial(_loss, ours="bce_mean", other="bce_sum_over_labels"), "lml_kimcnn"),
    "softmax normalised": (
        partial(_loss, ours="softmax_ce", other="softmax_ce_normalised"),
        "study_kimcnnv2_words",
    ),
    "half the gradient": (_half_gradient, "lml_xmlcnn"),
    "padding row trained": (_frozen_never, "study_xmlcnn_words"),
    "Lasagne's epsilon for torch's": (
        lambda patch: patch.setitem(optim.OPTIMISERS, "adam", optim.LasagneAdam),
        "study_xmlcnn_words",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_seen(monkeypatch: Patch, mistake: str) -> None:
    plant, seer = MISTAKES[mistake]
    plant(monkeypatch)
    assert blind("xml_cnn", [seer]) == []


@pytest.mark.parametrize("key", ["sweep", "pooling", "stride", "pools"])
def test_another_configuration_of_any_variant_turns_all_its_cases_red(monkeypatch: Patch, key: str) -> None:
    """Every case that stands behind a named variant."""
    for name in {case["variant"] for case in CASES}:
        config = xml_cnn.VARIANTS[name]
        other: dict[str, Any] = {
            "sweep": "embeddings" if config.sweep == "words" else "words",
            "pooling": "none" if config.pooling != "none" else "max",
            "stride": 3 - config.stride,
            "pools": 2,
        }
        if key == "pools" and (
            config.pooling != "dynamic" or name.startswith("xun")
        ):  # whose cases name pools
            continue
        monkeypatch.setitem(xml_cnn.VARIANTS, name, replace(config, **{key: other[key]}))  # type: ignore[arg-type]
        assert blind("xml_cnn", [case["case"] for case in CASES if case["variant"] == name]) == [], name
        monkeypatch.undo()


def test_a_mistake_is_told_and_hides_no_other_check(monkeypatch: Patch) -> None:
    """Those that the mistake touches do not pass, with the reason; those beside it still do."""
    kim = replace(xml_cnn.VARIANTS["chen2022-kim-words"], pooling="dynamic")
    monkeypatch.setitem(xml_cnn.VARIANTS, "chen2022-kim-words", kim)  # type: ignore[arg-type]
    result = {check.name: check for check in fidelity.check("xml_cnn")}
    assert [name for name, check in result.items() if not check.passed] == ["study_kimcnnv2_words"]
    assert "shape" in result["study_kimcnnv2_words"].detail  # the public code's weights do not fit
