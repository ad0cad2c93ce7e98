"""The parts of a claim file: citation, data sets, tables and margins. The docstring under a field is its
description in the JSON Schema. `misfits` finds problems within an entry."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

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

from audit.claims.source import UNSEEN, KeyPath, visible, visible_throughout
from audit.names import counted, known_names
from audit.stats.printed import COUNTS, Source, printed, printed_count
from reimpl.metric_names import METRICS

#: What a data set has one of; a time or a size is a method's.
CorpusQuantity = Literal[
    "train",
    "test",
    "validation",
    "labels",
    "features",
    "labels_per_document",
    "documents_per_label",
    "words_per_document",
    "words_per_document_train",
    "words_per_document_test",
]
#: What a number of a table can be that is no metric of a ranking.
Quantity = Literal[
    CorpusQuantity,
    "parameters",
    "model_size",
    "training_time",
    "prediction_time",
    "epochs",
    "average_rank",
    "count",
]

#: `RP@5[few]` is RP@5 over a subset of the labels: another metric, by whatever word the paper has for them.
METRIC_PATTERN = r"^(({})@[1-9][0-9]*|{})(\[[a-z0-9][a-z0-9_-]*\])?$".format(
    "|".join(name for name, with_k in METRICS.items() if with_k),
    "|".join(name for name, with_k in METRICS.items() if not with_k),
)
_METRIC_SCHEMA = {"type": "string", "pattern": METRIC_PATTERN}
_NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]*$"
_COLUMN = rf"^[^\s.:{UNSEEN}]+$"
_REFERENCE = r"^[^\s.]+(\.[^\s.]+){0,2}$"
SYMBOL = r"^[A-Za-z][A-Za-z0-9_]*$"
MODULE = r"^[a-z][a-z0-9_]*$"
_FINGERPRINT = r"^[0-9a-f]{32,64}$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_URL = rf"^https?://[^\s{UNSEEN}]+$"

#: What each pattern asks for, in words.
PATTERNS: Mapping[str, str] = {
    _NAME: "letters, digits, - and _ only, as in kim_words",
    _COLUMN: "no blanks, dots, colons or control characters, as in P@1",
    _REFERENCE: "table.row or table.row.column, as in t4.kim_words, or an experiment",
    SYMBOL: "a letter, then letters, digits and _ only, as in L",
    MODULE: "the name of a file in reimpl without .py, as in xml_cnn",
    _FINGERPRINT: "a SHA-256 in lower-case hexadecimal digits",
    _DATE: "a day as 2026-11-28",
    _URL: "an address that begins with https:// or http://",
}


def is_metric(name: str) -> bool:
    """Whether it is one of our spellings: `nDCG@5` and not `NDCG@5`."""
    return re.fullmatch(METRIC_PATTERN, name) is not None


def sound_metric(name: str) -> str:
    """The name. Raises `ValueError` with the likely one, `P@1` for `Prec@1`."""
    if is_metric(name):
        return name
    k = (re.findall(r"@([1-9][0-9]*)", name, re.ASCII) or ["5"])[0]
    names = [f"{known}@{k}" if with_k else known for known, with_k in METRICS.items()]
    short = re.sub(r"(?i)(?<=p)rec(ision)?|(?<=r)ec(all)?", "", name)
    raise ValueError(f"unknown metric {name!r}; {known_names(short, names)}")


def no_number(text: str, read: Callable[[str], object] = printed) -> str | None:
    """Why `text` is not a printed number, and what to do; None if it is one."""
    try:
        read(text)
    except ValueError:
        how = "write it as printed (83.50, 15,449, 12%), and null for a dash"
        return f"{text!r} is not a printed number; {how}"
    return None


def _number(read: Callable[[str], object]) -> AfterValidator:
    def checked(text: str) -> str:
        if why := no_number(text, read):
            raise ValueError(why)
        return text

    return AfterValidator(checked)


def _listed(value: object) -> object:
    """A single item becomes a list of one."""
    return [value] if isinstance(value, str) else value


def _one_or_more(item: dict[str, Any]) -> Schema:
    return Schema({"anyOf": [item, {"type": "array", "items": item, "minItems": 1}]})


Text = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1),
    AfterValidator(visible),
    Schema({"type": "string", "minLength": 1, "pattern": rf"^\s*[^{UNSEEN}]+\s*$"}),
]
#: Words of somebody else, with their paragraphs.
Lines = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1),
    AfterValidator(lambda text: "\n".join(map(visible, text.split("\n")))),
    Schema({"type": "string", "minLength": 1, "pattern": rf"^\s*[^{UNSEEN}]+(\n[^{UNSEEN}]*)*\s*$"}),
]
Name = Annotated[str, StringConstraints(pattern=_NAME)]
MarginName = Annotated[str, StringConstraints(pattern=rf"{_NAME.removesuffix('$')}(:[A-Za-z0-9@_\[\]-]+)?$")]
ColumnName = Annotated[str, StringConstraints(pattern=_COLUMN)]
Count = Annotated[int, Field(strict=True, ge=1)]
Points = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Flag = Annotated[bool, Field(strict=True)]
Metric = Annotated[str, AfterValidator(sound_metric), Schema(_METRIC_SCHEMA)]
Metrics = Annotated[
    tuple[Metric, ...], Field(min_length=1), BeforeValidator(_listed), _one_or_more(_METRIC_SCHEMA)
]
Printed = Annotated[str, StringConstraints(min_length=1), AfterValidator(visible)]
PrintedNumber = Annotated[
    str,
    AfterValidator(visible),
    _number(printed),
    Schema({"type": "string", "pattern": r"^\s*[-+\u2212\u2013]?[0-9.,]+\s?%?\s*$"}),
]
Statistic = Annotated[
    str,
    AfterValidator(visible),
    _number(printed_count),
    Schema({"type": "string", "pattern": r"^[^0-9]*[0-9.,]+\s?[%KkMm]?\s*$"}),
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


Misfit = tuple[KeyPath, str]
"""A key that does not go with the others: its path from the entry, and a sentence that says what to do."""


class MisfitError(ValueError):
    """Keys of one entry that contradict each other."""

    def __init__(self, problems: Sequence[Misfit]) -> None:
        super().__init__("; ".join(text for _, text in problems))
        self.problems = problems


def repeated(path: KeyPath, names: Iterable[str]) -> Iterator[Misfit]:
    """A problem for each name that a list repeats."""
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        if first.setdefault(name, index) != index:
            where = f"{path[-1]}[{first[name]}]"
            yield (*path, index), f"{name!r} stands twice (first as {where}); keep one or rename this one"


class Model(BaseModel):
    """A frozen model that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, defer_build=True)

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if found := tuple(self.misfits()):
            raise MisfitError(found)
        return self

    def misfits(self) -> Iterator[Misfit]:
        """Keys that contradict each other."""
        yield from ()


