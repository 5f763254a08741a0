"""The rows, units and requirements of a version, in the terms of its suite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from evaluation.core.plugin import Mark
from evaluation.core.statistics.power import DIAGNOSTIC_BELOW, Power, questions_for_lengths, version_power
from evaluation.core.suite import Column, Gate, usable
from evaluation.core.terminal.wording import noun
from leaderboard.benchmarks.models import Benchmark, Version
from leaderboard.boards.folding import Folded, folded
from leaderboard.boards.lengths.figures import rungs_of
from leaderboard.boards.rows import BoardRow
from leaderboard.boards.slices import WHOLE, BoardSlice, facets_of, worst_of
from leaderboard.submissions.scores.score_tables import FigureLine, MetricCell

register = template.Library()


@register.simple_tag
def headline_rows(version: Version, part: BoardSlice | None = None) -> str:
    """Name of the rows that the headline counts, such as `whole book`; empty if it counts all rows."""
    if part:
        return ", ".join(part.labels)
    return next((f.whole.lower() for f in facets_of(version) if f.choices and f.default), "")


@register.simple_tag
def figure_rows(version: Version) -> str:
    """Name of the rows that metrics count unless stated otherwise; empty if they count all rows."""
    usual = version.benchmark.usual.headline().name
    choices = (
        [choice for facet in facets_of(version) for choice in facet.choices] if count_lowest(version) else []
    )
    of_usual = (label.lower() for split, label in choices if version.bound.headline(split).name == usual)
    return next(of_usual, "") or headline_rows(version)


@register.simple_tag
def headline_splits(version: Version) -> dict[str, int]:
    """The splits that the headline counts, with their numbers of rows."""
    counts = version.bound.counts_toward_headline
    default = next((facet.default for facet in facets_of(version) if facet.default in version.conditions), "")
    return {
        name: rows
        for name, rows in version.conditions.items()
        if (name == default if default else counts(name))
    }


@register.simple_tag
def headline_count(version: Version) -> int:
    return sum(headline_splits(version).values())


@register.simple_tag
def version_tells(version: Version) -> Power:
    """The statistical power of a version. If the headline is the lowest of several rates, the power of one rate."""
    units = version.drawn.units
    rows = headline_count(version) or version.row_count
    return version_power(units, rows // max(count_lowest(version), 1), icc=version.bound.unit_icc)


class FewQuestions(NamedTuple):
    """Existing rows per unit (such as an episode) at each length, and rows needed to show that a system is reliable."""

    asked: int
    needed: int


@register.simple_tag
def few_for_lengths(version: Version) -> FewQuestions | None:
    """Existing and needed rows per unit, if a ranked version has too few to show effective lengths; else None."""
    rungs, units = rungs_of(version), version.drawn.units
    if not rungs or units < DIAGNOSTIC_BELOW:
        return None
    asked = min(version.conditions.get(rung.split, 0) for rung in rungs) // units
    needed = questions_for_lengths(units)
    return FewQuestions(asked, needed) if asked < needed else None


@register.simple_tag
def count_lowest(version: Version) -> int:
    """The number of rates of which the headline is the lowest; 0 if the headline is a single rate."""
    return len(worst_of(version, WHOLE))


@register.simple_tag
def drawn_word(version: Version, count: int = 2) -> str:
    """The suite's term for the independently drawn units of intervals and ranks: `episodes`, `template`."""
    word = version.drawn.unit
    return noun(count, word)


@register.simple_tag
def has_copies(version: Version) -> bool:
    """True if the rows of a unit are nearly copies of each other, so that more of them add little information."""
    return version.bound.unit_icc > 0.5


@register.simple_tag
def split_word(version: Version) -> str:
    """The suite's term for the splits of this version: `condition`, `track`."""
    for facet in facets_of(version):
        parts = {part for part, _ in facet.choices}
        if parts and parts <= set(version.conditions):
            return facet.label.lower()
    return version.suite.display.splits.noun


@register.simple_tag
def row_word(version: Version, count: int = 2) -> str:
    """The suite's term for a question that one line of a predictions file answers: `row`, `queries`."""
    one, several = version.suite.display.asked
    return noun(count, one, several)


@register.simple_tag
def suite_part(version: Version | None, part: str) -> tuple[str, ...]:
    """Template names for `include`, most specific first: a suite's text on a topic, then the text for all."""
    folders = ([version.benchmark.suite] if version else []) + ["any"]
    return tuple(f"suites/{folder}/{part}.html" for folder in folders)


@register.simple_tag
def suite_picture(benchmark: Benchmark) -> tuple[str, ...]:
    """Template names for `include` with an introductory picture of a benchmark, most specific first."""
    return tuple(f"suites/{folder}/picture.html" for folder in (benchmark.suite, "any"))


@register.simple_tag
def unit_word(version: Version, count: int = 2) -> str:
    """The suite's term for the units of this version: `episodes`, `timeline`."""
    return noun(count, version.suite.display.unit)


@register.simple_tag
def least_ranked_units() -> int:
    return DIAGNOSTIC_BELOW


