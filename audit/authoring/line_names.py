"""Labels and ids of rows and columns."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from audit.authoring.headings import Meaning


def ids(names: Sequence[tuple[str, ...]], meanings: Sequence[Meaning]) -> list[str]:
    """For each row its innermost name as an id, or all of its names where that is not enough; "" for none.

    A name that says a data set or a metric stands aside where there is another.
    """
    inner = [slug((found.rest or own or ("",))[-1]) for own, found in zip(names, meanings, strict=True)]
    counted = Counter(inner)
    return [
        slug(" ".join(own)) if counted[short] > 1 else short for own, short in zip(names, inner, strict=True)
    ]


def slug(text: str) -> str:
    """Letters, digits and _ of a text, for an id: `Kim-CNN (words)` is kim_cnn_words."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().casefold()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:40].strip("_")
