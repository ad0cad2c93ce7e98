"""`audit data`: corpora, what they are, and what they are to the claims of the papers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.claims.schema import Dataset as Described
from audit.cli.app import data_app, papers_of, say
from audit.cli.corpus_scope import identity
from audit.cli.options import command
from audit.errors import AuditError, Exit
from audit.pipeline.suite import corpus_questions, options_of
from audit.settings import CorpusSettings

if TYPE_CHECKING:
    from reimpl.data.dataset import Dataset
    from reimpl.data.formats import Options
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
        typer.Option(metavar="PATH", help="Folder of the run records, where prepared data lie."),
    ] = Path("audit-runs"),
) -> int:
    """Recognise a corpus, say what it is to each paper's claims, and prepare it once for all runs.

    --recipe, --protocol, --vectors and --store as for the runs to come: what they ask for is prepared.
    """
    from reimpl.data.catalogue import catalogue

    if entry is not None:
        catalogue().find(entry)
    options = options_of(settings, column=column)
    corpus, why_not = recognised(path, entry, options, settings.format)
    if why_not:
        raise AuditError(f"{path}: {why_not}; leave out --as, or name another entry")
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
        *identity(observed_in(figures), None, _datasets())[0],
    ):
        say(line)
    return Exit.OK


def recognised(
    path: Path, entry: str | None, options: Options, format: str | None = None
) -> tuple[Source | Dataset, str]:
    """Says what lies there, which entry it is, and what it is to each paper's claims.

    Comes with why it is not the `entry`, empty where it may be. Raises `AuditError` for what cannot be read.
    """
    from audit.cli.corpus_view import doubt_lines, overlap_lines
    from reimpl.data.describe import describe, observed_in
    from reimpl.data.formats import open_corpus, sniff, split_name

    with corpus_questions():
        folder, _ = split_name(path)
        found = sniff(folder) if folder.exists() else ()
        if len(found) == 1:
            say(f"{path}: {found[0][0].title}; {found[0][1]}")
        corpus = open_corpus(path, options, format=format)
        figures = describe(corpus)
    if options.separator and figures["splits"]["train"]["most_labels_a_document"] <= 1:
        say(f"note: no training document has two labels that {options.separator!r} parts; is it right?")
    lines, why_not = identity(observed_in(figures), entry, _datasets())
    for line in (*doubt_lines(corpus, figures), *overlap_lines(figures), *lines):
        say(line)
    return corpus, why_not


def _datasets() -> dict[str, Mapping[str, Described]]:
    """Of the papers that come with the toolkit."""
    return {paper.paper.key: paper.datasets for paper in papers_of(None)}


def _prepared(
    corpus: Source | Dataset, recipe: str, protocol_name: str, vectors: str | None, store: Path
) -> str:
    """Prepares texts through the cache of the runs; features are read as they are."""
    from audit.names import counted
    from audit.pipeline.suite import check_can_be_written
    from audit.runner.resolve import prepared
    from reimpl.data.dataset import Dataset
    from reimpl.protocol import protocol

    if isinstance(corpus, Dataset):
        return "prepared: nothing; features are read as they are, by models that take no text"
    used, cache = protocol(protocol_name), store / "data"
    check_can_be_written(cache)  # a run would do without
    vectors = vectors or f"random:{used.dimension}"
    data = prepared(corpus, recipe=recipe, length=used.length, vectors=vectors, cache=cache)
    sizes = " + ".join(f"{part.size:,} {split}" for split, part in data.splits.items())
    dropped = int(data.counts.get("train.unlabelled_dropped", 0))
    left_out = f"; {counted(dropped, 'training document')} without labels left out" if dropped else ""
    return (
        f"prepared: {sizes} documents, {data.n_labels:,} labels, cut to {used.length} words, in {cache}"
        f"{left_out}"
    )
