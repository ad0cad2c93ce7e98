"""What other packages offer through entry points: found by name without loading, and never able to break us.

    [project.entry-points."xmtc_audit.models"]
    their_net = "their_package.net"             # a module, see `reimpl.models`
    [project.entry-points."xmtc_audit.readers"]
    their_format = "their_package.data:READER"  # a `reimpl.data.formats.base.Reader` of that name

A name of ours stays ours, and a name that two packages offer is nobody's until one of them is gone. What
cannot be loaded is named in a `PluginWarning`, once, and left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from reimpl.errors import ConfigError

MODELS, READERS = "xmtc_audit.models", "xmtc_audit.readers"


class PluginWarning(UserWarning):
    """What another package offers cannot be used; one sentence that names it and says what to do."""


@dataclass(frozen=True)
class Offer:
    """One thing that a package offers under a name."""

    point: EntryPoint

    @property
    def word(self) -> str:
        """`model 'theirs'`, as in a sentence."""
        return f"{self.point.group.removeprefix('xmtc_audit.').removesuffix('s')} {self.point.name!r}"

    @property
    def package(self) -> str:
        """Its name and version."""
        dist = getattr(self.point, "dist", None)
        return f"{dist.name} {dist.version}" if dist else "a package without a name"

    @property
    def source(self) -> str:
        """`toyxmtc 0.3 (toyxmtc.net)`: the package with its version, and the object."""
        return f"{self.package} ({self.point.value})"

    def load(self) -> Any:
        """The object. Raises `ConfigError` with whatever went wrong while another's module was imported."""
        try:
            return self.point.load()
        except (Exception, SystemExit) as err:
            why = " ".join(f"{type(err).__name__}: {err}".split())
            what = f"{self.word}: {self.point.value!r} cannot be imported ({why})"
            raise ConfigError(f"{what}; install {self.package} anew") from err


@dataclass(frozen=True)
class Offered:
    """All of one group."""

    there: Mapping[str, Offer]  # Name -> what is used under it
    refused: Mapping[str, str]  # Name -> why nothing of another package is used under it, in one sentence

    def find(self, name: str) -> Offer | None:
        """Raises `ConfigError` for a name that two packages offer."""
        if name in self.refused:
            raise ConfigError(self.refused[name])
        return self.there.get(name)


def offered(group: str, *, own: Collection[str] = ()) -> Offered:
    """What all installed packages offer in a group; `own` are the names that are ours."""
    by_name: dict[str, list[Offer]] = {}
    for point in _points(group):
        by_name.setdefault(point.name, []).append(Offer(point))
    there, refused = {}, {}
    for name, offers in by_name.items():
        sources = " and ".join(offer.source for offer in offers)
        if name in own:
            refused[name] = f"{offers[0].word} of {sources} has the name of one of ours, which is used"
        elif len(offers) > 1:
            refused[name] = f"{offers[0].word} is offered by {sources}; uninstall one of them"
        else:
            there[name] = offers[0]
    return Offered(there, refused)


@cache
def _points(group: str) -> tuple[EntryPoint, ...]:
    """Each once: a package that is found at two places of the path is one package."""
    points = entry_points(group=group)
    return tuple({(it.name, it.value, it.dist.name if it.dist else ""): it for it in points}.values())


def load_all(group: str, *, own: Collection[str], check: Callable[[str, Any], str | None]) -> dict[str, Any]:
    """Name -> object of all that can be loaded and in which `check` finds nothing amiss; the rest is told."""
    offers, usable = offered(group, own=own), {}
    for why in offers.refused.values():
        tell(why)
    for name, offer in offers.there.items():
        try:
            thing = offer.load()
        except ConfigError as err:
            tell(f"{err}; it is left out")
            continue
        if amiss := check(name, thing):
            tell(f"{offer.word} of {offer.source} {amiss}; it is left out")
        else:
            usable[name] = thing
    return usable


_warned: set[str] = set()


def tell(why: str) -> None:
    """Once a process: many steps of a run may come upon the same."""
    if why not in _warned:
        _warned.add(why)
        warnings.warn(why, PluginWarning, stacklevel=3)
