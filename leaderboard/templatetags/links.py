"""Table headings that sort. They are real links: the URL contains the sorting."""

from __future__ import annotations

from django import template
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluation.core.suite import Column
from leaderboard.templatetags.glossary import why

register = template.Library()


@register.simple_tag(takes_context=True)
def sort_heading(
    context: Context,
    name: str,
    label: str,
    *,
    note: str = "",
    css: str = "",
    better: str = "lower",
    help: str = "",
) -> SafeString:
    """A `<th>` whose link sorts by `name`, at first with the `better` values on top. A button opens the text `help`."""
    query = context["request"].GET.copy()
    current = query.get("sort") or "rank"
    first, second = (f"-{name}", name) if better == "higher" else (name, f"-{name}")
    query["sort"] = second if current == first else first
    query.pop("page", None)
    return format_html(
        '<th scope="col" role="columnheader" class="{}"{}><a href="?{}">{}</a>{}{}</th>',
        css,
        _direction(current, name),
        query.urlencode(),
        label,
        why(context, label, help),
        format_html("<small>{}</small>", note) if note else "",
    )


@register.simple_tag(takes_context=True)
def column_heading(
    context: Context, column: Column, *, name: str = "", note: str = "", css: str = ""
) -> SafeString:
    """Heading of a metric's column. `name` and `note` replace the column's name and "lower is better"."""
    return sort_heading(
        context,
        name or column.name,
        column.label,
        note=note or ("lower is better" if column.better == "lower" and not name else ""),
        css=css,
        better=column.better,
        help=column.help,
    )


def _direction(current: str, name: str) -> SafeString | str:
    directions = {name: "ascending", f"-{name}": "descending"}
    return format_html(' aria-sort="{}"', directions[current]) if current in directions else ""
