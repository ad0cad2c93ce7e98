"""The claim file: one paper's tables as printed, its experiments, margins and claims. Each step of reading
must succeed before the next: YAML with its lines (`source`) and entries by themselves (`schema`,
`audit.kinds`); entries against each other (`links`); margins against their rules (`margins`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ValidationError

from audit import record
from audit.claims import links
from audit.claims import source as claim_source
from audit.claims.experiments import (
    Departure,
    Experiment,
    Specifications,
    SpecifiedExperiment,
    fixed,
    specified_experiments,
)
from audit.claims.links import KnownNames, cell_of, is_experiment, metrics_of
from audit.claims.margins import Margins
from audit.claims.schema import (
    PATTERNS,
    AuthorResponse,
    Citation,
    Dataset,
    Margin,
    MarginName,
    MisfitError,
    Missing,
    Model,
    Name,
    Superseded,
    Table,
    Transcription,
)
from audit.claims.source import KeyPath, Plain, Problem, Source
from audit.errors import AuditError, ClaimFileError
from audit.json_errors import wanted
from audit.kinds import KINDS, AnyClaim, Claim
from audit.names import counted, known_names, short
from audit.stats.printed import in_percent

__all__ = ["KnownNames", "Paper", "builtin_claims", "json_schema", "load"]


class Paper(Model):
    """A claim file: what a paper prints and states, and the experiments behind it."""

    format: Literal[1]
    """Version of this format."""
    paper: Citation
    """Title, authors and code of the paper."""
    transcription: Transcription | None = None
    """How the numbers were transcribed."""
    missing: tuple[Missing, ...] = ()
    """Tables and figures of the paper that are not in this file, with the reason."""
    datasets: Mapping[Name, Dataset]
    """The paper's data sets by a short name."""
    tables: Mapping[Name, Table]
    """The paper's tables by a short name."""
    experiments: Mapping[Name, Experiment] = {}
    """The experiments that the tables report, by a short name."""
    margins: Mapping[MarginName, Margin] = {}
    """`default`, and margins of single tables, of claims, or of one metric of a claim (claim:P@1)."""
    supersedes: tuple[Superseded, ...] = ()
    """Earlier margins whose runs this new audit keeps."""
    readings: Specifications | None = None
    """What the paper leaves open, and the possible choices."""
    claims: tuple[AnyClaim, ...] = ()
    """Claims of the text."""
    departures: tuple[Departure, ...] = ()
    """Where the public code differs from the paper."""
    author_response: AuthorResponse | None = None
    """When the authors were asked, and their answer; left out until then."""

    def info(self) -> record.PaperInfo:
        code = self.paper.code
        return record.PaperInfo(
            **self.paper.model_dump(exclude={"code"}),
            code_url=code.url if code else None,
            code_commit=code.commit if code else None,
        )

    def __repr__(self) -> str:
        return f"<Paper {self.paper.key}: {self.paper.title}, {counted(len(self.claims), 'claim')}>"

    @cached_property
    def single_experiments(self) -> Mapping[str, Experiment]:
        """Every experiment on one data set: those on several become one each, named experiment-dataset."""
        found = {}
        for key, experiment in self.experiments.items():
            if not experiment.datasets:
                found[key] = experiment
            for name in experiment.datasets or ():
                on = self.datasets[name].name if name in self.datasets else name
                changes = {"dataset": name, "datasets": None, "title": f"{experiment.title} on {on}"}
                found[f"{key}-{name}"] = experiment.model_copy(update=changes)
        return found

    @cached_property
    def specified_experiments(self) -> Mapping[str, SpecifiedExperiment]:
        return dict(specified_experiments(self.readings, self.single_experiments))

    def specifications_record(self) -> record.Specifications | None:
        return self.readings.as_record(self.single_experiments) if self.readings else None

    def table_records(self) -> tuple[record.TableRecord, ...]:
        """All tables, in the order of the file, each cell with its address, source and experiment."""
        return tuple(self.printed.values())

    @cached_property
    def printed(self) -> Mapping[str, record.TableRecord]:
        return {name: self._table_record(name, table) for name, table in self.tables.items()}

    def claim_records(self) -> tuple[record.ClaimRecord, ...]:
        """The claims that runs can decide: one record for each claim and metric, in the order of the file."""
        return tuple(claim for claim in self.statements if KINDS[claim.kind].by_runs)

    @cached_property
    def statements(self) -> tuple[record.ClaimRecord, ...]:
        """All statements of the text, in the order of the file, to be checked against the tables."""
        pairs = ((claim, metric) for claim in self.claims for metric in self.metrics_of(claim))
        return tuple(self._claim_record(claim, metric) for claim, metric in pairs)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Paper:
        """The copy without values computed from the old fields."""
        copied = super().model_copy(update=update, deep=deep)
        for name in vars(copied).keys() - type(self).model_fields.keys():
            del vars(copied)[name]
        return copied

    def metrics_of(self, claim: Claim) -> tuple[str, ...]:
        """The metrics for which the claim is judged separately; "" stands for a claim about none."""
        if claim.needs_metric:
            return metrics_of(claim.cells(), claim.metric, self.printed)
        return claim.metric or ("",) if not claim.by_runs else ("",)

    def without_runs(self, name: str, why: str, *, unavailable: bool = False) -> record.ExperimentRecord:
        """The experiment as the file describes it, with the reason why it has no run."""
        experiment = self.single_experiments.get(name) or self.specified_experiments[name].experiment
        return record.ExperimentRecord(
            id=name,
            title=experiment.title,
            model=experiment.model or "",
            variant=experiment.variant or "",
            dataset=experiment.on,
            protocol=experiment.protocol or "",
            config={},
            not_run=why,
            unavailable=unavailable,
        )

    def departures_of(self, experiment: str) -> tuple[record.Deviation, ...]:
        """Where paper and public code differ for `experiment`; the runner fills `here`. An entry that names
        no experiments is about the paper's own program, not a baseline's."""
        single = self.single_experiments[experiment]
        family, own = experiment.removesuffix(f"-{single.dataset}"), single.protocol != "baseline"
        return tuple(
            record.Deviation(one.what, one.paper, "", one.source, one.code, silent=one.silent)
            for one in self.departures
            if (own if one.experiments is None else {experiment, family} & set(one.experiments))
        )

    def known_as(self, dataset: str, *, content: str, partition: str = "", corpus: str = "") -> str:
        """Id of another data set than `dataset` that a corpus of these hashes is declared to be, or None. One
        that is `dataset` too, in this split or another, is no other data set."""
        hashes = {"content": content, "partition": partition, "corpus": corpus}
        meant = [
            id
            for id, data in self.datasets.items()
            if any(value and value in (getattr(data, name) or ()) for name, value in hashes.items())
        ]
        return "" if dataset in meant else next(iter(meant), "")

    def of_another(self, dataset: str) -> str:
        return f"the corpus is known to be {self.datasets[dataset].name}, another data set of the paper"

    @property
    def superseded(self) -> Mapping[str, str]:
        """Hash of earlier margins -> why runs that began under them are accepted."""
        return {earlier.hash: earlier.why for earlier in self.supersedes}

    @cached_property
    def margins_hash(self) -> str:
        """Digest of what must be fixed before a run: claims with printed numbers and margins, specifications,
        and where the authors' code is. Wording, places and the order of the file do not count; adding or
        dropping a claim or making it primary does, because it changes the correction of the others."""
        return record.digest(list(self.fixed.values()))

    @property
    def fixed(self) -> Mapping[str, Mapping[str, Any]]:
        """The content that `margins_hash` digests: claims by id and metric, sorted, then specifications."""
        claims = {
            claim.id: {
                "id": claim.id,
                "kind": claim.kind,
                "primary": claim.primary,
                "cells": claim.cells,
                "experiments": claim.experiments,
                **({"details": claim.details} if claim.details else {}),
                "margin": [claim.margin.value, claim.margin.rule] if claim.margin else None,
                "runs_behind": claim.runs_behind,
                "deterministic": claim.deterministic,
                "negligible": claim.negligible,
                "paired": False,  # a key of earlier versions, which no file of ours has had
                "printed": claim.printed,
            }
            for claim in sorted(self.claim_records(), key=lambda claim: claim.id)
        }
        code = self.paper.code
        more = {"code": {"id": "code", "url": code.url, "commit": code.commit}} if code else {}
        return {**claims, **dict(sorted(fixed(self.readings, self.single_experiments))), **more}

    def _claim_record(self, claim: Claim, metric: str) -> record.ClaimRecord:
        targets, cells, dataset = self.subject(claim, metric)
        experiments = (target.experiment if isinstance(target, record.Cell) else target for target in targets)
        table = self.tables[cells[0].address.split(".")[0]] if cells else None
        own, more = claim.settings(), claim.from_tables(cells, table, self.cells.values())
        details = {**own.get("details", {}), **more.get("details", {})}
        settings = {"experiments": tuple(filter(None, experiments)), **own, **more}
        settings |= {"details": details} if details else {}
        return record.ClaimRecord(
            id=f"{claim.id}:{metric}" if metric else claim.id,
            claim=claim.id,
            kind=claim.kind,
            says=claim.says,
            metric=metric,
            where=record.Where(**claim.where.model_dump()),
            primary=claim.primary,
            cells=tuple(cell.address for cell in cells),
            printed=tuple(cell.printed for cell in cells if cell.printed is not None),
            dataset=dataset or "",
            margin=self.margins_by_rule.of(claim, metric),
            note=claim.note,
            fitted=claim.fitted,
            **settings,
        )

    def subject(
        self, claim: Claim, metric: str
    ) -> tuple[list[record.Cell | str], list[record.Cell], str | None]:
        """What the claim is about in this metric: cells or experiments, the cells alone, their data set."""
        targets = [self.target(of, metric or getattr(claim, "quantity", None)) for of in claim.cells()]
        dataset = next(filter(None, map(self.dataset_of, targets)), None)
        return targets, [target for target in targets if isinstance(target, record.Cell)], dataset

    def target(self, reference: str, metric: str | None) -> record.Cell | str:
        if is_experiment(reference):
            return reference
        return self.cells[cell_of(reference, metric, self.printed).address]

    def dataset_of(self, target: record.Cell | str) -> str | None:
        return target.dataset if isinstance(target, record.Cell) else self.single_experiments[target].dataset

    @cached_property
    def cells(self) -> Mapping[str, record.Cell]:
        """All numbers in the unit of the runs: a metric printed as a fraction of 1 is in percent."""
        found = {c.address: c for table in self.table_records() for row in table.rows for c in row.cells}
        for address, cell in found.items():
            if cell.metric and cell.unit == "fraction" and cell.printed is not None:
                with suppress(ValueError):  # refused where a claim names it
                    sd = in_percent(cell.sd) if cell.sd is not None else None
                    printed = in_percent(cell.printed)
                    found[address] = replace(cell, printed=printed, sd=sd, unit="percent")
        return found

    @cached_property
    def margins_by_rule(self) -> Margins:
        return Margins(self)

    def _table_record(self, name: str, table: Table) -> record.TableRecord:
        every = range(len(table.columns))
        return record.TableRecord(
            id=name,
            label=table.where.label or name,
            caption=table.caption,
            columns=tuple(
                record.Column(of.id, of.label or of.id, of.metric, of.dataset or table.dataset)
                for of in table.columns
            ),
            rows=tuple(
                record.Row(row.id, row.label or row.id, tuple(self._cell(name, n, k) for k in every))
                for n, row in enumerate(table.rows)
            ),
            page=table.where.page,
            runs=table.runs,
            verified=verified(name, self.tables, self.transcription),
        )

    def _cell(self, name: str, row: int, column: int) -> record.Cell:
        table = self.tables[name]
        fields = table.cell(row, column)
        family = self.experiments.get(fields["experiment"])
        if family and family.datasets and fields["dataset"]:
            fields["experiment"] = f"{fields['experiment']}-{fields['dataset']}"
        experiment = self.single_experiments.get(fields["experiment"])
        fields["source"] = fields["source"] or "stated"
        fields["dataset"] = fields["dataset"] if fields["dataset"] in self.datasets else None
        address = f"{name}.{table.rows[row].id}.{table.columns[column].id}"
        return record.Cell(address=address, method=experiment.method if experiment else None, **fields)


