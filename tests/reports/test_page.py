"""The page's data: what stands where, before any HTML."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.record import Audit, Cell, FidelityCheck, Finding, Outcome, Share, Verdict
from reports import page, wording
from reports.lookup import lookup, unique_anchors
from reports.protocol import run_rows, scope_notes, version_notes
from reports.render import html
from reports.table_view import mean_and_sd, table_views
from tests.reports import sample


@pytest.fixture(scope="module")
def study() -> Audit:
    return sample.study()


@pytest.fixture(scope="module")
def built(study: Audit) -> page.Page:
    return page.build(study)


# --------------------------------------------------------------------------- counts and groups


@pytest.mark.parametrize("make", [sample.study, sample.tiny, sample.empty, sample.untested])
def test_four_numbers_add_up(make: object) -> None:
    """Reproduced, contradicted, inconclusive and not tested add up to the number of claims."""
    audit = make()  # type: ignore[operator]
    counts = page.build(audit).counts
    assert sum(box.count for box in counts) == len(audit.claims)
    assert {box.total for box in counts} == {len(audit.claims)}


def test_each_verdict_on_the_page_is_that_of_the_record(study: Audit, built: page.Page) -> None:
    """Every claim has one card, under the outcome of its verdict; not run, or in vain, is not tested."""
    shown = {
        card.anchor: card.status for group in built.groups for block in group.blocks for card in block.cards
    }
    anchors = lookup(study).anchors
    expected = {
        anchors[verdict.claim]: "not_tested"
        if verdict.reason in ("not_run", "run_failed")
        else verdict.outcome
        for verdict in study.verdicts
    }
    assert shown == expected


def test_values_on_other_data_are_not_tested_everywhere() -> None:
    """On a stand-in corpus the 18 values and the claims without a run, or with failed ones, are not tested:
    in the count, the last group, the marks of the table, and under "not checked"."""
    audit = sample.study("other_data")
    built = page.build(audit)
    (box,) = [box for box in built.counts if box.status == "not_tested"]
    assert (box.count, box.word) == (20, "Not tested")
    assert (built.groups[-1].status, built.groups[-1].count) == ("not_tested", 20)
    large = {
        mark.status for row in built.tables[0].rows for it in row.cells for mark in it.marks if not mark.small
    }
    assert large == {"not_tested"}
    told = [it.text for group in built.sections.not_checked for it in group.sentences]
    assert "18 claims not tested: not judged on other data than the paper’s." in told
    card = card_of(audit, "kim-words-value:P@1")
    assert card.reason == "not judged on other data than the paper’s"
    assert card.sentence.startswith("Not tested: the runs used other data than the paper")


def test_order_of_groups() -> None:
    """What needs an eye is first; what was not tested is last, and the only group that is folded."""
    kinds: list[tuple[Outcome, str]] = [("reproduced", "tost"), ("inconclusive", "not_run")]
    kinds += [("contradicted", "reversed"), ("inconclusive", "undecided")]
    (claim,) = sample.tiny().claims
    claims = tuple(replace(claim, id=f"c{k}", claim=f"c{k}") for k in range(4))
    verdicts = tuple(Verdict(f"c{k}", outcome, reason) for k, (outcome, reason) in enumerate(kinds))
    groups = page.build(replace(sample.tiny(), claims=claims, verdicts=verdicts)).groups
    assert [(group.status, group.folded) for group in groups] == [
        ("contradicted", False),
        ("inconclusive", False),
        ("reproduced", False),
        ("not_tested", True),
    ]


def test_only_contradictions_are_open(built: page.Page) -> None:
    """Cards are closed by default except contradictions, which come first."""
    assert built.groups[0].status == "contradicted"
    for group in built.groups:
        assert {card.open for block in group.blocks for card in block.cards} == {
            group.status == "contradicted"
        }


def test_metrics_of_a_claim_share_a_title(built: page.Page) -> None:
    """P@1, P@3 and P@5 of one claim stand under one title."""
    (block,) = [b for g in built.groups for b in g.blocks if b.title.startswith("Kim-CNN is dramatically")]
    assert [card.metric for card in block.cards] == ["P@1", "P@3", "P@5"]
    assert block.primary


def test_a_claim_without_verdict_is_not_tested() -> None:
    """A record that lacks a verdict shows the claim as not tested, never as anything better."""
    built = page.build(replace(sample.tiny(), verdicts=()))
    assert [(box.status, box.count) for box in built.counts if box.count] == [("not_tested", 1)]
    assert built.nothing_tested


def test_nothing_tested() -> None:
    """An audit without runs, or without claims, says so."""
    assert page.build(sample.empty()).nothing_tested
    assert page.build(sample.untested()).nothing_tested
    assert page.build(sample.empty()).tally == "Nothing was tested."
    assert not page.build(sample.tiny()).nothing_tested


def test_denominator_leaves_out_what_could_not_be_judged() -> None:
    """Values on a stand-in corpus are no part of the claims that could be judged."""
    built = page.build(sample.study("other_data"))
    # 40 less 18 values on other data, one claim without a run and one whose runs ended early
    assert built.tally.startswith("Of 40 claims, 20 could be judged")


# --------------------------------------------------------------------------- headlines


def test_headlines_are_the_primary_claims(built: page.Page) -> None:
    """One headline for each primary claim of the file, with a mark for each metric that leads to its card."""
    assert [len(headline.marks) for headline in built.headlines] == [3, 3, 3]
    anchors = {card.anchor for group in built.groups for block in group.blocks for card in block.cards}
    assert {mark.href.removeprefix("#") for h in built.headlines for mark in h.marks} <= anchors


def test_headline_speaks_of_the_most_pressing_metric(study: Audit) -> None:
    """If one metric of a primary claim is contradicted, the headline's sentence is about that one."""
    target = study.claims[1].id
    worse = tuple(
        replace(v, outcome="contradicted", reason="reversed") if v.claim == target else v
        for v in study.verdicts
    )
    headline = page.build(replace(study, verdicts=worse)).headlines[0]
    assert headline.summary == "Reproduced at P@1 and P@5; contradicted at P@3."
    assert " in P@3, but " in headline.sentence and "points ahead in P@5" in headline.sentence
    assert "Contradicted" in headline.sentence


