"""The rows of a version as a taskset of `verifiers` 0.4, rewarded by the grader of `goldevidencebench grade`.

verifiers finds a taskset by the name of its module: docs/python.md shows such a module of two lines. Do not train on
these rows; training tasks are in `gym.bridges.verifiers`.
"""

from __future__ import annotations

from collections.abc import Iterator

import verifiers.v1 as vf
from verifiers.v1.harnesses.null import NullHarness

from evaluation import door
from evaluation.core import jsonl
from evaluation.harnesses.rows import graded_rows_of

# A harness that a taskset exports is its default: `null` is one turn without tools, others give models a shell.
__all__ = ["NullHarness", "RowTaskset"]


class RowData(vf.TaskData):
    """A task as `verifiers` stores it."""

    row: str  # JSON, with gold


class RowTask(vf.Task[RowData]):
    @vf.reward
    async def headline(self, trace: vf.Trace) -> dict[str, float]:
        """Reward: the row's value of the headline metric, or nothing if the metric does not count the row."""
        found = self._verdict(trace)
        return {} if found.score is None else {"headline": found.score}

    @vf.metric
    async def figures(self, trace: vf.Trace) -> dict[str, float]:
        """The values of all metrics that count the row."""
        return dict(self._verdict(trace).figures)

    def _verdict(self, trace: vf.Trace) -> door.Verdict:
        return door.verdict(jsonl.loads(self.data.row), trace.last_reply)


class RowConfig(vf.TasksetConfig):
    """Command-line options of the taskset, as for Inspect tasks: `--env.taskset.version rows.jsonl.gz`."""

    version: str = "goldevidence:smoke"
    site: str = ""
    prompt: str = ""


class RowTaskset(vf.Taskset[RowTask, RowConfig]):
    """The rows of a version, in order."""

    def load(self) -> Iterator[RowTask]:
        own = self.config
        for row in graded_rows_of(own.version, own.site):
            system, user = (message["content"] for message in door.messages(row, own.prompt))
            data = RowData(id=row["id"], system_prompt=system, prompt=user, row=jsonl.dumps(row).decode())
            yield RowTask(data, own.task)
