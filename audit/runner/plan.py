"""What is to be run: the experiments of a claim file, resolved to run specifications and their deviations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from audit.claims.experiments import Experiment
from audit.claims.load import Paper
from audit.claims.shared_specifications import with_shared_readings
from audit.claims.specifications import ReadingExperiment, in_words
from audit.errors import PlanError, SettingsError, option
from audit.names import counted, first_of, known_names
from audit.record import ExperimentRecord, Run, RunSpec, Scope
from audit.runner.data_request import DataRequest
from audit.runner.data_sheet import has_other_sizes, sheet_of
from audit.runner.deviations import deviations
from audit.runner.faults import with_way_out
from audit.runner.tuning.tuned import Choice, Settled, Tuned, UntunedError, tuned, with_best, with_kept
from audit.runner.versions import sources_of
from audit.storage.manifest import BY_COMMAND, GONE

if TYPE_CHECKING:
    from reimpl.data.dataset import Dataset
    from reimpl.data.formats import Options
    from reimpl.data.noise import LabelNoise
    from reimpl.protocol import Protocol

#: Protocol names of the command line that stand for a rule.
AUTO, CLAIMED = "auto", "claimed"
LEFT_OUT = "left out by --only"
NOT_TUNED = "not tuned on this corpus; `audit tune` seeks its settings"
_RECIPE = "study2022"


@dataclass(frozen=True)
class Settings:
    """What the user chose for all experiments of a command."""

    data: Path | None = None
    """A corpus, `DIR@N` for a split column of one; None for the synthetic one."""
    options: Options | None = None
    """How the corpus is read, where its files do not say."""
    format: str | None = None
    """Name of its format, where two of them fit."""
    protocol: str = AUTO
    """A protocol's name; `claimed`, the paper's own; `auto`, that on a GPU and a reduced one on a CPU."""
    vectors: str | None = None
    """`glove`, a vector file, `random:E`; None for random vectors of the protocol's dimension."""
    seeds: int = 3
    device: str = "cpu"
    """Resolved: cpu or cuda."""
    precision: str = "float32"
    cache: Path = Path("audit-runs/data")
    untuned: bool = False
    """Run what asks for tuning with the settings of the claim file."""
    tuned_on: Path | None = None
    """The corpus on which settings were sought, where it is another than `data`."""
    readings: bool = False
    """Run every declared reading of what the paper leaves open, beside the default one."""

    @property
    def tuning(self) -> Choice:
        """What it says of tuning; studies lie beside the run records."""
        return Choice(self.cache.parent, self.untuned, self.tuned_on, self.precision)


@dataclass(frozen=True)
class Job:
    """One run to be had: its specification, its data, and what it is called on the screen."""

    spec: RunSpec
    data: DataRequest
    title: str
    device: str
    margins: Mapping[str, str]
    sources: Mapping[str, str] = field(default_factory=dict)
    """Digests of the code that decides the run, as it is when it is planned."""