# --------------------------------------------------------------------------- cards


def card_of(audit: Audit, claim: str) -> page.Card:
    built = page.build(audit)
    anchor = lookup(audit).anchors[claim]
    cards = [card for group in built.groups for block in group.blocks for card in block.cards]
    return next(card for card in cards if card.anchor == anchor)


def test_card_has_the_whole_derivation(study: Audit) -> None:
    """A value's card names place, cell, seeds, mean, intervals, margin and its rule, band, both p-values; the
    seeds stand in its sentence."""
    card = card_of(study, "kim-words-value:P@1")
    facts = {fact.term: fact.text for fact in card.facts}
    assert facts["Said in"] == "Table 4, page 1992"
    assert facts["Printed"] == "75.83 (Table 4)"
    assert card.sentence.startswith("3 seeds of ")
    assert facts["Mean ± sd"] == "75.78 ± 0.06"
    assert facts["Margin"] == "0.50 points, rule “field”"
    assert set(facts) >= {
        "90% interval",
        "95% interval",
        "One paper run (95%)",
        "Margin band, taken alone",
        "p (contradicted)",
    }
    assert ", adjusted " in facts["p (reproduced)"]


def test_many_badges_are_folded() -> None:
    """Six are shown; a claim over dozens of experiments that were not run has as many badges."""
    audit = sample.tiny()
    many = tuple(f"e{k}: no run" for k in range(40))
    audit = replace(audit, verdicts=tuple(replace(it, badges=many) for it in audit.verdicts))
    (card,) = page.build(audit).groups[0].blocks[0].cards
    assert (card.badges, card.further) == (many[:6], many[6:])
    assert "<summary>34 more like these</summary>" in html(audit)


