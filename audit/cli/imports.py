"""`audit import`: results of others' runs into the store, judged by the same rules as ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.app import app, papers_of, say
from audit.cli.options import command
from audit.errors import AuditError, Exit
from audit.importing.result import Declared

if TYPE_CHECKING:
    from audit.claims.load import Paper
    from audit.importing.records import Kept
    from audit.importing.result import Result
    from audit.record import Run


@command(app, "import")
def import_command(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="CSV, JSON or JSON lines with the columns experiment, dataset, metric, seed, value; "
            "or, with --truth, top-k predictions of documents (JSON lines or .npz), one file a seed.",
        ),
    ],
    paper: Annotated[str, typer.Option(metavar="CLAIMS", help="Claim file, or key of a built-in one.")],
    declared: Declared,
    store: Annotated[Path, typer.Option(help="Folder of the run records.")] = Path("audit-runs"),
    truth: Annotated[Path | None, typer.Option(help="True labels of the predicted documents.")] = None,
    experiment: Annotated[str | None, typer.Option(metavar="ID", help="Whose predictions these are.")] = None,
    seed: Annotated[
        list[int] | None, typer.Option(help="Of a file of predictions; once for each, in their order.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of earlier imports of the same seeds.")
    ] = False,
) -> int:
    """Import results that others' programs gave, to be judged by the same rules.

    Nothing is guessed: what can be read in two ways is asked about, and then nothing is imported. A value
    that is empty or `failed` is a failed seed, which counts. Needs no torch.

    A file of predictions has one JSON object a document, its labels best first, with a score each:

    {"document": "d1", "labels": ["a", "b"], "scores": [0.9, 0.4]}

    and --truth has the true labels of the same documents, in any order:

    {"document": "d1", "labels": ["b"]}

    As .npz: document (N,), labels (N, K) and scores (N, K), where -1 or "" fills up a short list; the truth:
    document (N,), labels (M,) of all documents in turn, and offsets (N + 1,) into them, from 0 to M.
    """
    from audit.importing.predictions import from_predictions
    from audit.importing.records import keep
    from audit.importing.results import from_results
    from audit.storage.margins import keep_fixed
    from audit.storage.runs import Store

    (claims,) = papers_of([paper])
    results: Sequence[Result]
    if truth is not None:
        results = from_predictions(
            claims,
            files,
            truth=truth,
            experiment=experiment,
            seeds=seed or [],
            declared=declared,
        )
    elif experiment is not None or seed:
        raise AuditError("--experiment and --seed go with predictions; add --truth FILE, or leave them out")
    elif declared.train_truth is not None or declared.threshold is not None:
        raise AuditError(
            "--train-truth, --propensity and --threshold go with predictions; add --truth FILE, or leave "
            "them out"
        )
    else:
        results = from_results(claims, files, declared)
    taken = keep(results, Store(store), claims, declared, replacing=replace)
    keep_fixed(store, claims)  # so that a later change can be told claim by claim
    _print(taken, claims, declared, store, paper)
    return Exit.OK


def _print(kept: Kept, paper: Paper, declared: Declared, store: Path, name: str) -> None:
    from audit.names import counted

    if not kept.added:
        say(f"{counted(len(kept.same), 'run')}, all in {store} already; nothing was changed")
        return
    failed = sum(run.status == "failed" for run in kept.added)
    already = f"; {len(kept.same)} more were there already" if kept.same else ""
    of_them = f", {failed} of them failed" if failed else ""
    runs = counted(len(kept.added), "run")
    say(f"{runs} imported for {paper.paper.key}{of_them}{already}; not verified here")
    for experiment, mine in _by_experiment(kept.added).items():
        say(f"  {experiment}: {_summary(mine)}")
    for note in dict.fromkeys(note for run in kept.added for note in run.notes if "not scored" in note):
        say(f"  {note}")
    for question in _open(kept.added, paper, declared):
        say(f"  {question}")
    say(f"`audit judge {name} --store {store}` judges them")


def _by_experiment(runs: Sequence[Run]) -> dict[str, list[Run]]:
    from audit.judging.imported import Provenance

    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(Provenance.of(run).experiment, []).append(run)
    return found


def _summary(runs: Sequence[Run]) -> str:
    """Seeds, and the mean of each metric over those that have it, as the page shows means."""
    from reports.numbers import points
    from reports.tables import mean_and_sd

    seeds = ", ".join(f"{run.spec.seed}{'' if run.metrics else ' (failed)'}" for run in runs)
    word = "seed" if len(runs) == 1 else "seeds"
    means = []
    for metric in dict.fromkeys(metric for run in runs for metric in run.metrics):
        values = [run.metrics[metric] for run in runs if metric in run.metrics]
        means.append(f"{metric} {points(mean_and_sd(values)[0])}")
    return "; ".join([f"{word} {seeds}", *([f"mean {', '.join(means)}"] if means else [])])


def _open(runs: Sequence[Run], paper: Paper, declared: Declared) -> list[str]:
    """What was not said, and what follows from that."""
    from audit.importing.predictions import metrics_claimed
    from audit.judging.imported import other_code, scope_of

    open_ends = []
    found = _by_experiment(runs).items()
    names = [it.name for it in paper.datasets.values()]
    if others := [it for it in dict.fromkeys(run.data.name for run in runs) if it not in names]:
        open_ends.append(
            f"{', '.join(map(repr, others))}: no data set of {paper.paper.key} ({', '.join(names)}), so "
            "taken for stand-in data"
        )
    claimed = metrics_claimed(paper)
    if idle := [it for it in dict.fromkeys(m for run in runs for m in run.metrics) if it not in claimed]:
        open_ends.append(f"{', '.join(idle)}: in no claim of {paper.paper.key}, so kept and not judged")
    if any(scope_of(paper, paper.single_experiments[name].on, mine) == "other_data" for name, mine in found):
        open_ends.append(
            "the data are not known to be the paper's own, so printed values are not judged by them: declare "
            "--fingerprint, --same-data and why, or --other-split and why"
        )
    split = [
        run
        for name, mine in found
        for run in mine
        if scope_of(paper, paper.single_experiments[name].on, mine) == "other_split" and not run.data.n_test
    ]
    if split:
        open_ends.append(
            "another split, and nothing tells of how many test documents: printed values are not judged by "
            "it before --test-size does"
        )
    if other_code(declared.authors_code, paper) and (code := paper.paper.code):
        open_ends.append(
            f"--authors-code does not name the code of the claim file, {code.url}: the report says so"
        )
    if not declared.authors_code:
        open_ends.append("not stated to be the authors' code (--authors-code), so it can contradict nothing")
    return open_ends
