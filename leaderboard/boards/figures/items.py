"""Chart of the difficulty of items, and of how well each item separates strong from weak systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from django.urls import reverse

from evaluation import frames
from evaluation.core.statistics.items import LEAST_SYSTEMS, chance_bound
from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.models import Version
from leaderboard.boards.charts.figure import Figure, rate_axis
from leaderboard.boards.charts.marks import Trace, leading_to, trace
from leaderboard.boards.figures import item_answers
from leaderboard.boards.figures.data import FiguresBoard
from leaderboard.boards.figures.item_answers import Items

if TYPE_CHECKING:
    from pandas import DataFrame

TITLE = "Difficulty and discrimination of items"
MOST_POINTS = 400  # of a chart; items are merged on coarser grids until they are no more
GRIDS = (0.01, 0.02, 0.05, 0.1)
MOST_ROWS = 30  # of the table
DOT, LARGEST = 6.0, 30.0  # pixels of a point of one item, and of many
FORMULA = (
    "Discrimination is the correlation, over systems, between being right on an item and the share of all other items "
    "that the system got right (the item-rest correlation, which is the point-biserial correlation if an item is "
    "either right or wrong; Henrysson 1963)"
)
KEPT = (
    "The answers of this version are secret. Each new file would shift the shares of the items it got right and so "
    "reveal answers. Nothing about single items is shown, not even how many are hard."
)
COMPUTING = "Statistics of the items are being computed."


def draw(board: FiguresBoard) -> Figure:
    version = board.version
    if not item_answers.is_public(version):
        return Figure(empty=KEPT, elsewhere=_twin(version))
    items = item_answers.read(version)
    if items is None:
        return Figure(empty=COMPUTING)
    if items.systems < item_answers.LEAST:
        return Figure(empty=f"Items are shown once {item_answers.LEAST} systems are on the board.")
    lines = _lines(items)
    hardest = lines.sort_values(["share", "discrimination"], kind="stable")[:MOST_ROWS]
    return Figure(
        sentence=_about(lines, items),
        caption=f"{_about_picture(items)}{_about_missing(lines, items)}{_limits(board, items)}",
        marks=_leading(version, hardest),
        headings={"item": "Item", "split": "Split", "share": "Right", "systems": "Systems"}
        | ({"discrimination": "Discrimination"} if _tells(items) else {}),
        links={"item": "url"},
        table="The hardest items as a table",
        whole=lambda: lines,
        draw=lambda: [_points(version, lines)] if _tells(items) else [_bars(lines, items)],
        layout=_layout(lines) if _tells(items) else _layout_of_bars(items.systems),
    )


def is_late(figure: Figure) -> bool:
    """True if a chart waits for statistics of items, which appear later without a change of the database."""
    return figure.empty == COMPUTING


def _tells(items: Items) -> bool:
    return items.systems >= LEAST_SYSTEMS


def _lines(items: Items) -> DataFrame:
    found = items.statistics
    numbers = zip(found.share.tolist(), found.systems.tolist(), found.discrimination.tolist(), strict=True)
    lines = (
        (name, split, share, systems, None if np.isnan(discrimination) else discrimination)
        for name, split, (share, systems, discrimination) in zip(
            items.ids, items.splits, numbers, strict=True
        )
        if systems
    )
    return frames.tidy(lines, ["item", "split", "share", "systems", "discrimination"])


def _leading(version: Version, lines: DataFrame) -> DataFrame:
    named = [version.benchmark.slug, version.slug]
    urls = [reverse("leaderboard:version_row", args=[*named, item]) for item in lines["item"].tolist()]
    return lines.assign(url=urls)


def _points(version: Version, lines: DataFrame) -> Trace:
    """Points of groups of items with similar figures. Each point links to the first item of its group."""
    known = lines.dropna(subset="discrimination")
    places = known
    for grid in GRIDS:
        on_grid = known.assign(x=_rounded(known["share"], grid), y=_rounded(known["discrimination"], grid))
        places = (
            on_grid.groupby(["x", "y"], sort=True)
            .agg(items=("item", "size"), item=("item", "first"))
            .reset_index()
        )
        if len(places) <= MOST_POINTS:
            break
    sizes = np.minimum(DOT * np.sqrt(places["items"].to_numpy(dtype=np.float64)), LARGEST)
    places = _leading(version, places).assign(
        tip=[number_of(count, "item") for count in places["items"].tolist()]
    )
    return trace(
        places,
        {"x": "x", "y": "y", "customdata": "tip"},
        tip="%{customdata}: right %{x:.0%}, discrimination %{y:.2f}",
        role="blue",
        mode="markers",
        marker={"size": sizes.round(1).tolist(), "opacity": 0.65},
        cliponaxis=False,
        **leading_to(places["url"]),
    )


def _rounded(values: Any, grid: float) -> list[float]:
    return [round(round(value / grid) * grid, 4) for value in values.tolist()]


def _bars(lines: DataFrame, items: Items) -> Trace:
    """Bars of the number of items by share of systems that are right, for boards with too few systems to correlate."""
    shares = [round(share * items.systems) / items.systems for share in lines["share"].tolist()]
    counts = lines.assign(x=shares).groupby("x").size().reset_index(name="items")
    return trace(
        counts,
        {"x": "x", "y": "items"},
        tip="%{y} items: right %{x:.0%}",
        role="blue",
        type="bar",
        width=0.5 / items.systems,
    )


def _layout(lines: DataFrame) -> dict[str, object]:
    lowest = min([0.0, *lines["discrimination"].dropna().tolist()])
    upwards = {
        "title": {"text": "Discrimination"},
        "range": [lowest - 0.08, 1.05],
        "zeroline": True,
        "tickformat": ".1f",
    }
    return {
        "xaxis": rate_axis("Share of systems that got it right"),
        "yaxis": upwards,
        "showlegend": False,
        "height": 420,
    }


def _layout_of_bars(systems: int) -> dict[str, object]:
    room = 0.4 / systems  # half the width of a bar, which is centred at its share
    shares = [round(right / systems, 4) for right in range(systems + 1)]
    ticks = {"range": [-room, 1 + room], "tickvals": shares, "tickformat": ".0%"}
    return {
        "xaxis": rate_axis("Share of systems that got it right") | ticks,
        "yaxis": {"title": {"text": "Items"}, "rangemode": "tozero"},
        "showlegend": False,
    }


def _about(lines: DataFrame, items: Items) -> str:
    count, shares = len(lines), lines["share"].to_numpy(dtype=np.float64)
    if not count:
        return "No item was answered."
    by_all, by_none = int((shares > 1 - 1e-9).sum()), int((shares < 1e-9).sum())
    said = (
        f"Of {number_of(count, 'item')}, {by_all:,} were answered correctly by all of the {items.systems:,} systems "
        f"that answered, and {by_none:,} by none."
    )
    return f"{said} {_about_discrimination(lines, items)}".strip()


def _about_discrimination(lines: DataFrame, items: Items) -> str:
    known = lines.dropna(subset="discrimination")
    if not _tells(items) or known.empty:
        return ""
    values = known["discrimination"].to_numpy(dtype=np.float64)
    bounds = np.array([chance_bound(systems) for systems in known["systems"].tolist()])
    above, below = int((values > bounds).sum()), int((values < -bounds).sum())
    return (
        f"Discrimination is significantly above 0 in {number_of(above, 'item')}, and significantly below 0 in "
        f"{below:,} (each item tested by itself, at 95%). If no item distinguished systems, chance alone would still "
        f"put about {0.025 * len(known):,.0f} of the {number_of(len(known), 'item')} in each of these two groups."
    )


def _about_picture(items: Items) -> str:
    if _tells(items):
        return (
            f"{FORMULA}. With {items.systems:,} systems, a value nearer to 0 than {chance_bound(items.systems):.2f} "
            "may be chance. A point shows all items with about the same values."
        )
    return (
        f"Number of items by the share of {items.systems:,} systems that got them right. Discrimination is shown from "
        f"{LEAST_SYSTEMS} systems on: with fewer it is mostly chance."
    )


def _about_missing(lines: DataFrame, items: Items) -> str:
    missing = int(lines["discrimination"].isna().sum()) if _tells(items) else 0
    if not missing:
        return ""
    why = "because all systems had the same result or too few answered"
    return f" Not drawn: {number_of(missing, 'item')} without discrimination, {why}."


def _limits(board: FiguresBoard, items: Items) -> str:
    limited = (
        f" Left out: {number_of(items.left_out, 'system')}, beyond the first {item_answers.MOST_SYSTEMS:,} or "
        f"{item_answers.MOST_ANSWERS / 1e6:.0f} million answers, or with a damaged file."
        if items.left_out
        else ""
    )
    whole = (
        " All systems and rows are included, whatever the filters."
        if board.filters.narrows or board.part
        else ""
    )
    return f"{limited}{whole}"


def _twin(version: Version) -> tuple[str, str] | None:
    twin = version.public_twin
    if twin is None:
        return None
    address = reverse("leaderboard:board_figures", args=[twin.benchmark.slug, twin.slug])
    return f"The public twin {twin.title} shows its items", f"{address}#figure-items"
