"""`audit check`, and `audit validate`, `list` and `schema`: claim files and what their numbers say."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from audit.checks import findings_about
from audit.checks.sentences import models as of_models
from audit.checks.tables import sheet_of
from audit.claims.links import names_here
from audit.claims.load import Paper, check_keys, claim_paths, json_schema, load, own_file, papers_of
from audit.cli.app import OPTIONS, Folder, Words, app, command, say, say_json, say_on_stderr, say_table
from audit.errors import AuditError, Exit
from audit.names import counted, known_names, under, wrapped
from audit.record import Finding, untested
from audit.runner.models import count_weights as weights
from reimpl.metric_names import METRICS

if TYPE_CHECKING:
    from reimpl.models import KeyLine

#: In the order of the screen.
_RESULTS = ("inconsistent", "untestable", "consistent")
#: `Finding.part` -> its heading, in the order of the screen, which is that of the page.
_PARTS = {"own": "in the papers", "between": "between papers", "readme": "in the README of public code"}


@command(app, "check")
def check_command(
    claims: Words = None,
    *,
    explain: str | None = None,
    as_json: bool = False,
    count_weights: bool = False,
    models: Folder = None,
    everything: bool = False,
) -> int:
    """Check printed numbers against each other, their text and other papers."""
    papers = papers_of(claims)
    check_keys(papers)
    findings = findings_about(papers)
    if count_weights:  # what the models themselves say to statements about their sizes
        findings += [finding for paper in papers for finding in of_models(sheet_of(paper), weights)]
    asked = [finding for finding in findings if finding.id == explain]
    inconsistent = [finding for finding in asked or findings if finding.result == "inconsistent"]
    if explain is not None and not asked:
        raise AuditError(f"there is no finding {explain!r}; `audit check --all` names those there are")
    if as_json:
        found = [asdict(finding) for finding in asked or findings]
        say_json({"papers": [paper.paper.key for paper in papers], "findings": found})
    elif asked:
        say("\n".join(_explained(asked[0])))
    else:
        keys = {finding.id.partition(":")[0] for finding in findings}
        parts = {part: [it for it in findings if it.part(keys) == part] for part in _PARTS}
        for paper in papers:
            say("\n".join(wrapped(_summary(paper, findings, parts["own"]), 0, 2)))
        for part in ("between", "readme"):
            if parts[part]:
                say(f"{_PARTS[part]}: {_counts(parts[part])}")
        counts = Counter(finding.check for finding in inconsistent)
        shown = ", ".join(f"{check} {number}" for check, number in counts.most_common()) or "none"
        unread = sum(not finding.verified for finding in inconsistent)
        rest = f"{unread} of {len(inconsistent)} rest on numbers not yet checked against the printed page. "
        about = "More dots leave fewer innocent explanations. A finding is about numbers, not people. "
        about = about * bool(inconsistent)
        about += "--all shows consistent and untestable findings too, --explain ID one finding."
        say("\n".join(wrapped(f"inconsistent by check: {shown}. {rest if unread else ''}{about}")) + "\n")
        some = 0 < unread < len(inconsistent)  # else it is said above, of all or of none
        for part, those in parts.items():
            those = [it for it in those if everything or it.result == "inconsistent"]
            those.sort(key=lambda it: (_RESULTS.index(it.result), -it.weight))
            rows = [(_strength(it), "\n".join(_lines(it, some and not it.verified))) for it in those]
            if rows:
                say_table(("strength", _PARTS[part]), rows, spaced=True)
    return Exit.CONTRADICTED if inconsistent else Exit.OK


def _counts(findings: Sequence[Finding]) -> str:
    counts = Counter(finding.result for finding in findings)
    return ", ".join(f"{counts[result]} {result}" for result in ("inconsistent", "consistent", "untestable"))


def _strength(finding: Finding) -> str:
    if finding.result != "inconsistent":
        return finding.result
    full, empty = ("●", "○") if (sys.stdout.encoding or "").lower().startswith("utf") else ("*", "-")
    return full * finding.weight + empty * (5 - finding.weight)


def _lines(finding: Finding, unread: bool) -> list[str]:
    says, where = finding.says, finding.where
    lines = [finding.id]
    if says or where:
        lines.append(f"the text, in our words: {says} [{where}]" if says else where)
    lines.append(finding.arithmetic)
    if finding.note:
        lines.append(f"{'read as' if finding.claim else 'known from elsewhere'}: {finding.note}")
    if finding.result == "inconsistent" and finding.alternatives:
        lines.append(f"possible explanations: {'; '.join(finding.alternatives)}")
        lines += ["its numbers are not yet checked against the printed page"] if unread else []
    return lines


def _summary(paper: Paper, findings: Sequence[Finding], own: Sequence[Finding]) -> str:
    """`chen2022: 325 printed cells in 13 tables; 37 inconsistent, 267 consistent, 6 untestable`."""
    tables = paper.table_records()
    mine = [finding for finding in findings if finding.id.startswith(f"{paper.paper.key}:")]
    shown = _counts([finding for finding in mine if finding in own])
    numbers = sum(cell.printed is not None for table in tables for row in table.rows for cell in row.cells)
    left = untested(tables, mine)
    none = f"; no check could test {', '.join(left)}" if left else ""
    cells = f"{counted(numbers, 'printed cell')} in {counted(len(tables), 'table')}"
    return f"{paper.paper.key}: {cells}; {shown}{none}"


def _explained(finding: Finding) -> Iterator[str]:
    names = {"alternatives": "explanations", "weight": "strength"}
    for name, value in asdict(finding).items():
        texts = value if name == "alternatives" else [", ".join(value) if isinstance(value, tuple) else value]
        said = [{"True": "yes", "False": "no", "None": ""}.get(str(text), str(text)) for text in texts]
        yield from under(f"{names.get(name, name)}:", said, 15)


@command(app, "validate")
def validate_command(claims: Words = None, *, models: Folder = None) -> int:
    """Show every problem of claim files: file:line: key: what, and what to do."""
    code, known = Exit.OK, names_here(configs=True)
    for path in claim_paths(claims):
        try:
            paper = load(path, known=known)
        except AuditError as err:
            say_on_stderr(str(err))
            code = Exit.BAD_INPUT
        else:
            parts = {"table": paper.tables, "experiment": paper.single_experiments, "claim": paper.claims}
            sizes = ", ".join(counted(len(those), noun) for noun, those in parts.items())
            records = counted(len(paper.claim_records()), "judgement")
            name = path if path in map(Path, claims or ()) else path.stem
            say(f"{name}: valid; {sizes} ({records})")
    return code


@command(app, "schema")
def schema_command() -> int:
    """Print the JSON Schema of claim files."""
    say_json(json_schema(), 2)
    return Exit.OK


@command(app, "list")
def list_command(claims: Words = None, *, models: Folder = None, everything: bool = False) -> int:
    """Show papers, their claims and experiments, and names for claim files."""
    words, lines, sorts = claims or [], list[str](), OPTIONS["lists"]
    if words[:1] == ["model"] and len(words) == 2:
        lines += model_lines(words[1])
    elif len(words) == 1 and words[0] in sorts:
        say_on_stderr(sorts[words[0]])
        of = {} if words == ["training"] else _names(words[0])
        lines += (line for name, text in of.items() for line in wrapped(f"{name:20} {text}".rstrip(), 0, 4))
        lines += training_lines() if words == ["training"] else ()
    elif words and words[0].isalpha() and own_file(words[0]) is None:
        wrong = words[words[0] in sorts]
        own = (path.stem for path in (*Path().glob("*.yaml"), *claim_paths(None)))
        known = f"{known_names(wrong, [*sorts, 'model NAME', *own])}; `audit list` shows the papers"
        raise AuditError(f"there is no paper or list {wrong!r}; {known}")
    elif words:
        lines += (line for paper in papers_of(words) for line in _paper_lines(paper, everything))
    else:
        for paper in papers_of(None):
            single = paper.single_experiments.values()
            can = sum(not experiment.unavailable for experiment in single)
            sizes = f"{can} of {counted(len(single), 'experiment')} can be run here"
            lines += wrapped(f"{_titled(paper)}. {counted(len(paper.claims), 'claim')}; {sizes}", 0, 2)
        unit = "An experiment is one model with its settings on one data set."
        lines += ["", *wrapped(f"{unit} `audit list PAPER` shows claims and experiments of one paper.")]
        lines += wrapped(f"`audit list WORD` shows names for claim files: {', '.join(sorts)}, model NAME.")
    for line in lines:
        say(line)
    return Exit.OK


def _names(sort: str) -> Mapping[str, str]:
    from reimpl.data.formats import READERS
    from reimpl.models import models, protocols, recipes, tunings

    if sort == "readers":
        return {name: reader.title for name, reader in READERS.items()}
    if sort == "metrics":
        return {f"{name}@k" if has_k else name: "" for name, has_k in METRICS.items()}
    lists = {"models": models, "protocols": protocols, "recipes": recipes, "tuning": tunings}
    return lists[sort]()


def _titled(paper: Paper) -> str:
    year = f" ({paper.paper.year})" if paper.paper.year else ""
    return f"{paper.paper.key}: {paper.paper.title}{year}"


def _paper_lines(paper: Paper, everything: bool) -> Iterator[str]:
    """What is primary and what can be run, then the rest: its numbers only, unless all is asked for."""
    parts: dict[str, list[str]] = {"primary claims": [], "experiments": []}
    rest: dict[str, list[str]] = {"other claims": [], "experiments that cannot be run here": []}
    for claim in paper.claims:
        of = parts["primary claims"] if claim.primary else rest["other claims"]
        of.append(f"{claim.id} ({claim.kind}): {claim.says}")
    for name, experiment in paper.experiments.items():
        how = f"model {experiment.model}, variant {experiment.variant}, protocol {experiment.protocol}"
        how += f", tuned by {experiment.tuning.protocol}" if experiment.tuning else ""
        how = f"its own command: {' '.join(experiment.command.run)}" if experiment.command else how
        how = f"not available: {experiment.unavailable}" if experiment.unavailable else how
        of = rest["experiments that cannot be run here"] if experiment.unavailable else parts["experiments"]
        on = f" on {', '.join(experiment.datasets)}" if experiment.datasets else ""
        of.append(f"{name}{'-DATASET' * bool(on)}: {experiment.title}{on} [{how}]")
    yield from wrapped(_titled(paper), 0, 2)
    for title, texts in {**parts, **(rest if everything else {})}.items():
        yield from ([f"  {title}"] if texts else [])
        yield from (line for text in texts for line in wrapped(text, 4, 8))
    if not everything and any(rest.values()):
        cannot = sum(bool(experiment.unavailable) for experiment in paper.single_experiments.values())
        numbers = zip((len(rest["other claims"]), cannot), rest, strict=True)
        left = " and ".join(f"{number} {title}" for number, title in numbers if number)
        yield from wrapped(f"{left}: `audit list {paper.paper.key} --all`", 2)


def model_lines(name: str) -> Iterator[str]:
    """Variants and keys of a model. Imports it; raises `reimpl.errors.ConfigError` for an unknown one."""
    from reimpl.losses import LOSSES
    from reimpl.models import find_model, keys_of, known_bases, models, sources_of_models, variants_of

    module = find_model(name)
    yield from wrapped(f"model {name}: {models()[name]}")
    yield f"from {sources_of_models()[name]}"
    yield "\nvariants, named by `variant:`"
    for variant, (comment, sets) in variants_of(module).items():
        yield f"  {variant}"
        yield from wrapped(comment, 6)
        if sets:
            yield from wrapped("sets " + ", ".join(f"{key}: {value}" for key, value in sets.items()), 6)
    yield "\nkeys of `config:`"
    keys = keys_of(module.Config)
    yield from _keys(keys)
    yield ""
    if "base_variant" in module.Config.__dataclass_fields__:
        bases = ", ".join(known_bases())
        yield from wrapped(f"base is one of {bases}; base_config has keys of that one")
    if any(key.name == "loss" and key.type.startswith("text") for key in keys):
        yield from wrapped(f"loss is one of {', '.join(LOSSES)}")


def training_lines() -> Iterator[str]:
    """The fields of a protocol that an experiment may change. No defaults: each protocol has its own."""
    from reimpl.data.splits import RULES
    from reimpl.models import keys_of
    from reimpl.protocol import KEYS, Protocol

    yield from _keys(replace(key, default=None) for key in keys_of(Protocol) if key.name in KEYS)
    yield ""
    yield from wrapped(f"hold_out is one of {', '.join(RULES)}")


def _keys(keys: Iterable[KeyLine]) -> Iterator[str]:
    for key in keys:
        yield f"  {key.name}: {key.type}{'' if key.default is None else f'; default {key.default}'}"
        yield from wrapped(key.says, 6)
