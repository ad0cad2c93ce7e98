"""`audit import`: results of others' runs into the store, judged by the same rules as ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from audit.claims.load import Paper, papers_of
from audit.cli.app import Folder, app, command, say
from audit.errors import AuditError, Exit, option
from audit.importing.results import Declared, from_results
from audit.judging.evidence import Provenance, other_code, repeated, scope_of
from audit.names import counted, first_of
from audit.record import Run
from audit.storage.manifest import keep_fixed

_FEW = 6  # More experiments than this are told by data set.


@command(app, "import")
def import_command(
    files: list[Path],
    *,
    declared: Declared,
    paper: str,
    store: Path = Path("audit-runs"),
    truth: Folder = None,
    experiment: str | None = None,
    seed: list[int] | None = None,
    replace: bool = False,
) -> int:
    """Import results of other programs, to be judged by the same rules."""
    from audit.importing.predictions import from_predictions
    from audit.importing.records import keep
    from audit.storage.runs import Store

    (claims,) = papers_of([paper])
    of_predictions = ("train_truth", "threshold", "labels")
    if truth is not None:
        how: dict[str, Any] = {"experiment": experiment, "seeds": seed or [], "declared": declared}
        results = from_predictions(claims, files, truth=truth, **how)
    elif alone := [name for name in of_predictions if getattr(declared, name) is not None]:
        raise AuditError(f"{option(alone[0])} is for predictions; add --truth FILE, or leave it out")
    else:
        results = from_results(claims, files, declared, experiment=experiment, seeds=seed or [])
    kept = keep(results, Store(store), claims, declared, replacing=replace)
    keep_fixed(store, claims)  # so that a later change can be told claim by claim
    every = dict.fromkeys(note for result in results for note in result.notes)
    notes = [note for note in every if "not scored" in note or note.startswith("not read")]
    if not kept.added:
        nothing = f"{counted(len(kept.same), 'run')}, all in {store} already; nothing changed"
        say("\n  ".join([nothing, *notes]))
        return Exit.OK
    failed = sum(run.status == "failed" for run in kept.added)
    already = f"; {len(kept.same)} more were there already" if kept.same else ""
    of_them = f", {failed} of them failed" if failed else ""
    runs = counted(len(kept.added), "run")
    say(f"{runs} imported for {claims.paper.key}{of_them}{already}; not verified here")
    by_experiment: dict[str, list[Run]] = {}
    for run in kept.added:
        by_experiment.setdefault(Provenance.of(run).experiment, []).append(run)
    for line in (*_summaries(by_experiment), *notes, *_left_unsaid(by_experiment, claims, declared)):
        say(f"  {line}")
    say(f"`audit judge {paper} --store {store}` judges them")
    return Exit.OK


def _summaries(by_experiment: Mapping[str, Sequence[Run]]) -> Iterator[str]:
    """A line an experiment with its means; of more than a few, a line for those of one data set and seeds."""
    if len(by_experiment) <= _FEW:
        yield from (f"{name}: {_seeds(mine)}{_means(mine)}" for name, mine in by_experiment.items())
        return
    alike: dict[tuple[str, str], list[str]] = {}
    for name, mine in by_experiment.items():
        alike.setdefault((mine[0].data.name, _seeds(mine)), []).append(name)
    for (dataset, seeds), names in alike.items():
        yield f"{dataset}: {counted(len(names), 'experiment')} with {seeds} ({first_of(names, 3)})"


def _seeds(runs: Sequence[Run]) -> str:
    seeds = [f"{run.spec.seed}{'' if run.metrics else ' (failed)'}" for run in runs]
    return f"seed{'' if len(runs) == 1 else 's'} {first_of(seeds, 12)}"


def _means(runs: Sequence[Run]) -> str:
    """The mean of each metric over the runs that have it."""
    from reports.numbers import points

    names = dict.fromkeys(metric for run in runs for metric in run.metrics)
    values = {name: [run.metrics[name] for run in runs if name in run.metrics] for name in names}
    means = [f"{name} {points(fmean(of))}" for name, of in values.items()]
    return f"; mean {', '.join(means)}" if means else ""


def _left_unsaid(
    by_experiment: Mapping[str, Sequence[Run]], paper: Paper, declared: Declared
) -> Iterator[str]:
    code, scopes, strange = paper.paper.code, set(), dict[str, str]()
    for name, mine in by_experiment.items():
        on, called = paper.single_experiments[name].on, mine[0].data.name
        scope, own = scope_of(paper, on, mine), paper.datasets[on].name
        if called == own or scope != "other_data":
            scopes.add((scope, all(run.data.n_test for run in mine)))
        if called != own:
            as_other = ": its printed values are not judged on it, but comparisons are"
            strange[called] = as_other if scope == "other_data" else f", and judged as {own!r} as declared"
    yield from (f"{name!r} is not a data set of {paper.paper.key}{what}" for name, what in strange.items())
    if "other_data" in dict(scopes):
        how = "declare --fingerprint, --same-data and why, or --other-split and why"
        ids = sorted({paper.single_experiments[name].on for name in by_experiment})
        if declared.fingerprint and (lacking := [id for id in ids if not paper.datasets[id].content]):
            how = f"the claim file says no content of {lacking[0]}; if it is this, write content: "
            how += f"{declared.fingerprint} in its entry below datasets"
        yield f"the data are not known to be the paper's own, so they cannot judge printed values: {how}"
    for name, mine in by_experiment.items():
        if alike := repeated(mine):
            yield f"{name}: {counted(len(alike), 'seed')} with the results of another one; they count as one"
    if ("other_split", False) in scopes:
        yield "another split of unknown test size: give --test-size, or it cannot judge printed values"
    if code and other_code(declared.authors_code, paper):
        yield f"--authors-code does not name the code of the claim file, {code.url}: the report says so"
    if not declared.authors_code:
        yield "not stated to be the authors' code (--authors-code), so it cannot contradict a claim"
