"""What a corpus on disk is to the claims of each paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from audit.claims.schema import Dataset
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
    """What the paper prints and is not here, in words; without any, why it is `other_data` all the same.

    Of the same data, that their order is another.
    """

    @property
    def sentence(self) -> str:
        """`wang2019 delicious: other_split; printed 19.03 labels a document, here 19.05`."""
        return "; ".join((f"{self.paper} {self.dataset}: {self.scope}", *self.differences))


def bearings(
    observed: Observed, papers: Mapping[str, Mapping[str, Dataset]], copy_of: str | None = None
) -> tuple[Bearing, ...]:
    """Every data set of every paper, in their order; what is recognised stands in for entry `copy_of`."""
    return tuple(
        _bearing(paper, name, dataset, observed, copy_of)
        for paper, datasets in papers.items()
        for name, dataset in datasets.items()
    )


def _bearing(paper: str, name: str, dataset: Dataset, observed: Observed, copy_of: str | None) -> Bearing:
    from reimpl.data.identity import REORDERED, differences

    same, corpora = dataset.content or (), dataset.corpus or ()
    scope = scope_for(observed, dataset)
    differ = differences(dataset.printed, observed)
    if scope == "same_data" and observed.content not in same:
        differ = (REORDERED, *differ)
    if scope == "other_data" and not differ:
        another = bool(same or corpora or (copy_of and dataset.catalogue == copy_of))
        differ = (_why_other(bool(dataset.printed), another),)
    return Bearing(paper, name, scope, dataset.catalogue, differ)


def scope_for(observed: Observed, dataset: Dataset) -> Scope:
    """What a corpus is to a data set of a claim file."""
    from reimpl.data.identity import scope_of

    return scope_of(
        observed.content,
        observed.corpus,
        observed.partition,
        same=dataset.content or (),
        corpora=dataset.corpus or (),
        partitions=dataset.partition or (),
    )


def _why_other(printed: bool, another: bool) -> str:
    """Of data from which nothing that is printed differs."""
    agree = "what it prints agrees" if printed else "it prints no sizes"
    if another:
        return f"{agree}, but the content is another"
    return f"{agree}, and whether the content is the same is not known"


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
    return _known(asked) or not (asked.differences or another(observed, entry))


def another(observed: Observed, entry: str) -> str | None:
    """The entry that it is by content, where that is not the one that the user names."""
    from reimpl.data.catalogue import catalogue
    from reimpl.data.identity import recognise

    if _known(as_asked(observed, entry)):
        return None
    found = recognise(observed, catalogue())
    return found.key if _known(found) else None


def why_not(observed: Observed, entry: str) -> str:
    """Of what does not fit: why it is not the entry that the user names."""
    other = another(observed, entry)
    if other:
        return f"not {entry}, the content is that of {other}"
    return f"its sizes match none of {entry}"


def hints(found: Recognition, entry: str | None) -> Iterator[str]:
    """What can be done where sizes do not say what it is; `entry` is the one that the user names."""
    from reimpl.data.catalogue import catalogue

    if found.how == "nothing" and entry is None:
        yield "note: how it differs from an entry of `audit data list` is told with --as ENTRY"
    if found.how == "sizes" and not any(it.published for it in catalogue().find(found.key or "").known):
        yield (
            f"note: the published content of {found.key} is not on record, so no run on it is same_data by "
            "itself; if it is a paper's, its `content:` or `partition:`, as `audit data describe` prints "
            "them, go into the data set of the claim file"
        )


def _known(found: Recognition) -> bool:
    return found.how in ("content", "partition", "corpus")


def copied(found: Recognition) -> str | None:
    """The entry for which what was found stands in, if it does; the nearest in size is not found."""
    from reimpl.data.catalogue import catalogue

    if found.key is None or found.how == "nothing":
        return None
    return catalogue().entries[found.key].stand_in_for
