"""What a claim file had fixed when runs began, kept by its hash, and what was changed since.

    STORE/margins/PAPER/HASH.json    claim and metric -> kind, cells, experiments, margin, ...

A run record holds the hash alone. With what stood behind it at hand, claims that were only added do no harm
to the others, and claims that were changed are named.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.errors import AuditError, StoreError
from audit.record import Run, digest
from audit.storage.files import explained, write

if TYPE_CHECKING:
    from audit.claims.load import Paper


Fixed = Mapping[str, Mapping[str, Any]]

#: So many changed claims are named; the others are counted.
_NAMED = 3


@dataclass(frozen=True)
class Change:
    """One claim that is not what it was when the runs began."""

    claim: str
    what: str
    """`margin 2.1 -> 2.5`, `kind order -> gap`, `no longer there`"""


#: Keys that older stores do not hold.
_SINCE = ("printed",)
#: What is fixed beside the claims: the address of the authors' code, by which imported runs may contradict.
_CODE = "code"

_UNKNOWN = Change("claims or margins", "which ones is not on record")


def keep_fixed(root: Path, paper: Paper) -> None:
    """Write what the claim file fixes now into the store at `root`, once for each hash."""
    path = _path(root, paper.paper.key, paper.margins_hash)
    with explained(path):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, (json.dumps({"claims": paper.fixed}, indent=1, ensure_ascii=False) + "\n").encode())


def superseded(root: Path, paper: Paper) -> Mapping[str, str]:
    """Earlier hashes that the claim file takes over -> why, and what has changed since."""
    told, now = {}, json.loads(json.dumps(paper.fixed))
    for mark, why in paper.superseded.items():
        held = _read(_path(root, paper.paper.key, mark), mark)
        changed = sorted(_changes(held, now, ()), key=lambda it: it.claim) if held else []
        texts = [f"{it.claim} ({it.what})" for it in changed]
        more = f" and {len(texts) - 2 * _NAMED} more" if len(texts) > 2 * _NAMED else ""
        whats = f"; changed since: {', '.join(texts[: 2 * _NAMED])}{more}"
        told[mark] = f"{why.rstrip('.')}{whats if texts else ''}"
    return told


def grown_since(
    root: Path, paper: Paper, runs: Iterable[Run], *, path: Path
) -> Mapping[str, tuple[str, ...]]:
    """Earlier hashes of which every claim still stands -> ids of the claims that were added since.

    `runs` are those of the store; `path` is the claim file. Raises `AuditError` where claims were changed
    after runs of them began and the file does not declare a new audit: it names them, and what to write.
    """
    key, now = paper.paper.key, paper.margins_hash
    before = dict.fromkeys(run.margins[key] for run in runs if key in run.margins)
    fixed = json.loads(json.dumps(paper.fixed))
    grown: dict[str, tuple[str, ...]] = {}
    refused: dict[str, list[Change]] = {}
    for mark in before:
        if mark in (now, *paper.superseded):
            continue
        held = _read(_path(root, key, mark), mark)
        more = [] if held is None else [it for it in held if _more_readings(held[it], fixed.get(it, {}))]
        changes = [_UNKNOWN] if held is None else list(_changes(held, fixed, more))
        if changes or held is None:
            refused[mark] = changes
        else:
            new = (name for name in fixed if name not in held or name in more)
            grown[mark] = tuple(name for name in new if name != _CODE)
    if refused:
        changed = sorted({it for changes in refused.values() for it in changes}, key=lambda it: it.claim)
        raise AuditError(_refusal(path, list(refused), now, _listed(changed, path)))
    return grown


def _more_readings(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether readings were added to those of an experiment, and all that were declared still stand.

    A claim is decided only where all of them agree, so that one more can undo a verdict and make none.
    """
    if (
        not str(old.get("id", "")).startswith("readings:")
        or old == new
        or old.get("limit") != new.get("limit")
    ):
        return False
    now = new.get("open", {})
    return all(
        name in now and all(it in now[name] for it in choices)  # what sets nothing is the first, in both
        for name, choices in old["open"].items()
    )


def _changes(held: Fixed, now: Fixed, more: Sequence[str]) -> Iterator[Change]:
    for name, old in held.items():
        if name in more:
            continue
        new = now.get(name)
        if new is None:
            yield Change(name, "no longer there")
            continue
        keys = [it for it in dict.fromkeys((*old, *new)) if old.get(it) != new.get(it)]
        keys = [it for it in keys if it in old or it not in _SINCE]
        if keys:
            yield Change(name, ", ".join(f"{it} {_shown(old, it)} -> {_shown(new, it)}" for it in keys))


def _shown(claim: Mapping[str, Any], key: str) -> str:
    value = claim.get(key)
    if key == "margin" and value:
        return f"{value[0]:g} ({value[1]})"
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    return text if len(text) <= 60 else f"{text[:57]}..."


def _listed(changes: list[Change], path: Path) -> str:
    """With the line of each; metrics of one claim that changed alike are one."""
    lines = claim_lines(path)
    found: dict[tuple[str, str], list[str]] = {}
    for it in changes:
        name, _, metric = it.claim.partition(":")
        found.setdefault((name, it.what), []).append(metric)
    texts = []
    for (name, what), metrics in found.items():
        place = f"{path}:{lines[name]}: " if name in lines else f"{path}: "
        texts.append(f"{place}{' '.join((name, *filter(None, metrics)))} ({what})")
    more = f" and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return "; ".join(texts[:_NAMED]) + more


def claim_lines(path: Path) -> dict[str, int]:
    """Claim id -> its line in the file; none of a paper that was handed over in Python."""
    from audit.claims.source import read

    if not path.exists():
        return {}
    source = read(path)
    claims: Any = source.content.get("claims") or []
    return {it["id"]: source.lines.get(("claims", k), 1) for k, it in enumerate(claims)}


def _refusal(path: Path, before: Sequence[str], now: str, what: str) -> str:
    why = "what was changed after the runs, and why"
    items = ", ".join(f'{{hash: {mark}, why: "{why}"}}' for mark in before)
    return (
        f"{what} changed after runs in the store had begun under {' and '.join(before)} (now {now}), and a "
        "margin is worth what it was before the runs: take the change back, or declare a new audit of these "
        f"runs, with your reason, in {path}:\nsupersedes: [{items}]"
    )


def _path(root: Path, paper: str, mark: str) -> Path:
    return root / "margins" / paper / f"{mark}.json"


def _read(path: Path, mark: str) -> Fixed | None:
    """None where there is no such file. Raises `StoreError` for one that does not hash to its name."""
    with explained(path):
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
    try:
        held: Fixed = json.loads(content)["claims"]
        sound = digest(list(held.values())) == mark
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        sound = False
    if not sound:
        raise StoreError(
            f"{path}: not as it was written; restore it, or move it away and declare a new audit"
        )
    return held