def load(path: Path, *, known: KnownNames | None = None, content: bytes | None = None) -> Paper:
    """The paper of a claim file (or of `content` instead); its experiments name only what is `known`. Raises
    `ClaimFileError` with the problems as `file:line: key.path: what, and what to do`."""
    source = claim_source.read(path, content)
    problems, paper = list(source.problems), None
    try:
        paper = Paper.model_validate(source.content)
        problems += links.problems(paper, known)
        problems += [] if problems else paper.margins_by_rule.problems()
    except ValidationError as err:
        problems += sentences(err, source)
    if problems or paper is None:
        problems.sort(key=source.line)
        messages = [source.message(problem) for problem in problems]
        raise ClaimFileError(list(dict.fromkeys(messages)))  # an unknown row is found for each metric
    return paper


def builtin_claims() -> list[Path]:
    return sorted(Path(str(resources.files("claims"))).glob("*.yaml"))


def json_schema() -> dict[str, Any]:
    """JSON Schema of a claim file, for editors that complete and check while typing."""
    return {
        **Paper.model_json_schema(by_alias=True),
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Claim file",
    }


def fingerprint(tables: Mapping[str, Table]) -> str:
    """Digest of all numbers of `tables` by their addresses, as printed, each with its spread and mark;
    labels, captions and the order of rows and columns do not count."""
    return record.digest(
        [
            [f"{name}.{row.id}.{column.id}", cell and cell.printed, cell and cell.sd, cell and cell.mark]
            for name, table in sorted(tables.items())
            for row in sorted(table.rows, key=lambda row: row.id)
            for column, cell in sorted(zip(table.columns, row.values, strict=False), key=lambda at: at[0].id)
        ]
    )


