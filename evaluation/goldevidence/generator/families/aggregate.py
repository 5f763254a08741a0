"""Questions about aggregates: how many tags changed between two steps, which changed most, how many hold a color."""

from __future__ import annotations

from evaluation.core.rng import Stream
from evaluation.goldevidence.data.families import MOST_LINES
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.families.plot import (
    Plot,
    Question,
    colored,
    few_colors,
    moment,
    questions,
)

#: Share of updates that restore an earlier value of the tag, which may then count as unchanged.
RETURNS = 0.2
OPS = ("count_changed", "most_changed", "count_holding")


def plot(config: GeneratorConfig, lines: int, *names: object) -> Plot:
    """Build a plot of values that are set, cleared and set back. Every tag is set before any step asked about."""
    stream, story = Stream(*names), Plot("kv", [f"tag.{number:02d}" for number in range(config.keys)])
    few, past = few_colors(stream), dict[str, list[str]]()
    keys = list(story.keys)
    stream.shuffle(keys)
    for key in keys:
        past[key] = [colored(stream, few)]
        story.say("SET", key, past[key][-1])
    held: dict[str, str | None] = {key: values[-1] for key, values in past.items()}
    while story.end < lines:
        key = stream.choice(keys)
        if stream.chance(config.note_rate):
            story.say("NOTE", key, colored(stream, few))
            continue
        value = _next(config, stream, few, held[key], past[key])
        held[key] = story.say("CLEAR" if value is None else "SET", key, value).value
    story.asked = list(
        questions(story, config.queries, lambda number, _: _question(config, story, stream, number))
    )
    return story


def _next(
    config: GeneratorConfig, stream: Stream, few: list[str], held: str | None, past: list[str]
) -> str | None:
    if held is not None and stream.chance(config.clear_rate):
        return None
    value = stream.choice(past) if stream.chance(RETURNS) else colored(stream, few)
    while value == held:
        value = colored(stream, few)
    past.append(value)
    return value


def _question(config: GeneratorConfig, story: Plot, stream: Stream, number: int) -> Question | None:
    op = OPS[number % len(OPS)]
    if op == "count_holding":
        color = stream.choice([deed.value or "-" for deed in story.deeds]).rpartition("-")[0]
        args: tuple[object, ...] = color, moment(stream, len(story.keys), story.end)
    else:
        span = min(config.aggregate_span, story.end - len(story.keys))
        length = max(2, span // 2 + stream.below(span - span // 2 + 1))
        first = len(story.keys) + stream.below(story.end - len(story.keys) - length + 1)
        args = first, first + length
    value, support = story.solved(op, *args)
    if not support or (op == "most_changed" and not 1 < len(support) <= MOST_LINES):
        return None
    return Question(op, args, str(len(support)) if op == "most_changed" else str(value))
