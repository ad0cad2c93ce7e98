"""The paper's formulas against stored values, and against what is counted in our layer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from reimpl import cluster_costs
from reimpl.cluster_options import ClusterOptions
from reimpl.fidelity import MismatchError, close
from reimpl.label_clusters import LabelClusters

_TOLERANCE = 1e-9


def _stored(package: str) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Name, sizes and formulas of each setting; `cost` lists those that have several vectors p_i."""
    content = json.loads((resources.files(package) / "formulas.json").read_text("utf-8"))
    for name, entry in content["datasets"].items():
        for key, values in entry.items():
            if key.startswith("sizes_by"):
                yield f"{name}, {key}", entry, values
    for i, toy in enumerate(content["toy"]):
        yield f"setting {i}", toy, {**toy, "cost": [toy]}


def _relative(name: str, ours: float, reference: float) -> None:
    close(name, ours / reference if reference else ours, 1.0 if reference else 0.0, tolerance=_TOLERANCE)


def sizes(package: str) -> str:
    """Eq. (6) to (9), and the numbers of our layer without and with what the code adds."""
    count = 0
    for name, entry, values in _stored(package):
        d, q, parts = entry["d"], entry["q"], values["sizes"]
        for key, ours in (
            ("Eq6_params", cluster_costs.parameters(d, parts, q)),
            ("Eq7_params_approx", cluster_costs.parameters_in_short(d, parts, q)),
            ("Eq8_linear_params", cluster_costs.linear_parameters(d, parts)),
            ("Eq9_ratio", cluster_costs.parameter_ratio(parts, q)),
        ):
            _relative(f"{name}: {key}", ours, values[key])
            count += 1
        if "public_module_parameters" in values:
            _built(name, d, q, parts, values)
            count += 2
    return f"{count} sizes by formula and by count equal the stored ones"


def _built(name: str, d: int, q: int, parts: Sequence[int], values: Mapping[str, Any]) -> None:
    cutoffs = tuple(np.cumsum(parts)[:-1].tolist())
    for tail, expected in (
        ("linear", values["Eq6_params"]),
        ("norm_relu", values["public_module_parameters"]),
    ):
        options = ClusterOptions(clusters=len(parts), cutoffs=cutoffs, divisor=q, tail=tail)  # type: ignore[arg-type]
        with torch.device("meta"):  # shapes without memory
            layer = LabelClusters(options, features=d, order=np.arange(sum(parts)))
        built = sum(p.numel() for p in layer.parameters())
        by_formula = options.cluster_count(features=d, labels=sum(parts))
        if not built == by_formula == expected:
            raise MismatchError(
                f"{name}, {tail}: {built:,} numbers, {by_formula:,} by formula, not {expected:,}"
            )


def costs(package: str) -> str:
    """Eq. (10) to (14) for several chances that tails are visited."""
    count = 0
    for name, entry, values in _stored(package):
        d, q, Nb, parts = entry["d"], entry["q"], entry["Nb"], values["sizes"]
        for case in values["cost"]:
            p = case["p_i"]
            for key, ours in (
                ("Eq10_head_cost", cluster_costs.head_cost(d, parts, Nb)),
                ("Eq10_cost", cluster_costs.cost(d, parts, q, Nb, p)),
                ("Eq11_cost", cluster_costs.cost(d, parts, q, Nb, p)),
                ("Eq12_cost_approx", cluster_costs.cost_in_short(d, parts, q, Nb, p)),
                ("Eq13_linear_cost", cluster_costs.linear_cost(d, parts, Nb)),
                ("Eq14_ratio", cluster_costs.cost_ratio(parts, q, p)),
            ):
                _relative(f"{name}: {key}", ours, case[key])
                count += 1
            tails = cluster_costs.tail_costs(d, parts, q, Nb, p)
            for one, stored in zip(tails, case["Eq10_tail_costs"], strict=True):
                _relative(f"{name}: Eq10_tail_costs", one, stored)
                count += 1
    return f"{count} costs by formula equal the stored ones"


def counted() -> str:
    """Multiplications of the loss: Eq. (10), where p_i is the share of documents that visit the tail."""
    parts, d, q, Nb = (30, 20, 50), 16, 2, 8
    options = ClusterOptions(clusters=3, cutoffs=(30, 50), tail="linear", absent_roots=False)
    layer = LabelClusters(options, features=d, order=np.arange(100))
    # documents 0 to 5 have a label in the first tail, 6 and 7 in the second
    rows, cols = torch.arange(Nb), torch.tensor([30, 31, 32, 33, 34, 35, 60, 70])
    for visits, extra in (((6 / 8, 2 / 8), []), ((1.0, 1.0), [40, 40, 90, 90, 90, 90, 90, 90])):
        more = torch.tensor(extra, dtype=torch.int64)
        places = torch.tensor([6, 7, 0, 1, 2, 3, 4, 5][: len(extra)], dtype=torch.int64)
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            layer.loss(torch.randn(Nb, d), torch.cat((rows, places)), torch.cat((cols, more)))
        expected = cluster_costs.cost(d, parts, q, Nb, visits)
        if counter.get_total_flops() != 2 * expected:  # a multiplication and an addition
            raise MismatchError(f"{counter.get_total_flops() / 2:,.0f} multiplications, not {expected:,.0f}")
    return "counted multiplications equal Eq. (10) where some and where all documents visit a tail"