@dataclass(frozen=True)
class Plan:
    """All experiments of a claim file, with the run keys of those that can be run."""

    experiments: tuple[ExperimentRecord, ...]
    """Without their runs."""
    keys: Mapping[str, tuple[str, ...]]
    """Experiment id -> run key per seed, in the order of the seeds."""
    jobs: tuple[Job, ...]
    """Each run once, seeds in the outer loop: an interrupted suite has whole rounds."""
    remarks: tuple[str, ...] = ()
    """What preparing the data came upon, one sentence each."""
    idle: tuple[str, ...] = ()
    """What was asked for and is not run here: readings that change nothing, models that lack something; one
    sentence each."""

    def summary(self, paper: str, settings: Settings, workers: int) -> str:
        """One line for the screen: what is about to be run, on what."""
        runnable = self.asked
        protocols = ", ".join(dict.fromkeys(it.protocol for it in runnable)) or "none"
        data = settings.data.resolve().name if settings.data else "a synthetic corpus"
        processes = "1 process" if workers == 1 else f"{workers} processes"
        others = sum(bool(it.reading) for it in runnable)
        readings = f" and {counted(others, 'other reading')} of them" if others else ""
        return (
            f"{paper}: {counted(len(runnable) - others, 'experiment')}{readings}, "
            f"{counted(settings.seeds, 'seed')}, "
            f"{counted(len(self.jobs), 'run')} on {data}; "
            f"protocol {protocols}; {settings.device}, {settings.precision}, {processes}"
        )

    @property
    def asked(self) -> list[ExperimentRecord]:
        """Experiments that are to be run, and other readings of these; not those that share the runs."""
        plain = {it.id for it in self.experiments if it.not_run is None and not it.reading}
        return [it for it in self.experiments if it.not_run is None and plain & {it.id, it.reading_of}]

    def with_runs(
        self, runs: Mapping[str, Run], lost: Mapping[str, tuple[int, ...]] | None = None
    ) -> dict[str, ExperimentRecord]:
        """The experiments with those of their runs that are there; `lost` as in `audit.storage.manifest`."""
        found = {}
        for experiment in self.experiments:
            keys = self.keys.get(experiment.id, ())
            mine = tuple(runs[key] for key in keys if key in runs)
            gone = (lost or {}).get(keys[0], ()) if keys else ()
            if experiment.reading and not (mine or gone):
                continue  # how many were declared is on record elsewhere
            why_none = None if mine else GONE if gone else experiment.not_run or "no run of it was finished"
            found[experiment.id] = replace(experiment, runs=mine, gone=gone, not_run=why_none)
        return found

    @property
    def left_out(self) -> tuple[str, ...]:
        """Keys of runs that are not asked for: older ones of the same settings, if there are any, count."""
        asked = {job.spec.key for job in self.jobs}
        return tuple(dict.fromkeys(key for keys in self.keys.values() for key in keys if key not in asked))


def make_plan(
    paper: Paper, settings: Settings, *, only: Sequence[str] = (), known_readings: Collection[str] = ()
) -> Plan:
    """Resolve every experiment of the claim file.

    Other readings of what the paper leaves open are resolved where `settings.readings` asks for them, and
    those of `known_readings` in any case: runs of theirs that are there already count.

    Raises `PlanError` for a name in `only` that is nothing in the file, for an experiment that names an
    unknown model, variant, protocol or recipe, and where the corpus is for none of the models;
    `reimpl.errors.DataError` for data that cannot be read.
    """
    check_protocol(settings.protocol)
    wanted = selected(paper, only)
    records, jobs = [], []
    keys: dict[str, tuple[str, ...]] = {}
    unfit: list[str] = []
    untuned: list[str] = []
    idle: dict[str, None] = {}
    remarks: dict[str, None] = {}
    for name, experiment, reading in _experiments(paper, settings, known_readings):
        if experiment.never_run or experiment.command:
            told = paper.without_runs(name, experiment.never_run or BY_COMMAND)
            records.append(replace(told, unavailable=not experiment.command))
            continue
        left_out = wanted is not None and (reading.base if reading else name) not in wanted
        left_out = left_out or (reading is not None and not settings.readings)
        if reading is not None and (reading.base not in keys or (left_out and name not in known_readings)):
            continue  # what is to be told of its experiment is told
        try:
            record, specs, data = _resolve(paper, name, experiment, settings, reading)
            notes: tuple[str, ...] = () if left_out else _made(data).notes
        except UntunedError:
            records.append(paper.without_runs(name, LEFT_OUT if left_out else NOT_TUNED))
            untuned += [] if left_out else [name]
            continue
        except UnfitError as err:
            told = paper.without_runs(name, LEFT_OUT if left_out else str(err))
            corpus_of = err.dataset if isinstance(err, OfAnotherError) else ""
            records.append(replace(told, corpus_of=corpus_of, unavailable=not left_out))
            if left_out:
                continue
            if isinstance(err, LackingError):
                idle[f"some experiments are {err}"] = None
            else:
                unfit.append(f"{name}: {err}")
            if corpus_of:
                idle[f"experiments on other data sets are left out: {err}"] = None
            continue
        except PlanError:
            if not left_out:
                raise
            records.append(paper.without_runs(name, LEFT_OUT))
            continue
        if reading is not None and specs[0].key == keys[reading.base][0]:
            idle[_of_idle(reading, record)] = None
            continue
        keys[name] = tuple(spec.key for spec in specs)
        records.append(replace(record, not_run=LEFT_OUT) if left_out else record)
        if left_out:
            continue
        remarks |= dict.fromkeys(notes)
        jobs += [
            Job(
                spec,
                data,
                f"{name} seed {spec.seed}",
                settings.device,
                {paper.paper.key: paper.margins_hash},
                record.sources,
            )
            for spec in specs
        ]
    if untuned:
        said = _of_untuned(paper.paper.key, untuned, settings, only)
        if not jobs:
            raise PlanError(said)
        remarks[said] = None
    if unfit and not jobs:
        raise PlanError(
            f"{paper.paper.key}: nothing can be run on this corpus ({unfit[0]}); give another one"
        )
    shared, keys = with_shared_readings(paper, records, keys)
    return Plan(tuple(shared), keys, _each_once(jobs), tuple(remarks), tuple(idle))


