"""`audit add`: a new claim file, its tables and other entries, and a model of one's own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from audit.cli.app import add_app, known_names, say
from audit.cli.options import command, finish, open_file, sets, the_one
from audit.errors import AuditError, Exit

if TYPE_CHECKING:
    from rich.table import Table

    from audit.authoring.propose import Proposal
    from audit.authoring.table import Cell
    from audit.claims.load import Paper
    from audit.claims.source import Plain


@command(add_app, "paper")
def paper_command(
    key: str,
    *,
    title: str,
    dataset: list[str] | None = None,
    to: Path | None = None,
    more: list[str] | None = None,
) -> int:
    """Begin a claim file that validates as it is, with comments on what goes where.

    It is KEY.yaml, in claims/ where there is such a folder, if --to names no other file. --set has authors,
    venue, year, url and code, as in --set year=2022 --set 'code={url: ..., commit: ...}'. A file that is
    there is never overwritten.
    """
    from audit.authoring.entries import entry, write_scaffold
    from audit.claims.load import builtin_claims
    from audit.claims.schema import Citation
    from reimpl.data.catalogue import catalogue

    path = to or (Path("claims") if Path("claims").is_dir() else Path()) / f"{key}.yaml"
    if key in {it.stem for it in builtin_claims()}:
        raise AuditError(f"{key!r} is the key of a built-in paper; choose another one")
    cited = entry(Citation, {**sets(more), "title": title})
    entries = [(name, catalogue().find(name).name) for name in dataset or ()]
    write_scaffold(path, {**cited, "key": key}, entries, known=known_names())
    say(f"{path}: written, and valid")
    say(f"next: audit add table FILE --paper {key if to is None else path}")
    return Exit.OK


@command(add_app, "table")
def table_command(
    source: str,
    *,
    paper: str,
    more: list[str] | None = None,
    maps: list[str] | None = None,
    models: Path | None = None,
    dry_run: bool = False,
) -> int:
    """Read a table from a paper's source or a copy of it, and add it to a claim file.

    Every number is kept as the string that was printed. What each column and row is, is proposed and shown
    (with --dry-run nothing else is done), and you correct it by --map:

    column 3: dataset=eurlex metric=P@1 | columns 4-6: skip | column 2: text | row 2: id=kim
    source=copied from=liu2017 | cell 5,3: value=75.10 sd=0.2 mark=* | cell 5,4: dash

    --set says of the table as a whole: id, page, section, label, caption, dataset and metric (of all numbers
    whose heading names none), unit=percent|fraction, source=own_run|copied|code_readme|stated|unknown,
    from=KEY, runs, spread=sd|se|ci95; and of the file: format=latex|csv|tsv|markdown|html, number (which of
    its tables), heads (rows of the heading), names (columns that name rows), decimal=point|comma,
    beside=sd|mark (what (0.2) beside a number is), separator=comma|semicolon|tab|bar.

    Rows are counted without the heading. What cannot be read is listed cell by cell, and until it is
    settled nothing is written.
    """
    from audit.authoring.propose import Proposal, put, said
    from audit.authoring.reading import read

    file, words = open_file(paper), said(sets(more), maps or ())
    proposal = Proposal(read(source, words.table), file.paper, words)
    _show(proposal)
    put(file, proposal)
    return finish(file, dry_run=dry_run)


#: Longer names and texts are cut on the screen, and nowhere else.
_MOST = 40
#: Rows of a table that are shown.
_ROWS = 60


def _show(proposal: Proposal) -> None:
    """The table as it was read, and what it does not show: what is left out, what was spelled anew."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else 200
    Console(highlight=False, markup=False, emoji=False, width=width).print(_shown(proposal))
    read, heads = proposal.table, len(proposal.table.heading)
    say(f"{read.name}:{read.line}: {read.form}; rows of the heading: {heads} (else --set heads=N)")
    if len(proposal.rows) > _ROWS:
        say(f"{len(proposal.rows) - _ROWS} more rows are not shown here")
    for what, lines in (("column", proposal.columns), ("row", proposal.rows)):
        for line in lines:
            if line.role == "skip":
                say(f"{what} {line.number} ({line.label or 'empty'}) is left out")
    for (row, column), cell in proposal.cells.items():
        if {"value", "dash", "sd", "mark"} & set(proposal.said.cell.get((row, column), {})):
            written = "null" if cell.value is None else " ".join([cell.value, cell.sd or "", *cell.marks])
            say(f"cell {row},{column}: {cell.text!r} is taken as {written}, as you said")
        elif cell.value is not None and cell.value.rstrip("%") not in cell.text:
            say(f"cell {row},{column}: {cell.text!r} is taken as {cell.value!r}")
    if empty := [f"{row},{column}" for (row, column), it in proposal.cells.items() if it.kind == "empty"]:
        more = f" and {len(empty) - 8} more" if len(empty) > 8 else ""
        say(f"empty in the file, and null like a dash: {' '.join(empty[:8])}{more}")


