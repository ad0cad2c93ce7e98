"""The protocol: reductions, each point beside the paper and its code, tuning, runs, the fidelity gate."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from audit.record import IMPORTED, IN_PYTHON, Audit, Deviation, ExperimentRecord, Run, Scope, digest
from reports import numbers
from reports.lookup import Lookup, by_runs
from reports.numbers import ABSENT
from reports.sentences import SCOPE_WORDS
from reports.svg import curves_of, learning_plot
from reports.text import View, capital, grouped, joined, listed, moment, plural, quoted

# --------------------------------------------------------------------------- point by point


def protocol_diff(index: Lookup) -> View:
    """Every point once, under the experiments that share it; those of most experiments first. Of an
    experiment for which the runs of another one stand, no more than what is not told there."""
    points = {experiment.id: list(_points(experiment, index)) for experiment in index.run_experiments}
    own = index.different_experiments
    shared: dict[Deviation, list[str]] = {}
    for experiment in own:
        for point in points[experiment.id]:
            shared.setdefault(point, []).append(experiment.id)
    for name, first in index.same_experiments.items():
        for point in points[name]:
            if point not in points[first]:
                shared.setdefault(point, []).append(name)
    by_names = grouped(shared, lambda point: tuple(shared[point])).items()
    settings = [
        _settings_of(model, members, index)
        for model, members in grouped(own, lambda experiment: experiment.model).items()
    ]
    anchors = [row.anchor for group in settings for row in group.rows]
    groups = []
    for names, of in by_names:
        title, told, number = _heading(names, own, index)
        places = sorted({anchors.index(index.settings_anchors[name]) for name in names}) if told else ()
        links = [(place + 1, anchors[place]) for place in places]
        groups.append(View(title=title, links=links, number=number, points=of))
    return View(
        number=len(shared),
        silent=sum(point.silent for point in shared),
        groups=sorted(groups, key=lambda group: -group.number),
        settings=settings,
    )


def _settings_of(model: str | None, members: Sequence[ExperimentRecord], index: Lookup) -> View:
    """The experiments of one model: the settings that all of them share once, then each with its own."""
    values = [dict(_settings(experiment, index.runs(experiment.id)[0])) for experiment in members]
    shared = dict(set(values[0].items()).intersection(*(own.items() for own in values[1:])))
    rows = [
        View(
            anchor=index.settings_anchors[experiment.id],
            title=index.title(experiment.id),
            named=joined(experiment.variant, experiment.protocol, by=", "),
            values=[(name, value) for name, value in own.items() if name not in shared],
            also=index.again(experiment.id),
        )
        for experiment, own in zip(members, values, strict=True)
    ]
    return View(
        model=model or "imported",
        shared=[(name, value) for name, value in values[0].items() if name in shared],
        rows=rows,
    )


def _points(experiment: ExperimentRecord, index: Lookup) -> Iterator[Deviation]:
    """The departures as the page shows them, then what the paper leaves open, with the choice made here."""
    for departure in dict.fromkeys(experiment.deviations):
        here = "see the settings" if departure.as_set else departure.here
        paper, code = departure.paper or numbers.ABSENT, departure.code or numbers.ABSENT
        yield replace(departure, paper=paper, code=code, here=here, numbers=None)
    grid = index.audit.readings
    names = grid.of.get(experiment.reading_of or experiment.id, ()) if grid else ()
    for choice in (thing for thing in grid.open if thing.name in names) if grid else ():
        taken = experiment.reading.get(choice.name, (*choice.choices, "")[0]).replace("_", " ")
        declared = listed([option.replace("_", " ") for option in choice.choices], word="or")
        paper = f"left open; declared: {declared}"
        yield Deviation(choice.name.replace("_", " "), paper, taken, choice.why, numbers.ABSENT, silent=True)


def heading(titles: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Both of two names, the first of more; and all of those that it does not tell."""
    if len(titles) <= 2:
        return "; ".join(titles), ()
    return f"{titles[0]} and {plural(len(titles) - 1, 'more experiment')}", titles


def _heading(
    names: Sequence[str], of: Sequence[ExperimentRecord], index: Lookup
) -> tuple[str, Sequence[str], int]:
    """Of experiments that share points: all, one or two by their names, or how many; whom that does not name;
    and their number."""
    if len(of) > 1 and {experiment.id for experiment in of} <= set(names):
        return f"All {plural(len(of), 'experiment')} that were run", (), len(names)
    titles = [index.title(name) for name in names]
    several = len(names) > 2
    return f"{len(names)} experiments" if several else "; ".join(titles), titles * several, len(names)


