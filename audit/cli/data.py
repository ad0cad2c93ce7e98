"""`audit data`: corpora, what they are, what they are to the claims of the papers, and where to get them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.claims.papers import papers_of
from audit.claims.schema import Dataset as Described
from audit.cli.app import Folder, Words, command, data_app, say
from audit.errors import AuditError, Exit, corpus_questions
from audit.names import counted
from audit.record import Scope
from audit.settings import CorpusSettings
from audit.storage.files import check_can_be_written

if TYPE_CHECKING:
    from reimpl.data.catalogue import Entry, Observed
    from reimpl.data.dataset import Dataset
    from reimpl.data.download import Fetched
    from reimpl.data.numbering import TextSource

#: Seconds to wait for a server.
TIMEOUT = 30.0


@command(data_app, "list")
def list_command(entry: str | None = None) -> int:
    """The corpora of the field: sizes as printed and by whom; of one, source, licence, PSP's A and B."""
    from reimpl.data.catalogue import catalogue

    for line in _of_entry(entry, catalogue().find(entry)) if entry else _of_catalogue():
        say(line)
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
    """Recognise a corpus, say what it is to each paper's claims, and prepare it once for all runs.

    --recipe, --protocol, --vectors and --store as for the runs to come: what they ask for is prepared.
    """
    from audit.runner.resolve import prepared
    from reimpl import protocol as protocols
    from reimpl.data.catalogue import catalogue
    from reimpl.data.dataset import Dataset

    if entry is not None:
        catalogue().find(entry)
    corpus, why_not = recognised(path, entry, settings)
    if why_not:
        raise AuditError(f"{path}: {why_not}; leave out --as, or name another entry")
    if isinstance(corpus, Dataset):
        say("prepared: nothing; features are read as they are, by models that take no text")
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
    say(f"prepared: {sizes} documents, {data.n_labels:,} labels, {cut}{left_out}")
    return Exit.OK


@command(data_app, "describe")
def describe_command(path: Path, *, settings: CorpusSettings) -> int:
    """Statistics as papers print them, what is odd, and the scope to each paper's claims."""
    from audit.runner.resolve import options_of
    from reimpl.data.describe import describe, observed_in
    from reimpl.data.formats import open_corpus

    with corpus_questions():
        corpus = open_corpus(path, options_of(settings), format=settings.format)
        figures = describe(corpus)
    known = identity(observed_in(figures), None)[0]
    tables = (*_statistics(figures), "", *_figures(figures))
    for line in (*tables, "", *_doubts(corpus, figures), *known):
        say(line)
    return Exit.OK


def recognised(path: Path, entry: str | None, settings: CorpusSettings) -> tuple[TextSource | Dataset, str]:
    """Says what lies there, which entry it is, and what it is to each paper's claims.

    Comes with why it is not the `entry`, empty where it may be. Raises `AuditError` for what cannot be read.
    """
    from audit.runner.resolve import options_of
    from reimpl.data.describe import describe, observed_in
    from reimpl.data.formats import open_corpus, sniff, split_name

    options = options_of(settings)
    with corpus_questions():
        folder, _ = split_name(path)
        formats = sniff(folder) if folder.exists() else ()
        if len(formats) == 1:
            say(f"{path}: {formats[0].title}")
        corpus = open_corpus(path, options, format=settings.format)
        figures = describe(corpus)
    if options.separator and figures["splits"]["train"]["most_labels_a_document"] <= 1:
        say(f"note: no training document has two labels that {options.separator!r} parts; is it right?")
    lines, why_not = identity(observed_in(figures), entry)
    for line in (*_doubts(corpus, figures), *lines):
        say(line)
    return corpus, why_not


# --------------------------------------------------------------------------- what a corpus is


def identity(observed: Observed, entry: str | None) -> tuple[list[str], str]:
    """What it is and what it is to each built-in paper's data sets, in lines; why it is not the `entry` that
    the user names, empty where it may be that."""
    from reimpl.data.catalogue import catalogue, compared, recognise

    known, sure = catalogue(), ("content", "partition", "corpus")
    match = recognise(observed, known)
    lines, why = [f"recognised: {match.sentence}"], ""
    if match.how == "sizes" and not any(copy.published for copy in known.find(match.key or "").known):
        lines.append(
            f"note: the published content of {match.key} is not on record, so no run on it is same_data by "
            "itself; if it is a paper's, its `content:` or `partition:`, as `audit data describe` prints "
            "them, go into the data set of the claim file"
        )
    if entry is not None:
        asked = compared(observed, entry, known.find(entry))
        said = asked.sentence
        if asked.differences:
            why = f"its sizes match none of {entry}"
            said = f"{why}; nearest: {'; '.join(asked.differences)}"
        if asked.how in sure:
            why = ""
        elif match.how in sure:
            why = said = f"not {entry}, the content is that of {match.key}"
        if match.key != entry:
            lines.append(f"as asked: {said}")
    copy_of = known.entries[match.key].stand_in_for if match.key else None
    every = list(bearings(observed, {it.paper.key: it.datasets for it in papers_of(None)}, copy_of))
    keys, rest = {entry, copy_of, match.key} - {None}, []
    for scope, paper, catalogued, sentence in every:
        if scope != "other_data" or catalogued in keys:
            lines.append(sentence)
        else:
            rest.append(paper)
    if rest:
        other = "other " if len(rest) < len(every) else ""
        lines.append(f"{len(rest)} {other}data sets of {len(set(rest))} papers: other_data")
    return lines, why


