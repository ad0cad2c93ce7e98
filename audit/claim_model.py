"""The parts of a claim file: citation, data sets, tables, experiments, margins and the kinds of claims.

The docstring under a field is its description in the JSON Schema that editors read. What one field alone can
tell is checked here; what takes two places of the file is in `audit.claim_checks`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)
from pydantic import WithJsonSchema as Schema

from audit import record
from audit.claim_text import UNSEEN, visible, visible_throughout
from audit.names import known_names
from audit.stats.printed import printed

#: Metric names with whether `@k` follows; the vocabulary of `reimpl.metric_names`, which a test compares.
METRICS: Mapping[str, bool] = {
    "P": True,
    "R": True,
    "RP": True,
    "nDCG": True,
    "PSP": True,
    "PSnDCG": True,
    "Micro-F1": False,
    "Macro-F1": False,
    "Another-Macro-F1": False,
}

_METRIC_SCHEMA = {
    "type": "string",
    "pattern": "^(({})@[1-9][0-9]*|{})$".format(
        "|".join(name for name, with_k in METRICS.items() if with_k),
        "|".join(name for name, with_k in METRICS.items() if not with_k),
    ),
}
_NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]*$"
_COLUMN = rf"^[^\s.:{UNSEEN}]+$"
_REFERENCE = r"^[^\s.]+\.[^\s.]+(\.[^\s.]+)?$"
MODULE = r"^[a-z][a-z0-9_]*$"
_FINGERPRINT = r"^[0-9a-f]{32,64}$"

#: What each pattern asks for, in words.
PATTERNS: Mapping[str, str] = {
    _NAME: "letters, digits, - and _ only, as in kim_words",
    _COLUMN: "no blanks, dots, colons or control characters, as in P@1",
    _REFERENCE: "table.row or table.row.column, as in t4.kim_words",
    MODULE: "the name of a file in reimpl without .py, as in xml_cnn",
    _FINGERPRINT: "a SHA-256 in lower-case hexadecimal digits",
}


def is_metric(name: str) -> bool:
    """Whether `name` is one of our spellings: `nDCG@5`, not `NDCG@5`."""
    return re.fullmatch(_METRIC_SCHEMA["pattern"], name) is not None


def _metric(name: str) -> str:
    if is_metric(name):
        return name
    k = name.partition("@")[2]
    digits = k if re.fullmatch(r"[1-9][0-9]*", k) else "5"
    names = [f"{known}@{digits}" if with_k else known for known, with_k in METRICS.items()]
    raise ValueError(f"unknown metric {name!r}; {known_names(name, names)}")


def _printed(text: str) -> str:
    try:
        printed(text)
    except ValueError:
        remedy = "write it as printed (83.50, 15,449, 12%), and null for a dash"
        raise ValueError(f"{text!r} is not a printed number; {remedy}") from None
    return text


def _listed(value: object) -> object:
    """One item stands for a list of one."""
    return [value] if isinstance(value, str) else value


def _one_or_more(item: dict[str, Any]) -> Schema:
    return Schema({"anyOf": [item, {"type": "array", "items": item, "minItems": 1}]})


Text = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1),
    AfterValidator(visible),
    Schema({"type": "string", "minLength": 1, "pattern": rf"^\s*[^{UNSEEN}]+\s*$"}),
]
Name = Annotated[str, StringConstraints(pattern=_NAME)]
ColumnName = Annotated[str, StringConstraints(pattern=_COLUMN)]
Count = Annotated[int, Field(strict=True, ge=1)]
Points = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Flag = Annotated[bool, Field(strict=True)]
Metric = Annotated[str, AfterValidator(_metric), Schema(_METRIC_SCHEMA)]
Metrics = Annotated[
    tuple[Metric, ...], Field(min_length=1), BeforeValidator(_listed), _one_or_more(_METRIC_SCHEMA)
]
PrintedNumber = Annotated[
    str,
    AfterValidator(visible),
    AfterValidator(_printed),
    Schema({"type": "string", "pattern": r"^\s*[-+\u2212\u2013]?[0-9.,]+\s?%?\s*$"}),
]
Fingerprint = Annotated[str, StringConstraints(pattern=_FINGERPRINT)]
Fingerprints = Annotated[
    tuple[Fingerprint, ...],
    BeforeValidator(_listed),
    _one_or_more({"type": "string", "pattern": _FINGERPRINT}),
]
Reference = Annotated[str, StringConstraints(pattern=_REFERENCE)]
Key = Annotated[str, AfterValidator(visible)]
Setting = Annotated[Any, AfterValidator(visible_throughout)]


class Model(BaseModel):
    """Frozen, and without room for a key that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, defer_build=True)


