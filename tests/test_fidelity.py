"""The fidelity gate passes on the models as they are and turns red for each planted mistake."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the usual name
from torch import Tensor, nn

from reimpl import fidelity, layers, losses, optim, xml_cnn
from reimpl.fidelity import Check, MismatchError, check, close, close_after_step
from tests.shared import shared

REFERENCE = Path(fidelity.__file__).parent / "reference" / "xml_cnn"
CASES = [
    "study_kimcnnv2_words",
    "study_xmlcnn_words",
    "study_xmlcnnliu_words",
    "study_xmlcnnliu_nopool_words",
    "study_xmlcnnliu_maxpool_words",
    "study_kimcnnv2_embeddings",
    "study_xmlcnn_embeddings",
    "study_xmlcnnliu_embeddings",
    "study_xmlcnnliu_nopool_embeddings",
    "study_xmlcnnliu_maxpool_embeddings",
    "study_xmlcnn_nohidden",
    "study_liu_from_lasagne_weights",
    "lml_kimcnn",
    "lml_xmlcnn",
    "cornet_base_xmlcnn",
]

#: What a paper says: no code of it is public, or its code does otherwise.
NO_PUBLIC_CODE = {"liu2017-paper", "kim2014", "xun2020-paper"}

Patch = pytest.MonkeyPatch


def red(*names: str) -> set[str]:
    """Those of the named checks of xml_cnn (all, if none is named) that do not pass."""
    if not names:
        return {c.name for c in check("xml_cnn") if not c.passed}
    tests = dict(fidelity._collect("xml_cnn"))  # type: ignore[arg-type]
    return {name for name in names if not fidelity._run("xml_cnn", name, tests[name]).passed}


# ------------------------------------------------------------------------------------- the model as it is


@pytest.fixture(scope="module")
def result() -> tuple[Check, ...]:
    return check("xml_cnn")


def test_all_checks_of_xml_cnn_pass(result: tuple[Check, ...]) -> None:
    """Every one, by name, with what it compared."""
    assert [f"{c.name}: {c.detail}" for c in result if not c.passed] == []
    assert all(c.model == "xml_cnn" and c.detail for c in result)


def test_every_case_of_the_public_code_is_among_them(result: tuple[Check, ...]) -> None:
    """Fifteen reference cases, the sizes, the pools, a second opinion on each sweep, pooling and padding."""
    names = [c.name for c in result]
    assert names[:15] == CASES
    for name in ("feature sizes", "parameter counts", "initial weights", "padding row", "pooled values"):
        assert name in names
    assert sum(name.startswith("numpy forward") for name in names) == 9
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("branch", [0, 10**9], ids=["sparse", "dense"])
def test_the_public_codes_gradients_hold_on_both_ways_through_the_pooling(
    monkeypatch: Patch, branch: int
) -> None:
    """Its documents of 20 words would only take the dense one."""
    monkeypatch.setattr(layers, "_SPARSE_FROM", branch)
    assert red() == set()


def test_a_variant_stands_behind_each_case() -> None:
    """The case certifies a named variant at its own sizes; all variants with public code are hit."""
    cases = json.loads((REFERENCE / "manifest.json").read_text())["cases"]
    assert [c["case"] for c in cases] == CASES
    covered = {c["variant"] for c in cases}
    assert set(xml_cnn.VARIANTS) - covered == NO_PUBLIC_CODE
    for c in cases:
        assert len(c["source"]["commit"]) == 40
        assert c["source"]["repository"].startswith("github.com/")
        assert c["source"]["files"]


@pytest.mark.parametrize("case", CASES)
def test_the_stored_arrays_are_those_of_the_reference_data(case: str) -> None:
    """All, bit for bit, but for the float32 gradients (kept in float64) and the lengths (not read)."""
    with np.load(shared(f"refvec/{case}.npz")) as whole, np.load(REFERENCE / f"{case}.npz") as ours:
        dropped = {n for n in whole.files if n.startswith("grad.") or n == "input.lengths"}
        assert set(ours.files) == set(whole.files) - dropped
        for name in ours.files:
            assert ours[name].dtype == whole[name].dtype
            assert np.array_equal(ours[name], whole[name])


def test_the_sources_are_those_of_the_reference_data() -> None:
    """Repository, commit and files of every case."""
    whole = {c["case"]: c for c in json.loads(shared("refvec/manifest.json").read_text())["cases"]}
    for c in json.loads((REFERENCE / "manifest.json").read_text())["cases"]:
        assert c["source"] == whole[c["case"]]["source"]
        assert set(c["losses"]) == set(whole[c["case"]]["losses"] or {})


def test_the_reference_numbers_are_small() -> None:
    """They travel in every wheel."""
    assert sum(f.stat().st_size for f in REFERENCE.iterdir() if f.is_file()) < 1_500_000


def test_the_gate_disturbs_nobody() -> None:
    """torch's random state, threads, gradient mode and default type stay as they are, and do not matter."""
    torch.manual_seed(5)
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    with torch.no_grad():
        assert red() == set()
        assert not torch.is_grad_enabled()
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == threads
    torch.set_default_dtype(torch.float64)
    try:
        assert red() == set()
    finally:
        torch.set_default_dtype(torch.float32)


