"""The experiments of Xun et al. 2020 are those of its sections 5.1, 5.2 and 5.6, and can all be run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from audit.claims.load import Paper, load
from audit.record import RunSpec
from audit.runner import make_plan
from audit.settings import RunSettings
from reimpl.cornet import cornet_blocks
from reimpl.models import find_config, find_model
from reimpl.on_top import base_config
from reimpl.protocol import as_dict

CLAIMS = Path(__file__).parents[2] / "claims" / "xun2020.yaml"
DATA = {"eurlex": 3_956, "amazoncat": 13_330, "wiki500k": 501_008}
BASES = ("xml_cnn", "bert_xml", "mesh_probenet", "attention_xml")
#: AttentionXML did not fit on Wiki-500K (section 5.2.4).
PAIRS = [(base, data) for base in BASES for data in DATA if (base, data) != ("attention_xml", "wiki500k")]


@pytest.fixture(scope="module")
def paper() -> Paper:
    return load(CLAIMS)


def config(paper: Paper, experiment: str) -> Any:
    it = paper.single_experiments[experiment]
    return find_config(find_model(it.model or ""), it.variant, it.config)


@pytest.mark.parametrize(("protocol", "runs"), [("claimed", 28), ("auto", 28)])
def test_every_experiment_can_be_run(paper: Paper, tmp_path: Path, protocol: str, runs: int) -> None:
    """At the paper's sizes and at those of a CPU: no two of the experiments are one run."""
    plan = make_plan(paper, RunSettings(device="cpu", protocol=protocol, seeds=1, store=tmp_path))
    assert [it.id for it in plan.experiments if it.not_run is not None] == []
    assert (len(plan.jobs), len(paper.single_experiments)) == (runs, 28)
    specs = {job.title.removesuffix(" seed 0"): job.spec for job in plan.jobs}
    for name, spec in specs.items():
        _check_protocol(spec, name, reduced=protocol == "auto")


def _check_protocol(spec: RunSpec, name: str, *, reduced: bool) -> None:
    """Section 5.1 and the public configurations: XML-CNN pools over all positions, padding too."""
    data = name.rpartition("-")[2] if "-" in name else "eurlex"
    found = spec.protocol
    assert (found["select_metric"], found["optimiser"]) == ("nDCG@5", "dense_sparse_adam")
    assert found["padding"] == ("length" if "xml_cnn" in name else "batch")
    epochs, batch, start = {"eurlex": (30, 40, 10), "amazoncat": (10, 200, 2), "wiki500k": (15, 200, 4)}[data]
    if reduced:
        # Epochs that are fewer than the 20 of `small` stay, and with them the start of the averaging.
        assert found["average_from"] == (15 if epochs > 20 else start)
    else:
        assert (found["epochs"], found["batch_size"], found["average_from"]) == (epochs, batch, start)
    assert ("keep_from" in found) is (data == "wiki500k")


@pytest.mark.parametrize(("base", "data"), PAIRS)
def test_cornet_is_put_on_the_very_network_without_it(paper: Paper, base: str, data: str) -> None:
    """Sections 5.2.5 to 5.2.8: the same settings, and the same training."""
    alone, with_blocks = (config(paper, f"{name}-{data}") for name in (base, f"cornet_{base}"))
    assert as_dict(base_config(with_blocks)) == as_dict(alone)
    first, second = (paper.single_experiments[f"{name}-{data}"] for name in (base, f"cornet_{base}"))
    assert (first.protocol, first.training, first.recipe) == (second.protocol, second.training, second.recipe)


