"""Label clusters a second time by a plain loop over documents, clusters and labels; cases by hand, sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import torch

from reimpl.fidelity import Array, MismatchError, close
from reimpl.label_clusters import ClusterOptions, LabelClusters

#: Members of the family, one switch each against the code, and the paper's.
MEMBERS: Mapping[str, dict[str, Any]] = {
    "as the code": {},
    "linear tails": {"tail": "linear"},
    "one divisor a batch": {"normalise": "batch"},
    "no term of absent tails": {"absent_roots": False},
    "in logarithms": {"products": "logarithms"},
    "head in a leaf": {"head": "leaf"},
    "divided by three": {"divisor": 3},
    "one cluster": {"clusters": 1, "cutoffs": ()},
    "as the paper": {"tail": "linear", "normalise": "batch", "absent_roots": False, "products": "logarithms"},
}

_LABELS = [[3, 11, 0], [], [7], [5, 6, 8, 12, 1], [2, 3], [9]]


@pytest.mark.parametrize(
    ("member", "block"), [*((name, None) for name in MEMBERS), ("as the code", 12), ("as the paper", 12)]
)
def test_a_plain_loop_computes_the_same(member: str, block: int | None) -> None:
    """Six documents, thirteen labels out of order, three clusters; gradients of 2 x loss by differences."""
    options = ClusterOptions(**{"clusters": 3, "cutoffs": (4, 9), **MEMBERS[member]})
    rng = np.random.default_rng(2020)
    order = rng.permutation(13)
    torch.manual_seed(2020)
    layer = LabelClusters(options, features=18, order=order, block=block).double()
    for parameter in layer.parameters():
        parameter.data = torch.from_numpy(rng.normal(0, 0.6, parameter.shape))
    x = torch.from_numpy(rng.normal(0, 1, (6, 18))).requires_grad_()
    shuffled = rng.permutation(sum(map(len, _LABELS)))
    rows = torch.tensor([i for i, labels in enumerate(_LABELS) for _ in labels])[shuffled]
    cols = torch.tensor([label for labels in _LABELS for label in labels])[shuffled]
    loss = layer.loss(x, rows, cols)
    (2 * loss).backward()  # type: ignore[no-untyped-call]
    p = naive_probabilities(layer, x.detach().numpy())
    gaps = [
        close("probabilities", layer.probabilities(x).detach(), p[:, np.argsort(order)], tolerance=1e-12),
        close("loss", loss.item(), naive_loss(layer, x.detach().numpy(), order), tolerance=1e-12),
    ]
    weight = layer.weight(6, rows, cols).item()
    gaps.append(close("divisor", weight, _divisor(layer, order), tolerance=0))
    _best(layer, x.detach(), order, p)
    gaps += [_gradient(layer, tensor, x, order, rng) for tensor in (x, *layer.parameters())]


def _gradient(
    layer: LabelClusters, tensor: torch.Tensor, x: torch.Tensor, order: Array, rng: np.random.Generator
) -> float:
    """Of four entries, against differences of the plain loop's loss."""
    farthest, flat = 0.0, tensor.detach().view(-1)
    grad = torch.zeros_like(tensor) if tensor.grad is None else tensor.grad
    for at in rng.choice(len(flat), min(4, len(flat)), replace=False).tolist():
        kept, losses = flat[at].item(), []
        for step in (1e-5, -1e-5):
            flat[at] = kept + step
            losses.append(naive_loss(layer, x.detach().numpy(), order))
        flat[at] = kept
        slope = 2 * (losses[0] - losses[1]) / 2e-5
        farthest = max(farthest, close("a gradient", grad.reshape(-1)[at].item(), slope, tolerance=1e-8))
    return farthest


