"""What the figures of a version are about: its rows, its units, its gates. The suite says; templates only ask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from evaluation.core.statistics import ENOUGH_UNITS
from evaluation.core.suite import Column, Gate
from evaluation.core.terminal.wording import noun
from leaderboard.benchmarks.models import Version
from leaderboard.boards.slices import BoardSlice, facets_of
from leaderboard.submissions.score_tables import MetricCell

register = template.Library()


@register.simple_tag
def headline_rows(version: Version, part: BoardSlice | None = None) -> str:
    """The rows that the headline looks at, `whole book`, where a version has others too; else empty."""
    if part:
        return ", ".join(part.labels)
    return next((f.whole.lower() for f in facets_of(version) if f.choices and f.default), "")


@register.simple_tag
def headline_conditions(version: Version) -> dict[str, int]:
    """The conditions that the headline looks at, with their rows: the default part, else all that the suite counts."""
    counts = version.suite.counts_toward_headline
    default = next((facet.default for facet in facets_of(version) if facet.default in version.conditions), "")
    return {
        name: rows
        for name, rows in version.conditions.items()
        if (name == default if default else counts(name, version.settings))
    }


@register.simple_tag
def headline_count(version: Version) -> int:
    """The number of rows that the headline is over."""
    return sum(headline_conditions(version).values())


@register.simple_tag
def condition_word(version: Version) -> str:
    """What this version's kinds of rows are called: `condition`, `track`."""
    for facet in facets_of(version):
        parts = {part for part, _ in facet.choices}
        if parts and parts <= set(version.conditions):
            return facet.label.lower()
    return "condition"


@register.simple_tag
def row_word(version: Version, count: int = 2) -> str:
    """What one line of a predictions file answers: `row`, `queries`."""
    one, several = version.suite.asked
    return noun(count, one, several)


@register.simple_tag
def suite_part(version: Version | None, part: str) -> tuple[str, ...]:
    """The templates, to include the first that there is, with what a version's suite says of a matter.

    `templates/suites/<suite>/<part>.html`; `any` holds what is true of every suite, also before a version is chosen.
    """
    folders = ([version.benchmark.suite] if version else []) + ["any"]
    return tuple(f"suites/{folder}/{part}.html" for folder in folders)


@register.simple_tag
def unit_word(version: Version, count: int = 2) -> str:
    """What intervals resample: `episodes`, `timeline`."""
    return noun(count, version.suite.unit)


@register.simple_tag
def enough_units() -> int:
    """Over fewer units than these an interval is too narrow."""
    return ENOUGH_UNITS


@register.simple_tag
def version_gates(version: Version) -> list[Gate]:
    """The gates of a version, before any system is judged."""
    return version.suite.gates({}, {})


@register.simple_tag
def sections(readings: Sequence[MetricCell]) -> list[tuple[str, list[MetricCell]]]:
    """The figures under the headings of their suite; sections that report nothing are left out."""
    found: dict[str, list[MetricCell]] = {}
    for reading in readings:
        found.setdefault(reading[0].section, []).append(reading)
    return [(title, of) for title, of in found.items() if any(value is not None for _, value, _ in of)]


@register.simple_tag
def silent_sections(readings: Sequence[MetricCell]) -> list[str]:
    """The headings under which nothing is reported."""
    speaking = {column.section for column, value, _ in readings if value is not None}
    return list(dict.fromkeys(column.section for column, *_ in readings if column.section not in speaking))


@register.simple_tag
def column_sections(columns: Iterable[Column], only: str = "") -> list[tuple[str, list[Column]]]:
    """The columns under their headings, in the suite's order; those of one heading where `only` names it."""
    found: dict[str, list[Column]] = {}
    for column in columns:
        found.setdefault(column.section, []).append(column)
    return [(only, found[only])] if only in found else list(found.items())


@register.filter
def within(readings: Sequence[MetricCell], parts: Sequence[tuple[str, list[Column]]]) -> list[MetricCell]:
    """The figures of the columns of `column_sections`."""
    shown = {column.name for _, columns in parts for column in columns}
    return [reading for reading in readings if reading[0].name in shown]


@register.filter
def breakable(name: str) -> SafeString:
    """A name that may break after `_`, `-`, `/` and `.` rather than inside a word."""
    text = str(conditional_escape(name))
    for sign in "_-/":
        text = text.replace(sign, f"{sign}<wbr>")
    return mark_safe(text)
