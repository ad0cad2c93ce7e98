"""What titles of columns and names of rows mean: metric, quantity, data set, subset of the labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from audit.authoring.table import METRICS_AT_K, metric_of, words
from audit.claims.load import Paper
from audit.importing.results import bare
from audit.stats.printed import printed_count
from reimpl.data.catalogue import catalogue

_QUANTITIES = words("headings", "quantities")
UNITS = words("headings", "units")
_K_ALONE = re.compile(r"@?(?:k=)?([1-9][0-9]{0,2})")
#: Where a title may have another part: eurlex/P@1, test_precision_at_1.
_PARTS = re.compile(r"[\s/|:_.–-]+")
#: Footnote marks and citations behind a name.
_MARKS = re.compile(r"(?:\s*(?:\^[\w,]+|[*∗†‡§¶]+|\[[^\[\]]*\]|\([^()]*(?:19|20)[0-9]{2}[a-z]?\)))+$")
#: Numbers under such titles are no metric's, whatever stands below them.
_DERIVED = re.compile(r"[Δ∆]|\b(?:delta|diff|gain|improv|lift|rank|std|speed)", re.IGNORECASE)
#: Names of rows whose numbers are differences; Rank-AE is a method.
_ROW_DERIVED = re.compile(r"(?:abs|rel)?\S*\s*(?:[Δ∆]|(?:delta|diff|gain|improv|lift)).*", re.IGNORECASE)
#: A metric of this kind is another one: Macro over P@1.
_QUALIFIED = re.compile(
    r"(?i)\b(macro|micro|weighted|propensity|unbiased|normali[sz]ed|balanced|label.?wise|soft|strict|relaxed)\b"
)
#: Titles that name a subset of the labels, or all of them: a score over few labels is another metric.
_SUBSET = re.compile(
    r"(?i)(?:all|overall|total)(?: labels)?|(?P<subset>frequent|freq|few|zero|rare|medium|head|torso|tail|"
    r"seen|unseen)\.?(?:[- ]?shots?)?(?: labels)?(?:\s*[(\[$].*)?"
)
_COUNT = r"(?P<{}>[0-9]+(?:[.,][0-9]+)*[KkMm]?)"
#: A size behind a name: (3,956 labels), N=15,539.
_SIZE = re.compile(
    rf"[\s,;:(\[–-]+(?:\|?(?P<key>[A-Za-z]{{1,6}})\|?\s*[=≈]\s*{_COUNT.format('behind')}"
    rf"|{_COUNT.format('before')}\s+(?P<of>labels|classes|documents|docs|instances|samples|points|features"
    rf"|train(?:ing)?|test)(?:\s(?:documents|docs|instances|samples))?)[\s,;)\]]*"
)
_LOOKS_SIZED = re.compile(r".*[A-Za-z].*[-_ ]?[0-9](?:\.[0-9])?[KM]", re.DOTALL)
#: Numbers on these parts of the data are not those on the test documents.
_PARTS_OF_DATA = ("dev", "devset", "val", "valid", "validation", "validationset", "train", "training", "oov")
_NEUTRAL = ("test", "testset", "results", "scores", "performance", "dataset", "method", "metric", "metrics")


def without_notes(name: str) -> str:
    """A name without trailing citations, marks and sizes: `EUR-Lex (3,956 labels) [4]` is EUR-Lex."""
    name = _MARKS.sub("", name.strip())
    sized = re.fullmatch(rf"(?P<name>.+?)(?:{_SIZE.pattern})+", name, re.DOTALL)
    return _MARKS.sub("", sized["name"]) if sized else name


def dataset_named(paper: Paper, text: str) -> str | None:
    """Id of the paper's data set with this spelling, ignoring case and hyphens, by its id, name or entry.
    Text after the name is ignored, unless it contradicts the sizes that the paper prints."""
    for wanted in dict.fromkeys([bare(text), bare(without_notes(text))]):
        by_name = [id for id, data in paper.datasets.items() if wanted in (bare(id), bare(data.name))]
        by_key = [id for id, data in paper.datasets.items() if wanted == bare(data.catalogue or "")]
        nearest = by_name or by_key
        if wanted and len(nearest) == 1:
            return None if sizes_apart(paper, nearest[0], text) else nearest[0]
    return None


def sizes_apart(paper: Paper, id: str, text: str) -> str | None:
    """Both numbers of labels, in words, if the one after a name differs from the claim file's."""
    known = paper.datasets[id].printed.get("labels")
    for size in _SIZE.finditer(text) if known else ():
        if size["key"] == "L" or size["of"] in ("labels", "classes"):
            there = size["behind"] or size["before"]
            ours, theirs = printed_count(str(known)), printed_count(there)
            if abs(ours.value - theirs.value) > ours.half_unit + theirs.half_unit:
                return f"{there} labels are not the {known} of {id}"
    return None


