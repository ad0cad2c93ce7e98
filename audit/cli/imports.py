"""`audit import`: results of others' runs into the store, judged by the same rules as ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from audit.cli.app import app, papers_of, say
from audit.cli.options import command
from audit.errors import AuditError, Exit
from audit.importing.result import Declared

if TYPE_CHECKING:
    from audit.claims.load import Paper
    from audit.importing.records import Kept
    from audit.record import Run


@command(app, "import")
def import_command(
    files: list[Path],
    *,
    declared: Declared,
    paper: str,
    store: Path = Path("audit-runs"),
    truth: Path | None = None,
    experiment: str | None = None,
    seed: list[int] | None = None,
    replace: bool = False,
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
    of_predictions = {
        "--experiment": experiment,
        "--seed": seed,
        "--train-truth": declared.train_truth,
        "--threshold": declared.threshold,
    }
    if truth is not None:
        results = from_predictions(
            claims, files, truth=truth, experiment=experiment, seeds=seed or [], declared=declared
        )
    elif alone := next((name for name, value in of_predictions.items() if value not in (None, [])), None):
        raise AuditError(f"{alone} goes with predictions; add --truth FILE, or leave it out")
    else:
        results = from_results(claims, files, declared)
    taken = keep(results, Store(store), claims, declared, replacing=replace)
    keep_fixed(store, claims)  # so that a later change can be told claim by claim
    _print(taken, claims, declared, store, paper)
    return Exit.OK


def _print(kept: Kept, paper: Paper, declared: Declared, store: Path, name: str) -> None:
    from audit.judging.imported import Provenance
    from audit.names import counted

    if not kept.added:
        say(f"{counted(len(kept.same), 'run')}, all in {store} already; nothing was changed")
        return
    failed = sum(run.status == "failed" for run in kept.added)
    already = f"; {len(kept.same)} more were there already" if kept.same else ""
    of_them = f", {failed} of them failed" if failed else ""
    runs = counted(len(kept.added), "run")
    say(f"{runs} imported for {paper.paper.key}{of_them}{already}; not verified here")
    by_experiment: dict[str, list[Run]] = {}
    for run in kept.added:
        by_experiment.setdefault(Provenance.of(run).experiment, []).append(run)
    for experiment, mine in by_experiment.items():
        say(f"  {experiment}: {_summary(mine)}")
    for note in dict.fromkeys(note for run in kept.added for note in run.notes if "not scored" in note):
        say(f"  {note}")
    for question in _open(kept.added, by_experiment, paper, declared):
        say(f"  {question}")
    say(f"`audit judge {name} --store {store}` judges them")


def _summary(runs: Sequence[Run]) -> str:
    """Seeds, and the mean of each metric over those that have it, as the page shows means."""
    from reports.numbers import points
    from reports.tables import mean_and_sd

    seeds = ", ".join(f"{run.spec.seed}{'' if run.metrics else ' (failed)'}" for run in runs)
    means = []
    for metric in dict.fromkeys(metric for run in runs for metric in run.metrics):
        values = [run.metrics[metric] for run in runs if metric in run.metrics]
        means.append(f"{metric} {points(mean_and_sd(values)[0])}")
    mean = f"; mean {', '.join(means)}" if means else ""
    return f"seed{'' if len(runs) == 1 else 's'} {seeds}{mean}"


def _open(
    runs: Sequence[Run], by_experiment: dict[str, list[Run]], paper: Paper, declared: Declared
) -> list[str]:
    """What was not said, and what follows from that."""
    from audit.importing.predictions import metrics_claimed
    from audit.judging.imported import other_code, scope_of

    key, code, names = paper.paper.key, paper.paper.code, [it.name for it in paper.datasets.values()]
    metrics = dict.fromkeys(metric for run in runs for metric in run.metrics)
    others = [name for name in dict.fromkeys(run.data.name for run in runs) if name not in names]
    idle = [metric for metric in metrics if metric not in metrics_claimed(paper)]
    scopes = [
        (scope_of(paper, paper.single_experiments[name].on, mine), all(run.data.n_test for run in mine))
        for name, mine in by_experiment.items()
    ]
    questions = {
        f"{', '.join(map(repr, others))}: no data set of {key} ({', '.join(names)}), so taken for stand-in "
        "data": others,
        f"{', '.join(idle)}: in no claim of {key}, so kept and not judged": idle,
        "the data are not known to be the paper's own, so printed values are not judged by them: declare "
        "--fingerprint, --same-data and why, or --other-split and why": "other_data" in dict(scopes),
        "another split, and nothing tells of how many test documents: printed values are not judged by it "
        "before --test-size does": ("other_split", False) in scopes,
        f"--authors-code does not name the code of the claim file, {code and code.url}: the report says "
        "so": code and other_code(declared.authors_code, paper),
        "not stated to be the authors' code (--authors-code), so it can contradict nothing": (
            not declared.authors_code
        ),
    }
    return [question for question, is_open in questions.items() if is_open]