def verified(name: str, tables: Mapping[str, Table], whole: Transcription | None) -> str | None:
    """`A. Reader, 2026-11-28` for a table whose numbers somebody compared with the page as they are now;
    `whole` is the paper's own record, used for every table without one."""
    own = tables[name].transcription
    last, seen = (own, {name: tables[name]}) if own else (whole, tables)
    if last is None or last.verified_by is None or is_outdated(last, seen):
        return None
    return f"{last.verified_by}, {last.date or 'no date'}"


def is_outdated(last: Transcription, tables: Mapping[str, Table]) -> bool:
    return last.fingerprint is not None and last.fingerprint != fingerprint(tables)


# --------------------------------------------------------------------------- what pydantic says, in sentences


def sentences(error: ValidationError, source: Source) -> Iterator[Problem]:
    """One problem for each complaint that does not follow from another."""
    details = error.errors(include_url=False)
    refused = {problem.path for problem in source.problems}
    for detail in details:
        kind, context, location = detail["type"], detail.get("ctx", {}), detail["loc"]
        size = len(location)
        if kind == "too_short" and any(other["loc"][:size] == location != other["loc"] for other in details):
            continue  # its items were refused one by one
        path, missing = _split(location, source.content)
        found = [(path, _about_value(kind, detail["input"], context, source.spelled.get(path)))]
        if isinstance(misfit := context.get("error"), MisfitError):
            found = [((*path, *place), text) for place, text in misfit.problems]
        elif kind == "missing":
            found = [((*path, *missing), "this key is missing; add it")]
        elif kind == "union_tag_not_found":
            found = [((*path, "kind"), f"this key is missing; add it (known kinds: {', '.join(KINDS)})")]
        elif kind == "union_tag_invalid":
            known = known_names(context["tag"], KINDS)
            found = [((*path, "kind"), f"unknown kind {context['tag']!r}; {known}")]
        elif kind == "extra_forbidden":
            known = known_names(str(path[-1]), _keys_at(path[:-1], source.content))
            found = [(path, f"unknown key; {known}")]
        yield from (Problem(place, text) for place, text in found if place not in refused)


