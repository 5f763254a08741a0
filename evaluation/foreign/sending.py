"""Prepare files of other tools for upload. A site converts all of them, except binary logs of Inspect."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluation.core import jsonl
from evaluation.foreign.reading import ZIP, samples_of

#: The code of the finding that says how a file was read.
READ_AS = "read_as"


@contextmanager
def sendable(path: Path) -> Iterator[Path]:
    """Yield the file to upload: `path`, or a binary log of Inspect as JSON lines. Raises MissingExtraError."""
    with path.open("rb") as file:
        binary = file.read(len(ZIP)) == ZIP
    if not binary:
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, f"{path.stem}.jsonl.gz")
        jsonl.write(lines, samples_of(path))
        yield lines
