"""Every model, two steps of it: with each precision and optimiser, and on a device that is only claimed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from reimpl import training
from reimpl.models import find_config, find_model
from reimpl.optim import OPTIMISERS
from reimpl.training import Interrupted, Result, Run, Watch
from tests.models.pretended import OnDevice, Pretended, pretended
from tests.models.test_training import Bag
from tests.toys import stopping, toy_data, toy_protocol

_LSTM = {"hidden": 3, "fully_connected": (4,)}
_ON = {"base": "xml_cnn", "base_variant": "kim2014", "base_config": {"windows": (2, 3), "maps": 3}}
_ON["base_config"] |= {"dropout_output": 0.0}  # type: ignore[operator]
_TREE = {**_LSTM, "tree_height": 1, "cluster_size": 3, "ways": 2, "candidates": 2}
#: Name -> model, variant, keys that make it small.
FAMILIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "XML-CNN": ("xml_cnn", "chen2022-xmlcnn-words", {"windows": (2, 3), "maps": 3, "hidden": 5}),
    "Kim-CNN": ("xml_cnn", "kim2014", {"windows": (2, 3), "maps": 3, "loss": "softmax_ce_normalised"}),
    "AttentionXML": ("attention_xml", "code", _LSTM),
    "AttentionXML, padding attended": ("attention_xml", "unmasked", _LSTM),
    "AttentionXML tree": ("attention_xml", "code", _TREE),
    "AttentionXML tree of the paper": ("attention_xml", "paper", {**_TREE, "trees": 1}),
    "MeSHProbeNet": ("mesh_probenet", "code", {"hidden": 3, "probes": 2}),
    "BertXML": ("bert_xml", "code", {"hidden": 4, "inner": 6, "cls_tokens": 2}),
    "CorNet": ("cornet", "code", {**_ON, "context": 4}),
    "APLC": ("aplc", "code", {**_ON, "clusters": 3}),
    "Rank-AE": ("rank_ae", "paper", {"encoder": 5, "hidden": 4}),
    "Rank-AE, third party": ("rank_ae", "third-party", {"encoder": 5, "hidden": 4}),
    "linear": ("linear", "svm", {}),
}


def train(family: str, *, dropout: bool = True, protocol: Any = None, **how: Any) -> Result:
    """One epoch of two batches, unless the protocol says something else."""
    model, variant, keys = FAMILIES[family]
    module = find_model(model)
    config = find_config(module, variant, keys)
    if not dropout:
        rates = [it.name for it in fields(config) if it.name.startswith("dropout")]
        config = replace(config, **dict.fromkeys(rates, 0.0))
    data = toy_data(n_train=10, n_dev=7)
    protocol = toy_protocol(**{"epochs": 1, "padding": "batch", **(protocol or {})})
    how = {"seed": 0, **how}
    if hasattr(module, "train"):
        result: Result = module.train(config, data, protocol, **how)
        return result

    def build(vectors: Tensor) -> torch.nn.Module:
        parts: Any = {"padding_id": 0, "freeze_padding": True, "length": protocol.length}
        network: torch.nn.Module = module.build(config, vectors=vectors, labels=data.n_labels, **parts)
        return network

    return training.train(build, data, protocol, loss_name=config.loss, **how)


@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("precision", ["float32", "tf32", "bf16"])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_model_is_trained_with_each_precision_and_optimiser(
    family: str, precision: Any, optimiser: str
) -> None:
    result = train(family, protocol={"optimiser": optimiser}, precision=precision)
    assert result.reason is None and result.metrics
    assert all(math.isfinite(row["loss"]) for row in result.curve)
    said = [note for note in result.notes if note.startswith("bf16: matrix products")]
    assert len(said) == (precision == "bf16" and family != "linear")
    recurrent = family.startswith("AttentionXML") or family == "MeSHProbeNet"
    assert ["the LSTM in float32" in note for note in said] == [recurrent] * len(said)


#: Documents of a batch depend on each other.
TIED = {"AttentionXML, padding attended": "reads_neighbours", "Rank-AE, third party": "batch normalisation"}


@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in ("linear", "AttentionXML tree")])
def test_a_batch_is_computed_in_parts_only_where_that_changes_nothing(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is room for three documents. Candidates that the public code's tree draws are left out."""
    how: Any = {"dropout": False, "protocol": {"batch_size": 10, "optimiser": "dense_sparse_adam"}}
    whole, prepare = train(family, **how), Run._prepare

    def tight(run: Run, build: Any) -> None:
        prepare(run, build)
        batch = run.train_split.batch

        def narrow(documents: Tensor, width: int) -> Any:
            if len(documents) > 3:
                raise torch.OutOfMemoryError
            return batch(documents, width)

        run.train_split.batch = narrow

    monkeypatch.setattr(Run, "_prepare", tight)
    parts = train(family, **how)
    if family in TIED:
        assert parts.reason is not None and f"depend on each other ({TIED[family]})" in parts.reason
        return
    assert any("out of memory: batches of 10 computed in parts of 3" in note for note in parts.notes)
    for ours, theirs in (
        (parts.curve[-1]["loss"], whole.curve[-1]["loss"]),
        (parts.top_scores, whole.top_scores),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)  # type: ignore[arg-type]


def test_an_lstm_that_is_left_to_autocast_is_told_on_a_gpu() -> None:
    notes = training.conditions(torch.nn.LSTM(2, 2), "bf16", torch.device("cuda:0"))
    assert "except recurrent layers, for which cuDNN takes float16" in notes[0]


