"""Which experiment and data set of a paper the words of a file mean."""

from __future__ import annotations

from difflib import SequenceMatcher

from audit.claim import Paper
from audit.names import known_names

#: Share of characters in common, beyond which two names may be spellings of one: EURLEX57K is .8 of EUR-Lex.
_ALIKE = 0.75


class UnclearNameError(ValueError):
    """A name that leads nowhere, or to several places; the message says what to write."""


def experiment_of(paper: Paper, name: str, dataset: str) -> str:
    """Id of the one experiment that is meant. Raises `UnclearNameError`, offering the known names.

    The name of an experiment on several data sets is enough where the data set says which one.
    """
    single = paper.single_experiments
    if name in single:
        return name
    if name not in paper.experiments:
        offer = known_names(name, single) if name else "name the experiment, or add --experiment ID"
        raise UnclearNameError(f"{name!r} is no experiment of {paper.paper.key}; {offer}")
    parts = [id for id, it in single.items() if id == f"{name}-{it.on}"]
    meant = [id for id in parts if single[id].on in datasets_of(paper, dataset)]
    if len(meant) != 1:
        raise UnclearNameError(f"{name!r} is on several data sets; write one of {', '.join(parts)}")
    return meant[0]


def datasets_of(paper: Paper, name: str) -> list[str]:
    """Ids of the paper's data sets with that id, name or catalogue name, in whatever case."""
    wanted = name.casefold()
    return [
        id
        for id, it in paper.datasets.items()
        if wanted in (id.casefold(), it.name.casefold(), (it.catalogue or "").casefold())
    ]


def dataset_of(paper: Paper, experiment: str, name: str, *, other: bool = False, column: bool = True) -> str:
    """The data set's name as the paper has it, or as it was given where the paper knows none such.

    Raises `UnclearNameError` for none, for one of the paper's that the experiment is not on, and for a name
    that is much like one of the paper's, unless `other` says that it is another one. `column` tells whether
    the files have a column for it.
    """
    if not name:
        where = "name it in the column dataset, or add" if column else "add"
        raise UnclearNameError(f"no data set is named; {where} --dataset NAME")
    on, meant = paper.single_experiments[experiment].on, datasets_of(paper, name)
    if not meant and not other and (like := much_like(paper, name)):
        raise UnclearNameError(
            f"{name!r} is no data set of {paper.paper.key}, and {like!r} is one; which was it? write that "
            "name, or add --other-dataset if it was another one"
        )
    if not meant:
        return name
    if on not in meant:
        raise UnclearNameError(
            f"{experiment!r} is on {paper.datasets[on].name!r} and not on {name!r}; which one was run? "
            "correct the other"
        )
    return paper.datasets[on].name


def much_like(paper: Paper, name: str) -> str | None:
    """The paper's name of a data set that looks like another spelling of this one."""
    wanted = bare(name)
    for id, it in paper.datasets.items():
        for known in (it.name, it.catalogue or "", id):
            if known and SequenceMatcher(None, wanted, bare(known)).ratio() >= _ALIKE:
                return it.name
    return None


def bare(name: str) -> str:
    """Letters and digits alone, in lower case."""
    return "".join(it for it in name.casefold() if it.isalnum())
