"""The kinds of claims: what a paper states about its tables, each kind with its own keys and its own test.

A further kind is a class and a `Kind` in the file of its family, and its class in `AnyClaim`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, get_args

from pydantic import Field

from audit.kinds import costs, pair, several, stated, value
from audit.kinds.base import Case, Claim, JudgedByMargin, Kind

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
KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in sorted(
        (*value.KINDS, *pair.KINDS, *several.KINDS, *costs.KINDS, *stated.KINDS),
        key=lambda kind: get_args(get_args(AnyClaim)[0]).index(kind.model),
    )
}

#: Name -> its keys in a claim file.
CLAIM_MODELS: Mapping[str, type[Claim]] = {name: kind.model for name, kind in KINDS.items()}

__all__ = ["CLAIM_MODELS", "KINDS", "AnyClaim", "Case", "Claim", "JudgedByMargin", "Kind"]