def _experiments(
    paper: Paper, settings: Settings, known_readings: Collection[str]
) -> Iterator[tuple[str, Experiment, ReadingExperiment | None]]:
    """The experiments, and then their other readings that may be planned."""
    yield from ((name, it, None) for name, it in paper.single_experiments.items())
    for name, it in paper.reading_experiments.items():
        if settings.readings or name in known_readings:
            yield name, it.experiment, it


def _of_idle(reading: ReadingExperiment, record: ExperimentRecord) -> str:
    return (
        f"{reading.base}: {in_words(reading.reading)} makes no difference to the default reading in protocol "
        f"{record.protocol}, and is not run; --protocol claimed may"
    )


def _of_untuned(paper: str, names: Sequence[str], settings: Settings, only: Sequence[str]) -> str:
    """What is to be done for experiments that wait for a study."""
    which = f"{names[0]} is" if len(names) == 1 else f"{len(names)} experiments, {names[0]} and on, are"
    meant = "".join(f" --only {it}" for it in only)
    data = f" --data {settings.data}" if settings.data else ""
    data += _data_file(settings)
    if settings.tuned_on:
        made_on = settings.tuned_on.resolve().name
        return (
            f"{paper}: --tuned-on {settings.tuned_on}: no study made on {made_on} is "
            f"in {settings.cache.parent} for {first_of(names)}; `audit tune {paper}{meant} --data "
            f"{settings.tuned_on}{_data_file(settings)}` makes one, and "
            "--untuned goes without"
        )
    return (
        f"{paper}: {which} not tuned on this corpus; `audit tune {paper}{meant}{data}` seeks the settings, "
        "--tuned-on DIR uses those of another corpus or split column, and --untuned goes without"
    )


def _data_file(settings: Settings) -> str:
    elsewhere = settings.options.data if settings.options else None
    return f" --data-file {elsewhere}" if elsewhere else ""


def _each_once(jobs: Iterable[Job]) -> tuple[Job, ...]:
    first: dict[str, Job] = {}
    for job in sorted(jobs, key=lambda job: job.spec.seed):
        first.setdefault(job.spec.key, job)
    return tuple(first.values())


