"""Cases small enough to be worked out by hand, cuts of the paper's label sets, first weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from reimpl import aplc
from reimpl.cluster_options import ClusterOptions
from reimpl.data.dataset import Split
from reimpl.fidelity import MismatchError, close
from reimpl.label_clusters import LabelClusters, by_frequency


def _layer(scores: list[float], root: float, *, head: float = 0.0, **changes: Any) -> LabelClusters:
    """A head of one label, and one tail with these scores, for the vector (1, 0)."""
    options = ClusterOptions(**{"clusters": 2, "cutoffs": (1,), "tail": "linear", **changes})
    layer = LabelClusters(options, features=2, order=np.arange(1 + len(scores))).double()
    assert layer.head is not None and layer.roots is not None
    reduce, expand = (p for p in layer.tails[0].parameters())
    values = {layer.head.weight: [[head, 0]], layer.roots.weight: [[root, 0]], reduce: [[1, 0]]}
    values[expand] = [[score] for score in scores]
    for parameter, value in values.items():
        parameter.data = torch.tensor(value, dtype=torch.float64)
    return layer


def _loss(layer: LabelClusters, labels: list[int]) -> float:
    x = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    return layer.loss(x, torch.zeros(len(labels), dtype=torch.int64), torch.tensor(labels).long()).item()


def one_label() -> str:
    """All scores 0: the label has 1/2 of 1/2, its neighbour the same, the head 1/2.

    With it: (log 2 + log 4 + log 4/3) / 3 = 0.789 (the root's own term is left out). Without: the head and
    the root, 2 log 2 / 2, or without the root's term log 2 / 1.
    """
    expected = (np.log(2) + np.log(4) + np.log(4 / 3)) / 3
    close("loss of a document in the tail", _loss(_layer([0, 0], 0), [1]), expected, tolerance=1e-14)
    close("loss of one in the head", _loss(_layer([0, 0], 0), [0]), np.log(2), tolerance=1e-14)
    alone = _loss(_layer([0, 0], 2), [])
    close("loss of one without labels", alone, (np.log(2) + np.log1p(np.exp(2))) / 2, tolerance=1e-14)
    without = _loss(_layer([0, 0], 2, absent_roots=False), [])
    close("the same without the root's term", without, np.log(2), tolerance=1e-14)
    return f"three documents by hand, the first of {expected:.6f}"


def two_normalisers() -> str:
    """A head of 4 and tails of 3 and 3 make divisors of 8 and 6: sums of 8 a and 6 b over 2 and over 14.

    A run of the public code gave .709992 on such documents, and .711315 under one divisor. These two hold
    where the means of the first two add up to 1.434537 and that of the third is 0.695439:
    (1.434537 + 0.695439) / 3 = .709992 and (8 x 1.434537 + 6 x 0.695439) / 22 = .711315.
    """
    options = ClusterOptions(clusters=3, cutoffs=(4, 7))
    layer = LabelClusters(options, features=8, order=np.arange(10))
    rows, cols = torch.tensor([0, 0, 0, 1, 1, 2]), torch.tensor([0, 5, 6, 8, 9, 3])
    counts = layer.visits(3, rows, cols).counts
    close("divisors", counts, [8, 8, 6], tolerance=0)
    means = np.array([1.434537 / 2, 1.434537 / 2, 0.695439])
    code, paper = means.mean(), (means * counts.numpy()).sum() / counts.sum().item()
    close("loss by documents", code, 0.709992, tolerance=1e-6)
    close("loss by one divisor", paper, 0.711315, tolerance=1e-6)
    return f"divisors 8, 8, 6: {code:.6f} by documents, {paper:.6f} by one divisor"


def _slope(layer: LabelClusters, label: int) -> float:
    """Derivative of the loss by the score of a label of the tail, over two labels."""
    x = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    layer.loss(x, torch.tensor([0]), torch.tensor([label])).backward()  # type: ignore[no-untyped-call]
    *_, scores = layer.tails[0].parameters()
    return float(scores.grad[label - 1, 0]) if scores.grad is not None else 0.0


def saturated() -> str:
    """Scores of +-800, whose sigmoids are 1 and 0: a logarithm that ends at 100, or the true one of 1,600.

    A positive of p = 1e-15 has the derivative -p / 1e-12 by its score where the divisor p (1 - p) ends at
    1e-12, and -1 in truth; each over the two labels.
    """
    code, true = (
        [
            _loss(_layer([-800.0], -800.0, head=-800.0, products=products), [1]),
            _loss(_layer([800.0, 800.0], 800.0, head=-800.0, products=products), [1]),
        ]
        for products in ("probabilities", "logarithms")
    )
    close("losses that end", code, [100 / 2, 100 / 3], tolerance=1e-12)
    # log(1 - p) of p = 1 / (1 + e^-800)^2: 1 - p is 2 e^-800, so that it is 800 - log 2
    close("losses in logarithms", true, [1600 / 2, (800 - np.log(2)) / 3], tolerance=1e-12)
    for products, expected in (("probabilities", -1e-3), ("logarithms", -1.0)):
        slope = _slope(_layer([np.log(2e-15)], 0.0, products=products), 1)
        close(f"derivative, {products}", slope, expected / 2, tolerance=1e-9)
    return "p of e^-1600 costs 100 as a number and 1,600 in logarithms; p of 1e-15 learns at 0.001 and at 1"


def ties() -> str:
    """Probabilities of about 1e-9, 2e-9 and 3e-8: three places by number, one tie by the sigmoid again."""
    scores = [float(np.log(p)) for p in (2e-9, 4e-9, 6e-8)]
    x = torch.tensor([[1.0, 0.0]])
    by_number = _layer(scores, 0.0, head=-30.0).float().best(x, 3)[1][0].tolist()
    values, again = _layer(scores, 0.0, head=-30.0, evaluation="double_sigmoid").float().best(x, 3)
    if by_number != [3, 2, 1] or again[0].tolist() != [0, 1, 2] or set(values[0].tolist()) != {0.5}:
        raise MismatchError(
            f"ranked by number {by_number}, and again {again[0].tolist()} with scores {values[0].tolist()}"
        )
    return "probabilities of 1e-9 to 3e-8 are ranked, and all tie at 0.5 after a second sigmoid"


def cuts() -> str:
    """Table 2's shares and the scripts' cut-offs on the paper's label sets."""
    third = ClusterOptions(clusters=3, shares=(0.33, 0.33, 0.34)).sizes(501_069)
    scripts = ClusterOptions(clusters=3, cutoffs=(167_000, 334_000)).sizes(501_069)
    quarters = ClusterOptions(clusters=4, shares=(0.25,) * 4).sizes(670_091)
    halves = [ClusterOptions().sizes(L) for L in (3_956, 13_330, 30_938)]
    for name, ours, expected in (
        ("shares of Wiki-500k", third, (165_352, 165_352, 170_365)),
        ("cut-offs of Wiki-500k", scripts, (167_000, 167_000, 167_069)),
        ("quarters of Amazon-670k", quarters, (167_522, 167_522, 167_522, 167_525)),
        ("halves", halves, [(1_978, 1_978), (6_665, 6_665), (15_469, 15_469)]),
        ("shares in decimals", ClusterOptions(clusters=2, shares=(0.29, 0.71)).sizes(100), (29, 71)),
        ("components", ClusterOptions(clusters=4).inner(105), (52, 26, 13)),
        ("components with the head in a leaf", ClusterOptions(clusters=3, head="leaf").inner(12), (12, 6, 3)),
    ):
        if ours != expected:
            raise MismatchError(f"{name}: {ours}, not {expected}")
    return "sizes of the clusters of five label sets"


def frequency() -> str:
    """Labels 3, 1, 0 and 4 stand with three, two, one and one of four documents, 2 and 5 with none."""
    split = Split.from_lists([[1]] * 4, [[3], [3, 1], [4, 1, 3], [0]])
    close("labels by frequency", by_frequency(split, 6), [3, 1, 0, 4, 2, 5], tolerance=0)
    return "the most frequent label of training first, ties by its id"


def members() -> str:
    """What sets the paper's member apart from the code's."""
    switches = ("tail", "normalise", "absent_roots", "products", "evaluation", "head", "divisor")
    expected = {
        "code": ("norm_relu", "documents", True, "probabilities", "probabilities", "root", 2),
        "paper": ("linear", "batch", False, "logarithms", "probabilities", "root", 2),
    }
    for name, values in expected.items():
        ours = tuple(getattr(aplc.VARIANTS[name], switch) for switch in switches)
        if ours != values:
            raise MismatchError(f"member {name!r} is {ours}, not {values}")
    return "code and paper are as Adapative_label_clusters.py and Eq. (2) to (6) have them"


def first_weights() -> str:
    """Normal of deviation .02 in every layer; layer normalisation starts at 1 and 0."""
    torch.manual_seed(2020)
    layer = LabelClusters(ClusterOptions(clusters=3), features=200, order=np.arange(900))
    for name, p in layer.named_parameters():
        if ".norm." in name:
            close(name, p.detach(), np.full(p.shape, float(name.endswith("weight"))), tolerance=0)
        elif not (0.8 < p.std().item() / 0.02 < 1.2 and abs(p.mean().item()) < 0.004):
            raise MismatchError(f"{name} has mean {p.mean():.4f} and deviation {p.std():.4f}, not 0 and 0.02")
    return "all layers are normal of deviation .02"
