"""What a corpus does not say of itself, as options; and the messages that ask for it, in their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from audit.errors import AuditError

if TYPE_CHECKING:
    from reimpl.data.formats import Options

Column = Annotated[
    int | None,
    typer.Option("--column", metavar="N", min=0, help="Which of several split columns, from 0."),
]
Base = Annotated[
    int | None,
    typer.Option("--base", min=0, max=1, help="0 or 1: what label and feature ids count from."),
]
DataFile = Annotated[
    Path | None,
    typer.Option("--data", metavar="FILE", help="The data file of split columns, where it lies elsewhere."),
]
FormatName = Annotated[
    str | None, typer.Option("--format", help="Name of the format, where two of them fit.")
]
TextFields = Annotated[
    list[str] | None,
    typer.Option(
        "--text-field",
        metavar="NAME",
        help="The field of JSON lines or CSV that holds the text; more than once: joined by a space.",
    ),
]
LabelsField = Annotated[
    str | None,
    typer.Option("--labels-field", metavar="NAME", help="The field of JSON lines or CSV with the labels."),
]
Separator = Annotated[
    str | None, typer.Option("--separator", help="What parts the labels where they are one string.")
]
Ids = Annotated[bool, typer.Option("--ids", help="The first column of LibMultiLabel text holds ids.")]
Raw = Annotated[
    bool | None, typer.Option("--raw/--tokenised", help="Which of both, where texts are there twice.")
]


@dataclass(frozen=True)
class Words:
    """How the options of `reimpl.data.formats.Options` are called here."""

    column: str = "--column {}"
    data: str = "--data"
    columns: str = ""
    """The option for all split columns; empty where there is none."""

    @property
    def names(self) -> Mapping[str, str]:
        """Their names there -> what is typed here."""
        return {**_NAMES, "column": self.column.removesuffix(" {}").format("N"), "data": self.data}

    def stated(self, name: str, value: str) -> str:
        """One with its value."""
        if name == "column":
            return self.column.format(value)
        return _FLAGS.get((name, value), f"{self.names[name]} {value}")


_NAMES: Mapping[str, str] = {
    "features_from": "--base",
    "labels_from": "--base",
    "text": "--text-field",
    "labels": "--labels-field",
    "separator": "--separator",
    "ids": "--ids",
    "raw": "--raw",
    "format": "--format",
}
#: In `audit data`; and in `audit tune` and `audit run`, where `--data` is the corpus.
IN_DATA, IN_TUNE = Words(), Words(column="--data DIR@{}", data="--data-file")
IN_RUN = Words(IN_TUNE.column, IN_TUNE.data, columns="--columns")

_FLAGS = {("ids", "True"): "--ids", ("raw", "True"): "--raw", ("raw", "False"): "--tokenised"}
_NAME = "|".join((*_NAMES, "column", "data"))
_STATED = re.compile(rf"(?<![\w./'\"-])({_NAME})=(\.\.\.|[\w-]+)")
_NO_USE = re.compile(rf"option ({_NAME}) means nothing for (.*); it takes (.*)")
_COLUMNS = re.compile(r"(?<=one a column; state )column=0 to column=(\d+)")
_ALONE = re.compile(rf"^({_NAME})(?= is empty)|(?<=, and )({_NAME})(?= right\?)")


def options_of(
    *,
    words: Words = IN_DATA,
    column: int | None,
    base: int | None,
    data: Path | None = None,
    text: list[str] | None = None,
    labels: str | None = None,
    separator: str | None = None,
    ids: bool = False,
    raw: bool | None = None,
) -> Options:
    """What was given; raises `AuditError` for an empty name or separator."""
    from reimpl.data.formats import Options

    start: Any = base  # 0 or 1, as the option's bounds say
    with in_our_words(words):
        return Options(
            features_from=start,
            labels_from=start,
            column=column,
            data=data,
            text=tuple(text) if text else None,
            labels=labels,
            separator=separator,
            ids=ids or None,
            raw=raw,
        )


@contextmanager
def in_our_words(words: Words = IN_DATA) -> Iterator[None]:
    """What the readers ask for, as `AuditError` that names the options of the command."""
    from reimpl.errors import ReimplError

    try:
        yield
    except ReimplError as err:
        raise AuditError(reworded(str(err), words)) from err


def reworded(message: str, words: Words = IN_DATA) -> str:
    """
    >>> reworded("toy: 2 splits, one a column; state column=0 to column=1")
    'toy: 2 splits, one a column; state --column 0 to --column 1'
    >>> reworded("toy: 2 splits, one a column; state column=0 to column=1", IN_RUN)
    'toy: 2 splits, one a column; state --data DIR@0 to --data DIR@1, or --columns 0-1 for all of them'
    >>> reworded("option features_from means nothing for CSV; it takes text, labels, separator")
    'option --base means nothing for CSV; it takes --text-field, --labels-field, --separator'
    """
    names = words.names

    def no_use(it: re.Match[str]) -> str:
        takes = ", ".join(dict.fromkeys(names.get(name, name) for name in it[3].split(", ")))
        return f"option {names[it[1]]} means nothing for {it[2]}; it takes {takes}"

    message = _NO_USE.sub(no_use, message)
    if words.columns:
        message = _COLUMNS.sub(rf"\g<0>, or {words.columns} 0-\1 for all of them", message)
    message = _STATED.sub(lambda it: words.stated(it[1], it[2]), message)
    if "but --base" in message:  # one number here, two for the readers
        message += "; it holds for labels and features: where they count from different ones, renumber one"
    return _ALONE.sub(lambda it: names[it[0]], message)
