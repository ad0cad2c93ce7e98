"""`audit data`: corpora, what they are, what they are to the claims of the papers, and where to get them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from audit.claims.load import papers_of
from audit.cli.app import command, data_app, say
from audit.errors import AuditError, Exit, corpus_questions
from audit.names import counted, wrapped
from audit.runner.resolve import options_of, prepared
from audit.settings import CorpusSettings
from audit.storage.files import check_can_be_written
from reimpl.data.catalogue import (
    NOUNS,
    REORDERED,
    Entry,
    Observed,
    catalogue,
    compared,
    differences,
    recognise,
    scope_of,
)


@command(data_app, "list")
def list_command(entry: str | None = None) -> int:
    """Show the corpora of the field; for ENTRY also source and licence."""
    if entry:
        for line in _of_entry(entry, catalogue().find(entry)):
            say(line)
        return Exit.OK
    row = "{:18} {:>10} {:>8} {:>10}  {}".format
    say(row("entry", "train", "test", "labels", "printed by"))
    for key, found in catalogue().entries.items():
        if not found.versions:
            say(row(key, "-", "-", "-", "no sizes on record"))
        for number, version in enumerate(found.versions):
            sizes = (version.train or "-", version.test or "-", version.labels or "-")
            by = ", ".join(getattr(version, "by", ("as read here",)))
            say(row("" if number else key, *sizes, by).rstrip())
    return Exit.OK


@command(data_app, "add")
def add_command(
    path: Path,
    *,
    settings: CorpusSettings,
    entry: str | None = None,
    recipe: str = "study2022",
    protocol: str = "small",
    vectors: str | None = None,
    store: Path = Path("audit-runs"),
) -> int:
    """Recognise a corpus, say which papers use it, and prepare it."""
    from reimpl import protocol as protocols
    from reimpl.data.dataset import Dataset

    if entry is not None:
        catalogue().find(entry)
    corpus, _ = recognised(path, entry, settings)
    if isinstance(corpus, Dataset):
        say("prepared: nothing; models that take no text read features as they are")
        return Exit.OK
    with corpus_questions():
        used, cache = protocols.protocol(protocol), store / "data"
        check_can_be_written(cache)  # a run would do without
        vectors = vectors or f"random:{used.dimension}"
        data = prepared(corpus, recipe=recipe, length=used.length, vectors=vectors, cache=cache)
    sizes = " + ".join(f"{part.size:,} {split}" for split, part in data.splits.items())
    dropped = int(data.counts.get("train.unlabelled_dropped", 0))
    left_out = f"; {counted(dropped, 'training document')} without labels left out" if dropped else ""
    cut = f"cut to {used.length} words, in {cache}"
    for note in (note for note in data.notes if note.startswith("The preprocessing")):
        say(f"note: {note}")
    say(f"prepared: {sizes} documents, {data.n_labels:,} labels, {cut}{left_out}")
    return Exit.OK


@command(data_app, "describe")
def describe_command(path: Path, *, settings: CorpusSettings) -> int:
    """Show what a corpus is: its statistics, its oddities, and which papers use it."""
    _, figures = recognised(path, None, settings)
    say("")
    for name, noun in NOUNS.items():
        if readings := figures["statistics"].get(name):
            whole = name in ("train", "test", "dev", "labels", "features")
            shown = f"{readings[0]:,.0f}" if whole else f"{readings[0]:,.2f}"
            say(f"{noun:38} {shown}{f'  ({readings[1]:,.2f} over all splits)' if len(readings) > 1 else ''}")
    say("")
    for name, value in _flat({key: it for key, it in figures.items() if key != "statistics"}):
        say(f"{name:38} {value:,.2f}" if isinstance(value, float) else f"{name:38} {value}")
    return Exit.OK


def recognised(path: Path, entry: str | None, settings: CorpusSettings) -> tuple[Any, Mapping[str, Any]]:
    """The corpus and its figures; says which entry it is, and what it is to each paper's claims. Raises
    `AuditError` for what cannot be read or is not the `entry`."""
    from reimpl.data.describe import describe, observed_in
    from reimpl.data.formats import READERS, open_corpus, sniff, split_name

    options = options_of(settings)
    with corpus_questions():
        folder, _ = split_name(path)
        formats = [READERS[of]] if (of := settings.format or "") in READERS else sniff(folder)
        if len(formats) == 1:
            say(f"{path}: {formats[0].title}")
        corpus = open_corpus(path, options, format=settings.format)
        figures = describe(corpus)
    if options.separator and figures["splits"]["train"]["most_labels_a_document"] <= 1:
        say(f"note: no training document has {options.separator!r} between its labels; is it right?")
    for line in (*_doubts(corpus, figures), *identity(path, observed_in(figures), entry)):
        say(line)
    return corpus, figures


def identity(path: Path, observed: Observed, entry: str | None) -> Iterator[str]:
    """What it is, and to each built-in paper's data sets: what the paper prints and is not here, or why it is
    `other_data` all the same. Raises `AuditError` at the end where it is not the `entry`."""
    known, match, rest = catalogue(), recognise(observed, catalogue()), list[str]()
    yield f"recognised: {match.sentence}"
    if match.how == "sizes" and not any(copy.published for copy in known.find(match.key or "").known):
        how = "`content:` or `partition:` of `audit data describe` go into a paper's claim file"
        yield f"note: the published content of {match.key} is not on record, so no run is same_data; {how}"
    copy_of = known.entries[match.key].stand_in_for if match.key else None
    papers = [(paper.paper.key, *of) for paper in papers_of(None) for of in paper.datasets.items()]
    for paper, name, dataset in papers:
        same, corpora = dataset.content or (), dataset.corpus or ()
        seen = (observed.content, observed.corpus, observed.partition)
        scope = scope_of(*seen, same=same, corpora=corpora, partitions=dataset.partition or ())
        differ = differences(dataset.printed, observed)
        if scope == "same_data" and observed.content not in same:
            differ = (REORDERED, *differ)
        if scope == "other_data" and not differ:
            agree = "the printed sizes agree" if dataset.printed else "the paper prints no sizes"
            another = same or corpora or (copy_of and dataset.catalogue == copy_of)
            unknown = "but the content may differ"
            differ = (f"{agree}, {'but the content is another' if another else unknown}",)
        if scope != "other_data" or dataset.catalogue in {entry, copy_of, match.key} - {None}:
            yield "; ".join((f"{paper} {name}: {scope}", *differ))
        else:
            rest.append(paper)
    if rest:
        other = "other " if len(rest) < len(papers) else ""
        yield f"{len(rest)} {other}data sets of {len(set(rest))} papers: other_data"
    if entry is not None and match.key != entry:
        asked = compared(observed, entry, known.find(entry))
        if match.how in ("content", "partition", "corpus"):
            raise AuditError(f"{path}: not {entry}, the content is that of {match.key}")
        if asked.differences:
            nearest = "; ".join(asked.differences)
            raise AuditError(f"{path}: its sizes match none of {entry}; nearest: {nearest}")
        yield f"as asked: {asked.sentence}"


def _of_entry(key: str, entry: Entry) -> Iterator[str]:
    def in_words(printed: Mapping[str, str]) -> str:
        return ", ".join(f"{value} {NOUNS[name]}" for name, value in printed.items())

    places = [catalogue().places[name] for name in entry.places]
    rows = [
        ("formats", ", ".join(entry.formats) or "none of ours"),
        ("licence", entry.licence),
        ("from", "; ".join(f"{place.name} ({place.url})" if place.url else place.name for place in places)),
        ("by hand", entry.by_hand),
        ("splits", entry.split_columns and f"{entry.split_columns} in columns; give PATH@N"),
        *(("cut to", cut) for cut in entry.truncation),
    ]
    if psp := entry.propensity:
        rows.append(("PSP", f"A {psp.A}, B {psp.B} ({psp.source})"))
    for version in entry.published:
        note = f"; {version.note}" if version.note else ""
        rows.append(("printed", f"{in_words(version.printed)} ({', '.join(version.by)}{note})"))
    for known in entry.known:
        sizes = f"{in_words(known.sizes.printed)}; " if known.sizes else ""
        rows += [("content", f"{sizes}{known.what}"), ("", known.content)]
    yield f"{key}: {entry.name}"
    yield from wrapped(entry.about, 2)
    yield from (line for name, value in rows if value for line in wrapped(f"{name:8} {value}", 2, 11))


def _doubts(corpus: object, figures: Mapping[str, Any]) -> Iterator[str]:
    """Notes on unused files and rows, labels likely misread, and what test shares with train."""
    from reimpl.data.numbering import TextSource

    if unused := getattr(corpus, "counts", {}).get("rows_not_used", 0):
        yield f"note: {counted(unused, 'row')} of the data are in neither train nor test"
    yield from (f"note: {note}" for note in (corpus.notes if isinstance(corpus, TextSource) else ()))
    train, test = figures["splits"]["train"], figures["splits"]["test"]["documents"]
    given, lists = round(train["labels_a_document"] * train["documents"]), train["labels_like_lists"]
    if 2 * lists >= given > 0:
        how = "Blanks separate labels here; if commas were meant to, replace them by blanks"
        yield f"note: {lists:,} of {given:,} training labels contain a comma. {how}"
    if alike := figures["labels_that_differ_in_form_only"]:
        yield f"note: {alike:,} labels differ from another label only by blanks, case or Unicode form"
    if met := figures["test_texts_in_train"]:
        unit = "features" if "features" in figures else "text"
        yield f"note: {met:,} of {test:,} test documents also occur in train (same {unit})"
    if new := figures["test_labels_not_in_train"]:
        yield f"note: {counted(new, 'label')} of test occur in no training document: no model can learn them"


def _flat(figures: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """`splits: {train: {documents: 3}}` becomes `train documents`."""
    for name, value in figures.items():
        words = f"{prefix}{name.replace('_', ' ')}"
        if isinstance(value, Mapping):
            yield from _flat(value, "" if name == "splits" else f"{words} ")
        else:
            yield words, value
