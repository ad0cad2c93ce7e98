"""`audit validate` and `audit list`: claim files and the names in them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from audit.cli.app import Claims, app, claim_paths, known_names, papers_of, say
from audit.cli.list_keys import asked_model, model_lines, training_lines
from audit.cli.options import Models
from audit.errors import AuditError, Exit


@app.command("validate")
def validate_command(
    claims: Claims = None,
    models: Models = None,
) -> int:
    """Check claim files: every problem of every file, as file:line: key: what, and what to do."""
    from audit.claims.load import load
    from audit.names import counted

    broken, known = False, known_names(configs=True)
    for path in claim_paths(claims):
        try:
            paper = load(path, known=known)
        except AuditError as err:
            broken = True
            print(err, file=sys.stderr)
        else:
            parts = (
                counted(len(paper.tables), "table"),
                counted(len(paper.experiments), "experiment"),
                f"{counted(len(paper.claims), 'claim')} over {counted(len(paper.claim_records()), 'number')}",
            )
            say(f"{path}: valid; {', '.join(parts)}")
    return Exit.BAD_INPUT if broken else Exit.OK


#: What `audit list` shows in place of papers: where each comes from, or what it does.
SORTS = ("models", "metrics", "readers", "protocols", "recipes", "tuning")


@app.command("list")
def list_command(
    claims: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CLAIMS]...|models|model NAME|metrics|readers|protocols|training|recipes|tuning",
            help="Claim files or keys of built-in ones; or a sort of names, with where each comes from or "
            "what it does; `model NAME`: its variants and the keys of `config:`; `training`: the keys of "
            "`training:`.",
        ),
    ] = None,
    models: Models = None,
) -> int:
    """Show papers, their experiments and claims, and the names that a claim file may use."""
    if (model := asked_model(claims or ())) is not None:
        say("\n".join(model_lines(model)))
        return Exit.OK
    if claims == ["training"]:
        say("\n".join(training_lines()))
        return Exit.OK
    if claims and len(claims) == 1 and claims[0] in SORTS:
        for name, source in _sources(claims[0]).items():
            say(f"{name:20} {source}")
        return Exit.OK
    for paper in papers_of(claims):
        published = " ".join(str(it) for it in (paper.paper.venue, paper.paper.year) if it is not None)
        say(f"{paper.paper.key}: {paper.paper.title}{f' ({published})' if published else ''}")
        say("  experiments")
        for name, it in paper.experiments.items():
            how = (
                f"not available: {it.unavailable}"
                if it.unavailable
                else f"its own command: {' '.join(it.command.run)}"
                if it.command
                else f"{it.model}, {it.variant}, {it.protocol}"
                + (f", tuned by {it.tuning.protocol}" if it.tuning else "")
            )
            say(f"    {name:18} {it.title} [{how}]")
        say("  claims")
        for claim in paper.claims:
            say(f"    {claim.id:28} {claim.kind:11} {'*' if claim.primary else ' '} {claim.says}")
    known = known_names()
    for model, variants in known.models.items():
        say(f"model {model}: {', '.join(variants) if variants else 'variants not known without loading it'}")
    say("\n".join(named_choices()))
    return Exit.OK


def named_choices() -> Iterator[str]:
    """Protocols, recipes and tuning protocols, a line each under the key that names them."""
    from reimpl import described

    for key, held in (
        ("protocol", described.protocols()),
        ("recipe", described.recipes()),
        ("tuning", described.tunings()),
    ):
        yield f"{key}:"
        yield from (f"  {name:20} {text}" for name, text in held.items())


def _sources(sort: str) -> dict[str, str]:
    """Name -> where it comes from, or why it is not used; of named choices, what each does."""
    from reimpl import described, plugins

    choices = {"protocols": described.protocols, "recipes": described.recipes, "tuning": described.tunings}
    if sort in choices:
        return choices[sort]()
    if sort == "models":
        from reimpl.models import sources_of_models

        return sources_of_models()
    if sort == "metrics":
        from reimpl.metric_names import METRICS

        return {f"{name}@k" if has_k else name: "this toolkit" for name, has_k in METRICS.items()}
    from reimpl.data.formats import READERS, readers

    ours = {name: f"this toolkit ({it.title})" for name, it in READERS.items()}
    offers, usable = plugins.offered(plugins.READERS, own=READERS), {*readers()}
    theirs = {name: it.source for name, it in offers.there.items() if name in usable}
    return ours | theirs
