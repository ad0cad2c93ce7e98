"""`audit add claim`, `dataset`, `experiment`: one entry of a claim file, from options or by questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import add_app, known_names, say
from audit.cli.editing import DryRun, Paper, Set, ask, asked, finish, open_file, sets, the_one, until_sound
from audit.cli.options import Models
from audit.errors import AuditError

if TYPE_CHECKING:
    from audit.claims.load import Paper as ClaimPaper
    from audit.claims.source import Plain


@add_app.command("dataset")
def dataset_command(
    id: Annotated[str, typer.Argument(metavar="ID", help="Its short name, as in eurlex.")],
    paper: Paper,
    name: Annotated[str | None, typer.Option(help="As the paper writes it; asked for when left out.")] = None,
    more: Set = None,
    models: Models = None,
    dry_run: DryRun = False,
) -> int:
    """Add a data set that the paper reports on, by the catalogue's name where it has one.

    audit add dataset eurlex --paper toy --name EUR-Lex --set catalogue=eurlex-4k
    --set 'printed={train: "15,449"}'
    """
    from audit.authoring.entries import Keys
    from audit.claims.schema import Dataset
    from reimpl.data.catalogue import catalogue

    file = open_file(paper)
    entry = Keys(Dataset).entry({"name": name, **sets(more)})
    if asks := "name" not in entry:
        entry = asked(Keys(Dataset, only=("name", "catalogue", "printed")), entry)
    if "catalogue" in entry:
        catalogue().find(entry["catalogue"])
    entry = {"content": None, **entry}
    file.put(("datasets", id), {name: entry[name] for name in Dataset.model_fields if name in entry})
    code = finish(file, asks=asks, dry_run=dry_run)
    if "catalogue" not in entry and (alike := _alike(entry["name"])):
        say(f"the catalogue has {', '.join(alike)}: if that is it, write catalogue: {alike[0]}")
    return code


def _alike(name: str) -> list[str]:
    """Entries of the catalogue with that name, or one that is spelled much like it; the likest first."""
    from difflib import get_close_matches

    from audit.importing.results import bare
    from reimpl.data.catalogue import catalogue

    entries = {key: it for key, it in catalogue().entries.items() if not it.stand_in_for}
    spelled = {bare(it): key for key, held in entries.items() for it in (key, held.name)}
    like = get_close_matches(bare(name), spelled, n=8, cutoff=0.7)
    return list(dict.fromkeys(spelled[it] for it in like))[:4]


#: Keys of an experiment of which one says how its numbers come about.
_HOW = ("model", "unavailable", "command")


@add_app.command("experiment")
def experiment_command(
    id: Annotated[str, typer.Argument(metavar="ID", help="Its short name.")],
    paper: Paper,
    title: Annotated[str | None, typer.Option(help="In a few words; asked for when left out.")] = None,
    dataset: Annotated[list[str] | None, typer.Option(metavar="ID", help="Once for each.")] = None,
    model: Annotated[
        str | None, typer.Option(help="To run it here; else --set unavailable=WHY. `audit list models`.")
    ] = None,
    row: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TABLE.ROW|TABLE.COLUMN|TABLE.ROW.COLUMN",
            help="A row, column or cell that reports it; once for each.",
        ),
    ] = None,
    more: Set = None,
    models: Models = None,
    dry_run: DryRun = False,
) -> int:
    """Add an experiment: what a row reports, and how to run it here, or why it cannot be.

    audit add experiment kim --paper toy --title Kim-CNN --dataset eurlex --model xml_cnn
    --set variant=chen2022-kim-words --set protocol=chen2022 --set recipe=study2022 --row t1.kim
    """
    from audit.authoring.entries import Keys, attach
    from audit.claims.experiments import Experiment
    from reimpl import described

    file, keys = open_file(paper, configs=True), Keys(Experiment)
    on = {"datasets" if len(dataset or ()) > 1 else "dataset": ",".join(dataset or ())}
    entry = keys.entry({"title": title, **on, "model": model, **sets(more)})
    settled = {"title": {"title"}, "dataset": {"dataset", "datasets"}, "model": {*_HOW}}
    rows = list(row or ())
    if asks := not all(names & {*entry} for names in settled.values()):
        offers = {
            "dataset": list(file.paper.datasets),
            "model": sorted(known_names().models),
            "protocol": list(described.protocols()),
            "recipe": list(described.recipes()),
        }
        first = [name for name, names in settled.items() if not names & {*entry}]
        entry = asked(Keys(Experiment, only=first), entry, ("dataset",), offers)
        how = ("variant", "protocol", "recipe") if "model" in entry else _HOW[1:2]
        if "model" in entry or not {*_HOW} & {*entry}:
            offers["variant"] = list(known_names().models.get(str(entry.get("model"))) or ())
            entry = asked(Keys(Experiment, only=how), entry, how, offers)
        if not rows:
            given = ask("Rows, columns or cells that report it (t1.kim, ...):").split(",")
            rows = [it.strip() for it in given if it.strip()]
    file.put(("experiments", id), {name: entry[name] for name in Experiment.model_fields if name in entry})
    for name in rows:
        attach(file, id, entry, name)
    return finish(file, asks=asks, dry_run=dry_run)


@add_app.command("claim")
def claim_command(
    id: Annotated[str, typer.Argument(metavar="ID", help="Its short name.")],
    paper: Paper,
    kind: Annotated[str | None, typer.Option(help="As in order; asked for when left out.")] = None,
    says: Annotated[str | None, typer.Option(help="The claim in own short words.")] = None,
    metric: Annotated[list[str] | None, typer.Option(help="As in P@1; once for each.")] = None,
    more: Set = None,
    models: Models = None,
    dry_run: DryRun = False,
) -> int:
    """Add a claim of any kind. What a kind needs beyond the flags is given with --set, or asked for.

    audit add claim sweep --paper toy --kind order --set better=t4.words --set worse=t4.emb --metric P@1
    --says "words are better" --set section=3.2
    """
    from audit.authoring.entries import Keys
    from audit.claims.schema import Where
    from audit.kinds import CLAIM_MODELS

    file = open_file(paper)
    if kind is None:
        for name, of in CLAIM_MODELS.items():
            say(f"  {name:14} {(of.__doc__ or '').splitlines()[0]}")
        kind = until_sound(
            "Kind:", lambda text: the_one("kind of claim", text, {it: it for it in CLAIM_MODELS})
        )
    own = Keys(the_one("kind of claim", kind, CLAIM_MODELS), without=("id", "kind", "where"))
    place = Keys(Where)
    words = {"says": says, "metric": ",".join(metric or ()), **sets(more)}
    where = place.entry({name: text for name, text in words.items() if name in place.fields})
    entry = own.entry({name: text for name, text in words.items() if name not in place.fields})
    if asks := not where or any(it.is_required() and name not in entry for name, it in own.fields.items()):
        entry = asked(own, entry)
        where = where or asked(place, {})
    if not where:
        raise AuditError("where it stands is missing; add --set section=3.2, or page, or label")
    content = {name: entry[name] for name in own.fields if name in entry and name not in ("says", "note")}
    last = {"says": entry["says"], "where": where, **({"note": entry["note"]} if "note" in entry else {})}
    file.append(("claims",), {"id": id, "kind": kind, **content, **last})
    for name, margin in _within_the_number(file.check(), id).items():
        file.put(("margins", name), margin)
    return finish(file, asks=asks, dry_run=dry_run)


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
