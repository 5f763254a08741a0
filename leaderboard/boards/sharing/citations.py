"""BibTeX of versions and of results: what a paper needs to name exactly what it used."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.utils import timezone

from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements.of_submission import why_unranked
from leaderboard.submissions.models import Score, Submission
from leaderboard.web.formatting import MINUS, number

#: What LaTeX would read as a command, and how it is written instead.
ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{sign: f"\\{sign}" for sign in "{}&%$#_"},
    }
)


def of_version(version: Version, *, url: str, publisher: str) -> str:
    """The entry of a frozen version.

    Args:
        version: What is cited.
        url: The whole address of its page.
        publisher: The name of this site, which stands as the author.

    Returns:
        BibTeX.
    """
    date = version.frozen_at or version.created_at
    return _entry(
        f"{version.benchmark.slug}-{version.slug}",
        author=f"{{{_text(publisher)}}}",
        title=f"{{{_text(version.benchmark.title)}}}: {_text(version.title)}",
        note=f"Frozen benchmark version, {number_of(version.row_count, 'row')}, grader {_text(version.grader)}, "
        f"SHA-256 {version.sha256}",
        date=date,
        url=url,
    )


def of_submission(submission: Submission, *, url: str, publisher: str) -> str:
    """The entry of a result: the system's figure on one version, by one grader.

    Args:
        submission: What is cited, graded or not.
        url: The whole address of its page.
        publisher: The name of this site.

    Returns:
        BibTeX.
    """
    version, score = submission.version, submission.score
    place = f"{{{_text(version.benchmark.title)}}}: {_text(version.title)}"
    return _entry(
        f"{submission.system.slug}-{version.slug}-{str(submission.pk)[:8]}",
        author=f"{{{_text(submission.system.owner.get_username())}}}",
        title=f"{_text(submission.system.name)} on {place}",
        note=_result(submission, score) if score else "Not graded yet",
        date=submission.graded_at or submission.created_at,
        url=url,
        publisher=_text(publisher),
    )


def _result(submission: Submission, score: Score) -> str:
    headline = submission.version.headline
    ends = submission.result_interval
    between = f" (95\\% interval {_figure(ends[0])} to {_figure(ends[1])})" if ends else ""
    reason = why_unranked(submission)
    unranked = f", not ranked: {_text(reason)}" if reason else ""
    made = submission.origin.label
    repeats = "".join(f", {words}" for words in (submission.repeats_words, submission.trial_words) if words)
    return (
        f"{_text(headline.label)} {_figure(submission.result)}{between}{repeats}{unranked}, "
        f"grader {_text(score.grader)}, revision {score.revision}, {made}, version SHA-256 {submission.version.sha256}"
    )


def _figure(value: float | None) -> str:
    return number(value).replace(MINUS, "-").replace("%", r"\%")


def _entry(key: str, *, date: datetime, **fields: str) -> str:
    today = timezone.now()
    dated: Mapping[str, str] = fields | {
        "year": f"{date:%Y}",
        "month": f"{date:%b}".lower(),
        "urldate": f"{today:%Y-%m-%d}",
    }
    bare = {"month"}  # a macro of BibTeX, not a text
    lines = [f"  {name:<9} = {text if name in bare else '{' + text + '}'}," for name, text in dated.items()]
    return "\n".join([f"@misc{{{key},", *lines, "}", ""])


def _text(text: str) -> str:
    return " ".join(text.split()).translate(ESCAPES)
