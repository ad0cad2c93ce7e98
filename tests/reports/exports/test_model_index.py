"""Our values as model card metadata."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import given, settings

from audit.record import IMPORTED, Audit, Run
from reports.exports.model_index import model_index
from reports.strings import visible
from tests.reports import sample
from tests.reports.exports.hostile import TEXTS, study_saying


def index(audit: Audit) -> list[dict[str, Any]]:
    """As another library reads it."""
    found: list[dict[str, Any]] = yaml.safe_load(model_index(audit))["model-index"]
    return found


def with_runs(*runs: Run) -> Audit:
    audit = sample.tiny()
    return replace(audit, experiments=(replace(audit.experiments[0], runs=runs),))


def test_the_small_audit_by_hand() -> None:
    assert model_index(sample.tiny()) == (
        "model-index:\n"
        "- name: Kim-CNN, words\n"
        "  results:\n"
        "  - task:\n"
        "      type: text-classification\n"
        "      name: extreme multi-label text classification\n"
        "    dataset:\n"
        "      type: eurlex-4k\n"
        "      name: eurlex-4k\n"
        "      split: test\n"
        "      revision: 9f86d081884c7d659a2feaa0c55ad015\n"
        "      args:\n"
        "        recipe: study2022\n"
        "        train: 15449\n"
        "        test: 3865\n"
        "        labels: 3956\n"
        "    metrics:\n"
        "    - type: precision_at_1\n"
        "      value: 75.2\n"
        "      name: P@1, percent (mean of 2 seeds)\n"
        "      args:\n"
        "        seeds:\n"
        "        - 0\n"
        "        - 1\n"
        "        protocol: chen2022\n"
        "        standard_deviation: 0.1414\n"
    )


def test_only_what_was_measured_here_is_there() -> None:
    """No printed number, no experiment without a run, no imported one, no metric of a lost run."""
    text = model_index(sample.study())
    assert "75.83" not in text and "Mimic of the public code" not in text
    assert len(index(sample.study())) == 6
    done = sample.tiny().experiments[0].runs[0]
    spec = replace(done.spec, model=IMPORTED, protocol={"name": IMPORTED})
    assert index(with_runs(replace(done, spec=spec))) == []
    assert index(sample.untested()) == []
    assert model_index(sample.empty()) == "model-index: []\n"


def test_one_seed_has_no_deviation() -> None:
    (entry,) = index(with_runs(sample.tiny().experiments[0].runs[0]))
    (metric,) = entry["results"][0]["metrics"]
    assert metric["name"] == "P@1, percent (one seed)"
    assert "standard_deviation" not in metric["args"]


def test_each_corpus_has_a_result_of_its_own() -> None:
    first, second, _ = sample.tiny().experiments[0].runs
    other = replace(second, data=replace(second.data, name="synthetic", fingerprint="f"))
    (entry,) = index(with_runs(first, other))
    assert [it["dataset"]["type"] for it in entry["results"]] == ["eurlex-4k", "synthetic"]
    assert [it["metrics"][0]["value"] for it in entry["results"]] == [75.1, 75.3]


@pytest.mark.parametrize(
    ("metric", "kind"),
    [
        ("nDCG@3", "ndcg_at_3"),
        ("PSP@5", "propensity_scored_precision_at_5"),
        ("R@10", "recall_at_10"),
        ("macro-F1", "macro_f1"),
    ],
)
def test_metrics_have_a_type_in_words(metric: str, kind: str) -> None:
    (entry,) = index(with_runs(replace(sample.tiny().experiments[0].runs[0], metrics={metric: 50.0})))
    assert entry["results"][0]["metrics"][0]["type"] == kind


@settings(deadline=None, max_examples=40)
@given(TEXTS)
def test_text_comes_back_as_it_is_shown_on_one_line(text: str) -> None:
    one_line = " ".join(visible(text).split())
    for entry in index(study_saying(text)):
        (result,) = entry["results"]
        assert result["dataset"]["name"] == one_line
        assert re.fullmatch("[a-z0-9-]+", result["dataset"]["type"])
        assert result["metrics"][0]["args"]["protocol"] == one_line
        assert entry["name"] == one_line or not text


def test_the_hub_s_own_reader_takes_it() -> None:
    cards = pytest.importorskip("huggingface_hub.repocard_data", reason="needs huggingface_hub")
    entries = index(sample.study())
    for entry in entries:
        _, results = cards.model_index_to_eval_results([entry])
        assert [it.metric_type for it in results] == ["precision_at_1", "precision_at_3", "precision_at_5"]
        assert [it.metric_value for it in results] == [it["value"] for it in entry["results"][0]["metrics"]]
