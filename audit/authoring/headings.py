"""What a heading or the name of a row means: a metric, a quantity, a data set; else it is left open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from audit.authoring import words
from audit.claims.load import Paper
from audit.importing.results import bare

_WITH_K = words.of("headings", "metrics_at_k")
_WITHOUT_K, _QUANTITIES = words.of("headings", "metrics"), words.of("headings", "quantities")
_K = re.compile(r"(?P<name>[a-z]+)@\(?(?:k=)?(?P<k>[1-9][0-9]{0,2})\)?")
_K_ALONE = re.compile(r"@?(?:k=)?([1-9][0-9]{0,2})")
#: Footnote marks behind a name.
_MARKS = re.compile(r"\s*(?:\^[\w,]+|[*†‡§¶]+)$")
#: Numbers under such titles are no metric's, whatever stands below them.
_DERIVED = re.compile(r"[Δ∆]|\b(?:delta|diff|gain|improv|rank|std|speed)", re.IGNORECASE)
#: Titles that name a subset of the labels, or all of them: a score over few labels is another metric.
_SUBSET = re.compile(
    r"(?:all|overall|total)(?: labels)?|"
    r"(?P<subset>frequent|few|zero|rare|medium|head|torso|tail|seen|unseen)(?:[- ]?shot)?(?: labels)?"
    r"(?:\s*[(\[$].*)?",
    re.IGNORECASE,
)


def dataset_named(paper: Paper, text: str) -> str | None:
    """Id of the paper's data set that is spelled so but for case and hyphens, by its id, name or entry."""
    wanted = bare(text)
    by_name = [id for id, data in paper.datasets.items() if wanted in (bare(id), bare(data.name))]
    by_key = [id for id, data in paper.datasets.items() if wanted == bare(data.catalogue or "")]
    nearest = by_name or by_key
    return nearest[0] if wanted and len(nearest) == 1 else None


@dataclass(frozen=True)
class Meaning:
    """What the titles of a column, or the names of a row, say."""

    metric: str | None = None
    quantity: str | None = None
    dataset: str | None = None
    rest: tuple[str, ...] = ()
    """Those that say neither."""


def meaning(titles: Sequence[str], paper: Paper) -> Meaning:
    """What titles mean, from the outside in: EUR-Lex over P@1, Precision over @1, or `EUR-Lex P@1` in one."""
    metric = quantity = dataset = subset = None
    rest: list[str] = []
    for title in _joined([_MARKS.sub("", title) for title in titles]):
        before, at_end = _metric_at_end(title)
        if at_end and metric is None:
            metric, title = at_end, before
        if not title:
            continue
        if over := _SUBSET.fullmatch(title):
            subset = (over["subset"] or "").casefold()
        elif dataset is None and (named := dataset_named(paper, title)):
            dataset = named
        elif quantity is None and metric is None and (named := _QUANTITIES.get(bare(title))):
            quantity = named
        else:
            rest.append(title)
    if quantity is None and any(map(_DERIVED.search, titles)):
        metric = None
    return Meaning(f"{metric}[{subset}]" if metric and subset else metric, quantity, dataset, tuple(rest))


def metric_of(title: str) -> str | None:
    """Our spelling of a metric: `Prec@1`, `P @ 1 (%)` and `p@1` are P@1."""
    text = re.sub(r"\(%\)|\(in%\)|%|[↑↓]|\(\)|[\s.\-\N{NON-BREAKING HYPHEN}_$]", "", title.casefold())
    match = _K.fullmatch(text)
    if match and match["name"] in _WITH_K:
        return f"{_WITH_K[match['name']]}@{match['k']}"
    return _WITHOUT_K.get(text)


def _joined(titles: Sequence[str]) -> list[str]:
    """`Precision` or `P@k` over `1` or `@1` is one title."""
    joined: list[str] = []
    for title in titles:
        k = _K_ALONE.fullmatch(title.replace(" ", "").casefold())
        name = re.sub(r"\s*@\s*[kK]?$|\s*\(%\)$", "", joined[-1]) if joined else ""
        if k and bare(name) in _WITH_K:
            joined[-1] = f"{name}@{k[1]}"
        else:
            joined.append(title)
    return joined


def _metric_at_end(title: str) -> tuple[str, str | None]:
    """What stands before a metric at the end of a title, and the metric."""
    words = title.split()
    for start in range(max(0, len(words) - 4), len(words)):
        if metric := metric_of(" ".join(words[start:])):
            return " ".join(words[:start]).strip(" -–:,/"), metric
    return title, None