def bearings(
    observed: Observed, papers: Mapping[str, Mapping[str, Described]], copy_of: str | None = None
) -> Iterator[tuple[Scope, str, str | None, str]]:
    """Scope, paper, catalogue name and sentence of every data set of every paper, in their order.

    `wang2019 delicious: other_split; printed 19.03 labels a document, here 19.05`: what the paper prints and
    is not here, or why it is `other_data` all the same. What is recognised stands in for `copy_of`.
    """
    from reimpl.data.catalogue import REORDERED, differences, scope_of

    for paper, name, dataset in ((key, *of) for key, datasets in papers.items() for of in datasets.items()):
        same, corpora = dataset.content or (), dataset.corpus or ()
        seen = (observed.content, observed.corpus, observed.partition)
        scope = scope_of(*seen, same=same, corpora=corpora, partitions=dataset.partition or ())
        differ = differences(dataset.printed, observed)
        if scope == "same_data" and observed.content not in same:
            differ = (REORDERED, *differ)
        if scope == "other_data" and not differ:
            agree = "what it prints agrees" if dataset.printed else "it prints no sizes"
            another = same or corpora or (copy_of and dataset.catalogue == copy_of)
            unknown = "and whether the content is the same is not known"
            differ = (f"{agree}, {'but the content is another' if another else unknown}",)
        yield scope, paper, dataset.catalogue, "; ".join((f"{paper} {name}: {scope}", *differ))


# --------------------------------------------------------------------------- corpora as lines of text


def _of_catalogue() -> Iterator[str]:
    """A line for each version of each entry: key, sizes, by whom."""
    from reimpl.data.catalogue import catalogue

    row = "{:18} {:>10} {:>8} {:>10}  {}".format
    yield row("entry", "train", "test", "labels", "printed by")
    for key, entry in catalogue().entries.items():
        if not entry.versions:
            yield row(key, "-", "-", "-", "nothing on record")
        for number, version in enumerate(entry.versions):
            sizes = (version.train or "-", version.test or "-", version.labels or "-")
            by = ", ".join(getattr(version, "by", ("as read here",)))
            yield row("" if number else key, *sizes, by).rstrip()


def _of_entry(key: str, entry: Entry) -> Iterator[str]:
    """All that the catalogue knows of one entry."""
    rows = [
        ("formats", ", ".join(entry.formats) or "none of ours"),
        ("licence", entry.licence),
        ("from", "; ".join(_places(entry))),
        ("by hand", entry.by_hand),
        ("splits", entry.split_columns and f"{entry.split_columns} in columns; give PATH@N"),
        *(("cut to", f"{cut.length} {cut.unit} ({', '.join(cut.by)})") for cut in entry.truncation),
    ]
    if psp := entry.propensity:
        rows.append(("PSP", f"A {psp.A}, B {psp.B} ({psp.source})"))
    for version in entry.published:
        note = f"; {version.note}" if version.note else ""
        rows.append(("printed", f"{_in_words(version.printed)} ({', '.join(version.by)}{note})"))
    for known in entry.known:
        sizes = f"{_in_words(known.sizes.printed)}; " if known.sizes else ""
        rows += [("content", f"{sizes}{known.what}"), ("", known.content)]
    yield f"{key}: {entry.name}"
    yield f"  {entry.about}"
    yield from (f"  {name:8} {value}" for name, value in rows if value)


def _places(entry: Entry) -> list[str]:
    from reimpl.data.catalogue import catalogue

    places = [catalogue().places[name] for name in entry.places]
    return [f"{place.name} ({place.url})" if place.url else place.name for place in places]


def _in_words(printed: Mapping[str, str]) -> str:
    from reimpl.data.catalogue import NOUNS

    return ", ".join(f"{value} {NOUNS[name]}" for name, value in printed.items())


def _statistics(figures: Mapping[str, Any]) -> Iterator[str]:
    """The table of the papers: sizes, mean labels and documents a label, mean words."""
    from reimpl.data.catalogue import NOUNS

    for name, noun in NOUNS.items():
        if readings := figures["statistics"].get(name):
            whole = name in ("train", "test", "dev", "labels", "features")
            shown = f"{readings[0]:,.0f}" if whole else f"{readings[0]:,.2f}"
            over_all = f"  ({readings[1]:,.2f} over all splits)" if len(readings) > 1 else ""
            yield f"{noun:38} {shown}{over_all}"


