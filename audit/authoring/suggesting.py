"""Claims that a paper's tables support: the best on one data set, and pairs that differ in one part.

What the paper says of them nobody here knows: each sentence is marked as ours, at the place of its table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

from audit.authoring.edit import reported
from audit.checks.tables import Number, Sheet, sheet_of
from audit.claims.links import UnresolvedError, cell_of
from audit.claims.load import Paper
from audit.claims.source import Plain
from audit.kinds import KINDS, Claim
from audit.record import TableRecord
from audit.stats.printed import printed

#: Averages and differences do not compete.
_DERIVED = re.compile(r"[Δ∆]|\b(?:avg|average|mean|diff|difference|gain|improvement|improv)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Suggestion:
    id: str
    kind: str
    says: str  # What the table shows, in one sentence.
    why: str  # Why it is suggested.
    place: str  # The table as printed: Table 2.
    cells: tuple[str, ...]  # Addresses of the numbers that it is about.
    content: Mapping[str, Plain]  # The entry under `claims`, as it would be written.
    needs: tuple[str, ...] = ()  # Rows, columns or cells that have no experiment yet: it cannot be added.


class Competitor(NamedTuple):
    """What one row, or column, stands for on one data set."""

    label: str
    name: str  # Its id.
    numbers: Mapping[str, Number]  # By metric.
    experiment: str | None


class Draft(NamedTuple):
    """A candidate without an id and a place."""

    name: str  # What its id is made of.
    kind: str
    roles: Mapping[str, Competitor | Sequence[Competitor]]  # By the key of the claim that names them.
    shows: str
    why: str
    competitors: Sequence[Competitor]
    metrics: Sequence[str]


def suggestions(paper: Paper) -> tuple[Suggestion, ...]:
    """All candidates that the file does not have yet, the most likely statements first."""
    sheet, order = sheet_of(paper), list(paper.tables)
    there = _signatures(paper, paper.claims)
    ids = {claim.id for claim in paper.claims}
    made: list[tuple[tuple[int, int], Suggestion]] = []
    for table, dataset, competitors in sorted(_fields(sheet), key=lambda field: order.index(field[0].id)):

        def named(one: Competitor, metrics: Sequence[str], table: TableRecord = table) -> str | None:
            """`table.row` or `table.experiment`, whichever leads to its own cells in these metrics."""
            for line in filter(None, (one.name, one.experiment)):
                name = f"{table.id}.{line}"
                with suppress(UnresolvedError):
                    cells = [cell_of(name, metric, sheet.by_name).address for metric in metrics]
                    if cells == [one.numbers[metric].address for metric in metrics]:
                        return name
            return None

        on = f"on {sheet.datasets[dataset].name if dataset in sheet.datasets else dataset}"
        where = paper.tables[table.id].where.model_dump(exclude_none=True) or {"label": table.id}
        for draft in (*_best_ones(competitors), *_better_ones(competitors)):
            keys: dict[str, Any] = {
                key: named(of, draft.metrics)
                if isinstance(of, Competitor)
                else [named(one, draft.metrics) for one in of]
                for key, of in draft.roles.items()
            }
            if any(name is None or None in name for name in keys.values() if not isinstance(name, str)):
                continue
            says = f"suggested from {table.label}; replace by the paper's sentence: {draft.shows} {on}"
            content = {"id": "new", "kind": draft.kind, **keys, "metric": [*draft.metrics], "says": says}
            content["where"] = where
            new = _signatures(paper, [KINDS[draft.kind].model_validate(content)]) - there
            if not new:
                continue
            there |= new
            name = re.sub(r"[^A-Za-z0-9_-]+", "-", f"{table.id}-{draft.name}-{dataset}").strip("-")
            id = next(i for k in range(len(ids) + 1) if (i := f"{name}-{k + 1}" if k else name) not in ids)
            ids.add(id)
            # of some metrics there may be a claim already
            content |= {"id": id, "metric": [it for it in draft.metrics if any(it == of[1] for of in new)]}
            cells = [one.numbers[metric].cell for one in draft.competitors for metric in draft.metrics]
            needs = dict.fromkeys(reported(table, cell) for cell in cells if cell.experiment is None)
            addresses = tuple(cell.address for cell in cells)
            texts = f"{draft.shows} {on}", draft.why, table.label
            new_one = Suggestion(id, draft.kind, *texts, addresses, content, tuple(needs))
            made.append(((_rank(draft, competitors), -len(draft.metrics)), new_one))
    return tuple(suggestion for _, suggestion in sorted(made, key=lambda pair: pair[0]))


#: Whose method a paper calls its own; without such a name it is most often the last one.
_OURS = re.compile(r"\b(?:ours?|proposed|this (?:work|paper))\b", re.IGNORECASE)


def _rank(draft: Draft, competitors: Sequence[Competitor]) -> int:
    """Order of likelihood: the paper's own method is the best; then what each of its parts does; the rest."""
    first = draft.roles.get("best") or draft.roles["better"]
    own = [one for one in competitors if _OURS.search(one.label)] or competitors[-1:]
    if draft.kind == "optimum":
        return 0 if first in own else 2
    better, worse = draft.competitors
    whole = all(metric in draft.metrics for metric in better.numbers if metric in worse.numbers)
    if not whole or any(number.cell.source == "copied" for number in better.numbers.values()):
        return 5
    full = _WITHOUT.fullmatch(worse.label.strip()) and not _WITHOUT.fullmatch(better.label.strip())
    return 1 if full else 3 if first in own else 4


