"""All that the reports say, against approved texts: a changed word is a line of a diff.

`audits/` holds records that together reach nearly every line of `reports`. The texts say what the program
gave, which is no proof of being right: that is for the other tests.

    python -m tests.reports.test_approved        # renews; read the diff, and give its reason in the commit
"""

from __future__ import annotations

import html as entities
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from audit.record import Outcome, Scope, audit_from_json
from reports.exports import EXPORTS, summary
from reports.page import html
from reports.sentences import ANY_KIND, KINDS, REASONS, reason, verdict_sentence
from reports.tables import split_table
from tests.reports import sample
from tests.reports.every_kind import every_kind

HERE = Path(__file__).parent
GOLDEN = HERE / "golden" / "tiny.html"
AUDITS = sorted(path.stem for path in (HERE / "audits").glob("*.json"))
BLAME = re.compile(r"\b(fraud\w*|fake\w*|wrong\w*|failed to|fails to|mislead\w*|guilty|cheat\w*)\b", re.I)
PEOPLE = re.compile(r"\b(authors?|they|he|she|his|her|who)\b", re.I)


def report(name: str) -> str:
    """Everything that is written about one audit, as text."""
    audit = audit_from_json((HERE / "audits" / f"{name}.json").read_text(encoding="utf-8"))
    parts = {"page": page_text(html(audit)), "terminal": summary(audit)}
    parts |= {key: write(audit) for key, (_, write) in EXPORTS.items()}
    if audit.splits is not None:
        parts["splits"] = split_table(audit.splits)
    return "\n".join(f"===== {key}\n{text.strip()}\n" for key, text in parts.items())


def page_text(page: str) -> str:
    """The texts of a page and where its links lead; drawings by their titles and labels."""
    body = re.sub(r"<(style|script).*?</\1>", "", page.partition("<main>")[2], flags=re.S)
    text = re.sub(r'<a [^>]*?href="(#[^"]*)"[^>]*>', r"[\1] ", body)
    text = entities.unescape(re.sub(r"<(?!/?(?:b|i|bdi|span|code|a)\b)[^>]+>", "\n", text))
    return "\n".join(row for it in re.sub(r"<[^>]+>", "", text).split("\n") if (row := " ".join(it.split())))


def sentences() -> Iterator[str]:
    """Of every kind, reason, outcome and scope what is said of the verdict."""
    audit = every_kind()
    for claim, plain in zip(audit.claims, audit.verdicts, strict=True):
        for code in (*KINDS[claim.kind].reasons, *ANY_KIND.reasons):
            own = code in KINDS[claim.kind].reasons
            cases: list[tuple[Outcome, Scope]] = [("inconclusive", "same_data")]
            if own:
                cases += [("reproduced", "same_data"), ("contradicted", "same_data")]
                cases += [("inconclusive", "other_split"), ("inconclusive", "other_data")]
            for outcome, scope in cases:
                verdict = replace(plain, reason=code, outcome=outcome, scope=scope)
                said = verdict_sentence(claim, verdict, names=("A", "B", "C", "D", "E"), departures=2)
                yield f"{claim.kind} {code} {outcome} {scope}: {said}"
    yield from (f"reason {code}: {reason(code)}" for code in REASONS)


@pytest.mark.parametrize("name", AUDITS)
def test_a_report_is_as_approved(name: str) -> None:
    assert report(name) == (HERE / "approved" / f"{name}.txt").read_text(encoding="utf-8")


def test_sentences_are_as_approved() -> None:
    approved = (HERE / "approved" / "sentences.txt").read_text(encoding="utf-8")
    assert "".join(f"{it}\n" for it in sentences()) == approved


def test_no_sentence_blames_or_speaks_of_people() -> None:
    said = [re.sub(r"(how far|disagree, but|where) they", "", it.partition(": ")[2]) for it in sentences()]
    assert not [text for text in said if BLAME.search(text) or PEOPLE.search(text)]


def test_what_else_could_explain_a_contradiction_is_said_after_it() -> None:
    study = sample.study()
    for claim, verdict in zip(study.claims, study.verdicts, strict=True):
        if verdict.outcome == "contradicted" and verdict.scope == "same_data":
            text = verdict_sentence(claim, verdict, names=("A", "B"), departures=4)
            said = "Other possible explanations: one of the 4 departures listed under “Protocol”"
            assert text.index("Contradicted") < text.index(said)


if __name__ == "__main__":
    GOLDEN.write_bytes(html(sample.tiny()).encode())
    for audit_name in AUDITS:
        (HERE / "approved" / f"{audit_name}.txt").write_text(report(audit_name), encoding="utf-8")
    (HERE / "approved" / "sentences.txt").write_text(
        "".join(f"{it}\n" for it in sentences()), encoding="utf-8"
    )