class Shorthand(Model):
    """A model that one text may replace: it is the value of each of its `text_keys`."""

    text_keys: ClassVar[tuple[str, ...]]
    text_schema: ClassVar[dict[str, Any]] = {"type": "string", "minLength": 1}

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        return value if isinstance(value, dict | Model) else dict.fromkeys(cls.text_keys, value)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> dict[str, Any]:
        schema: dict[str, Any] = handler.resolve_ref_schema(handler(core_schema))
        return {"anyOf": [cls.text_schema, dict(schema)], "description": schema.get("description", "")}


# --------------------------------------------------------------------------- the paper and its data


class Code(Model):
    """The paper's public code."""

    url: Annotated[str, StringConstraints(pattern=_URL)]
    commit: Text | None = None
    """The commit that was read."""


class Citation(Model):
    """Which paper this is."""

    key: Name
    """Short name of the paper, as in chen2022."""
    title: Text
    authors: tuple[Text, ...] = ()
    """Authors in the order of the paper."""
    venue: Text | None = None
    """Conference or journal."""
    year: Annotated[int, Field(strict=True, ge=1900, le=2100)] | None = None
    url: Annotated[str, StringConstraints(pattern=_URL)] | None = None
    code: Code | None = None


class Dataset(Model):
    """A data set that the paper reports on."""

    name: Text
    """Name as the paper writes it."""
    catalogue: Name | None = None
    """Name of the collection in the catalogue, as in eurlex-4k; other claim files share it."""
    printed: Mapping[Name, Statistic] = {}
    """Statistics as printed, in quotes: train, test, labels, ...; also "about 3,200" and "3.8K"."""
    content: Fingerprints | None = None
    """SHA-256 fingerprints of the exact data; null while unknown."""
    corpus: Fingerprints | None = None
    """SHA-256 fingerprints of the documents in any split: such data are another split."""
    partition: Fingerprints | None = None
    """SHA-256 fingerprints of the split in any order: such data are the same."""

    def misfits(self) -> Iterator[Misfit]:
        for name, text in self.printed.items():
            count = printed_count(text)
            if name in COUNTS and (count.percent or count.value < 1 or count.value.denominator != 1):
                yield ("printed", name), f"{count.text!r} is not a count; write a whole number above 0"


class Where(Model):
    """Place in the paper's text."""

    section: Text | None = None
    """Section number in quotes, as in "3.2"; or abstract."""
    page: Count | None = None
    """Page number as printed on the page."""
    label: Text | None = None
    """Label of the table or figure, as in Table 4."""


# --------------------------------------------------------------------------- tables


