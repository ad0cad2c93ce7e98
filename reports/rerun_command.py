"""The text of an `audit run`, narrowed to one claim file, one split column and one experiment or claim."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import PurePath

from audit.record import Run

#: Options of `audit run` that take no value.
SWITCHES = frozenset(
    {
        *("--ids", "--raw", "--tokenised", "--until-settled", "--untuned", "--allow-commands", "--readings"),
        *("--retry-failed", "--no-retry-failed", "--rerun-changed"),
    }
)


def only(command: str, name: str, *, paper: str = "", column: int | None = None) -> str:
    """The `audit run` of a command for one experiment or claim alone; the whole of one that begins otherwise.

    Of several claim files that of `paper` is kept: the others do not know the name. Of several split columns
    `column`, of which the page is.

    >>> only("audit run you2019 --only bilstm --seeds 3 && audit judge", "xml_cnn")
    'audit run you2019 --seeds 3 --only xml_cnn'
    >>> only("audit run you2019 claims/xun2020.yaml --readings", "blocks", paper="xun2020")
    'audit run claims/xun2020.yaml --readings --only blocks'
    >>> only("audit run wang2019 --data splits --columns 0-9", "rank_ae", column=0)
    'audit run wang2019 --data splits@0 --only rank_ae'
    """
    parts = narrowed(command, paper, column)
    if parts is None:
        return command
    kept = [it for it in parts if it[0].partition("=")[0] != "--only"]
    return shlex.join(["audit", "run", *flat(kept), "--only", name])


def imports(runs: Iterable[Run], paper: str) -> Iterator[tuple[str, str]]:
    """The `audit import` that each lot of imported runs came by, and its files with their SHA-256.

    Results of one command have one file and one declaration. Predictions have a file a seed, behind which the
    true labels stand.
    """
    lots: dict[str, list[Run]] = {}
    for run in runs:
        held = run.spec.config
        if run.imported and not held.get("command"):
            told = [held.get(it) for it in ("by", "authors_code", "same_data", "other_split", "unit")]
            files = held["sources"] if run.predictions is None else [held["experiment"], *held["sources"][1:]]
            lots.setdefault(repr((told, files, run.data.name, run.data.fingerprint)), []).append(run)
    for lot in lots.values():
        yield _import(lot, paper), "; ".join(dict.fromkeys(_files(lot)))


def _import(lot: Sequence[Run], paper: str) -> str:
    run, held = lot[0], lot[0].spec.config
    declared = {
        "--paper": paper,
        "--dataset": run.data.name,
        "--fingerprint": "" if run.spec.data == "unknown" else run.spec.data,
        "--by": held["by"],
        "--authors-code": held["authors_code"],
        "--same-data": held["same_data"],
        "--other-split": held.get("other_split", ""),
        "--unit": held["unit"],
    }
    files = dict.fromkeys(str(it.spec.config["sources"][0]["file"]) for it in lot)
    words = ["audit", "import", *files, *(word for it in declared.items() if it[1] for word in it)]
    if run.predictions is not None:
        words += ["--experiment", str(held["experiment"])]
        words += [word for it in lot for word in ("--seed", str(it.spec.seed))]
        names = ("--truth", "--train-truth")
        words += [
            word for it in zip(names, held["sources"][1:], strict=False) for word in (it[0], it[1]["file"])
        ]
    return shlex.join(words)


def _files(lot: Iterable[Run]) -> Iterator[str]:
    for run in lot:
        yield from (f"{it['file']}: {it['sha256']}" for it in run.spec.config["sources"])


def narrowed(command: str, paper: str, column: int | None) -> list[tuple[str, ...]] | None:
    """The parts of its `audit run`, with one claim file and one column; None where that cannot be told."""
    try:
        words_of = shlex.split(command)
    except ValueError:
        return None
    if words_of[:2] != ["audit", "run"]:
        return None
    parts = list(_parts(words_of[2 : words_of.index("&&")] if "&&" in words_of else words_of[2:]))
    files = [it[0] for it in parts if not it[0].startswith("--")]
    own = [it for it in files if PurePath(it).stem == paper]
    if len(files) > 1 and paper and len(own) != 1:
        return None
    dropped = {it for it in files if own and it not in own}
    kept = [it for it in parts if it[0] not in dropped]
    if column is not None and any(it[0] == "--columns" for it in kept):
        kept = [
            (*it[:1], f"{it[1]}@{column}") if it[0] == "--data" else it for it in kept if it[0] != "--columns"
        ]
    return kept


def flat(parts: Iterable[tuple[str, ...]]) -> Iterator[str]:
    return (word for it in parts for word in it)


def _parts(words_of: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Claim files, switches, and options with their values."""
    rest = iter(words_of)
    for word in rest:
        if word.startswith("--") and "=" not in word and word not in SWITCHES:
            yield (word, *islice(rest, 1))
        else:
            yield (word,)
