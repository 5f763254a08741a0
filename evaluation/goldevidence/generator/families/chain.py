"""Questions about chains: which tag is several levels above a tag? A tag reports to the tag that is its value."""

from __future__ import annotations

from evaluation.core.rng import Stream
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.families.plot import Plot, Question, moment, questions

#: Shorter chains are too easy.
FEWEST_HOPS = 3
#: Attempts at a number of hops before trying one fewer.
PATIENCE = 200


def plot(config: GeneratorConfig, lines: int, *names: object) -> Plot:
    """Build a plot of tags that report to each other, at first in one circle, so that every chain is long."""
    stream, story = Stream(*names), Plot("relational", [f"tag.{number:02d}" for number in range(config.keys)])
    circle = list(story.keys)
    stream.shuffle(circle)
    held = dict(zip(circle, [*circle[1:], circle[0]], strict=True))
    told = list(circle)
    stream.shuffle(told)
    for key in told:
        story.say("SET", key, held[key])
    while story.end < lines:
        key, value = stream.choice(circle), stream.choice(circle)
        if value in (key, held[key]):
            continue
        if stream.chance(config.note_rate):
            story.say("NOTE", key, value)
        else:
            held[key] = story.say("SET", key, value).value or ""
    story.asked = list(questions(story, config.queries, lambda *at: _question(config, story, stream, *at)))
    return story


def _question(
    config: GeneratorConfig, story: Plot, stream: Stream, number: int, attempt: int
) -> Question | None:
    """Draw a question about a chain of different tags: each hop then needs its own line. Returns None if it fails."""
    hops = FEWEST_HOPS + number % (config.chain_hops - FEWEST_HOPS + 1)
    hops = max(FEWEST_HOPS, hops - attempt // PATIENCE)
    args = stream.choice(story.keys), hops, moment(stream, len(story.keys), story.end)
    value, support = story.solved("reached", *args)
    met = {args[0], *(deed.value for deed in support)}
    if value is None or len(met) <= hops:
        return None
    return Question("reached", args, str(hops))