@register.simple_tag
def version_gates(version: Version) -> list[Gate]:
    """The requirements of a version, without results."""
    return version.bound.gates({}, {})


@register.simple_tag
def sections(lines: Sequence[FigureLine]) -> list[tuple[str, list[FigureLine]]]:
    """(Heading, lines) of the suite's sections of metrics, without sections in which nothing is reported."""
    by_section: dict[str, list[FigureLine]] = {}
    for line in lines:
        by_section.setdefault(line.column.section, []).append(line)
    return [(title, of) for title, of in by_section.items() if any(line.value is not None for line in of)]


@register.filter
def unheaded(lines: Sequence[FigureLine]) -> list[tuple[str, Sequence[FigureLine]]]:
    return [("", lines)]


@register.simple_tag
def silent_sections(lines: Sequence[FigureLine]) -> list[str]:
    """Headings of the sections in which nothing is reported."""
    speaking = {line.column.section for line in lines if line.value is not None}
    return list(dict.fromkeys(line.column.section for line in lines if line.column.section not in speaking))


@register.simple_tag
def denominator(version: Version, line: FigureLine) -> str:
    """The denominator of a metric: `of 480 rows`, or for a mean `over 480 queries`; empty if unknown."""
    if line.denominator is None or line.value is None:
        return ""
    word = noun(line.denominator, *(line.column.counts or version.suite.display.asked))
    is_share = line.column.format == "ratio" or line.column.whole
    return f"{'of' if is_share else 'over'} {line.denominator:,} {word}"


@register.filter
def direction(column: Column) -> str:
    """The better direction of a metric as a sentence, such as `Higher is better.`; empty if it has none."""
    return "" if column.neutral else f"{column.better.capitalize()} is better."


@register.simple_tag
def column_sections(columns: Iterable[Column], only: str = "") -> list[tuple[str, list[Column]]]:
    """(Heading, columns) of each section, in the suite's order. If section `only` exists, returns only that section."""
    by_section: dict[str, list[Column]] = {}
    for column in columns:
        by_section.setdefault(column.section, []).append(column)
    return [(only, by_section[only])] if only in by_section else list(by_section.items())


@register.simple_tag
def folded_columns(rows: Sequence[BoardRow], parts: Sequence[tuple[str, list[Column]]]) -> Folded:
    """The columns in `parts` that do not distinguish rows: constant, or equal to an earlier column."""
    return folded(rows, [column for _, columns in parts for column in columns])


@register.filter
def unfolded(parts: Sequence[tuple[str, list[Column]]], left_out: Folded) -> list[tuple[str, list[Column]]]:
    """The `parts` without the columns in `left_out`, and without sections that become empty."""
    names = left_out.names
    kept = [(title, [column for column in of if column.name not in names]) for title, of in parts]
    return [(title, columns) for title, columns in kept if columns]


@register.simple_tag
def board_marks(
    version: Version | None, shows: Any = None, whole: Any = False
) -> tuple[Mark | None, Mark | None, Mark | None]:
    """The charts that a legend explains: all charts of the suite if `whole`, else only the charts in `shows`."""
    display = version.suite.display if version else None
    if display and whole:
        return display.steps, display.dots, display.own_steps
    return (shows["decomposition"], shows["order"], shows["own"]) if shows else (None, None, None)


@register.simple_tag
def with_rows(sentence: str, rows: str) -> str:
    """Replace `{rows}` in a suite's sentence on rows that the score leaves out."""
    return sentence.replace("{rows}", rows)


@register.simple_tag
def every_unit() -> str:
    """The terms of all suites for the units of intervals: `episodes, templates`."""
    return ", ".join(noun(2, suite.version({}).drawn(1, {"": 1}).unit) for suite in usable().values())


@register.simple_tag
def omissions() -> dict[str, str]:
    """Phrases on incomplete predictions files, with the terms of all suites.

    `splits` lists the parts that a file may leave out, `names` the terms for a part (`condition or track`), and `hide`
    the rows that a file must answer completely.
    """
    suites = list(usable().values())
    words = [suite.display.splits for suite in suites]
    return {
        "splits": " or ".join(
            f"whole {noun(2, each.noun)} ({suite.title})" for suite, each in zip(suites, words, strict=True)
        ),
        "names": " or ".join(dict.fromkeys(each.noun for each in words)),
        "hide": ", and ".join(
            each.hidden_beside or f"every {suite.display.asked[0]} of {suite.title}"
            for suite, each in zip(suites, words, strict=True)
        ),
    }


@register.filter
def within(readings: Sequence[MetricCell], parts: Sequence[tuple[str, list[Column]]]) -> list[MetricCell]:
    """The cells of the columns in `parts`, in the order of the columns."""
    known = {reading[0].name: reading for reading in readings}
    return [known[column.name] for _, columns in parts for column in columns]


@register.filter
def breakable(name: str) -> SafeString:
    """A name with line breaks allowed after `_`, `-` and `/`."""
    text = str(conditional_escape(name))
    for sign in "_-/":
        text = text.replace(sign, f"{sign}<wbr>")
    return mark_safe(text)
