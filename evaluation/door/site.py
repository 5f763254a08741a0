"""Client of a site for scripts and notebooks. `raw` of a returned record has all fields that the site sent."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from evaluation import door
from evaluation.core import records
from evaluation.core.report import Report
from evaluation.remote import credentials, options
from evaluation.remote.client import NOT_FOUND, Client, ClientError
from evaluation.remote.download import download, files_of, place_of
from evaluation.remote.records import BoardRow, Figure, Figures, Submission, Version

if TYPE_CHECKING:
    import pandas as pd

    from evaluation.frames.schema import Table


class Site:
    """A site. Every failure raises a `ClientError` that explains it.

    `token`: from the account page. If empty, the token that `goldevidencebench login` stored for this URL is used.
    Without a token, public data can be read.
    """

    def __init__(self, url: str, token: str = "") -> None:
        self._client = Client(url, token or credentials.token(url))

    def __enter__(self) -> Site:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._client.__exit__()

    def versions(self) -> Iterator[Version]:
        return self._client.items("/versions", Version, limit=100)

    def board(self, version: str, **filters: Any) -> Iterator[BoardRow]:
        """The rows of a version's leaderboard, in the order shown.

        Args:
            version: `benchmark/version`.
            filters: Query parameters of the page, such as `condition="k4-gold_at_1-shuffled"` or `systems="models"`.
        """
        return self._client.items(f"/leaderboard/{version}", BoardRow, limit=100, **filters)

    def board_frame(self, version: str, **filters: Any) -> pd.DataFrame:
        """The rows of `board` as the DataFrame `board` (docs/frames.md). Needs the extra `frames`."""
        from evaluation.frames.schema import BOARD

        # The API refuses unknown parts; the page that has the file ignores them.
        next(self.board(version, **filters), None)
        return self._frame(f"/boards/{version}/export.parquet", BOARD, **filters)

    def submissions(self, **filters: Any) -> Iterator[Submission]:
        """Public submissions and your own, newest first. Filters: `version=`, `system=`, `status=`, `mine=True`."""
        return self._client.items("/submissions", Submission, limit=100, **filters)

    def submission(self, id: str) -> Submission:
        return self._client.get(f"/submissions/{id}", Submission)

    def metrics_frame(self, id: str) -> pd.DataFrame:
        """Every metric of a submission, over all rows and over each group, as the DataFrame `metrics`."""
        from evaluation.frames import metrics_frame

        found = self._client.get(f"/submissions/{id}/metrics", Figures)
        whole = _figures({figure.name: figure for figure in found.metrics})
        groups = {
            grouping: {name: _figures(group) for name, group in members.items()}
            for grouping, members in found.groups.items()
        }
        return metrics_frame(Report(**whole, groups=groups))

    def comparison_frame(self, *ids: str) -> pd.DataFrame:
        """Compare two to four submissions, paired by unit, as the DataFrame `comparison`; the first is A.

        Raises:
            ClientError: The ids are not two to four public, graded submissions of one version.
        """
        from evaluation.frames.schema import COMPARISON

        try:
            return self._frame("/compare/comparison.parquet", COMPARISON, s=ids)
        except ClientError as error:
            if error.status != NOT_FOUND:
                raise
            text = "only two to four public, graded submissions of one version can be compared"
            raise ClientError(text, status=NOT_FOUND) from error

    def _frame(self, path: str, table: Table, **query: Any) -> pd.DataFrame:
        from evaluation.frames import read_frame

        with TemporaryDirectory() as folder:
            self._client.fetch(path, file := Path(folder, "table.parquet"), **query)
            return read_frame(file, table)

    def download(self, version: str, out: str | Path) -> Path:
        """Download the rows of a version, and their documents beside them; resumes a partial download.

        Args:
            version: `benchmark/version`.
            out: The file to write, `….rows.jsonl.gz`.
        """
        out = Path(out)
        for file in files_of(self._client.get(f"/versions/{version}", Version)):
            place = place_of(file, out)
            download(self._client, file, place, progress=lambda done, total: None)
        return out

    def read_version(self, version: str) -> door.Version:
        """The questions of a version, without gold if the site withholds it. See `door.read_version`."""
        with TemporaryDirectory() as folder:
            return door.read_version(self.download(version, Path(folder, "rows.jsonl.gz")))

    def submit(
        self, version: str, file: str | Path, system: str, *, wait: float = 0, **fields: Any
    ) -> Submission:
        """Send a predictions file.

        Args:
            version: `benchmark/version`.
            file: JSON lines, may be gzipped.
            system: One of your systems, or the name of a new one.
            wait: Seconds to wait until the submission is graded; 0 returns at once.
            fields: Further fields of `POST /submissions`, such as `model=`, `reading="whole"`, `visibility="private"`.

        Raises:
            ClientError: The site refuses the file, or grading takes longer than `wait`.
        """
        sent = self._client.post_file(
            "/submissions",
            Path(file),
            Submission,
            key=uuid.uuid4().hex,
            version=version,
            system=system,
            **fields,
        )
        return options.wait(self._client, sent.id, seconds=wait) if wait else sent


def _figures(figures: Mapping[str, Figure]) -> records.Figures:
    return {
        "metrics": {name: figure.value for name, figure in figures.items()},
        "intervals": {name: figure.interval for name, figure in figures.items()},
    }
