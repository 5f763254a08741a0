"""A shipped run on disk: `<system>/<suite>-<preset>/` with predictions, transcripts and `run.json`.

A folder without `run.json` is a run that is not finished. Files are gzipped without a time, so that the same lines are
the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from leaderboard.benchmarks.models import Version

#: Where those lie that come with the source.
SHIPPED = Path(__file__).parent / "data"
RUN, PREDICTIONS = "run.json", "predictions.jsonl.gz"
TRANSCRIPTS = "predictions.transcripts.jsonl.gz"


class FolderError(BenchmarkError):
    """A folder holds no whole run; the text says which, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedRun:
    """What `run.json` says.

    `system` is the short name of what ran, `made_at` when it ended (UTC), `identity` what must
    be the same for it not to be made again. The SHA-256 of the two files are of their lines uncompressed, as the site
    names them; `transcripts_sha256` is empty where no model was asked. A run belongs to the rows that it answers, and
    to the documents that these name: `version_sha256` says only of which version they were when it was made.
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
        """True if a version has the rows and documents of this run, whatever grades them.

        Args:
            version: A frozen one. A run that an earlier release made names no rows: it answers one version alone.
        """
        if not self.rows_sha256:
            return self.version_sha256 == version.sha256
        there = (version.rows_sha256, version.documents_sha256)
        return (self.rows_sha256, self.documents_sha256) == there

    def save(self, folder: Path) -> None:
        """Write `run.json`: the folder is a whole run from here on."""
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False)
        with jsonl.fresh(folder / RUN) as out:
            out.write(f"{text}\n".encode())


_RUN = TypeAdapter(ShippedRun)
#: What helps whatever is wrong with a folder.
REMEDY = "Take the folder as it came with the source, or make the run again: `make demo-models`."


def folder_of(root: Path, system: str, suite: str, preset: str) -> Path:
    """Where a run lies.

    Args:
        root: Of all shipped runs.
        system: Short name of the system.
        suite: Of the version.
        preset: Of the version, as an address writes it.
    """
    return root / system / f"{suite}-{preset}"


def folders(root: Path = SHIPPED) -> Iterator[Path]:
    """The folders of whole runs, in the order of their names."""
    yield from (path.parent for path in sorted(root.glob(f"*/*/{RUN}")))


def read(folder: Path) -> ShippedRun:
    """The run of a folder, whose files are as it says.

    Args:
        folder: One of `folders`.

    Raises:
        FolderError: `run.json` is damaged or has a field of another type, or a file is missing or holds something else.
    """
    try:
        run = _RUN.validate_json((folder / RUN).read_bytes())
    except OSError as error:
        raise FolderError(f"{folder / RUN} cannot be read: {error}") from error
    except ValidationError as error:
        raise FolderError(f"{folder / RUN}: {_problems(error)}. {REMEDY}") from error
    files = {PREDICTIONS: run.predictions_sha256, TRANSCRIPTS: run.transcripts_sha256}
    for name, sha256 in files.items():
        if sha256 and lines_sha256(folder / name) != sha256:
            raise FolderError(f"{folder / name} does not hold what {RUN} says: its SHA-256 is another")
    return run


def _problems(error: ValidationError) -> str:
    """Each field that is wrong, and how."""
    problems = error.errors(include_url=False)
    return "; ".join(
        ": ".join(filter(None, (".".join(map(str, problem["loc"])), problem["msg"]))) for problem in problems
    )


def lines_sha256(path: Path) -> str:
    """The SHA-256 of a file's lines, uncompressed. Raises FolderError."""
    digest = hashlib.sha256()
    try:
        with jsonl.open_binary(path) as lines:
            while chunk := lines.read(1 << 20):
                digest.update(chunk)
    except (OSError, *jsonl.GZIP_ERRORS) as error:
        raise FolderError(f"{path} cannot be read: {error}") from error
    return digest.hexdigest()
