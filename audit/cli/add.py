"""`audit add`, `audit suggest`, `audit verify`: claim files, from a new one to a second reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from audit.authoring.table import Cell
from audit.claims.experiments import Experiment
from audit.claims.links import names_here
from audit.claims.load import Paper, builtin_claims, own_file, papers_of, verified
from audit.claims.margins import for_printed
from audit.claims.schema import MODULE, PATTERNS, Citation, Where
from audit.claims.schema import Dataset as DatasetModel
from audit.claims.source import Plain
from audit.claims.source import read as read_yaml
from audit.cli.app import Folder, Words, add_app, app, command, say, say_json, say_table
from audit.errors import AuditError, Exit
from audit.kinds import KINDS
from audit.names import WIDTH, counted, first_of, known_names, short
from audit.storage.files import explained, write
from reimpl.data.catalogue import catalogue

if TYPE_CHECKING:
    from audit.authoring.edit import ClaimFile
    from audit.authoring.propose import Proposal
    from audit.authoring.suggesting import Suggestion

T = TypeVar("T")


def open_file(paper: str, *, configs: bool = False) -> ClaimFile:
    """The claim file that is to be changed; with `configs` it is read as `audit validate` reads it."""
    from audit.authoring.edit import ClaimFile

    if (path := own_file(paper)) is None:
        if paper in {builtin.stem for builtin in builtin_claims()}:
            raise AuditError(f"{paper!r} is a built-in paper, which stays as it is; give your own claim file")
        begin = f"give its path, or begin one with `audit add paper {paper}`"
        raise AuditError(f"{paper!r} is not a claim file; {begin}")
    return ClaimFile.open(path, known=names_here(configs=configs))


def sets(given: Sequence[str] | None) -> dict[str, str]:
    """What --set says, by key. Raises `AuditError` for another form."""
    words: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not value.strip():
            raise AuditError(f"--set {text!r}: write KEY=VALUE")
        words[name] = value.strip()
    return words


def the_one(what: str, name: str, there: Mapping[str, T]) -> T:
    """Raises `AuditError` for a name that is not there, offering those that are."""
    if name not in there:
        raise AuditError(f"there is no {what} {name!r}; {known_names(name, there)}")
    return there[name]


def finish(file: ClaimFile, *, dry_run: bool) -> int:
    """Check the changes, show them, and write them."""
    file.check()
    say(file.diff(), fold=False)
    if dry_run:
        say(f"{file.path}: nothing was written (--dry-run); it would be valid")
        return Exit.OK
    paper = file.save()
    say(f"{file.path}: written; {counted(len(paper.tables), 'table')}, {counted(len(paper.claims), 'claim')}")
    return Exit.OK


@command(add_app, "paper")
def paper_command(
    key: str, *, title: str, dataset: Words = None, to: Folder = None, more: Words = None
) -> int:
    """Begin a valid claim file, with comments on what goes where."""
    from audit.authoring.edit import entry, write_scaffold

    path = to or (Path("claims") if Path("claims").is_dir() else Path()) / f"{key}.yaml"
    if key in {builtin.stem for builtin in builtin_claims()}:
        raise AuditError(f"{key!r} is the key of a built-in paper; choose another one")
    cited = entry(Citation, {**sets(more), "title": title})
    entries = {name.replace("-", "_"): _of_catalogue(name) for name in dataset or ()}
    write_scaffold(path, {**cited, "key": key}, entries, known=names_here())
    say(f"{path}: written, and valid")
    say(f"next: audit add table FILE --paper {key if to is None else path}")
    return Exit.OK


def _of_catalogue(name: str) -> dict[str, Plain]:
    """The keys of a data set by its entry; its content identifies the published data."""
    found = catalogue().find(name)
    published = [copy for copy in found.known if copy.published]
    parts = ("content", "corpus", "partition")
    identity: dict[str, Plain] = {part: [getattr(copy, part) for copy in published] for part in parts}
    return {"name": found.name, "catalogue": name, **(identity if published else {"content": None})}


@command(add_app, "table")
def table_command(
    source: str,
    *,
    paper: str,
    more: Words = None,
    maps: Words = None,
    models: Folder = None,
    dry_run: bool = False,
) -> int:
    """Read a table from LaTeX, CSV, HTML, a PDF, ... into a claim file."""
    from audit.authoring.corrections import corrections
    from audit.authoring.propose import Proposal, put
    from audit.authoring.reading import read

    file, words = open_file(paper), corrections(sets(more), maps or ())
    proposal = Proposal(read(source, words.table), file.paper, words)
    _show(proposal)
    put(file, proposal)
    return finish(file, dry_run=dry_run)


#: Longer names and texts are cut on the screen, and nowhere else.
_cut = partial(short, most=24)


def _show(proposal: Proposal) -> None:
    """The table as it was read, numbered as corrections count; what was spelled anew."""
    roles, heads = {"names": "names", "skip": "left out", "text": "text"}, ["row", "id"]
    for line in proposal.columns:
        keys = ("dataset", "metric", "quantity", "unit")
        parts = " ".join(line.settings[key] for key in keys if key in line.settings) or "values"
        heads.append(f"{line.number}\n{_cut(line.label)}\n[{roles.get(line.role, parts)}]")
    rows, settings = [], dict[str, list[str]]()
    for row in proposal.rows:
        said = " ".join(f"{key}={value}" for key, value in row.settings.items())
        if said := "left out" if row.role == "skip" else said:
            settings.setdefault(said, []).append(str(row.number))
        cells = [
            _cell(proposal.cells.get((row.number, cell.column), cell), proposal.columns[cell.column - 1].role)
            for cell in proposal.table.rows[row.number - 1].cells
        ]
        rows.append((str(row.number), _cut(row.id), *cells))
    right = [0, *(k for k, line in enumerate(proposal.columns, 2) if line.role == "values")]
    columns = list(zip_longest(heads, *rows, fillvalue=""))
    widths = [3 + max(len(line) for text in column for line in text.split("\n")) for column in columns]
    blocks = [[0, 1]]  # as many columns beside each other as a screen holds
    for k in range(2, len(columns)):
        if len(blocks[-1]) > 2 and sum(widths[of] for of in (*blocks[-1], k)) > WIDTH:
            blocks.append([0, 1])
        blocks[-1].append(k)
    for block in blocks:
        head, *body = zip(*(columns[k] for k in block), strict=True)
        say_table(head, body, right=[at for at, k in enumerate(block) if k in right], ruled=True)
    for said, numbers in settings.items():
        say(f"row{'s' * (len(numbers) > 1)} {first_of(numbers, 12)}: {said}", fold=True)
    table = proposal.table
    head_rows = f"rows of the heading: {len(table.heading)} (else --set heads=N)"
    say(f"{table.name}:{table.line}: {table.form}; {head_rows}")
    if table.source.shown is not None:
        say(f"as it stands on page {table.line}:\n{table.source.shown}", fold=False)
    if table.source.area and table.name != "standard input":
        from audit.authoring.places import picture

        say(f"its picture: {picture(table.name, table.line, table.source.area)}")
    for note in table.notes:
        say(note)
    for (at, column), cell in proposal.cells.items():
        if cell.value is not None and cell.value.rstrip("%") not in cell.text:
            say(f"cell {at},{column}: {cell.text!r} is taken as {cell.value!r}")
    _show_spreads(proposal)
    if empty := [f"{at},{column}" for (at, column), it in proposal.cells.items() if it.kind == "empty"]:
        say(f"empty in the file, and null like a dash: {first_of(empty, 8)}")


_SPREADS = {
    "sd": "the standard deviation of the runs",
    "se": "the standard error of the mean",
    "ci95": "the half-width of a 95 % interval",
}


def _show_spreads(proposal: Proposal) -> None:
    """What the numbers beside others are taken for, one sentence a kind."""
    unknown = "a spread of unknown kind, until you say --set spread=sd|se|ci95"
    spread, found = _SPREADS.get(proposal.whole.get("spread", ""), unknown), dict[str, list[str]]()
    for (at, column), cell in proposal.cells.items():
        read = f"cell {at},{column}: {cell.text!r} is taken as {cell.value}"
        if cell.sd is not None:
            found.setdefault("spread", []).append(f"{read} ± {cell.sd}, {spread}")
        for mark in (mark for mark in cell.marks if any(sign.isdigit() for sign in mark)):
            found.setdefault("mark", []).append(f"{read}; {mark} is kept as a mark")
    for first, *others in found.values():
        say(f"{first} (and so {counted(len(others), 'more cell')})" if others else first)


def _cell(cell: Cell, role: str) -> str:
    if role != "values" or cell.value is None:
        unclear = f"? {cell.text}" if role == "values" else cell.text
        return _cut({"dash": "-", "unclear": unclear}.get(cell.kind, cell.text))
    sd, marks = f" ±{cell.sd}" if cell.sd else "", f" {{{' '.join(cell.marks)}}}" if cell.marks else ""
    return _cut(f"{cell.value}{sd}{marks}")


@command(add_app, "dataset")
def dataset_command(
    id: str, *, paper: str, name: str, more: Words = None, models: Folder = None, dry_run: bool = False
) -> int:
    """Add a data set that the paper reports on."""
    from audit.authoring.edit import entry

    file = open_file(paper)
    content = entry(DatasetModel, {"name": name, **sets(more)})
    known = _of_catalogue(str(content["catalogue"])) if "catalogue" in content else {"content": None}
    file.put(("datasets", id), {**known, **content})
    return finish(file, dry_run=dry_run)


@command(add_app, "experiment")
def experiment_command(
    id: str,
    *,
    paper: str,
    title: str,
    dataset: Words = None,
    model: str | None = None,
    row: Words = None,
    more: Words = None,
    models: Folder = None,
    dry_run: bool = False,
) -> int:
    """Add an experiment, and how to run it here or why it cannot be run."""
    from audit.authoring.edit import attach, entry

    file = open_file(paper, configs=True)
    if model:
        the_one("model", model, names_here().models)
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
    kind: Words = None,
    says: str | None = None,
    metric: Words = None,
    more: Words = None,
    models: Folder = None,
    dry_run: bool = False,
) -> int:
    """Add a claim of any kind."""
    from audit.authoring.edit import entry

    if kind is None or len(kind) > 1:
        raise AuditError(f"--kind is missing; give one of {', '.join(KINDS)}")
    model = the_one("kind of claim", kind[0], KINDS)
    file = open_file(paper)
    words = {"says": says, "metric": ",".join(metric or ()), **sets(more)}
    place = entry(Where, {name: text for name, text in words.items() if name in Where.model_fields})
    content = entry(model, {name: text for name, text in words.items() if name not in Where.model_fields})
    own = {field.alias or name: field.is_required() for name, field in model.model_fields.items()}
    own = {name: needed for name, needed in own.items() if name not in ("id", "kind", "where", *content)}
    lacking = [_as_option(name) for name, needed in own.items() if needed]
    if lacking or not place:
        lacking += [] if place else ["--set section=3.2 (or page, or label)"]
        more_of_them = ", ".join(_as_option(name) for name, needed in own.items() if not needed)
        raise AuditError(f"a claim of kind {kind[0]} needs {', '.join(lacking)}; it may have {more_of_them}")
    said = {"says": content.pop("says")} if "says" in content else {}
    note = {"note": content.pop("note")} if "note" in content else {}
    file.append(("claims",), {"id": id, "kind": kind[0], **content, **said, "where": place, **note})
    for name, margin in _within_the_number(file.check(), id).items():
        file.put(("margins", name), margin)
    return finish(file, dry_run=dry_run)


def _as_option(key: str) -> str:
    return f"--{key}" if key in ("says", "metric") else f"--set {key}=..."


def _within_the_number(paper: Paper, id: str) -> dict[str, Plain]:
    """Margins that a printed value near 100 or 0 asks for, where the claim has none of its own."""
    (own,) = (claim for claim in paper.claims if claim.id == id)
    margins: dict[str, Plain] = {}
    for claim in paper.claim_records() if getattr(own, "margin", None) is None else ():
        if claim.claim == id and KINDS[claim.kind].of_one_printed and claim.margin and claim.printed:
            margin = for_printed(claim.margin, claim.printed[0])
            if margin != claim.margin:
                margins[claim.id] = {"value": margin.value, "rule": margin.rule, "why": margin.why}
    return margins


@command(add_app, "model")
def model_command(name: str, *, to: Folder = None, dry_run: bool = False) -> int:
    """Write a model file and its tests, to fill in."""
    import keyword
    import re
    from importlib import resources
    from string import Template

    from reimpl.models import sources_of_models

    folder = to or Path()
    if not re.fullmatch(MODULE, name) or keyword.iskeyword(name):
        raise AuditError(f"{name!r} cannot be a model's name; give {PATTERNS[MODULE]}")
    if (source := sources_of_models().get(name)) is not None:
        raise AuditError(f"a model {name!r} already exists, from {source}; choose another name")
    if not folder.is_dir():
        raise AuditError(f"{folder}: no such folder; make it, or choose another with --to DIR")
    module, package = name, folder.resolve()
    while (package / "__init__.py").exists():
        module, package = f"{package.name}.{module}", package.parent

    def filled(template: str) -> str:
        text = (resources.files("audit") / "templates" / f"{template}.txt").read_text(encoding="utf-8")
        return Template(text).substitute(name=name, module=module, to=folder)

    files = {folder / f"{name}.py": filled("model.py"), folder / f"test_{name}.py": filled("test_model.py")}
    if there := [path for path in files if path.exists()]:
        raise AuditError(f"{there[0]}: the file exists and is not overwritten; choose another or --to DIR")
    if dry_run:
        say("\n".join(f"--- {path}\n{text}" for path, text in files.items()), fold=False)
        return Exit.OK
    for path, text in files.items():
        with explained(path):
            write(path, text.encode())
        say(f"{path}: written")
    say(filled("next_model").rstrip("\n"), fold=False)
    return Exit.OK


@command(app, "suggest")
def suggest_command(
    paper: str,
    *,
    accept: Words = None,
    says: str | None = None,
    more: Words = None,
    table: Words = None,
    kind: Words = None,
    as_json: bool = False,
    everything: bool = False,
    models: Folder = None,
    dry_run: bool = False,
) -> int:
    """Suggest claims that the tables of a paper support."""
    from audit.authoring.edit import entry
    from audit.authoring.suggesting import suggestions

    place = entry(Where, sets(more))
    if (says is not None or place) and len({*(accept or ())}) != 1:
        raise AuditError("--says and --set apply to one claim: give them with one --accept ID")
    file = open_file(paper) if accept else None
    own = own_file(paper)  # else the key of a built-in paper, which can be looked at and not changed
    read = file.paper if file else papers_of([str(own or paper)])[0]
    for name in table or ():
        the_one("table", name, read.tables)
    for name in kind or ():
        the_one("kind of claim", name, KINDS)
    offered = [
        suggestion
        for suggestion in suggestions(read)
        if (not kind or suggestion.kind in kind)
        and (not table or any(cell.split(".")[0] in table for cell in suggestion.cells))
    ]
    if as_json:
        say_json([vars(suggestion) for suggestion in offered])
    elif file is None:
        shown = offered if everything else offered[:_FIRST]
        for it in shown:
            lacks = f"\n  not yet: {_lacks(it)}" if it.needs else ""
            head = f"{it.id}  ({it.kind}, {it.place})\n  {it.says}\n  why: {it.why}"
            say(f"{head}\n  cells: {first_of(it.cells, 6)}{lacks}", fold=True)
        number = counted(len(offered), "suggestion")
        rest = f" ({len(shown)} shown; --all shows all, --table and --kind those of one)"
        number += rest if len(shown) < len(offered) else ""
        how = "; --accept ID adds one (--says TEXT: with the paper's sentence)" if offered else ""
        say(f"{number}{how}", fold=True)
    if as_json or file is None:
        return Exit.OK
    by_id = {suggestion.id: suggestion for suggestion in offered}
    for id in dict.fromkeys(accept or ()):
        suggestion = the_one("suggestion", id, by_id)
        if suggestion.needs:
            raise AuditError(f"{id}: {_lacks(suggestion)}")
        said = (says or "").strip() or suggestion.content["says"]
        where = dict(place or suggestion.content["where"])
        file.append(("claims",), {**suggestion.content, "says": said, "where": where})
    return finish(file, dry_run=dry_run)


#: Suggestions that are shown without --all.
_FIRST = 10


def _lacks(suggestion: Suggestion) -> str:
    rows = first_of(suggestion.needs, 3)
    return f"{rows} has no experiment; add one with `audit add experiment ID --row {suggestion.needs[0]}`"


@command(app, "verify")
def verify_command(
    paper: str,
    *,
    table: Words = None,
    against: str | None = None,
    by: str = "",
    date: str | None = None,
    more: Words = None,
    models: Folder = None,
    dry_run: bool = False,
) -> int:
    """Compare a table with a second reading of the page, cell by cell."""
    from audit.authoring import verifying
    from audit.authoring.corrections import corrections
    from audit.authoring.reading import read

    file = open_file(paper)
    tables = file.paper.tables
    for name in table or ():
        the_one("table", name, tables)
    if not tables:
        raise AuditError(f"{paper} has no table yet; `audit add table FILE --paper {paper}` reads one")
    if against is None:
        for name in table or tables:
            label = f" ({tables[name].where.label})" if tables[name].where.label else ""
            say(f"{name}{label}: {verifying.state(file.paper, name)}")
        return Exit.OK
    if not by.strip():
        raise AuditError("--by is missing; say who reads the page")
    chosen = table or [name for name in tables if verified(name, tables, file.paper.transcription) is None]
    if len({*chosen}) != 1:
        done = "" if chosen else "every table is verified; to compare one again, "
        raise AuditError(f"--against: {done}name one table by --table: {', '.join([*tables][:12])}")
    (name,) = {*chosen}
    first = tables[name]
    source = (first.transcription.source or "") if first.transcription else ""
    if against != "-" and source.startswith(f"{Path(against).name} ("):
        raise AuditError(f"{against}: {name} was read from a file of this name; give a second transcription")
    differences, left_out = verifying.compared(read(against, corrections(sets(more)).table), name, first)
    if left_out:
        say(left_out)
    lines = read_yaml(file.path).lines if differences else {}
    for row, column, here, there, number in differences:
        line = lines.get(("tables", name, "rows", row, "values", column), 1)
        address = f"{name}.{first.rows[row].id}.{first.columns[column].id}"
        place = f"{'standard input' if against == '-' else against}:{number}"
        say(f"{file.path}:{line}: {address}: {here} here, {there} in the second reading ({place})")
    cells = counted(len(first.rows) * len(first.columns), "cell")
    if differences:
        differ = counted(len(differences), "difference")
        say(f"{name}: {cells} compared, {differ}; nothing was recorded: look at the page, correct the file")
        return Exit.CONTRADICTED
    say(f"{name}: {cells} compared, no difference")
    other = "pasted text" if against == "-" else Path(against).name
    how = f"{cells} against {other}, a second reading, compared by program: no difference"
    verifying.record(file, name, by=by.strip(), date=date or datetime.now().date().isoformat(), how=how)
    return finish(file, dry_run=dry_run)
