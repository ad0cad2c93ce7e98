"""What a claim file had fixed when runs began, kept by its hash, and what was changed since.

    STORE/margins/PAPER/HASH.json    claim and metric -> kind, cells, experiments, margin, ...

A run record holds the hash alone. With what stood behind it at hand, claims that were only added do no harm
to the others, and claims that were changed are named.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from audit.claims.load import Paper
from audit.claims.source import read as read_yaml
from audit.errors import AuditError, StoreError
from audit.names import first_of
from audit.record import Run, digest
from audit.storage.files import explained, write

Fixed = Mapping[str, Mapping[str, Any]]
#: A claim that is not what it was when the runs began, and how: `margin 2.1 -> 2.5`, `no longer there`.
Change = tuple[str, str]

#: So many changed claims are named; the others are counted.
_NAMED = 3
#: Keys that older stores do not hold.
_SINCE = ("printed",)
#: What is fixed beside the claims: the address of the authors' code, by which imported runs may contradict.
_CODE = "code"


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
        before = _read(_path(root, paper.paper.key, mark), mark)
        texts = [f"{claim} ({what})" for claim, what in sorted(_changes(before or {}, now, ()))]
        what = f"; changed since: {first_of(texts, 2 * _NAMED)}" if texts else ""
        told[mark] = f"{why.rstrip('.')}{what}"
    return told


def grown_since(
    root: Path, paper: Paper, runs: Iterable[Run], *, path: Path
) -> Mapping[str, tuple[str, ...]]:
    """Earlier hashes of which every claim still stands -> ids of the claims that were added since.

    `runs` are those of the store; `path` is the claim file. Raises `AuditError` where claims were changed
    after runs of them began and the file does not declare a new audit: it names them, and what to write.
    """
    key, now = paper.paper.key, paper.margins_hash
    fixed = json.loads(json.dumps(paper.fixed))
    grown: dict[str, tuple[str, ...]] = {}
    refused: dict[str, list[Change]] = {}
    for mark in dict.fromkeys(run.margins[key] for run in runs if key in run.margins):
        if mark in (now, *paper.superseded):
            continue
        before = _read(_path(root, key, mark), mark)
        if before is None:
            refused[mark] = [("claims or margins", "which ones is not on record")]
            continue
        more = [name for name in before if _more_readings(before[name], fixed.get(name, {}))]
        if changes := list(_changes(before, fixed, more)):
            refused[mark] = changes
        else:
            new = (name for name in fixed if name not in before or name in more)
            grown[mark] = tuple(name for name in new if name != _CODE)
    if refused:
        changed = sorted({change for changes in refused.values() for change in changes})
        why = "what was changed after the runs, and why"
        items = ", ".join(f'{{hash: {mark}, why: "{why}"}}' for mark in refused)
        raise AuditError(
            f"{_listed(changed, path)} changed after runs in the store had begun under "
            f"{' and '.join(refused)} (now {now}), and a margin is worth what it was before the runs: take "
            f"the change back, or declare a new audit of these runs, with your reason, in {path}:\n"
            f"supersedes: [{items}]"
        )
    return grown


def _more_readings(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether readings were added to those of an experiment, and all that were declared still stand.

    A claim is decided only where all of them agree, so that one more can undo a verdict and make none.
    """
    of_readings = str(old.get("id", "")).startswith("readings:")
    if not of_readings or old == new or old.get("limit") != new.get("limit"):
        return False
    now = new.get("open", {})
    return all(
        name in now and all(choice in now[name] for choice in choices)  # what sets nothing is first, in both
        for name, choices in old["open"].items()
    )


def _changes(before: Fixed, now: Fixed, more: Sequence[str]) -> Iterator[Change]:
    for name, old in before.items():
        new = now.get(name)
        if new is None:
            yield name, "no longer there"
        elif name not in more:
            keys = [key for key in dict.fromkeys((*old, *new)) if old.get(key) != new.get(key)]
            keys = [key for key in keys if key in old or key not in _SINCE]
            if keys:
                yield name, ", ".join(f"{key} {_shown(old, key)} -> {_shown(new, key)}" for key in keys)


def _shown(claim: Mapping[str, Any], key: str) -> str:
    value = claim.get(key)
    if key == "margin" and value:
        return f"{value[0]:g} ({value[1]})"
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    return text if len(text) <= 60 else f"{text[:57]}..."


def _listed(changes: Iterable[Change], path: Path) -> str:
    """With the line of each; metrics of one claim that changed alike are one."""
    lines = claim_lines(path)
    metrics: dict[tuple[str, str], list[str]] = {}
    for claim, what in changes:
        name, _, metric = claim.partition(":")
        metrics.setdefault((name, what), []).append(metric)
    texts = []
    for (name, what), of in metrics.items():
        place = f"{path}:{lines[name]}" if name in lines else f"{path}"
        texts.append(f"{place}: {' '.join((name, *filter(None, of)))} ({what})")
    more = f" and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return "; ".join(texts[:_NAMED]) + more


def claim_lines(path: Path) -> dict[str, int]:
    """Claim id -> its line in the file; none of a paper that was handed over in Python."""
    if not path.exists():
        return {}
    source = read_yaml(path)
    claims: Any = source.content.get("claims") or []
    return {claim["id"]: source.lines.get(("claims", k), 1) for k, claim in enumerate(claims)}


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
        fixed: Fixed = json.loads(content)["claims"]
        sound = digest(list(fixed.values())) == mark
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        sound = False
    if not sound:
        raise StoreError(
            f"{path}: not as it was written; restore it, or move it away and declare a new audit"
        )
    return fixed
