"""`audit data`: corpora, what they are, and what they are to the claims of the papers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import data_app, papers_of, say
from audit.cli.options import command
from audit.errors import AuditError, Exit
from audit.pipeline.corpus_words import corpus_questions, options_of
from audit.settings import CorpusSettings

if TYPE_CHECKING:
    from reimpl.data.dataset import Dataset
    from reimpl.data.formats import Options
    from reimpl.data.identity import Observed
    from reimpl.data.source import Source

Corpus = Annotated[
    Path,
    typer.Argument(
        metavar="PATH",
        help="A folder, file or .zip in any format that is read; DIR@N is split column N of DIR.",
    ),
]


Column = Annotated[
    int | None,
    typer.Option("--column", metavar="N", min=0, help="Which of several split columns, from 0."),
]


def _folder(name: str | Path) -> Path:
    """Raises `AuditError` for an empty name, which would be the folder that the user is in."""
    if not str(name).strip():
        raise AuditError("--store is empty; name a folder")
    return Path(name)


@data_app.command("list")
def list_command(
    entry: Annotated[str | None, typer.Argument(metavar="[ENTRY]", help="All about this one.")] = None,
) -> int:
    """The corpora of the field: sizes as printed and by whom; of one, source, licence, PSP's A and B."""
    from audit.cli.corpus_view import catalogue_lines, entry_lines
    from reimpl.data.catalogue import catalogue

    known = catalogue()
    lines = catalogue_lines(known) if entry is None else entry_lines(entry, known.find(entry), known)
    for line in lines:
        say(line)
    return Exit.OK


@command(data_app, "add")
def add_command(
    path: Corpus,
    settings: CorpusSettings,
    entry: Annotated[
        str | None,
        typer.Option("--as", metavar="ENTRY", help="The entry of the catalogue that it should be."),
    ] = None,
    column: Column = None,
    recipe: Annotated[str, typer.Option(help="How texts become numbers.")] = "study2022",
    protocol: Annotated[str, typer.Option(help="Whose length and word vectors are prepared.")] = "small",
    vectors: Annotated[
        str | None,
        typer.Option(help="Word vectors: a file (text, .bin or .npy), glove (the extra), or random:E."),
    ] = None,
    store: Annotated[
        Path,
        typer.Option(
            metavar="PATH", parser=_folder, help="Folder of the run records, where prepared data lie."
        ),
    ] = Path("audit-runs"),
) -> int:
    """Recognise a corpus, say what it is to each paper's claims, and prepare it once for all runs.

    --recipe, --protocol, --vectors and --store as for the runs to come: what they ask for is prepared.
    """
    from reimpl.data.catalogue import catalogue

    if entry is not None:
        catalogue().find(entry)
    options = options_of(settings, column=column)
    corpus, _ = recognised(path, entry, options, settings.format, must_fit=True)
    with corpus_questions():
        prepared = _prepared(corpus, recipe, protocol, vectors, store)
    say(prepared)
    return Exit.OK


@command(data_app, "describe")
def describe_command(
    path: Corpus,
    settings: CorpusSettings,
    column: Column = None,
    strata: Annotated[
        bool, typer.Option("--strata", help="Head and tail too: labels, documents, share of the positives.")
    ] = False,
) -> int:
    """Statistics as papers print them, what is odd, plots, and the scope to each paper's claims."""
    from audit.cli.corpus_view import doubt_lines, figure_lines, statistics_lines, strata_lines
    from reimpl.data.describe import describe, observed_in, strata_sizes
    from reimpl.data.formats import open_corpus

    options = options_of(settings, column=column)
    with corpus_questions():
        corpus = open_corpus(path, options, format=settings.format)
        figures = describe(corpus)
        sizes = strata_sizes(corpus) if strata else ()
    for line in (
        *statistics_lines(figures),
        "",
        *figure_lines(figures),
        *strata_lines(sizes),
        "",
        *doubt_lines(corpus, figures),
        *_identity_lines(observed_in(figures), None),
    ):
        say(line)
    return Exit.OK