# ----------------------------------------------------------------------------------- on a GPU that is claimed


def by_steps(patch: pytest.MonkeyPatch, device: Pretended) -> list[int]:
    """How often the host waits in each step that is made from now on."""
    waits, step = [], Run._step

    def counted(*parts: Any) -> Tensor:
        before = device.waits.total()
        value = step(*parts)
        waits.append(device.waits.total() - before)
        return value

    patch.setattr(Run, "_step", counted)
    return waits


#: Waits of a step with dense gradients. How many words a batch has, how many documents visit a tail, and how
#: many candidates below the top of a tree are distinct, is known to the device alone.
WAITS = {"Rank-AE": 1, "Rank-AE, third party": 1, "APLC": 1}
WAITS |= {"AttentionXML tree": 1, "AttentionXML tree of the paper": 1}
#: With sparse ones torch looks twice which rows are padding, and once which are there more than once, in the
#: word vectors as in the queries of a tree; these have no sparse ones.
SPARSE, DENSE = 3, ("BertXML", "Rank-AE", "Rank-AE, third party", "AttentionXML, padding attended")


@pytest.mark.parametrize("optimiser", ["adam", "dense_sparse_adam"])
@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "linear"])
def test_on_a_gpu_no_devices_are_mixed_and_the_host_waits_seldom(
    family: str, optimiser: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And losses and rankings are those on the CPU, where some parts are computed otherwise."""
    how: Any = {"protocol": {"optimiser": optimiser}, "dropout": False}
    expected = train(family, **how)
    with pretended(monkeypatch) as device:
        waits = by_steps(monkeypatch, device)
        result = train(family, device="cuda:0", **how)
    most = WAITS.get(family, 0)
    if optimiser == "dense_sparse_adam" and family not in DENSE:
        most += SPARSE + ("tree" in family)
    assert len(waits) == (4 if "tree" in family else 2) and max(waits) == most
    ours, theirs = ([row["loss"] for row in it.curve] for it in (result, expected))
    assert ours == pytest.approx(theirs, rel=1e-4)
    np.testing.assert_allclose(result.top_scores, expected.top_scores, rtol=1e-3, atol=1e-5)  # type: ignore[arg-type]
    assert any(note.startswith("on a GPU two runs with the same seed can differ") for note in result.notes)


@pytest.mark.parametrize(("family", "stop"), [("AttentionXML", 5), ("AttentionXML tree", 9)])
def test_on_a_gpu_a_run_goes_on_where_it_was_and_what_is_kept_lies_on_the_host(
    family: str, stop: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With all rules: clipping, averaging, the best evaluation, an interruption."""
    rules: Any = {"optimiser": "dense_sparse_adam", "clip": "you2019", "average_from": 1, "epochs": 4}
    rules |= {"select": "best_on_dev", "evaluate": "every_steps", "evaluate_every": 2}
    made: list[Run] = []
    resume = Run._resume

    def seen(run: Run) -> None:
        made.append(run)
        resume(run)

    monkeypatch.setattr(Run, "_resume", seen)
    with pretended(monkeypatch):
        how: Any = {"device": "cuda:0", "protocol": rules}
        whole = train(family, **how)
        path = tmp_path / "state.pt"
        with pytest.raises(Interrupted):
            train(family, **how, watch=Watch(stop=stopping(stop), checkpoint=path))
        resumed = train(family, **how, watch=Watch(checkpoint=path))
    np.testing.assert_array_equal(resumed.top_ids, whole.top_ids)
    np.testing.assert_array_equal(resumed.top_scores, whole.top_scores)
    run = made[-1]
    assert run.best.weights is not None and run.average.means is not None
    assert not any(isinstance(it, OnDevice) for it in (*run.best.weights.values(), *run.average.means))
    states = [state for state in run.optimiser.state.values() if state]
    assert states and all(isinstance(of[name], OnDevice) for of in states for name in ("exp_avg", "step"))


MIXED: list[Callable[[Tensor], Tensor]] = [
    lambda scores: scores + torch.ones(6),
    lambda scores: scores.index_select(1, torch.arange(6)),
    lambda scores: torch.where(torch.ones(6, dtype=torch.bool), scores, 0),
]


@pytest.mark.parametrize("slip", MIXED)
def test_what_mixes_devices_is_refused(slip: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Careless(Bag):
        def forward(self, ids: Tensor) -> Tensor:
            return slip(super().forward(ids))  # type: ignore[no-any-return]

    data = toy_data()
    with pretended(monkeypatch), pytest.raises(RuntimeError, match="to be on the same device"):
        training.train(lambda it: Careless(it, data.n_labels), data, toy_protocol(), seed=0, device="cuda:0")


LOOKS: list[Callable[[Tensor], Any]] = [
    lambda scores: float(scores.sum()),
    lambda scores: scores[scores > 0],
    lambda scores: torch.tensor([1.0, 2.0], device=scores.device),
    lambda scores: scores.nonzero(),
    lambda scores: scores.argmax().tolist(),
    lambda scores: scores.unique(),
    lambda scores: scores.cpu(),
]


@pytest.mark.parametrize("look", LOOKS)
def test_a_wait_for_the_device_is_counted(look: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pretended(monkeypatch) as device:
        scores = torch.zeros(3, 4, device="cuda:0") + 1
        assert device.waits.total() == 0
        look(scores)
        assert device.waits.total() == 1