def _doubts(corpus: object, figures: Mapping[str, Any]) -> Iterator[str]:
    """Notes on rows not used, labels likely not read as they are meant, and what test has of train."""
    if unused := getattr(corpus, "counts", {}).get("rows_not_used", 0):
        yield f"note: {counted(unused, 'row')} of the data in neither train nor test"
    train, test = figures["splits"]["train"], figures["splits"]["test"]["documents"]
    given, lists = round(train["labels_a_document"] * train["documents"]), train["labels_like_lists"]
    if 2 * lists >= given > 0:
        yield (
            f"note: {lists:,} of {given:,} training labels hold a comma; what parts labels is a blank: if "
            "commas are meant to part them, replace them by blanks"
        )
    if met := figures["test_texts_in_train"]:
        unit = "features" if "features" in figures else "text"
        yield f"note: {met:,} of {test:,} test documents stand in train too, by their {unit}"
    if new := figures["test_labels_not_in_train"]:
        yield f"note: {counted(new, 'label')} of test in no training document, so never to be learnt"


def _figures(figures: Mapping[str, Any]) -> Iterator[str]:
    """Every other figure, a line each."""
    for name, value in _flat({key: it for key, it in figures.items() if key != "statistics"}):
        yield f"{name:38} {value:,.2f}" if isinstance(value, float) else f"{name:38} {value}"


def _flat(figures: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """`splits: {train: {documents: 3}}` becomes `train documents`."""
    for name, value in figures.items():
        words = f"{prefix}{name.replace('_', ' ')}"
        if isinstance(value, Mapping):
            yield from _flat(value, "" if name == "splits" else f"{words} ")
        else:
            yield words, value


# --------------------------------------------------------------------------- from the network


@command(data_app, "get")
def get_command(key: str, *, settings: CorpusSettings, to: Folder = None, addresses: Words = None) -> int:
    """Download a corpus once, check it, and recognise it as `audit data add` does.

    It goes into a folder of your cache if --to names no other. Nothing is unpacked, and no file is replaced.
    What came and is not that entry is kept and is bad input.
    """
    from audit.runner.progress import bytes_bar
    from reimpl.data.catalogue import catalogue
    from reimpl.data.download import NotReachedError, Remote, fetch, user_cache

    entry = catalogue().find(key)
    *most, last = _places(entry) or [""]
    listed = " or ".join(filter(None, (", ".join(most), last)))
    how = f"get it by hand from {listed}" if listed else "nor is a place that has it; get it elsewhere"
    by_hand = entry.by_hand or f"{how}, then `audit data add PATH --as {key}`"
    remotes = [Remote.parse(address) for address in addresses or ()]
    if not remotes:
        no_address = f"{key}: no address of its files is on record; {by_hand}"
        raise AuditError(f"{no_address}; if you know one, give --from URL")
    names = [remote.name for remote in remotes]
    if twice := [name for name in names if names.count(name) > 1]:
        raise AuditError(f"two addresses end in {twice[0]!r}; tell them apart, as in URL#name=train.txt")
    folder = to or user_cache() / key
    say(f"{key}: {entry.name}; licence: {entry.licence}")
    files: list[Fetched] = []
    for remote in remotes:
        try:
            with bytes_bar(remote.name, speed=True) as progress:
                files.append(fetch(remote, folder, timeout=TIMEOUT, progress=progress))
        except NotReachedError as err:
            raise AuditError(f"{err}; {by_hand}") from err
        file = files[-1]
        checked = "verified: it has the checksum that was stated"
        if not file.verified:
            again = "" if file.downloaded else "; the same as at its first download"
            checked = f"not verified: no published checksum known{again}"
        how = "downloaded" if file.downloaded else "there already"
        say(f"{file.path.name}: {how}, {file.size:,} bytes, {file.path}")
        say(f"{file.path.name}: SHA-256 {file.sha256}; {checked}")
    path = files[0].path if len(files) == 1 else folder
    add = f"audit data add {shlex.quote(str(path))}"
    try:
        _, why_not = recognised(path, key, settings)
    except AuditError as err:
        # What has the stated checksum is what was meant; anything else may be a page that says no.
        unsure = [f"{file.path} and {file.path}.sha256" for file in files if not file.verified]
        what = f"if it is not what you asked for, delete {', '.join(unsure)} and try again"
        raise AuditError(
            f"{err} (the download is there{f'; {what}' if unsure else ', and has its checksum'})"
        ) from err
    if why_not:
        raise AuditError(f"{path}: this is not {key}; it is kept, and to use it for what it is: {add}")
    say(f"to prepare it for all runs: {add} --as {key}")
    return Exit.OK