# --------------------------------------------------------------------------- the paper and its data


class Code(Model):
    """The paper's public code."""

    url: Text
    """Where the code is."""
    commit: Text | None = None
    """The commit that was read."""


class Citation(Model):
    """Which paper this is."""

    key: Name
    """Short name of the paper, as in chen2022."""
    title: Text
    """Title of the paper."""
    authors: tuple[Text, ...] = ()
    """Authors in the order of the paper."""
    venue: Text | None = None
    """Conference or journal."""
    year: Annotated[int, Field(strict=True, ge=1900, le=2100)] | None = None
    """Year of publication."""
    url: Text | None = None
    """Where the paper is."""
    code: Code | None = None
    """The public code that goes with the paper."""


class Dataset(Model):
    """A data set that the paper reports on."""

    name: Text
    """Name as the paper writes it."""
    printed: Mapping[Name, PrintedNumber] = {}
    """Statistics as printed, in quotes: train, test, labels, ..."""
    content: Fingerprints | None = None
    """SHA-256 fingerprints of the very data, where known; null while unknown."""


class Where(Model):
    """Place in the paper's text."""

    section: Text | None = None
    """Section number in quotes, as in "3.2"; or abstract."""
    page: Count | None = None
    """Page number as printed on the page."""
    label: Text | None = None
    """Label of the table or figure, as in Table 4."""

    def as_record(self) -> record.Where:
        return record.Where(section=self.section, page=self.page, label=self.label)


# --------------------------------------------------------------------------- tables


