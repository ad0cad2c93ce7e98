"""Changes to a claim file that leave every other character unchanged, and new entries made from texts.

    file = ClaimFile.open(Path("claims/chen2022.yaml"))
    file.put(("tables", "t9"), {"where": {"label": "Table 9"}, ...})
    file.save()

What is new is rendered as YAML and set into the text where the parser says that its neighbours end: a dump of
the whole file would lose its comments. The loader reads the new text before it replaces the old one."""

from __future__ import annotations

import codecs
import difflib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template
from typing import Annotated, Any

import yaml
from pydantic import TypeAdapter, ValidationError

from audit.claims.load import KnownNames, Paper, json_schema, load
from audit.claims.schema import Citation, Model
from audit.claims.source import KeyPath, Plain, plain, shown
from audit.errors import AuditError, ClaimFileError
from audit.names import known_names
from audit.record import Cell, TableRecord
from audit.storage.files import explained, write

SCHEMA_NAME = "claim.schema.json"
#: A mapping or list of this many characters still stands on one line.
ONE_LINE = 110
_RESERVED = ("null", "true", "false", "yes", "no", "on", "off", "y", "n")


@dataclass
class ClaimFile:
    """A valid claim file and the pending changes to it; nothing is written before `save`."""

    path: Path
    paper: Paper  # As it was read.
    old: bytes  # Its content as it was read.
    text: str  # Its text with the changes so far, its lines ended by \\n alone.
    known: KnownNames | None = None

    @classmethod
    def open(cls, path: Path, *, known: KnownNames | None = None) -> ClaimFile:
        """Read a file to be changed. Raises `ClaimFileError` with all problems that it already has."""
        paper = load(path, known=known)
        with explained(path):
            content = path.read_bytes()
        return cls(path, paper, content, _plain(content), known)

    def diff(self) -> str:
        """The changes as a unified diff for a person; empty if there are none."""
        texts = _plain(self.old).splitlines(), self.text.splitlines()
        return "\n".join(difflib.unified_diff(*texts, str(self.path), f"{self.path} (new)", lineterm=""))

    def check(self) -> Paper:
        """Load the new text; raises `ClaimFileError` with the lines that it would have."""
        try:
            return load(self.path, known=self.known, content=self.text.encode())
        except ClaimFileError as err:
            what = "not changed: the result would not be valid; line numbers are those of the result"
            raise ClaimFileError([f"{self.path}: {what}", *err.problems]) from err

    def save(self) -> Paper:
        """Replace the old text in one step. Raises `AuditError` if another program changed the file."""
        paper = self.check()
        new = self.text.replace("\n", "\r\n") if b"\r\n" in self.old else self.text
        mark = codecs.BOM_UTF8 if self.old.startswith(codecs.BOM_UTF8) else b""
        with explained(self.path):
            if self.path.read_bytes() != self.old:
                raise AuditError(f"{self.path}: another program changed it meanwhile; give the command again")
            self.old = mark + new.encode()
            write(self.path.resolve(), self.old)
        return paper

    def put(self, place: KeyPath, value: Plain) -> None:
        """Add a key, and the mapping that holds it. Raises `AuditError` if it already exists."""
        above, key, there = tuple(place[:-1]), place[-1], self._spans()
        if place in there:
            raise AuditError(f"{self.path}: {shown(place)} already exists; choose another name")
        if not above:
            self._add_part(str(key), value)
        elif above not in there:
            self.put(above, {key: value})
        else:
            self._add(there[above], {key: value})

    def append(self, place: KeyPath, item: Plain) -> None:
        """Add an item to the end of the list at `place`."""
        there = self._spans()
        if len(place) == 1 and place not in there:
            self._add_part(str(place[0]), [item])
        else:
            self._add(there[place], [item])

    def replace(self, place: KeyPath, value: Plain) -> None:
        span = self._spans()[place]
        if span.flow:
            blank = " " if span.start == span.end else ""
            self._set(span.start, span.end, blank + rendered(value, flow=True))
        else:
            self._set(span.start, span.end, _indented(block(value), self._column(span)).lstrip(" "))

    def _spans(self) -> dict[KeyPath, Span]:
        self.text = self.text if self.text.endswith("\n") else self.text + "\n"
        return spans(self.text)

    def _add(self, span: Span, new: Plain) -> None:
        """Add one entry at the end of a mapping or list."""
        if span.flow and span.last:
            self._set(span.last.end, span.last.end, f", {rendered(new, flow=True)[1:-1]}")
        elif span.flow:
            comment = self.text.find("\n", span.end)
            lines = _indented(block(new), span.column + 2)
            head = self.text[: span.start].rstrip(" ") + self.text[span.end : comment]
            self._set(0, comment, f"{head}\n{lines}")
        else:
            end = self.text.find("\n", max(span.end - 1, span.start))
            self._set(end, end, "\n" + _indented(block(new), self._column(span)))

    def _add_part(self, name: str, value: Plain) -> None:
        """Add a part of the file after the last of those that the schema puts before it."""
        order, there = list(Paper.model_fields), self._spans()
        before = [part for part in order[: order.index(name)] if (part,) in there]
        end = self.text.find("\n", there[(before[-1],)].end - 1)
        self._set(end, end, f"\n\n{block({name: value})}")

    def _column(self, span: Span) -> int:
        return span.start - self.text.rfind("\n", 0, span.start) - 1

    def _set(self, start: int, end: int, new: str) -> None:
        self.text = self.text[:start] + new + self.text[end:]


