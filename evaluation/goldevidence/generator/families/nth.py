"""Questions about the n-th update of a tag, in texts with retractions. A retraction may itself be retracted."""

from __future__ import annotations

from evaluation.core.rng import Stream
from evaluation.goldevidence.data.families import standing
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.families.plot import (
    Change,
    Plot,
    Question,
    colored,
    few_colors,
    moment,
    questions,
)

#: Share of lines that are retractions, and of these the share that retracts a retraction, if there is one.
RETRACTIONS, OF_RETRACTIONS = 0.22, 0.35
#: Lines per tag: few tags, so that each has many updates to count.
LINES_A_TAG, FEWEST_TAGS = 12, 3
FEWEST = 2  # the n of the nearest question
#: Attempts at a question that counting retracted updates gets wrong, before any is accepted.
PATIENCE = 40


def plot(config: GeneratorConfig, lines: int, *names: object) -> Plot:
    """Build a plot of updates and retractions. No line is retracted twice."""
    tags = max(FEWEST_TAGS, min(config.keys, lines // LINES_A_TAG))
    stream, story = Stream(*names), Plot("kv", [f"tag.{number:02d}" for number in range(tags)])
    few = few_colors(stream)
    while story.end < lines:
        if stream.chance(RETRACTIONS) and _retract(story, stream):
            continue
        key, live = stream.choice(story.keys), {change.key for changes in story.truth for change in changes}
        if stream.chance(config.note_rate):
            story.say("NOTE", key, colored(stream, few))
        elif key in live and stream.chance(config.clear_rate):
            story.say("CLEAR", key, None)
        else:
            story.say("SET", key, colored(stream, few))
    story.asked = list(questions(story, config.queries, lambda *at: _question(config, story, stream, *at)))
    return story


def _retract(story: Plot, stream: Stream) -> bool:
    """Append a retraction of a line that is not retracted yet. Returns False if there is no such line."""
    gone = {deed.value for deed in story.deeds if deed.op == "RETRACT"}
    left = [deed for deed in story.deeds if deed.uid not in gone and deed.op != "NOTE"]
    own = [deed for deed in left if deed.op == "RETRACT"]
    if own and stream.chance(OF_RETRACTIONS):
        left = own
    if not left:
        return False
    target = stream.choice(left)
    story.say("RETRACT", "", target.uid)
    while target.op == "RETRACT":
        target = story.deeds[int((target.value or "")[1:], 16) - 1]
    updates = [deed for deed in standing(story.deeds) if deed.updates and deed.key == target.key]
    last = updates[-1] if updates else None
    story.truth[-1] = [Change(target.key, last.value if last else None, last.uid if last else "")]
    return True


def _question(
    config: GeneratorConfig, story: Plot, stream: Stream, number: int, attempt: int
) -> Question | None:
    wanted = FEWEST + number % (config.nth_most - FEWEST + 1)
    key = stream.choice(story.keys)
    args = key, max(FEWEST, wanted - attempt // (2 * PATIENCE)), moment(stream, story.end // 2, story.end)
    value = story.solved("nth", *args).value
    if value is None:
        return None
    all_updates = [deed for deed in story.deeds if deed.updates and deed.key == key]
    if attempt % (2 * PATIENCE) < PATIENCE and all_updates[args[1] - 1].value == value:
        return None
    return Question("nth", args, str(args[1]))
