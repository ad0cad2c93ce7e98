"""Loss, probabilities and gradients by a plain loop over documents, clusters and labels, without torch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from reimpl.cluster_options import ClusterOptions
from reimpl.fidelity import Array, MismatchError, close
from reimpl.label_clusters import LabelClusters
from reimpl.reference.aplc.public_code import tail_parameters

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
    "as the paper": {
        "tail": "linear",
        "normalise": "batch",
        "absent_roots": False,
        "products": "logarithms",
    },
}

_LABELS = [[3, 11, 0], [], [7], [5, 6, 8, 12, 1], [2, 3], [9]]


def label_by_label(changes: Mapping[str, Any], block: int | None = None) -> str:
    """Six documents, thirteen labels out of order, three clusters; gradients of 2 x loss by differences."""
    options = ClusterOptions(**{"clusters": 3, "cutoffs": (4, 9), **changes})
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
    return f"loss, {p.size} probabilities and gradients agree, the farthest within {max(gaps):.0e}"


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


# ------------------------------------------------------------------------------------------- the plain loop


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
    for unit, tensors in zip(units, tail_parameters(layer), strict=True):
        reduce, *norm, expand = (it.detach().numpy() for it in tensors)
        z, root = reduce @ row, _sigmoid(unit @ row)
        if layer.options.tail == "norm_relu":
            scale, shift = norm
            z = np.maximum((z - z.mean()) / np.sqrt(z.var() + 1e-5) * scale + shift, 0)
        found.append((root, [root * _sigmoid(w @ z) for w in expand]))
    return found


def _sigmoid(score: float) -> float:
    return 1 / (1 + math.exp(-float(score)))
