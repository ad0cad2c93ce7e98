"""What a kind of claim is: one class, in the file of its family. Its fields are the keys of the claim file,
its class variables say how claims of the kind are judged, and `judge` is their test: it takes a `Case`, the
claim with the runs of its experiments, and returns a `Test`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, StringConstraints, WithJsonSchema

from audit.claims.schema import (
    SYMBOL,
    Flag,
    Margin,
    Metrics,
    Misfit,
    Model,
    Name,
    Reference,
    Table,
    Text,
    Where,
    no_number,
    repeated,
)
from audit.claims.source import KeyPath
from audit.expression.grammar import ExpressionError, names, parse, references
from audit.names import known_names
from audit.stats.decision import ALPHA, Steps, Test, num, nums
from audit.stats.power import KAPPA
from audit.stats.printed import gap, printed
from audit.stats.sample import Difference, Moderated, Sample, sample, welch

if TYPE_CHECKING:
    from audit.judging.evidence import Arm
    from audit.record import Cell, ClaimRecord, Scope

References = Annotated[tuple[Reference, ...], Field(min_length=2)]
Symbol = Annotated[str, StringConstraints(pattern=SYMBOL)]


def _constant(value: object) -> object:
    """A bare number is exact; one in quotes is printed, and so rounded to its last digit."""
    if type(value) not in (int, float, str):
        raise ValueError(f"{value!r} is not a number; write one, as in 3956, or a printed one in quotes")
    if isinstance(value, str) and (why := no_number(value)):
        raise ValueError(why)
    return value


Constant = Annotated[
    Any, AfterValidator(_constant), WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}]})
]


KIND: Any = Field(description="What sort of statement it is; decides the other keys and the test.")


class Claim(Model):
    """What the paper states about its tables. A kind of claim is a subclass with its own `kind` and keys."""

    references: ClassVar[tuple[str, ...]] = ()
    """Keys that name cells or experiments (one, or a list), in the order in which the kind reads them."""
    by_runs: ClassVar[bool] = True
    """Whether runs can decide it; otherwise it is held against the tables only."""
    needs_metric: ClassVar[bool] = True
    """Whether it is stated of a metric: then each metric is judged for itself."""
    arms: ClassVar[int | None] = None  # How many experiments it names; None for two or more.
    of_costs: ClassVar[bool] = False  # Whether it is about what runs cost, and not about what they score.
    of_printed: ClassVar[bool] = False
    """Whether our mean is held against a printed number, which has a scatter of its own."""
    of_one_printed: ClassVar[bool] = False
    """The same of one number, that of its only arm, as the outcome of the paper's own run."""
    of_a_pair: ClassVar[bool] = False  # Whether it is about the difference of two arms in one metric.
    under_specifications: ClassVar[bool] = False
    """Whether it is judged under each declared reading of what the paper leaves open."""
    comparison: ClassVar[Literal["falls", "rises", "best", "similar"] | None] = None
    """What its printed numbers do, in the order of its references; None where a table cannot show it."""
    check: ClassVar[str] = "sentence"  # By which its own table is held against it.
    by_parts: ClassVar[bool] = False  # Whether it may be judged where some of its arms were not run.

    id: Name
    """Short name of the claim, as in sweep-ruins-kim."""
    kind: str = KIND
    says: Text
    """The claim in your own short words."""
    where: Where
    """Where the text states it."""
    primary: Flag = False
    """Whether it is a headline claim: at most three per paper, declared before the runs."""
    metric: Metrics | None = None
    """Metrics that the claim is about; may be left out when the references name columns."""
    note: Text | None = None
    """How the sentence was interpreted, if it is ambiguous."""
    fitted: Flag = False
    """Whether this interpretation was chosen after the table was seen, because others do not hold; then the
    table can contradict the sentence, not support it."""

    def misfits(self) -> Iterator[Misfit]:
        if self.fitted and self.note is None:
            yield (), "fitted needs a note; say there how the sentence was read"
        if not self.where.model_fields_set:
            yield ("where",), "names no place; add section, page or label"
        yield from repeated(("metric",), self.metric or ())

    def named(self) -> Iterator[tuple[KeyPath, str, str]]:
        """What else it names than cells and experiments to be compared: path, what, and the name."""
        yield from ()

    def cells(self) -> tuple[str, ...]:
        """The references: `table.row`, `table.row.column`, or an experiment."""
        return tuple(reference for _, reference in self.places())

    def places(self) -> Iterator[tuple[KeyPath, str]]:
        """Each reference with its place in the claim; a key may hold one or a list, or be left out."""
        for key in self.references:
            said = getattr(self, key)
            if isinstance(said, str):
                yield (key,), said
            else:
                yield from (((key, index), reference) for index, reference in enumerate(said or ()))

    def settings(self) -> dict[str, Any]:
        """Fields of `record.ClaimRecord` that only some kinds set."""
        return {}

    def from_tables(self, cells: Sequence[Cell], table: Table | None, each: Iterable[Cell]) -> dict[str, Any]:
        """More such fields: by its own cells, the table of the first of them, and every cell of the paper."""
        return {}

    @staticmethod
    def needs_margin(details: Mapping[str, Any]) -> bool:
        """Whether a claim with these `ClaimRecord.details` is judged by a margin."""
        return False

    @staticmethod
    def compared(case: Case) -> list[Sequence[Arm]]:
        """The arms that are compared with each other; experiments with the same runs are one arm."""
        return [case.arms]

    @staticmethod
    def obstacle(case: Case) -> str | None:
        """Reason code why the claim as it is stated cannot be tested."""
        return None

    @staticmethod
    def judge(case: Case) -> Test:
        """The test; gets cases whose arms all have values. Not there where `audit.checks` alone decide."""
        raise NotImplementedError