def _about_value(kind: str, value: Plain, context: Mapping[str, Any], spelled: str | None) -> str:
    """What is wrong with a value; `spelled` is its text in the file if it is not a string."""
    names = {type(None): "nothing (null)", dict: "a mapping", list: "a list"}
    quoted = names.get(type(value)) or short(spelled if spelled is not None else repr(value))
    if kind == "string_type" and spelled and isinstance(value, bool | int | float):
        what = "is not text" if isinstance(value, bool) else "is a bare number"
        lost = ": without them 83.50 would be read as 83.5" if isinstance(value, float) else ""
        return f'{quoted} {what}; put it in quotes ("{quoted}"){lost}'
    if kind.endswith("_type") or kind == "finite_number":
        return f"{quoted} is not {wanted(kind)}; write {wanted(kind)}"
    match kind:
        case "value_error":
            return str(context["error"])
        case "greater_than" | "greater_than_equal" | "less_than_equal":
            bounds = {"gt": "above", "ge": "of at least", "le": "of at most"}
            ((key, bound),) = context.items()
            return f"{quoted} is out of range; write a number {bounds[key]} {bound:g}"
        case "literal_error":
            known = re.findall(r"'([^']*)'", context["expected"]) or [str(context["expected"])]
            return f"{quoted} is not known here; {known_names(str(value), known)}"
        case "string_pattern_mismatch":
            form = PATTERNS.get(context["pattern"], f"text that matches {context['pattern']}")
            return f"{short(repr(value))} has the wrong form; write {form}"
        case "string_too_short":
            return "is empty; write text"
        case "too_short":
            return f"holds {counted(len(value), 'item')}; name {context['min_length']} or more"
    return f"{quoted} is not allowed here; see `audit schema`"


