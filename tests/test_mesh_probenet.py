"""MeSHProbeNet: the gate turns red for planted mistakes; sizes, refusals and training."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

from reimpl import fidelity, mesh_probenet, recurrent
from reimpl.errors import ConfigError
from reimpl.fidelity import check
from reimpl.mesh_probenet import VARIANTS, Config, MeSHProbeNet, build
from reimpl.models import find_config, known_variants, reduced_config
from reimpl.training import train
from tests.shared import shared
from tests.toys import toy_data, toy_protocol

Patch = pytest.MonkeyPatch
REFERENCE = Path(fidelity.__file__).parent / "reference" / "mesh_probenet"
CASES = ["cornet_base_meshprobenet", "cornet_meshprobenet_bottleneck"]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def network(**changes: Any) -> MeSHProbeNet:
    """Small, in evaluation mode; ten words of seven components, padding 0."""
    torch.manual_seed(2)
    config = replace(VARIANTS["code"], hidden=6, **changes)
    return MeSHProbeNet(config, vectors=torch.randn(10, 7), labels=4).eval()


# -------------------------------------------------------------------------------------------- the gate


def red(*names: str) -> set[str]:
    tests = dict(fidelity._collect("mesh_probenet"))  # type: ignore[arg-type]
    return {name for name in names if not fidelity._run("mesh_probenet", name, tests[name]).passed}


def test_all_checks_pass_and_the_public_codes_cases_are_among_them() -> None:
    checks = check("mesh_probenet")
    assert [f"{c.name}: {c.detail}" for c in checks if not c.passed] == []
    assert [c.name for c in checks][: len(CASES)] == CASES


@pytest.mark.parametrize("case", CASES)
def test_the_stored_arrays_are_those_of_the_reference_data(case: str) -> None:
    """Bit for bit, but for float32 gradients and lengths; with a bottleneck, up to CorNet's blocks."""
    with np.load(shared(f"refvec/{case}.npz")) as whole, np.load(REFERENCE / f"{case}.npz") as ours:
        kept = {n for n in whole.files if not n.startswith("grad.") and n != "input.lengths"}
        if "bottleneck" in case:
            behind = ("loss", "step", "f64.loss", "f64.grad", "input.labels", "weight.cornet")
            kept -= {n for n in kept if n.startswith(behind) or n.endswith("output.logits")}
        assert set(ours.files) == kept
        for name in ours.files:
            assert ours[name].dtype == whole[name].dtype
            assert np.array_equal(ours[name], whole[name])


def test_the_sources_are_those_of_the_reference_data() -> None:
    whole = {c["case"]: c for c in json.loads(shared("refvec/manifest.json").read_text())["cases"]}
    for c in json.loads((REFERENCE / "manifest.json").read_text())["cases"]:
        assert c["source"] == whole[c["case"]]["source"]


def swapped_starts(patch: Patch) -> None:
    start = recurrent.BiLSTM._start
    patch.setattr(recurrent.BiLSTM, "_start", lambda self, row, x: start(self, row, x)[::-1])


def dropout_between_layers(patch: Patch) -> None:
    read = recurrent.BiLSTM._read

    def other(self: Any, lstm: nn.LSTM, x: Tensor, row: int, cuts: Any) -> Tensor:
        return read(self, lstm, F.dropout(x, 0.5, self.training) if row >= 2 else x, row, cuts)

    patch.setattr(recurrent.BiLSTM, "_read", other)


def mask_missing(patch: Patch) -> None:
    attend = mesh_probenet.attend
    patch.setattr(mesh_probenet, "attend", lambda states, words, queries: attend(states, None, queries))


def contexts_component_by_component(patch: Patch) -> None:
    """What the probes see, laid out by component and then by probe."""
    attend = mesh_probenet.attend
    patch.setattr(mesh_probenet, "attend", lambda *it: attend(*it).transpose(1, 2))


def relu_behind_the_bottleneck(patch: Patch) -> None:
    patch.setattr(mesh_probenet.F, "elu", F.relu)


def no_activation_behind_the_bottleneck(patch: Patch) -> None:
    patch.setattr(mesh_probenet.F, "elu", lambda z: z)


def biased_probes(patch: Patch) -> None:
    made = MeSHProbeNet.__init__

    def other(self: Any, config: Config, **options: Any) -> None:
        made(self, config, **options)
        self.probes.bias = nn.Parameter(torch.zeros(config.probes))

    patch.setattr(MeSHProbeNet, "__init__", other)


@pytest.mark.parametrize(
    ("mistake", "seen_by"),
    [
        (swapped_starts, {"cornet_base_meshprobenet", "numpy forward, code"}),
        (dropout_between_layers, {"numpy forward, code", "numpy forward, large"}),
        (mask_missing, {*CASES, "numpy forward, paper", "padding"}),
        (contexts_component_by_component, {*CASES, "numpy forward, code"}),
        (relu_behind_the_bottleneck, {"cornet_meshprobenet_bottleneck", "numpy forward, code"}),
        (no_activation_behind_the_bottleneck, {"cornet_meshprobenet_bottleneck", "numpy forward, code"}),
        (biased_probes, {"parameter counts"}),
    ],
    ids=lambda it: it.__name__ if callable(it) else "",
)
def test_a_planted_mistake_turns_the_gate_red(
    monkeypatch: Patch, mistake: Callable[[Patch], None], seen_by: set[str]
) -> None:
    mistake(monkeypatch)
    assert red(*seen_by) == seen_by


