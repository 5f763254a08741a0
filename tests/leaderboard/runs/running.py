"""Helpers that read a run."""

from __future__ import annotations

from leaderboard.runs.models import Run


def again(run: Run) -> Run:
    """The run as the database has it now."""
    return Run.objects.select_related("submission__score", "version", "system").get(pk=run.pk)


def history(run: Run) -> list[str]:
    """The events of the run, in order."""
    return list(run.events.values_list("what", flat=True))
