"""`audit validate`, `audit list` and `audit schema`: claim files, the names in them, the shape of files."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from audit.cli.app import app, claim_paths, known_names, papers_of, say
from audit.cli.options import command
from audit.errors import AuditError, Exit
from audit.names import counted

if TYPE_CHECKING:
    from reimpl.described import KeyLine

_WIDTH = 100


@command(app, "validate")
def validate_command(
    claims: list[str] | None = None,
    *,
    models: Path | None = None,
) -> int:
    """Check claim files: every problem of every file, as file:line: key: what, and what to do."""
    from audit.claims.load import load

    code, known = Exit.OK, known_names(configs=True)
    for path in claim_paths(claims):
        try:
            paper = load(path, known=known)
        except AuditError as err:
            print(err, file=sys.stderr)
            code = Exit.BAD_INPUT
        else:
            sizes = [counted(len(paper.tables), "table"), counted(len(paper.experiments), "experiment")]
            records = counted(len(paper.claim_records()), "number")
            say(f"{path}: valid; {', '.join(sizes)}, {counted(len(paper.claims), 'claim')} over {records}")
    return code


@command(app, "schema")
def schema_command(
    of: str,
    *,
    markdown: bool = False,
) -> int:
    """Print the JSON Schema of claim files or of audit.json."""
    from audit.claims.load import json_schema
    from audit.schema_pages import audit_markdown, audit_schema, claim_markdown

    if of not in ("claim", "audit"):
        raise AuditError(f"{of!r} has no schema; known are claim and audit")
    if markdown:
        say((claim_markdown() if of == "claim" else audit_markdown()).rstrip("\n"))
    else:
        schema = json_schema() if of == "claim" else audit_schema()
        say(json.dumps(schema, indent=2, ensure_ascii=of == "audit"))
    return Exit.OK


@command(app, "list")
def list_command(
    claims: list[str] | None = None,
    *,
    models: Path | None = None,
) -> int:
    """Show papers, their experiments and claims, and the names that a claim file may use."""
    from reimpl import described
    from reimpl.models import known_models, sources_of_models

    words = claims or []
    sorts = {
        "models": sources_of_models,
        "metrics": _metrics,
        "readers": _readers,
        "protocols": described.protocols,
        "recipes": described.recipes,
        "tuning": described.tunings,
    }
    if words[:1] == ["model"]:
        if len(words) != 2:
            raise AuditError(f"list model: name one of {', '.join(known_models())}")
        lines: Iterable[str] = model_lines(words[1])
    elif words == ["training"]:
        lines = training_lines()
    elif len(words) == 1 and words[0] in sorts:
        lines = (f"{name:20} {source}" for name, source in sorts[words[0]]().items())
    else:
        lines = (*_paper_lines(claims), *named_choices())
    for line in lines:
        say(line)
    return Exit.OK


def _paper_lines(claims: list[str] | None) -> Iterator[str]:
    for paper in papers_of(claims):
        published = " ".join(str(it) for it in (paper.paper.venue, paper.paper.year) if it is not None)
        yield f"{paper.paper.key}: {paper.paper.title}{f' ({published})' if published else ''}"
        yield "  experiments"
        for name, it in paper.experiments.items():
            how = f"{it.model}, {it.variant}, {it.protocol}"
            how += f", tuned by {it.tuning.protocol}" if it.tuning else ""
            how = f"its own command: {' '.join(it.command.run)}" if it.command else how
            how = f"not available: {it.unavailable}" if it.unavailable else how
            yield f"    {name:18} {it.title} [{how}]"
        yield "  claims"
        for claim in paper.claims:
            yield f"    {claim.id:28} {claim.kind:11} {'*' if claim.primary else ' '} {claim.says}"
    for model, variants in known_names().models.items():
        yield f"model {model}: {', '.join(variants) if variants else 'variants not known without loading it'}"


def named_choices() -> Iterator[str]:
    """Protocols, recipes and tuning protocols, a line each under the key that names them."""
    from reimpl import described

    choices = {"protocol": described.protocols, "recipe": described.recipes, "tuning": described.tunings}
    for key, named in choices.items():
        yield f"{key}:"
        yield from (f"  {name:20} {text}" for name, text in named().items())


def _metrics() -> dict[str, str]:
    from reimpl.metric_names import METRICS

    return {f"{name}@k" if has_k else name: "this toolkit" for name, has_k in METRICS.items()}


def _readers() -> dict[str, str]:
    """Name -> where it comes from."""
    from reimpl import plugins
    from reimpl.data.formats import READERS, readers

    ours = {name: f"this toolkit ({it.title})" for name, it in READERS.items()}
    offers, usable = plugins.offered(plugins.READERS, own=READERS), {*readers()}
    return ours | {name: it.source for name, it in offers.there.items() if name in usable}


def model_lines(name: str) -> Iterator[str]:
    """Variants and keys of a model. Imports it; raises `reimpl.errors.ConfigError` for an unknown one."""
    from reimpl.described import keys_of, variants_of
    from reimpl.losses import LOSSES
    from reimpl.models import find_model, known_bases, sources_of_models

    module = find_model(name)
    title = (module.__doc__ or "").strip().partition("\n")[0]
    yield f"model {name}: {title}".rstrip(": ")
    yield f"from {sources_of_models()[name]}"
    yield "\nvariants, named by `variant:`"
    for variant, (comment, sets) in variants_of(module).items():
        yield f"  {variant}"
        yield from _wrapped(comment)
        if sets:
            yield from _wrapped("sets " + ", ".join(f"{key}: {value}" for key, value in sets.items()))
    yield "\nkeys, set by `config:`"
    keys = keys_of(module.Config)
    yield from _keys(keys)
    yield ""
    if "base_variant" in module.Config.__dataclass_fields__:
        yield f"base is one of {', '.join(known_bases())}; base_config has keys of that one"
    if any(it.name == "loss" and it.type.startswith("text") for it in keys):
        yield f"loss is one of {', '.join(LOSSES)}"


def training_lines() -> Iterator[str]:
    """The fields of a protocol that an experiment may change. No defaults: each protocol has its own."""
    from reimpl.data.splits import RULES
    from reimpl.described import keys_of
    from reimpl.protocol import KEYS, Protocol

    yield "keys, set by `training:`; what is left out is as `protocol:` has it (`audit list protocols`)"
    yield from _keys(replace(it, default=None) for it in keys_of(Protocol) if it.name in KEYS)
    yield f"\nhold_out is one of {', '.join(RULES)}"


def _keys(keys: Iterable[KeyLine]) -> Iterator[str]:
    for it in keys:
        default = "" if it.default is None else f"; default {it.default}"
        yield f"  {it.name}: {it.type}{default}"
        yield from _wrapped(it.says)


def _wrapped(text: str) -> Iterator[str]:
    yield from textwrap.wrap(text, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)
