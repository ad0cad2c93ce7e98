"""The claim file of Chen et al. 2022 against the paper's text, its arithmetic, and the models it names."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from functools import cache

import pytest

from audit.claim import Paper, builtin_claims, load
from audit.claim_kinds import OrderClaim
from audit.record import Cell, ClaimRecord
from tests.shared import shared


@cache
def paper() -> Paper:
    return load(next(path for path in builtin_claims() if path.name == "chen2022.yaml"))


def text() -> str:
    """The paper's text as extracted, with plain apostrophes and without ligatures."""
    plain = shared("papers/chen2022_xmlcnn_study.txt").read_text(encoding="utf-8")
    for old, new in {"\u2019": "'", "\ufb01": "fi", "\ufb02": "fl"}.items():
        plain = plain.replace(old, new)
    return plain


def cells() -> dict[str, Cell]:
    return {
        cell.address: cell for table in paper().table_records() for row in table.rows for cell in row.cells
    }


def records(kind: str) -> list[ClaimRecord]:
    return [record for record in paper().claim_records() if record.kind == kind]


# --------------------------------------------------------------------------- against the paper

#: How the line of each row begins in the paper's text, up to its first number.
LINES = {
    "t3.reported": "Results reported in Liu et al. (2017)",
    "t3.public": "Public code by Liu et al. (2017)'s authors Lasagne",
    "t3.mimic": "Our code mimicking the above PyTorch",
    "t4.kim_emb": "Kim-CNN embeddings N/A",
    "t4.kim_words": "Kim-CNN words N/A",
    "t4.xml_emb_eq7": "XML-CNN embeddings Eq. (7)",
    "t4.xml_words_eq7": "XML-CNN words Eq. (7)",
    "t4.xml_emb_eq6": "XML-CNN embeddings Eq. (6)",
    "t4.xml_words_eq6": "XML-CNN words Eq. (6)",
    "t5.words": "words",
    "t5.embeddings": "embeddings",
    "t8.reported": "Results reported in Liu et al. (2017)",
    "t8.public_all": "Public code by Liu et al. (2017)'s authors Lasagne All",
    "t8.mimic_all": "Our code mimicking the above PyTorch All",
    "t8.public_reduced": "Public code by Liu et al. (2017)'s authors Lasagne Reduced",
    "t8.mimic_reduced": "Our code mimicking the above PyTorch Reduced",
}


def test_every_row_of_the_file_is_looked_for() -> None:
    assert {address.rpartition(".")[0] for address in cells()} == set(LINES)
    assert Counter(address.split(".")[0] for address in cells()) == {"t3": 9, "t4": 18, "t5": 4, "t8": 15}


@pytest.mark.parametrize("row", LINES)
def test_every_row_stands_in_the_paper_with_all_its_numbers(row: str) -> None:
    """The line of the text that begins with the row's name goes on with the row's numbers, and no other."""
    printed = [cell.printed for address, cell in cells().items() if address.rpartition(".")[0] == row]
    numbers = [
        line.removeprefix(LINES[row]) for line in text().splitlines() if line.startswith(LINES[row] + " ")
    ]
    found = [re.findall(r"\b\d\d\.\d\d\b", rest) for rest in numbers if re.match(r" \d\d\.\d\d", rest)]
    assert printed in found
    assert all(line == printed for line in found if row.startswith(("t3", "t5", "t8")))


def page_at(place: int) -> int:
    """Page of a place in the text, where each page ends with its number."""
    end = 0
    for page in range(1987, 2000):
        end = text().index(str(page), end)
        if place < end:
            return page
    return 2000


def test_the_page_of_each_table_is_where_its_numbers_stand() -> None:
    for table in paper().table_records():
        last = " ".join(cell.printed or "" for cell in table.rows[-1].cells)
        # the last row of Table 3 is printed again as the last row of Table 8
        place = text().rindex(last) if table.id == "t8" else text().index(last)
        assert table.page == page_at(place), table.id


@pytest.mark.parametrize(
    ("claim", "near"),
    [
        ("mimic-like-public-code", "close enough for reproducing the numbers"),
        ("sweep-ruins-kim", "the wrong one, the results of both Kim-CNN"),
        ("eq7-ruins-words", "significantly deteriorates"),
        ("oddities-recover", "if both inappropriate settings"),
        ("kim-competitive", "Kim-CNN is competitive if"),
        ("impl-no-better-than-kim", "leading the"),
        ("no-pooling-like-eq7", "Results of the (embeddings, no pooling)"),
        ("words-max-beats-none", "significantly better than no pool"),
        ("embeddings-none-beats-max", "No pooling is much better"),
        ("reduced-vocabulary-helps-mimic", "implementations are improved"),
    ],
)
def test_claims_stand_on_their_pages(claim: str, near: str) -> None:
    """A few words of the paper tell the place."""
    assert first(claim).where.page == page_at(text().index(near))


