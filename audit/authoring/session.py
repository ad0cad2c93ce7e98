"""One table on its way into a claim file: all that the user has said of it so far, and how it is taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from audit.authoring.cells import RawCell, Reading
from audit.authoring.corrections import Correction, settings_of
from audit.authoring.edit import ClaimFile
from audit.authoring.entry import About, free_id, put
from audit.authoring.headings import Known
from audit.authoring.propose import Line, Mapped, Whole, mapped
from audit.authoring.reading import Options, table_of
from audit.errors import AuditError
from audit.names import known_names

if TYPE_CHECKING:
    from rich.table import Table


#: Keys of `table:` that are one of a few words.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "unit": ("percent", "fraction"),
    "source": ("own_run", "copied", "code_readme", "stated", "unknown"),
    "spread": ("sd", "se", "ci95"),
    "decimal": ("point", "comma"),
    "beside": ("sd", "mark"),
}
#: Those that are whole numbers from 1; `names` may be 0.
_NUMBERS = ("page", "runs", "heads", "names")


@dataclass(frozen=True)
class Session:
    """Everything that decides what is written; `with_` gives one more correction."""

    source: str
    text: str
    file: ClaimFile
    catalogue: Mapping[str, str]
    """Keys of the catalogue of corpora, with their names."""
    options: Options = field(default_factory=Options)
    new_datasets: Mapping[str, str] = field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()

    def with_(self, correction: Correction) -> Session:
        """Raises `AuditError` for what cannot be meant, so that it is said at once."""
        new = replace(self, corrections=(*self.corrections, correction))
        _ = new.about, new._options
        return new

    def mapped(self) -> Mapped:
        """The table with what its parts are. Raises `AuditError` where it cannot be read."""
        table = table_of(self.source, self.text, self._options)
        return mapped(table, Known(self.file.paper, self.catalogue), self._whole, self.corrections)

    def put(self) -> None:
        """Add the entry to `file`; nothing is written yet. Raises `AuditError` with all that is open."""
        put(self.file, self.mapped(), self.about)

    @property
    def about(self) -> About:
        said = self._said
        return About(
            id=said.get("id") or free_id(self.file.paper.tables),
            page=_number(said, "page"),
            section=said.get("section"),
            label=said.get("label"),
            caption=said.get("caption"),
            runs=_number(said, "runs"),
            spread=said.get("spread"),
        )

    @property
    def _said(self) -> Mapping[str, str]:
        said = settings_of(self.corrections, "table").get((), {})
        for key, choices in CHOICES.items():
            if key in said and said[key] not in choices:
                raise AuditError(f"{said[key]!r} is no {key}; {known_names(said[key], choices)}")
        return said

    @property
    def _options(self) -> Options:
        said = self._said
        reading = Reading(said.get("decimal"), said.get("beside"))  # type: ignore[arg-type]
        cells = settings_of(self.corrections, "cell").items()
        return replace(
            self.options,
            reading=reading,
            heads=_number(said, "heads"),
            names=_number(said, "names", least=0),
            settled=frozenset(place for place, it in cells if {"value", "dash"} & set(it)),
        )

    @property
    def _whole(self) -> Whole:
        said = self._said
        source = said.get("source", "copied" if "from" in said else "unknown")
        return Whole(
            said.get("dataset"),
            said.get("metric"),
            said.get("unit"),
            source,
            said.get("from"),
            self.new_datasets,
        )


def _number(said: Mapping[str, str], key: str, *, least: int = 1) -> int | None:
    if key not in said:
        return None
    text = said[key]
    if not (text.isascii() and text.isdecimal() and len(text) < 7 and int(text) >= least):
        raise AuditError(f"{key} {text!r} is no whole number from {least}; give one")
    return int(text)


#: Longer names and texts are cut on the screen, and nowhere else.
_MOST = 40
#: Rows of a table that are shown.
_ROWS = 60


def shown(mapped: Mapped) -> Table:
    """The table with its rows and columns numbered as corrections count them."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("row", justify="right")
    table.add_column("id")
    for line in mapped.columns:
        right = "right" if line.role == "values" else "left"
        table.add_column(Text("\n".join(_heading(line))), justify=right)  # type: ignore[arg-type]
    for row in mapped.rows[:_ROWS]:
        raw = mapped.table.rows[row.number - 1]
        cells = [mapped.cells.get((row.number, cell.column), cell) for cell in raw.cells]
        about = _about(row) if row.role != "skip" else "left out"
        texts = [_content(cell, line) for cell, line in zip(cells, mapped.columns, strict=True)]
        table.add_row(*(Text(it) for it in (str(row.number), f"{_cut(row.id)}{about}", *texts)))
    return table