@pytest.mark.parametrize(("base", "data"), PAIRS)
def test_blocks_are_those_of_the_public_configurations(paper: Paper, base: str, data: str) -> None:
    """Two blocks of R = 1,000; on Wiki-500K of 100, and one of 200 on BertXML."""
    found = config(paper, f"cornet_{base}-{data}")
    expected = (2, 100 if data == "wiki500k" else 1000)
    if (base, data) == ("bert_xml", "wiki500k"):
        expected = (1, 200)
    assert (found.blocks, found.context, found.activation) == (*expected, "sigmoid")
    sizes = {"eurlex": 15_833_912, "amazoncat": 53_348_660, "wiki500k": 201_405_416}
    count = 200_904_408 if (base, data) == ("bert_xml", "wiki500k") else sizes[data]
    with torch.device("meta"):  # shapes without memory
        blocks = cornet_blocks(DATA[data], blocks=found.blocks, context=found.context)
    assert sum(p.numel() for p in blocks.parameters()) == count


def test_networks_have_the_paper_s_sizes(paper: Paper) -> None:
    """Sections 5.2.1 to 5.2.4: 8 pools of 3 x 128 maps, 5 states of 300, 5 probes, 256 or 200 units."""
    xml, bert = config(paper, "xml_cnn-eurlex"), config(paper, "bert_xml-eurlex")
    assert (xml.windows, xml.maps, xml.pools, xml.hidden, xml.dropout_output) == ((2, 4, 8), 128, 8, 512, 0.5)
    assert (bert.hidden, bert.layers, bert.heads, bert.inner, bert.cls_tokens) == (300, 3, 2, 600, 5)
    mesh = config(paper, "mesh_probenet-eurlex")
    assert (mesh.hidden, mesh.layers, mesh.probes, mesh.dropout_states) == (300, 2, 5, 0.5)
    for data, hidden, units in (("eurlex", 256, 256), ("amazoncat", 200, 100)):
        attention = config(paper, f"attention_xml-{data}")
        assert (attention.hidden, attention.fully_connected) == (hidden, (units,))
    for base in ("bert_xml", "mesh_probenet"):
        bottlenecks = [config(paper, f"{base}-{data}").bottleneck for data in DATA]
        assert bottlenecks == [None, None, 512]


def test_the_score_to_be_reached_is_nine_tenths_of_the_lower_printed_one(paper: Paper) -> None:
    """All fifteen claims on Figures 4 to 6, whose curves have no numbers."""
    printed: dict[str, float] = {}
    for table in (it for it in paper.table_records() if it.id in ("t2", "t3", "t4")):
        for cell in (cell for row in table.rows for cell in row.cells if cell.metric == "nDCG@5"):
            printed[cell.experiment or ""] = float(cell.printed or "nan")
    claims = [it for it in paper.claims if it.kind == "convergence"]
    assert len(claims) == 15
    for it in claims:
        lower = min(printed[it.faster], printed[it.slower])
        assert it.target is not None
        assert abs(float(it.target) - 0.9 * lower) < 0.0501


@pytest.mark.parametrize(
    ("key", "labels", "bottleneck"), [("eurlex", 3956, 0), ("amazoncat", 13330, 0), ("wiki500k", 501008, 512)]
)
def test_parameters_that_the_named_changes_add_are_by_formula(
    paper: Paper, key: str, labels: int, bottleneck: int
) -> None:
    """MeSHProbeNet-large against MeSHProbeNet: wider LSTM, one layer and five probes more (section 5.6.1). A
    layer of a bidirectional LSTM with h units a direction on m inputs has 8 (m h + h h + 2 h) numbers."""

    def size(h: int, layers: int, probes: int) -> int:
        lstm = sum(8 * (m * h + h * h + 2 * h) for m in [300, *[2 * h] * (layers - 1)])
        features = 2 * h * probes
        head = (features + 1) * bottleneck if bottleneck else (features + 1) * labels
        return lstm + features + head

    [claim] = [it for it in paper.claims if it.id == f"large-by-the-named-changes-{key}"]
    assert claim.given == {
        "each": size(400, 3, 10) - size(300, 2, 5),
        "both": size(200, 3, 10) - size(150, 2, 5),
    }