class Transcription(Model):
    """How the numbers came into this file, and who compared them with the page."""

    source: Text | None = None
    """What they were read from, as in: text extracted from the PDF."""
    compared: Text | None = None
    """How the reading was checked, as in: two readings compared by program."""
    verified_by: Text | None = None
    """Who compared every number with the printed page; null while nobody has."""
    date: Annotated[str, StringConstraints(pattern=_DATE)] | None = None
    """Day of that check, in quotes: "2026-11-28"."""
    fingerprint: Fingerprint | None = None
    """Digest of the numbers that `audit verify` saw; a later change makes them unverified."""


class Origin(Model):
    """Whose run a number is; a table, a row, a column or one cell may say so, the narrower place first."""

    source: Source | None = None
    """own_run: the authors ran it; copied: from another paper (see from); code_readme: the authors' public
    code prints it; stated: a setting or a statistic; unknown."""
    copied_from: Name | None = Field(default=None, alias="from")
    """Key of the paper that a copied number was taken from."""

    def misfits(self) -> Iterator[Misfit]:
        if self.source == "copied" and self.copied_from is None:
            yield ("from",), "a copied row must name its paper; add from: <key of that paper>"
        if self.copied_from is not None and self.source not in (None, "copied"):
            yield ("from",), "only a copied row names a paper; drop it or set source: copied"


class Subject(Origin):
    """What a row or a column is about, where its numbers share it."""

    metric: Metric | None = None
    """Metric of its numbers."""
    quantity: Quantity | None = None
    """What its numbers are, if not a metric: train, labels, training_time, ..."""
    unit: Text | None = None
    """Unit as printed, as in hours."""
    dataset: Name | None = None
    """Data set of its numbers; the table's when left out."""
    experiment: Name | None = None
    """The experiment that its numbers report; with several data sets, the one on the number's data set."""


class Column(Shorthand, Subject):
    """A column; a metric name alone stands for a column with that id and metric."""

    text_keys = ("id", "metric")
    text_schema = _METRIC_SCHEMA

    id: ColumnName
    """Short name, for references such as t5.words.max."""
    label: Text | None = None
    """Heading as printed; the id when left out."""


class Value(Shorthand, Origin):
    """One number as printed, where it has a mark or a spread, or is another's than its row's."""

    text_keys = ("printed",)

    printed: Printed
    """The number as printed, in quotes, without its mark."""
    mark: Text | None = None
    """Footnote mark, star or bold, as in "*"."""
    sd: PrintedNumber | None = None
    """The number after the plus-minus sign."""
    note: Text | None = None
    """Facts about the number from other sources, shown with its findings."""


class Row(Subject):
    """A row of printed numbers, one for each column."""

    id: Name
    """Short name, for references such as t4.kim_words."""
    label: Text | None = None
    """Name of the row as printed; the id when left out."""
    experiments: Mapping[ColumnName, Name] | None = None
    """Column id to experiment, if every cell of the row is another experiment."""
    values: tuple[Value | None, ...]
    """The numbers as printed, each in quotes; null where the paper prints a dash."""

    def misfits(self) -> Iterator[Misfit]:
        yield from super().misfits()
        if self.experiment is not None and self.experiments is not None:
            text = "stands beside experiment; keep experiment for the whole row or experiments by column"
            yield ("experiments",), text