def formula_misfits(
    path: KeyPath, text: str, given: Iterable[str], *, statement: bool = False
) -> Iterator[Misfit]:
    """Why it is no formula over these constants, or no `statement` over them and cells."""
    try:
        expression = parse(text if statement else f"{text} = 0")
    except ExpressionError as err:
        yield path, str(err)
        return
    known = list(given)
    for name in (*names(expression), *(() if statement else references(expression))):
        if name not in known:
            yield path, f"there is no constant {name!r}; {known_names(name, known)}"


class JudgedByMargin(Claim):
    """A claim whose verdict depends on a margin."""

    margin: Margin | None = None
    """The claim's own margin; default: the one in `margins` for the claim, its table, or all."""

    @staticmethod
    def needs_margin(details: Mapping[str, Any]) -> bool:
        return True


class Better(Claim):
    """Of two experiments, one is better."""

    references = ("better", "worse")
    arms = 2
    of_a_pair = True
    under_specifications = True
    comparison = "falls"

    better: Reference
    """table.row or table.row.column of the better one"""
    worse: Reference
    """table.row or table.row.column of the worse one"""


@dataclass(frozen=True)
class Case:
    """A claim with the runs that bear on it."""

    claim: ClaimRecord
    arms: tuple[Arm, ...]  # Of its experiments, in the order in which the kind reads them.
    scope: Scope | None  # That of its least fitting evidence.
    arm: Callable[[str, str], Arm]  # The evidence of any experiment of the paper in any metric.
    test_sizes: Mapping[str, int]  # Data set id -> test documents as printed.
    alpha: float = ALPHA  # Level of this look: 0.05, or its share where seeds are added look by look.
    kappa: float = KAPPA

    @property
    def deterministic(self) -> bool:
        """Whether arms without spread have none since nothing is random: declared by models or the claim."""
        still = [arm for arm in self.arms if arm.still and len(arm.values) > 1]
        return self.claim.deterministic or (bool(still) and all(arm.deterministic for arm in still))

    @property
    def margin(self) -> float:
        """The claim's margin; a claim that needs one and has none is not tested."""
        assert self.claim.margin is not None
        return self.claim.margin.value

    @property
    def printed_gap(self) -> float | None:
        """First printed minus second, exact in decimals; None when the table prints only one or none."""
        if len(self.claim.printed) != 2:
            return None
        return float(gap(*map(printed, self.claim.printed)))

    @property
    def values(self) -> list[Sequence[float]]:
        return [arm.values for arm in self.arms]

    @property
    def names(self) -> list[str]:
        return [arm.experiment for arm in self.arms]

    @property
    def without_spread(self) -> tuple[str, ...]:
        """A warning for each arm of three seeds or more that are all equal, and need not be."""
        still = (arm for arm in self.arms if arm.still and len(arm.values) > 2)
        return tuple(f"{arm.experiment}: no spread" for arm in still if not arm.deterministic)


