"""One style for all figures of a paper, and their bytes: the same data gives the same file.

Colours are those of Okabe and Ito, told apart by those who see few colours and, by their shapes, in grey.
Sizes are inches of a page of two columns; type is 7 to 8 points, so that no figure needs to be scaled.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from reports.strings import visible
from reports.wording import Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Format = Literal["svg", "pdf", "png"]
FORMATS: tuple[Format, ...] = ("svg", "pdf", "png")

#: Width of one column, and of both.
COLUMN, PAGE = 3.35, 6.9
INK, QUIET, BAND = "#1a1a1a", "#5c5c5c", "#dfe6ec"
COLOURS: dict[Status, str] = {
    "reproduced": "#009E73",
    "contradicted": "#D55E00",
    "inconclusive": "#56B4E9",
    "not_tested": "#999999",
}
#: Filled diamond, cross, hollow circle: told apart without colour.
MARKERS: dict[Status, str] = {"reproduced": "D", "contradicted": "X", "inconclusive": "o", "not_tested": "|"}
#: For lines that stand for seeds; each also has a dash of its own.
CYCLE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#1a1a1a")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)), (0, (3, 1)), (0, (1, 1)))

_STYLE: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same widths everywhere
    "font.size": 7.0,
    "text.parse_math": False,  # a dollar sign in a claim is a dollar sign
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.labelsize": 7.0,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 0.9,
    "savefig.dpi": 300,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "xmtc-audit",
    "pdf.fonttype": 42,
    "path.simplify": False,
}
#: What would put the clock or a version into a file.
_METADATA: dict[Format, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


#: The dashes of a printed number.
PRINTED = (0, (3, 1.5))


def new(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def mark(axes: Axes, x: float, y: float, status: Status, size: float = 5.5) -> None:
    """The shape and the colour of the verdict; hollow where it is open."""
    hollow = status in ("inconclusive", "not_tested")
    axes.plot(
        [x],
        [y],
        MARKERS[status],
        mfc="white" if hollow else COLOURS[status],
        mec=INK,
        ms=size,
        mew=0.8,
        zorder=5,
    )


@contextmanager
def style() -> Iterator[None]:
    """The style for what is drawn and saved inside; signs that the typeface lacks become boxes, unsaid."""
    import matplotlib

    settings: Any = matplotlib.rcParams
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        usual = dict(matplotlib.rcParamsDefault)
        settings.update({name: value for name, value in usual.items() if name != "backend"})
        settings.update(_STYLE)
        yield


def saved(figure: Figure, kind: Format, *, title: str, description: str) -> bytes:
    """The file's bytes; an SVG has its title and description, for those who do not see it."""
    out = io.BytesIO()
    figure.savefig(out, format=kind, metadata=_METADATA[kind])
    content = out.getvalue()
    return _described(content.decode(), title, description).encode() if kind == "svg" else content


def _described(svg: str, title: str, description: str) -> str:
    start = svg.index("<svg")
    end = svg.index(">", start)
    said = f"<title>{_text(title)}</title>\n <desc>{_text(description)}</desc>"
    return f'{svg[:end]} role="img">\n {said}{svg[end + 1 :]}'


def _text(text: str) -> str:
    return escape(visible(text))
