"""Sentences about searches for settings."""

from __future__ import annotations

from audit.record import Study
from reports import digits
from reports.wording.words import plural

_PRUNERS = {
    "none": "no trial was ended early",
    "median": "trials below the median of the others at the same epoch were ended early",
    "halving": "trials were ended early by successive halving",
}
_SAMPLERS = {"random": "drawn at random", "tpe": "proposed by TPE, which learns from the trials before"}

TRIALS_NOTE = (
    "Scores are those of training documents held out; no test document was looked at. The trial in bold gave "
    "the settings."
)


def study_facts(study: Study) -> tuple[str, ...]:
    """What was sought, on which documents, by which means, and where the record is."""
    spec = study.spec
    ranges = "; ".join(f"{it.name.partition('.')[2].replace('_', ' ')} {it}" for it in spec.space)
    limit = f" (no trial begun after {digits.duration(study.timeout)})" if study.timeout else ""
    return (
        f"Sought: {ranges}.",
        f"Held out: {study.validation.removeprefix('dev: ').rstrip('.')}.",
        f"Budget: {study.counted} of {plural(study.wanted, 'trial')}, {digits.duration(study.seconds)} of "
        f"training{limit}; {_SAMPLERS[spec.sampler]}, seed {spec.seed}; {_PRUNERS[spec.pruner]}.",
        f"Record: studies/{study.key}.json in the folder of the runs.",
    )