def test_authors_stand_in_the_paper_in_this_order() -> None:
    names = [text().index(author) for author in paper().paper.authors]
    assert names == sorted(names)
    assert len(names) == 5


def test_statistics_are_those_of_the_audited_paper() -> None:
    """Chen et al. chose the data set because its statistics are the same; their own table was lost."""
    row = next(
        line for line in shared("facts/LIU2017.md").read_text().splitlines() if line.startswith("| EUR-Lex |")
    )
    train, test, _, labels = [cell.strip() for cell in row.split("|")[2:6]]
    assert paper().datasets["eurlex"].printed == {"train": train, "test": test, "labels": labels}


def test_no_sentence_of_the_paper_was_copied() -> None:
    """No seven words in a row of what the file says in words stand so in the paper."""

    def words(plain: str) -> list[str]:
        return re.findall(r"[a-z0-9]+", re.sub(r"-\n", "", plain).lower())

    def runs(of: list[str]) -> set[tuple[str, ...]]:
        return {tuple(of[k : k + 7]) for k in range(len(of) - 6)}

    theirs = runs(words(text()))
    own = [claim.says for claim in paper().claims] + [table.caption for table in paper().tables.values()]
    own += [
        it for departure in paper().departures for it in (departure.what, departure.paper, departure.code)
    ]
    own += [margin.why for margin in paper().margins.values()]
    assert [sentence for sentence in own if runs(words(sentence)) & theirs] == []


# --------------------------------------------------------------------------- the claims

STATED = {
    # kind, first cell's row, second cell's row
    ("order", "t4.kim_words", "t4.kim_emb"),
    ("order", "t4.xml_words_eq6", "t4.xml_words_eq7"),
    ("order", "t4.xml_words_eq6", "t4.xml_emb_eq6"),
    ("order", "t4.xml_emb_eq7", "t4.xml_emb_eq6"),
    ("order", "t4.xml_emb_eq7", "t4.xml_words_eq7"),
    ("order", "t4.xml_emb_eq7", "t4.kim_emb"),
    ("order", "t5.words.max", "t5.words.none"),
    ("order", "t5.embeddings.none", "t5.embeddings.max"),
    ("order", "t8.mimic_reduced", "t8.mimic_all"),
    ("order", "t8.public_reduced", "t8.public_all"),
    ("equivalent", "t4.xml_emb_eq7", "t4.xml_words_eq6"),
    ("equivalent", "t4.kim_words", "t4.xml_words_eq6"),
    ("equivalent", "t4.xml_emb_eq7", "t4.kim_words"),
    ("equivalent", "t5.embeddings.none", "t4.xml_emb_eq7.P@1"),
    ("equivalent", "t3.mimic", "t3.public"),
    ("equivalent", "t3.mimic", "t3.reported"),
}


def test_the_comparisons_that_the_text_makes_are_all_there() -> None:
    made = {(claim.kind, *claim.cells()) for claim in paper().claims if claim.kind != "value"}
    assert made == STATED


def test_each_number_of_their_own_runs_is_claimed_once() -> None:
    """All own cells of Tables 3, 4 and 5, and those of Table 8 that do not repeat Table 3."""
    claimed = Counter(record.cells[0] for record in records("value"))
    repeats = {"t8.public_reduced", "t8.mimic_reduced"}
    own = {
        a for a, cell in cells().items() if cell.source == "own_run" and a.rpartition(".")[0] not in repeats
    }
    assert claimed == Counter(own)
    for metric in ("P@1", "P@3", "P@5"):
        assert cells()[f"t8.public_reduced.{metric}"].printed == cells()[f"t3.public.{metric}"].printed
        assert cells()[f"t8.mimic_reduced.{metric}"].printed == cells()[f"t3.mimic.{metric}"].printed


def test_three_headline_claims_are_primary() -> None:
    primary = [claim.id for claim in paper().claims if claim.primary]
    assert primary == ["sweep-ruins-kim", "eq7-ruins-words", "oddities-recover"]
    assert len(paper().claims) >= 20