def _signatures(paper: Paper, claims: Iterable[Claim]) -> set[tuple[object, ...]]:
    """What the claims state, one for each metric: kind, metric and experiments (or cells that have none)."""
    signatures: set[tuple[object, ...]] = set()
    for claim in paper.model_copy(update={"claims": tuple(claims)}).statements:
        arms = claim.experiments if len(claim.experiments) >= len(claim.cells) else claim.cells
        best = (arms[0], frozenset(arms)) if KINDS[claim.kind].comparison == "best" else (arms,)
        signatures.add((claim.kind, claim.metric, *best))
    return signatures


def _fields(sheet: Sheet) -> Iterator[tuple[TableRecord, str, list[Competitor]]]:
    """Every table and data set on which two or more rows, or columns, compete, with the competitors."""
    by_table: dict[tuple[str, str], list[list[Number]]] = {}
    labels = {
        (table.id, of): {line.id: line.label for line in lines}
        for table in sheet.tables
        for of, lines in (("row", table.rows), ("column", table.columns))
    }
    for (table, dataset, _), numbers in sheet.lines.items():
        rows, columns = labels[table, "row"], labels[table, "column"]
        plain = [n for n in numbers if not _DERIVED.search(f"{rows[n.row]}\n{columns[n.column]}")]
        by_table.setdefault((table, dataset), []).append(plain)
    for (table, dataset), lines in by_table.items():
        sides = ("row", "column")
        once = {of: all(len({getattr(it, of) for it in line}) == len(line) for line in lines) for of in sides}
        of = "row" if once["row"] and any(len(line) > 1 for line in lines) else "column"
        own: dict[str, dict[str, Number]] = {}
        for number in (number for line in lines for number in line):
            own.setdefault(getattr(number, of), {})[number.cell.metric or ""] = number
        if once[of] and len(own) > 1:
            of_cells = {id: next(iter(mine.values())).cell.experiment for id, mine in own.items()}
            competitors = [Competitor(labels[table, of][id], id, own[id], of_cells[id]) for id in own]
            yield sheet.by_name[table], dataset, competitors


def _metrics(competitors: Sequence[Competitor]) -> list[str]:
    return list(dict.fromkeys(metric for one in competitors for metric in one.numbers))


