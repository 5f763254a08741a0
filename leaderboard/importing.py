"""The rows of a published data set -> a version: checked line by line, kept by their hash, frozen by a worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation import bounded, jsonl
from evaluation.bounded import Bounds, RefusedError
from evaluation.errors import RowError
from evaluation.suites import Problem
from leaderboard import freezing, storage
from leaderboard.models import Preset, Version

#: A frozen row may be a whole book.
MAX_LINE_BYTES = 64 << 20


class ImportRefusedError(Exception):
    """The file cannot become a version. `line` is where, None where it is the file as a whole."""

    def __init__(self, message: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(f"Line {line:,}: {message}" if line else message)


def start(preset: Preset, path: str | Path, *, slug: str = "", title: str = "", ring: bool = True) -> Version:
    """A draft version of a file of rows with gold, for a worker to freeze.

    Raises ImportRefusedError, and SettingsError where the preset takes no rows; then nothing is kept.
    """
    units = check(preset, path)
    return freezing.start(
        preset=preset, slug=slug, title=title, source_sha256=storage.keep(path), units=units, ring=ring
    )


def check(preset: Preset, path: str | Path) -> int:
    """The number of units in a file. Raises ImportRefusedError at the first line that cannot be graded."""
    rows = _Rows(Path(path))
    items = preset.benchmark.engine.items_from_rows(iter(rows), preset.checked_settings())
    try:
        units = sum(1 for _ in items)
    except RefusedError as error:
        raise ImportRefusedError(error.problem.message, error.problem.line) from error
    except RowError as error:
        raise ImportRefusedError(_sentence(error.reason), error.line or rows.line) from error
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise ImportRefusedError(f"The row has not the form of the suite ({error!r}).", rows.line) from error
    if not units:
        raise ImportRefusedError("The file holds no rows: one JSON object per line is expected.")
    return units


class _Rows:
    """The rows of a file that a stranger made, and the line that was read last."""

    def __init__(self, path: Path) -> None:
        self._path, self.line = path, 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        limits = Bounds(
            max_bytes=settings.UPLOAD_MAX_BYTES,
            max_expanded_bytes=settings.UPLOAD_MAX_EXPANDED_BYTES,
            max_line_bytes=MAX_LINE_BYTES,
        )
        for number, line in bounded.lines(self._path, limits):
            self.line = number
            if isinstance(line, Problem):
                raise RowError(line.message, line=number)
            yield jsonl.parse_row(line, number=number)


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:].rstrip('.')}."
