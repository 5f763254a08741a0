"""A run over rows against a local server, with the files that the command line makes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.adapters import load_adapter
from evaluation.adapters.run_files import RunFiles
from evaluation.adapters.runner import RowResult, RunSummary, run
from evaluation.core import jsonl
from evaluation.goldevidence.adapters.episode_rows import KIND
from tests.evaluation.adapters.server import Raw, Server
from tests.evaluation.conftest import make_row

ROWS = [make_row(number) for number in range(1, 13)]
ANSWER = '{"value": "ochre-0004", "support_ids": ["U000004"]}'
QUICK = {"pause_s": 0.01, "retries": 1, "check_prompt": False, "patience_s": 20.0}


def says(content: Any, finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content}, "finish_reason": finish}], **more}


def text_of(body: dict[str, Any]) -> str:
    turns = [turn["content"] for turn in body.get("messages", ())]
    return "\n".join(turns) or str(body.get("prompt"))


def number_in(body: dict[str, Any]) -> int:
    """The number of the row in a request; 0 for the probe."""
    found = re.search(r"Question (\d+):", text_of(body))
    return int(found[1]) if found else 0


def bad_for(number: int, reply: Any, *, times: int = 99) -> Callable[[dict[str, Any]], Any]:
    """A server script that replies badly to one row, `times` times, and well to the others."""
    left = [times]

    def script(body: dict[str, Any]) -> Any:
        if number_in(body) == number and left[0] > 0:
            left[0] -= 1
            return reply if isinstance(reply, Raw) else Raw(json.dumps(reply).encode())
        return 200, says(ANSWER)

    return script


@dataclass
class Played:
    summary: RunSummary
    results: list[RowResult]
    path: Path

    @property
    def states(self) -> dict[str, int]:
        return dict(self.summary.states)

    @property
    def lines(self) -> dict[str, dict[str, Any]]:
        """The saved lines by row; asserts that each row occurs once."""
        lines = list(jsonl.read(self.path))
        assert len({line["id"] for line in lines}) == len(lines)
        return {line["id"]: line for line in lines}


def play(
    server: Server,
    folder: Path,
    rows: list[dict[str, Any]] = ROWS,
    *,
    should_stop: Callable[[], bool] | None = None,
    on_row: Callable[[RowResult], None] | None = None,
    **settings: Any,
) -> Played:
    """Start a run, or continue the one whose files are in the folder."""
    results: list[RowResult] = []
    path = folder / "predictions.jsonl"
    adapter: Any = load_adapter("openai_compatible", {"base_url": server.url, **QUICK, **settings})
    with RunFiles(path, {"run": "one"}, resume=True, keep_unanswered=False, kind=KIND) as files:

        def save(result: RowResult) -> None:
            files.save(result)
            results.append(result)
            if on_row:
                on_row(result)

        try:
            summary = run(
                rows,
                adapter,
                protocol="closed_book",
                kind=KIND,
                on_row=save,
                should_stop=should_stop,
                done_ids=files.done_ids,
                done_states=files.states,
                may_pause=True,
                record=True,
            )
        finally:
            adapter.close()
    return Played(summary, results, path)
