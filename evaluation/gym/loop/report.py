"""Report of a loop, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.core.records import JsonObject
from evaluation.gym.loop.evaluating import Gain, Rate

if TYPE_CHECKING:
    from evaluation.gym.loop.running import Outcome

#: Labels of kinds of unseen tasks.
KINDS = {"held_out": "held-out families", "unseen": "training families, other seeds"}


def report_text(outcome: Outcome) -> str:
    """The rounds of a loop and the gains, as lines of text."""
    settings: JsonObject = outcome["settings"]
    lines = [f"{settings['learner']}, arm {settings['arm']}: {outcome['stopped'] or 'unfinished'}"]
    lines.append("round  level  success on mined      examples  held out, after training")
    for each in outcome["rounds"]:
        level = "any" if each["level"] is None else f"{each['level']:g}"
        lines.append(
            f"{each['number']:5}  {level:5}  {shown(each['mined']):20}  {each['examples']:8}  {shown(each['held_out'])}"
        )
    for name, found in (("held_out", outcome["held_out"]), ("unseen", outcome["unseen"])):
        if found is not None:
            lines.append(gained(name, found))
    return "\n".join(lines) + "\n"


def gained(name: str, found: Gain) -> str:
    """The gain on one kind of unseen tasks (a key of `KINDS`), as a line of text."""
    verdict = "significant" if found["low"] > 0 else "not significant"
    return (
        f"{KINDS[name]}: {shown(found['before'])} -> {shown(found['after'])}, gain {100 * found['gain']:+.1f} points "
        f"[{100 * found['low']:+.1f}, {100 * found['high']:+.1f}], {verdict}"
    )


def shown(rate: Rate) -> str:
    return f"{rate['rate']:.1%} [{100 * rate['low']:.1f}, {100 * rate['high']:.1f}]"
