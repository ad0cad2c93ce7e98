"""The catalogue holds what papers print, and nothing that nobody prints."""

from __future__ import annotations

import pytest

from audit.claims.load import Paper, builtin_claims, load
from reimpl.data.catalogue import Entry, Published, catalogue, parse_catalogue
from reimpl.data.describe import describe
from reimpl.data.download import Remote
from reimpl.errors import DataError
from reimpl.metrics import propensity_constants
from tests.shared import shared

PAPERS = [load(path) for path in builtin_claims()]
DATA_SETS = [(paper, name) for paper in PAPERS for name in paper.datasets]


def plain(text: str) -> str:
    return text.replace(",", "")


def published(entry: Entry, paper: str) -> list[Published]:
    return [it for it in entry.published if paper in it.by]


@pytest.mark.parametrize(("paper", "name"), DATA_SETS, ids=[f"{p.paper.key}-{n}" for p, n in DATA_SETS])
def test_what_a_claim_file_prints_stands_in_the_catalogue(paper: Paper, name: str) -> None:
    """Each `catalogue:` of a claim file is a key, and its printed statistics are there under that paper."""
    dataset = paper.datasets[name]
    if dataset.catalogue is None:
        pytest.skip("names no entry")
    entry = catalogue().find(dataset.catalogue)
    printed = {key: plain(value) for key, value in dataset.printed.items()}
    said = [{k: plain(v) for k, v in it.printed.items()} for it in published(entry, paper.paper.key)]
    assert not printed or any(printed.items() <= it.items() for it in said), (printed, said)


def test_a_claim_file_that_knows_a_content_knows_its_documents_in_any_split() -> None:
    """Else one document that changes sides would make it `other_data`."""
    corpora = {it.content: it.corpus for entry in catalogue().entries.values() for it in entry.known}
    stated = [
        (paper.paper.key, name, corpora.get(content), dataset.corpus or ())
        for paper in PAPERS
        for name, dataset in paper.datasets.items()
        for content in dataset.content or ()
    ]
    assert stated and not [it for it in stated if it[2] not in it[3]]


def test_a_claim_file_that_knows_a_content_knows_it_in_any_order() -> None:
    """Else its documents shuffled among themselves would be another split."""
    partitions = {it.content: it.partition for entry in catalogue().entries.values() for it in entry.known}
    stated = [
        (paper.paper.key, name, partitions.get(content), dataset.partition or ())
        for paper in PAPERS
        for name, dataset in paper.datasets.items()
        for content in dataset.content or ()
    ]
    assert stated and not [it for it in stated if it[2] not in it[3]]


@pytest.mark.parametrize(
    ("folder", "key"),
    [
        ("mulan-delicious", "delicious"),
        ("mulan-bibtex", "bibtex"),
        ("mulan-enron", "enron"),
        ("mulan-medical", "medical"),
        ("mulan-tmc2007-500", "tmc2007"),
        ("reuters21578", "reuters21578"),
        ("ohsumed", "ohsumed"),
        ("yso-abstracts", "yso-abstracts"),
        pytest.param("eurlex-4k-matched", "eurlex-4k-matched", marks=pytest.mark.slow),
        pytest.param("eurlex57k", "eurlex57k", marks=pytest.mark.slow),
        pytest.param("yso-titles-22k", "yso-titles-22k", marks=pytest.mark.slow),
    ],
)
def test_what_is_on_record_of_a_content_is_what_its_files_give(folder: str, key: str) -> None:
    figures = describe(shared(f"data/{folder}"))
    [known] = catalogue().entries[key].known
    assert (known.content, known.corpus) == (figures["content"], figures["corpus"])
    assert (known.partition, known.label_set) == (figures["partition"], figures["label_set"])


def test_nothing_is_said_to_be_printed_by_a_paper_that_has_no_claim_file() -> None:
    """`by` are keys of papers, or the repository."""
    known = {paper.paper.key for paper in PAPERS} | set(catalogue().places)
    named = {by for entry in catalogue().entries.values() for it in entry.published for by in it.by}
    named |= {by for entry in catalogue().entries.values() for it in entry.truncation for by in it.by}
    assert named <= known