def _split(location: Sequence[str | int], content: Plain) -> tuple[KeyPath, KeyPath]:
    """The part of pydantic's location that the file has, and the missing rest, without names that pydantic
    inserts (the kind in a union of kinds, `[key]`)."""
    path: list[str | int] = []
    missing: list[str | int] = []
    for part in location:
        in_list = isinstance(content, list) and isinstance(part, int) and part < len(content)
        if in_list or (isinstance(content, dict) and part in content):
            content = content[part]
            path.append(part)
        else:
            missing.append(part)
    return tuple(path), tuple(missing[-1:])


def _keys_at(path: KeyPath, content: Plain) -> list[str]:
    """The keys that the schema knows at `path`, found by walking the models along the file's keys."""
    model: type[BaseModel] = Paper
    for part in path:
        content = content[part]
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        models = list(_models(fields[part].annotation)) if part in fields else []
        model = models[0] if models else model
        if (len(models) > 1 or model in KINDS.values()) and isinstance(content, dict):
            model = KINDS.get(str(content.get("kind")), model)
    return [field.alias or name for name, field in model.model_fields.items()]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Models anywhere within a type such as Mapping[str, Table] or tuple[Row, ...]."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


# --------------------------------------------------------------------------- papers by name


def own_file(name: str) -> Path | None:
    """NAME, claims/NAME.yaml or NAME.yaml, the first that is a file; a path is taken unchanged."""
    by_key = () if {"/", "."} & set(name) else (Path("claims") / f"{name}.yaml", Path(f"{name}.yaml"))
    return next((path for path in (Path(name), *by_key) if path.is_file()), None)


def claim_paths(claims: Sequence[str] | None) -> list[Path]:
    """The claim files by path or key: a built-in paper first, then `own_file`. Raises `AuditError`."""
    builtin = {path.stem: path for path in builtin_claims()}
    if not claims:
        return list(builtin.values())
    paths = []
    for name in claims:
        path: Path | None = Path(name)
        if not {"/", "."} & set(name) and not Path(name).is_file():
            path = builtin.get(name) or own_file(name)
        if path is None:
            raise AuditError(f"{name!r} is neither a file nor a built-in paper; {known_names(name, builtin)}")
        paths.append(path)
    return paths


def papers_of(claims: Sequence[str] | None) -> list[Paper]:
    papers, problems = [], []
    for path in claim_paths(claims):
        try:
            papers.append(load(path))
        except ClaimFileError as err:
            problems += err.problems
    if problems:
        raise ClaimFileError(problems)
    return papers


def check_keys(papers: Sequence[Paper]) -> None:
    """Raises `AuditError` if two claim files have one key, because they would be taken for one paper."""
    keys = [paper.paper.key for paper in papers]
    twice = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    if twice:
        raise AuditError(f"{twice[0]!r} is the key of two claim files, and so of two reports; change one key")
