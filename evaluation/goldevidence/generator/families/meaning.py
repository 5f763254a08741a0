"""The family `meaning`: a question paraphrases the thing that it asks about, in words that the text does not use."""

from __future__ import annotations

from evaluation.core.rng import Stream
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.families.plot import Plot, Question, colored, few_colors


def plot(config: GeneratorConfig, lines: int, *names: object) -> Plot:
    """Build a plot in which labels are attached to things, one after the other. There is one question per thing."""
    stream, story = Stream(*names), Plot("kv", [f"tag.{number:02d}" for number in range(config.keys)])
    few, keys = few_colors(stream), list(story.keys)
    stream.shuffle(keys)
    held: dict[str, str] = {}
    for number in range(lines):
        # the first things get no more updates early, so that last updates lie anywhere in the text
        left = keys[number * len(keys) // lines :]
        key = keys[number] if number < len(keys) else stream.choice(left)
        value = colored(stream, few)
        while value == held.get(key):
            value = colored(stream, few)
        held[key] = value
        story.say("SET", key, value)
    writes = {key: sum(deed.key == key for deed in story.deeds) for key in keys}
    stream.shuffle(keys)
    story.asked = [Question("meant", (key,), str(writes[key])) for key in keys[: config.queries]]
    return story
