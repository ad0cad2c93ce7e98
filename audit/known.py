"""What a claim file may name of the models, protocols and recipes that are here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audit.claim import KnownNames


def known_names(*, configs: bool = False) -> KnownNames:
    """Found without loading torch.

    With `configs`, the configuration of each experiment is built as a run does it, which loads torch as soon
    as a file has an experiment that runs here.
    """
    from audit.claim import KnownNames
    from reimpl.data.recipe import RECIPES
    from reimpl.models import config_problems, known_models, known_variants
    from reimpl.protocol import PROTOCOLS, problem
    from reimpl.tuning import problem as tuning_problem

    models = {name: known_variants(name) for name in known_models()}
    names = KnownNames(models, tuple(PROTOCOLS), tuple(RECIPES), problem, tuning_problem)
    return replace(names, config=config_problems) if configs else names