def _best_ones(competitors: Sequence[Competitor]) -> Iterator[Draft]:
    """The best of three or more, if no other prints its number or reaches it within the printed spreads."""

    def ends(number: Number) -> tuple[Fraction, Fraction]:
        spread = printed(number.cell.sd).value if number.cell.sd else Fraction(0)
        return number.value.value - spread, number.value.value + spread

    groups: dict[tuple[int, tuple[int, ...]], list[str]] = {}  # Who is the best of whom -> the metrics.
    for metric in _metrics(competitors):
        numbers = {k: one.numbers[metric] for k, one in enumerate(competitors) if metric in one.numbers}
        best = max(numbers, key=lambda k: numbers[k].value.value)
        others = [ends(number)[1] for k, number in numbers.items() if k != best]
        if len(numbers) >= 3 and max(others) < ends(numbers[best])[0]:
            groups.setdefault((best, tuple(numbers)), []).append(metric)
    for (at, competing), metrics in groups.items():
        first, among = competitors[at], [competitors[k] for k in competing]
        if max(Counter(one.experiment for one in among if one.experiment).values(), default=1) > 1:
            continue  # one experiment in two rows competes with itself
        shows = f"{first.label} is the best of {len(among)} in {_listed(metrics)}"
        why = f"prints the highest {_listed(metrics)} of {len(among)}"
        roles: dict[str, Competitor | Sequence[Competitor]] = {"best": first, "among": among}
        yield Draft(f"best-{first.name}", "optimum", roles, shows, why, among, metrics)


_BETWEEN = re.compile(r"\s*[,;/+|&()\[\]]\s*|\s+(?:with|and|w/)\s+")
_WITHOUT = re.compile(
    r"(?P<base>.*?)[\s,:(]*(?:(?<!\w)w/o|(?<!\w)w\.o\.|\bwithout|\bminus|\bexcluding|\bno)(?!\w)\.?[\s-]*(?P<what>[^)]+)\)?",
    re.IGNORECASE,
)


def _better_ones(competitors: Sequence[Competitor]) -> Iterator[Draft]:
    """Two that differ in one part, which one leaves out or replaces; or the only two."""
    labels = [one.label for one in competitors]
    for a, b in combinations(competitors, 2):
        why = _why_paired(a.label, b.label, labels)
        if why is None or (a.experiment and a.experiment == b.experiment):
            continue
        for better, worse in ((a, b), (b, a)):
            both = {m: (of, worse.numbers[m]) for m, of in better.numbers.items() if m in worse.numbers}
            higher = {metric: of for metric, of in both.items() if of[0].value.value > of[1].value.value}
            pairs = {m: f"{ours.text} against {theirs.text}" for m, (ours, theirs) in higher.items()}
            if pairs:
                yield Draft(
                    f"{better.name}-over-{worse.name}",
                    "order",
                    {"better": better, "worse": worse},
                    f"{better.label} is better than {worse.label} in {_listed([*pairs])}",
                    f"{why}; {', '.join([*pairs.values()][:3])}{', ...' if len(pairs) > 3 else ''}",
                    (better, worse),
                    [*pairs],
                )


def _why_paired(a: str, b: str, labels: Sequence[str]) -> str | None:
    """Why these two are compared; None if nothing in the table suggests it."""
    lacks = {label: _WITHOUT.fullmatch(label.strip()) for label in labels}

    def base(label: str) -> str | None:
        """The model of `XML-CNN w/o pooling`; empty for `no pooling`."""
        match = lacks[label]
        return match["base"].strip(" ,:(").casefold() if match else None

    whole = [label for label in labels if not lacks[label]]
    for full, part in ((a, b), (b, a)):
        # the one model that lacks nothing and has that name; none where several may be it
        named = [label for label in whole if base(part) in ("", label.casefold())]
        if (match := lacks[part]) is not None and named == [full]:
            return f"{part!r} is {full!r} without {match['what'].strip()!r}"
    if base(a) is None or base(a) != base(b):
        parts = (filter(None, map(str.strip, _BETWEEN.split(label.casefold()))) for label in (a, b))
        # `XML-CNN, words` is made of xml-cnn and words; two names alone are no change of one thing
        first, second = map(Counter, parts)
        only_a, only_b = list((first - second).elements()), list((second - first).elements())
        if max(len(only_a), len(only_b)) == 1 and first & second:
            changed = [(only or ["nothing"])[0] for only in (only_a, only_b)]
            return f"they differ only in {changed[0]!r} or {changed[1]!r}"
    return "they are the only two rows of the table on this data set" if len(labels) == 2 else None


def _listed(names: Sequence[str]) -> str:
    """`P@1, P@3 and P@5`."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
