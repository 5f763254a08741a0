"""The files of a run: predictions, and a journal beside them that says whose they are and what each cost.

Both grow by one flushed line per row. After a crash the last line may be torn: it is cut off, and the run
goes on from there. The journal's first line is the run's identity; a file is never continued by another
system.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import orjson

from evaluation import jsonl
from evaluation.adapters.base import Row, Usage
from evaluation.adapters.episode_rows import KIND as EPISODES
from evaluation.adapters.kinds import RowKind
from evaluation.errors import BenchmarkError
from evaluation.runner import RowResult

JOURNAL_SUFFIX = ".journal"


class RunFiles:
    """Open for appending. `done_ids` and `usage` hold what earlier attempts saved."""

    def __init__(
        self,
        path: str | Path,
        identity: Mapping[str, Any],
        *,
        resume: bool = False,
        kind: RowKind = EPISODES,
    ) -> None:
        self.path, self._kind = Path(path), kind
        self.journal_path = self.path.with_name(self.path.name + JOURNAL_SUFFIX)
        self.done_ids: dict[str, None] = {}
        self.usage = Usage()
        if self.path.exists() and self.path.stat().st_size and not resume:
            raise BenchmarkError(f"{self.path} exists already: add --resume to go on, or choose another name")
        if resume and self.path.exists():
            self._take_up(dict(identity))
        mode = "ab" if resume else "wb"
        self._predictions: IO[bytes] = self.path.open(mode)
        self._journal: IO[bytes] = self.journal_path.open(mode)
        if self._journal.tell() == 0:
            self._append(self._journal, {"identity": dict(identity)})

    def save(self, result: RowResult) -> None:
        """Append one prediction, its cost first: a prediction without a cost would falsify the totals."""
        self._append(self._journal, {"id": result.id, "usage": result.usage.as_dict()})
        self._append(self._predictions, result.prediction)

    def close(self) -> None:
        """Close both files."""
        self._predictions.close()
        self._journal.close()

    def __enter__(self) -> RunFiles:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take_up(self, identity: dict[str, Any]) -> None:
        cut_torn_line(self.path)
        if self.journal_path.exists():
            cut_torn_line(self.journal_path)
        journal = list(jsonl.read(self.journal_path)) if self.journal_path.exists() else []
        if journal and (changed := _changed(journal[0].get("identity", {}), identity)):
            raise BenchmarkError(
                f"{self.path} was begun with another {', '.join(changed)}: "
                "a run is not continued by another system"
            )
        self.done_ids = {self._kind.answered(row): None for row in jsonl.read(self.path)}
        costs = {entry["id"]: Usage(**entry["usage"]) for entry in journal[1:]}
        for row_id in self.done_ids:
            self.usage += costs.get(row_id, Usage())

    @staticmethod
    def _append(handle: IO[bytes], record: Row) -> None:
        handle.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        handle.flush()


def cut_torn_line(path: Path) -> None:
    """Cut a file behind its last whole line. A crash leaves at most one line without its newline."""
    with open(path, "rb+") as handle:
        end = handle.seek(0, os.SEEK_END)
        block = 1 << 16
        while end > 0:
            start = max(0, end - block)
            handle.seek(start)
            newline = handle.read(end - start).rfind(b"\n")
            if newline >= 0:
                handle.truncate(start + newline + 1)
                return
            end = start
        handle.truncate(0)


def _changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    names = sorted({*before, *now})
    return [name for name in names if before.get(name) != now.get(name)]
