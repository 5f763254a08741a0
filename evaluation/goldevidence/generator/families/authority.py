"""Questions about authority: an update counts if its role had the right at its step. Rights can end or begin later."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.core.rng import Stream
from evaluation.goldevidence.data.deeds import CLOSED, GROUPS, OPEN, Deed
from evaluation.goldevidence.data.families import group_of, solve
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

ROLES = ("warden", "keeper", "pilot", "clerk", "broker", "usher", "steward", "porter", "marshal", "scribe")
ROLES_A_PLOT = 4
LINES_A_TAG, FEWEST_TAGS = 9, 4
LINES_A_RIGHT = 3  # fewest lines per right, so that most lines are updates
#: Shares of the rights: rules of a group; rights that begin some lines after, or before, their own line.
RULES, LATER, EARLIER = 0.15, 0.3, 0.15
REACH = 8  # most lines by which a right begins later or earlier
#: Attempts at a question whose last update has no right, or that a revocation decides, before any is accepted.
PATIENCE = 100


def plot(config: GeneratorConfig, lines: int, *names: object) -> Plot:
    """Build a plot of updates by roles, and of grants, revocations and rules."""
    tags = max(FEWEST_TAGS, min(config.keys, lines // LINES_A_TAG))
    stream, story = Stream(*names), Plot("kv", [f"tag.{number:02d}" for number in range(tags)])
    few, roles = few_colors(stream), list(ROLES)
    stream.shuffle(roles)
    roles = roles[:ROLES_A_PLOT]
    for group, said in zip(GROUPS, (OPEN, CLOSED) if stream.chance(0.5) else (CLOSED, OPEN), strict=True):
        story.say("RULE", group, said, since=story.end + 1)
    for role in roles[: ROLES_A_PLOT // 2]:
        story.say("GRANT", stream.choice(GROUPS), None, by=role, since=story.end + 1)
    rest = max(0, min(config.grants, lines // LINES_A_RIGHT) - story.end)
    while story.end < lines:
        if stream.chance(rest / (lines - story.end)):
            rest -= 1
            _right(story, stream, roles)
        elif stream.chance(config.note_rate):
            story.say("NOTE", stream.choice(story.keys), colored(stream, few))
        else:
            value = None if stream.chance(config.clear_rate) else colored(stream, few)
            key, role = stream.choice(story.keys), stream.choice(roles)
            story.say("CLEAR" if value is None else "SET", key, value, by=role, plain=False)
    _tell_truth(story)
    lasting = [deed for deed in story.deeds if deed.op != "REVOKE"]
    story.asked = list(questions(story, config.queries, lambda *at: _question(story, lasting, stream, *at)))
    return story


def _right(story: Plot, stream: Stream, roles: list[str]) -> None:
    """Append a rule, a grant or a revocation. It mostly reverses the previous one of the role."""
    number, group = story.end + 1, stream.choice(GROUPS)
    since = number
    if stream.chance(LATER):
        since += 1 + stream.below(REACH)
    elif stream.chance(EARLIER):
        since = max(1, since - 1 - stream.below(REACH))
    if stream.chance(RULES):
        said = [deed.value for deed in story.deeds if deed.op == "RULE" and deed.key == group][-1]
        story.say("RULE", group, CLOSED if said == OPEN else OPEN, since=since)
        return
    role = stream.choice(roles)
    own = [deed.op for deed in story.deeds if deed.by == role and deed.key == group and not deed.updates]
    revoked = own[-1] == "GRANT" if own else stream.chance(0.5)
    story.say("REVOKE" if revoked else "GRANT", group, None, by=role, since=since)


def _tell_truth(story: Plot) -> None:
    """Compute the changes of value at each line. A line about rights may validate or void an earlier update."""
    held: dict[str, tuple[str | None, str]] = {}
    for number, deed in enumerate(story.deeds, 1):
        for key in _touched(story, deed):
            value, support = story.solved("held", key, number)
            update = next((each for each in support if each.updates), None)
            now = (value, update.uid if update else "")
            if held.get(key, (None, "")) != now:
                held[key] = now
                story.truth[number - 1].append(Change(key, *now))


def _touched(story: Plot, deed: Deed) -> list[str]:
    if deed.op == "NOTE":
        return []
    return [deed.key] if deed.updates else [key for key in story.keys if group_of(key) == deed.key]


def _question(
    story: Plot, lasting: Sequence[Deed], stream: Stream, number: int, attempt: int
) -> Question | None:
    """Draw a question. Returns None if this attempt is unsuitable. `lasting`: the plot's lines without revocations."""
    args = stream.choice(story.keys), moment(stream, story.end // 4, story.end)
    value, support = story.solved("held", *args)
    if value is None:
        return None
    until = story.end if args[1] is None else args[1]
    decides = max(deed.step for deed in support if deed.updates)
    void = sum(deed.updates and deed.key == args[0] and decides < deed.step <= until for deed in story.deeds)
    if attempt < PATIENCE and not (solve("held", args, lasting).value != value if number % 2 else void):
        return None
    return Question("held", args, str(void))