def _settings(experiment: ExperimentRecord, run: Run) -> Iterator[tuple[str, str]]:
    """Of training and model, a name that both have told apart; `batch_size`, 32 -> `batch size`, `32`. No
    variant of a base whose keys are all written out."""
    training: Mapping[str, Any] = run.spec.protocol
    model: Mapping[str, Any] = run.spec.config or experiment.config
    written_out = bool(model.get("base_config")) and model.get("base_variant") is None
    for own, other, whose in ((training, model, "training"), (model, training, "model")):
        for key, value in own.items():
            if written_out and key == "base_variant":
                continue
            shown = str(value)
            if value is None or isinstance(value, bool):
                shown = {None: "none", True: "yes", False: "no"}[value]
            elif isinstance(value, list | tuple):
                parts = (" ".join(map(str, it.values())) if isinstance(it, Mapping) else it for it in value)
                shown = ", ".join(map(str, parts)) or "none"
            yield key.replace("_", " ") + (f" ({whose})" if key in other else ""), shown


# --------------------------------------------------------------------------- on the first screen

_FIRST = ("epochs", "words kept per document", "word vectors")


def is_reduced(experiment: ExperimentRecord) -> bool:
    """By the name of its protocol: `small`, or one that ends so."""
    return f"-{experiment.protocol}".endswith("-small")


def protocol_box(index: Lookup) -> tuple[str, str] | None:
    """What was reduced, and a warning where learning curves were still rising at their end. Of the
    experiments that have runs, those of the same runs once; None where there are none."""
    run = index.different_experiments
    run = [experiment for experiment in run if not experiment.reading_of] or run
    if not run:
        return None
    reduced = [experiment for experiment in run if is_reduced(experiment)]
    imported = sum(experiment.protocol == IMPORTED for experiment in run)
    own = len(run) - len(reduced) - imported
    parts = []
    if reduced:
        changes = _changes(reduced)
        cpu = any("CPU" in str(experiment.runs[0].spec.protocol.get("deviation")) for experiment in reduced)
        of = "" if len(reduced) == len(run) else f" in {len(reduced)} of {plural(len(run), 'experiment')}"
        rest = [f"and {len(changes) - 6} more"] if len(changes) > 6 else []
        told = f": {', '.join([*changes[:6], *rest])}" if changes else ""
        parts.append(f"reduced{' for a CPU' if cpu else ''}{of}{told}")
    whose = {"the paper’s own, as far as the paper describes it": own}
    whose["that of the program whose results were imported"] = imported
    parts += [f"{'' if of == len(run) else f'in {of} '}{said}" for said, of in whose.items() if of]
    return f"{capital('; '.join(parts))}.", _rising(run)


def _changes(experiments: Iterable[ExperimentRecord]) -> list[str]:
    """Numbers that are others here, the first-asked in front: `epochs 20 instead of 5 to 51`."""
    changed: dict[str, list[tuple[float, float]]] = {}
    for departure in dict.fromkeys(of for experiment in experiments for of in experiment.deviations):
        paper, here = departure.numbers or (0.0, 0.0)
        # data and tuning have panels of their own; a setting of the model that another one holds is told once
        what = departure.what.removeprefix("base ")
        if min(paper, here) > 0 and paper != here and what not in ("data", "tuning"):
            changed.setdefault(what, []).append((here, paper))

    def span(values: Sequence[float]) -> str:
        return " to ".join(dict.fromkeys(f"{bound:.6g}" for bound in (min(values), max(values))))

    told = []
    for what in sorted(changed, key=lambda what: _FIRST.index(what) if what in _FIRST else len(_FIRST)):
        now, before = map(span, zip(*changed[what], strict=True))
        told.append(f"{what.replace('_', ' ')} {now} instead of {before}")
    return told


