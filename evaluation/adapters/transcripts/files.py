"""The transcripts of a run, beside its predictions; compressed when the run ends.

A row's line is flushed before its prediction, so that no saved row lacks its line. A row that is asked again gets
another line, and the last line of an id counts. If no model is asked, there is no file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any, cast

from evaluation.adapters.transcripts.record import NOT_ASKED, Exchange, Keep, TranscriptLine, line_of
from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.records import Prediction

SUFFIX, PACKED_SUFFIX = ".transcripts.jsonl", ".transcripts.jsonl.gz"


class TranscriptFile:
    def __init__(self, predictions: str | Path, keep: Keep = Keep.FULL) -> None:
        self.path, self.packed_path = _paths(Path(predictions))
        self._keep = keep
        self._out: IO[bytes] | None = None

    def forget(self) -> None:
        for path in (self.path, self.packed_path):
            path.unlink(missing_ok=True)

    def save(self, exchange: Exchange | None, row_id: str, state: str, prediction: Prediction) -> None:
        """Append the line of a row; `exchange` is None if no model was asked."""
        if self._keep is Keep.OFF or (exchange is None and not self._is_begun):
            return
        if self._out is None:
            self._unpack()
            self._out = self.path.open("ab")
        line = line_of(exchange or NOT_ASKED, row_id, state, prediction=prediction, keep=self._keep)
        self._out.write(jsonl.dumps(line) + b"\n")
        self._out.flush()

    def close(self) -> None:
        if self._out is not None:
            self._out.close()
            self._out = None

    def pack(self) -> Path | None:
        """Compress the last line of each id into the packed file, and return its path. None if no model was asked."""
        self.close()
        if self.path.exists():
            jsonl.write_parts(self.packed_path, ((line,) for line in self._last_lines()))
            self.path.unlink()
        return self.packed_path if self.packed_path.exists() else None

    @property
    def _is_begun(self) -> bool:
        return self._out is not None or self.path.exists() or self.packed_path.exists()

    def _last_lines(self) -> Iterator[bytes]:
        """The last line of each id. The file is read twice, so that only ids are in memory."""
        last = {line["id"]: number for number, line in enumerate(map(_parsed, _whole_lines(self.path)))}
        chosen = set(last.values())
        yield from (line for number, line in enumerate(_whole_lines(self.path)) if number in chosen)

    def _unpack(self) -> None:
        """Restore the plain file, if there is a packed one, so that all lines of the run are in one file."""
        if self.packed_path.exists() and not self.path.exists():
            jsonl.write_parts(self.path, ((line,) for line in _whole_lines(self.packed_path)))
        self.packed_path.unlink(missing_ok=True)


def transcripts_of(path: str | Path) -> Path:
    """The transcripts file of a run. `path`: its predictions, its transcripts, or their folder.

    Raises BenchmarkError if there is no such file, or several.
    """
    path = Path(path)
    if path.name.endswith((SUFFIX, PACKED_SUFFIX)) and path.is_file():
        return path
    found = _in_folder(path) if path.is_dir() else [one for one in _paths(path) if one.exists()][:1]
    if not found:
        raise BenchmarkError(
            f"{path}: no transcripts of a run here (…{SUFFIX} or …{PACKED_SUFFIX}). Systems without a model have none."
        )
    if len(found) > 1:
        names = ", ".join(one.name for one in found)
        raise BenchmarkError(f"{path} has transcripts of several runs ({names}): name one of them")
    return found[0]


def run_named(transcripts: Path) -> Path:
    return transcripts.with_name(transcripts.name.removesuffix(".gz").removesuffix(SUFFIX) + ".jsonl")


def _in_folder(folder: Path) -> list[Path]:
    going_on = sorted(folder.glob(f"*{SUFFIX}"))
    packed = (one for one in sorted(folder.glob(f"*{PACKED_SUFFIX}")) if one.with_suffix("") not in going_on)
    return [*going_on, *packed]


def read_transcripts(path: str | Path, ids: Collection[str] | None = None) -> dict[str, TranscriptLine]:
    """The last transcript line of each id. `ids` selects ids; None selects all."""
    lines = map(_parsed, _whole_lines(path))
    return {line["id"]: cast(TranscriptLine, line) for line in lines if ids is None or line["id"] in ids}


def _paths(predictions: Path) -> tuple[Path, Path]:
    stem = predictions.name.removesuffix(".gz").removesuffix(".jsonl")
    return predictions.with_name(stem + SUFFIX), predictions.with_name(stem + PACKED_SUFFIX)


def _whole_lines(path: Path | str) -> Iterator[bytes]:
    """The complete lines of a file. Its last line may be incomplete during a run or after a crash."""
    return (line for _, line in jsonl.lines(path) if line.endswith(b"\n"))


def _parsed(line: bytes) -> dict[str, Any]:
    parsed = jsonl.parse(line)
    return parsed if isinstance(parsed, dict) and "id" in parsed else {"id": ""}
