"""What takes two places of a claim file to see about its readings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from audit.claim_names import FileNames, PlainMapping, counted, entries, mapping, repeated, sequence, unknown
from audit.claim_source import KeyPath, Plain, Problem
from audit.readings import MOST, Limit, how_many


def problems(names: FileNames) -> Iterator[Problem]:
    """Choices that set nothing or the same, what is open nowhere or is not there, and too large grids."""
    readings = mapping(names.content.get("readings"))
    there = mapping(readings.get("open"))
    for name, entry in there.items():
        yield from _in_choices(("readings", "open", name, "choices"), mapping(mapping(entry).get("choices")))
    used = set[str]()
    for path, entry in entries(names.content, "experiments"):
        listed = [it for it in sequence(entry.get("readings")) if isinstance(it, str)]
        used.update(listed)
        yield from _in_experiment(path, entry, there)
        yield from _too_many(path, listed, there, readings.get("limit"))
    for name in there:
        if name not in used:
            text = "is open in no experiment; name it in the readings of one, or drop it"
            yield Problem(("readings", "open", name), text)


def _in_choices(path: KeyPath, choices: PlainMapping) -> Iterator[Problem]:
    """The first is the experiment itself, and no two are the same."""
    held: dict[str, str] = {}
    for index, (name, choice) in enumerate(choices.items()):
        if not isinstance(choice, Mapping):
            continue  # `audit.claim_model` says so
        if index == 0 and choice:
            text = "is the default, which is the experiment itself; write {} here, and this choice after it"
            yield Problem((*path, name), text)
            continue
        content = repr(_sorted(choice))
        if content in held:
            text = f"sets the same as choice {held[content]!r}; keep one of them"
            yield Problem((*path, name), text)
        held.setdefault(content, str(name))


def _sorted(value: Plain) -> Plain:
    """The same whatever the order of keys; empty keys set nothing."""
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value) if value[key] != {}}
    return value


def _in_experiment(path: KeyPath, entry: PlainMapping, there: PlainMapping) -> Iterator[Problem]:
    listed = sequence(entry.get("readings"))
    yield from repeated(path, "readings", listed)
    keys: dict[str, str] = {}
    for index, name in enumerate(listed):
        yield from unknown((*path, "readings", index), name, "open choice", there)
        choices = mapping(mapping(there.get(str(name))).get("choices"))
        for key in dict.fromkeys(key for choice in choices.values() for key in _keys(mapping(choice))):
            if keys.setdefault(key, str(name)) != name:
                text = f"{name!r} sets {key}, which {keys[key]!r} sets too; make one open choice of the two"
                yield Problem((*path, "readings", index), text)


def _too_many(path: KeyPath, listed: Sequence[str], there: PlainMapping, limit: Plain) -> Iterator[Problem]:
    held = (mapping(mapping(there.get(name)).get("choices")) for name in dict.fromkeys(listed))
    sizes = [len(choices) for choices in held if choices]
    whole: Limit = "full" if limit == "full" else "one_at_a_time"
    if (number := how_many(sizes, whole)) > MOST:
        text = f"makes {counted(number, 'reading')}, and {MOST} are the most; leave some out"
        advice = ", or set limit: one_at_a_time" if whole == "full" else ""
        yield Problem((*path, "readings"), text + advice)


def _keys(choice: PlainMapping) -> Iterator[str]:
    """`config.pooling`, `training.epochs`, `noise`."""
    for section in ("config", "training"):
        yield from (f"{section}.{key}" for key in mapping(choice.get(section)))
    yield from ("noise",) if choice.get("noise") else ()