def selected(paper: Paper, only: Sequence[str]) -> set[str] | None:
    """Ids of the experiments that `only` names, directly or by a claim, table or data set; None for all."""
    if not only:
        return None
    claims = paper.claim_records()
    known = [
        *paper.experiments,
        *paper.single_experiments,
        *(claim.id for claim in paper.claims),
        *paper.tables,
        *paper.datasets,
    ]
    found: set[str] = set()
    for name in only:
        if name not in known and not any(name == claim.id for claim in claims):
            raise PlanError(
                f"{paper.paper.key}: {option('only')} {name!r} is no experiment, claim, table or data set; "
                f"{known_names(name, known)}"
            )
        found |= {
            id
            for id, it in paper.single_experiments.items()
            if name in (id, it.on, id.removesuffix(f"-{it.on}"))
        }
        found |= {id for claim in claims if name in (claim.claim, claim.id) for id in claim.experiments}
        cells = [c for t in paper.table_records() if t.id == name for row in t.rows for c in row.cells]
        found |= {cell.experiment for cell in cells if cell.experiment}
    return found


def check_protocol(name: str) -> None:
    from reimpl.protocol import PROTOCOLS

    known = [AUTO, CLAIMED, *PROTOCOLS]
    if name not in known:
        raise PlanError(f"{option('protocol')} {name!r} is unknown; {known_names(name, known)}")


@dataclass(frozen=True)
class Resolved:
    """An experiment as it can be had on this corpus, before any tuning."""

    module: ModuleType
    settings: Settled
    request: DataRequest
    whole: Dataset
    """The corpus as it comes."""
    catalogue: str | None
    """Name by which other papers know the data set that the experiment is about."""


def resolved(paper: Paper, name: str, experiment: Experiment, settings: Settings) -> Resolved:
    """Raises `PlanError`, `UnfitError` for a corpus that is not for it, and `reimpl.errors.DataError`."""
    from reimpl.data.recipe import find_recipe
    from reimpl.errors import ConfigError
    from reimpl.models import find_config, find_model, reduced_config

    try:
        module = find_model(experiment.model or "")
        claimed_config = find_config(module, experiment.variant, experiment.config)
        claimed, used = _protocols(experiment, settings)
        find_recipe(experiment.recipe or _RECIPE)  # also where the made corpus needs none
        config = reduced_config(module, claimed_config, used.model) if used.model else claimed_config
    except ConfigError as err:
        said = with_way_out(err, experiment.model or "", experiment.config)
        raise SettingsError(f"{paper.paper.key}: experiments.{name}: {said}") from err
    _check_complete(module, config)
    request = _data_request(experiment, settings, used)
    whole = request.whole.load()
    _check_fit(module, whole)
    _check_sizes(config, whole)
    settled = Settled(config, used, claimed_config, claimed)
    return Resolved(module, settled, request, whole, paper.datasets[experiment.on].catalogue)


def _tuned(name: str, experiment: Experiment, found: Resolved, settings: Settings) -> Tuned:
    return tuned(
        name,
        experiment,
        found.settings,
        module=found.module,
        catalogue=found.catalogue,
        request=found.request,
        choice=settings.tuning,
    )


def _tuned_as_base(paper: Paper, reading: ReadingExperiment, found: Resolved, settings: Settings) -> Tuned:
    """A reading takes over what was sought for its experiment, but for what it sets itself."""
    base = paper.single_experiments[reading.base]
    result = _tuned(reading.base, base, resolved(paper, reading.base, base, settings), settings)
    if result.study is None:
        return replace(result, settings=found.settings)
    best = with_best(result.study, found.settings, found.module)
    kept = with_kept(best, found.settings, reading.config, reading.training, found.module)
    return replace(result, settings=kept)


