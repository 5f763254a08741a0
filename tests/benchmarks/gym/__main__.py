"""`python -m tests.benchmarks.gym`: scores per second on one core, and scores against the grader's verdicts."""

from __future__ import annotations

import argparse
import random
import time

from evaluation import gym
from tests.evaluation.gym.grading import graded_total
from tests.evaluation.gym.replies import random_reply

TASKS, LEVELS = 10, (0.0, 0.2, 0.4)  # tasks of each family, and their levels in turn


def speed(replies: int) -> None:
    """Print scores per second by suite and form, over random replies.

    Args:
        replies: Of each form.
    """
    draw = random.Random(0)
    asked: dict[str, list[tuple[gym.Task, str]]] = {}
    for name, family in gym.FAMILIES.items():
        task = gym.task(draw.randrange(10, 2**60), 0.2, name)
        pairs = asked.setdefault(f"{family.suite} {family.form}", [])
        pairs += [(task, random_reply(task, draw)) for _ in range(40)]
    for form, pairs in asked.items():
        rounds = max(1, replies // len(pairs))
        started = time.perf_counter()
        for _ in range(rounds):
            for task, reply in pairs:
                gym.score(task, reply)
        seconds = time.perf_counter() - started
        print(f"{form:24} {rounds * len(pairs) / seconds:10,.0f} scores/s")


def agreement(replies: int) -> int:
    """Print how many random replies the grader judges otherwise, and return it.

    Args:
        replies: Over all families.
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replies", type=int, default=10_000, help="random replies (default 10,000)")
    args = parser.parse_args()
    speed(args.replies)
    raise SystemExit(agreement(args.replies) > 0)
