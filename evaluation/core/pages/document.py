"""A report in parts, written as Markdown with charts and as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, TypeAlias

from evaluation.core.pages.charts import STYLE, Chart, Point, Series

PAGE = """
:root { color-scheme: light dark; --paper: #faf9f5; --card: #fff; --ink: #1d1c19; --soft: #67645c; --line: #e5e2d9;
  --good: #2d7549; --bad: #a93a2a }
@media (prefers-color-scheme: dark) { :root { --paper: #121317; --card: #191b20; --ink: #eae8e2; --soft: #a09d94;
  --line: #2a2d34; --good: #74c196; --bad: #ec8d7b } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif }
main { max-width: 1000px; margin: 0 auto; padding: 1.5rem clamp(1rem, 4vw, 3rem) 4rem }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--line) }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem }
p { max-width: 68ch; margin: .5rem 0; overflow-wrap: anywhere }
figure { margin: 1rem 0; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 6px;
  overflow-x: auto }
figure .chart { min-width: 30rem; max-width: 40rem; width: 100% }
figcaption { color: var(--soft); font-size: .8125rem; margin-top: .5rem }
.table { overflow-x: auto; margin: 1rem 0; border: 1px solid var(--line); border-radius: 6px; background: var(--card) }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .8125rem }
th, td { padding: .35rem .6rem; text-align: left; border-bottom: 1px solid var(--line); white-space: nowrap }
tr:last-child td { border-bottom: 0 }
th { color: var(--soft); font-weight: 600 }
td.number, th.number { text-align: right }
td.long { white-space: normal; min-width: 20rem; overflow-wrap: anywhere }
td.pass { color: var(--good); font-weight: 600 }
td.fail { color: var(--bad); font-weight: 600 }
code { font: .9em ui-monospace, monospace }
"""
LONG = 60  # characters from which on a cell wraps


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings; numeric columns are aligned right."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    @property
    def numeric(self) -> list[bool]:
        """For each column: True if all cells are numbers, empty or dashes."""
        return [all(_is_number(cell) for cell in column) for column in zip(*self.rows, strict=True)] or [
            False for _ in self.headings
        ]


@dataclass(frozen=True, slots=True)
class Picture:
    name: str
    chart: Chart
    caption: str = ""


Part: TypeAlias = Heading | Text | Table | Picture


@dataclass(slots=True)
class Document:
    title: str
    parts: list[Part] = field(default_factory=list)

    def add(self, *parts: Part) -> None:
        self.parts += parts

    def write(self, folder: str | Path, name: str = "report") -> Path:
        """Write `<name>.md`, `<name>.html` and the charts as `plots/….svg`. Returns the path of the HTML page."""
        folder = Path(folder)
        plots = folder / "plots"
        plots.mkdir(parents=True, exist_ok=True)
        for part in self.parts:
            if isinstance(part, Picture):
                (plots / f"{part.name}.svg").write_text(part.chart.svg(), encoding="utf-8")
        (folder / f"{name}.md").write_text(self.markdown(), encoding="utf-8")
        page = folder / f"{name}.html"
        page.write_text(self.html(), encoding="utf-8")
        return page

    def markdown(self) -> str:
        """The report as Markdown. Charts are links to files in `plots/`."""
        return "\n\n".join([f"# {self.title}", *map(_markdown, self.parts)]) + "\n"

    def html(self) -> str:
        """The report as an HTML page without scripts and external resources."""
        body = "\n".join(map(_html, self.parts))
        title = escape(self.title)
        head = '<meta name="viewport" content="width=device-width, initial-scale=1">'
        return (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f"{head}\n<title>{title}</title>\n<style>{PAGE}{STYLE}</style>\n</head>\n"
            f"<body>\n<main>\n<h1>{title}</h1>\n{body}\n</main>\n</body>\n</html>\n"
        )


def _markdown(part: Part) -> str:
    match part:
        case Heading(text, level):
            return f"{'#' * level} {text}"
        case Text(text):
            return text
        case Table(headings, rows):
            marks = ["---:" if number else "---" for number in part.numeric]
            return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in (headings, marks, *rows))
        case Picture(name, chart, caption):
            return "\n\n".join(filter(None, [f"![{_cell(chart.title)}](plots/{name}.svg)", caption]))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _html(part: Part) -> str:
    match part:
        case Heading(text, level):
            return f"<h{level}>{escape(text)}</h{level}>"
        case Text(text):
            return f"<p>{escape(text)}</p>"
        case Table():
            return "\n".join(_html_table(part))
        case Picture(_, chart, caption):
            below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
            return f'<figure tabindex="0">{chart.svg(styled=False)}{below}</figure>'


def _html_table(table: Table) -> Iterator[str]:
    numeric = [' class="number"' if number else "" for number in table.numeric]
    cells = zip(table.headings, numeric, strict=True)
    head = "".join(f'<th scope="col"{css}>{escape(text)}</th>' for text, css in cells)
    yield '<div class="table" tabindex="0" role="group" aria-label="Table"><table>'
    yield f"<thead><tr>{head}</tr></thead><tbody>"
    for row in table.rows:
        inner = "".join(
            f"<td{_look(text, css)}>{escape(text)}</td>" for text, css in zip(row, numeric, strict=True)
        )
        yield f"<tr>{inner}</tr>"
    yield "</tbody></table></div>"


def _look(text: str, css: str) -> str:
    if len(text) > LONG:
        return ' class="long"'
    return f' class="{text}"' if text in ("pass", "fail") else css


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", ""))
    except ValueError:
        return cell in ("", "–")
    return True


def document_as_json(document: Document) -> dict[str, object]:
    return {"title": document.title, "parts": [_part_as_json(part) for part in document.parts]}


def document_from_json(data: Mapping[str, Any]) -> Document:
    """Rebuild a document from the data of `document_as_json`. Raises KeyError for other data."""
    return Document(str(data["title"]), [_part_from_json(part) for part in data["parts"]])


def _part_as_json(part: Part) -> dict[str, object]:
    match part:
        case Heading(text, level):
            return {"heading": text, "level": level}
        case Text(text):
            return {"text": text}
        case Table(headings, rows):
            return {"headings": list(headings), "rows": [list(row) for row in rows]}
        case Picture(name, chart, caption):
            return {"picture": name, "caption": caption, "chart": _chart_as_json(chart)}


def _part_from_json(data: Mapping[str, Any]) -> Part:
    if "heading" in data:
        return Heading(data["heading"], data["level"])
    if "text" in data:
        return Text(data["text"])
    if "headings" in data:
        return Table(data["headings"], data["rows"])
    return Picture(data["picture"], _chart_from_json(data["chart"]), data["caption"])


def _chart_as_json(chart: Chart) -> dict[str, object]:
    return {
        "title": chart.title,
        "x_title": chart.x_title,
        "connected": chart.connected,
        "bars": [list(bar) for bar in chart.bars],
        "series": [
            {"name": each.name, "points": [list(point) for point in each.points]} for each in chart.series
        ],
    }


def _chart_from_json(data: Mapping[str, Any]) -> Chart:
    series = [Series(each["name"], [Point(*point) for point in each["points"]]) for each in data["series"]]
    bars: Sequence[tuple[str, float]] = [(name, level) for name, level in data["bars"]]
    return Chart(data["title"], data["x_title"], series, data["connected"], bars)
