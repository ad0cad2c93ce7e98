"""What was not checked, and why: a section of equal rank, because what is silently absent reads as fine."""

from __future__ import annotations

from collections import Counter

from reports import wording
from reports.lookup import Lookup


def left_out(found: Lookup) -> tuple[str, ...]:
    """What the record says was left out, and which experiments, claims and cells are without evidence."""
    audit = found.audit
    sentences = list(audit.not_checked)
    said = "\n".join(sentences)
    sentences += [
        wording.not_run(found.title(e.id), e.not_run)
        for e in audit.experiments
        if e.not_run and e.not_run.rstrip(".") not in said
    ]
    reasons = Counter(verdict.reason for verdict in audit.verdicts)
    reasons["not_run"] += sum(claim.id not in found.verdicts for claim in audit.claims)
    sentences += [wording.unjudged(reasons[code], code=code) for code in wording.UNJUDGED if reasons[code]]
    spoken = {address for claim in audit.claims for address in claim.cells}
    for table in audit.tables:
        cells = [cell for row in table.rows for cell in row.cells if cell.printed is not None]
        silent = sum(cell.source != "copied" and cell.address not in spoken for cell in cells)
        copied = sum(cell.source == "copied" for cell in cells)
        sentences.append(wording.unchecked_cells(table=table.label, own=silent, copied=copied))
    return tuple(dict.fromkeys(sentence for sentence in sentences if sentence))