@pytest.mark.parametrize("change", [{"layers": 1}, {"start": "zero"}])
def test_a_variant_that_is_another_turns_the_gate_red(monkeypatch: Patch, change: dict[str, Any]) -> None:
    other = {**VARIANTS, "code": replace(VARIANTS["code"], **change)}
    monkeypatch.setattr("reimpl.reference.mesh_probenet.by_hand.VARIANTS", other)
    monkeypatch.setattr("reimpl.reference.mesh_probenet.public_code.VARIANTS", other)
    assert red(*CASES, "parameter counts") == {*CASES, "parameter counts"}


# ------------------------------------------------------------------------------------------- the network


@pytest.mark.parametrize("bottleneck", [None, 3])
def test_features_stand_probe_after_probe(bottleneck: int | None) -> None:
    """Two probes that are exchanged exchange the halves of what enters the next layer."""
    net, ids = network(probes=2, bottleneck=bottleneck), torch.tensor([[3, 4, 5, 0]])
    before = net.features(ids)
    assert before.shape == (1, 24)
    net.probes.weight.data = net.probes.weight.data.flip(0)
    torch.testing.assert_close(net.features(ids), before.roll(12, dims=1), rtol=0, atol=1e-7)
    assert net(ids).shape == (1, 4)


def test_padding_and_neighbours_change_nothing() -> None:
    net = network()
    alone = net(torch.tensor([[3, 4, 5]]))
    beside = net(torch.tensor([[3, 4, 5, 0, 0, 0, 0], [6, 7, 8, 9, 3, 0, 0]]))[:1]
    torch.testing.assert_close(beside, alone, rtol=0, atol=1e-6)


def test_a_document_without_words_has_scores() -> None:
    assert network()(torch.tensor([[0, 0, 0], [3, 4, 0]])).isfinite().all()


@pytest.mark.parametrize("train_vectors", [True, False])
def test_word_vectors_are_trained_or_frozen(train_vectors: bool) -> None:
    net = network(train_vectors=train_vectors)
    net(torch.tensor([[1, 2, 0]])).sum().backward()
    grad = net.embedding.weight.grad
    assert (grad is not None) == train_vectors
    assert grad is None or grad.any(dim=1).nonzero().flatten().tolist() == [1, 2]


# ------------------------------------------------------------------------- configurations and training


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": "random"}, "start must be one of 'learned', 'zero', not 'random'"),
        ({"hidden": 0}, "hidden must be a whole number from 1, not 0"),
        ({"probes": 2.0}, "probes must be a whole number from 1, not 2.0"),
        ({"bottleneck": 0}, "bottleneck must be a whole number from 1, or null for none, not 0"),
        ({"train_vectors": 1}, "train_vectors must be true or false, not 1"),
        ({"dropout_embedding": 1}, r"dropout_embedding must be a number in \[0, 1\), not 1"),
        ({"loss": "hinge"}, "loss 'hinge' is not known"),
    ],
)
def test_a_value_that_cannot_be_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Config(**change)


def test_a_claim_file_names_variants_and_changes_keys() -> None:
    assert known_variants("mesh_probenet") == ("code", "paper", "large")
    config = find_config(mesh_probenet, "code", {"bottleneck": 512, "train_vectors": False})
    assert config == Config(bottleneck=512, train_vectors=False)


def test_variants_differ_as_paper_and_public_code_do() -> None:
    """Sizes of sections 5.2.3 and 5.6.1 (the large one); starts and dropout on the words are the code's."""
    told = {
        name: (it.hidden, it.layers, it.probes, it.start, it.dropout_embedding, it.dropout_states)
        for name, it in VARIANTS.items()
    }
    assert told == {
        "code": (300, 2, 5, "learned", 0.2, 0.5),
        "paper": (300, 2, 5, "zero", 0.0, 0.5),
        "large": (400, 3, 10, "learned", 0.2, 0.5),
    }


def test_reduced_sizes_keep_the_choices() -> None:
    """The large network stays larger than the other, and no bottleneck comes where there is none."""
    small = {name: reduced_config(mesh_probenet, it, {}) for name, it in VARIANTS.items()}
    assert small["code"].bottleneck is None and small["code"].hidden < 64
    assert (small["large"].layers, small["large"].probes) == (3, 10)
    assert small["paper"].start == "zero"
    assert reduced_config(mesh_probenet, Config(bottleneck=512), {}).bottleneck == 64


@pytest.mark.parametrize("optimiser", ["adam", "dense_sparse_adam"])
def test_it_trains_and_ranks(optimiser: Any) -> None:
    data, config = toy_data(), Config(hidden=4, probes=2, bottleneck=5)

    def made(vectors: Tensor) -> nn.Module:
        return build(config, vectors=vectors, labels=6, length=9, padding_id=0, freeze_padding=True)

    protocol = toy_protocol(padding="batch", optimiser=optimiser)
    result = train(made, data, protocol, loss_name=config.loss, seed=1)
    assert not result.failed
    losses = [row["loss"] for row in result.curve]
    assert losses[-1] < losses[0]
    assert result.parameters == config.parameter_count(vocabulary=12, dimension=4, labels=6)
