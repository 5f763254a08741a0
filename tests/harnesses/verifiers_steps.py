"""`verifiers` is run as docs/python.md says: it asks a server of fixed replies, and rewards them by our grader."""

from __future__ import annotations

import json
from pathlib import Path

from goldevidencebench import messages, read_version

from tests.bridges.recipes import ROOT, recipe, type_in
from tests.bridges.serving import served


def score(rows: Path, replies: dict[str, str]) -> tuple[float, None]:
    """The mean of the rewards; None, as `convert` reads no log of verifiers."""
    by_question = {messages(row)[-1]["content"]: replies[row["id"]] for row in read_version(rows)}
    with served(by_question) as url:
        replace = {"http://127.0.0.1:8000/v1": url, "rows.jsonl.gz": str(rows)}
        type_in(recipe("cat > rows_tasks.py", replace, page=ROOT / "docs/python.md"), rows.parent)
    lines = (rows.parent / "outputs/rows/traces.jsonl").read_text().splitlines()
    traces = [trace for line in lines for trace in json.loads(line)["traces"]]
    assert sorted(trace["task"]["data"]["id"] for trace in traces) == sorted(replies)
    assert not [error for trace in traces for error in trace["errors"]]
    rewards = [trace["rewards"]["headline"]["score"] for trace in traces]
    return sum(rewards) / len(rewards), None