class Column(Model):
    """A column; a metric name alone stands for a column with that id and metric."""

    id: ColumnName
    """Short name, for references such as t5.words.max."""
    label: Text | None = None
    """Heading as printed; the id when left out."""
    metric: Metric | None = None
    """Metric of the column; left out for columns that hold no metric."""
    dataset: Name | None = None
    """Data set of this column; the table's when left out."""

    @model_validator(mode="before")
    @classmethod
    def _from_metric(cls, value: object) -> object:
        return {"id": value, "metric": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> dict[str, Any]:
        schema: dict[str, Any] = handler.resolve_ref_schema(handler(core_schema))
        return {"anyOf": [_METRIC_SCHEMA, dict(schema)], "description": schema.get("description", "")}


class Row(Model):
    """A row of printed numbers, one for each column."""

    id: Name
    """Short name, for references such as t4.kim_words."""
    label: Text | None = None
    """Name of the row as printed; the id when left out."""
    experiment: Name | None = None
    """The experiment that the whole row reports."""
    experiments: Mapping[ColumnName, Name] | None = None
    """Column id to experiment, in a table whose every cell is another experiment."""
    source: record.Source
    """own_run: the authors ran it; copied: taken from another paper (see from); unknown."""
    copied_from: Name | None = Field(default=None, alias="from")
    """Key of the paper that a copied row was taken from."""
    values: tuple[PrintedNumber | None, ...]
    """The numbers as printed, each in quotes; null where the paper prints a dash."""

    def experiment_of(self, column: str) -> str | None:
        return self.experiment or (self.experiments or {}).get(column)


class Table(Model):
    """A table as the paper prints it."""

    where: Where
    """Where the table stands, and its label."""
    caption: Text
    """What the table shows, in own short words."""
    dataset: Name | None = None
    """Data set of all columns that name none."""
    unit: Literal["percent"] = "percent"
    """Unit of the metric columns."""
    columns: Annotated[tuple[Column, ...], Field(min_length=1)]
    """The columns that hold numbers, from left to right."""
    rows: Annotated[tuple[Row, ...], Field(min_length=1)]
    """The rows from top to bottom."""


# --------------------------------------------------------------------------- experiments and margins


class Experiment(Model):
    """What a row claims to have run: either what to run here, or why it cannot be run here."""

    title: Text
    """The experiment in a few words, for the report."""
    dataset: Name
    """The data set that it trains and tests on."""
    model: Annotated[str, StringConstraints(pattern=MODULE)] | None = None
    """Name of the model's file in reimpl, as in xml_cnn."""
    variant: Text | None = None
    """Name of a variant in that file."""
    config: Mapping[Key, Setting] = {}
    """Keys of the variant that this experiment sets otherwise."""
    protocol: Text | None = None
    """Name of a training protocol, as in chen2022."""
    recipe: Text | None = None
    """Name of the recipe that turns texts into token ids and word vectors."""
    vectors: Text | None = None
    """Initial word vectors as the paper or its code states them, as in GloVe 6B, 300 components."""
    vocabulary: Literal["all", "reduced"] = "all"
    """reduced: only words that the benchmark's bag-of-words features know."""
    unavailable: Text | None = None
    """Why it cannot be run here, in one sentence; then model, variant, protocol and recipe are left out."""


class Departure(Model):
    """A difference between what the paper says and what its public code does."""

    what: Text
    """The thing that differs, in a few words."""
    paper: Text
    """What the paper says, in own words."""
    code: Text
    """What the public code does, in own words."""
    source: Text
    """File and line, or place in the text, that shows it."""
    experiments: tuple[Name, ...] | None = None
    """The experiments it concerns; all when left out."""


class Margin(Model):
    """How far off still counts as the same number; fixed before the first run."""

    value: Points
    """Points of the metric's unit."""
    rule: Literal["digits", "half_gap", "field", "lenient", "paper_yardstick"]
    """Named rule that the value follows."""
    why: Text
    """Why this value, in one sentence."""


# --------------------------------------------------------------------------- claims


class Paired(Model):
    """Declares that the runs of two arms are paired by seed."""

    reason: Text
    """Why: the same initial weights and the same order of the data, not merely the same seed number."""


class Claim(Model):
    """What the paper states about its tables. A kind of claim is a subclass with its own `kind` and keys."""

    references: ClassVar[tuple[str, ...]] = ()
    """Keys that name cells, in the order in which the kind reads them."""
    own_runs_only: ClassVar[bool] = False
    """Whether the printed number itself is judged as the outcome of the paper's run."""

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

    def cells(self) -> tuple[str, ...]:
        """The references: `table.row` or `table.row.column`."""
        return tuple(getattr(self, key) for key in self.references)

    def settings(self) -> dict[str, Any]:
        """Fields of `record.ClaimRecord` that only some kinds set."""
        return {}


class JudgedByMargin(Claim):
    """A claim whose verdict depends on a margin."""

    margin: Margin | None = None
    """This claim's own margin; by default the one in `margins` for the claim, its table, or all."""


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
    """Every run gives the same number."""

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

    def settings(self) -> dict[str, Any]:
        return {"paired": self.paired.reason if self.paired else None}


#: A further kind is a class above and its name here.
AnyClaim = Annotated[ValueClaim | OrderClaim | EquivalentClaim, Field(discriminator="kind")]

KINDS: Mapping[str, type[Claim]] = {
    get_args(kind.model_fields["kind"].annotation)[0]: kind for kind in get_args(get_args(AnyClaim)[0])
}