def remarks(mapped: Mapped) -> Iterator[str]:
    """What the table does not show: what is left out, what was spelled anew, what could not be read."""
    table = mapped.table
    at = f"{table.name}:{table.line}"
    heads = f"{len(table.heading)} row{'s' if len(table.heading) > 1 else ''}"
    yield f"{at}: {table.form}; the heading has {heads} (else --heads N)"
    if len(mapped.rows) > _ROWS:
        yield f"{len(mapped.rows) - _ROWS} more rows are not shown here"
    for line in mapped.columns:
        if line.role == "skip":
            yield f"column {line.number} ({line.label or 'empty'}) is left out"
    for line in mapped.rows:
        if line.role == "skip":
            yield f"row {line.number} ({line.label}) is left out"
    yield from _carried(mapped)
    for (row, column), cell in mapped.cells.items():
        if (row, column) in mapped.corrected:
            yield f"cell {row},{column}: {cell.text!r} is taken as {_written(cell)}, as you said"
        elif cell.changed:
            yield f"cell {row},{column}: {cell.text!r} is taken as {cell.value!r}"
    empty = [place for place, cell in mapped.cells.items() if cell.kind == "empty"]
    if empty:
        listed = " ".join(f"{row},{column}" for row, column in empty[:8])
        more = f" and {len(empty) - 8} more" if len(empty) > 8 else ""
        yield f"empty in the file, and null like a dash: {listed}{more}"
    for id, dataset in mapped.new_datasets.items():
        yield f"data set {id} ({dataset['name']}) is added to the claim file"
    for unread in table.unread:
        yield f"not taken: {unread}"


def _carried(mapped: Mapped) -> Iterator[str]:
    """Names that are blank in the file and were taken from above, one line for each."""
    above: dict[tuple[int, str], list[int]] = {}
    for row in mapped.table.rows:
        for cell in row.cells:
            if cell.carried:
                above.setdefault((cell.column, cell.text), []).append(row.number)
    for (column, text), rows in above.items():
        of = f"row{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows))}"
        is_blank = "is blank, and goes" if len(rows) == 1 else "are blank, and go"
        other = f"say row {rows[0]}: label=... dataset=... if not"
        yield f"column {column}, {of} {is_blank} on with {text!r} above; {other}"


def _written(cell: RawCell) -> str:
    if cell.value is None:
        return "null"
    sd = f" ±{cell.sd}" if cell.sd is not None else ""
    return f"{cell.value!r}{sd}" + (f" {{{' '.join(cell.marks)}}}" if cell.marks else "")


def _heading(line: Line) -> list[str]:
    titles = [str(line.number), _cut(line.label)]
    return [*titles, f"[{_role(line)}]"]


def _role(line: Line) -> str:
    if line.role != "values":
        return {"names": "names", "skip": "left out", "text": "text"}[line.role]
    parts = [line.settings.get(key) for key in ("dataset", "metric", "quantity", "unit")]
    return " ".join(it for it in parts if it) or "values"


def _about(line: Line) -> str:
    parts = [f"{key}={it}" for key, it in line.settings.items()]
    return f" [{' '.join(parts)}]" if parts else ""


def _content(cell: RawCell, line: Line) -> str:
    if line.role != "values":
        return _cut(cell.text)
    if cell.kind == "number":
        sd = f" ±{cell.sd}" if cell.sd is not None else ""
        marks = f" {{{' '.join(cell.marks)}}}" if cell.marks else ""
        return f"{cell.value}{sd}{marks}"
    return {"dash": "-", "empty": ""}.get(cell.kind, f"? {_cut(cell.text)}")


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else text[: _MOST - 3] + "..."
