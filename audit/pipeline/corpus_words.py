"""How a corpus is read, as the readers take it; and their questions as the command asks them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from audit.errors import AuditError, option
from audit.settings import CorpusSettings

if TYPE_CHECKING:
    from reimpl.data.formats import Options
    from reimpl.errors import Spelling


#: Options of the readers -> the fields of `audit.settings`.
_FIELDS = {"features_from": "base", "labels_from": "base", "text": "text_field", "labels": "labels_field"}
_FIELDS |= {"data": "data_file"}


def in_data(name: str, value: str) -> str:
    """`audit data`, where the corpus is an argument."""
    if name == "_one_base":
        return "; it holds for labels and features: where they count from different ones, renumber one"
    return "" if name.startswith("_") else option(_FIELDS.get(name, name), value)


def in_tune(name: str, value: str) -> str:
    """`audit tune`, where `--data` is the corpus and has the split column behind it."""
    return option("data", f"DIR@{value or 'N'}") if name == "column" else in_data(name, value)


def in_run(name: str, value: str) -> str:
    """`audit run`, which also takes all split columns at once."""
    return f", or {option('columns', value)} for all of them" if name == "_columns" else in_tune(name, value)


def options_of(chosen: CorpusSettings, *, spelling: Spelling = in_data, column: int | None = None) -> Options:
    """What was given; raises `AuditError` for an empty name or separator."""
    from reimpl.data.formats import Options

    with corpus_questions(spelling):
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
def corpus_questions(spelling: Spelling = in_data) -> Iterator[None]:
    """What the readers ask for, as `AuditError` with the options of the command."""
    from reimpl.errors import ReimplError, spelled

    try:
        yield
    except ReimplError as err:
        raise AuditError(spelled(err.message, spelling)) from err
