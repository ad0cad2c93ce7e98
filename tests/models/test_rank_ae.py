"""Rank-AE: words, batch normalisation, training, resuming."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse
from torch import Tensor

from reimpl import rank_ae
from reimpl.data.dataset import Dataset, Split
from reimpl.protocol import Protocol
from reimpl.rank_ae import VARIANTS, Config, build
from reimpl.training import Result, Run
from tests.toys import toy_data, toy_protocol

Patch = pytest.MonkeyPatch
D, L = 9, 6


def small(variant: str = "paper", **changes: Any) -> Config:
    return replace(VARIANTS[variant], **{"encoder": 7, "hidden": 4, "embedding": 8, **changes})


def featured(n_train: int = 23, n_test: int = 11, seed: int = 0) -> Dataset:
    """Documents of weighted features, whose labels follow from them; the last has none of either."""
    rng = np.random.default_rng(seed)
    wanted = rng.integers(0, D, (L, 2))

    def part(n: int) -> Split:
        X = rng.random((n, D)) * (rng.random((n, D)) < 0.5)
        X[-1] = 0
        has = X[:, wanted].sum(axis=2) > 0.7
        split = Split.from_lists([[]] * n, [np.flatnonzero(row).tolist() for row in has])
        return replace(split, features=sparse.csr_matrix(X, dtype=np.float32))

    return toy_data(train=part(n_train), test=part(n_test))


def run(config: Config, data: Dataset, protocol: Protocol | None = None, **options: Any) -> Result:
    return rank_ae.train(config, data, protocol or toy_protocol(padding="batch"), seed=1, **options)


@pytest.mark.parametrize(
    ("norm_epochs", "moves"),
    [(None, [True, True, True]), (1, [True, False, False]), (2, [True, True, False])],
)
def test_batch_normalisation_is_frozen_after_its_epochs(
    monkeypatch: Patch, norm_epochs: int | None, moves: list[bool]
) -> None:
    """The third party's is after the first; the running values stay from there on."""
    seen: list[Tensor] = []
    one_epoch = Run._one_epoch

    def watched(self: Run) -> None:
        one_epoch(self)
        norm = self.network.encoder_norm
        assert norm is not None and norm.running_mean is not None
        seen.append(norm.running_mean.clone())

    monkeypatch.setattr(Run, "_one_epoch", watched)
    run(small("third-party", norm_epochs=norm_epochs), featured())
    before = [torch.zeros_like(seen[0]), *seen]
    assert [not torch.equal(a, b) for a, b in zip(before, seen, strict=False)] == moves


def test_parts_of_a_batch_have_the_gradient_of_the_whole(monkeypatch: Patch) -> None:
    """Without batch normalisation, whose statistics are those of a part."""
    whole = run(small(), featured())
    init = Run.__init__

    def halved(self: Run, *given: Any, **how: Any) -> None:
        init(self, *given, **how)
        self.micro_batch = 2

    monkeypatch.setattr(Run, "__init__", halved)
    parts = run(small(), featured())
    assert [it["loss"] for it in parts.curve] == pytest.approx([it["loss"] for it in whole.curve], rel=1e-4)


def test_the_attention_has_as_many_units_as_asked_for() -> None:
    """The third party's 5 for vectors of 14, which no reduction gives."""
    net = build(replace(VARIANTS["paper"], attention_units=5), vectors=torch.randn(7, 14), labels=3)
    assert net.attention is not None and net.attention.reduce.out_features == 5
