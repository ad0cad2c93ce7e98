"""Rankings of several models become one, by the public code's rule and by the mean."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reimpl.data.dataset import Dataset
from reimpl.training import Interrupted, Result, Watch
from reimpl.tree_training import join, seeds, train_ensemble
from tests.shared import shared
from tests.toys import toy_data, toy_protocol


def lists(*documents: dict[int, float]) -> tuple[Any, Any]:
    """Rankings of label -> score, written best first."""
    ids = np.array([list(it) for it in documents], dtype=np.int32)
    return ids, np.array([list(it.values()) for it in documents])


def test_the_public_codes_ensembles_come_out_the_same() -> None:
    """Ten of yourh/AttentionXML, with ties in one."""
    cases = json.loads(shared("refdyn/05_trees.json").read_text())["ensemble"]
    assert len(cases) == 10
    for case in cases:
        ids, scores = (list(np.array(case[name])) for name in ("labels", "scores"))
        joined, total = join(ids, scores, keep=np.array(case["ensemble_labels"]).shape[1])
        np.testing.assert_array_equal(joined, case["ensemble_labels"])
        np.testing.assert_allclose(total, case["ensemble_scores"], rtol=0, atol=1e-9)


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 6), st.integers(0, 10**6))
def test_joining_is_that_of_a_dictionary(models: int, documents: int, K: int, seed: int) -> None:
    """The rule as it is said: add up in the order of ranks and models, then sort, stably, falling."""
    rng = np.random.default_rng(seed)
    ids = [np.stack([rng.permutation(8)[:K] for _ in range(documents)]) for _ in range(models)]
    scores = [np.sort(rng.integers(0, 4, (documents, K)) / 4)[:, ::-1] for _ in range(models)]
    joined, total = join(ids, scores, keep=5)
    for row in range(documents):
        sums: dict[int, float] = {}
        for rank in range(K):
            for model in range(models):
                label = int(ids[model][row, rank])
                sums[label] = sums.get(label, 0.0) + scores[model][row, rank]
        best = sorted(sums.items(), key=lambda item: -item[1])[:5]
        best += [(-1, 0.0)] * (5 - len(best))
        assert list(zip(joined[row].tolist(), total[row].tolist(), strict=True)) == best


@dataclass
class Trained:
    """Stands in for the training of one model: what it ranks is given, what it was asked for is kept."""

    rankings: list[dict[int, float]]
    fails_at: int | None = None
    stops_at: int | None = None

    def __post_init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def __call__(self, config: Any, data: Dataset, protocol: Any, **how: Any) -> Result:
        number = len(self.asked)
        self.asked.append(how)
        how["watch"].progress(3, 10, 0.5)
        if number == self.stops_at:
            raise Interrupted
        ids, scores = lists(*[self.rankings[number % len(self.rankings)]] * data.test.size)
        result = Result(
            metrics={"P@1": 1.0},
            curve=({"epoch": 1.0, "loss": float(number)},),
            seconds=2.0,
            prediction_seconds=0.5,
            peak_memory_bytes=100 * (number + 1),
            parameters=7,
            top_ids=ids,
            top_scores=scores,
            notes=("alike", f"note {number}"),
        )
        if number == self.fails_at:
            return replace(result, metrics={}, top_ids=None, top_scores=None, reason="no memory")
        return result


@dataclass(frozen=True)
class Settings:
    hidden: int = 8


RANKINGS = [{0: 0.9, 1: 0.8, 2: 0.1}, {3: 0.7, 0: 0.6, 4: 0.2}]


def train(one: Trained, models: int = 2, **options: Any) -> Result:
    given: dict[str, Any] = {"rule": "sum", "seed": 5, "device": "cpu", "precision": "float32"}
    given |= {"watch": Watch(), **options}
    config = given.pop("config", Settings())
    return train_ensemble(one, config, toy_data(), toy_protocol(), models=models, **given)


def test_an_ensemble_is_the_joined_rankings_of_models_with_seeds_of_their_own() -> None:
    """Costs add up, the peak is the highest, and metrics are those of the joined ranking."""
    one, told = Trained(RANKINGS), []
    result = train(one, watch=Watch(progress=lambda *it: told.append(it)))
    assert [it["seed"] for it in one.asked] == seeds(5, 2)
    assert {it["keep"] for it in one.asked} == {6}
    assert result.top_ids is not None and result.top_scores is not None
    assert result.top_ids[0].tolist() == [0, 1, 3, 4, 2, -1]
    np.testing.assert_allclose(result.top_scores[0], [1.5, 0.8, 0.7, 0.2, 0.1, 0], rtol=1e-6)
    truth = toy_data().test.labels(6).toarray()
    assert result.metrics["P@1"] == pytest.approx(100 * truth[:, 0].mean())
    assert (result.parameters, result.peak_memory_bytes) == (14, 200)
    assert result.seconds >= 4
    assert result.prediction_seconds is not None and 1 <= result.prediction_seconds < 2
    assert [(row["model"], row["loss"]) for row in result.curve] == [(1, 0), (2, 1)]
    assert result.notes == ("alike", "note 0", "note 1")
    assert told == [(3, 20, 0.5), (13, 20, 0.5)]


def test_models_that_are_done_are_not_trained_again_after_an_interruption(tmp_path: Path) -> None:
    """The files lie beside the checkpoint, each model's under a name of its own."""
    watch = Watch(checkpoint=tmp_path / "state.pt")
    whole = train(Trained(RANKINGS))
    stopped = Trained(RANKINGS, stops_at=1)
    with pytest.raises(Interrupted):
        train(stopped, watch=watch)
    stems = {it["watch"].checkpoint.stem for it in stopped.asked}
    assert len(stems) == 2 and all(it["watch"].checkpoint.parent == tmp_path for it in stopped.asked)
    again = Trained([RANKINGS[1]])
    result = train(again, watch=watch)
    assert [it["seed"] for it in again.asked] == seeds(5, 2)[1:]
    assert result.top_ids is not None and whole.top_ids is not None
    np.testing.assert_array_equal(result.top_ids, whole.top_ids)
    assert result.metrics == whole.metrics
    assert result.notes[:2] == ("alike", "note 0")