def test_propensity_constants_are_those_that_the_metrics_use() -> None:
    """By name: AmazonCat-13K has the default values, not those of the other Amazon sets (pyxclib #7)."""
    for entry in catalogue().entries.values():
        if entry.propensity:
            assert propensity_constants(entry.name) == (entry.propensity.A, entry.propensity.B), entry.name
    constants = {key: e.propensity for key, e in catalogue().entries.items() if e.propensity}
    assert (constants["amazoncat-13k"].A, constants["amazon-670k"].A, constants["wiki-500k"].B) == (
        0.55,
        0.6,
        0.4,
    )


def test_what_is_not_known_is_said_to_be_unknown() -> None:
    """No licence is made up: only those with a source are something else."""
    known = {key for key, entry in catalogue().entries.items() if entry.licence != "unknown"}
    assert known == {"reuters21578", "synthetic"}


def test_every_address_on_record_can_be_downloaded_and_names_its_source() -> None:
    """None is on record yet: the sources that we have give pages, folders and repositories, no files."""
    for entry in catalogue().entries.values():
        for file in entry.files:
            assert Remote.of(file.url, file.name, file.checksum) and file.source
    # by hand only where there is nothing better
    assert not [key for key, it in catalogue().entries.items() if it.by_hand and (it.places or it.files)]


HEAD = "format: 1\nplaces: {p: {name: a place}}\nentries:\n"
ENTRY = "  a: {name: A, about: words, formats: [], raw_text: true, licence: unknown"
HASH = "a" * 64
KNOWN = f"{{what: w, content: {HASH}, corpus: {HASH}}}"

REFUSED = [
    ("unknown key", HEAD + ENTRY + ", size: 3}", "entries.a.size: Extra inputs"),
    ("number, not text", HEAD + ENTRY + ", published: [{by: [x], train: 15449}]}", "train: Input should be"),
    ("no number", HEAD + ENTRY + ", published: [{by: [x], train: many}]}", "train: String should match"),
    ("no digest", HEAD + ENTRY + ", known: [{what: w, content: ab, corpus: cd}]}", "content: String should"),
    ("no such place", HEAD + ENTRY + ", places: [q]}", "place 'q' is unknown; known are p"),
    ("no such entry", HEAD + ENTRY + ", stand_in_for: b}", "stands in for 'b', which is no entry"),
    ("content twice", HEAD + ENTRY + f", known: [{KNOWN}, {KNOWN}]}}", "one content stands in two places"),
    ("other format", HEAD.replace("1", "2") + ENTRY + "}", "format: Input should be 1"),
    ("no address", HEAD + ENTRY + ", files: [{url: a.zip, source: w}]}", "files.0.url: String should match"),
    ("other scheme", HEAD + ENTRY + ", files: [{url: 'ftp://h/a', source: w}]}", "url: String should match"),
    ("no source", HEAD + ENTRY + ", files: [{url: 'http://h/a'}]}", "files.0.source: Field required"),
    (
        "no checksum",
        HEAD + ENTRY + f", files: [{{url: 'http://h/a', source: w, checksum: {HASH}}}]}}",
        "files.0.checksum: String should match",
    ),
    ("no YAML", "a: [", "no YAML"),
]


@pytest.mark.parametrize(("why", "text", "message"), REFUSED, ids=[case[0] for case in REFUSED])
def test_a_broken_catalogue_is_refused_in_one_sentence(why: str, text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_catalogue(text, "c.yaml")
    assert message in str(caught.value) and str(caught.value).startswith("c.yaml: ")
    assert "\n" not in str(caught.value)


def test_an_unknown_key_is_answered_with_the_known_ones() -> None:
    with pytest.raises(DataError, match="'eurlex' is unknown; known are eurlex-4k, eurlex57k"):
        catalogue().find("eurlex")
