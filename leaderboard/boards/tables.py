"""Sortable, paged tables (django-tables2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import django_tables2 as tables
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django_tables2 import RequestConfig

from leaderboard.boards.placements.of_submission import why_unranked
from leaderboard.submissions.models import Submission, System
from leaderboard.web.formatting import number

NOT_REPORTED = "not reported"


def paged(
    kind: type[tables.Table],
    rows: QuerySet[Any],
    request: HttpRequest,
    *,
    size: int,
    exclude: Sequence[str] = (),
) -> tables.Table:
    """A table of these rows in the order and at the page that the address names, `size` rows long whatever it says."""
    table = kind(rows, exclude=exclude)
    RequestConfig(request, paginate=False).configure(table)
    table.paginate(per_page=size)
    table.page = table.paginator.get_page(request.GET.get(table.prefixed_page_field))
    return table


class SystemTable(tables.Table):
    """Every system with something public."""

    name = tables.Column(linkify=True)
    kind = tables.Column(accessor="get_kind_display", order_by="kind")
    owner = tables.Column(accessor="owner__username")
    submissions_count = tables.Column("Submissions", attrs={"td": {"class": "n"}, "th": {"class": "n"}})
    newest = tables.DateColumn(verbose_name="Newest", format="j M Y")

    class Meta:
        model = System
        fields = ("name", "kind", "parameters", "quantization", "owner", "submissions_count", "newest")
        order_by = "-newest"
        empty_text = "No system has a public submission yet."


class SubmissionTable(tables.Table):
    """A history of submissions, newest first."""

    created_at = tables.DateTimeColumn(verbose_name="Submitted", format="j M Y H:i", linkify=True)
    system = tables.Column(linkify=True)
    version = tables.Column(linkify=True)
    headline = tables.Column(accessor="score__headline", attrs={"td": {"class": "n"}, "th": {"class": "n"}})
    status = tables.Column()
    visibility = tables.Column()
    source = tables.Column()

    class Meta:
        model = Submission
        fields = ("created_at", "system", "version", "headline", "status", "visibility", "source", "note")
        order_by = "-created_at"
        empty_text = "Nothing submitted yet."

    def render_headline(self, value: float) -> str:
        return number(value)

    def render_status(self, record: Submission, value: Any) -> str:
        mark = " · on the board" if record.shown else ""
        reason = why_unranked(record) if record.score is not None else ""
        css = "under bad" if record.score is not None and record.score.gated else "under"
        return format_html(
            '<span class="status {}">{}</span>{}{}',
            record.status,
            value,
            mark,
            format_html('<small class="{}">not ranked: {}</small>', css, reason) if reason else "",
        )


class HistoryTable(SubmissionTable):
    """Everybody's submissions, each with a box that puts it into a comparison."""

    s = tables.Column("Compare", accessor="pk", orderable=False)
    created_at = tables.DateTimeColumn(
        verbose_name="Submitted", format="j M Y H:i", linkify=True, attrs={"td": {"class": "date"}}
    )
    note = tables.Column(default="")
    submitter = tables.Column("Account", accessor="submitter__username")

    class Meta(SubmissionTable.Meta):
        sequence = ("s", "created_at", "system", "version", "headline", "status", "submitter", "...")
        exclude = ("visibility", "source")
        empty_text = "No submission matches."

    def render_s(self, record: Submission) -> str:
        """Only what was graded can be compared."""
        if record.score_id is None:
            return ""
        words = f"Compare {record.system} on {record.version}, submitted {record.created_at:%-d %b %Y %H:%M}"
        box = '<input type="checkbox" name="s" form="compare" value="{}" aria-label="{}">'
        return format_html(box, record.pk, words)

    def render_submitter(self, record: Submission, value: str) -> str:
        address = f"?{urlencode({'account': value})}"
        private = "" if record.is_public else format_html(' <span class="badge">{}</span>', "private")
        return format_html('<a href="{}">{}</a>{}', address, value, private)
