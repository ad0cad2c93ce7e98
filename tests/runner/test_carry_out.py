"""One job becomes one record, whatever happens inside it."""

from __future__ import annotations

import errno
import platform
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from audit.errors import StoreError
from audit.runner.execute import Means, NotMade, carry_out
from audit.storage.runs import Store
from reimpl import xml_cnn
from reimpl.errors import DataError
from reimpl.metrics import of_documents
from reimpl.models import find_config
from reimpl.training import Result
from tests.runner.jobs import content, make_jobs
from tests.toys import stopping

never = stopping()


def silent(done: int, total: int, loss: float | None) -> None:
    pass


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_a_record_holds_what_was_run_on_what_and_what_came_out(tmp_path: Path, store: Store) -> None:
    job = make_jobs(tmp_path)[0]
    run = carry_out(job, Means(store, threads=1), progress=silent, stop=never)
    assert run == store.get(job.spec.key)
    assert (run.status, run.reason, run.spec) == ("done", None, job.spec)
    assert (run.data.n_train, run.data.n_test, run.data.n_labels) == (40, 16, 6)
    assert run.data.fingerprint == job.spec.data
    assert 0 <= run.metrics["P@1"] <= 100
    assert [row["epoch"] for row in run.curve] == [1, 2, 3]
    assert run.margins == {"toy2024": "m"}
    assert run.versions["torch"] == str(torch.__version__)
    assert run.host == platform.node() and run.device.startswith("cpu") and run.threads == 1
    assert run.parameters and run.peak_memory_bytes and run.seconds > 0
    assert run.started and run.finished and run.started <= run.finished
    arrays = store.predictions(run.key)
    assert arrays is not None
    shapes = {name: array.shape for name, array in arrays.items()}
    assert (shapes.pop("ids"), shapes.pop("scores")) == ((16, 6), (16, 6))
    assert np.all(np.diff(arrays["scores"], axis=1) <= 0)
    assert shapes == {"hits": (16,), "true_labels": (16,), "documents_sha256": (32,), "hits_format": (2,)}
    for metric in ("P@1", "P@5", "nDCG@3", "RP@5", "R@1"):  # of single documents, without the data
        assert of_documents(arrays, metric).mean() == pytest.approx(run.metrics[metric])


@pytest.mark.parametrize("damage", [b"", b"not a checkpoint"])
def test_a_damaged_checkpoint_is_dropped_and_the_run_begun_again(tmp_path: Path, damage: bytes) -> None:
    """A power cut must not count as a failed seed of the paper's method."""
    job = make_jobs(tmp_path)[0]
    whole, parts = Store(tmp_path / "whole"), Store(tmp_path / "parts")
    carry_out(job, Means(whole), progress=silent, stop=never)
    with pytest.raises(NotMade, match="stopped"):
        carry_out(job, Means(parts), progress=silent, stop=stopping(7))
    (parts.root / "checkpoints" / job.spec.key / "state.pt").write_bytes(damage)
    carry_out(job, Means(parts), progress=silent, stop=never)
    note = "its checkpoint could not be read, so the run started again"
    assert content(parts, job.spec.key) == {**content(whole, job.spec.key), "notes": (note,)}


def test_a_model_that_trains_itself_is_given_all_that_decides_the_run(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {}

    def train(config: Any, data: Any, protocol: Any, **how: Any) -> Result:
        given.update(how, config=config, protocol=protocol.name, data=data.fingerprint)
        return Result(metrics={}, curve=(), seconds=1.0, peak_memory_bytes=None, parameters=3, reason="no")

    monkeypatch.setattr(xml_cnn, "train", train, raising=False)
    job = make_jobs(tmp_path)[0]
    run = carry_out(job, Means(store), progress=silent, stop=never)
    assert (run.status, run.reason, run.parameters) == ("failed", "no", 3)
    assert given["config"] == find_config(xml_cnn, None, job.spec.config)
    assert (given["seed"], given["device"], given["precision"]) == (job.spec.seed, "cpu", "float32")
    assert (given["protocol"], given["data"]) == (job.spec.protocol["name"], job.spec.data)


# --------------------------------------------------------------------------- failures


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def build(*_: Any, **parts: Any) -> None:
        raise error

    monkeypatch.setattr(xml_cnn, "build", build)


def test_a_fault_inside_a_run_is_a_failed_record_with_the_reason(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = make_jobs(tmp_path)[0]
    failing(monkeypatch, ZeroDivisionError("somewhere"))
    run = carry_out(job, Means(store), progress=silent, stop=never)
    assert (run.status, run.reason) == ("failed", "ZeroDivisionError: somewhere")
    assert (run.metrics, run.predictions) == ({}, None)
    assert run == store.get(job.spec.key)
    assert not (store.root / "checkpoints" / job.spec.key).exists()


def test_a_file_system_that_fails_is_no_outcome_of_the_run(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checkpoint stays, and the run goes on from it."""
    job = make_jobs(tmp_path)[0]
    with pytest.raises(NotMade, match="stopped"):
        carry_out(job, Means(store), progress=silent, stop=stopping(7))
    with monkeypatch.context() as patched:
        failing(patched, OSError(errno.ESTALE, "Stale file handle"))
        with pytest.raises(StoreError, match="Stale file handle; the same command continues"):
            carry_out(job, Means(store), progress=silent, stop=never)
    assert store.has_checkpoint(job.spec.key) and store.get(job.spec.key) is None
    assert carry_out(job, Means(store), progress=silent, stop=never).status == "done"


def test_data_that_have_gone_are_an_error_and_no_record(tmp_path: Path, store: Store) -> None:
    """It says nothing about the run."""
    job = make_jobs(tmp_path)[0]
    lost = replace(job, data=replace(job.data, folder=tmp_path / "nowhere"))
    with pytest.raises(DataError, match="nowhere"):
        carry_out(lost, Means(store), progress=silent, stop=never)
    assert list(store.runs()) == []