# ---------------------------------------------------------------------------------------- planted mistakes


def _config(**changes: Any) -> Callable[[Patch], None]:
    """All named variants with other values of some keys."""

    def plant(patch: Patch) -> None:
        other = {name: replace(config, **changes) for name, config in xml_cnn.VARIANTS.items()}
        patch.setattr(xml_cnn, "VARIANTS", other)

    return plant


def _swapped_sweep(patch: Patch) -> None:
    """Built as told, but the forward pass reads the other axis wherever the shapes allow it."""
    other = {"words": "embeddings", "embeddings": "words"}
    swapped = {name: replace(c, sweep=other[c.sweep]) for name, c in xml_cnn.VARIANTS.items()}
    patch.setattr(xml_cnn, "VARIANTS", swapped)


def _view(patch: Patch) -> None:
    """(B, T, E) read as (B, E, T) and not transposed."""

    def pooled(self: xml_cnn.XMLCNN, x: Tensor, conv: nn.Conv1d) -> Tensor:
        B, swept, channels = x.shape
        if self.config.sweep == "words":
            x = x.reshape(B, channels, swept).transpose(1, 2)
        return original(self, x, conv)

    original = xml_cnn.XMLCNN._pooled
    patch.setattr(xml_cnn.XMLCNN, "_pooled", pooled)


def _pooling(kind: str, other: str) -> Callable[[Patch], None]:
    """One pooling computed where another is configured."""

    def plant(patch: Patch) -> None:
        original = xml_cnn.XMLCNN._pooled

        def pooled(self: xml_cnn.XMLCNN, x: Tensor, conv: nn.Conv1d) -> Tensor:
            if self.config.pooling != kind:
                return original(self, x, conv)
            right = original(self, x, conv)
            convolved = F.conv1d(x.transpose(1, 2), conv.weight, conv.bias, stride=conv.stride)
            if other == "average":
                return F.adaptive_avg_pool1d(convolved, right.shape[2])
            if other == "first":  # of each pair, as if there were no pooling, cut to size
                return convolved[..., : right.shape[2]]
            raise AssertionError(other)

        patch.setattr(xml_cnn.XMLCNN, "_pooled", pooled)

    return plant


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


def _lasagne_kernel_as_it_is(patch: Patch) -> None:
    from reimpl.reference.xml_cnn import public_code

    original = public_code._from_lasagne

    def forgetful(weights: Any) -> dict[str, Any]:
        out = original(weights)
        return {n: a[:, :, ::-1].copy() if n.endswith("_kernel") else a for n, a in out.items()}

    patch.setattr(public_code, "_from_lasagne", forgetful)


def _no_relu(calls: str) -> Callable[[Patch], None]:
    """The ReLU after the convolutions or the one after the hidden layer left out."""

    def plant(patch: Patch) -> None:
        original = F.relu
        hidden = (10, 6)  # units of the hidden layer in the reference cases and the numpy networks

        def relu(x: Tensor) -> Tensor:
            return x if (x.shape[-1] in hidden) == (calls == "hidden") else original(x)

        patch.setattr(F, "relu", relu)

    return plant


