"""The kinds of claims: what a paper states about its tables, each kind with its own keys.

A kind is a subclass of `Claim` and a member of `AnyClaim`. Keys that lead to cells or experiments are named
in `references`; a kind that no run can decide (`arithmetic`, `structural`) is tested by `audit.checks` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import AfterValidator, Field, StringConstraints, WithJsonSchema, model_validator

from audit.claim_model import (
    MODULE,
    SYMBOL,
    Count,
    Flag,
    Key,
    Margin,
    Metrics,
    Model,
    Name,
    Points,
    Quantity,
    Reference,
    Setting,
    Text,
    Where,
    no_number,
)

References = Annotated[tuple[Reference, ...], Field(min_length=2)]
Symbol = Annotated[str, StringConstraints(pattern=SYMBOL)]


def _constant(value: object) -> object:
    """A bare number is exact; one in quotes is printed, and so rounded to its last digit."""
    if type(value) in (int, float):
        return value
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a number; write one, as in 3956, or a printed one in quotes")
    if why := no_number(value):
        raise ValueError(why)
    return value


Constant = Annotated[
    Any, AfterValidator(_constant), WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}]})
]


class Paired(Model):
    """Declares that the runs of two arms are paired by seed."""

    reason: Text
    """Why: the same initial weights and the same order of the data, not merely the same seed number."""


class Claim(Model):
    """What the paper states about its tables. A kind of claim is a subclass with its own `kind` and keys."""

    references: ClassVar[tuple[str, ...]] = ()
    """Keys that name cells or experiments (one, or a list), in the order in which the kind reads them."""
    own_runs_only: ClassVar[bool] = False
    """Whether the printed number itself is judged as the outcome of the paper's run."""
    by_runs: ClassVar[bool] = True
    """Whether runs can decide it; otherwise it is held against the tables only."""
    needs_metric: ClassVar[bool] = True
    """Whether it is stated of a metric: then each metric is judged for itself."""

    id: Name
    """Short name of the claim, as in sweep-ruins-kim."""
    kind: str
    """What sort of statement it is; decides the other keys and the test."""
    says: Text
    """The claim in own short words."""
    where: Where
    """Where the text says so."""
    primary: Flag = False
    """A headline claim; at most three in a paper, declared before running."""
    metric: Metrics | None = None
    """Metrics that the claim is about; may be left out when the references name columns."""
    note: Text | None = None
    """How the sentence was read, where it can be read in several ways."""
    fitted: Flag = False
    """Whether that reading was chosen after the table was seen, from others that it does not bear out; then
    the table can speak against the sentence, and not for it."""

    @model_validator(mode="after")
    def _read_somehow(self) -> Self:
        if self.fitted and self.note is None:
            raise ValueError("fitted stands here without a note; say there how the sentence was read")
        return self

    def cells(self) -> tuple[str, ...]:
        """The references: `table.row`, `table.row.column`, or an experiment."""
        return tuple(name for key in self.references for name in listed(getattr(self, key)))

    def settings(self) -> dict[str, Any]:
        """Fields of `record.ClaimRecord` that only some kinds set."""
        return {}


