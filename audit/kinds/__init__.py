"""The kinds of claims. A further one is a class in the file of its family, and its name in `AnyClaim`."""

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


def name_of(model: type[Claim]) -> str:
    """The name of a kind. Raises TypeError, so that nothing starts, for one that is not fully declared."""
    names = get_args(model.model_fields["kind"].annotation)
    own = {name for base in model.__mro__[: model.__mro__.index(Claim)] for name in vars(base)}
    lacks = [] if len(names) == 1 else ["kind: Literal[NAME]"]
    if model.by_runs:
        lacks += [name for name in ("references", "arms", "judge") if name not in own]
        more = model.model_fields.keys() - JudgedByMargin.model_fields.keys() - {*model.references}
        lacks += [f"settings for {', '.join(sorted(more))}"] if more and "settings" not in own else []
    unknown = [key for key in model.references if key not in model.model_fields]
    lacks += [f"key {key!r}, which its references name" for key in unknown]
    if lacks:
        raise TypeError(f"{model.__name__} is not yet a kind of claim: it lacks {' and '.join(lacks)}")
    return str(names[0])


#: By name, as claim files and records have them.
KINDS: Mapping[str, type[Claim]] = {name_of(model): model for model in get_args(get_args(AnyClaim)[0])}

__all__ = ["KINDS", "AnyClaim", "Case", "Claim", "JudgedByMargin"]
