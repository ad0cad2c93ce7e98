"""What a claim file had fixed when runs began, by the hash that runs have, and what was changed since.

STORE/margins/PAPER/HASH.json    claim and metric -> kind, cells, experiments, margin, ...
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
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
        texts = [f"{claim} ({what})" for claim, what in sorted(_changes(before or {}, now))]
        what = f"; changed since: {first_of(texts, 2 * _NAMED)}" if texts else ""
        told[mark] = f"{why.rstrip('.')}{what}"
    return told


def grown_since(
    root: Path, paper: Paper, runs: Iterable[Run], *, path: Path
) -> Mapping[str, tuple[str, ...]]:
    """Earlier hashes of which every claim still stands -> ids of the claims that were added since. `runs` are
    those of the store; `path` is the claim file. Raises `AuditError` where claims were changed after runs of
    them began and the file does not declare a new audit: it names them, and what to write."""
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
        if changes := list(_changes(before, fixed)):
            refused[mark] = changes
        else:
            grown[mark] = tuple(name for name in fixed if name not in before and name != _CODE)
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


def _changes(before: Fixed, now: Fixed) -> Iterator[Change]:
    for name, old in before.items():
        new = now.get(name)
        if new is None:
            yield name, "no longer there"
        elif keys := [key for key in dict.fromkeys((*old, *new)) if old.get(key) != new.get(key)]:
            yield name, ", ".join(f"{key} {_shown(old, key)} -> {_shown(new, key)}" for key in keys)


def _shown(claim: Mapping[str, Any], key: str) -> str:
    value = claim.get(key)
    if key == "margin" and value:
        return f"{value[0]:g} ({value[1]})"
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    return text if len(text) <= 60 else f"{text[:57]}..."


def _listed(changes: Iterable[Change], path: Path) -> str:
    """With the line of each; metrics of one claim that changed alike are one."""
    lines, metrics = claim_lines(path), dict[tuple[str, str], list[str]]()
    for claim, what in changes:
        name, _, metric = claim.partition(":")
        metrics.setdefault((name, what), []).append(metric)
    texts = [
        f"{path}{f':{lines[name]}' if name in lines else ''}: {' '.join((name, *filter(None, of)))} ({what})"
        for (name, what), of in metrics.items()
    ]
    return first_of(texts, _NAMED).replace("), ", "); ")


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