def _plain(content: bytes) -> str:
    return content.decode("utf-8-sig").replace("\r\n", "\n")


@dataclass
class Span:
    """One value: `text[start:end]`, without the comments and empty lines behind it."""

    start: int
    end: int
    flow: bool  # Written on the spot: a scalar, or a list or mapping in brackets.
    column: int  # Of its own key; for an item of a list, of the item.
    last: Span | None = None  # Of what it holds, the last.


def spans(text: str) -> dict[KeyPath, Span]:
    """The span of every value by its path. `text` is valid YAML without aliases, as a claim file is."""
    found: dict[KeyPath, Span] = {}

    def add(node: yaml.Node, path: KeyPath, column: int, after_key: int) -> Span:
        start, end = node.start_mark.index, node.end_mark.index
        span = found[path] = Span(start, end, True, column)
        if isinstance(node, yaml.ScalarNode):
            if start == end:  # nothing stands there, and the parser's mark is that of what comes next
                span.start = span.end = after_key
            elif node.style in ("|", ">"):
                span.end = len(text[:end].rstrip())
            return span
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                colon = text.index(":", key.end_mark.index) + 1
                span.last = add(value, (*path, key.value), key.start_mark.column, colon)
        else:
            for number, value in enumerate(node.value):
                span.last = add(value, (*path, number), value.start_mark.column, 0)
        span.flow = bool(node.flow_style)
        if span.last is not None and not span.flow:
            span.end = span.last.end
        return span

    add(yaml.compose(text, Loader=yaml.CSafeLoader), (), 0, 0)
    return found


def rendered(value: Plain, *, flow: bool = False) -> str:
    """YAML text of plain data, without a final line end; with `flow`, on one line."""
    if isinstance(value, str):
        return _quoted(value)
    if not isinstance(value, dict | list | tuple):
        return json.dumps(value)
    items = list(value.values()) if isinstance(value, dict) else list(value)
    texts = [rendered(item, flow=True) for item in items]
    if isinstance(value, dict):
        pairs = (f"{_quoted(str(key))}: {text}" for key, text in zip(value, texts, strict=True))
        line = f"{{{', '.join(pairs)}}}"
    else:
        line = f"[{', '.join(texts)}]"
    inner = [it for item in items if isinstance(item, dict) for it in item.values()]
    nested = any(isinstance(it, dict | list) for it in inner)
    if flow or (not nested and len(line) <= ONE_LINE):
        return line
    return block(value) if isinstance(value, dict) else _indented(block(value), 2)


def block(value: Plain) -> str:
    """A mapping or list with each entry on its own lines, in the most readable form."""
    if not isinstance(value, dict):
        return "\n".join("- " + _indented(rendered(item), 2)[2:] for item in value)
    lines = []
    for key, item in value.items():
        text = rendered(item)
        if isinstance(item, dict | list | tuple) and text[:1] not in "[{":
            text = "\n" + (_indented(text, 2) if isinstance(item, dict) else text)
        else:
            text = f" {text}"
        lines.append(f"{_quoted(str(key))}:{text}")
    return "\n".join(lines)


def _indented(text: str, by: int) -> str:
    return "\n".join(f"{' ' * by}{line}" if line else line for line in text.split("\n"))


def _quoted(text: str) -> str:
    """The text in quotes if YAML could read it as anything else: printed numbers stay strings."""
    letters = text.translate(dict.fromkeys(map(ord, "@-_ ."), ""))
    safe = letters.isalnum() and text[0].isalpha() and text.isascii() and text == text.strip()
    if safe and text.casefold() not in _RESERVED:
        return text
    quoted: str = yaml.dump(text, default_style='"', allow_unicode=True, width=float("inf"))
    return quoted.rstrip("\n")


# --------------------------------------------------------------------------- new parts from words


def entry(model: type[Model], texts: Mapping[str, str | None]) -> dict[str, Plain]:
    """Values from texts, by key, required keys first: YAML, text, or lists with commas. Raises `AuditError`
    for an unknown key, or a text that does not fit its key."""
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    words = {name: text for name, text in texts.items() if text}
    for name in words:
        if name not in fields:
            raise AuditError(f"there is no key {name!r} here; {known_names(name, fields)}")
    order = sorted(words.keys() & fields.keys(), key=[*fields].index)
    order.sort(key=lambda name: not fields[name].is_required())
    return {name: _value(name, words[name], fields[name]) for name in order}


