"""Figures for a paper: the drawings of the page by matplotlib in one style, with the same bytes."""

from __future__ import annotations

import io
import warnings
from html import escape
from typing import Any, Literal, NamedTuple

from audit.record import Audit
from reports import cards, svg
from reports.lookup import Lookup, by_claim, by_runs
from reports.sentences import SCOPE_WORDS, subject_of
from reports.text import line, slug, unique_slugs, visible

Format = Literal["svg", "pdf", "png"]
FORMATS: tuple[Format, ...] = ("svg", "pdf", "png")
#: So many rows in one figure.
ROWS = 40


class PaperFigure(NamedTuple):
    """One file, what it says to those who do not see it, and its drawing."""

    name: str  # Of the file, without its ending.
    title: str
    drawing: svg.Drawing


def drawn_figures(audit: Audit) -> list[PaperFigure]:
    """Sums first, then learning curves, then one figure for each claim that was judged, and its readings."""
    index, figures = Lookup(audit), []
    for name, (title, axis, rows) in zip(("values", "comparisons"), cards.overview(index), strict=True):
        for k in range(0, len(rows), ROWS):
            end = f"-{k // ROWS + 1}" if len(rows) > ROWS else ""
            drawing = svg.forest(rows[k : k + ROWS], axis, title, zero=0.0)
            figures.append(PaperFigure(name + end, title, drawing))
    runs = [same[0] for same in by_runs(audit.experiments)]
    files = unique_slugs("learning", [experiment.id for experiment in runs])
    for experiment in runs:
        if curves := svg.curves_of(experiment):
            on = "" if experiment.scope == "same_data" else f" ({SCOPE_WORDS[experiment.scope]})"
            title = f"{line(experiment.title or experiment.id, 72)}{on}"
            figures.append(PaperFigure(files[experiment.id], title, svg.learning_plot(curves)))
    for members in by_claim(audit.claims):
        name, title = index.card_anchors[members[0].id], line(index.claim_title(members[0]), 200)
        figures.append(PaperFigure(name, title, cards.card_plot(members, index)))
        for claim in members:
            file = f"{name}-readings-{slug(subject_of(claim))}"
            drawing = cards.curve(claim, index.verdicts[claim.id], index)
            figures.append(PaperFigure(file, f"{title}: readings", drawing))
    return [figure for figure in figures if figure.drawing.height]


# --------------------------------------------------------------------------- written by matplotlib

#: Units of a drawing an inch: it is as wide as one column of a paper.
_UNITS = svg.WIDTH / 3.35
_INK, _QUIET, _BAND = "#1a1a1a", "#5c5c5c", "#dfe6ec"
#: Kind of a line -> its colour, width in points, and dashes.
_LINES: dict[str, tuple[str, float, Any]] = {
    "zero": (_QUIET, 0.7, "-"),
    "target": (_INK, 0.8, (0, (3, 1.5))),
    "pi": (_QUIET, 1.0, ":"),
    "outer": (_INK, 0.8, "-"),
    "inner": (_INK, 2.4, "-"),
    "cross": ("#D55E00", 1.4, "-"),
    "span": (_INK, 0.7, "-"),
    "stem": (_QUIET, 0.6, ":"),
    "rail": (_BAND, 0.6, "-"),
    "run": (_QUIET, 0.6, "-"),
    "mean-line": (_INK, 1.6, "-"),
}
_DISCS = {"disc": "#009E73", "ring": "white", "taken": _QUIET}
_STYLE: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same widths everywhere
    "font.size": 6.5,
    "text.parse_math": False,  # a dollar sign in a claim is a dollar sign
    "text.color": _INK,
    "savefig.dpi": 300,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "xmtc-audit",
    "pdf.fonttype": 42,
    "path.simplify": False,
}
#: What would put the clock or a version into a file.
_METADATA: Any = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


def draw_figure(figure: PaperFigure, kind: Format) -> bytes:
    """One figure as a file; an SVG has its title and description, for those who do not see it."""
    import matplotlib

    out = io.BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        # signs that the typeface lacks become boxes, unsaid
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        usual = {name: value for name, value in matplotlib.rcParamsDefault.items() if name != "backend"}
        settings: Any = matplotlib.rcParams
        settings.update(usual | _STYLE)
        _figure(figure.drawing).savefig(out, format=kind, metadata=_METADATA[kind])
    if kind != "svg":
        return out.getvalue()
    start, _, rest = out.getvalue().decode().partition("<svg")
    attributes, _, body = rest.partition(">")
    title, said = (escape(visible(text)) for text in (figure.title, figure.drawing.title))
    head = f'<svg{attributes} role="img">\n <title>{title}</title>\n <desc>{said}</desc>'
    return f"{start}{head}{body}".encode()


def _figure(drawing: svg.Drawing) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(svg.WIDTH / _UNITS, drawing.height / _UNITS))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, svg.WIDTH), ylim=(drawing.height, 0), frameon=False)
    axes.set(xticks=[], yticks=[])
    for kind, lines in drawing.lines:
        colour, width, dashes = _LINES.get(kind, (_QUIET, 0.6, "-"))
        for points in lines:
            across, up = zip(*points, strict=True)
            if kind == "band":
                axes.fill(across, up, color=_BAND, linewidth=0)
            elif kind == "seed":
                axes.plot(across, up, "o", mfc="none", mec=_INK, ms=3.2, mew=0.7)
            else:
                axes.plot(across, up, color=colour, lw=width, ls=dashes, solid_capstyle="butt")
    for kind, x, y, r in drawing.discs:
        edge = _QUIET if kind == "taken" else _INK
        axes.plot([x], [y], "o", mfc=_DISCS[kind], mec=edge, ms=1.5 * r, mew=0.7, zorder=5)
    for kind, x, y, text in drawing.texts:
        align = {"start": "left", "middle": "center", "end": "right"}[kind.rpartition("-")[2]]
        axes.text(x, y, visible(text), ha=align, va="baseline")
    return figure
