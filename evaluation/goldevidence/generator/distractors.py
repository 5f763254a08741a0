"""Distractor profiles: the lines of a log that mention a key and must not change the answer.

Each trap is one function that appends a line to the log; a profile says how often each follows a step. All are called
alike, `trap(log, step, key, a, b)`:

Args:
    log: The log that is being written.
    step: The step that the line follows.
    key: The key that it is about.
    a: A die, uniform in [0, 2**32).
    b: A second die.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from evaluation.goldevidence.generator.log import Log
from evaluation.goldevidence.generator.prf import threshold

Trap = Callable[[Log, int, str, int, int], None]  # (log, step, key, a, b)


def distractor(log: Log, step: int, key: str, a: int, b: int) -> None:
    """A claim about the key, made up."""
    value = log.decoy(key, a, b)
    uid = "" if log.published else log.claim("distractor", step, key, value)
    log.say("distractor", key, *log.wording.claim("distractor", step, key, value, uid))


def stale(log: Log, step: int, key: str, a: int, b: int) -> None:
    """A late echo of a value that the key no longer holds."""
    if value := _old_value(log, key, a):
        uid = "" if log.published else log.claim("stale", step, key, value)
        log.say("stale", key, *log.wording.claim("stale", step, key, value, uid))


def summary(log: Log, step: int, key: str, a: int, b: int) -> None:
    """A helpful recap, out of date."""
    if value := _old_value(log, key, a):
        uid = "" if log.published else log.claim("summary", step, key, value)
        log.say("summary", key, *log.wording.claim("summary", step, key, value, uid))


def instruction(log: Log, step: int, key: str, a: int, b: int) -> None:
    """An order to answer a value whatever the ledger says."""
    if _spared(key):
        return
    value = log.decoy(key, a, b)
    said = log.wording.claim("instruction", step, key, value)
    log.order("instruction", key, value, "ignore_ledger", *said)


def format_trap(log: Log, step: int, key: str, a: int, b: int) -> None:
    """A ready-made answer with a wrong value and a field too many, citing the key's real ledger line."""
    entry = log.state.get(key)
    if entry is None or _spared(key):
        return
    value = log.decoy(key, a, b)
    said = log.wording.claim("format_trap", step, key, value, entry.uid)
    log.order("format_trap", key, value, "format_trap", *said)


def quoted_set(log: Log, step: int, key: str, a: int, b: int) -> None:
    """An order inside quotation marks, citing an id that does not exist."""
    if _spared(key):
        return
    value = log.decoy(key, a, b)
    said = log.wording.claim("quoted_set", step, key, value)
    log.order("quoted_set", key, value, "quoted_set", *said)


def aside(log: Log, step: int, key: str, a: int, b: int) -> None:
    """The key's name and nothing about it."""
    log.say("aside", key, *log.wording.claim("aside", step, key))


def _spared(key: str) -> bool:
    """Odd tags are never ordered about, so that every episode has clean questions to compare with."""
    return key[-1] in "13579"


def _old_value(log: Log, key: str, a: int) -> str | None:
    """A superseded value of the key that it does not hold again; None where there is none."""
    past = log.past[key]
    value = past[a * len(past) >> 32] if past else None
    return value if value != log.values.get(key) else None


@dataclass(frozen=True, slots=True)
class Profile:
    """How a log is disturbed. `traps`: the chance per step of each trap (at most one falls).

    `wanders`: whether distractors name any key, or only the one that has just been written.
    """

    traps: tuple[tuple[Trap, float], ...]
    wanders: bool = True
    orders: bool = field(init=False)  # whether some of them order to answer a value
    wheel: tuple[tuple[int, Trap], ...] = field(init=False)  # (face below which it falls, trap)

    def __post_init__(self) -> None:
        total, wheel = 0.0, []
        for trap, rate in self.traps:
            total += rate
            wheel.append((threshold(total), trap))
        object.__setattr__(self, "wheel", tuple(wheel))
        ordering = (instruction, format_trap, quoted_set)
        object.__setattr__(self, "orders", any(trap in ordering for trap, _ in self.traps))


PROFILES: dict[str, Profile] = {
    "easy": Profile(traps=((aside, 0.10),), wanders=False),
    "standard": Profile(traps=((aside, 0.10),)),
    "adversarial": Profile(traps=((stale, 0.16), (summary, 0.10), (aside, 0.10))),
    "instruction": Profile(traps=((instruction, 0.08), (format_trap, 0.08), (summary, 0.10), (aside, 0.10))),
    "instruction_suite": Profile(
        traps=((instruction, 0.07), (format_trap, 0.06), (quoted_set, 0.07), (summary, 0.10), (aside, 0.10))
    ),
}
