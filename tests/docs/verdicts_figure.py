"""The figure of docs/how-verdicts-are-made.md: made runs, and the verdicts that the statistics give on them.

python -m tests.docs.verdicts_figure            # renews docs/verdicts.svg
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.kinds.value import value
from audit.stats.decision import Test
from audit.stats.printed import printed
from tests.docs.guides import DOCS

PRINTED, MARGIN = "75.73", 0.5
FILE = DOCS / "verdicts.svg"

#: Percent P@1 of made runs -> the verdict that they are drawn for.
ROWS: dict[str, tuple[float, ...]] = {
    "reproduced": (75.86, 75.64, 75.78, 75.90, 75.72),
    "contradicted": (73.62, 73.85, 73.41, 73.70, 73.92),
    "inconclusive": (76.35, 75.13, 75.86),
}
LEFT, RIGHT, TOP, STEP, WIDTH = 73.0, 77.5, 48, 46, 640
INK = {"reproduced": "#1b7f4d", "contradicted": "#b3261e", "inconclusive": "#6b5a00"}


def tested(runs: Sequence[float]) -> Test:
    return value(runs, reported=printed(PRINTED), margin=MARGIN)


def x(percent: float) -> float:
    """Place on the page, in pixels."""
    return round(130 + (percent - LEFT) / (RIGHT - LEFT) * (WIDTH - 150), 1)


def figure() -> str:
    """The SVG: the margin as a band, a row of dots and an interval for each verdict."""
    height = TOP + STEP * len(ROWS) + 30
    number = float(PRINTED)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="13" role="img" aria-label="Three verdicts">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<rect x="{x(number - MARGIN)}" y="30" width="{x(number + MARGIN) - x(number - MARGIN):.1f}" '
        f'height="{height - 60}" fill="#e4ecf7"/>',
        f'<path d="M{x(number)} 30V{height - 30}" stroke="#1f4e8c" stroke-dasharray="4 3"/>',
        f'<text x="{x(number)}" y="20" text-anchor="middle">printed {PRINTED} ± margin {MARGIN}</text>',
    ]
    for place, (verdict, runs) in enumerate(ROWS.items()):
        parts += _row(verdict, runs, TOP + STEP * place + 14)
    for tick in range(74, 78):
        parts.append(f'<text x="{x(tick)}" y="{height - 10}" text-anchor="middle" fill="#555">{tick}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _row(verdict: str, runs: Sequence[float], y: int) -> Iterator[str]:
    low, high = tested(runs).ci90 or (0.0, 0.0)
    ink = INK[verdict]
    yield f'<text x="10" y="{y + 5}" fill="{ink}">{verdict}</text>'
    yield f'<path d="M{x(low)} {y}H{x(high)}" stroke="{ink}" stroke-width="6" stroke-opacity=".45"/>'
    for run in runs:
        yield f'<circle cx="{x(run)}" cy="{y}" r="3.5" fill="{ink}"/>'


if __name__ == "__main__":
    FILE.write_text(figure())