def test_failed_seeds_are_shown() -> None:
    """A seed without a value stays in the strip, with the reason and its record."""
    (card,) = page.build(sample.tiny()).groups[0].blocks[0].cards
    (strip,) = card.strips
    assert [seed.value for seed in strip.seeds] == ["75.10", "75.30", ""]
    assert strip.seeds[2].note == "ended early: loss became NaN in epoch 3"
    assert strip.seeds[2].run.startswith("r-")


def test_seeds_without_a_record_come_from_the_verdict() -> None:
    """Values that only the verdict knows (imported results) are shown, without a link."""
    audit = sample.tiny()
    audit = replace(audit, experiments=tuple(replace(e, runs=()) for e in audit.experiments))
    (card,) = page.build(audit).groups[0].blocks[0].cards
    assert [(seed.seed, seed.value, seed.run) for seed in card.strips[0].seeds] == [
        ("0", "75.10", ""),
        ("1", "75.30", ""),
    ]


def test_no_plot_of_a_value_on_other_data() -> None:
    """Where the runs used other data, a printed value and ours are not put on one axis; a comparison is drawn
    without the printed difference."""
    audit = sample.study("other_data")
    value = card_of(audit, "kim-words-value:P@1")
    assert value.plot == ""
    assert value.no_plot.startswith("Not drawn: the runs used other data")
    order = card_of(audit, "kim-cnn-is-dramatically-worse:P@1")
    assert order.plot
    assert "printed" not in order.plot.split("</title>")[1]


def test_a_claim_says_beside_its_title_on_whose_data_it_was_run(study: Audit) -> None:
    """Also while it is closed; the comparator's own warnings stand in the card."""
    card = card_of(study, "xml-words-eq7-value:P@1")
    assert (card.scope, card.badges) == ("on the paper’s data", ("3 of 4 seeds",))
    assert card_of(study, "mimic-other-split:P@1").scope == "on another split"
    built = page.build(sample.study("other_data"))
    said = {block.scope for group in built.groups for block in group.blocks}
    assert said == {"on stand-in data", ""}  # one claim has no run
    assert html(sample.study("other_data")).count("· on stand-in data</p>") > 10


# --------------------------------------------------------------------------- tables


def test_marks_of_cells(study: Audit) -> None:
    """A value's mark is large and first; comparisons that rest on the cell follow, smaller."""
    table = table_views(lookup(study))[0]
    marks = table.rows[1].cells[0].marks  # Kim-CNN, words at P@1
    assert [mark.small for mark in marks] == [False, True, True, True]
    assert marks[0].status == "reproduced"
    assert marks[0].label.startswith("Reproduced: Kim-CNN, words scores 75.83")


def test_our_mean_stands_below_the_printed_number(study: Audit) -> None:
    """Printed text is untouched, ours is mean ± sd with n; failed seeds are not in n."""
    table = table_views(lookup(study))[0]
    cell = table.rows[1].cells[0]
    assert (cell.printed, cell.ours, cell.n) == ("75.83", "75.78 ± 0.06", "n = 3")
    assert table.footnote == ""


def test_stand_in_numbers_carry_a_dagger() -> None:
    """Our numbers on other data are marked as not comparable."""
    table = table_views(lookup(sample.study("other_data")))[0]
    assert table.rows[1].cells[0].ours.endswith(" †")
    assert table.footnote.startswith("† Ours on stand-in data")


def test_no_interval_of_a_share_of_dependent_claims(study: Audit) -> None:
    """Claims share runs and tables: the page counts them, and draws no inference about their share."""
    text = html(replace(study, share=Share(3, 4, (0.3, 0.95), (2, 3))))
    assert "Wilson" not in text
    assert "The 4 decided claims are 3 different comparisons, 2 of them reproduced: some say" in text


def test_copied_cells_are_not_ours(study: Audit) -> None:
    """A copied number names its source; a dash stays a dash."""
    table = table_views(lookup(study))[1]
    assert table.rows[0].cells[0].copied == "copied from liu2017"
    assert table.rows[1].cells[2].printed == "–"


def test_copied_cells_get_no_number_of_ours() -> None:
    """Our mean is not set below another paper's number, even where the row names an experiment."""
    audit = sample.tiny()
    (row,) = audit.tables[0].rows
    cells = tuple(replace(cell, source="copied", copied_from="liu2017") for cell in row.cells)
    table = replace(audit.tables[0], rows=(replace(row, cells=cells),))
    (view,) = table_views(lookup(replace(audit, tables=(table,))))
    assert view.rows[0].cells[0].ours == ""