def untested(reason: str, test: Test | None = None, *, badges: Sequence[str] = ()) -> Test:
    """Inconclusive for a reason that no test can lift; shows the numbers of `test`, not its p-values."""
    plain = test or Test()
    return replace(
        plain,
        untested=reason,
        p_reproduced=None,
        contradictions=(),
        exact=None,
        band=None,
        badges=(*plain.badges, *badges),
        steps=[step for step in plain.steps if not step.name.startswith(("p_", "D_"))],
    )


def note_arm(steps: Steps, name: str, values: Sequence[float]) -> Sample:
    """Mean, and from two values on SD, of one arm; its name tells the arms apart and may be empty."""
    arm, name = sample(values), f" {name}" if name else ""

    def mean() -> str:
        return num(values[0]) if arm.sd == 0.0 else f"({nums(values, ' + ')}) / {arm.n}"

    steps.note(f"mean{name}", "sum x / n", arm.mean, mean)
    if arm.sd is not None:
        own = sample(tuple(values)).sd or 0.0
        steps.note(f"s{name}", "sqrt(sum (x - mean)^2 / (n - 1))", own)
    if arm.sd is not None and isinstance(values, Moderated):
        prior, pattern = values.prior, "sqrt((d0 * v0 + (n - 1) * s^2) / (d0 + n - 1))"
        steps.work(f"s~{name}", pattern, d0=prior.df, v0=prior.at(arm.mean), n=arm.n, s=own)
    return arm


def note_df(steps: Steps, name: str, *parts: tuple[float, float], value: float) -> None:
    """Satterthwaite's degrees of freedom of a sum of (variance, df); infinite for an exact part."""

    def filled() -> str:
        below = " + ".join(f"{num(variance)}^2 / {num(df)}" for variance, df in parts if df < math.inf)
        return f"({nums([variance for variance, _ in parts], ' + ')})^2 / ({below})"

    known = all(df == math.inf or variance == 0.0 for variance, df in parts)
    steps.note(name, "(sum v)^2 / sum (v^2 / df)", value, text=None if known else filled)


def note_difference(
    steps: Steps,
    first: Sequence[float],
    second: Sequence[float],
    *,
    names: tuple[str, str] = ("A", "B"),
    label: str = "",
    where: str = "",
) -> Difference:
    """Means and SDs of two arms, then d, and by Welch se and df, whose names `label` stands before."""
    d = welch(first, second)
    a, b = d.first, d.second
    for name, x, arm in zip(names, (first, second), (a, b), strict=True):
        if note_arm(steps, f"{name}{where}", x).sd != arm.sd and arm.sd:
            steps.note(
                f"s~ {name}{where}", "that of the other side, as all runs of this one are equal", arm.sd
            )
    steps.label = label
    steps.work("d", "mean_A - mean_B", mean_A=a.mean, mean_B=b.mean)
    if d.error:
        steps.work("se", "sqrt(s_A^2 / n_A + s_B^2 / n_B)", s_A=a.sd, n_A=a.n, s_B=b.sd, n_B=b.n)
        note_df(steps, "df", *d.parts(), value=d.error.df)
    steps.label = ""
    return d