def _best(layer: LabelClusters, x: torch.Tensor, order: Array, p: Array) -> None:
    values, ids = layer.best(x, 5)
    ranks = np.argsort(-p, axis=1, kind="stable")[:, :5]
    if not np.array_equal(ids.numpy(), order[ranks]):
        raise MismatchError("the five best labels are others")
    close("the five best scores", values, np.take_along_axis(p, ranks, 1), tolerance=1e-12)


def naive_probabilities(layer: LabelClusters, x: Array) -> Array:
    """(B, L), labels by falling frequency."""
    return np.array([[p for cluster in _clusters(layer, row) for p in cluster[1]] for row in x])


def naive_loss(layer: LabelClusters, x: Array, order: Array) -> float:
    """Sums of -log p over positives and -log(1 - p) over negatives of the clusters that count."""
    options, per_document, counts = layer.options, [], []
    ranks = np.argsort(order)
    for row, labels in zip(x, _LABELS, strict=True):
        mine, total, count, start = set(ranks[labels].tolist()), 0.0, 0, 0
        for root, own in _clusters(layer, row):
            here = [start + j in mine for j in range(len(own))]
            if root is None or any(here):
                total += sum(-math.log(p if y else 1 - p) for p, y in zip(own, here, strict=True))
                count += len(own)
            elif options.absent_roots:
                total -= math.log(1 - root)
                count += 1
            start += len(own)
        per_document.append(total)
        counts.append(count)
    if options.normalise == "batch":
        return sum(per_document) / sum(counts)
    return sum(t / max(n, 1) for t, n in zip(per_document, counts, strict=True)) / len(counts)


def _divisor(layer: LabelClusters, order: Array) -> float:
    """What the loss is divided by: documents, or labels of visited clusters and absent tails."""
    if layer.options.normalise == "documents":
        return 6.0
    ranks, total = np.argsort(order), 0
    for labels in _LABELS:
        for cluster, (a, b) in enumerate(zip(layer.starts, layer.starts[1:], strict=False)):
            in_it = any(a <= rank < b for rank in ranks[labels].tolist())
            always = cluster == 0 and layer.options.head == "root"
            total += b - a if in_it or always else int(layer.options.absent_roots)
    return float(total)


def _clusters(layer: LabelClusters, row: Array) -> list[tuple[float | None, Sequence[float]]]:
    """The probability of each cluster's unit (None: of the head in the root), and those of its labels."""
    found: list[tuple[float | None, Sequence[float]]] = []
    if layer.head is not None:
        found.append((None, [_sigmoid(w @ row) for w in layer.head.weight.detach().numpy()]))
    units: Array = np.empty((0, 0)) if layer.roots is None else layer.roots.weight.detach().numpy()
    for unit, tensors in zip(units, (tail.parameters() for tail in layer.tails), strict=True):
        reduce, *norm, expand = (it.detach().numpy() for it in tensors)
        z, root = reduce @ row, _sigmoid(unit @ row)
        if layer.options.tail == "norm_relu":
            scale, shift = norm
            z = np.maximum((z - z.mean()) / np.sqrt(z.var() + 1e-5) * scale + shift, 0)
        found.append((root, [root * _sigmoid(w @ z) for w in expand]))
    return found


def _sigmoid(score: float) -> float:
    return 1 / (1 + math.exp(-float(score)))


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


def test_one_label_by_hand() -> None:
    """All scores 0: the label has 1/2 of 1/2, its neighbour the same, the head 1/2. With it: (log 2 + log
    4 + log 4/3) / 3 = 0.789 (the root's own term is left out). Without: the head and the root, 2 log 2 / 2,
    or without the root's term log 2 / 1."""
    expected = (np.log(2) + np.log(4) + np.log(4 / 3)) / 3
    close("loss of a document in the tail", _loss(_layer([0, 0], 0), [1]), expected, tolerance=1e-14)
    close("loss of one in the head", _loss(_layer([0, 0], 0), [0]), np.log(2), tolerance=1e-14)
    alone = _loss(_layer([0, 0], 2), [])
    close("loss of one without labels", alone, (np.log(2) + np.log1p(np.exp(2))) / 2, tolerance=1e-14)
    without = _loss(_layer([0, 0], 2, absent_roots=False), [])
    close("the same without the root's term", without, np.log(2), tolerance=1e-14)