def _rising(run: Iterable[ExperimentRecord]) -> str:
    """That training may have ended too early: of how many curves, of three points or more, the mean over the
    seeds is best at the last evaluation that any seed had; empty where of none."""
    known = filter(None, map(curves_of, run))
    curves = [curve for curve in known if curve.metric != "loss" and len(curve.mean) >= 3]
    best = [max(curve.mean, key=lambda point: point[1])[0] for curve in curves]
    number = sum(at == max(x[-1][0] for x in curve.seeds) for at, curve in zip(best, curves, strict=True))
    if not number:
        return ""
    of = f"{number} of {plural(len(curves), 'experiment')} with a learning curve"
    return f"In {of} the mean score was still rising at the end: longer training might change differences."


def scope_notes(index: Lookup) -> list[View]:
    """What each sort of data allows, with the data sets of the paper that it is or stands for."""
    groups: dict[tuple[Scope, str, str, str], list[tuple[str, Run]]] = {}
    for experiment in index.audit.experiments:
        for run in experiment.runs:
            # why imported runs are said to be on the paper's own data; empty where nobody has to say so
            stated = str(run.spec.config.get("same_data") or "") if run.imported else ""
            key = experiment.scope, stated, run.data.name, run.data.fingerprint
            groups.setdefault(key, []).append((experiment.dataset, run))
    made: dict[tuple[Scope, str], list[str]] = {}
    for (scope, stated, _, fingerprint), pairs in groups.items():
        runs, data = plural(len({run.key for _, run in pairs}), "run"), pairs[0][1].data
        sets = listed(quoted(dict.fromkeys(dataset for dataset, _ in pairs)))
        mark, train = f"fingerprint {fingerprint[:12]}", numbers.count(data.n_train)
        test, labels = plural(data.n_test, "test document"), plural(data.n_labels, "label")
        what = f"“{data.name}” ({train} training and {test}, {labels}, {mark})"
        if pairs[0][1].imported:
            what = f"“{data.name}”, as the import calls it (declared {mark})"
        made.setdefault((scope, stated), []).append(f"{runs} for {sets} used {what}")
    return [
        View(scope=scope, stated=stated, word=SCOPE_WORDS[scope], made=texts)
        for (scope, stated), texts in made.items()
    ]


# --------------------------------------------------------------------------- tuning and runs


def study_views(index: Lookup) -> list[View]:
    """Each study once, under the experiments that use its values, in their order."""
    tuned = [experiment for experiment in index.run_experiments if experiment.study]
    views = []
    for own in grouped(tuned, lambda experiment: experiment.study and experiment.study.key).values():
        titles = [index.title(experiment.id) for experiment in own]
        views.append(View(study=own[0].study, heading=heading(titles)))
    return views


def learning_views(index: Lookup) -> list[View]:
    """Of all experiments whose runs have curves of two epochs or more; those of the same runs have one."""
    views = []
    for same in by_runs(index.audit.experiments):
        if curves := curves_of(same[0]):
            title, *also = (index.title(experiment.id) for experiment in same)
            plot = learning_plot(curves).svg()
            views.append(View(title=title, also=also, plot=plot, description=curves.description))
    return views


def run_groups(index: Lookup) -> list[View]:
    """Every run once, by seed, under the experiments that use it."""
    used: dict[str, list[str]] = {}
    for experiment in index.audit.experiments:
        for run in index.runs(experiment.id):
            used.setdefault(run.key, []).append(experiment.id)
    return [
        View(
            heading=heading([index.title(name) for name in names]),
            runs=[(index.every_run[key], index.run_anchors[key]) for key in keys],
            notes=list(dict.fromkeys(note for key in keys for note in index.every_run[key].notes)),
        )
        for names, keys in grouped(used, lambda key: tuple(used[key])).items()
    ]


def gate_models(index: Lookup) -> list[View]:
    """In the order in which the checks stand; models that were run without any check at the end."""
    checks = grouped(index.audit.fidelity, lambda check: check.model)
    used: dict[str, set[str]] = {}
    for experiment in index.audit.experiments:
        for model in experiment.models if any(not run.imported for run in experiment.runs) else ():
            used.setdefault(model, set()).add(experiment.id)
    views = []
    for name in dict.fromkeys((*checks, *used)):
        own, experiments = checks.get(name, []), used.get(name, set())
        views.append(
            View(
                name=name,
                experiments=len(experiments),
                judgements=sum(bool(experiments & set(claim.experiments)) for claim in index.audit.claims),
                passed=sum(check.passed for check in own),
                open=bool(own) and all(check.passed for check in own),
                checks=sorted(own, key=lambda check: check.passed),
            )
        )
    return views


