"""Probabilistic label trees (Jasinska et al. 2016), trained by napkinXC (mwydmuch/napkinXC, MIT).

A logistic regression at each node of a tree of labels says whether a document has a label below it; a
label's probability is the product along its path. ExtremeText (Wydmuch et al. 2018) has the same trees, of
balanced k-means, over a dense representation that all nodes learn together, as fastText has it. Here each
node has a sparse classifier of its own on the features. The library's seed is that of the trees; LIBLINEAR,
which fits the nodes, draws from a generator without one.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Literal, Unpack

import torch

from reimpl.baselines.libraries import at_work, lacking, result
from reimpl.batching import Weights, word_weights
from reimpl.data.dataset import Dataset
from reimpl.errors import ConfigError
from reimpl.protocol import Protocol, check
from reimpl.training import How, Result, kept

#: What of a corpus it can learn from, the better one first.
TAKES = ("features", "texts")
NOT_SEEDED = (
    "the seed decides only the trees: the library fits the classifiers of nodes in an order without a seed"
)


@dataclass(frozen=True)
class Config:
    loss: Literal["logistic", "squared_hinge"] = "logistic"
    trees: int = 1
    ways: int = 2
    """Number of clusters, equal in size, that a node's labels are split into."""
    cluster_size: int = 100
    """A node with this many labels or fewer is not split."""
    C: float = 10.0
    """Weight of the losses against the regulariser (LIBLINEAR's C)."""
    prune: float = 0.1
    """Weights with a smaller absolute value become 0."""
    weights: Weights = "given"
    """As the corpus has them; 1 for each; or count * (1 + ln((1 + N) / (1 + documents with the feature)))."""

    def __post_init__(self) -> None:
        check(self)
        for name, least in (("C", 1e-9), ("prune", 0.0)):
            if not least <= getattr(self, name) < float("inf"):
                raise ConfigError(f"napkinxc: {name} must be {least:g} or more, not {getattr(self, name)!r}")


# the library's defaults, which its authors use in their comparison (Jasinska-Kobus et al. 2020)
VARIANTS = {"plt": Config()}


def missing(config: Config) -> str | None:
    """What this machine lacks, and how to get it; None where all is there."""
    return lacking("napkinxc")


def train(config: Config, data: Dataset, protocol: Protocol, **how: Unpack[How]) -> Result:
    """Protocol and device decide nothing. Raises `Interrupted` before it begins."""
    with warnings.catch_warnings():  # its own source has an escape that Python warns of
        warnings.simplefilter("ignore")
        from napkinxc.models import PLT

    began = time.perf_counter()
    inputs = word_weights(data, config.weights, normalise=True)
    X, X_test = inputs.of(data.train), inputs.of(data.test)
    with at_work(how.get("watch")) as folder:
        model = PLT(
            str(folder),
            arity=config.ways,
            max_leaves=config.cluster_size,
            loss="log" if config.loss == "logistic" else "l2",
            liblinear_c=config.C,
            weights_threshold=config.prune,
            ensemble=config.trees,
            seed=how["seed"],
            threads=torch.get_num_threads(),
        )
        model.fit(X, data.train.labels(data.n_labels))
        trained = time.perf_counter()
        rankings = model.predict_proba(X_test, top_k=kept(data))
    return result(data, rankings, began=began, trained=trained, notes=(NOT_SEEDED,))
