"""Sortable, paged tables (django-tables2)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from urllib.parse import urlencode

import django_tables2 as tables
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import mark_safe
from django_tables2 import RequestConfig
from django_tables2.data import TableQuerysetData

from evaluation.core import row_states
from leaderboard.boards.placements.outcomes import why_unranked
from leaderboard.submissions.models import Submission, System
from leaderboard.web.formatting import minute, number

NOT_REPORTED = "not reported"


def paged(
    kind: type[tables.Table],
    rows: QuerySet[Any] | TableQuerysetData,
    request: HttpRequest,
    *,
    size: int,
    exclude: Sequence[str] = (),
    orderable: Collection[str] | None = None,
) -> tables.Table:
    """Make a table with the order and page of the URL. `orderable` has the sortable columns (None: as in the class)."""
    table = kind(rows, exclude=exclude)
    for name in () if orderable is None else set(table.columns.names()) - set(orderable):
        table.columns[name].column.orderable = False
    RequestConfig(request, paginate=False).configure(table)
    table.paginator = Paginator(table.rows, size)
    table.page = table.paginator.get_page(request.GET.get(table.prefixed_page_field))
    return table


class LongData(TableQuerysetData):
    """Data of a possibly very long table. Reads the keys of a page first, then the rows with these keys."""

    def __init__(self, data: QuerySet[Any], whole: QuerySet[Any], length: int | None = None) -> None:
        """Take `data`, which selects and orders the rows, and `whole`, which loads all fields of a row.

        `whole` must have no conditions, so that the planner uses the keys. `length` None: the rows are few enough to
        count.
        """
        super().__init__(data)  # type: ignore[no-untyped-call]
        self._whole, self._length = whole, length
        self._page: tuple[slice, list[Any]] | None = None  # a table asks for its page twice

    def order_by(self, aliases: Any) -> None:
        """Order by these columns, then by key, so that no row is on two pages."""
        super().order_by(aliases)  # type: ignore[no-untyped-call]
        self.data = self.data.order_by(*self.data.query.order_by, "pk")

    def __getitem__(self, key: int | slice) -> Any:
        """The rows of a page. Reads their keys from an index, then the fields of only these rows."""
        if not isinstance(key, slice):
            return super().__getitem__(key)  # type: ignore[no-untyped-call]
        if self._page is None or self._page[0] != key:
            keys = self._keys(key.start or 0, key.stop)
            rows = self._whole.order_by().in_bulk(keys)  # unordered: with an order the planner walks all rows
            self._page = key, [rows[pk] for pk in keys if pk in rows]
        return self._page[1]

    def _keys(self, start: int, stop: int) -> list[Any]:
        """The keys of a page, read from the nearer end of the list, so that the last page is as fast as the first."""
        length = len(self)
        stop = min(stop, length)
        if start <= length // 2:
            return list(self.data.values_list("pk", flat=True)[start:stop])
        backwards = self.data.reverse().values_list("pk", flat=True)
        return list(backwards[length - stop : length - start])[::-1]


#: An en dash, as everywhere on the site: the library's default is an em dash.
MISSING = "–"


class SystemTable(tables.Table):
    name = tables.Column(linkify=True)
    kind = tables.Column(accessor="get_kind_display", order_by="kind")
    quantization = tables.Column(accessor="precision", order_by="quantization")
    owner = tables.Column(accessor="owner__username")
    submissions_count = tables.Column("Submissions", attrs={"td": {"class": "n"}, "th": {"class": "n"}})
    newest = tables.DateColumn(verbose_name="Newest", format="DATE_FORMAT")

    class Meta:
        model = System
        fields = ("name", "kind", "parameters", "quantization", "owner", "submissions_count", "newest")
        order_by = "-newest"
        default = MISSING
        empty_text = "No system has a public submission yet."


class SubmissionTable(tables.Table):
    created_at = tables.DateTimeColumn(verbose_name="Submitted", format="DATETIME_FORMAT", linkify=True)
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
        default = MISSING
        empty_text = "Nothing submitted yet."

    def render_headline(self, record: Submission) -> str:
        """Show the headline, or for a trial run its number of rows. Below it, a note on rows without an answer."""
        figure = record.trial_words or number(record.result)
        if not (note := row_states.note(record.row_states)):
            return figure
        link = f"{record.get_absolute_url()}#states"
        return format_html('{}<small class="under"><a href="{}">{}</a></small>', figure, link, note)

    def render_source(self, record: Submission, value: str) -> str:
        return record.origin.label.capitalize() if record.is_shipped else value

    def render_status(self, record: Submission, value: Any) -> str:
        mark = "".join(
            f" · {words}" for words in (record.repeats_words, "on the board" * record.shown) if words
        )
        score = None if record.is_trial else record.score
        reason = why_unranked(record) if score is not None else ""
        gated = score is not None and score.gated and not record.system.reference
        return format_html(
            '<span class="status {}">{}</span>{}{}{}',
            record.status,
            value,
            mark,
            format_html('<small class="under">not ranked: {}</small>', reason) if reason else "",
            mark_safe('<small class="under bad">a requirement is not met</small>') if gated else "",
        )


class HistoryTable(SubmissionTable):
    """The submissions of all accounts, each with a checkbox that selects it for a comparison."""

    s = tables.Column("Compare", accessor="pk", orderable=False)
    created_at = tables.DateTimeColumn(
        verbose_name="Submitted", format="DATETIME_FORMAT", linkify=True, attrs={"td": {"class": "date"}}
    )
    note = tables.Column(default="")
    submitter = tables.Column("Account", accessor="submitter__username")

    class Meta(SubmissionTable.Meta):
        sequence = ("s", "created_at", "system", "version", "headline", "status", "submitter", "...")
        exclude = ("visibility", "source")
        empty_text = "No submission matches."

    def render_s(self, record: Submission) -> str:
        """Show a checkbox if the submission was graded over all rows. Other submissions cannot be compared."""
        if record.score_id is None or record.is_trial:
            return ""
        words = f"Compare {record.system} on {record.version}, submitted {minute(record.created_at)}"
        box = '<input type="checkbox" name="s" form="compare" value="{}" aria-label="{}">'
        return format_html(box, record.pk, words)

    def render_submitter(self, record: Submission, value: str) -> str:
        address = f"?{urlencode({'account': value})}"
        private = "" if record.is_public else format_html(' <span class="badge">{}</span>', "private")
        return format_html('<a href="{}">{}</a>{}', address, value, private)