def _ours(experiments: Iterable[ExperimentRecord]) -> list[Run]:
    """Every run of ours once; imported ones were made by others."""
    every = {run.key: run for experiment in experiments for run in experiment.runs}
    return [run for run in every.values() if not run.imported]


def _imports(runs: Iterable[Run], paper: str) -> Iterator[tuple[str, list[str], str]]:
    """The `audit import` that each lot of imported runs came by, its files, and these with their SHA-256.
    Results of one command have one file and one declaration; predictions a file a seed, then the true labels.
    """
    lots: dict[str, list[Run]] = {}
    for run in runs:
        config = run.spec.config
        if run.imported and not config.get("command"):
            told = [config.get(key) for key in ("by", "authors_code", "same_data", "other_split", "unit")]
            sources = config["sources"]
            own = [run.data.name, config["experiment"], *sources[1:]]  # a file of results names its data sets
            of = sources if run.predictions is None else own
            lots.setdefault(repr((told, of, run.data.fingerprint)), []).append(run)
    for lot in lots.values():
        run, config = lot[0], lot[0].spec.config
        fingerprint = "" if run.spec.data == "unknown" else run.spec.data
        dataset = run.data.name if len({run.data.name for run in lot}) == 1 else ""
        options = {"--paper": paper, "--dataset": dataset, "--fingerprint": fingerprint}
        said = ("by", "authors_code", "same_data", "other_split", "unit")
        options |= {f"--{name.replace('_', '-')}": config.get(name, "") for name in said}
        pairs = [option for option in options.items() if option[1]]
        if run.predictions is not None:
            pairs.append(("--experiment", str(config["experiment"])))
            pairs += [("--seed", str(run.spec.seed)) for run in lot]
            truths = zip(("--truth", "--train-truth"), config["sources"][1:], strict=False)
            pairs += [(name, source["file"]) for name, source in truths]
        files = dict.fromkeys(str(run.spec.config["sources"][0]["file"]) for run in lot)
        sources = [source for of in lot for source in of.spec.config["sources"]]
        digests = dict.fromkeys(f"{source['file']}: {source['sha256']}" for source in sources)
        command = shlex.join(["audit", "import", *files, *chain.from_iterable(pairs)])
        yield command, list(files), "; ".join(digests)


# --------------------------------------------------------------------------- the box and the provenance


def rerun_box(index: Lookup) -> View:
    """The exact command, data by fingerprint, seeds, time, memory, margins and versions."""
    audit, runs = index.audit, _ours(index.audit.experiments)
    lots = list(_imports(index.every_run.values(), audit.paper.key))
    facts = [("Imported files, SHA-256", lot) for *_, lot in lots]
    commands = [command for command, names, _ in lots if names != [IN_PYTHON]]
    files = list(dict.fromkeys(chain.from_iterable(names for _, names, _ in lots)))
    if runs:
        memory = max((run.peak_memory_bytes for run in runs if run.peak_memory_bytes), default=None)
        seconds = numbers.duration(sum(run.seconds for run in runs))
        data = [run.data for run in runs]
        environments = [", ".join(f"{it} {of}" for it, of in sorted(run.versions.items())) for run in runs]
        used = dict.fromkeys(f"{of.name}, recipe {of.recipe}: {of.fingerprint}" for of in data)
        facts += [("Data", text) for text in used]
        facts += [("Seeds", _seed_list(runs))]
        if others := len(_ours(experiment for experiment in audit.experiments if experiment.reading)):
            facts.append(("Readings", f"--readings makes the {plural(others, 'run')} of other readings"))
        facts += [
            ("Time", f"{seconds} for {plural(len(runs), 'run')}, one after another"),
            ("Peak memory", numbers.memory(memory)),
            ("Our code", _code(runs)),
            ("Environment", "; ".join(dict.fromkeys(filter(None, environments))) or "not on record"),
            ("Hardware", "; ".join(dict.fromkeys(run.device for run in runs)) or numbers.ABSENT),
        ]
    begun = min((run.started for run in runs if run.started), default="")
    facts += [
        ("Margins", margins_of(audit, index.every_run.values())),
        ("Their hash", audit.margins_hash or numbers.ABSENT),
        ("First run began", moment(begun) or "not recorded"),
        ("Tool", f"xmtc-audit {audit.tool_version}" if audit.tool_version else numbers.ABSENT),
    ]
    facts += [
        ("Earlier margins", f"{it} are taken over: {why}") for it, why in audit.margins_superseded.items()
    ]
    for mark, claims in audit.margins_grown.items():
        if claims:
            facts.append(("Claims added after runs", f"under the margins {mark}: {listed(list(claims))}"))
    good = {None, audit.margins_hash, *audit.margins_grown}
    marks = [run.margins.get(audit.paper.key) for run in index.every_run.values() if not run.imported]
    return View(
        command=" && ".join([*commands, audit.command or "audit run"]),
        lots=len(lots),
        files=listed(files if len(files) <= 3 else [*files[:2], f"{len(files) - 2} more files"]),
        in_python=IN_PYTHON in files,
        facts=facts,
        mismatch=any(mark not in good for mark in marks),
    )


