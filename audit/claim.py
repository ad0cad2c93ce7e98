"""The claim file: one paper's tables as printed, its experiments, margins and claims.

    paper = load(Path("claims/chen2022.yaml"))
    paper.claim_records()

Reading goes in three steps, each of which reports all it finds: the YAML with its lines (`claim_source`),
each part by itself (`claim_model`, put into words by `claim_problems`), and the parts against each other
(`claim_checks`).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from audit import claim_checks, claim_source, record
from audit.claim_known import KnownNames
from audit.claim_margin import for_printed
from audit.claim_model import (
    AnyClaim,
    Citation,
    Claim,
    Dataset,
    Departure,
    Experiment,
    JudgedByMargin,
    Margin,
    Model,
    Name,
    Table,
    ValueClaim,
)
from audit.claim_problems import sentences
from audit.claim_reference import Address, Grid, address, metrics_of
from audit.errors import ClaimFileError

__all__ = ["KnownNames", "Paper", "builtin_claims", "json_schema", "load"]

FORMAT = 1


class Paper(Model):
    """A claim file: what a paper prints and states, and what stands behind it."""

    format: Literal[1]
    """Version of this format."""
    paper: Citation
    """Title, authors and code of the paper."""
    datasets: Mapping[Name, Dataset]
    """The paper's data sets by a short name."""
    tables: Mapping[Name, Table]
    """The paper's tables by a short name."""
    experiments: Mapping[Name, Experiment] = {}
    """What the rows of the tables report, by a short name."""
    margins: Mapping[Name, Margin] = {}
    """`default`, and margins of single tables or claims by their names."""
    claims: tuple[AnyClaim, ...] = ()
    """What the text states about the tables."""
    departures: tuple[Departure, ...] = ()
    """Where the public code does otherwise than the paper says."""

    def info(self) -> record.PaperInfo:
        """The citation as a record."""
        paper, code = self.paper, self.paper.code
        return record.PaperInfo(
            key=paper.key,
            title=paper.title,
            authors=paper.authors,
            venue=paper.venue,
            year=paper.year,
            url=paper.url,
            code_url=code.url if code else None,
            code_commit=code.commit if code else None,
        )

    def table_records(self) -> tuple[record.TableRecord, ...]:
        """All tables, in the order of the file, each cell with its address, source and experiment."""
        return tuple(_table_record(name, table) for name, table in self.tables.items())

    def claim_records(self) -> tuple[record.ClaimRecord, ...]:
        """One record for each claim and metric, in the order of the file."""
        cells = {
            cell.address: cell for table in self.table_records() for row in table.rows for cell in row.cells
        }
        grids = {name: _grid(table) for name, table in self.tables.items()}
        return tuple(
            self._claim_record(claim, metric, [address(of, metric, grids) for of in claim.cells()], cells)
            for claim in self.claims
            for metric in metrics_of(claim.cells(), claim.metric, grids)
        )

    def departures_of(self, experiment: str) -> tuple[record.Deviation, ...]:
        """Where paper and public code differ for `experiment`; `here` is for the runner to fill."""
        return tuple(
            record.Deviation(what=it.what, paper=it.paper, code=it.code, here="", why=it.source)
            for it in self.departures
            if it.experiments is None or experiment in it.experiments
        )

    @property
    def margins_hash(self) -> str:
        """Digest of what must be fixed before a run: claims, their cells, and the margins they get.

        Wording, places and the order of the file do not enter; a claim added, dropped or made primary does,
        since each changes what the others are corrected for.
        """
        fixed = [
            {
                "id": claim.id,
                "kind": claim.kind,
                "primary": claim.primary,
                "cells": claim.cells,
                "experiments": claim.experiments,
                "margin": [claim.margin.value, claim.margin.rule] if claim.margin else None,
                "runs_behind": claim.runs_behind,
                "deterministic": claim.deterministic,
                "negligible": claim.negligible,
                "paired": claim.paired is not None,
            }
            for claim in sorted(self.claim_records(), key=lambda claim: claim.id)
        ]
        return record.digest(fixed)

    def _claim_record(
        self, claim: Claim, metric: str, addresses: list[Address], cells: Mapping[str, record.Cell]
    ) -> record.ClaimRecord:
        held = [cells[".".join(place)] for place in addresses]
        table, _, column = addresses[0]
        return record.ClaimRecord(
            id=f"{claim.id}:{metric}",
            claim=claim.id,
            kind=claim.kind,
            says=claim.says,
            metric=metric,
            where=claim.where.as_record(),
            primary=claim.primary,
            cells=tuple(cell.address for cell in held),
            printed=tuple(cell.printed for cell in held if cell.printed is not None),
            experiments=tuple(cell.experiment for cell in held if cell.experiment is not None),
            dataset=_dataset_of(self.tables[table], column) or "",
            margin=self._margin_of(claim, table, held[0].printed),
            **claim.settings(),
        )

    def _margin_of(self, claim: Claim, table: str, printed: str | None) -> record.Margin | None:
        """The claim's own margin, or else the one by the claim's name, the table's, the default."""
        if not isinstance(claim, JudgedByMargin):
            return None
        named = (self.margins[key] for key in (claim.id, table, "default") if key in self.margins)
        margin = claim.margin or next(named)
        resolved = record.Margin(value=margin.value, rule=margin.rule, why=margin.why)
        return for_printed(resolved, printed) if isinstance(claim, ValueClaim) and printed else resolved


def _table_record(name: str, table: Table) -> record.TableRecord:
    columns = tuple(
        record.Column(
            id=column.id,
            label=column.label or column.id,
            metric=column.metric,
            dataset=_dataset_of(table, column.id),
        )
        for column in table.columns
    )
    rows = tuple(
        record.Row(
            id=row.id,
            label=row.label or row.id,
            cells=tuple(
                record.Cell(
                    address=f"{name}.{row.id}.{column.id}",
                    printed=printed,
                    source=row.source,
                    experiment=row.experiment_of(column.id),
                    copied_from=row.copied_from,
                )
                for column, printed in zip(table.columns, row.values, strict=True)
            ),
        )
        for row in table.rows
    )
    return record.TableRecord(
        id=name,
        label=table.where.label or name,
        caption=table.caption,
        columns=columns,
        rows=rows,
        page=table.where.page,
    )


def _dataset_of(table: Table, column: str) -> str | None:
    return next((held.dataset for held in table.columns if held.id == column), None) or table.dataset


def _grid(table: Table) -> Grid:
    return Grid({column.id: column.metric for column in table.columns}, tuple(row.id for row in table.rows))


def load(path: Path, *, known: KnownNames | None = None) -> Paper:
    """The paper of a claim file; with `known`, its experiments may name nothing else.

    Raises `ClaimFileError` with every problem of the file as `file:line: key.path: what, and what to do`.
    """
    source = claim_source.read(path)
    problems = [*source.problems, *claim_checks.problems(source.content, known)]
    paper = None
    try:
        paper = Paper.model_validate(source.content)
    except ValidationError as err:
        problems += sentences(err, Paper, source)
    problems.sort(key=source.line)
    if problems or paper is None:
        messages = [source.message(problem) for problem in problems]
        raise ClaimFileError(list(dict.fromkeys(messages)))  # an unknown row is found for each metric
    return paper


def builtin_claims() -> list[Path]:
    """The claim files that come with the toolkit, by name."""
    return sorted(Path(str(resources.files("claims"))).glob("*.yaml"))


def json_schema() -> dict[str, Any]:
    """JSON Schema of a claim file, for editors that complete and check while typing."""
    return {
        **Paper.model_json_schema(by_alias=True),
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Claim file",
    }
