"""Heat map of systems by splits; if a version has only one split, by the parts of another facet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from evaluation import frames
from evaluation.core.sealing.rounding import rounded_number
from leaderboard.boards.charts.figure import Figure, irrelevant
from leaderboard.boards.charts.marks import Trace, leading_to, literal, shorten, trace
from leaderboard.boards.figures.data import BoardSystem, FiguresBoard
from leaderboard.boards.figures.groups import Groups
from leaderboard.boards.figures.lines import FRAME, axis_of_names, height, lines_of, margin, why_empty
from leaderboard.boards.figures.words import WHOLE_VERSION, in_sentence
from leaderboard.boards.labels import LETTER
from leaderboard.submissions import verdicts
from leaderboard.web.formatting import number

if TYPE_CHECKING:
    from pandas import DataFrame

TITLE = "Systems by split"
SHARE = 0.96  # filled share of a cell
LETTERS = 14  # longest group name on one line above its column
MOST_LEVEL = 6  # columns with room for horizontal names
SLANT = 0.58  # height of a slanted name as a share of its length: the sine of 35 degrees


def draw(board: FiguresBoard) -> Figure:
    groups = board.groups
    if groups is None:
        return irrelevant()
    without = f"figures by {groups.noun}"
    lines = lines_of(board, lambda each: each.reported.groups, lambda each: each.reported.groups)
    shown, everybody = lines.shown, lines.everybody
    if not shown:
        return Figure(empty=why_empty(board, without))
    reported = {name for each in everybody for name in each.reported.groups}
    names = [name for name in groups.labels if name in reported]
    return Figure(
        sentence=_about(board, groups, lines.systems, names) if lines.systems else why_empty(board, without),
        caption=f"{_figures(groups, names)} {_by(groups, names)}, one line per system in the order of the board; "
        "differences between systems are not tested here."
        f"{WHOLE_VERSION if board.part else ''}"
        f"{lines.left_out(without)}{lines.words}",
        marks=_table(shown, names),
        headings={"name": "System"}
        | ({"reference": "Reference"} if lines.bounds else {})
        | {f"of {name}": groups.labels[name] for name in names},
        links={"name": "url"},
        whole=lambda: _long(groups, everybody, names),
        draw=lambda: _cells(board, groups, shown, names),
        layout=_layout(groups, shown, names),
    )


def _table(systems: Sequence[BoardSystem], names: Sequence[str]) -> DataFrame:
    lines = (
        (
            each.names,
            each.reference,
            *(each.reported.groups.get(name, (None,))[0] for name in names),
            each.url,
        )
        for each in systems
    )
    return frames.tidy(lines, ["name", "reference", *(f"of {name}" for name in names), "url"])


def _long(groups: Groups, systems: Sequence[BoardSystem], names: Sequence[str]) -> DataFrame:
    lines = (
        (
            each.name,
            each.reference,
            name,
            groups.columns[name].name,
            *each.reported.groups.get(name, (None, None, None)),
        )
        for each in systems
        for name in names
    )
    return frames.tidy(lines, ["system", "reference", groups.grouping, "metric", "value", "low", "high"])


def _cells(
    board: FiguresBoard, groups: Groups, systems: Sequence[BoardSystem], names: Sequence[str]
) -> list[Trace]:
    """Traces of the cells (bars) and of their values as texts. Plotly draws texts inside of bars too slowly."""
    cells = frames.tidy(
        (
            (
                at,
                at - SHARE / 2,
                line,
                value,
                SHARE,
                _tip(groups, each, name),
                _url(board, groups, each, name),
            )
            for line, each in enumerate(systems)
            for at, name in enumerate(names)
            if (value := each.reported.groups.get(name, (None,))[0]) is not None
        ),
        ["column", "left", "line", "value", "width", "tip", "url"],
    )
    role = [f"heat/{min(max(value, 0.0), 1.0):.2f}" for value in cells["value"].tolist()]  # see `figures.js`
    places = {"x": "width", "base": "left", "y": "line", "hovertext": "tip", "customdata": "value"}
    tip = "%{hovertext}: %{customdata:.1%}"
    links = leading_to(cells["url"])
    fields = trace(cells, places, tip=tip, role=role, type="bar", orientation="h", width=SHARE, **links)
    text = cells.assign(text=[f"{value:.0%}" for value in cells["value"].tolist()])
    places, font = {"x": "column", "y": "line", "text": "text"}, {"color": "--ink", "size": 11}
    return [fields, trace(text, places, mode="text", textfont=font, hoverinfo="skip")]


def _tip(groups: Groups, system: BoardSystem, name: str) -> str:
    return f"{literal(system.label)}<br>{literal(groups.labels[name])}, {in_sentence(groups.columns[name].label)}"


def _url(board: FiguresBoard, groups: Groups, system: BoardSystem, name: str) -> str:
    if not (groups.are_splits and board.shows_rows):
        return system.url
    known = verdicts.redacted_splits(board.version)
    return (
        f"{system.rows_url}?{urlencode({'failure': 'any', 'condition': name})}"
        if name in known
        else system.url
    )


def _layout(groups: Groups, systems: Sequence[BoardSystem], names: Sequence[str]) -> dict[str, object]:
    labels = [_short(groups.labels[name]) for name in names]
    slanted = len(names) > MOST_LEVEL
    longest = max(len(line) for label in labels for line in label.split("<br>"))
    top = round(36 + SLANT * LETTER * longest) if slanted else 48
    return {
        "xaxis": {
            "side": "top",
            "tickmode": "array",
            "tickvals": list(range(len(names))),
            "ticktext": labels,
            "tickangle": -35 if slanted else 0,
            "range": [-0.5, len(names) - 0.5],
            "showgrid": False,
            "zeroline": False,
            "automargin": False,
        },
        "yaxis": axis_of_names(systems),
        "barmode": "overlay",
        "showlegend": False,
        "margin": margin(systems, top=top, bottom=12),
        "height": height(systems) - FRAME + top + 24,
    }


def _short(text: str) -> str:
    if len(text) <= LETTERS or " " not in text:
        return literal(shorten(text))
    words, middle = text.split(" "), len(text) / 2
    cut = min(range(1, len(words)), key=lambda at: abs(len(" ".join(words[:at])) - middle))
    return "<br>".join(literal(shorten(" ".join(part))) for part in (words[:cut], words[cut:]))


def _by(groups: Groups, names: Sequence[str]) -> str:
    if groups.are_splits:
        return f"by {groups.noun}"
    return f"by part of the rows ({', '.join(f'“{groups.labels[name]}”' for name in names)})"


def _figures(groups: Groups, names: Sequence[str]) -> str:
    labels = list(dict.fromkeys(groups.columns[name].label for name in names))
    first, *others = labels
    return " or ".join([first, *(in_sentence(other) for other in others)])


def _about(board: FiguresBoard, groups: Groups, systems: Sequence[BoardSystem], names: Sequence[str]) -> str:
    medians = _medians(groups, systems, names)
    if step := board.version.shown_step:  # the median of two rounded figures may lie between two steps
        medians = {name: rounded_number(value, step) for name, value in medians.items()}
    if len(medians) < 2:
        return f"Too few {groups.noun}s have figures that can be compared."
    low, high = min(medians.values()), max(medians.values())
    over = f"over {len(systems):,} systems" if len(systems) > 1 else f"of {systems[0].short}"
    word = "median" if len(systems) > 1 else "figure"
    if number(low) == number(high):
        return f"The {word} {over} is {number(low)} in every {groups.noun}."
    least, most = _named(groups, medians, low), _named(groups, medians, high)
    return f"The {word} {over} is lowest in {least} ({number(low)}) and highest in {most} ({number(high)})."


def _medians(groups: Groups, systems: Sequence[BoardSystem], names: Sequence[str]) -> dict[str, float]:
    """Map each group to the median over the systems. Includes only groups that show the most common metric."""
    labels = [groups.columns[name].name for name in names]
    usual = max(labels, key=labels.count, default="")
    found = {}
    for name in names:
        values = [each.reported.groups[name][0] for each in systems if name in each.reported.groups]
        known = [value for value in values if value is not None]
        if groups.columns[name].name == usual and known:
            found[name] = median(known)
    return found


def _named(groups: Groups, medians: Mapping[str, float], value: float) -> str:
    first, *others = (groups.labels[name] for name, each in medians.items() if number(each) == number(value))
    return f"“{first}”" + (f" and {len(others):,} more" if others else "")
