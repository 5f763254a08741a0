"""Convert an uploaded, untrusted file of another tool to predictions, within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from evaluation.core import jsonl
from evaluation.core.diagnosis import Finding
from evaluation.core.errors import BenchmarkError, RowError
from evaluation.core.files import limits
from evaluation.core.files.limits import Bounds, RefusedError
from evaluation.core.suite import Suite
from evaluation.foreign.convert import convert_for
from evaluation.foreign.reading import ZIP
from evaluation.foreign.sending import READ_AS


class Made(NamedTuple):
    path: Path
    found: Finding
    tokens_per_query: float | None


def make(path: str, folder: str, ids: Sequence[str], suite: Suite, bounds: Bounds) -> Made | Finding | None:
    """Convert a file of another tool, which may be gzipped, to a predictions file in `folder`.

    `bounds` apply to the unpacked file. Returns the predictions file with a summary, a Finding if the file has no
    usable answers, or None if the tool is unknown or the file cannot be read.
    """
    plain, out = Path(folder, "sent"), Path(folder, "preds.jsonl")
    try:
        with plain.open("wb") as file:
            file.writelines(limits.chunks(Path(path), bounds))
        with plain.open("rb") as file:
            if file.read(len(ZIP)) == ZIP:  # a binary log of Inspect: its refusal names the command
                return None
        made = convert_for(plain, ids, suite)
    except (RefusedError, RowError):
        return None  # the check of predictions says it, too
    except BenchmarkError as error:
        return Finding(READ_AS, str(error).replace(str(plain), "The file"))
    except MemoryError:
        raise
    except Exception:  # libraries raise anything for a damaged table, and the check has its own words for it
        return None
    if made is None:
        return None
    if not made.lines:
        return Finding(READ_AS, made.sentence)
    jsonl.write(out, made.lines)
    return Made(out, Finding(READ_AS, made.sentence), made.tokens_per_query)
