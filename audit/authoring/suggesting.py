"""Claims that a paper's tables would bear, for a person to accept or drop one by one.

    for it in suggestions(paper):
        print(it.id, it.kind, it.why)
    file.append(("claims",), it.content)

They come from the tables alone. What the paper says of them nobody here knows: each sentence is marked as
ours, and names the table as its place, until the paper's own stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from audit.assemble import sheet_of
from audit.authoring.suggesting_drafts import Draft
from audit.authoring.suggesting_fields import fields
from audit.authoring.suggesting_rules import RULES
from audit.authoring.suggesting_throughout import winners
from audit.claim import Paper
from audit.claim_kinds import KINDS, Claim
from audit.claim_source import Plain
from audit.record import ClaimRecord

#: What a claim is about, however it is written.
Signature = tuple[object, ...]


@dataclass(frozen=True)
class Suggestion:
    """One candidate."""

    id: str
    kind: str
    says: str
    """What the table shows, in one sentence."""
    why: str
    """Why it is suggested."""
    place: str
    """The table as printed: Table 2."""
    cells: tuple[str, ...]
    """Addresses of the numbers that it is about."""
    content: Mapping[str, Plain]
    """The entry under `claims`, as it would be written."""
    needs: tuple[str, ...] = ()
    """Rows, as table.row, that have no experiment yet: until then it cannot be added. Columns or cells, where
    a row holds several methods."""
    option: str | None = None
    """That of `audit add experiment` which takes the first of `needs`."""

    def worded(self, says: str | None, where: Mapping[str, Plain] | None = None) -> dict[str, Plain]:
        """The entry with the paper's sentence, in own short words, and its place instead of the table's."""
        own = {"says": says or self.content["says"], "where": dict(where or self.content["where"])}
        return {**self.content, **own}


def suggestions(paper: Paper) -> tuple[Suggestion, ...]:
    """All candidates that the file does not have yet, in the order of its tables; ids stay the same."""
    sheet = sheet_of(paper)
    held = list(fields(sheet))
    order = {name: place for place, name in enumerate(paper.tables)}
    drafts = [draft for it in held for rule in RULES for draft in rule(sheet, it)]
    drafts += winners(held)
    drafts.sort(key=lambda it: order[it.tables[0]])
    there = signatures(paper, paper.claims)
    found: list[Suggestion] = []
    taken = {it.id for it in paper.claims}
    for draft in drafts:
        for left in _left(paper, draft, there):
            suggestion = _suggestion(paper, left, taken)
            taken.add(suggestion.id)
            found.append(suggestion)
    return tuple(found)


def _left(paper: Paper, draft: Draft, there: set[Signature]) -> Iterator[Draft]:
    """The draft, without the metrics for which there is such a claim; what is given once is not again."""
    own = signatures(paper, [_claim(_content(paper, draft, draft.name))])
    new = own - there
    there |= new
    if not new:
        return
    metrics = draft.keys.get("metric")
    if new != own and metrics:
        kept = [it for it in metrics if any(it == sign[1] for sign in new)]
        draft = Draft(**{**vars(draft), "keys": {**draft.keys, "metric": kept}})
    yield draft


def _suggestion(paper: Paper, draft: Draft, taken: set[str]) -> Suggestion:
    id = _free(re.sub(r"[^A-Za-z0-9_-]+", "-", draft.name).strip("-"), taken)
    content = _content(paper, draft, id)
    place = _place(paper, draft.tables)
    needs = draft.bare, draft.option
    return Suggestion(id, draft.kind, draft.says, draft.why, place, draft.cells, content, *needs)


def _free(name: str, taken: Iterable[str]) -> str:
    names = [name, *(f"{name}-{number}" for number in range(2, len(list(taken)) + 3))]
    return next(it for it in names if it not in taken)


def _content(paper: Paper, draft: Draft, id: str) -> dict[str, Plain]:
    where = paper.tables[draft.tables[0]].where
    place = {key: it for key, it in where.model_dump().items() if it is not None}
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", id).strip("-")
    says = f"suggested from {_place(paper, draft.tables)}; replace by the paper's sentence: {draft.says}"
    start = {"id": name, "kind": draft.kind, **draft.keys}
    return {**start, "says": says, "where": place or {"label": draft.tables[0]}}


def _place(paper: Paper, tables: Sequence[str]) -> str:
    labels = dict.fromkeys(paper.tables[it].where.label or it for it in tables)
    return ", ".join(labels)


def _claim(content: Mapping[str, Plain]) -> Claim:
    return KINDS[content["kind"]].model_validate(dict(content))


def signatures(paper: Paper, claims: Iterable[Claim]) -> set[Signature]:
    """What the claims state, one for each metric: kind, metric and experiments (or cells that have none)."""
    with_these = paper.model_copy(update={"claims": tuple(claims)})
    return {it for record in with_these.statements() for it in _signatures(record)}


def _signatures(it: ClaimRecord) -> Iterator[Signature]:
    of: tuple[str, ...] = it.experiments if len(it.experiments) >= len(it.cells) else it.cells
    details = it.details or {}
    if it.kind == "dominance":
        for line in details["lines"]:
            yield it.kind, line["metric"], line["dataset"], line["winner"], frozenset(line["rivals"])
    elif it.kind == "optimum":
        yield it.kind, it.metric, of[0], frozenset(of)
    else:
        yield it.kind, it.metric, of