@pytest.mark.parametrize(
    ("values", "mean", "sd"),
    [
        ([75.0, 76.0, 77.0], 76.0, 1.0),
        ([75.0], 75.0, None),
        ([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0], 5.0, 2.138),
    ],
)
def test_mean_and_sd(values: list[float], mean: float, sd: float | None) -> None:
    """The standard deviation has n - 1 below; one value has none."""
    got_mean, got_sd = mean_and_sd(values)
    assert got_mean == pytest.approx(mean)
    assert got_sd == (None if sd is None else pytest.approx(sd, abs=5e-4))


# --------------------------------------------------------------------------- protocol and records


def test_scope_notes_name_the_data() -> None:
    """One note for each data that was used, with its sizes."""
    (note,) = scope_notes(lookup(sample.study("other_data")))
    assert (note.scope, note.word) == ("other_data", "stand-in data")
    assert note.made == (
        "19 runs for “eurlex” used “synthetic” (2,000 training and 500 test documents, 120 labels)",
    )


def test_one_corpus_for_several_data_sets_is_noted_once() -> None:
    audit = sample.study("other_data")
    first, *others = audit.experiments
    twice = replace(audit, experiments=(first, replace(first, id="again", dataset="wiki10"), *others))
    (note,) = scope_notes(lookup(twice))
    assert note.made[0].startswith("19 runs for “eurlex” and “wiki10” used “synthetic”")


def test_scope_note_of_a_single_document() -> None:
    """One of a thing is not said as several."""
    audit = sample.tiny()
    (record,) = audit.experiments
    run = replace(record.runs[0], data=replace(record.runs[0].data, n_test=1, n_labels=1))
    (note,) = scope_notes(lookup(replace(audit, experiments=(replace(record, runs=(run,)),))))
    assert note.made == (
        "1 run for “eurlex” used “eurlex-4k” (15,449 training and 1 test document, 1 label)",
    )


def test_what_data_allow_is_said_once() -> None:
    """Two corpora that stand in are named each, with one sentence of what that allows."""
    audit = sample.study("other_data")
    first, *others = audit.experiments
    run = first.runs[0]
    other = replace(run, key="f" * 32, data=replace(run.data, fingerprint="e" * 64, name="another"))
    (note,) = scope_notes(lookup(replace(audit, experiments=(replace(first, runs=(other,)), *others))))
    assert len(note.made) == 2
    assert note.made[0].startswith("1 run for “eurlex” used “another”")


def test_every_run_has_a_record(study: Audit) -> None:
    """Each run once, with seed, device, time, memory and code; a failed one with its reason."""
    rows = run_rows(lookup(study))
    assert len(rows) == len({row.key for row in rows}) == 19
    lost = [row for row in rows if row.status != "done"]
    assert [row.status for row in lost] == ["ended early: loss became NaN in epoch 3"]
    assert (rows[0].seed, rows[0].device, rows[0].seconds, rows[0].memory) == (
        "0",
        "cuda: NVIDIA H100",
        "2.2 min",
        "2.2 GiB",
    )


def test_a_run_of_two_experiments_is_one_record() -> None:
    """Two rows that resolve to one run share its record."""
    audit = sample.tiny()
    twin = replace(audit.experiments[0], id="twin", title="Twin")
    rows = run_rows(lookup(replace(audit, experiments=(*audit.experiments, twin))))
    assert len(rows) == 3
    assert (rows[0].experiments, rows[0].names) == ("Kim-CNN, words; Twin", ())
    others = [replace(twin, id=f"twin{k}", title=f"Twin {k}") for k in range(2)]
    many = run_rows(lookup(replace(audit, experiments=(*audit.experiments, *others))))
    assert many[0].experiments == "Kim-CNN, words and 2 more experiments"
    assert many[0].names == ("Kim-CNN, words", "Twin 0", "Twin 1")


