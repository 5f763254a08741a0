"""Random replies to a task: right, nearly right, wrong in every part, and nonsense."""

from __future__ import annotations

import json
import random

from evaluation.gym import Task

NONSENSE = (
    "",
    " ",
    "null",
    "I do not know.",
    "{",
    '{"value": ',
    "[]",
    '{"value": {"a": 1}}',
    '{"value": true, "support_ids": "U000000"}',
    '{"support_ids": []}',
    '{"value": null, "support_ids": []}',
    "Yes.",
    "No, that is not possible.",
    "<think>yes</think> no",
    "it is unclear",
)


def random_reply(task: Task, draw: random.Random) -> str:
    """A reply.

    Args:
        task: The task to answer.
        draw: Source of randomness.
    """
    right = task.oracle.right
    match draw.randrange(8):
        case 0:
            return right
        case 1:
            return draw.choice(NONSENSE)
        case 2:
            return f"Let me see. The answer: {right} I hope so."
        case 3:
            return right[: draw.randrange(len(right) + 1)]
        case 4:
            words = task.text.split()
            start = draw.randrange(len(words))
            return " ".join(words[start : start + draw.randrange(1, 30)])
        case _:
            return _about_lines(task, draw, right)


def _about_lines(task: Task, draw: random.Random, right: str) -> str:
    """Values and ids of the text, in the answer form of the suite."""
    words = [word.strip('".,;:()[]') for word in task.text.split()]
    value = draw.choice([draw.choice(words), None, "null", draw.choice(words) + ".", 12.0])
    ids = [word for word in words if len(word) == 7 and word[0] == "U" and word[1:].isalnum()]
    cited = draw.choices([*ids, "U000000", "x"], k=draw.randrange(4))
    try:
        told = json.loads(right)
    except ValueError:
        return f"{draw.choice(['Yes', 'No', 'It is', ''])} {value} {draw.choice(words)}. {draw.choice(['', right])}"
    told = draw.choice([told, told | {"value": value}, told | {"support_ids": cited}, {"value": value}])
    if draw.randrange(3) == 0:
        told = {"value": value, "support_ids": cited}
    return draw.choice([json.dumps(told), repr(told), f"```json\n{json.dumps(told)}\n```"])
