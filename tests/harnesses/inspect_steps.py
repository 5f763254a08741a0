"""Inspect finds our task by its entry point, runs it with a model of fixed replies and scores it.

`python -m tests.harnesses.inspect_steps ROWS` prints the mean of the scorer and the path of the log as JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from goldevidencebench import messages, read_version
from inspect_ai import eval as run
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, ModelUsage, get_model

from tests.harnesses.replies import replies_to


def score(rows: Path, replies: dict[str, str]) -> tuple[float, Path]:
    """The mean of the scorer, and the binary log."""
    by_question = {messages(row)[-1]["content"]: replies[row["id"]] for row in read_version(rows)}

    def reply(asked: list[ChatMessage], *_: object) -> ModelOutput:
        made = ModelOutput.from_content("mockllm/model", by_question[asked[-1].text])
        made.usage = ModelUsage(
            input_tokens=90, output_tokens=10, total_tokens=100
        )  # else it looks for a tokenizer
        return made

    model = get_model(
        "mockllm/model", custom_outputs=reply, memoize=False, config=GenerateConfig(max_tokens=64)
    )
    folder = tempfile.mkdtemp(dir=rows.parent)
    [log] = run(
        "goldevidencebench/ladder", model, task_args={"version": str(rows)}, log_dir=folder, display="none"
    )
    assert log.status == "success", log.error
    assert log.results is not None
    assert {"mean", "stderr"} <= log.results.scores[0].metrics.keys()
    assert isinstance((log.samples or [])[0].metadata["unit"], str)
    return float(log.results.scores[0].metrics["mean"].value), Path(log.location.removeprefix("file://"))


if __name__ == "__main__":
    data = Path(sys.argv[1])
    mean, path = score(data, replies_to(read_version(data)))
    print(json.dumps([mean, str(path)]))