@pytest.mark.parametrize("record", records("order"), ids=lambda record: record.id)
def test_the_printed_better_one_is_better(record: ClaimRecord) -> None:
    """A swap of the two sides would show here, since the paper's sentences agree with its tables."""
    better, worse = map(Decimal, record.printed)
    assert better > worse


def test_an_order_says_which_is_better_and_not_by_how_much() -> None:
    """Its test is one of direction, so a word of size would be judged without being tested."""
    size = (
        r"far|much|clearly|greatly|large\w*|strong\w*|significant\w*|collaps\w*|ruin\w*|slight\w*|little|only"
    )
    says = [claim.says for claim in paper().claims if isinstance(claim, OrderClaim)]
    assert len(says) == 10
    assert [text for text in says if re.search(rf"\b({size})\b", text.lower())] == []
    assert all(re.search(r"\b(better|worse|behind|improves)\b", text) for text in says)


@pytest.mark.parametrize("record", records("equivalent"), ids=lambda record: record.id)
def test_what_the_paper_calls_similar_lies_within_the_margin(record: ClaimRecord) -> None:
    """But for the numbers first reported, where the paper is content with a difference of 2.34 points."""
    left, right = map(Decimal, record.printed)
    assert record.margin is not None
    close = abs(left - right) <= Decimal(str(record.margin.value))
    assert close == (record.claim != "reported-numbers-reproduced")


def test_places_of_the_claims_are_sections_on_their_pages() -> None:
    pages = {"1": {1987, 1988}, "3.1": {1990, 1991}, "3.2": {1991, 1992}, "3.3": {1991, 1992}}
    pages |= {"A.3": {1996, 1997}, "A.4": {1996, 1997}}
    for claim in paper().claims:
        assert claim.where.page in pages[str(claim.where.section)], claim.id


# --------------------------------------------------------------------------- margins


def printed(address: str) -> Decimal:
    return Decimal(cells()[address].printed or "nan")


def test_yardsticks_follow_from_the_printed_numbers() -> None:
    """2.10, 1.22 and 0.43 worked from the cells that their reasons name."""
    metrics = ("P@1", "P@3", "P@5")
    to_public = min(printed(f"t3.reported.{m}") - printed(f"t3.public.{m}") for m in metrics)
    gains = [
        printed(f"t8.{who}_reduced.{m}") - printed(f"t8.{who}_all.{m}")
        for who in ("public", "mimic")
        for m in metrics
    ]
    assert to_public == Decimal("2.10")
    assert printed("t3.mimic.P@1") - printed("t3.public.P@1") == Decimal("1.22")
    assert min(gains) / 2 == Decimal("0.43")
    yardsticks = {
        record.claim: record.margin.value
        for record in records("equivalent")
        if record.margin and record.margin.rule == "paper_yardstick"
    }
    assert yardsticks == {
        "oddities-recover": 2.1,
        "mimic-like-public-code": 2.1,
        "kim-competitive": 2.1,
        "impl-no-better-than-kim": 2.1,
        "no-pooling-like-eq7": 1.22,
    }


def test_value_margins_are_the_smaller_of_field_and_half_gap() -> None:
    """Half of the smallest gap of an order claim on a table, where that is below 0.5 points."""
    smallest: dict[str, Decimal] = {}
    for record in records("order"):
        table = record.cells[0].split(".")[0]
        gap = printed(record.cells[0]) - printed(record.cells[1])
        smallest[table] = min(gap, smallest.get(table, gap))
    smallest["t3"] = smallest["t8"]  # the same numbers
    assert set(smallest) == {"t3", "t4", "t5", "t8"}
    for record in records("value"):
        half_gap = smallest[record.cells[0].split(".")[0]] / 2
        assert record.margin is not None
        assert Decimal(str(record.margin.value)) == min(half_gap, Decimal("0.5")), record.id


# --------------------------------------------------------------------------- the experiments

#: Sweep, pooling, stride, hidden layer, dropout before the output: what each row of Tables 4 and 5 has run.
SETTINGS = {
    "kim_emb": ("embeddings", "max", 1, None, 0.5),
    "kim_words": ("words", "max", 1, None, 0.5),
    "xml_emb_eq7": ("embeddings", "overlapping", 2, 512, 0.25),
    "xml_words_eq7": ("words", "overlapping", 2, 512, 0.5),
    "xml_emb_eq6": ("embeddings", "dynamic", 1, 512, 0.5),
    "xml_words_eq6": ("words", "dynamic", 1, 512, 0.5),
    "liu_words_max": ("words", "max", 2, 512, 0.5),
    "liu_words_none": ("words", "none", 2, 512, 0.5),
    "liu_emb_max": ("embeddings", "max", 2, 512, 0.5),
    "liu_emb_none": ("embeddings", "none", 2, 512, 0.5),
    "mimic_all": ("embeddings", "overlapping", 2, 512, 0.25),
}