@cache
def _of_catalogue() -> dict[str, str]:
    return {bare(name): key for key, it in catalogue().entries.items() for name in (key, it.name)}


def entry_named(text: str) -> str | None:
    return _of_catalogue().get(bare(without_notes(text)))


def looks_like_data(text: str) -> bool:
    """Whether a title may name a data set, or a part of one, that the paper does not declare, by a size."""
    name = without_notes(text)
    of_part = any(bare(part) in _PARTS_OF_DATA for part in _PARTS.split(name))
    sized = _LOOKS_SIZED.fullmatch(name) is not None or name != _MARKS.sub("", text.strip())
    return of_part or sized or entry_named(name) is not None


def is_derived(title: str, *, of_row: bool = False) -> bool:
    """Whether the numbers there are differences or ranks, whatever their metric."""
    return bool(_ROW_DERIVED.fullmatch(title) if of_row else _DERIVED.search(title))


class Meaning(NamedTuple):
    """What the titles of a column, or the names of a row, say."""

    metric: str | None = None
    quantity: str | None = None
    dataset: str | None = None
    rest: tuple[str, ...] = ()  # Those that say neither.
    subset: str | None = None  # Of the labels, where no metric stands with it: part of `metric` elsewhere.
    unit: str | None = None  # Behind the title of a quantity: Train time (h).


def meaning(titles: Sequence[str], paper: Paper) -> Meaning:
    """What titles mean, from the outside in: EUR-Lex over P@1, Precision over @1, or `EUR-Lex P@1` in one."""
    metric = quantity = dataset = subset = unit = None
    rest: list[str] = []
    for title in _joined(titles):
        if metric is None and dataset_named(paper, title) is None:
            starts = [0, *(match.end() for match in _PARTS.finditer(title))]
            for start in [starts[0], *starts[1:][-6:]]:
                if metric := metric_of(title[start:]):  # a metric at the end, and what stands before it
                    if any(map(metric_of, title[:start].split())):
                        return Meaning(rest=tuple(titles))  # two titles that were not parted
                    title = title[:start].strip(" -–:,/|_.")
                    break
        if not title or (metric is not None and bare(title) in _NEUTRAL):
            continue
        behind = re.fullmatch(r"(.*?)\s*[(\[](?:in )?([^()\[\]]{1,10})[)\]]", title)
        if over := _SUBSET.fullmatch(title):
            subset = (over["subset"] or "").casefold() or subset
        elif dataset is None and (named := dataset_named(paper, title)):
            dataset = named
        elif quantity is None and metric is None and (named := _QUANTITIES.get(bare(title))):
            quantity = named
        elif behind and metric is quantity is None and (named := _QUANTITIES.get(bare(behind[1]))):
            quantity, unit = named, UNITS.get(behind[2].casefold(), behind[2])
        else:
            rest.append(title)
    if quantity is None and (any(map(is_derived, titles)) or any(map(_QUALIFIED.search, rest))):
        metric = None
    if metric and quantity in ("train", "test"):  # a part of the data over P@1
        rest, quantity = [*rest, quantity], None
    rest = [title for title in rest if metric is None or bare(title) not in _NEUTRAL]
    if metric and subset:
        metric, subset = f"{metric}[{subset}]", None
    return Meaning(metric, quantity, dataset, tuple(rest), subset, unit)


def _joined(titles: Sequence[str]) -> list[str]:
    """The titles with two that make one metric joined: `Precision` or `P@k` over `@1`, `F1` over `micro`."""
    joined: list[str] = []
    for title in (_MARKS.sub("", title) for title in titles):
        k = _K_ALONE.fullmatch(title.replace(" ", "").casefold())
        for at in reversed(range(len(joined))):
            above = re.sub(r"\s*@\s*[kKnN]?$|\s*\(%\)$", "", joined[at])
            if k and bare(above) in METRICS_AT_K:
                joined[at] = f"{above}@{k[1]}"
                break
            if metric_of(joined[at]) is None and metric_of(title) is None:
                one = next(filter(metric_of, (f"{title} {above}", f"{above} {title}")), None)
                if one is not None:
                    joined[at] = one
                    break
        else:
            joined.append(title)
    return joined
