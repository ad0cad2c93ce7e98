"""What single test documents say of a comparison, from what runs keep beside their records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from audit.judging.assemble import is_judged_by
from audit.judging.documents import instance_evidence, with_instances
from audit.record import Audit, ClaimRecord, ExperimentRecord, InstanceEvidence, audit_from_json, to_json
from audit.storage.runs import Store
from reimpl.metrics import Truth, hit_pattern
from tests.explaining.cases import audited, made
from tests.records import make_experiment, make_run

N = 40
TRUTH = Truth.from_lists([[k % 5] for k in range(N)], n_labels=6)
NOBODY = 5
"""A label that no document has."""


def scored(right: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    ids = np.where(right, TRUTH.labels, NOBODY)[:, None]
    return hit_pattern(ids, TRUTH)


class Suite:
    """Arms of runs, with what each document came to."""

    def __init__(self, **arms: Sequence[NDArray[np.bool_]]) -> None:
        self.right = arms
        self.kept: dict[str, dict[str, NDArray[Any]]] = {}
        self.experiments: list[ExperimentRecord] = []
        for name, seeds in arms.items():
            runs = []
            for k, right in enumerate(seeds):
                self.kept[f"{name}{k}"] = scored(right)
                runs.append(make_run(k, 100.0 * float(right.mean()), key=f"{name}{k}"))
            self.experiments.append(make_experiment(name, runs))

    def audit(self, *claims: ClaimRecord) -> Audit:
        return audited(claims or [made("order", printed=())], self.experiments)

    def evidence(self, *claims: ClaimRecord) -> InstanceEvidence:
        (found,) = instance_evidence(self.audit(*claims), self.kept.get).values()
        return found


def drawn(rate: float, seeds: int, start: int) -> list[NDArray[np.bool_]]:
    rng = np.random.default_rng(start)
    return [rng.random(N) < rate for _ in range(seeds)]


@pytest.fixture
def suite() -> Suite:
    return Suite(a=drawn(0.8, 3, 1), b=drawn(0.6, 4, 2))


def points(rights: Sequence[NDArray[np.bool_]]) -> NDArray[np.float64]:
    return 100.0 * np.stack(rights).astype(float)


def test_difference_and_spread_over_documents(suite: Suite) -> None:
    """Means over seeds first, then over documents; the SD is that of the documents' differences."""
    a, b = points(suite.right["a"]), points(suite.right["b"])
    gaps = a.mean(axis=0) - b.mean(axis=0)
    found = suite.evidence()
    assert found.documents == N
    assert found.difference == pytest.approx(gaps.mean())
    assert found.sd_documents == pytest.approx(gaps.std(ddof=1))


def test_only_seeds_of_the_verdict_count(suite: Suite) -> None:
    """A verdict of an earlier look rests on fewer seeds, and so does its evidence."""
    audit = suite.audit()
    (verdict,) = audit.verdicts
    early = replace(verdict, seeds=((0, 1), (0, 1)))
    (found,) = instance_evidence(replace(audit, verdicts=(early,)), suite.kept.get).values()
    assert [pair.seeds for pair in found.pairs] == [(0, 0), (1, 1)]
    a, b = (points(suite.right[name][:2]).mean() for name in ("a", "b"))
    assert found.difference == pytest.approx(a - b)


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        (made("value"), {}),
        (made("order", printed=(), metric="PSP@1"), {}),
        (made("order", printed=()), {"a1": None}),
        (made("order", printed=()), {"b0": hit_pattern(np.zeros((N, 1), int), Truth.from_lists([[1]] * N))}),
    ],
)
def test_where_there_is_no_evidence(suite: Suite, claim: ClaimRecord, change: dict[str, Any]) -> None:
    """What is about no two arms, what no run kept, and what was scored on other documents has none."""
    suite.kept |= change
    suite.experiments = [
        replace(
            it,
            runs=tuple(replace(run, metrics={**run.metrics, "PSP@1": 50.0, "P@3": 50.0}) for run in it.runs),
        )
        for it in suite.experiments
    ]
    assert instance_evidence(suite.audit(claim), suite.kept.get) == {}


def stored(suite: Suite, store: Store) -> Audit:
    """The audit of the suite's runs, which are in the store with what they kept."""
    experiments = []
    for it in suite.experiments:
        runs = []
        for run in it.runs:
            spec = replace(run.spec, config={"arm": it.id})
            kept = suite.kept[run.key]
            runs.append(store.put(replace(run, spec=spec, key=spec.key), predictions=kept))
        experiments.append(replace(it, runs=tuple(runs)))
    return audited([made("order", printed=())], experiments)


def test_an_audit_keeps_it(suite: Suite, tmp_path: Path) -> None:
    """From the store into the record and back; a file that is gone is passed over, and the verdicts stand."""
    store = Store(tmp_path)
    audit = stored(suite, store)
    found = with_instances(audit, store)
    assert found.instances == {"the-order:P@1": suite.evidence()}
    assert audit_from_json(to_json(found)) == found
    assert is_judged_by(found)
    (tmp_path / f"{audit.experiments[0].runs[0].key}.npz").unlink()
    assert with_instances(audit, store).instances == {}
