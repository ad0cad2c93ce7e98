"""Unknown names are answered with the known ones."""

from __future__ import annotations

from collections.abc import Iterable

#: Longer lists of names help nobody.
_SHOWN = 12


def known_names(name: str, names: Iterable[str]) -> str:
    """What to offer for a name that is not among `names`: `did you mean 'P@1'? Known: P@1, P@3`."""
    from difflib import get_close_matches  # needed only once something is wrong

    names = list(dict.fromkeys(names))
    folded = {other.casefold(): other for other in names}
    close = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    listed = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    if not names:
        return "none is known"
    return f"did you mean {folded[close[0]]!r}? Known: {listed}" if close else f"known: {listed}"