def _loss(ours: str, other: str) -> Callable[[Patch], None]:
    return lambda patch: patch.setitem(losses.LOSSES, ours, losses.LOSSES[other])


def _half_gradient(patch: Patch) -> None:
    """The value of the loss is right, its gradient is not."""
    original = losses.LOSSES["bce_mean"]

    def halved(logits: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
        value = original(logits, rows, cols)
        return value / 2 + value.detach() / 2

    patch.setitem(losses.LOSSES, "bce_mean", halved)


def _dropout(change: str) -> Callable[[Patch], None]:
    def plant(patch: Patch) -> None:
        original = F.dropout

        def dropout(x: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
            if change == "words" and x.dim() == 3:
                return x
            if change == "output" and x.dim() == 2:
                return x
            out = original(x, p, training)
            return out * (1 - p) if change == "unscaled" and training else out

        patch.setattr(xml_cnn, "F", _Functional(dropout))

    return plant


class _Functional(ModuleType):
    """torch.nn.functional with another dropout, for one module only."""

    def __init__(self, dropout: Callable[..., Tensor]) -> None:
        super().__init__("functional")
        self.dropout = dropout

    def __getattr__(self, name: str) -> Any:
        return getattr(F, name)


def _dropout_before_the_hidden_layer(patch: Patch) -> None:
    def forward(self: xml_cnn.XMLCNN, ids: Tensor) -> Tensor:
        z = F.dropout(self.features(ids), self.config.dropout_output, self.training)
        if self.hidden is not None:
            z = F.relu(self.hidden(z))
        return self.output(z)

    patch.setattr(xml_cnn.XMLCNN, "forward", forward)


def _padding(freeze: bool) -> Callable[[Patch], None]:
    def plant(patch: Patch) -> None:
        original = xml_cnn.XMLCNN.__init__

        def init(self: xml_cnn.XMLCNN, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs | {"freeze_padding": freeze})

        patch.setattr(xml_cnn.XMLCNN, "__init__", init)

    return plant


def _epsilon_of_torch(patch: Patch) -> None:
    patch.setitem(optim.OPTIMISERS, "lasagne_adam", torch.optim.Adam)


def _epsilon_of_lasagne(patch: Patch) -> None:
    patch.setitem(optim.OPTIMISERS, "adam", optim.LasagneAdam)


def _half_sparse_gradient(patch: Patch) -> None:
    """Half of it, in the backward pass that only long documents take."""
    original = F.embedding_bag

    def bag(ids: Tensor, table: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        kwargs["per_sample_weights"] = kwargs["per_sample_weights"] * 0.5
        return original(ids, table, *args, **kwargs)

    patch.setattr(F, "embedding_bag", bag)


def _no_bias(patch: Patch) -> None:
    original = layers.conv_max_pool
    patch.setattr(xml_cnn, "conv_max_pool", lambda x, w, b, **kwargs: original(x, w, None, **kwargs))


def _initial_weights(change: str) -> Callable[[Patch], None]:
    def plant(patch: Patch) -> None:
        if change == "normal":
            patch.setattr(nn.init, "xavier_uniform_", nn.init.xavier_normal_)
        else:
            patch.setattr(xml_cnn.XMLCNN, "_initialise", lambda self: None)

    return plant


#: Mistake, and some check that has to see it (there may be more).
MISTAKES: dict[str, tuple[Callable[[Patch], None], str]] = {
    "sweeps swapped": (_swapped_sweep, "study_kimcnnv2_words"),
    "all sweep words": (_config(sweep="words"), "study_xmlcnn_embeddings"),
    "all sweep embeddings": (_config(sweep="embeddings"), "study_xmlcnnliu_words"),
    "view for transpose": (_view, "study_xmlcnn_words"),
    "dynamic pooling replaced by one maximum": (_config(pooling="max"), "study_xmlcnn_words"),
    "one maximum replaced by dynamic pooling": (_config(pooling="dynamic"), "study_kimcnnv2_words"),
    "all pools overlap": (_config(pooling="overlapping"), "study_xmlcnn_embeddings"),
    "Eq. (7) replaced by none": (_config(pooling="none"), "study_xmlcnnliu_embeddings"),
    "average for dynamic maximum": (_pooling("dynamic", "average"), "study_xmlcnn_words"),
    "average for maximum": (_pooling("max", "average"), "study_kimcnnv2_embeddings"),
    "no maximum in Eq. (7)": (_pooling("overlapping", "first"), "study_xmlcnnliu_words"),
    "two pools for four": (_config(pools=2), "study_xmlcnn_words"),
    "stride 2 everywhere": (_config(stride=2), "study_kimcnnv2_words"),
    "stride 1 everywhere": (_config(stride=1), "study_xmlcnnliu_embeddings"),
    "position-major flatten": (_position_major, "study_xmlcnn_words"),
    "pools of floor(n / p)": (_bins("floor"), "study_xmlcnn_words"),
    "pools that share nothing": (_bins("even"), "study_xmlcnn_words"),
    "kernel reversed": (_reversed_kernel, "study_kimcnnv2_words"),
    "Lasagne's kernel not reversed": (_lasagne_kernel_as_it_is, "study_liu_from_lasagne_weights"),
    "no ReLU after the convolutions": (_no_relu("features"), "study_xmlcnnliu_nopool_words"),
    "no ReLU after the hidden layer": (_no_relu("hidden"), "study_xmlcnn_words"),
    "bias of the convolution left out": (_no_bias, "study_kimcnnv2_words"),
    "BCE summed over labels": (_loss("bce_mean", "bce_sum_over_labels"), "lml_kimcnn"),
    "softmax loss normalised": (_loss("softmax_ce", "softmax_ce_normalised"), "study_kimcnnv2_words"),
    "half the gradient": (_half_gradient, "lml_xmlcnn"),
    "half the gradient of long documents": (_half_sparse_gradient, "gradients of conv_max_pool, stride 2"),
    "no dropout on the words": (_dropout("words"), "numpy forward, words, dynamic"),
    "no dropout before the output": (_dropout("output"), "numpy forward, embeddings, overlapping"),
    "dropout that does not keep the mean": (_dropout("unscaled"), "numpy forward, words, max"),
    "dropout before the hidden layer": (_dropout_before_the_hidden_layer, "numpy forward, words, none"),
    "padding row trained": (_padding(False), "study_xmlcnn_words"),
    "padding row frozen for all": (_padding(True), "padding row"),
    "torch's epsilon for Lasagne's": (_epsilon_of_torch, "Lasagne's Adam"),
    "Lasagne's epsilon for torch's": (_epsilon_of_lasagne, "study_xmlcnn_words"),
    "normal initial weights": (_initial_weights("normal"), "initial weights"),
    "torch's initial weights for all": (_initial_weights("none"), "initial weights"),
    "all biases zero": (_config(bias="zero"), "initial weights"),
    "hidden layer of another size": (_config(maps=64), "feature sizes"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_turns_the_gate_red(monkeypatch: Patch, mistake: str) -> None:
    """The check named beside it sees it."""
    plant, seen_by = MISTAKES[mistake]
    plant(monkeypatch)
    assert red(seen_by) == {seen_by}


@pytest.mark.parametrize("mistake", ["sweeps swapped", "dynamic pooling replaced by one maximum"])
def test_the_gate_reports_every_check_whatever_breaks(monkeypatch: Patch, mistake: str) -> None:
    """Those that the mistake touches do not pass, with the reason; those beside it still do."""
    names = [c.name for c in check("xml_cnn")]
    plant, seen_by = MISTAKES[mistake]
    plant(monkeypatch)
    result = {c.name: c for c in check("xml_cnn")}
    assert list(result) == names
    assert not result[seen_by].passed
    assert "shape" in result[seen_by].detail  # the public code's weights do not fit
    assert result["Lasagne's Adam"].passed


@pytest.mark.parametrize("name", [n for n in xml_cnn.VARIANTS if n not in NO_PUBLIC_CODE])
@pytest.mark.parametrize("key", ["sweep", "pooling", "stride"])
def test_a_swap_in_any_one_variant_turns_the_gate_red(monkeypatch: Patch, name: str, key: str) -> None:
    """Sweep, pooling or stride of a single named variant: every case that stands behind it."""
    config = xml_cnn.VARIANTS[name]
    other: dict[str, Any] = {
        "sweep": "embeddings" if config.sweep == "words" else "words",
        "pooling": "none" if config.pooling != "none" else "max",
        "stride": 3 - config.stride,
    }
    monkeypatch.setattr(xml_cnn, "VARIANTS", {**xml_cnn.VARIANTS, name: replace(config, **{key: other[key]})})
    cases = json.loads((REFERENCE / "manifest.json").read_text())["cases"]
    behind = {c["case"] for c in cases if c["variant"] == name}
    assert red(*behind) == behind != set()


# ----------------------------------------------------------------------------------- models and their checks


@pytest.mark.parametrize("model", ["no_such_model", "../xml_cnn", "a.b", "", "xml-cnn"])
def test_a_model_without_checks_does_not_pass(model: str) -> None:
    """Nothing known is not nothing wrong, whatever the name."""
    (only,) = check(model)
    assert (only.model, only.passed) == (model, False)
    assert "no fidelity checks" in only.detail


@pytest.fixture
def package(tmp_path: Path, monkeypatch: Patch) -> Iterator[Callable[[str], None]]:
    """Writes the checks of a model called toy_model beside those that ship."""
    import reimpl.reference

    monkeypatch.setattr(reimpl.reference, "__path__", [str(tmp_path), *reimpl.reference.__path__])

    def write(source: str) -> None:
        (tmp_path / "toy_model").mkdir()
        (tmp_path / "toy_model" / "__init__.py").write_text(source)

    yield write
    sys.modules.pop("reimpl.reference.toy_model", None)


def test_a_model_gets_checks_by_a_package_of_its_name(package: Callable[[str], None]) -> None:
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
        ("def checks(): return []", "yields none"),
        ("", "cannot be read: AttributeError"),
        ("import no_such_module", "cannot be read: ModuleNotFoundError"),
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


def test_importing_the_gate_does_not_import_torch() -> None:
    """A report may name a Check without loading a model."""
    import subprocess

    program = "import sys, reimpl.fidelity; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


# ------------------------------------------------------------------------------------------- the comparisons


def test_close_is_relative_to_the_largest_reference_value() -> None:
    """|a - b| / max(1, max |b|): 1e-3 of 200 is 5e-6, 1e-3 of .1 is 1e-3."""
    assert close("x", [200.001, 0], [200.0, 0], tolerance=1e-5) == pytest.approx(5e-6)
    assert close("x", [0.101], [0.1], tolerance=1.1e-3) == pytest.approx(1e-3)
    with pytest.raises(MismatchError, match=r"x departs by 1\.0e-03, more than 1e-05"):
        close("x", [0.101], [0.1], tolerance=1e-5)


@pytest.mark.parametrize("ours", [[float("nan")], [float("inf")], [1.0, 1.0], [[1.0]], 1.0])
def test_not_a_number_and_another_shape_are_never_close(ours: Any) -> None:
    """Nothing is broadcast, and NaN does not slip through a comparison."""
    with pytest.raises(MismatchError):
        close("x", ours, [1.0], tolerance=1e9)


def test_nothing_compared_is_not_close() -> None:
    """Two empty arrays say nothing."""
    with pytest.raises(MismatchError, match="empty"):
        close("x", [], [], tolerance=1)


def test_after_a_step_only_clear_gradients_are_compared() -> None:
    """Noise may go either way, a clear gradient may not, and what has none must not move."""
    before, gradient = np.zeros(3), np.array([1e-9, 1e-3, 0.0])
    reference = np.array([1e-3, -1e-3, 0.0])
    steps = {"before": before, "gradient": gradient}
    assert close_after_step("w", np.array([-1e-3, -1e-3, 0]), reference, **steps) == 0
    with pytest.raises(MismatchError, match=r"departs by 2\.0e-03 after one step"):
        close_after_step("w", np.array([1e-3, 1e-3, 0]), reference, **steps)
    with pytest.raises(MismatchError, match="no gradient"):
        close_after_step("w", np.array([1e-3, -1e-3, 1e-9]), reference, **steps)
    with pytest.raises(MismatchError, match="shape"):
        close_after_step("w", np.zeros(2), reference, **steps)