def _resolve(
    paper: Paper,
    name: str,
    experiment: Experiment,
    settings: Settings,
    reading: ReadingExperiment | None = None,
) -> tuple[ExperimentRecord, list[RunSpec], DataRequest]:
    """Its record, a specification a seed (one where all seeds give one result), and its data."""
    from reimpl.config_fields import as_dict, as_json
    from reimpl.models import code_of

    found = resolved(paper, name, experiment, settings)
    request, whole = found.request, found.whole
    another = paper.known_as(
        experiment.on, content=whole.content, partition=whole.partition, corpus=whole.corpus
    )
    if another:
        raise OfAnotherError(paper.of_another(another), another)
    described = reading.base if reading else name
    if reading is None:
        result = _tuned(name, experiment, found, settings)
    else:
        result = _tuned_as_base(paper, reading, found, settings)
    config, used = result.settings.config, result.settings.used
    claimed_config, claimed = result.settings.claimed_config, result.settings.claimed
    _check_selection(found.module, config, used, whole)
    same = bool(getattr(found.module, "DETERMINISTIC", False))
    # A hold-out is part of the data that a run is given, and so of their fingerprint.
    plain = {key: value for key, value in used.as_dict().items() if key != "hold_out"}
    specs = [
        RunSpec(
            model=experiment.model or "",
            variant=experiment.variant or "",
            config=as_json(as_dict(config)),
            protocol=as_json(plain),
            data=_fingerprint(request),
            seed=seed,
            precision=settings.precision,
            revision=getattr(found.module, "REVISION", 1),
            study=result.study.key if result.study else "",
            code=code_of(found.module),
            strata=_strata(paper, experiment, found.module),
        )
        for seed in range(1 if same else settings.seeds)
    ]
    record = ExperimentRecord(
        id=name,
        title=experiment.title,
        model=experiment.model or "",
        variant=experiment.variant or "",
        dataset=experiment.on,
        protocol=used.name,
        config=specs[0].config,
        scope=_scope(paper, experiment, whole),
        deviations=(
            *result.deviations,
            *deviations(
                paper, described, claimed, used, claimed_config, config, whole, request, settings.precision
            ),
        ),
        study=result.study,
        reading_of=described if reading else "",
        reading=dict(reading.reading) if reading else {},
        data=sheet_of(paper.datasets[experiment.on], whole),
        deterministic=same,
        short=_short(experiment, result, has_other_sizes(paper.datasets[experiment.on], whole)),
    )
    return replace(record, sources=sources_of(record)), specs, request


def _strata(paper: Paper, experiment: Experiment, module: ModuleType) -> dict[str, tuple[int, int | None]]:
    """Those of its data set; none for a model with a training of its own, which ranks no group alone."""
    if hasattr(module, "train"):
        return {}
    return {name: (it.from_, it.to) for name, it in paper.datasets[experiment.on].strata.items()}


def _short(experiment: Experiment, found: Tuned, other_sizes: bool) -> tuple[str, ...]:
    """In what the runs fall short of the paper's, so that they may not speak against it."""
    it = found.settings
    reduced = (it.used, it.config) != (it.claimed, it.claimed_config)
    reduced = reduced or experiment.vocabulary == "reduced"  # the list of its words is not public
    held = {
        "stand_in": other_sizes,  # whatever the content is declared to be
        "reduced_protocol": reduced,
        "untuned": found.untuned,
    }
    return tuple(code for code, so in held.items() if so)


_ALONE = {"texts": "texts without features", "features": "features without text"}


class UnfitError(Exception):
    """The experiment cannot be had on this corpus; the others may."""


class OfAnotherError(UnfitError):
    """The corpus is known to be another data set of the paper."""

    def __init__(self, said: str, dataset: str) -> None:
        super().__init__(said)
        self.dataset = dataset


class LackingError(UnfitError):
    """The experiment cannot be had on this machine, whatever the corpus."""


def _check_complete(module: ModuleType, config: Any) -> None:
    """Pretrained weights, packages: what a model says it needs and does not find."""
    lack = module.missing(config) if hasattr(module, "missing") else None
    if lack is not None:
        raise LackingError(f"not available on this machine: {lack}")