def recognised(
    path: Path,
    entry: str | None,
    options: Options,
    format: str | None = None,
    *,
    must_fit: bool = False,
) -> tuple[Source | Dataset, bool]:
    """Says what lies there, which entry it is, and what it is to each paper's claims.

    Comes with whether it may be the entry. Raises `AuditError` for what cannot be read and, if `must_fit`,
    for sizes that match none of the entry or the content of another one.
    """
    from audit.cli.corpus_scope import fits, why_not
    from audit.cli.corpus_view import doubt_lines, overlap_lines
    from reimpl.data.describe import describe, observed_in
    from reimpl.data.formats import open_corpus

    with corpus_questions():
        lines = list(_format_lines(path))
    for line in lines:
        say(line)
    with corpus_questions():
        corpus = open_corpus(path, options, format=format)
        figures = describe(corpus)
    if options.separator and figures["splits"]["train"]["most_labels_a_document"] <= 1:
        say(f"note: no training document has two labels that {options.separator!r} parts; is it right?")
    observed = observed_in(figures)
    fit = entry is None or fits(observed, entry)
    notes = (*doubt_lines(corpus, figures), *overlap_lines(figures))
    for line in (*notes, *_identity_lines(observed, entry)):
        say(line)
    if entry is not None and must_fit and not fit:
        raise AuditError(f"{path}: {why_not(observed, entry)}; leave out --as, or name another entry")
    return corpus, fit


def _format_lines(path: Path) -> Iterator[str]:
    """What lies there and why we think so."""
    from reimpl.data.formats import sniff, split_name

    folder, _ = split_name(path)
    if folder.exists():
        found = sniff(folder)
        if len(found) == 1:
            yield f"{path}: {found[0][0].title}; {found[0][1]}"


def _identity_lines(observed: Observed, entry: str | None) -> Iterator[str]:
    """Which entry it is, and its scope to the papers' claims."""
    from audit.cli.corpus_scope import another, as_asked, bearings, copied, hints, told, why_not
    from reimpl.data.catalogue import catalogue
    from reimpl.data.identity import recognise

    found = recognise(observed, catalogue())
    yield f"recognised: {found.sentence}"
    yield from hints(found, entry)
    if entry is not None and found.key != entry:
        asked = as_asked(observed, entry)
        nearest = f"its sizes match none of {entry}; nearest: {'; '.join(asked.differences)}"
        said = nearest if asked.differences else asked.sentence
        yield f"as asked: {why_not(observed, entry) if another(observed, entry) else said}"
    keys = [entry] if found.how == "nothing" else [entry, found.key, copied(found)]
    known = {paper.paper.key: paper.datasets for paper in papers_of(None)}
    yield from told(bearings(observed, known, copied(found)), keys)


def _prepared(
    corpus: Source | Dataset, recipe: str, protocol_name: str, vectors: str | None, store: Path
) -> str:
    """Prepares texts through the cache of the runs; features are read as they are."""
    from audit.names import counted
    from audit.runner.data_request import prepared
    from reimpl.data.dataset import Dataset
    from reimpl.protocol import protocol

    if isinstance(corpus, Dataset):
        return "prepared: nothing; features are read as they are, by models that take no text"
    used = protocol(protocol_name)
    _check_writable(store / "data")
    data = prepared(
        corpus,
        recipe=recipe,
        length=used.length,
        vectors=vectors or f"random:{used.dimension}",
        cache=store / "data",
    )
    sizes = " + ".join(f"{part.size:,} {split}" for split, part in data.splits.items())
    cut = f"cut to {used.length} words, in {store / 'data'}"
    dropped = int(data.counts.get("train.unlabelled_dropped", 0))
    left_out = f"; {counted(dropped, 'training document')} without labels left out" if dropped else ""
    return f"prepared: {sizes} documents, {data.n_labels:,} labels, {cut}{left_out}"


def _check_writable(folder: Path) -> None:
    """Raises `AuditError` where nothing can be kept; a run would do without."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as err:
        raise AuditError(
            f"{folder}: cannot be written ({err.strerror or err}); choose another folder with --store"
        ) from err