class Table(Origin):
    """A table as the paper prints it."""

    where: Where
    caption: Text
    """What the table shows, in your own short words."""
    dataset: Name | None = None
    """Data set of numbers whose row and column name none."""
    metric: Metric | None = None
    """Metric of numbers whose row and column name none."""
    unit: Text = "percent"
    """Unit of the metrics: percent, or fraction (of 1). Margins are in percent points in either case."""
    runs: Count | None = None
    """Runs behind each number, if the paper states them: 1 for single runs, more for means."""
    spread: Literal["sd", "se", "ci95"] | None = None
    """Meaning of the number after the plus-minus sign; null if the paper does not say."""
    transcription: Transcription | None = None
    """Transcription of this table, if it differs from the paper's."""
    columns: Annotated[tuple[Column, ...], Field(min_length=1)]
    rows: Annotated[tuple[Row, ...], Field(min_length=1)]

    def misfits(self) -> Iterator[Misfit]:
        yield from super().misfits()
        columns = [column.id for column in self.columns]
        yield from repeated(("columns",), columns)
        yield from repeated(("rows",), [row.id for row in self.rows])
        for index, column in enumerate(self.columns):
            where = (column.dataset, self.dataset, *(row.dataset for row in self.rows))
            if column.metric and not any(where):
                yield ("columns", index), "has no data set; give the table or this column a dataset"
        for index, row in enumerate(self.rows):
            if len(row.values) != len(columns):
                values, wanted = counted(len(row.values), "value"), counted(len(columns), "column")
                one = f"({', '.join(columns)}); give one a column, null for a dash"
                yield ("rows", index, "values"), f"holds {values} for {wanted} {one}"
            for name in row.experiments or ():
                if name not in columns:
                    text = f"there is no column {name!r}; {known_names(name, columns)}"
                    yield ("rows", index, "experiments", name), text
        sizes = [min(len(row.values), len(columns)) for row in self.rows]
        cells = [(row, place) for row, size in enumerate(sizes) for place in range(size)]
        # what holds for a whole row or table is said once
        yield from dict.fromkeys(misfit for cell in cells for misfit in self._in_cell(*cell))

    def _in_cell(self, row: int, column: int) -> Iterator[Misfit]:
        """Problems of a cell: it must be a number of a known source, in a unit that its metric has."""
        fields, value = self.cell(row, column), self.rows[row].values[column]
        metric, quantity = fields["metric"], fields["quantity"]
        if value is None or not (metric or quantity):
            return
        place: KeyPath = ("rows", row, "values", column, "printed")
        why = no_number(value.printed, printed_count if quantity in COUNTS else printed)
        if why:
            yield place, why
        if fields["source"] is None:
            text = "has no source; give the row, its column or the table one"
            yield ("rows", row, "source"), text
        if metric and fields["unit"] not in ("percent", "fraction"):
            known = known_names(str(fields["unit"]), ("percent", "fraction"))
            yield ("unit",), f"a metric has the unit {fields['unit']!r}; {known}"
        elif metric and fields["unit"] == "fraction" and not why:
            for number in filter(None, (value.printed, value.sd)):
                if not 0 <= printed(number).value <= 1:
                    text = f"{number!r} is not a fraction of 1; write unit: percent if it is a percentage"
                    yield place, text

    def cell(self, row: int, column: int) -> dict[str, Any]:
        """What the table says of one cell, as `record.Cell` names it; what a narrower place says counts. The
        experiment is as the file writes it, and may be one on several data sets."""
        line, heading = self.rows[row], self.columns[column]
        value = line.values[column]
        source = _first("source", value, line, heading, self)
        quantity = _first("quantity", line, heading)
        metric = None if quantity else _first("metric", heading, line, self)
        by_column = (line.experiments or {}).get(heading.id)
        return {
            "printed": value.printed if value else None,
            "source": source,
            "experiment": line.experiment or by_column or heading.experiment,
            "copied_from": _first("copied_from", value, line, heading, self)
            if source in (None, "copied")
            else None,
            "metric": metric,
            "dataset": _first("dataset", heading, line, self),
            "quantity": quantity,
            "unit": _first("unit", heading, line) or (self.unit if metric else None),
            **{key: getattr(value, key) if value else None for key in ("mark", "sd", "note")},
        }


def _first(key: str, *places: Model | None) -> Any:
    """The value from the narrowest place that gives one."""
    values = (getattr(place, key) for place in places if place)
    return next((value for value in values if value is not None), None)


class Missing(Model):
    """A table or figure of the paper that is not in this file."""

    label: Text
    """Its label, as in Table 7."""
    why: Text
    """Why it is missing, in one sentence."""


class AuthorResponse(Model):
    """The authors' answer to the findings and verdicts, shown unchanged in the report."""

    asked: Annotated[str, StringConstraints(pattern=_DATE)]
    """Day on which they were asked, in quotes: "2026-11-28"."""
    answered: Annotated[str, StringConstraints(pattern=_DATE)] | None = None
    """Day of their answer; null while there is none."""
    answer: Lines | None = None
    """Their answer, word for word (after `|`, on lines of its own); null while there is none."""
    effect: Text | None = None
    """What it changed in this audit, in one sentence."""

    def misfits(self) -> Iterator[Misfit]:
        if (self.answered is None) != (self.answer is None) or (self.effect and self.answer is None):
            yield (), "answer and answered go together, and effect with them; write all, or none while silent"
        elif self.answered is not None and self.answered < self.asked:
            yield (), f"answered on {self.answered}, before asked on {self.asked}; correct one of them"


# --------------------------------------------------------------------------- margins


class Superseded(Model):
    """Declares a new audit of runs that began under earlier margins."""

    hash: Annotated[str, StringConstraints(pattern=_FINGERPRINT)]
    """Hash of the earlier margins, as the verdicts and run records give it."""
    why: Text
    """What was changed after the runs, and why; shown beside every verdict on them."""


class Margin(Model):
    """The largest difference that counts as equal; fixed before the first run."""

    value: Points | None = None
    """The margin in points; may be left out if the rule gives it."""
    rule: Literal["digits", "half_gap", "field", "lenient", "paper_yardstick"] | None = None
    """Rule that the value follows; without rule and value, the smaller of half_gap and field."""
    why: Text
    """Why this value, in one sentence."""

    def misfits(self) -> Iterator[Misfit]:
        if self.value is not None and self.rule is None:
            yield ("rule",), "this key is missing; add it, or drop value for the default rules"
