"""What changed: a mark that every write to what pages show leaves, whoever makes it."""

from __future__ import annotations

import hashlib

from django.db import connection, models


class ContentChange(models.Model):
    """A mark of the triggers in `leaderboard.ready_pages.triggers`; no code of the site writes one.

    On PostgreSQL each statement that writes adds a line, so that no two transactions wait for each other. On SQLite,
    where one writes at a time anyway, the only line gets another token.
    """

    token = models.CharField(max_length=32, blank=True)

    class Meta:
        verbose_name = "change of content"
        verbose_name_plural = "changes of content"

    def __str__(self) -> str:
        return f"{self.pk} {self.token}"


class RenderedPage(models.Model):
    """A page that a worker rendered ahead, as it is sent. It is sent while its state is the site's, and no longer."""

    key = models.CharField(max_length=64, primary_key=True, help_text="SHA-256 of its whole address.")
    state = models.CharField(max_length=80, help_text="Of the site, and of the code that rendered it.")
    address = models.TextField()
    packed = models.BinaryField()
    headers = models.JSONField()
    etag = models.CharField(max_length=80)
    good_until = models.DateTimeField(
        db_index=True, help_text="Then it says of something that it was too lately."
    )

    class Meta:
        verbose_name = "page rendered ahead"
        verbose_name_plural = "pages rendered ahead"

    def __str__(self) -> str:
        return self.address


#: One line is all there is to read. Ids are never given twice, so that count, sum and last one name a set of marks.
_STATE = "SELECT COUNT(*), MAX(id), SUM(id), MAX(token) FROM leaderboard_contentchange"
#: Marks are thinned out once there are more.
MOST_MARKS = 1000


def fingerprint() -> str:
    """Names the state of all that pages show, as this transaction sees it.

    Returns:
        Another text after every write that was committed since.
    """
    with connection.cursor() as cursor:
        cursor.execute(_STATE)
        state = cursor.fetchone()
    return hashlib.sha256(repr(state).encode()).hexdigest()[:16]


def thin_out() -> int:
    """Forget marks but for the last, where there are many. The state then has another name, once.

    Returns:
        How many are gone.
    """
    if ContentChange.objects.count() <= MOST_MARKS:
        return 0
    newest = ContentChange.objects.order_by("-pk").values_list("pk", flat=True).first()
    return ContentChange.objects.filter(pk__lt=newest).delete()[0]
