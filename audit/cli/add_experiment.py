"""`audit add experiment`: what a row reports, and how to run it here, or why that cannot be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.adding import (
    DryRun,
    Set,
    answer,
    check_free,
    choice,
    finish_entry,
    needed,
    open_file,
    with_sets,
)
from audit.cli.app import add_app, known_names, say
from audit.cli.attaching import attach_column, attach_row
from audit.cli.claims import named_choices
from audit.cli.editing import ask
from audit.cli.model_folder import Models
from audit.errors import AuditError
from audit.exit_codes import Exit

if TYPE_CHECKING:
    from audit.authoring.edit import ClaimFile
    from audit.authoring.entry_keys import Key
    from audit.claim_source import Plain


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
    from audit.claim_model import Experiment

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
