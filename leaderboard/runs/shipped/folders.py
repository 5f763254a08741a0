"""A shipped run on disk: `<system>/<suite>-<preset>/` with predictions, transcripts and `run.json`.

A folder without `run.json` is an unfinished run. The gzip files have no timestamp: equal lines give equal bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version

#: Runs that come with the source.
SHIPPED = Path(__file__).parent / "data"
RUN, PREDICTIONS = "run.json", "predictions.jsonl.gz"
TRANSCRIPTS = "predictions.transcripts.jsonl.gz"


class FolderError(BenchmarkError):
    """A folder has no complete run; the text names the folder and says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedRun:
    """Content of `run.json`; `made_at` is the end of the run (UTC).

    A run is repeated if its `identity` changes. Hashes are of uncompressed lines; without transcripts, their hash is
    empty. A run can be submitted to every version with the same `rows_sha256` and `documents_sha256`; `version_sha256`
    counts only for old runs without these hashes.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid", strict=True)

    system: str
    suite: str
    preset: str
    version_sha256: str
    rows_sha256: str = ""
    documents_sha256: str = ""
    predictions_sha256: str
    transcripts_sha256: str
    rows: int
    row_states: dict[str, int]
    efficiency: dict[str, float]
    made_at: str
    identity: dict[str, object] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)

    def answers(self, version: Version) -> bool:
        """True if the version has the same rows and documents. Old runs without these hashes match by version."""
        if not self.rows_sha256:
            return self.version_sha256 == version.sha256
        there = (version.rows_sha256, version.documents_sha256)
        return (self.rows_sha256, self.documents_sha256) == there

    def save(self, folder: Path) -> None:
        """Write `run.json`, which marks the folder as complete."""
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False)
        with jsonl.fresh(folder / RUN) as out:
            out.write(f"{text}\n".encode())


_RUN = TypeAdapter(ShippedRun)
#: Advice at the end of errors about a folder.
REMEDY = "Restore the folder from the source, or make the run again: `make demo-models`."


def folder_of(root: Path, system: str, suite: str, preset: str) -> Path:
    return root / system / f"{suite}-{preset}"


def folders(root: Path = SHIPPED) -> Iterator[Path]:
    """Folders of complete runs, sorted by path."""
    yield from (path.parent for path in sorted(root.glob(f"*/*/{RUN}")))


def read(folder: Path) -> ShippedRun:
    """The run in a folder, with its files verified. Raises FolderError if a file is invalid or missing."""
    try:
        run = _RUN.validate_json((folder / RUN).read_bytes())
    except OSError as error:
        raise FolderError(f"{folder / RUN} cannot be read: {error}") from error
    except ValidationError as error:
        raise FolderError(f"{folder / RUN}: {_problems(error)}. {REMEDY}") from error
    files = {PREDICTIONS: run.predictions_sha256, TRANSCRIPTS: run.transcripts_sha256}
    for name, sha256 in files.items():
        if sha256 and lines_sha256(folder / name) != sha256:
            raise FolderError(f"{folder / name} does not match its SHA-256 in {RUN}")
    return run


def _problems(error: ValidationError) -> str:
    problems = error.errors(include_url=False)
    return "; ".join(
        ": ".join(filter(None, (".".join(map(str, problem["loc"])), problem["msg"]))) for problem in problems
    )


def lines_sha256(path: Path) -> str:
    """SHA-256 of a file's uncompressed lines. Raises FolderError."""
    try:
        return storage.lines_sha256(path)
    except (OSError, *jsonl.GZIP_ERRORS) as error:
        raise FolderError(f"{path} cannot be read: {error}") from error
