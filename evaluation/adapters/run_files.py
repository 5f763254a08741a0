"""The files of a run: predictions, and a journal beside them with the run's identity and the cost of each row.

Both grow by one flushed line for each row. After a crash an incomplete last line is cut off, and the run continues
from there. The journal's first line is the run's identity: only the same system may continue a file. Exchanges with a
model are in a third file (`transcripts.files`).

If a run paused because too many rows are unanswered, resuming it asks these rows again, unless `keep_unanswered`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

import orjson

from evaluation.adapters.base import Adapter, ShouldStop, Usage
from evaluation.adapters.kinds import RowKind
from evaluation.adapters.runner import TRUNCATED, OnRow, RowResult, RunSummary, run
from evaluation.adapters.transcripts.files import TranscriptFile
from evaluation.adapters.transcripts.record import Keep
from evaluation.core import jsonl
from evaluation.core.errors import FORM_FAULTS, BenchmarkError, RowError
from evaluation.core.files.artifacts import ArtifactLine, artifact_in, is_artifact, read_artifacts
from evaluation.core.records import JsonObject, Row
from evaluation.core.row_states import UNANSWERED, RowState, too_many

JOURNAL_SUFFIX = ".journal"
#: Parts of an identity that journals of earlier releases lack.
SAID_SINCE = frozenset({"model_sha256"})


class Cost(NamedTuple):
    usage: Usage
    truncated: int = 0
    doubt: str = ""


class RunFiles:
    """The files of a run, open for appending.

    `done_ids`, `usage` and `states` describe the rows saved by earlier attempts. `truncated` is the number of their
    shortened prompts, and `doubted` the number of their doubtful answers. `artifacts` maps an episode to the text that
    the system built for it. `asked_again` counts rows asked again, as they were unanswered or doubtful.
    """

    def __init__(
        self,
        path: str | Path,
        identity: Mapping[str, object],
        *,
        resume: bool = False,
        keep_unanswered: bool = True,
        kind: RowKind,
        keep: Keep = Keep.FULL,
    ) -> None:
        self.path, self._kind, self._records = Path(path), kind, keep is not Keep.OFF
        self.transcripts = TranscriptFile(path, keep)
        self.journal_path = self.path.with_name(self.path.name + JOURNAL_SUFFIX)
        self.done_ids: dict[str, None] = {}
        self.usage = Usage()
        self.states: Counter[str] = Counter()
        self.artifacts: dict[str, str] = {}
        self.asked_again = self.truncated = self.doubted = 0
        self._again: frozenset[str] = frozenset()
        if self.path.exists() and self.path.stat().st_size and not resume:
            raise BenchmarkError(
                f"{self.path} exists already: add --resume to continue, or choose another name"
            )
        begun = resume and self.path.exists() and self.path.stat().st_size > 0
        if begun:
            self._take_up(dict(identity), keep_unanswered)
        else:
            self.transcripts.forget()
        mode = "ab" if begun else "wb"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._predictions: IO[bytes] = self.path.open(mode)
        self._journal: IO[bytes] = self.journal_path.open(mode)
        if self._journal.tell() == 0:
            self._append(self._journal, {"identity": dict(identity)})

    def answer(
        self,
        rows: Iterable[Row],
        adapter: Adapter,
        *,
        protocol: str | None,
        on_row: OnRow | None = None,
        should_stop: ShouldStop | None = None,
        may_pause: bool = False,
    ) -> RunSummary:
        """Ask an adapter all questions that are not done yet. Each answer is saved before the next question is asked.

        The provenance counts the shortened prompts of all attempts. Raises AdapterError if the system breaks its
        contract or fails; saved rows remain. See `runner.run` for the arguments.
        """

        def save(result: RowResult) -> None:
            self.save(result)
            if on_row is not None:
                on_row(result)

        summary = run(
            rows,
            adapter,
            protocol=protocol,
            kind=self._kind,
            on_row=save,
            on_artifact=self.save_artifact,
            artifacts=self.artifacts,
            should_stop=should_stop,
            done_ids=self.done_ids,
            done_states=self.states,
            may_pause=may_pause,
            record=self._records,
        )
        summary.provenance = self.over_all_attempts(summary.provenance)
        return summary

    def save(self, result: RowResult) -> None:
        """Save the result of a row: append the exchange with the model, then the cost, then the prediction."""
        # in this order, so that no row that counts as done lacks its exchange, and no prediction its cost, which would
        # falsify the totals
        self.transcripts.save(result.exchange, result.id, result.state.value, result.prediction)
        entry: dict[str, object] = {
            "id": result.id,
            "usage": result.usage.as_dict(),
            "state": result.state.value,
        }
        if result.doubt:
            entry["doubt"] = result.doubt
        if result.truncated:
            entry["truncated"] = result.truncated
        if result.id in self._again:
            entry["again"] = True
            self.asked_again += 1
        self._append(self._journal, entry)
        self._append(self._predictions, result.prediction)

    def save_artifact(self, episode_id: str, artifact: str) -> None:
        """Save an artifact of the system. Answers that are made from the artifact are saved after it."""
        self.artifacts[episode_id] = artifact
        self._append(self._predictions, ArtifactLine(episode_id, artifact).as_json())

    def over_all_attempts(self, told: Mapping[str, object]) -> dict[str, object]:
        """Return an adapter's provenance `told`, with the shortened prompts of earlier attempts added to its count."""
        count = told.get(TRUNCATED)
        return {**told, TRUNCATED: count + self.truncated} if isinstance(count, int) else dict(told)

    def close(self) -> None:
        self.transcripts.close()
        self._predictions.close()
        self._journal.close()

    def __enter__(self) -> RunFiles:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take_up(self, identity: dict[str, Any], keep_unanswered: bool) -> None:
        """Load the results of earlier attempts, after a check that the same system made them."""
        if changed := _changed(self._begun_by(), identity):
            raise BenchmarkError(
                f"{self.path} was started with a different {', '.join(changed)}: "
                "only the same system can continue a run"
            )
        cut_torn_line(self.path)
        cut_torn_line(self.journal_path)
        if self.transcripts.path.exists():
            cut_torn_line(self.transcripts.path)
        costs = dict(map(self._cost, islice(jsonl.read_numbered(self.journal_path), 1, None)))
        self.artifacts = read_artifacts(self.path)
        numbered = (each for each in jsonl.read_numbered(self.path) if not is_artifact(each[1]))
        done = dict(map(self._answered, numbered))
        self.states = Counter(state.value for state in done.values())
        doubted = {row_id for row_id in done if row_id in costs and costs[row_id].doubt}
        if not keep_unanswered and (doubted or too_many(self.states)):
            done = self._drop_unanswered(done, doubted)
        self.done_ids = dict.fromkeys(done)
        for row_id in self.done_ids:
            cost = costs.get(row_id, Cost(Usage()))
            self.usage += cost.usage
            self.truncated += cost.truncated
            self.doubted += bool(cost.doubt)

    def _drop_unanswered(self, done: Mapping[str, RowState], doubted: Collection[str]) -> dict[str, RowState]:
        """Delete doubtful predictions, and unanswered ones if there are too many. Returns the other rows' states."""
        without = UNANSWERED if too_many(self.states) else ()
        answered = {
            row_id: state for row_id, state in done.items() if state not in without and row_id not in doubted
        }
        with jsonl.fresh(self.path, durable=True) as out:
            for row in jsonl.read(self.path):
                if artifact_in(row) or self._kind.answered(row) in answered:
                    out.write(jsonl.dumps(row) + b"\n")
        self.states = Counter(state.value for state in answered.values())
        self._again = frozenset(done.keys() - answered.keys())
        return answered

    def _begun_by(self) -> Mapping[str, object]:
        if not self.journal_path.exists():
            raise BenchmarkError(
                f"{self.path} has no journal beside it ({self.journal_path.name}), so the run that wrote it is "
                "unknown and cannot be continued. Choose another name."
            )
        if not (identity := begun_by(self.path)):
            raise BenchmarkError(
                f"{self.journal_path} is not the journal of a run: its first line has no identity"
            )
        return identity

    def _answered(self, numbered: tuple[int, dict[str, Any]]) -> tuple[str, RowState]:
        number, row = numbered
        try:
            return self._kind.answered(row), self._kind.state(row)
        except FORM_FAULTS as error:
            raise RowError("the line has no row id", path=str(self.path), line=number) from error

    def _cost(self, numbered: tuple[int, dict[str, Any]]) -> tuple[str, Cost]:
        number, entry = numbered
        self.asked_again += entry.get("again") is True
        try:
            usage, truncated = Usage(**entry["usage"]), int(entry.get("truncated", 0))
            return entry["id"], Cost(usage, truncated, str(entry.get("doubt", "")))
        except FORM_FAULTS as error:
            raise RowError(
                "the line is not an entry of a journal: it needs id and usage",
                path=str(self.journal_path),
                line=number,
            ) from error

    @staticmethod
    def _append(handle: IO[bytes], record: JsonObject) -> None:
        handle.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        handle.flush()


def cut_torn_line(path: Path) -> None:
    """Truncate a file after its last complete line. A crash leaves at most one incomplete line."""
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


def begun_by(path: str | Path) -> Mapping[str, Any]:
    """The identity of the run that started a predictions file; empty if unknown."""
    journal = Path(path).with_name(Path(path).name + JOURNAL_SUFFIX)
    first = next(jsonl.read(journal), {}) if journal.exists() else {}
    identity = first.get("identity")
    return identity if isinstance(identity, dict) else {}


def _changed(before: Mapping[str, object], now: Mapping[str, object]) -> list[str]:
    """Names whose values differ between two run identities. Names that older journals lack are ignored."""
    names = sorted({*before, *now} - (SAID_SINCE - before.keys()))
    return [name for name in names if before.get(name) != now.get(name)]
