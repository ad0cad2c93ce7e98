"""Unknown names are answered with the known ones."""

from __future__ import annotations

from collections.abc import Iterable

#: What is said of a model that is not there.
OTHER_MODELS = "`--models DIR` adds those of a folder"

#: Longer lists of names help nobody.
SHOWN = 12


def known_names(name: str, names: Iterable[str]) -> str:
    """What to offer for a name that is not among `names`: `did you mean 'P@1'? Known: P@1, P@3`."""
    names = list(dict.fromkeys(names))
    if not names:
        return "none is known"
    listed = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    nearest = _nearest(name, names)
    return f"did you mean {nearest!r}? Known: {listed}" if nearest else f"known: {listed}"


def _nearest(name: str, names: list[str]) -> str | None:
    """The one that `name` begins, or else one that is spelled much like it, whatever the case."""
    from difflib import get_close_matches  # needed only once something is wrong

    folded = {other.casefold(): other for other in reversed(names)}
    begun = [other for other in folded if name and other.startswith(name.casefold())]
    close = begun[-1:] or get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None
