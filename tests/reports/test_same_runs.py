"""One corpus that was run for several data sets: one entry, and a line for each claim that repeats it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.describe import share
from audit.record import (
    Audit,
    Cell,
    Outcome,
    Row,
    Scope,
    Settling,
    TableRecord,
)
from reports.headlines import open_claims
from reports.lookup import (
    KEY,
    SAME_ON_STAND_IN,
    SAME_STAND_IN_NOTE,
    SIGN,
    distinct,
    lookup,
    same_runs,
)
from reports.page import build
from reports.render import html
from reports.tables import table_views
from tests.reports import sample
from tests.reports.markup import parsed

OTHERS = ("mediamill", "wiki10")
SWEEP = "kim-cnn-is-dramatically-worse"


def stood_in(scope: Scope = "other_split", *, own: Outcome = "inconclusive") -> Audit:
    """The comparison on its own corpus, and the same for two more data sets for which that corpus was run.

    One of those is the primary claim; on the paper's own data `own` came out, on the stand-in a tick.
    """
    audit = sample.study()
    claims = [it for it in audit.claims if it.claim == SWEEP]
    verdicts = {it.claim: it for it in audit.verdicts}
    arms = {name: it for it in audit.experiments for name in [it.id] if name in claims[0].experiments}
    made_experiments = [replace(it, scope=scope) for it in arms.values()]
    made_claims = [replace(it, primary=False) for it in claims]
    reason = "undecided" if own == "inconclusive" else "direction"
    made_verdicts = [replace(verdicts[it.id], scope=scope, outcome=own, reason=reason) for it in claims]
    for place, name in enumerate(OTHERS):
        made_experiments += [
            replace(it, id=f"{it.id}-{name}", title=f"{it.title} on {name}", dataset=name, scope="other_data")
            for it in arms.values()
        ]
        for claim in claims:
            of = f"{SWEEP}-{name}:{claim.metric}"
            made_claims.append(
                replace(
                    claim,
                    id=of,
                    claim=f"{SWEEP}-{name}",
                    dataset=name,
                    says=f"So on {name}",
                    cells=(),
                    primary=place == 0,
                    experiments=tuple(f"{it}-{name}" for it in claim.experiments),
                )
            )
            made_verdicts.append(
                replace(
                    verdicts[claim.id], claim=of, scope="other_data", outcome="reproduced", reason="direction"
                )
            )
    return replace(
        audit,
        experiments=tuple(made_experiments),
        claims=tuple(made_claims),
        verdicts=tuple(made_verdicts),
        tables=(),
    )


def test_claims_about_other_data_sets_lead_to_the_claim_about_the_corpus_itself() -> None:
    """Metric by metric; a claim with runs of its own, and one that was not run, leads nowhere."""
    audit = stood_in()
    found = same_runs(audit)
    assert found.claims == {f"{SWEEP}-{name}:P@{k}": f"{SWEEP}:P@{k}" for name in OTHERS for k in (1, 3, 5)}
    assert set(found.experiments.values()) == {"kim_words", "kim_emb"}
    assert len(found.experiments) == 4
    fewer = replace(audit.experiments[-1], runs=audit.experiments[-1].runs[:2])
    changed = replace(audit, experiments=(*audit.experiments[:-1], fewer))
    assert {it for it in same_runs(changed).claims if it.endswith("P@1")} == {f"{SWEEP}-mediamill:P@1"}
    own = tuple(
        replace(it, scope="same_data") if it.claim.endswith("wiki10:P@1") else it for it in audit.verdicts
    )
    assert {it for it in same_runs(replace(audit, verdicts=own)).claims if it.endswith("P@1")} == {
        f"{SWEEP}-mediamill:P@1"
    }
    unrun = tuple(replace(it, outcome="inconclusive", reason="not_run") for it in audit.verdicts)
    assert same_runs(replace(audit, verdicts=unrun)).claims == {}
    assert same_runs(sample.study("other_data")).claims == {}


@pytest.mark.parametrize("own", ["inconclusive", "reproduced"])
def test_they_are_counted_as_the_record_counts_them(own: Outcome) -> None:
    """What the page calls different comparisons is `Share.once`."""
    audit = stood_in(own=own)
    found = share(audit.claims, audit.verdicts)
    assert found is not None and found.once is not None
    decided = [
        pair for pair in zip(audit.claims, audit.verdicts, strict=True) if pair[1].outcome != "inconclusive"
    ]
    assert distinct(decided) == found.once[1] == 3


def test_one_full_entry_and_a_line_for_each_of_the_others() -> None:
    """The line has the verdict's word and the link, but no mark, plot or numbers; none of them is lost."""
    built = build(stood_in())
    groups = {it.anchor: it for it in built.groups}
    assert list(groups) == ["g-inconclusive", "g-again"]
    assert (groups["g-again"].count, groups["g-again"].folded) == (6, True)
    cards = [it for block in groups["g-again"].blocks for it in block.cards]
    assert all(it.same and not (it.plot or it.facts or it.strips or it.sentence) for it in cards)
    assert sum(box.count for box in built.counts) == 9
    text = html(stood_in())
    lines = [it for it in parsed(text).of_class("again") if it.tag == "p"]
    assert len(lines) == 6
    told = built.groups[0].blocks[0].title
    assert " ".join(lines[0].text.split()) == f"P@1 Reproduced, same runs as {told}"
    assert not any(
        "chip reproduced" in it or "mark" in it for it in [text[text.index('id="g-again"') :][:3000]]
    )