def _shown(proposal: Proposal) -> Table:
    """With its rows and columns numbered as corrections count them."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    page = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    page.add_column("row", justify="right")
    page.add_column("id")
    roles = {"names": "names", "skip": "left out", "text": "text"}
    for line in proposal.columns:
        keys = ("dataset", "metric", "quantity", "unit")
        parts = " ".join(line.settings[key] for key in keys if key in line.settings) or "values"
        title = f"{line.number}\n{_cut(line.label)}\n[{roles.get(line.role, parts)}]"
        page.add_column(Text(title), justify="right" if line.role == "values" else "left")
    for row in proposal.rows[:_ROWS]:
        settings = " ".join(f"{key}={value}" for key, value in row.settings.items())
        about = "left out" if row.role == "skip" else f" [{settings}]" if settings else ""
        cells = [
            _cell(proposal.cells.get((row.number, cell.column), cell), proposal.columns[cell.column - 1].role)
            for cell in proposal.table.rows[row.number - 1].cells
        ]
        page.add_row(*map(Text, (str(row.number), f"{_cut(row.id)}{about}", *cells)))
    return page


def _cell(cell: Cell, role: str) -> str:
    if role != "values" or cell.value is None:
        return _cut({"dash": "-", "unclear": f"? {cell.text}"}.get(cell.kind, cell.text))
    sd, marks = f" ±{cell.sd}" if cell.sd else "", f" {{{' '.join(cell.marks)}}}" if cell.marks else ""
    return _cut(f"{cell.value}{sd}{marks}")


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else text[: _MOST - 3] + "..."


@command(add_app, "dataset")
def dataset_command(
    id: str,
    *,
    paper: str,
    name: str,
    more: list[str] | None = None,
    models: Path | None = None,
    dry_run: bool = False,
) -> int:
    """Add a data set that the paper reports on, by the catalogue's name where it has one.

    audit add dataset eurlex --paper toy --name EUR-Lex --set catalogue=eurlex-4k
    --set 'printed={train: "15,449"}'
    """
    from audit.authoring.entries import entry
    from audit.claims.schema import Dataset
    from reimpl.data.catalogue import catalogue

    file = open_file(paper)
    content = entry(Dataset, {"name": name, **sets(more)})
    if "catalogue" in content:
        catalogue().find(content["catalogue"])
    file.put(("datasets", id), {**content, "content": content.get("content")})
    return finish(file, dry_run=dry_run)


@command(add_app, "experiment")
def experiment_command(
    id: str,
    *,
    paper: str,
    title: str,
    dataset: list[str] | None = None,
    model: str | None = None,
    row: list[str] | None = None,
    more: list[str] | None = None,
    models: Path | None = None,
    dry_run: bool = False,
) -> int:
    """Add an experiment: what a row reports, and how to run it here, or why it cannot be.

    audit add experiment kim --paper toy --title Kim-CNN --dataset eurlex --model xml_cnn
    --set variant=chen2022-kim-words --set protocol=chen2022 --set recipe=study2022 --row t1.kim
    """
    from audit.authoring.entries import attach, entry
    from audit.claims.experiments import Experiment

    file = open_file(paper, configs=True)
    on = {"datasets" if len(dataset or ()) > 1 else "dataset": ",".join(dataset or ())}
    content = entry(Experiment, {"title": title, **on, "model": model, **sets(more)})
    file.put(("experiments", id), content)
    for name in row or ():
        attach(file, id, content, name)
    return finish(file, dry_run=dry_run)


@command(add_app, "claim")
def claim_command(
    id: str,
    *,
    paper: str,
    kind: list[str] | None = None,
    says: str | None = None,
    metric: list[str] | None = None,
    more: list[str] | None = None,
    models: Path | None = None,
    dry_run: bool = False,
) -> int:
    """Add a claim of any kind. What a kind needs beyond the flags is given with --set.

    audit add claim sweep --paper toy --kind order --set better=t4.words --set worse=t4.emb --metric P@1
    --says "words are better" --set section=3.2
    """
    from audit.authoring.entries import entry
    from audit.claims.schema import Where
    from audit.kinds import KINDS

    if kind is None or len(kind) > 1:
        raise AuditError(f"--kind is missing; give one of {', '.join(KINDS)}")
    model = the_one("kind of claim", kind[0], KINDS)
    file = open_file(paper)
    words = {"says": says, "metric": ",".join(metric or ()), **sets(more)}
    place = entry(Where, {name: text for name, text in words.items() if name in Where.model_fields})
    if not place:
        raise AuditError("where it stands is missing; add --set section=3.2, or page, or label")
    content = entry(model, {name: text for name, text in words.items() if name not in Where.model_fields})
    last = {name: content.pop(name) for name in ("says", "note") if name in content}
    said = {"says": last["says"]} if "says" in last else {}
    note = {"note": last["note"]} if "note" in last else {}
    first = {"id": id, "kind": kind[0]}
    file.append(("claims",), {**first, **content, **said, "where": place, **note})
    for name, margin in _within_the_number(file.check(), id).items():
        file.put(("margins", name), margin)
    return finish(file, dry_run=dry_run)


def _within_the_number(paper: Paper, id: str) -> dict[str, Plain]:
    """Margins that a printed value near 100 or 0, or of few digits, asks for, by claim and metric.

    None for a claim with a margin of its own.
    """
    from audit.claims.margins import for_printed

    (own,) = (claim for claim in paper.claims if claim.id == id)
    margins: dict[str, Plain] = {}
    for claim in paper.claim_records() if getattr(own, "margin", None) is None else ():
        if claim.claim == id and claim.kind == "value" and claim.margin and claim.printed:
            margin = for_printed(claim.margin, claim.printed[0])
            if margin != claim.margin:
                margins[claim.id] = {"value": margin.value, "rule": margin.rule, "why": margin.why}
    return margins


@command(add_app, "model")
def model_command(
    name: str,
    *,
    to: Path | None = None,
    dry_run: bool = False,
) -> int:
    """Write a model file with its configuration, a toy test, and the fidelity checks to fill in.

    --to is the folder of your package. As written it is a small linear model on a bag of words, which runs. A
    file that is there is never overwritten.
    """
    import keyword
    import re
    from importlib import resources
    from string import Template

    from audit.claims.schema import MODULE, PATTERNS
    from audit.storage.files import explained, write
    from reimpl.models import sources_of_models

    folder = to or Path()
    if not re.fullmatch(MODULE, name) or keyword.iskeyword(name):
        raise AuditError(f"{name!r} cannot be a model's name; give {PATTERNS[MODULE]}")
    if (source := sources_of_models().get(name)) is not None:
        raise AuditError(f"there is a model {name!r} already, of {source}; choose another name")
    if not folder.is_dir():
        raise AuditError(f"{folder}: no such folder; make it, or choose another with --to DIR")
    module, package = name, folder.resolve()
    while (package / "__init__.py").exists():
        module, package = f"{package.name}.{module}", package.parent
    templates = resources.files("audit") / "templates"

    def filled(template: str) -> str:
        text = (templates / f"{template}.txt").read_text(encoding="utf-8")
        return Template(text).substitute(name=name, module=module, to=folder)

    files = {folder / f"{name}.py": filled("model.py"), folder / f"test_{name}.py": filled("test_model.py")}
    if there := [path for path in files if path.exists()]:
        raise AuditError(f"{there[0]}: there is such a file, and it is kept; choose another name or --to DIR")
    if dry_run:
        say("\n".join(f"--- {path}\n{text}" for path, text in files.items()))
        return Exit.OK
    for path, text in files.items():
        with explained(path):
            write(path, text.encode())
        say(f"{path}: written")
    say(filled("next_model").rstrip("\n"))
    return Exit.OK
