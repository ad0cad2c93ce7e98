"""Messages that ask how a corpus is read, in the words of the command that reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from audit.errors import AuditError
from audit.settings import CorpusSettings

if TYPE_CHECKING:
    from reimpl.data.formats import Options


@dataclass(frozen=True)
class Words:
    """How the options of `reimpl.data.formats.Options` are called here."""

    column: str = "--column {}"
    data: str = "--data-file"
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
IN_DATA, IN_TUNE = Words(), Words(column="--data DIR@{}")
IN_RUN = Words(IN_TUNE.column, columns="--columns")

_FLAGS = {("ids", "True"): "--ids", ("raw", "True"): "--raw", ("raw", "False"): "--tokenised"}
_NAME = "|".join((*_NAMES, "column", "data"))
_STATED = re.compile(rf"(?<![\w./'\"-])({_NAME})=(\.\.\.|[\w-]+)")
_NO_USE = re.compile(rf"option ({_NAME}) means nothing for (.*); it takes (.*)")
_COLUMNS = re.compile(r"(?<=one a column; state )column=0 to column=(\d+)")
_ALONE = re.compile(rf"^({_NAME})(?= is empty)|(?<=, and )({_NAME})(?= right\?)")


def options_of(chosen: CorpusSettings, *, words: Words = IN_DATA, column: int | None = None) -> Options:
    """What was given; raises `AuditError` for an empty name or separator."""
    from reimpl.data.formats import Options

    with in_our_words(words):
        return Options(
            features_from=chosen.base,  # type: ignore[arg-type]
            labels_from=chosen.base,  # type: ignore[arg-type]
            column=column,
            data=chosen.data_file,
            text=tuple(chosen.text_field) or None,
            labels=chosen.labels_field,
            separator=chosen.separator,
            ids=chosen.ids or None,
            raw=chosen.raw,
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
