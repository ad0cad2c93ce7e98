"""Parabel and Bonsai (2018, 2020): label trees with linear classifiers, trained by tomtung/omikuji (MIT).

Parabel (Prabhu et al. 2018): balanced 2-means of the labels' mean documents down to 100 labels. Bonsai
(Khandagale et al. 2019): 100-means without balance, three levels deep. Both: three trees, L2-regularised
squared hinge loss at C = 1, weights below 0.1 are 0, a beam of 10 paths. Its README compares it with both
papers' programs on EURLex-4K and two larger corpora: P@k agree to 0.2. The library draws from a generator
without a seed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np
import torch
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from reimpl.baselines.libraries import at_work, lacking, result
from reimpl.batching import Weights, word_weights
from reimpl.data.dataset import Dataset
from reimpl.errors import ConfigError
from reimpl.protocol import Protocol, check
from reimpl.training import How, Result, kept

#: What of a corpus it can learn from, the better one first.
TAKES = ("features", "texts")
NO_SEED = "the library takes no seed: runs differ by its own randomness and cannot be repeated exactly"


@dataclass(frozen=True)
class Config:
    loss: Literal["squared_hinge", "logistic"] = "squared_hinge"
    trees: int = 3
    ways: int = 2
    """Number of clusters that a node's labels are split into."""
    balanced: bool = True
    """Whether the clusters of a node have equal sizes."""
    cluster_size: int = 100
    """A node with this many labels or fewer is not split."""
    depth: int = 20
    """Maximum number of levels of a tree."""
    C: float = 1.0
    """Weight of the losses against the regulariser."""
    prune: float = 0.1
    """Weights with a smaller absolute value become 0."""
    beam: int = 10
    """Beam width: nodes of a level that are followed for a document."""
    weights: Weights = "given"
    """As the corpus has them; 1 for each; or count * (1 + ln((1 + N) / (1 + documents with the feature)))."""

    def __post_init__(self) -> None:
        check(self)
        for name, least in (("C", 1e-9), ("prune", 0.0)):
            if not least <= getattr(self, name) < float("inf"):
                raise ConfigError(f"omikuji: {name} must be {least:g} or more, not {getattr(self, name)!r}")


VARIANTS = {"parabel": Config(), "bonsai": Config(ways=100, balanced=False, depth=3)}


def missing(config: Config) -> str | None:
    """What this machine lacks, and how to get it; None where all is there."""
    return lacking("omikuji")


def train(config: Config, data: Dataset, protocol: Protocol, **how: Unpack[How]) -> Result:
    """Seed, protocol and device decide nothing. Raises `Interrupted` before it begins."""
    from omikuji import LossType, Model

    began, threads = time.perf_counter(), torch.get_num_threads()
    inputs = word_weights(data, config.weights, normalise=True)
    X, X_test = inputs.of(data.train), inputs.of(data.test)
    with at_work(how.get("watch")) as folder:
        keys: Any = Model.default_hyper_param()
        logistic = config.loss == "logistic"
        keys.linear_loss_type = (LossType.LOG if logistic else LossType.HINGE).value
        keys.n_trees, keys.max_depth, keys.min_branch_size = config.trees, config.depth, config.cluster_size
        keys.cluster_k, keys.cluster_balanced = config.ways, config.balanced
        keys.linear_c, keys.linear_weight_threshold = config.C, config.prune
        model = Model.train_on_data(written(folder / "train", X, data), keys, n_threads=threads)
        model.init_prediction_thread_pool(threads)
        model.densify_weights()  # half the time of a prediction
    trained = time.perf_counter()
    return result(
        data,
        _rankings(model, X_test, config.beam, kept(data)),
        began=began,
        trained=trained,
        notes=(NO_SEED,),
    )


def written(path: Path, X: sparse.csr_matrix, data: Dataset) -> str:
    """The training documents as a file of the Extreme Classification Repository, which the library reads."""
    with path.open("wb") as file:
        file.write(f"{X.shape[0]} {X.shape[1]} {data.n_labels}\n".encode())
        dump_svmlight_file(X, data.train.labels(data.n_labels), file, multilabel=True)
    return str(path)


def _rankings(model: Any, X: sparse.csr_matrix, beam: int, k: int) -> Iterator[list[tuple[int, float]]]:
    for words, weights in zip(
        np.split(X.indices, X.indptr[1:-1]), np.split(X.data, X.indptr[1:-1]), strict=True
    ):
        yield model.predict(zip(words.tolist(), weights.tolist(), strict=True), beam_size=beam, top_k=k)
