"""Weights of a model, counted without making its numbers; imports torch."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from audit.errors import PlanError
from audit.runner.faults import with_way_out


def count_weights(counted: Mapping[str, Any]) -> int:
    """The numbers in those weights of the model that `counted` (`audit.kinds.stated.Counted`) names.

    The model is made on torch's meta device, which has shapes but no memory: a million labels cost nothing.
    Raises `PlanError` for a name that is none.
    """
    import torch

    from reimpl.errors import ConfigError
    from reimpl.models import find_config, find_model

    try:
        module = find_model(counted["model"])
        config = find_config(module, counted["variant"], counted["config"])
        with torch.device("meta"):
            model = module.build(
                config,
                vectors=torch.empty(counted["vocabulary"], counted["dimension"]),
                labels=counted["labels"],
                length=counted["length"],
                padding_id=0,
                freeze_padding=False,
            )
    except ConfigError as err:
        raise PlanError(f"counted: {with_way_out(err, counted['model'], counted['config'])}") from err
    sizes = {name: weight.numel() for name, weight in model.named_parameters()}
    for pattern in counted["weights"]:
        if not any(fnmatchcase(name, pattern) for name in sizes):
            raise PlanError(f"counted.weights: the model has no {pattern!r}; it has {', '.join(sizes)}")
    return sum(
        size
        for name, size in sizes.items()
        if any(fnmatchcase(name, pattern) for pattern in counted["weights"])
    )