def _value(name: str, text: str, field: Any) -> Plain:
    kind: Any = field.annotation
    adapter: TypeAdapter[Any] = TypeAdapter(Annotated[kind, *field.metadata] if field.metadata else kind)
    meanings: list[Plain] = [text, [part.strip() for part in text.split(",") if part.strip()]]
    with suppress(ClaimFileError):
        value = plain(text)
        if not isinstance(value, str) or text[:1] in "'\"":  # of a bare text it would cut off a comment
            meanings.insert(0, value)
    problems = []
    for value in meanings:
        try:  # JSON's own types, each as what it is: "5" is no number, and 5 is no text
            adapter.validate_python(value, strict=isinstance(value, int | float) or None)
        except ValidationError as err:
            first = err.errors()[0]
            several = first["type"] == "too_short"
            few = f"name {first['ctx']['min_length']} or more" if several else first["msg"]
            problems.append(few.removeprefix("Value error, "))
        else:
            return value
    about = f"; it means: {' '.join(field.description.split())}" if field.description else ""
    raise AuditError(f"{name} {text!r} is not valid ({problems[0]}){about}")


def attach(file: ClaimFile, id: str, entry: Mapping[str, Plain], name: str) -> None:
    """Record that `table.row`, `table.column` or `table.row.column` reports the experiment, on its data sets.
    Raises `AuditError` for a line that is missing, is of another experiment, or holds several methods."""
    option = f"--row {name!r}"
    table, _, line = name.partition(".")
    if table not in file.paper.tables:
        raise AuditError(f"{option}: there is no table {table!r}; {known_names(table, file.paper.tables)}")
    described, record = file.paper.tables[table], file.paper.printed[table]
    lines = _lines(record)
    cells = lines.get(line) or [cell for row in record.rows for cell in row.cells if cell.address == name]
    if not cells:
        what = f"table {table!r} has no row or column {line!r}"
        raise AuditError(f"{option}: {what}; {known_names(line, lines)}")
    on = (entry.get("dataset"), *entry.get("datasets", ()), None)
    metrics = [cell for cell in cells if cell.metric] or list(cells)
    fitting = [cell for cell in metrics if cell.dataset in on] if line in lines else list(cells)
    if _is_of_several(fitting):
        what = "it holds more than one method, but an experiment has one number per metric and data set"
        raise AuditError(f"{option}: {what}; say --row {reported(record, fitting[0])} and the like")
    if other := next((cell.experiment for cell in fitting if cell.experiment), None):
        raise AuditError(f"{option}: it already reports {other}; leave it out")
    whole = line in lines and len(fitting) == len(metrics)
    rows = [row.id for row in record.rows]
    if whole and line in rows and not described.rows[rows.index(line)].experiments:
        file.put(("tables", table, "rows", rows.index(line), "experiment"), id)
    else:
        for cell in fitting:
            _, row, column_id = cell.address.split(".", 2)
            file.put(("tables", table, "rows", rows.index(row), "experiments", column_id), id)


def reported(table: TableRecord, cell: Cell) -> str:
    """Address of the line, or of the cell alone, that reports the same as this cell."""
    _, row, column = cell.address.split(".", 2)
    lines = _lines(table)
    line = next((line for line in (row, column) if not _is_of_several(lines[line])), f"{row}.{column}")
    return f"{table.id}.{line}"


def _lines(table: TableRecord) -> dict[str, Sequence[Cell]]:
    """Rows and columns by their ids; a row has precedence over a column of that name."""
    columns = {line.id: [row.cells[k] for row in table.rows] for k, line in enumerate(table.columns)}
    return {**columns, **{row.id: row.cells for row in table.rows}}


def _is_of_several(cells: Sequence[Cell]) -> bool:
    """Whether it has one metric twice on one data set."""
    return max(Counter((it.metric, it.dataset) for it in cells if it.metric).values(), default=0) > 1


def write_scaffold(
    path: Path,
    paper: Mapping[str, Plain],
    datasets: Mapping[str, Plain] | None = None,
    known: KnownNames | None = None,
) -> Paper:
    """Write a claim file without tables, with these keys of `paper:` and these data sets."""
    data = "".join(f"\n  {key}: {rendered(it, flow=True)}" for key, it in (datasets or {}).items())
    keys = {"authors": [], **paper}
    cited = "\n".join(f"  {key}: {rendered(keys.get(key), flow=True)}" for key in Citation.model_fields)
    template = (resources.files("audit") / "templates" / "claim.yaml.txt").read_text(encoding="utf-8")
    text = Template(template).substitute(paper=cited, datasets=f"datasets:{data or ' {}'}", key=paper["key"])
    if path.exists():
        raise AuditError(f"{path}: the file exists and is not overwritten; choose another name")
    created = load(path, known=known, content=text.encode())
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("x").close()
        try:
            write(path, text.encode())
        except OSError:
            path.unlink(missing_ok=True)
            raise
    schema = path.parent / SCHEMA_NAME
    if not schema.exists():
        with explained(schema):
            write(schema, (json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n").encode())
    return created
