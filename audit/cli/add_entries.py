"""`audit add claim`, `dataset`, `experiment`: one entry of a claim file, from options or by questions."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import add_app, known_names, say
from audit.cli.claims import named_choices
from audit.cli.editing import (
    DryRun,
    Label,
    Page,
    Paper,
    Section,
    Set,
    answer,
    ask,
    asked,
    check_free,
    choice,
    finish_entry,
    needed,
    open_file,
    with_sets,
)
from audit.cli.options import Models
from audit.errors import AuditError, Exit

if TYPE_CHECKING:
    from audit.authoring.edit import ClaimFile
    from audit.authoring.entry_keys import Key
    from audit.claims.load import Paper as ClaimPaper
    from audit.claims.schema import Table
    from audit.claims.source import Plain
    from audit.record import Cell, TableRecord


def attach_row(file: ClaimFile, id: str, held: Mapping[str, Plain], name: str) -> None:
    """Say that a row reports the experiment: all of it, those columns that are on its data sets, or one cell.

    Raises `AuditError` for a row that reports another, or that holds more than one method.
    """
    from audit.authoring.reporting import instead_of_row, row_cells, twice

    table, row, column = _places(file, name)
    number = [it.id for it in file.paper.tables[table].rows].index(row)
    place, reports = ("tables", table, "rows", number), file.paper.tables[table].rows[number]
    if reports.experiment or (reports.experiments and not column):
        of = reports.experiment or ", ".join(dict.fromkeys((reports.experiments or {}).values()))
        raise AuditError(f"--row {name!r}: it reports {of} already, and that is kept; leave it out")
    if column:
        _attach_cells(file, id, table, {row: column}, f"--row {name!r}")
        return
    record = _record(file, table)
    metrics = [it for it in row_cells(record, row) if it.metric]
    fitting = _on(metrics, held)
    if several := twice(fitting):
        how = instead_of_row(record, row, several)
        raise AuditError(f"--row {name!r}: {_several(several)}, so it holds more than one method; say {how}")
    if len(fitting) == len(metrics):
        file.put((*place, "experiment"), id)
    else:
        file.put((*place, "experiments"), {_column_of(it): id for it in fitting})


def attach_column(file: ClaimFile, id: str, held: Mapping[str, Plain], name: str) -> None:
    """Say that a column reports the experiment: all of it, or those rows that are on its data sets.

    Raises `AuditError` for a column that reports another, or that holds more than one method.
    """
    from audit.authoring.reporting import column_cells, instead_of_column, twice

    table, column = _column(file, name)
    number = [it.id for it in file.paper.tables[table].columns].index(column)
    reports = file.paper.tables[table].columns[number]
    if reports.experiment:
        of = reports.experiment
        raise AuditError(f"--column {name!r}: it reports {of} already, and that is kept; leave it out")
    record = _record(file, table)
    metrics = [it for it in column_cells(record, column) if it.metric]
    fitting = _on(metrics, held)
    if several := twice(fitting):
        how = instead_of_column(record, column, several)
        raise AuditError(
            f"--column {name!r}: {_several(several)}, so it holds more than one method; say {how}"
        )
    place = ("tables", table, "columns", number)
    if len(fitting) < len(metrics):
        rows = {it.address.split(".", 2)[1]: column for it in fitting}
        _attach_cells(file, id, table, rows, f"--column {name!r}")
    elif reports.id == reports.metric and reports.model_fields_set == {"id", "metric"}:
        file.replace(place, {"id": column, "metric": reports.metric, "experiment": id})
    else:
        file.put((*place, "experiment"), id)


def _attach_cells(file: ClaimFile, id: str, table: str, cells: Mapping[str, str], option: str) -> None:
    """Row -> column of the cells that report it, each in the row's `experiments`."""
    for number, row in enumerate(file.paper.tables[table].rows):
        if (column := cells.get(row.id)) is None:
            continue
        place = ("tables", table, "rows", number)
        if row.experiment or column in (row.experiments or {}):
            of = row.experiment or (row.experiments or {})[column]
            raise AuditError(f"{option}: row {row.id!r} reports {of} there, and that is kept; leave it out")
        if row.experiments or (*place, "experiments") in _put(file):
            file.put((*place, "experiments", column), id)
        else:
            file.put((*place, "experiments"), {column: id})


def _put(file: ClaimFile) -> Iterable[object]:
    """Paths of the text with the changes so far: an earlier option may have put something there."""
    from audit.authoring.edit import spans

    return spans(file.text.removeprefix("\ufeff").replace("\r\n", "\n"))


