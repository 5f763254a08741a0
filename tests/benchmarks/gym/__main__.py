"""`python -m tests.benchmarks.gym`: tasks and scores a second, and scores against the grader's verdicts; rows a second
of a small language model that was trained here, and steps a second of training one (where `make gym` put JAX).

Times are CPU seconds of one core, so that a busy machine does not distort them.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import time
from itertools import islice

from evaluation import gym
from evaluation.gym.models.boards import seeds
from tests.benchmarks.gym.models import ROOT, SHIPPED, judged, rows_of
from tests.evaluation.gym.grading import graded_total
from tests.evaluation.gym.replies import random_reply

TASKS, LEVELS = 10, (0.0, 0.2, 0.4)  # tasks of each family, and their levels in turn
ROWS = 384  # of one seed of `order_bias_short`: all that a model is asked
PYTHON = ROOT / "build/gym/bin/python"


def speed(replies: int) -> None:
    """Print tasks per second over all families, and scores per second by suite and form, over random replies.

    Args:
        replies: Number of replies of each form.
    """
    draw = random.Random(0)
    asked: dict[str, list[tuple[gym.Task, str]]] = {}
    for _ in range(2):  # the first time warms up
        started = time.process_time()
        tasks = {name: gym.task(draw.randrange(10, 2**60), 0.2, name) for name in gym.FAMILIES}
    print(f"{'tasks, one a family':24} {len(tasks) / (time.process_time() - started):10,.0f} tasks/s")
    for name, family in gym.FAMILIES.items():
        task = tasks[name]
        pairs = asked.setdefault(f"{family.suite} {family.form}", [])
        pairs += [(task, random_reply(task, draw)) for _ in range(40)]
    for form, pairs in asked.items():
        rounds = max(1, replies // len(pairs))
        started = time.process_time()
        for _ in range(rounds):
            for task, reply in pairs:
                gym.score(task, reply)
        seconds = time.process_time() - started
        print(f"{form:24} {rounds * len(pairs) / seconds:10,.0f} scores/s")


def agreement(replies: int) -> int:
    """Print and return how many random replies the grader scores differently.

    Args:
        replies: Number of replies over all families.
    """
    draw, differ, done = random.Random(1), 0, 0
    each = -(-replies // (len(gym.FAMILIES) * TASKS))
    for name in gym.FAMILIES:
        for number in range(TASKS):
            task = gym.task(draw.randrange(10, 2**60), LEVELS[number % len(LEVELS)], name)
            for _ in range(each):
                reply = random_reply(task, draw)
                differ += gym.score(task, reply).total != graded_total(task, reply)
                done += 1
    print(f"{done:,} random replies: {differ} are scored otherwise than the grader judges them")
    return differ


def models(rows: int) -> None:
    """Print rows per second of the shipped `gym-order` through llama-cpp-python, and training steps per second.

    Args:
        rows: Number of rows that the model answers.
    """
    asked = rows_of("order_bias_short", list(islice(seeds("speed"), 1)))[:rows]
    found = judged(SHIPPED / "gym-order.gguf", asked)
    print(f"{'gym-order, llama.cpp':24} {found['rows_s']:10,.0f} rows/s, {found['all']:.1%} right")
    if PYTHON.exists():
        subprocess.run([PYTHON, "-m", "tests.benchmarks.gym.steps"], cwd=ROOT, check=True)
    else:
        print("training: JAX is not in build/gym (make build/gym.stamp)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replies", type=int, default=10_000, help="random replies (default 10,000)")
    args = parser.parse_args()
    speed(args.replies)
    models(ROWS)
    raise SystemExit(agreement(args.replies) > 0)