def listed(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """One reference, or several."""
    return (value,) if isinstance(value, str) else tuple(value)


class JudgedByMargin(Claim):
    """A claim whose verdict depends on a margin."""

    margin: Margin | None = None
    """This claim's own margin; by default the one in `margins` for the claim, its table, or all."""

    @property
    def uses_margin(self) -> bool:
        """Whether it does so as it is stated."""
        return True


class ValueClaim(JudgedByMargin):
    """The metric of an experiment has the printed value."""

    references: ClassVar[tuple[str, ...]] = ("of",)
    own_runs_only: ClassVar[bool] = True

    kind: Literal["value"]
    """What sort of statement it is; decides the other keys and the test."""
    of: Reference
    """table.row or table.row.column"""
    runs_behind: Count = 1
    """Runs of the paper behind the printed number."""
    deterministic: Flag = False
    """Every run gives the same number: of imported runs; a model of this toolkit declares it itself."""

    def settings(self) -> dict[str, Any]:
        return {"runs_behind": self.runs_behind, "deterministic": self.deterministic}


class OrderClaim(Claim):
    """One experiment is better than another."""

    references: ClassVar[tuple[str, ...]] = ("better", "worse")

    kind: Literal["order"]
    """What sort of statement it is; decides the other keys and the test."""
    better: Reference
    """table.row or table.row.column of the better one"""
    worse: Reference
    """table.row or table.row.column of the worse one"""
    negligible: Points = 0.1
    """A difference within this many points counts as none."""
    paired: Paired | None = None
    """Only where the runs of both sides are paired by seed."""

    def settings(self) -> dict[str, Any]:
        return {"negligible": self.negligible, "paired": self.paired.reason if self.paired else None}


class EquivalentClaim(JudgedByMargin):
    """Two experiments are as good as each other, within a margin: the size the paper treats as similar."""

    references: ClassVar[tuple[str, ...]] = ("left", "right")

    kind: Literal["equivalent"]
    """What sort of statement it is; decides the other keys and the test."""
    left: Reference
    """table.row or table.row.column"""
    right: Reference
    """table.row or table.row.column"""
    paired: Paired | None = None
    """Only where the runs of both sides are paired by seed."""
    no_loss: Flag = False
    """Only says that the left one is not worse; it may be better."""

    def settings(self) -> dict[str, Any]:
        return {
            "paired": self.paired.reason if self.paired else None,
            "details": {"no_loss": True} if self.no_loss else {},
        }


class GapClaim(JudgedByMargin):
    """One experiment is better than another by the printed difference."""

    references: ClassVar[tuple[str, ...]] = ("better", "worse")

    kind: Literal["gap"]
    """What sort of statement it is; decides the other keys and the test."""
    better: Reference
    """table.row or table.row.column of the better one"""
    worse: Reference
    """table.row or table.row.column of the worse one"""


class SignificantClaim(JudgedByMargin):
    """One experiment is significantly better than another."""

    references: ClassVar[tuple[str, ...]] = ("better", "worse")

    kind: Literal["significant"]
    """What sort of statement it is; decides the other keys and the test."""
    better: Reference
    """table.row or table.row.column of the better one"""
    worse: Reference
    """table.row or table.row.column of the worse one"""
    test: Text | None = None
    """The test that the paper names; null where it names none."""

    def settings(self) -> dict[str, Any]:
        return {"details": {"test": self.test}}


class RankingClaim(Claim):
    """Several experiments, from best to worst."""

    references: ClassVar[tuple[str, ...]] = ("order",)

    kind: Literal["ranking"]
    """What sort of statement it is; decides the other keys and the test."""
    order: References
    """The references from best to worst."""


class TrendClaim(Claim):
    """The metric rises or falls along a sweep."""

    references: ClassVar[tuple[str, ...]] = ("levels",)

    kind: Literal["trend"]
    """What sort of statement it is; decides the other keys and the test."""
    levels: References
    """The references in the order of the sweep."""
    direction: Literal["rising", "falling"]
    """Whether the metric rises or falls along the sweep."""

    def settings(self) -> dict[str, Any]:
        return {"details": {"direction": self.direction}}


class OptimumClaim(JudgedByMargin):
    """One level of a sweep is the best."""

    references: ClassVar[tuple[str, ...]] = ("best", "among")

    kind: Literal["optimum"]
    """What sort of statement it is; decides the other keys and the test."""
    best: Reference
    """table.row or table.row.column of the best level"""
    among: References
    """The references of all levels; the best one may stand among them."""
    strength: Literal["unique", "among_best"] = "unique"
    """unique: better than every other level; among_best: no other level is better by the margin."""

    @property
    def uses_margin(self) -> bool:
        return self.strength == "among_best"

    def settings(self) -> dict[str, Any]:
        return {"details": {"strength": self.strength}}


class DominanceClaim(Claim):
    """One method is best (or among the best) throughout."""

    needs_metric: ClassVar[bool] = False

    kind: Literal["dominance"]
    """What sort of statement it is; decides the other keys and the test."""
    winner: Name
    """The method, as experiments name it."""
    tables: Annotated[tuple[Name, ...], Field(min_length=1)]
    """The tables in which it stands."""
    over: tuple[Name, ...] | None = None
    """The methods that it beats; all others of the tables when left out."""
    datasets: tuple[Name, ...] | None = None
    """The data sets that are meant; all of the tables when left out."""
    place: Count = 1
    """1: the best; 2: the best or second best; ..."""
    at_least: Count | None = None
    """In at least so many of the data sets; in all when left out."""

    def settings(self) -> dict[str, Any]:
        names = {"over": self.over, "datasets": self.datasets, "metrics": self.metric}
        details: dict[str, Any] = {key: list(value) for key, value in names.items() if value is not None}
        details |= {"winner": self.winner, "tables": list(self.tables), "place": self.place}
        return {"details": details | ({"at_least": self.at_least} if self.at_least else {})}


class CostClaim(Claim):
    """One experiment needs less time or memory than another."""

    references: ClassVar[tuple[str, ...]] = ("cheaper", "dearer")
    needs_metric: ClassVar[bool] = False

    kind: Literal["cost"]
    """What sort of statement it is; decides the other keys and the test."""
    cheaper: Reference
    """Cell or experiment that needs less"""
    dearer: Reference | None = None
    """Cell or experiment that needs more; left out where the paper only says how much the first one needs,
    which no run of ours can test."""
    quantity: Quantity
    """What is needed: training_time, prediction_time, model_size or parameters."""

    def cells(self) -> tuple[str, ...]:
        return tuple(name for name in (self.cheaper, self.dearer) if name is not None)

    def settings(self) -> dict[str, Any]:
        return {"details": {"quantity": self.quantity}}


class ConvergenceClaim(Claim):
    """One experiment needs fewer steps than another to the same score."""

    references: ClassVar[tuple[str, ...]] = ("faster", "slower")

    kind: Literal["convergence"]
    """What sort of statement it is; decides the other keys and the test."""
    faster: Reference
    """Cell or experiment that needs fewer steps"""
    slower: Reference
    """Cell or experiment that needs more steps"""
    target: Points | None = None
    """The validation score that counts; without it the claim is not judged."""

    def settings(self) -> dict[str, Any]:
        return {"details": {"target": self.target}}


class Formula(Claim):
    """A statement that an expression over cells and constants puts exactly; no run decides it."""

    by_runs: ClassVar[bool] = False
    needs_metric: ClassVar[bool] = False

    expect: Text
    """The statement as an expression, as in gain(t3.ours.P@1, t3.base.P@1) more than 2."""
    given: Mapping[Symbol, Constant] = {}
    """Constants of the expression by name."""

    def settings(self) -> dict[str, Any]:
        return {"expect": self.expect, "details": {"given": dict(self.given)} if self.given else {}}


class ArithmeticClaim(Formula):
    """A sentence with a number in it, held against the tables."""

    kind: Literal["arithmetic"]
    """What sort of statement it is; decides the other keys and the test."""


class Counted(Model):
    """Weights of a model, counted in the model itself where `audit check --count-weights` makes one."""

    model: Annotated[str, StringConstraints(pattern=MODULE)]
    """Name of the model's file in reimpl, as in xml_cnn."""
    variant: Text
    """Name of a variant in that file."""
    config: Mapping[Key, Setting] = {}
    """Keys of the variant that are set otherwise."""
    labels: Count
    """Number of labels."""
    length: Count = 500
    """Tokens a document."""
    dimension: Count = 300
    """Components of a word vector."""
    vocabulary: Count = 2
    """Words; matters only where word vectors are counted."""
    weights: Annotated[tuple[Text, ...], Field(min_length=1)]
    """Names of the weights to count, with * for any, as in hidden.*"""
    equals: Text
    """The formula, over the constants in `given`."""


class StructuralClaim(Formula):
    """Shapes, parameter counts and sizes, held against their formula."""

    kind: Literal["structural"]
    """What sort of statement it is; decides the other keys and the test."""
    counted: tuple[Counted, ...] = ()
    """The same numbers, counted in a model of ours."""

    def settings(self) -> dict[str, Any]:
        held = super().settings()
        counted = [it.model_dump(mode="json") for it in self.counted]
        return held | ({"details": held["details"] | {"counted": counted}} if counted else {})


class ComplexityClaim(Claim):
    """Time or memory grows with some size by a power."""

    needs_metric: ClassVar[bool] = False

    kind: Literal["complexity"]
    """What sort of statement it is; decides the other keys and the test."""
    of: Text
    """What grows: an operation count, a time, a size."""
    grows_with: Text
    """The size that it grows with, as in L, the number of labels."""
    exponent: Annotated[float, Field(strict=True, ge=0, le=4)]
    """The power; logarithmic factors are not counted."""
    operations: Text | None = None
    """What is counted, as an expression in n (that size) and constants; without it nothing is tested."""
    given: Mapping[Symbol, Constant] = {}
    """Constants of the expression by name."""
    sizes: Mapping[Name, Points] | None = None
    """Experiments that differ in that size alone, each with its size: five or more, over 1.2 decades."""
    quantity: Literal["training_time", "parameters", "model_size"] = "training_time"
    """What of their runs grows, where there are sizes."""

    def settings(self) -> dict[str, Any]:
        details: dict[str, Any] = {"of": self.of, "grows_with": self.grows_with, "exponent": self.exponent}
        if self.operations is not None:
            details |= {"operations": self.operations, "given": dict(self.given)}
        if self.sizes is None:
            return {"details": details}
        sizes = dict(sorted(self.sizes.items(), key=lambda it: it[1]))
        return {"details": details | {"sizes": sizes, "quantity": self.quantity}, "experiments": tuple(sizes)}


#: A further kind is a class above and its name here.
AnyClaim = Annotated[
    ValueClaim
    | OrderClaim
    | GapClaim
    | EquivalentClaim
    | SignificantClaim
    | RankingClaim
    | TrendClaim
    | OptimumClaim
    | DominanceClaim
    | ArithmeticClaim
    | StructuralClaim
    | CostClaim
    | ConvergenceClaim
    | ComplexityClaim,
    Field(discriminator="kind"),
]

KINDS: Mapping[str, type[Claim]] = {
    get_args(kind.model_fields["kind"].annotation)[0]: kind for kind in get_args(get_args(AnyClaim)[0])
}