def _on(cells: Iterable[Cell], held: Mapping[str, Plain]) -> list[Cell]:
    """The cells on the data sets of the experiment, and those on none."""
    on = (held.get("dataset"), *held.get("datasets", ()), None)
    return [it for it in cells if it.dataset in on]


def _several(cells: tuple[Cell, ...]) -> str:
    on = f" on {cells[0].dataset}" if cells[0].dataset else ""
    return f"it has {len(cells)} numbers of {cells[0].metric}{on}, and an experiment has one"


def _column_of(cell: Cell) -> str:
    return cell.address.split(".", 2)[2]


def _record(file: ClaimFile, table: str) -> TableRecord:
    return next(it for it in file.paper.table_records() if it.id == table)


def _places(file: ClaimFile, name: str) -> tuple[str, str, str | None]:
    """Table, row and, where one cell is meant, column."""
    from audit.names import known_names as offered

    table, row, column = (*name.split(".", 2), "", "")[:3]
    held = _table(file, name, table, "--row")
    ids = [it.id for it in held.rows]
    if row not in ids:
        raise AuditError(f"--row {name!r}: table {table!r} has no row {row!r}; {offered(row, ids)}")
    columns = [it.id for it in held.columns]
    if column and column not in columns:
        offers = offered(column, columns)
        raise AuditError(f"--row {name!r}: table {table!r} has no column {column!r}; {offers}")
    return table, row, column or None


def _column(file: ClaimFile, name: str) -> tuple[str, str]:
    from audit.names import known_names as offered

    table, _, column = name.partition(".")
    ids = [it.id for it in _table(file, name, table, "--column").columns]
    if column not in ids:
        raise AuditError(
            f"--column {name!r}: table {table!r} has no column {column!r}; {offered(column, ids)}"
        )
    return table, column


def _table(file: ClaimFile, name: str, table: str, option: str) -> Table:
    from audit.names import known_names as offered

    tables = file.paper.tables
    if table not in tables:
        raise AuditError(f"{option} {name!r}: there is no table {table!r}; {offered(table, tables)}")
    return tables[table]


@add_app.command("dataset")
def dataset_command(
    id: Annotated[str, typer.Argument(metavar="ID", help="Its short name, as in eurlex.")],
    paper: Paper,
    name: Annotated[str | None, typer.Option(help="As the paper writes it; asked for when left out.")] = None,
    catalogue: Annotated[
        str | None, typer.Option(metavar="ENTRY", help="Of `audit data list`; entries are proposed by name.")
    ] = None,
    printed: Annotated[
        list[str] | None, typer.Option(metavar="NAME=NUMBER", help="As printed: train=15,449; once for each.")
    ] = None,
    content: Annotated[
        str | None, typer.Option(metavar="SHA-256", help="Of the very data, if known.")
    ] = None,
    models: Models = None,
    dry_run: DryRun = False,
) -> int:
    """Add a data set that the paper reports on, by the catalogue's name where it has one."""
    file = open_file(paper)
    check_free(id, "data set", list(file.paper.datasets))
    asks = name is None
    name = name or needed("Name as the paper writes it")
    alike = _alike(name)
    if asks and catalogue is None:
        words = ", ".join(alike) or "none has a name like it"
        catalogue = ask(f"Entry of the catalogue ({words}; Enter for none):") or None
    if catalogue is not None:
        _check_entry(catalogue)
    held: dict[str, Plain] = {"name": name, **({"catalogue": catalogue} if catalogue else {})}
    numbers = _numbers(printed or (_asked_numbers() if asks else ()))
    held |= ({"printed": numbers} if numbers else {}) | {"content": content}
    file.put(("datasets", id), held)
    code = finish_entry(file, asks=asks, dry_run=dry_run)
    if catalogue is None and alike:
        say(f"the catalogue has {', '.join(alike)}: if that is it, write catalogue: {alike[0]}")
    return code


def _alike(name: str) -> list[str]:
    """Entries of the catalogue with that name, or one that is spelled much like it; the likest first."""
    from difflib import SequenceMatcher

    from audit.importing.results import bare
    from reimpl.data.catalogue import catalogue

    wanted = bare(name)
    likeness = {
        key: max(SequenceMatcher(None, wanted, bare(it)).ratio() for it in (key, held.name))
        for key, held in catalogue().entries.items()
        if not held.stand_in_for
    }
    return sorted((key for key, it in likeness.items() if it >= 0.7), key=lambda key: -likeness[key])[:4]


def _check_entry(name: str) -> None:
    from reimpl.data.catalogue import catalogue

    catalogue().find(name)


def _asked_numbers() -> list[str]:
    given = ask("Sizes as printed (train=15,449 test=3,865; Enter for none):")
    return given.split()