def _seed_list(runs: Iterable[Run]) -> str:
    """`0, 1, 2`; many that follow each other as `0 to 9`."""
    seeds = sorted({run.spec.seed for run in runs})
    if len(seeds) > 3 and seeds == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def _code(runs: Sequence[Run]) -> str:
    """`commit 12f0f591b0; 3 of 9 runs with uncommitted changes`; without a commit the digest of the code."""
    known = [commit[:10] for commit in dict.fromkeys(run.commit for run in runs) if commit]
    digests = dict.fromkeys(digest(dict(run.sources))[:10] for run in runs if run.sources)
    said = f"commit {listed(known)}" if known else f"digest {listed(list(digests))}" if digests else ""
    said = said or "no commit on record"
    changed = sum(bool(run.dirty) for run in runs)
    number = f"{changed} of {plural(len(runs), 'run')}"
    return f"{said}; {number} with uncommitted changes" if changed else said


def code_note(index: Lookup) -> str:
    """Whose code the runs are of, by commit or digest or as an import states it, and with which seeds."""
    runs = _ours(index.audit.experiments)
    imported = [run.spec.config for run in index.every_run.values() if run.imported]
    ours = f"our re-implementation, {_code(runs)}: {plural(len(runs), 'run')}, seeds {_seed_list(runs)}"
    parts = [ours] if runs else []
    stated = dict.fromkeys(
        f"the authors’ code, as stated: {code}" if code else "code that is not stated to be the authors’"
        for code in (config.get("authors_code") for config in imported)
    )
    by = listed(list(dict.fromkeys(str(config.get("by") or "somebody unnamed") for config in imported)))
    seeds = _seed_list([run for run in index.every_run.values() if run.imported])
    made = f"imported, not verified here: {plural(len(imported), 'run')}, seeds {seeds}, made by {by} with "
    parts += [made + listed(list(stated))] if imported else []
    return f"{capital('; '.join(parts))}." if parts else ""


def on_changed_margins(index: Lookup) -> str:
    """That runs had begun under other margins, with the claim file's reasons; empty where none had."""
    paper, earlier = index.audit.paper.key, index.audit.margins_superseded
    marks = dict.fromkeys(run.margins.get(paper, "") for run in index.every_run.values())
    whys = listed([earlier[mark].rstrip(".") for mark in marks if mark in earlier])
    return whys and f"The margins were changed after runs had begun under others: {whys}."


def margins_of(audit: Audit, runs: Iterable[Run], claim: str = "") -> str:
    """Whether the margins (of one claim, if named) were fixed before the runs; unknown for imports."""
    every = {run.key: run for run in runs}.values()
    stand = {mark for mark, added in audit.margins_grown.items() if claim not in added}
    same = sum(run.margins.get(audit.paper.key) in (audit.margins_hash, *stand) for run in every)
    imported = sum(run.imported for run in every)
    if not audit.margins_hash:
        return ABSENT
    if not every:
        return f"Margins {audit.margins_hash[:12]}: no run has begun under them."
    some = f"all {len(every)}" if same == len(every) > 1 else f"{same} of {len(every)}"
    fixed = "fixed before the first run; " if same == len(every) and not imported else ""
    older = f"; {imported} came by import and may be older" if imported else ""
    began = "began or were imported" if imported else "began"
    return f"Margins {audit.margins_hash[:12]}: {fixed}{some} runs {began} under them{older}."
