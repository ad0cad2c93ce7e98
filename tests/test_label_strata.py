"""Frequent and rare labels from what runs kept, against the scores from lists and truth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit.judging.documents import label_strata, with_predictions
from audit.record import Audit, PaperInfo, audit_from_json, to_json
from audit.storage.runs import Store
from reimpl.metrics import Truth, by_share, hit_pattern, scores_of_hits
from reports.page import html
from tests.records import make_experiment, make_run

N, L = 60, 12
RNG = np.random.default_rng(3)
TRUTH = Truth.from_lists([set(RNG.integers(0, L, RNG.integers(1, 4)).tolist()) for _ in range(N)], n_labels=L)
TRAIN = np.array([50, 3, 20, 1, 9, 2, 30, 0, 5, 4, 1, 7])
LISTS = {seed: np.argsort(np.random.default_rng(seed).random((N, L)), axis=1)[:, :8] for seed in (0, 1)}


def kept(seed: int, **changes: Any) -> dict[str, Any]:
    arrays = {
        "ids": LISTS[seed],
        **hit_pattern(LISTS[seed], TRUTH),
        "label_train": TRAIN,
        "label_test": np.bincount(TRUTH.labels, minlength=L),
    }
    return {name: it for name, it in {**arrays, **changes}.items() if it is not None}


def test_the_strata_are_the_means_of_the_runs() -> None:
    experiment = make_experiment("words", [make_run(0, 50.0), make_run(1, 51.0)])
    found = label_strata(experiment, {"k0": kept(0), "k1": kept(1)}.get)
    assert found is not None
    assert (found.experiment, found.k, found.runs) == ("words", 5, 2)
    true = np.bincount(TRUTH.labels, minlength=len(TRAIN))
    by_hand = [
        scores_of_hits(LISTS[seed], hit_pattern(LISTS[seed], TRUTH)["hits"], true, by_share(TRAIN), k=5)
        for seed in (0, 1)
    ]
    for it, one, two in zip(found.strata, *by_hand, strict=True):
        assert (it.name, it.labels, it.positives) == (one.name, one.labels, one.true)
        assert it.share_of_precision == pytest.approx((one.share_of_precision + two.share_of_precision) / 2)
        assert it.recall == pytest.approx((one.recall + two.recall) / 2)  # type: ignore[operator]
        assert it.macro_f1 == pytest.approx((one.macro_f1 + two.macro_f1) / 2)  # type: ignore[operator]
    assert sum(it.share for it in found.strata) == pytest.approx(100)


def test_the_parts_of_precision_add_up() -> None:
    found = label_strata(make_experiment("words", [make_run(0, 50.0)]), {"k0": kept(0)}.get)
    assert found is not None
    right = np.array(
        [[label in set(row) for label in top[:5]] for row, top in zip(_rows(), LISTS[0], strict=True)]
    )
    assert sum(it.share_of_precision for it in found.strata) == pytest.approx(100 * right.mean())


def _rows() -> list[list[int]]:
    return [TRUTH.labels[a:b].tolist() for a, b in zip(TRUTH.offsets[:-1], TRUTH.offsets[1:], strict=True)]


def test_failed_runs_are_left_out_and_runs_on_other_labels_are_no_mean() -> None:
    failed = make_run(1, None, status="failed", reason="memory")
    one = label_strata(
        make_experiment("words", [make_run(0, 50.0), failed]), {"k0": kept(0), "k1": kept(1)}.get
    )
    assert one is not None and one.runs == 1
    other = kept(1, label_train=TRAIN[::-1].copy())
    two = make_experiment("words", [make_run(0, 50.0), make_run(1, 51.0)])
    assert label_strata(two, {"k0": kept(0), "k1": other}.get) is None


def test_from_the_store_to_the_page_and_back(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = make_run(0, 50.0)
    run = store.put(replace(run, key=run.spec.key), predictions=kept(0))
    bare = Audit(PaperInfo("p", "P"), (), (make_experiment("words", [run]),), (), ())
    audit = with_predictions(bare, store)
    [found] = audit.strata
    assert audit_from_json(to_json(audit)) == audit
    page, recall = html(audit), found.strata[0].recall
    assert 'id="strata"' in page and f"{recall:.2f}" in page and "part of P@5" in page
    assert 'id="strata"' not in html(bare)
    (tmp_path / f"{run.key}.npz").unlink()
    assert with_predictions(bare, store).strata == ()