def test_no_tick_of_a_stand_in_stands_above_the_open_verdict_on_the_papers_own_data() -> None:
    """A primary claim that has the runs of another one has no marks, and says how that one came out."""
    (headline,) = build(stood_in()).headlines
    assert (headline.title, headline.marks, headline.stand_in) == ("So on mediamill", (), True)
    assert headline.heading == SAME_ON_STAND_IN
    assert headline.sentence.startswith("On stand-in data, with 3 seeds each, ")
    assert headline.sentence.endswith(
        "It rests on the very runs of another claim, which is inconclusive at P@1, P@3 and P@5:"
    )
    text = html(stood_in())
    shown = text[text.index('<article class="headline stand-in">') :].partition("</article>")[0]
    assert "chip" not in shown and "<a href=" in shown


def test_claims_on_the_papers_own_data_stand_first() -> None:
    """Whatever the verdicts: a tick or a cross on a stand-in stands below, under a heading that says so."""
    audit = stood_in()
    moved = tuple(
        replace(it, runs=tuple(replace(run, key=f"{run.key}x") for run in it.runs))
        if it.scope == "other_data"
        else it
        for it in audit.experiments
    )
    audit = replace(
        audit,
        experiments=moved,
        claims=tuple(replace(it, primary=it.dataset != "wiki10") for it in audit.claims),
    )
    built = build(audit)
    assert [(it.anchor, it.part, it.data) for it in built.groups] == [
        ("g-inconclusive", "On the paper’s own data, or another split of it", "own"),
        ("g-reproduced-s", SAME_ON_STAND_IN, "stand-in"),
        ("g-again", "", ""),  # of the two other data sets, whose runs are the same
    ]
    assert built.groups[1].note == SAME_STAND_IN_NOTE
    own, stand_in = built.headlines
    assert (own.stand_in, own.heading) == (False, "")
    assert (stand_in.stand_in, stand_in.heading) == (True, SAME_ON_STAND_IN)
    crossed = tuple(
        replace(it, outcome="contradicted", reason="reversed") if it.scope == "other_data" else it
        for it in audit.verdicts
    )
    assert not build(replace(audit, verdicts=crossed)).headlines[0].stand_in


def test_a_cell_of_another_data_set_leads_to_the_cell_that_has_the_runs() -> None:
    """In place of the same mean again; and the verdict of its claim is a sign, no mark."""
    audit = stood_in()
    (column, *_) = sample.study().tables[0].columns
    rows = tuple(
        Row(name, name, (Cell(f"t.{name}.P@1", "80.00", "own_run", name),))
        for name in ("kim_words", "kim_words-mediamill")
    )
    claims = tuple(
        replace(it, cells=("t.kim_words-mediamill.P@1",)) if it.id == f"{SWEEP}-mediamill:P@1" else it
        for it in audit.claims
    )
    audit = replace(audit, claims=claims, tables=(TableRecord("t", "Table 1", "P@1", (column,), rows),))
    (view,) = table_views(lookup(audit))
    own, other = (row.cells[0] for row in view.rows)
    assert own.ours.endswith(" †") and own.repeated is None
    assert other.ours == "" and other.repeated is not None
    assert (other.repeated.text, other.repeated.href) == ("same runs as Kim-CNN, words", f"#{own.anchor}")
    (mark,) = other.marks
    assert (mark.again, mark.href) == (True, f"#{lookup(audit).anchors[f'{SWEEP}:P@1']}")
    assert mark.label.startswith("Reproduced on stand-in data, on the same runs as: ")
    text = html(audit)
    assert f">{SIGN}</a>" in text and KEY in text
    assert view.footnote == "† Ours on another split: judged with the noise of both test sets added."


def test_what_would_settle_is_listed_once() -> None:
    """Where the others are open for the same reason; what came out otherwise keeps its line."""
    audit = stood_in()
    open_too = tuple(replace(it, outcome="inconclusive", reason="undecided") for it in audit.verdicts)
    settling = {it.id: Settling("6 seeds", (6, 7), (8, 9), 6) for it in audit.claims}
    found = open_claims(lookup(replace(audit, verdicts=open_too, settling=settling)))
    assert len(found.claims) == 3
    assert found.rest == ("6 further claims on stand-in data rest on the same runs as one of these.",)
    tied = tuple(replace(it, reason="tied") if it.scope == "other_data" else it for it in open_too)
    assert len(open_claims(lookup(replace(audit, verdicts=tied, settling=settling))).claims) == 9
