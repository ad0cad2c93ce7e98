"""What is to be run: the experiments of a claim file, resolved to run specifications and their deviations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from audit.claims.experiments import Experiment, SpecifiedExperiment, in_words
from audit.claims.load import Paper
from audit.errors import PlanError
from audit.names import counted, first_of
from audit.record import BY_COMMAND, GONE, LEFT_OUT, NOT_TUNED, ExperimentRecord, Run, RunSpec
from audit.runner.deviations import deviations, has_other_sizes, sheet_of
from audit.runner.resolve import (
    DataRequest,
    LackingError,
    OfAnotherError,
    UnfitError,
    UntunedError,
    as_unfit,
    check_protocol,
    check_selection,
    resolved,
    selected,
    tuned,
    with_values,
)
from audit.settings import RunSettings


@dataclass(frozen=True)
class Job:
    """One run to be had: its specification, its data, and what it is called on the screen."""

    spec: RunSpec
    data: DataRequest
    title: str
    device: str
    margins: Mapping[str, str]
    sources: Mapping[str, str] = field(default_factory=dict)  # Digests of the code when it is planned.


@dataclass(frozen=True)
class Plan:
    """All experiments of a claim file, with the run keys of those that can be run."""

    experiments: tuple[ExperimentRecord, ...]  # Without their runs.
    keys: Mapping[str, tuple[str, ...]]  # Experiment id -> run key per seed, in the order of the seeds.
    jobs: tuple[Job, ...]  # Each run once, seeds in the outer loop: an interrupted suite has whole rounds.
    remarks: tuple[str, ...] = ()  # What preparing the data came upon, one sentence each.
    idle: tuple[str, ...] = ()  # What was asked for and is not run here, and why, one sentence each.

    def summary(self, paper: str, settings: RunSettings, workers: int) -> str:
        """One line for the screen: what is about to be run, on what."""
        others = sum(bool(record.reading) for record in self.asked)
        parts = [
            counted(len(self.asked) - others, "experiment")
            + (f" and {counted(others, 'other reading')} of them" if others else ""),
            counted(settings.seeds, "seed"),
            f"{counted(len(self.jobs), 'run')} on "
            f"{settings.data.resolve().name if settings.data else 'a synthetic corpus'}",
        ]
        protocols = ", ".join(dict.fromkeys(record.protocol for record in self.asked)) or "none"
        machine = f"{settings.device}, {settings.precision}, {workers} process{'es' * (workers != 1)}"
        return f"{paper}: {', '.join(parts)}; protocol {protocols}; {machine}"

    @property
    def asked(self) -> list[ExperimentRecord]:
        """Experiments that are to be run, and other specifications of these."""
        open_ones = [record for record in self.experiments if record.not_run is None]
        plain = {record.id for record in open_ones if not record.reading}
        return [record for record in open_ones if plain & {record.id, record.reading_of}]

    def with_runs(
        self, runs: Mapping[str, Run], lost: Mapping[str, tuple[int, ...]] | None = None
    ) -> dict[str, ExperimentRecord]:
        """The experiments with those of their runs that are there; `lost` as in `audit.storage.manifest`."""
        records = {}
        for experiment in self.experiments:
            keys = self.keys.get(experiment.id, ())
            mine = tuple(runs[key] for key in keys if key in runs)
            gone = (lost or {}).get(keys[0], ()) if keys else ()
            if experiment.reading and not (mine or gone):
                continue  # how many were declared is on record elsewhere
            why_none = None if mine else GONE if gone else experiment.not_run or "no run of it was finished"
            records[experiment.id] = replace(experiment, runs=mine, gone=gone, not_run=why_none)
        return records


def make_plan(paper: Paper, settings: RunSettings, *, known: Collection[str] = ()) -> Plan:
    """Resolve every experiment of the claim file. Other specifications of what the paper leaves open are
    resolved where `settings.readings` asks for them, and those of `known` in any case: runs of theirs that
    are there already count. Raises `PlanError` for an unknown name in `only`, model, variant, protocol or
    recipe, and where the corpus is for none of the models; `reimpl.errors.DataError` for data that cannot be
    read."""
    check_protocol(settings.protocol)
    wanted = selected(paper, settings.only)
    records, jobs = list[ExperimentRecord](), list[Job]()
    keys = dict[str, tuple[str, ...]]()
    unfit, untuned = list[str](), list[str]()
    idle, remarks = dict[str, None](), dict[str, None]()
    others = {
        name: of for name, of in paper.specified_experiments.items() if settings.readings or name in known
    }
    every = {**paper.single_experiments, **{name: of.experiment for name, of in others.items()}}
    for name, experiment in every.items():
        specified = others.get(name)
        base = specified.base if specified else name
        asked = (wanted is None or base in wanted) and (specified is None or settings.readings)
        if specified is not None and (base not in keys or not (asked or name in known)):
            continue  # what is to be told of its experiment is told
        if why := experiment.never_run or (experiment.command and BY_COMMAND):
            records.append(replace(paper.without_runs(name, why), unavailable=not experiment.command))
            continue
        try:
            record, specs, data = _resolve(paper, name, experiment, settings, specified)
            with as_unfit():  # the data with what the experiment does to them
                notes = data.load().notes if asked else ()
        except (UntunedError, UnfitError, PlanError) as err:
            if asked and isinstance(err, PlanError):
                raise
            why = str(err) if isinstance(err, UnfitError) else NOT_TUNED
            corpus_of = err.dataset if isinstance(err, OfAnotherError) else ""
            record = replace(paper.without_runs(name, why if asked else LEFT_OUT), corpus_of=corpus_of)
            records.append(replace(record, unavailable=asked and isinstance(err, UnfitError)))
            if not asked:
                continue
            if isinstance(err, UntunedError):
                untuned.append(name)
            elif isinstance(err, LackingError):
                idle[f"some experiments are {err}"] = None
            else:
                unfit.append(f"{name}: {err}")
            if corpus_of:
                idle[f"experiments on other data sets are left out: {err}"] = None
            continue
        if specified is not None and specs[0].key == keys[base][0]:
            idle[
                f"{base}: {in_words(specified.specification)} makes no difference to the default reading in "
                f"protocol {record.protocol}, and is not run; --protocol claimed may"
            ] = None
            continue
        keys[name] = tuple(spec.key for spec in specs)
        records.append(record if asked else replace(record, not_run=LEFT_OUT))
        if asked:
            remarks |= dict.fromkeys(notes)
            margins = {paper.paper.key: paper.margins_hash}
            jobs += [
                Job(spec, data, f"{name} seed {spec.seed}", settings.device, margins, record.sources)
                for spec in specs
            ]
    if untuned:
        options: list[tuple[str, object]] = [("--only", name) for name in settings.only]
        options += [("--data", settings.tuned_on or settings.data), ("--data-file", settings.data_file)]
        tune = " ".join(
            [f"audit tune {paper.paper.key}", *(f"{name} {value}" for name, value in options if value)]
        )
        are = "is" if len(untuned) == 1 else "are"
        where = settings.tuned_on.resolve().name if settings.tuned_on else "this corpus"
        said = (
            f"{paper.paper.key}: {first_of(untuned)} {are} not tuned on {where}; `{tune}` seeks the "
            "settings, --tuned-on DIR uses those of another corpus, and --untuned goes without"
        )
        remarks[said] = None
        if not jobs:
            raise PlanError(said)
    if unfit and not jobs:
        why = f"nothing can be run on this corpus ({unfit[0]}); give another one"
        raise PlanError(f"{paper.paper.key}: {why}")
    once: dict[str, Job] = {}
    for job in sorted(jobs, key=lambda job: job.spec.seed):
        once.setdefault(job.spec.key, job)
    return Plan(tuple(records), keys, tuple(once.values()), tuple(remarks), tuple(idle))


def _resolve(
    paper: Paper,
    name: str,
    experiment: Experiment,
    settings: RunSettings,
    specified: SpecifiedExperiment | None,
) -> tuple[ExperimentRecord, list[RunSpec], DataRequest]:
    """Its record, a specification a seed (one where all seeds give one result), and its data."""
    from reimpl.config_fields import as_dict, as_json
    from reimpl.data.catalogue import scope_of
    from reimpl.models import sources_of

    chosen = resolved(paper, name, experiment, settings)
    module, request, whole = chosen.module, chosen.request, chosen.whole
    printed = paper.datasets[experiment.on]
    another = paper.known_as(
        experiment.on, content=whole.content, partition=whole.partition, corpus=whole.corpus
    )
    if another:
        raise OfAnotherError(paper.of_another(another), another)
    described = specified.base if specified else name
    if specified is None:
        chosen = tuned(name, experiment, chosen, settings)
    else:  # a specification takes over what was sought for its experiment, but for what it sets itself
        base = paper.single_experiments[described]
        best = tuned(described, base, resolved(paper, described, base, settings), settings)
        chosen = replace(chosen, study=best.study, tuning=best.tuning, untuned=best.untuned)
        chosen = with_values(chosen, specified.sets)
    check_selection(chosen)
    same = bool(getattr(module, "DETERMINISTIC", False))
    # A hold-out is part of the data that a run is given, and so of their fingerprint.
    plain = {key: value for key, value in chosen.used.as_dict().items() if key != "hold_out"}
    with as_unfit():
        fingerprint = request.fingerprint()
    specs = [
        RunSpec(
            model=experiment.model or "",
            variant=experiment.variant or "",
            config=as_json(as_dict(chosen.config)),
            protocol=as_json(plain),
            data=fingerprint,
            seed=seed,
            precision=settings.precision,
            revision=getattr(module, "REVISION", 1),
            study=chosen.study.key if chosen.study else "",
        )
        for seed in range(1 if same else settings.seeds)
    ]
    reduced = (chosen.used, chosen.config) != (chosen.claimed, chosen.claimed_config)
    short = {  # in what the runs fall short of the paper's, so that they may not speak against it
        "stand_in": has_other_sizes(printed, whole),  # whatever the content is declared to be
        "reduced_protocol": reduced or experiment.vocabulary == "reduced",  # its words are not public
        "untuned": chosen.untuned,
    }
    record = ExperimentRecord(
        id=name,
        title=experiment.title,
        model=experiment.model or "",
        variant=experiment.variant or "",
        dataset=experiment.on,
        protocol=chosen.used.name,
        config=specs[0].config,
        scope=scope_of(
            *(whole.content, whole.corpus, whole.partition),
            same=printed.content or (),
            corpora=printed.corpus or (),
            partitions=printed.partition or (),
        ),
        deviations=(*chosen.tuning, *deviations(paper, described, chosen, settings.precision)),
        study=chosen.study,
        reading_of=described if specified else "",
        reading=dict(specified.specification) if specified else {},
        data=sheet_of(printed, whole),
        deterministic=same,
        short=tuple(code for code, holds in short.items() if holds),
    )
    return replace(record, sources=sources_of(record.models)), specs, request