def _slope(layer: LabelClusters, label: int) -> float:
    """Derivative of the loss by the score of a label of the tail, over two labels."""
    x = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    layer.loss(x, torch.tensor([0]), torch.tensor([label])).backward()  # type: ignore[no-untyped-call]
    *_, scores = layer.tails[0].parameters()
    return float(scores.grad[label - 1, 0]) if scores.grad is not None else 0.0


def test_saturated_sigmoids_by_hand() -> None:
    """Scores of +-800, whose sigmoids are 1 and 0: a logarithm that ends at 100, or the true one of 1,600. A
    positive of p = 1e-15 has the derivative -p / 1e-12 by its score where the divisor p (1 - p) ends at
    1e-12, and -1 in truth; each over the two labels."""
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


def test_a_second_sigmoid_makes_ties() -> None:
    """Probabilities of about 1e-9, 2e-9 and 3e-8: three places by number, one tie by the sigmoid again."""
    scores = [float(np.log(p)) for p in (2e-9, 4e-9, 6e-8)]
    x = torch.tensor([[1.0, 0.0]])
    by_number = _layer(scores, 0.0, head=-30.0).float().best(x, 3)[1][0].tolist()
    values, again = _layer(scores, 0.0, head=-30.0, evaluation="double_sigmoid").float().best(x, 3)
    if by_number != [3, 2, 1] or again[0].tolist() != [0, 1, 2] or set(values[0].tolist()) != {0.5}:
        raise MismatchError(
            f"ranked by number {by_number}, and again {again[0].tolist()} with scores {values[0].tolist()}"
        )


def test_cuts_of_the_papers_label_sets() -> None:
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


def test_first_weights_are_normal() -> None:
    """Normal of deviation .02 in every layer; layer normalisation starts at 1 and 0."""
    torch.manual_seed(2020)
    layer = LabelClusters(ClusterOptions(clusters=3), features=200, order=np.arange(900))
    for name, p in layer.named_parameters():
        if ".norm." in name:
            close(name, p.detach(), np.full(p.shape, float(name.endswith("weight"))), tolerance=0)
        elif not (0.8 < p.std().item() / 0.02 < 1.2 and abs(p.mean().item()) < 0.004):
            raise MismatchError(f"{name} has mean {p.mean():.4f} and deviation {p.std():.4f}, not 0 and 0.02")


@pytest.mark.parametrize(
    ("d", "sizes", "linear", "code"),
    [
        (768, (1_978, 1_978), 2_574_336, 2_575_104),
        (768, (15_469, 15_469), 18_115_968, 18_116_736),
        (768, (167_000, 167_000, 167_069), 224_905_152, 224_906_304),
        (512, (167_522, 167_523, 167_521, 167_525), 161_052_352, 161_053_248),
    ],
)
def test_sizes_are_those_of_equation_6(d: int, sizes: tuple[int, ...], linear: int, code: int) -> None:
    """d (l0 + K) + sum of d / q^i (d + li), q = 2; the code has layer normalisation of each tail besides."""
    head, *tails = sizes
    formula = d * (head + len(tails)) + sum(d // 2**i * (d + size) for i, size in enumerate(tails, 1))
    assert formula == linear
    for tail, expected in (("linear", linear), ("norm_relu", code)):
        cutoffs = tuple(np.cumsum(sizes)[:-1].tolist())
        options = ClusterOptions(clusters=len(sizes), cutoffs=cutoffs, divisor=2, tail=tail)  # type: ignore[arg-type]
        with torch.device("meta"):  # shapes without memory
            layer = LabelClusters(options, features=d, order=np.arange(sum(sizes)))
        assert sum(p.numel() for p in layer.parameters()) == expected
