"""Converts an uploaded file of another tool to predictions.

This is done in a process with limited memory, because logs, gzip and Parquet can unpack to huge sizes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from evaluation.core.diagnosis import Finding
from evaluation.core.files.limits import Bounds
from evaluation.foreign import sent
from evaluation.foreign.sending import READ_AS
from evaluation.foreign.sent import Made
from leaderboard.benchmarks import expected_ids
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import isolated

#: Limit of memory for reading a file, in bytes.
MEMORY = 1 << 30


@contextmanager
def predictions_of(version: Version, path: str | Path, bounds: Bounds) -> Iterator[Made | Finding | None]:
    """Yield predictions made of another tool's file, a Finding on why there are none, or None if it is unreadable.

    The predictions are deleted when the context ends.
    """
    with tempfile.TemporaryDirectory() as folder:
        yield _made(version, path, folder, bounds)


def _made(version: Version, path: str | Path, folder: str, bounds: Bounds) -> Made | Finding | None:
    ids = list(expected_ids.expected_rows(version).splits)
    given = (str(path), folder, ids, version.suite, bounds)
    try:
        return isolated.run(sent.make, *given, seconds=settings.CHECK_SECONDS, memory=MEMORY)
    except isolated.TooMuchError as error:
        return Finding(
            READ_AS,
            f"Reading the file {error}. Convert the file on your machine with `goldevidencebench convert`.",
        )
    except isolated.BrokenOffError:
        return None
