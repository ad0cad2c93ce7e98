"""`audit validate`, `audit list` and `audit schema`: claim files, the names in them, the shape of files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from audit.claims.links import names_here
from audit.claims.load import json_schema, load
from audit.claims.papers import claim_paths, papers_of
from audit.cli.app import Folder, Words, app, command, say, say_on_stderr, wrapped
from audit.errors import AuditError, Exit
from audit.names import counted

if TYPE_CHECKING:
    from reimpl.models import KeyLine


@command(app, "validate")
def validate_command(claims: Words = None, *, models: Folder = None) -> int:
    """Check claim files: every problem of every file, as file:line: key: what, and what to do."""
    code, known = Exit.OK, names_here(configs=True)
    for path in claim_paths(claims):
        try:
            paper = load(path, known=known)
        except AuditError as err:
            say_on_stderr(str(err))
            code = Exit.BAD_INPUT
        else:
            sizes = [counted(len(paper.tables), "table"), counted(len(paper.experiments), "experiment")]
            records = counted(len(paper.claim_records()), "number")
            say(f"{path}: valid; {', '.join(sizes)}, {counted(len(paper.claims), 'claim')} over {records}")
    return code


@command(app, "schema")
def schema_command() -> int:
    """Print the JSON Schema of claim files."""
    say(json.dumps(json_schema(), indent=2, ensure_ascii=False))
    return Exit.OK


@command(app, "list")
def list_command(claims: Words = None, *, models: Folder = None) -> int:
    """Show papers, their experiments and claims, and the names that a claim file may use."""
    from reimpl.data.formats import READERS
    from reimpl.metric_names import METRICS
    from reimpl.models import known_models, protocols, recipes, sources_of_models, tunings

    words = claims or []
    choices = {"protocols": protocols, "recipes": recipes, "tuning": tunings}
    readers = {name: f"this toolkit ({reader.title})" for name, reader in READERS.items()}
    metrics = {f"{name}@k" if has_k else name: "this toolkit" for name, has_k in METRICS.items()}
    lists = {"metrics": lambda: metrics, "readers": lambda: readers}
    sorts = {"models": sources_of_models, **lists, **choices}
    if words[:1] == ["model"]:
        if len(words) != 2:
            raise AuditError(f"list model: name one of {', '.join(known_models())}")
        lines: Iterable[str] = model_lines(words[1])
    elif words == ["training"]:
        lines = training_lines()
    elif len(words) == 1 and words[0] in sorts:
        lines = (f"{name:20} {source}" for name, source in sorts[words[0]]().items())
    else:
        lines = [*_paper_lines(claims)]
        for key, named in choices.items():
            lines.append(f"{key.removesuffix('s')}:")
            lines += [line for name, text in named().items() for line in wrapped(f"{name:20} {text}", 2, 6)]
    for line in lines:
        say(line)
    return Exit.OK


def _paper_lines(claims: list[str] | None) -> Iterator[str]:
    for paper in papers_of(claims):
        yield from wrapped(f"{paper.paper.key}: {paper.paper.title} ({paper.paper.year})", 0, 2)
        yield "  experiments"
        for name, experiment in paper.experiments.items():
            how = f"{experiment.model}, {experiment.variant}, {experiment.protocol}"
            how += f", tuned by {experiment.tuning.protocol}" if experiment.tuning else ""
            how = f"its own command: {' '.join(experiment.command.run)}" if experiment.command else how
            how = f"not available: {experiment.unavailable}" if experiment.unavailable else how
            yield from wrapped(f"{name}: {experiment.title} [{how}]", 4, 8)
        yield "  claims, primary ones with *"
        for claim in paper.claims:
            yield from wrapped(f"{claim.id} ({claim.kind}){' *' * claim.primary}: {claim.says}", 4, 8)
    for model, variants in names_here().models.items():
        named = ", ".join(variants) if variants else "variants not known without loading it"
        yield from wrapped(f"model {model}: {named}", 0, 4)


def model_lines(name: str) -> Iterator[str]:
    """Variants and keys of a model. Imports it; raises `reimpl.errors.ConfigError` for an unknown one."""
    from reimpl.losses import LOSSES
    from reimpl.models import find_model, keys_of, known_bases, sources_of_models, variants_of

    module = find_model(name)
    title = (module.__doc__ or "").strip().partition("\n")[0]
    yield from wrapped(f"model {name}: {title}".rstrip(": "))
    yield f"from {sources_of_models()[name]}"
    yield "\nvariants, named by `variant:`"
    for variant, (comment, sets) in variants_of(module).items():
        yield f"  {variant}"
        yield from wrapped(comment, 6)
        if sets:
            yield from wrapped("sets " + ", ".join(f"{key}: {value}" for key, value in sets.items()), 6)
    yield "\nkeys, set by `config:`"
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

    yield from wrapped(
        "keys, set by `training:`; what is left out is as `protocol:` has it (`audit list protocols`)"
    )
    yield from _keys(replace(key, default=None) for key in keys_of(Protocol) if key.name in KEYS)
    yield ""
    yield from wrapped(f"hold_out is one of {', '.join(RULES)}")


def _keys(keys: Iterable[KeyLine]) -> Iterator[str]:
    for key in keys:
        yield f"  {key.name}: {key.type}{'' if key.default is None else f'; default {key.default}'}"
        yield from wrapped(key.says, 6)