def _numbers(given: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        name, equals, number = text.partition("=")
        if not (equals and name and number) or name in found:
            why = "it is said twice" if name in found and number else "write NAME=NUMBER, as in train=15,449"
            raise AuditError(f"--printed {text!r}: {why}")
        found[name] = number
    return found


@add_app.command("experiment")
def experiment_command(
    id: Annotated[str, typer.Argument(metavar="ID", help="Its short name.")] = "",
    paper: Annotated[str, typer.Option(metavar="KEY|FILE", help="The claim file that gets it.")] = "",
    title: Annotated[str | None, typer.Option(help="In a few words; asked for when left out.")] = None,
    dataset: Annotated[list[str] | None, typer.Option(metavar="ID", help="Once for each.")] = None,
    model: Annotated[str | None, typer.Option(help="To run it here; --list shows them.")] = None,
    variant: Annotated[str | None, typer.Option(help="Of the model.")] = None,
    protocol: Annotated[str | None, typer.Option(help="How it is trained.")] = None,
    recipe: Annotated[str | None, typer.Option(help="How texts become token ids.")] = None,
    unavailable: Annotated[str | None, typer.Option(metavar="WHY", help="It cannot be run here.")] = None,
    row: Annotated[
        list[str] | None,
        typer.Option(metavar="TABLE.ROW[.COLUMN]", help="A row or cell that reports it; once for each."),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="TABLE.COLUMN", help="A column, where columns are methods; once for each."),
    ] = None,
    sets: Set = None,
    show: Annotated[
        bool, typer.Option("--list", help="Show models, protocols and recipes, and stop.")
    ] = False,
    models: Models = None,
    dry_run: DryRun = False,
) -> int:
    """Add an experiment: what a row reports, and how to run it here, or why it cannot be.

    audit add experiment kim --paper toy --title Kim-CNN --dataset eurlex --model xml_cnn
    --variant chen2022-kim-words --protocol chen2022 --recipe study2022 --row t1.kim
    """
    from audit.authoring.entry_keys import keys_of, pairs
    from audit.claims.schema import Experiment

    if show:
        return _list_names()
    for name, value in (("ID", id), ("--paper KEY|FILE", paper)):
        if not value:
            raise AuditError(f"{name} is missing; give it, or --list to see models and protocols")
    file = open_file(paper, configs=True)
    check_free(id, "experiment", list(file.paper.experiments))
    keys = {it.name: it for it in keys_of(Experiment)}
    on = {"datasets" if len(dataset or ()) > 1 else "dataset": ",".join(dataset or ())}
    given = {"title": title, **on, "model": model, "variant": variant, "protocol": protocol, "recipe": recipe}
    held = pairs(with_sets({**given, "unavailable": unavailable}, sets), keys)
    asks = not {"title"} <= {*held} or not {"model", "unavailable", "command"} & {*held}
    asks = asks or not {"dataset", "datasets"} & {*held}
    if asks:
        held = _asked_experiment(file, keys, held)
        if not (row or column):
            row, column = _asked_lines(file)
    file.put(("experiments", id), {name: held[name] for name in Experiment.model_fields if name in held})
    for name in row or ():
        attach_row(file, id, held, name)
    for name in column or ():
        attach_column(file, id, held, name)
    return finish_entry(file, asks=asks, dry_run=dry_run)


def _asked_experiment(
    file: ClaimFile, keys: Mapping[str, Key], held: Mapping[str, Plain]
) -> dict[str, Plain]:
    from reimpl import described

    answers, names = dict(held), known_names()
    if "title" not in answers:
        answers["title"] = answer(keys["title"])
    if not {"dataset", "datasets"} & {*answers}:
        on = [
            it.strip()
            for it in needed(f"Data sets ({', '.join(file.paper.datasets)})").split(",")
            if it.strip()
        ]
        answers |= {"datasets": on} if len(on) > 1 else {"dataset": on[0]}
    if not {"model", "unavailable", "command"} & {*answers}:
        say(f"models: {', '.join(sorted(names.models))}")
        if model := ask("Model to run it here (Enter: it cannot be run here):"):
            answers["model"] = keys["model"].value(model)
        else:
            answers["unavailable"] = needed("Why it cannot be run here, in one sentence")
    if "model" in answers:
        variants = dict.fromkeys(names.models.get(str(answers["model"])) or (), "")
        offers = {"variant": variants, "protocol": described.protocols(), "recipe": described.recipes()}
        for key, known in ((key, known) for key, known in offers.items() if key not in answers):
            what = key.capitalize()
            answers[key] = choice(what, list(known), known.__getitem__) if known else needed(what)
    return answers