def test_versions_are_summed_up(study: Audit) -> None:
    """Equal versions are told once, with the number of runs."""
    runs = [run for record in study.experiments for run in record.runs]
    assert version_notes(runs) == ("19 runs: numpy 2.4.6, python 3.11.9, torch 2.13.0",)
    assert len(version_notes([*runs[1:], replace(runs[0], versions={})])) == 2


@pytest.mark.parametrize(
    ("mark", "text"),
    [
        ("5d41402abc4b2a76b9719d911017c592", "all 3 runs began under them"),
        ("0" * 32, "0 of 3 runs began under them"),
    ],
)
def test_margins_are_compared_with_the_runs(mark: str, text: str) -> None:
    """Margins that were changed after the runs are seen."""
    ribbon = page.build(replace(sample.tiny(), margins_hash=mark)).sections.provenance
    assert text in dict(ribbon.facts)["Margins"]
    assert ribbon.mismatch == text.startswith("0 of")


# --------------------------------------------------------------------------- gate, findings, left out


@pytest.mark.parametrize(
    ("checks", "is_open"),
    [
        ((), False),
        ((FidelityCheck("xml_cnn", "a", True, ""),), True),
        ((FidelityCheck("xml_cnn", "a", True, ""), FidelityCheck("xml_cnn", "b", False, "")), False),
    ],
)
def test_gate(checks: tuple[FidelityCheck, ...], is_open: bool) -> None:
    """The gate is open only when there are checks and all of them passed."""
    assert page.build(replace(sample.tiny(), fidelity=checks)).gate_open is is_open


def test_inconsistent_findings_come_first(built: page.Page) -> None:
    """Findings that need an eye are at the top."""
    assert [finding.result for finding in built.findings] == ["inconsistent", "consistent"]


def test_findings_about_the_papers_own_numbers_come_before_those_about_its_readme() -> None:
    """And say where they stand; the README's say that they are not the paper's."""
    readme = Finding(
        "bounds", "inconsistent", ("r.a.b",), "1 > 0.", weight=5, where="README: a, b", source="x"
    )
    own = Finding("twice", "inconsistent", ("t.a.b",), "1 is 2", weight=1, where="Table 2: a, b", note="Why.")
    first, second = page.build(replace(sample.tiny(), findings=(readme, own))).findings
    assert first.cells == "Table 2: a, b"
    assert first.sentence == (
        "Known from elsewhere: Why. 1 is 2. Inconsistent. Numbers not yet verified by a second reader."
    )
    assert second.cells == "README: a, b (from the README of the public code, not from the paper)"


def test_ragged_tables_and_unknown_ids_do_not_break_the_page() -> None:
    """A claim about a cell or an experiment that is not there, and a longer row, are still shown."""
    audit = sample.tiny()
    table = audit.tables[0]
    row = replace(table.rows[0], cells=(*table.rows[0].cells, Cell("t4.x.y", "1", "unknown")))
    claim = replace(audit.claims[0], cells=("t9.a.b",), experiments=("nobody",), says="")
    finding = Finding("identity", "untestable", (), "Nothing to compare.")
    changed = replace(audit, tables=(replace(table, rows=(row,)),), claims=(claim,), findings=(finding,))
    built = page.build(changed)
    assert built.groups[0].blocks[0].title == "“nobody” scores 75.83"


def test_anchors_are_unique_and_stable() -> None:
    """Ids that would share a fragment are numbered in order, and one id keeps its fragment."""
    assert unique_anchors("c", ["a:P@1", "a P1", "b", "b"]) == {
        "a:P@1": "c-a-p1",
        "a P1": "c-a-p1-2",
        "b": "c-b",
    }


def test_every_reason_of_the_record_has_words(study: Audit) -> None:
    """Whatever reason a verdict has, its card says it in words."""
    for code in [*wording.REASONS, "some_new_reason"]:
        verdicts = (Verdict(study.claims[0].id, "inconclusive", code),)
        audit = replace(study, claims=study.claims[:1], verdicts=verdicts)
        (card,) = page.build(audit).groups[0].blocks[0].cards
        assert "_" not in card.reason
