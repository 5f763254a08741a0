"""Cites versions and results in BibTeX and CITATION.cff, with the hashes and revisions that identify them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import yaml
from django.conf import settings
from django.utils import timezone

from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements.outcomes import why_unranked
from leaderboard.boards.sharing.licences import spdx
from leaderboard.submissions.models import Score, Submission
from leaderboard.web.formatting import MINUS, number

#: Characters with a meaning in LaTeX -> how to write them literally.
ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{sign: f"\\{sign}" for sign in "{}&%$#_"},
    }
)


def version_entry(version: Version, *, url: str) -> str:
    """Make the BibTeX entry of a frozen version. The author is this site, and `url` must be absolute."""
    date = version.frozen_at or version.created_at
    return _entry(
        f"{version.benchmark.slug}-{version.slug}",
        author=f"{{{_text(settings.SITE_NAME)}}}",
        title=f"{{{_text(version.benchmark.title)}}}: {_text(version.title)}",
        note=f"Frozen benchmark version, {number_of(version.row_count, 'row')}, grader {_text(version.grader)}, "
        f"SHA-256 {version.sha256}",
        date=date,
        url=url,
    )


def cff(version: Version, *, url: str) -> str:
    """Make the CITATION.cff of a frozen version (https://citation-file-format.github.io)."""
    licence = spdx(version.licence)
    return yaml.safe_dump(
        {
            "cff-version": "1.2.0",
            "message": "If you use these rows, cite them as below.",
            "type": "dataset",
            "title": f"{version.benchmark.title}: {version.title}",
            "authors": [{"name": settings.SITE_NAME}],
            "version": version.slug,
            "date-released": f"{version.frozen_at or version.created_at:%Y-%m-%d}",
            "url": url,
            **({"license": licence} if licence else {}),
            "identifiers": [
                {
                    "type": "other",
                    "value": f"sha256:{version.sha256}",
                    "description": "Seal of rows, gold, settings and grader",
                }
            ],
        },
        sort_keys=False,
        allow_unicode=True,
    )


def submission_entry(submission: Submission, *, url: str) -> str:
    """Make the BibTeX entry of a submission, with its headline and grader. `url` must be absolute."""
    version, score = submission.version, submission.score
    place = f"{{{_text(version.benchmark.title)}}}: {_text(version.title)}"
    return _entry(
        f"{submission.system.slug}-{version.slug}-{str(submission.pk)[:8]}",
        author=f"{{{_text(submission.system.owner.get_username())}}}",
        title=f"{_text(submission.system.name)} on {place}",
        note=_result(submission, score) if score else "Not graded yet",
        date=submission.graded_at or submission.created_at,
        url=url,
        publisher=_text(settings.SITE_NAME),
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
