"""What a corpus on disk is to the claims of each paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from audit.claim import Paper
from audit.record import Scope

if TYPE_CHECKING:
    from reimpl.data.identity import Observed, Recognition


@dataclass(frozen=True)
class Bearing:
    """A corpus against one data set of one paper."""

    paper: str
    dataset: str
    scope: Scope
    catalogue: str | None
    differences: tuple[str, ...]
    """What the paper prints and is not here, in words."""

    @property
    def sentence(self) -> str:
        """`wang2019 delicious: other_split; printed 19.03 labels a document, here 19.05`."""
        return "; ".join((f"{self.paper} {self.dataset}: {self.scope}", *self.differences))


def bearings(observed: Observed, papers: Sequence[Paper]) -> tuple[Bearing, ...]:
    """Every data set of every paper, in their order."""
    from reimpl.data.identity import differences, scope_of

    return tuple(
        Bearing(
            paper.paper.key,
            name,
            scope_of(
                observed.content, observed.corpus, same=dataset.content or (), corpora=dataset.corpus or ()
            ),
            dataset.catalogue,
            differences(dataset.printed, observed),
        )
        for paper in papers
        for name, dataset in paper.datasets.items()
    )


def told(found: Sequence[Bearing], keys: Sequence[str | None]) -> Iterator[str]:
    """Sentences for what is not `other_data`, and for what goes by the name of an entry in `keys`.

    The rest is counted.
    """
    shown = [it for it in found if it.scope != "other_data" or (it.catalogue and it.catalogue in keys)]
    yield from (it.sentence for it in shown)
    rest = [it for it in found if it not in shown]
    if rest:
        papers = len({it.paper for it in rest})
        other = "other " if shown else ""
        yield f"{len(rest)} {other}data sets of {papers} papers: other_data"


def as_asked(observed: Observed, entry: str) -> Recognition:
    """As `identity.recognise`, against the one entry of the catalogue that the user names."""
    from reimpl.data.catalogue import catalogue
    from reimpl.data.identity import compared

    return compared(observed, entry, catalogue().find(entry))


def fits(observed: Observed, entry: str) -> bool:
    """Whether it may be that entry: by content or sizes, or because none are on record."""
    asked = as_asked(observed, entry)
    return asked.how in ("content", "corpus") or not asked.differences


def copied(found: Recognition) -> str | None:
    """The entry for which what was found stands in, if it does."""
    from reimpl.data.catalogue import catalogue

    return catalogue().entries[found.key].stand_in_for if found.key else None