def _asked_lines(file: ClaimFile) -> tuple[list[str], list[str]]:
    """Rows, cells and columns by one question: what no row is, is a column."""
    answers = ask("Rows or columns that report it (t1.kim, ...):").split(",")
    given = [it.strip() for it in answers if it.strip()]
    columns = {f"{name}.{it.id}" for name, table in file.paper.tables.items() for it in table.columns}
    rows = {f"{name}.{it.id}" for name, table in file.paper.tables.items() for it in table.rows}
    return [it for it in given if it not in columns - rows], [it for it in given if it in columns - rows]


def _list_names() -> int:
    names = known_names()
    for model, variants in sorted(names.models.items()):
        said = "known once the model is loaded" if variants is None else ", ".join(variants)
        say(f"{model}: {said}")
    say("\n".join(named_choices()))
    return Exit.OK


@add_app.command("claim")
def claim_command(
    id: Annotated[str, typer.Argument(metavar="ID", help="Its short name.")],
    paper: Paper,
    kind: Annotated[str | None, typer.Option(help="As in order; asked for when left out.")] = None,
    says: Annotated[str | None, typer.Option(help="The claim in own short words.")] = None,
    metric: Annotated[list[str] | None, typer.Option(help="As in P@1; once for each.")] = None,
    section: Section = None,
    page: Page = None,
    label: Label = None,
    primary: Annotated[bool, typer.Option("--primary", help="A headline claim.")] = False,
    sets: Set = None,
    models: Models = None,
    dry_run: DryRun = False,
) -> int:
    """Add a claim of any kind. What a kind needs beyond the flags is given with --set, or asked for.

    audit add claim sweep --paper toy --kind order --set better=t4.words --set worse=t4.emb --metric P@1
    --says "words are better" --section 3.2
    """
    from audit.authoring.entry_keys import keys_of, pairs
    from audit.kinds import CLAIM_MODELS, Claim
    from audit.names import known_names as offered

    file = open_file(paper)
    check_free(id, "claim", [it.id for it in file.paper.claims])
    kind = kind or choice(
        "Kind", list(CLAIM_MODELS), lambda it: (CLAIM_MODELS[it].__doc__ or "").splitlines()[0]
    )
    if kind not in CLAIM_MODELS:
        raise AuditError(f"there is no kind of claim {kind!r}; {offered(kind, CLAIM_MODELS)}")
    own_first = sorted(
        keys_of(CLAIM_MODELS[kind], without=("id", "kind", "where")),
        key=lambda it: (not it.required, it.field in Claim.model_fields),
    )
    keys = {it.name: it for it in own_first}
    given = {"says": says, "metric": ",".join(metric or ()) or None, "primary": "yes" if primary else None}
    held = pairs(with_sets(given, sets), keys)
    where = {
        key: it for key, it in (("section", section), ("page", page), ("label", label)) if it is not None
    }
    asks = any(it.required and it.name not in held for it in keys.values()) or not where
    if asks:
        held = asked(keys, held)
        where = where or _asked_where()
    order = [name for name in keys if name in held and name not in ("says", "note")]
    content = {"id": id, "kind": kind, **{name: held[name] for name in order}}
    content |= {"says": held["says"], "where": where} | ({"note": held["note"]} if "note" in held else {})
    file.append(("claims",), content)
    for name, margin in _within_the_number(file.check(), id).items():
        file.put(("margins", name), margin)
    return finish_entry(file, asks=asks, dry_run=dry_run)


def _within_the_number(paper: ClaimPaper, id: str) -> dict[str, Plain]:
    """Margins that a printed value near 100 or 0, or of few digits, asks for, by claim and metric.

    None for a claim with a margin of its own.
    """
    from audit.claims.margins import for_printed

    own = next(it for it in paper.claims if it.id == id)
    if getattr(own, "margin", None) is not None:
        return {}
    found: dict[str, Plain] = {}
    for it in paper.claim_records():
        if it.claim == id and it.kind == "value" and it.margin and it.printed:
            margin = for_printed(it.margin, it.printed[0])
            if margin != it.margin:
                found[it.id] = {"value": margin.value, "rule": margin.rule, "why": margin.why}
    return found


def _asked_where() -> dict[str, Plain]:
    """Section, page or label: one of them is needed."""
    while True:
        section, page, label = (ask(f"{it}:") for it in ("Section", "Page", 'Label, as in "Table 4"'))
        if page and not (page.isascii() and page.isdecimal() and int(page[:9]) > 0):
            print(f"{page!r} is no page number", file=sys.stderr)
            continue
        given = {"section": section, "page": int(page) if page else None, "label": label}
        if where := {key: it for key, it in given.items() if it}:
            return where
        print("say in which section, on which page or in which table it stands", file=sys.stderr)
