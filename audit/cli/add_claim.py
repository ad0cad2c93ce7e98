"""`audit add claim`: one statement of the text, of any kind."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.adding import DryRun, Paper, Set, asked, check_free, choice, finish_entry, open_file, with_sets
from audit.cli.app import add_app
from audit.cli.editing import ask
from audit.cli.model_folder import Models
from audit.errors import AuditError

if TYPE_CHECKING:
    from audit.claim import Paper as ClaimPaper
    from audit.claim_source import Plain


@add_app.command("claim")
def claim_command(
    id: Annotated[str, typer.Argument(metavar="ID", help="Its short name.")],
    paper: Paper,
    kind: Annotated[str | None, typer.Option(help="As in order; asked for when left out.")] = None,
    says: Annotated[str | None, typer.Option(help="The claim in own short words.")] = None,
    metric: Annotated[list[str] | None, typer.Option(help="As in P@1; once for each.")] = None,
    section: Annotated[str | None, typer.Option(help="Where the text says so, as in 3.2.")] = None,
    page: Annotated[int | None, typer.Option(min=1, help="Page number as printed.")] = None,
    label: Annotated[str | None, typer.Option(help='As in "Table 4".')] = None,
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
    from audit.claim_kinds import KINDS, Claim
    from audit.names import known_names as offered

    file = open_file(paper)
    check_free(id, "claim", [it.id for it in file.paper.claims])
    kind = kind or choice("Kind", list(KINDS), lambda it: (KINDS[it].__doc__ or "").splitlines()[0])
    if kind not in KINDS:
        raise AuditError(f"there is no kind of claim {kind!r}; {offered(kind, KINDS)}")
    own_first = sorted(
        keys_of(KINDS[kind], without=("id", "kind", "where")),
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
    from audit.claim_margin import for_printed

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