def test_each_experiment_names_the_variant_of_its_row() -> None:
    """A variant under the wrong row would make every verdict on it worthless."""
    from reimpl.xml_cnn import VARIANTS

    for name, settings in SETTINGS.items():
        experiment = paper().single_experiments[name]
        assert experiment.model == "xml_cnn"
        config = VARIANTS[str(experiment.variant)]
        found = (config.sweep, config.pooling, config.stride, config.hidden, config.dropout_output)
        assert found == settings, name
        assert (config.windows, config.maps, config.loss) == ((2, 4, 8), 128, "bce_mean"), name


def test_each_row_leads_to_its_experiment() -> None:
    """Rows and cells to experiments, by hand."""
    by_row = {
        "t3.reported": "liu_reported",
        "t3.public": "public_reduced",
        "t3.mimic": "xml_emb_eq7",
        "t8.reported": "liu_reported",
        "t8.public_all": "public_all",
        "t8.mimic_all": "mimic_all",
        "t8.public_reduced": "public_reduced",
        "t8.mimic_reduced": "mimic_reduced",
    }
    by_cell = {
        "t5.words.max": "liu_words_max",
        "t5.words.none": "liu_words_none",
        "t5.embeddings.max": "liu_emb_max",
        "t5.embeddings.none": "liu_emb_none",
    }
    for address, cell in cells().items():
        row = address.rpartition(".")[0]
        expected = by_cell.get(address) or by_row.get(row) or row.removeprefix("t4.")
        assert cell.experiment == expected, address


def test_what_cannot_be_run_says_so_and_the_rest_names_a_known_protocol() -> None:
    unavailable = {name for name, it in paper().experiments.items() if it.unavailable}
    assert unavailable == {"public_reduced", "public_all", "liu_reported", "mimic_reduced"}
    assert set(paper().experiments) == set(SETTINGS) | unavailable
    for name in SETTINGS:
        experiment = paper().single_experiments[name]
        assert (experiment.protocol, experiment.recipe) == ("chen2022", "study2022")
        assert experiment.vocabulary == ("all" if name == "mimic_all" else "reduced")


def test_only_the_first_rows_of_tables_3_and_8_are_copied() -> None:
    copied = {
        a.rpartition(".")[0]: cell.copied_from for a, cell in cells().items() if cell.source == "copied"
    }
    assert copied == {"t3.reported": "liu2017", "t8.reported": "liu2017"}
    assert not any(cell.source == "unknown" for cell in cells().values())


def test_departures_concern_the_rows_they_name() -> None:
    """Two that decide how Table 4 is to be read: the stride of all six rows, the dropout of one."""
    what = {name: [it.what for it in paper().departures_of(name)] for name in paper().experiments}
    six = ["kim_emb", "kim_words", "xml_emb_eq7", "xml_words_eq7", "xml_emb_eq6", "xml_words_eq6"]
    assert all("Stride of the convolution" in what[name] for name in six)
    assert all("Epoch whose scores are reported" in what[name] for name in six)
    assert "Stride of the convolution" not in what["liu_words_max"]
    assert "Seeds of the runs" in what["xml_words_eq6"]
    assert all(it.here == "" and it.code and it.why for it in paper().departures_of("xml_emb_eq7"))


def test_no_claim_compares_what_one_run_would_stand_for() -> None:
    """Both sides of a comparison are different configurations, or else one of them cannot be run."""
    for claim in paper().claims:
        sides = [
            cells()[record.cells[k]].experiment
            for record in [first(claim.id)]
            for k in range(len(record.cells))
        ]
        runnable = [
            paper().experiments[str(side)] for side in sides if not paper().experiments[str(side)].unavailable
        ]
        variants = [it.variant for it in runnable]
        assert len(set(variants)) == len(variants), claim.id


def first(claim: str) -> ClaimRecord:
    return next(record for record in paper().claim_records() if record.claim == claim)


def test_orders_call_little_negligible() -> None:
    orders = [claim for claim in paper().claims if isinstance(claim, OrderClaim)]
    assert {claim.negligible for claim in orders} == {0.1}
    assert all(claim.paired is None for claim in orders)
