"""A sent file of another tool (Inspect, lm-eval, a batch, a table), made into predictions.

It is read in a process with bounded memory: a log, gzip or Parquet file can unpack to more than a machine has.
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

#: Bytes of memory that reading a file may take.
MEMORY = 1 << 30


@contextmanager
def predictions_of(version: Version, path: str | Path, bounds: Bounds) -> Iterator[Made | Finding | None]:
    """As `sent.make`; the predictions are deleted after the block."""
    with tempfile.TemporaryDirectory() as folder:
        yield _made(version, path, folder, bounds)


def _made(version: Version, path: str | Path, folder: str, bounds: Bounds) -> Made | Finding | None:
    ids = list(expected_ids.expected_rows(version).splits)
    given = (str(path), folder, ids, version.suite, bounds)
    try:
        return isolated.run(sent.make, *given, seconds=settings.CHECK_SECONDS, memory=MEMORY)
    except isolated.TooMuchError as error:
        return Finding(
            READ_AS, f"Reading the file {error}: `goldevidencebench convert` reads it on your machine."
        )
    except isolated.BrokenOffError:
        return None
