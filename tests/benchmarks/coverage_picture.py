"""The picture of docs/statistics.md: how often intervals hold, a dot for each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 760, 320, 52, 16, 46
LOWEST, HIGHEST = 0.9, 1.0
LEAST, MOST = 0.93, 0.97  # what every cell has to reach, and what the average may not exceed
LEGEND = "units of a version; dashed: every cell at least .93, on average at most .97"
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #4a5260 } .axis { stroke: #c3c9d3 }
.limit { stroke: #b3261e; stroke-dasharray: 5 4 } .mean { stroke: #1d2430; stroke-width: 2.5 }
.cells { stroke: #2f6fd6; stroke-width: 4; stroke-linecap: round; stroke-opacity: .45; fill: none }
@media (prefers-color-scheme: dark) {
  text { fill: #b7bfcc } .axis { stroke: #4a5260 } .mean { stroke: #eef1f6 }
  .limit { stroke: #ff8a80 } .cells { stroke: #7fb0ff }
}
"""


def coverage_picture(cells: Mapping[int, Sequence[float]], means: Mapping[int, float]) -> str:
    """An SVG: for each number of units the coverage of every cell, and their mean, against the two limits.

    Args:
        cells: Units -> the coverage of each cell.
        means: Units -> the coverage of all cells together.
    """
    band = (WIDTH - LEFT) / len(cells)
    parts = [_grid(share / 100) for share in range(90, 101, 2)]
    parts += [_line("limit", LEFT, WIDTH, limit) for limit in (LEAST, MOST)]
    for number, (units, shares) in enumerate(cells.items()):
        start = LEFT + number * band
        step = 0.7 * band / max(len(shares) - 1, 1)
        dots = "".join(
            f"M{start + 0.15 * band + at * step:.1f} {_y(each):.1f}h0" for at, each in enumerate(shares)
        )
        parts.append(f'<path class="cells" d="{dots}"/>')
        parts.append(_line("mean", start + 0.1 * band, start + 0.9 * band, means[units]))
        parts.append(
            f'<text x="{start + band / 2:.1f}" y="{HEIGHT - 26}" text-anchor="middle">{units}</text>'
        )
    parts.append(f'<text x="{(LEFT + WIDTH) / 2:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{LEGEND}</text>')
    title = "Coverage of 95% intervals, by number of units"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">'
        f"<title>{title}</title><style>{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def _y(share: float) -> float:
    """The y coordinate of a share, at least that of the lowest share shown."""
    height = HEIGHT - TOP - BOTTOM
    return TOP + height * (HIGHEST - max(share, LOWEST)) / (HIGHEST - LOWEST)


def _line(kind: str, start: float, end: float, share: float) -> str:
    y = f"{_y(share):.1f}"
    return f'<line class="{kind}" x1="{start:.1f}" x2="{end:.1f}" y1="{y}" y2="{y}"/>'


def _grid(share: float) -> str:
    return (
        _line("axis", LEFT, WIDTH, share)
        + f'<text x="{LEFT - 8}" y="{_y(share) + 4:.1f}" text-anchor="end">{share:.2f}</text>'
    )
