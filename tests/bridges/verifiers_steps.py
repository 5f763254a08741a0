"""`verifiers`: its commands validate the taskset, and evaluate a server that knows half of the answers."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from evaluation import gym
from evaluation.gym.bridges import stream
from tests.bridges.recipes import ROOT, recipe, type_in
from tests.bridges.serving import served

TASKS = 24


def steps() -> Iterator[tuple[str, str]]:
    """(action, result): lines of the table."""
    tasks = list(islice(stream(2**40, 0.2), TASKS))
    replies = {
        task.messages[-1]["content"]: f"I see. {task.oracle.right}" if number % 2 else "I do not know."
        for number, task in enumerate(tasks)
    }
    with tempfile.TemporaryDirectory() as name, served(replies) as url:
        folder = Path(name)
        replace = {"http://127.0.0.1:8000/v1": url, "PYTHONPATH=.": f"PYTHONPATH=.:{ROOT}"}
        type_in(recipe("cat > gym_tasks.py", replace), folder)
        [summary] = folder.glob("outputs/gym-tasks--validate--*/summary.json")
        valid = json.loads(summary.read_text())["outcomes"]["valid"]
        traces = [json.loads(line) for line in (folder / "outputs/gym/traces.jsonl").read_text().splitlines()]
    assert valid == TASKS, f"vf-validate: {valid} of {TASKS}"
    families = len({task.family for task in tasks})
    yield (
        f"`vf-validate`, {TASKS} tasks of {families} families",
        f"the oracle's reply has the reward 1 in {valid}",
    )
    equal, total = compared([one for episode in traces for one in episode["traces"]], tasks, replies)
    assert equal == TASKS, f"{equal} of {TASKS} rewards are the gym's"
    yield (
        "`vf-eval` with the harness `null`, a server that knows half of the answers",
        f"{equal} of {TASKS} traces scored as by `gym.score`, in all parts; mean reward {total / TASKS:.3f}",
    )


def compared(
    traces: list[Mapping[str, object]], tasks: list[gym.Task], replies: Mapping[str, str]
) -> tuple[int, float]:
    """The number of traces whose scores equal the gym's, and the sum of their rewards."""
    equal, total = 0, 0.0
    by_id = {trace["task"]["data"]["id"]: trace for trace in traces}
    for task in tasks:
        scored = gym.score(task, replies[task.messages[-1]["content"]])
        expected = {name: value for name, value in scored._asdict().items() if value is not None}
        trace = by_id[task.id]
        reward = trace["rewards"]["total"]["score"]
        equal += reward == scored.total and trace["metrics"] == expected
        total += reward
    return equal, total
