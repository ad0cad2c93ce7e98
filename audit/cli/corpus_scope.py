"""What a corpus on disk is to the catalogue, and to the claims of each paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from audit.claims.schema import Dataset
from audit.record import Scope

if TYPE_CHECKING:
    from reimpl.data.identity import Observed

_SURE = ("content", "partition", "corpus")


def identity(
    observed: Observed, entry: str | None, papers: Mapping[str, Mapping[str, Dataset]]
) -> tuple[list[str], str]:
    """What it is and what it is to each paper's data sets, in lines; why it is not the `entry` that the user
    names, empty where it may be that."""
    from reimpl.data.catalogue import catalogue
    from reimpl.data.identity import compared, recognise

    known = catalogue()
    found = recognise(observed, known)
    lines, why = [f"recognised: {found.sentence}"], ""
    if found.how == "nothing" and entry is None:
        lines.append("note: how it differs from an entry of `audit data list` is told with --as ENTRY")
    if found.how == "sizes" and not any(it.published for it in known.find(found.key or "").known):
        lines.append(
            f"note: the published content of {found.key} is not on record, so no run on it is same_data by "
            "itself; if it is a paper's, its `content:` or `partition:`, as `audit data describe` prints "
            "them, go into the data set of the claim file"
        )
    if entry is not None:
        asked = compared(observed, entry, known.find(entry))
        said = asked.sentence
        if asked.differences:
            why = f"its sizes match none of {entry}"
            said = f"{why}; nearest: {'; '.join(asked.differences)}"
        if asked.how in _SURE:
            why = ""
        elif found.how in _SURE:
            why = said = f"not {entry}, the content is that of {found.key}"
        if found.key != entry:
            lines.append(f"as asked: {said}")
    # The nearest in size is not found, so that it stands in for nothing.
    recognised = None if found.key is None or found.how == "nothing" else known.entries[found.key]
    copy_of = recognised.stand_in_for if recognised else None
    keys = {entry, copy_of, found.key if recognised else None} - {None}
    all_bearings = list(bearings(observed, papers, copy_of))
    shown = [it for it in all_bearings if it.scope != "other_data" or it.catalogue in keys]
    lines += [it.sentence for it in shown]
    if rest := [it for it in all_bearings if it not in shown]:
        number = len({it.paper for it in rest})
        lines.append(f"{len(rest)} {'other ' if shown else ''}data sets of {number} papers: other_data")
    return lines, why


@dataclass(frozen=True)
class Bearing:
    """A corpus against one data set of one paper."""

    paper: str
    dataset: str
    scope: Scope
    catalogue: str | None
    differences: tuple[str, ...]
    """What the paper prints and is not here, in words; without any, why it is `other_data` all the same.

    Of the same data, that their order is another.
    """

    @property
    def sentence(self) -> str:
        """`wang2019 delicious: other_split; printed 19.03 labels a document, here 19.05`."""
        return "; ".join((f"{self.paper} {self.dataset}: {self.scope}", *self.differences))


def bearings(
    observed: Observed, papers: Mapping[str, Mapping[str, Dataset]], copy_of: str | None = None
) -> Iterator[Bearing]:
    """Every data set of every paper, in their order; what is recognised stands in for entry `copy_of`."""
    from reimpl.data.identity import REORDERED, differences, scope_of

    for paper, datasets in papers.items():
        for name, dataset in datasets.items():
            same, corpora = dataset.content or (), dataset.corpus or ()
            scope = scope_of(
                observed.content,
                observed.corpus,
                observed.partition,
                same=same,
                corpora=corpora,
                partitions=dataset.partition or (),
            )
            differ = differences(dataset.printed, observed)
            if scope == "same_data" and observed.content not in same:
                differ = (REORDERED, *differ)
            if scope == "other_data" and not differ:
                agree = "what it prints agrees" if dataset.printed else "it prints no sizes"
                another = same or corpora or (copy_of and dataset.catalogue == copy_of)
                other = "but the content is another"
                unknown = "and whether the content is the same is not known"
                differ = (f"{agree}, {other if another else unknown}",)
            yield Bearing(paper, name, scope, dataset.catalogue, differ)
