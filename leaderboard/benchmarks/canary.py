"""A mark in every public row of a version, by which leaked rows and answers are recognised.

It is derived from what the rows are made of, so freezing the same settings again gives the same rows. A
model that can say it has seen the file in training; a predictions file that holds another version's mark was
made of other rows.
"""

from __future__ import annotations

import hashlib
import re

from evaluation.core import jsonl
from leaderboard.benchmarks.models import Version

FIELD = "canary"
PREFIX = "GEB-CANARY-"
PATTERN = re.compile(rb"GEB-CANARY-[0-9a-f]{16}")


def canary_text(version: Version) -> str:
    """The version's canary, `GEB-CANARY-` and 16 hex digits."""
    settings = dict(version.settings)
    if isinstance(rubric := settings.get("rubric"), str):  # a later revision grades the same rows
        settings["rubric"] = rubric.partition("@")[0]
    contents = [version.benchmark.suite, settings, version.source_sha256]
    return PREFIX + hashlib.sha256(jsonl.canonical(contents)).hexdigest()[:16]
