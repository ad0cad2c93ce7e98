"""The kinds of claims: what a paper states about its tables, each kind with its own keys and its own test.

A further kind is a class in the file of its family, and its name in `AnyClaim`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, get_args

from pydantic import Field

from audit.kinds import costs, pair, several, stated, value
from audit.kinds.base import Case, Claim, JudgedByMargin

AnyClaim = Annotated[
    value.ValueClaim
    | pair.OrderClaim
    | value.GapClaim
    | pair.EquivalentClaim
    | pair.SignificantClaim
    | several.RankingClaim
    | several.TrendClaim
    | several.OptimumClaim
    | several.DominanceClaim
    | stated.ArithmeticClaim
    | stated.StructuralClaim
    | costs.CostClaim
    | costs.ConvergenceClaim
    | costs.ComplexityClaim,
    Field(discriminator="kind"),
]

#: By name, as claim files and records have them.
KINDS: Mapping[str, type[Claim]] = {
    get_args(model.model_fields["kind"].annotation)[0]: model for model in get_args(get_args(AnyClaim)[0])
}

__all__ = ["KINDS", "AnyClaim", "Case", "Claim", "JudgedByMargin"]
