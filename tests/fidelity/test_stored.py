"""Every model passes its gate, on the very numbers of the reference data."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reimpl import fidelity, layers, rank_ae, xml_cnn
from reimpl.protocol import PROTOCOLS
from tests.shared import shared

REFERENCE = Path(fidelity.__file__).parent / "reference" / "stored"
MODELS = sorted(path.parent.name for path in REFERENCE.glob("*/manifest.json"))
MANIFESTS = {model: fidelity.manifest(model) for model in MODELS}
CASES = [(model, case) for model in MODELS for case in MANIFESTS[model]["cases"]]

#: Patterns of the names of our parameters, and what stands for them in the reference data.
NAMES = json.loads(Path(__file__).with_name("names.json").read_text())

#: Gradients of float32 are kept in float64 only; the rest is read by no model, or enters what follows it.
LEFT_OUT = {
    "": r"grad\.|input\.(lengths|parent_scores)|output\.top_",
    "cornet": r"(f64\.)?output\.(feature|bottleneck_output|encoder_states|label_vectors)",
    "mesh_probenet": r"(f64\.)?(loss|grad|output\.logits)|step|input\.labels|weight\.cornet",
    "rank_ae": r".*batches_tracked|(f64\.)?loss\.(positive|negative)_part",
}


@pytest.mark.parametrize("model", [*MODELS, "linear"])
def test_every_check_of_a_model_passes(model: str) -> None:
    checks = fidelity.check(model)
    assert [f"{check.name}: {check.detail}" for check in checks if not check.passed] == []
    names = [check.name for check in checks]
    stored = [case["case"] for of, case in CASES if of == model]
    assert names[: len(stored)] == stored and len(set(names)) == len(names)


@pytest.mark.parametrize(("model", "case"), CASES, ids=lambda it: it if isinstance(it, str) else it["case"])
def test_stored_arrays_and_sources_are_those_of_the_reference_data(model: str, case: Any) -> None:
    """Bit for bit, in the same number formats; every array that is not stored has a reason."""
    found: Counter[str] = Counter()
    with np.load(shared(f"refvec/{case['file']}")) as whole:
        for ours, array in fidelity.arrays(model, case["file"]).items():
            name, mark = _name_of_reference(model, case, ours)
            if "lasagne" in case["case"] and ours.startswith("weight.") and name != "weight.word_embedding":
                name, theirs = _of_lasagne(whole, name, array)
            else:
                theirs = whole[name].T if mark == ".T" else whole[name]
            if theirs.ndim == 4:  # CorNet's kernels (F, 1, k, C)
                theirs = theirs[:, 0].swapaxes(1, 2)
            if array.ndim:
                theirs = theirs[-len(array) :] if mark == "+" else theirs[: len(array)]
            assert array.dtype == theirs.dtype and np.array_equal(array, theirs), ours
            found[name] += array.size
        for name in whole.files:
            if name in found:
                assert found[name] == whole[name].size, name
            else:
                assert re.match(f"{LEFT_OUT['']}|{LEFT_OUT.get(model, '$')}", name), name
    theirs = json.loads(shared("refvec/manifest.json").read_text())["cases"]
    [entry] = [entry for entry in theirs if entry["case"] == case["case"]]
    assert entry["source"] == case["source"] and len(case["source"]["commit"]) == 40


def _name_of_reference(model: str, case: Any, ours: str) -> tuple[str, str]:
    """Its name in the reference data, and `+` (lower rows), `.T` (transposed) or nothing."""
    of_weights = r"((?:f64\.)?(?:weight|state|after_forward|(?:grad|step)\.\w+)\.)(?!input)(.+)"
    parts = re.fullmatch(of_weights, ours)
    if parts is None:
        return ours, ""
    prefix, name = parts.groups()
    patterns = NAMES["aplc" if model == "aplc_xlnet" else model]
    for pattern, theirs in [*patterns, *NAMES.get(case.get("config", {}).get("base"), [])]:
        name = re.sub(pattern, theirs, name)
    plain, mark = re.fullmatch(r"(.+?)(\+|\.T|)", name).groups()  # type: ignore[union-attr]
    return prefix + plain.replace(".", "_"), mark


def _of_lasagne(whole: Any, name: str, ours: Any) -> tuple[str, Any]:
    """Lasagne's matrices are (inputs, outputs), its kernels read backwards, its biases here zero."""
    if name.endswith("_bias"):
        return name, np.zeros_like(ours)
    if "kernel" in name:
        return f"{name}_lasagne", whole[f"{name}_lasagne"][:, :, ::-1]
    return name, whole[name].T


@pytest.mark.parametrize("branch", [0, 10**9], ids=["sparse", "dense"])
def test_gradients_hold_on_both_ways_through_the_pooling(
    monkeypatch: pytest.MonkeyPatch, branch: int
) -> None:
    """The public code's documents of 20 words would only take the dense one."""
    monkeypatch.setattr(layers, "_SPARSE_FROM", branch)
    assert all(check.passed for check in fidelity.check("xml_cnn"))


def test_a_variant_stands_behind_each_case() -> None:
    """Of Kim-CNN and XML-CNN, all named variants are hit that have public code."""
    behind = {case["variant"] for model, case in CASES if model == "xml_cnn"}
    assert set(xml_cnn.VARIANTS) - behind == {"liu2017-paper", "kim2014", "xun2020-paper"}


def test_the_stored_decay_is_that_of_the_protocol() -> None:
    decays = {case.get("weight_decay") for case in MANIFESTS["rank_ae"]["cases"]} - {None}
    assert decays == {PROTOCOLS["rank-ae-third-party"].weight_decay}
    assert rank_ae.VARIANTS["third-party"].loss == "ranking"


def test_the_reference_numbers_are_small() -> None:
    """They travel in every wheel."""
    assert sum(path.stat().st_size for path in REFERENCE.rglob("*.npz")) < 5_000_000
