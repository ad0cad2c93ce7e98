"""Every sentence that a report says of its own accord, in one place.

Rules, each with a test:

* a verdict is about a claim, never about people, and words of blame do not occur;
* what else could explain a contradiction is said before the contradiction;
* "not shown to differ" is never put as "the same";
* numbers pass through `reports.digits`, so that none is rounded across a margin;
* a sentence that rests on a stand-in corpus begins by saying so;
* what the paper says reaches a sentence only as a value that is filled in, never as a pattern.
"""

from reports.wording.fields import COMPARISONS, PRINTED, edges, held, seeds, subject
from reports.wording.notes import (
    ALL_CHECKED,
    FINDINGS_NOTE,
    KEY_PLOT,
    KEY_VERDICT,
    NO_CHECKS,
    NO_DEVIATIONS,
    NO_PRIMARY,
    NO_TABLES,
    NOTHING_TESTED,
    RUNS_KEPT,
    TABLE_KEY,
    all_experiments,
    copied_from,
    fidelity_note,
    finding_sentence,
    margins_note,
    not_run,
    reached,
    scope_note,
    seed_note,
    stand_in_footnote,
    tally,
    unchecked_cells,
    unjudged,
)
from reports.wording.verdicts import (
    alternatives,
    claim_title,
    headline,
    margin_band,
    no_plot,
    plot_description,
    status_of,
    verdict_sentence,
)
from reports.wording.words import (
    KIND_WORDS,
    REASONS,
    SCOPE_WORDS,
    STATUS_WORDS,
    STATUSES,
    UNJUDGED,
    UNTESTED,
    Status,
    listed,
    plural,
    reason,
)

__all__ = [
    "ALL_CHECKED",
    "COMPARISONS",
    "FINDINGS_NOTE",
    "KEY_PLOT",
    "KEY_VERDICT",
    "KIND_WORDS",
    "NOTHING_TESTED",
    "NO_CHECKS",
    "NO_DEVIATIONS",
    "NO_PRIMARY",
    "NO_TABLES",
    "PRINTED",
    "REASONS",
    "RUNS_KEPT",
    "SCOPE_WORDS",
    "STATUSES",
    "STATUS_WORDS",
    "TABLE_KEY",
    "UNJUDGED",
    "UNTESTED",
    "Status",
    "all_experiments",
    "alternatives",
    "claim_title",
    "copied_from",
    "edges",
    "fidelity_note",
    "finding_sentence",
    "headline",
    "held",
    "listed",
    "margin_band",
    "margins_note",
    "no_plot",
    "not_run",
    "plot_description",
    "plural",
    "reached",
    "reason",
    "scope_note",
    "seed_note",
    "seeds",
    "stand_in_footnote",
    "status_of",
    "subject",
    "tally",
    "unchecked_cells",
    "unjudged",
    "verdict_sentence",
]