def _fingerprint(request: DataRequest) -> str:
    from reimpl.errors import DataError

    try:
        return request.fingerprint()
    except DataError as err:
        raise UnfitError(str(err)) from err


def _made(request: DataRequest) -> Dataset:
    """The data with what the experiment does to them, of a corpus that can be read."""
    from reimpl.errors import DataError

    try:
        return request.load()
    except DataError as err:
        raise UnfitError(str(err)) from err


def _check_fit(module: ModuleType, data: Dataset) -> None:
    from reimpl.data.dataset import has_words

    there = ["texts"] if has_words(data) else []
    there += ["features"] if data.train.features is not None else []
    takes = getattr(module, "TAKES", ("texts",))
    if not set(takes) & set(there):
        raise UnfitError(f"its model takes {' or '.join(takes)}, and {data.name} holds {_ALONE[there[0]]}")


def _check_sizes(config: Any, data: Dataset) -> None:
    """Label clusters of which one would be empty, as a run would say at its start."""
    from reimpl.errors import ConfigError

    try:
        if hasattr(config, "sizes"):
            config.sizes(data.n_labels)
    except ConfigError as err:
        raise UnfitError(str(err)) from err


def _check_selection(module: ModuleType, config: Any, used: Protocol, data: Dataset) -> None:
    """What a run would say at its start; of a model with a training of its own, only where that chooses."""
    from reimpl.errors import ConfigError
    from reimpl.training import check_selection

    own = getattr(module, "chooses_epoch", None)
    try:
        if own(config, data.n_labels) if own else not hasattr(module, "train"):
            check_selection(used, data)
    except ConfigError as err:
        raise UnfitError(str(err)) from err


def _protocols(experiment: Experiment, settings: Settings) -> tuple[Protocol, Protocol]:
    """The protocol that the claim file asks for and the one that is used."""
    from reimpl.protocol import on_a_cpu, protocol, with_choices, with_training

    named = protocol(experiment.protocol or "small")
    claimed = with_training(named, experiment.training)
    name = settings.protocol
    if name == AUTO:
        name = CLAIMED if settings.device.startswith("cuda") else on_a_cpu(named.name)
    if name in (CLAIMED, named.name):
        return claimed, claimed
    return claimed, with_choices(protocol(name), claimed, experiment.training)


def _data_request(experiment: Experiment, settings: Settings, used: Protocol) -> DataRequest:
    return DataRequest(
        # Absolute, since it names the data set that a process keeps: the working folder may change.
        folder=settings.data.resolve() if settings.data else None,
        recipe=experiment.recipe or _RECIPE,
        length=used.length,
        vectors=_absolute(settings.vectors) if settings.vectors else f"random:{used.dimension}",
        dimension=used.dimension,
        cache=settings.cache.resolve(),
        hold_out=used.hold_out,
        noise=_noise(experiment),
        options=_options(settings.options),
        format=settings.format,
    )


def _noise(experiment: Experiment) -> LabelNoise | None:
    from reimpl.data.noise import LabelNoise

    noise = experiment.noise
    return LabelNoise(noise.kind, noise.rate, noise.seed) if noise else None


def _options(stated: Options | None) -> Options | None:
    """As they were stated, the data file by its whole path."""
    if stated is None or stated.data is None:
        return stated
    return replace(stated, data=stated.data.resolve())


def _absolute(vectors: str) -> str:
    """The file's whole path; `glove` and `random:E` as they are."""
    from reimpl.data.vector_file import is_vector_file

    return str(Path(vectors).resolve()) if is_vector_file(Path(vectors)) else vectors


def _scope(paper: Paper, experiment: Experiment, data: Dataset) -> Scope:
    """The same data only by content: equal sizes are not enough."""
    from reimpl.data.identity import scope_of

    known = paper.datasets[experiment.on]
    return scope_of(
        data.content,
        data.corpus,
        data.partition,
        same=known.content or (),
        corpora=known.corpus or (),
        partitions=known.partition or (),
    )
