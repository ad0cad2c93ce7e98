"""Every reason that a test can give is said in words, and has a planning answer where a claim stays open."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from audit.judging.plan import _SEEDS_HELP, HOPELESS, outlooks, sentence
from audit.kinds import KINDS as JUDGED
from audit.record import Verdict
from reports.sentences import ANY_KIND, KINDS, REASONS, reason, verdict_sentence
from tests.explaining.cases import audited
from tests.judging.made import HIGH, LOW, arms, claim
from tests.reports.every_kind import every_kind

AUDIT = Path(__file__).resolve().parents[2] / "audit"
SOURCES = [*(AUDIT / "kinds").glob("*.py"), *(AUDIT / "stats").glob("*.py")]
SOURCES += [AUDIT / "judging" / name for name in ("verdicts.py", "evidence.py", "assemble.py")]
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
#: A code where it is given, as a keyword, a second argument, a result.
GIVEN = re.compile(
    r'(?:Decision\("\w+", |reason=|\bcap=|\bcap = |if_\w+=|if_\w+: str = |untested\(|return |lacks = |else )'
    r'"([a-z]+(?:_[a-z]+)*)"'
)
#: Reasons of claims that are decided; the rest leave a claim open.
DECIDED = {
    *("tost", "direction", "deterministic", "no_loss", "exceeds_margin", "in_order", "trend", "unique"),
    *("among_best", "dominates", "cheaper", "faster", "minimum_effect", "reversed", "negligible", "loss"),
    "step_back",
}
OPEN = sorted(set(REASONS) - DECIDED)


def test_every_code_that_is_given_has_words() -> None:
    found = set(GIVEN.findall(TEXT))
    assert {"tost", "too_few_seeds", "step_back", "run_failed", "same_runs"} <= found
    others = {"reproduced", "contradicted", "inconclusive", "same_data", "other_split", "other_data"}
    assert found - others - {
        "no_number_of_our_seeds",
        "too_many_seeds",
        "p_con",
        "p_reversed",
        "auto",
        "have",
    } <= set(REASONS)


def test_every_open_reason_has_a_planning_answer_and_words() -> None:
    """Seeds can lift it, or it is said why they cannot: never both, and never the bare code."""
    one, records = claim("order", "a", "b", margin=None), arms(a=HIGH, b=LOW)
    audit = audited([one], list(records.values()))
    for code in OPEN:
        assert (code in _SEEDS_HELP) != (code in HOPELESS), code
        verdict = Verdict("c:P@1", "inconclusive", code, n=(5, 5), values=(tuple(HIGH), tuple(LOW)))
        (found,) = outlooks(replace(audit, verdicts=(verdict,)))
        assert found.by_seeds == (code in _SEEDS_HELP)
        for text in (sentence(found), reason(code), verdict_sentence(one, verdict, names=("A", "B"))):
            assert text and "_" not in text and "{" not in text and text != code


def test_every_kind_that_runs_decide_has_a_word() -> None:
    by_runs = {name for name, kind in JUDGED.items() if kind.by_runs}
    assert set(KINDS) == by_runs == {claim.kind for claim in every_kind().claims}


def test_conclusions_are_about_known_reasons() -> None:
    """A pattern for a code that nothing gives is a slip of the pen."""
    for kind in (*KINDS.values(), ANY_KIND):
        assert {code.split()[0] for code in kind.reasons} <= set(REASONS)
