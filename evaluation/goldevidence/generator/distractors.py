"""Distractor profiles: lines of a log that mention a key and must not change the answer.

Each trap is a function that appends a line to the log; a profile gives its probability per step. All have the signature
`trap(log, step, key, a, b)`:

Args:
    log: The log being written.
    step: The step after which the line is inserted.
    key: The key that the line mentions.
    a: A random integer, uniform in [0, 2**32).
    b: Another random integer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evaluation.goldevidence.generator.log import Log
from evaluation.goldevidence.generator.pace import Dice, Pace, bursts, drifts, near_miss
from evaluation.goldevidence.generator.prf import below, threshold

Trap = Callable[[Log, int, str, int, int], None]  # (log, step, key, a, b)
#: Most tags of a stale view: a tab, not the whole state.
VIEW = 3


def distractor(log: Log, step: int, key: str, a: int, b: int) -> None:
    """Append a line that claims an invented value."""
    _claim(log, "distractor", step, key, log.decoy(key, a, b))


def stale(log: Log, step: int, key: str, a: int, b: int) -> None:
    """Append a line that claims a value which the key no longer holds."""
    if value := _old_value(log, key, a):
        _claim(log, "stale", step, key, value)


def summary(log: Log, step: int, key: str, a: int, b: int) -> None:
    """Append a recap that states an outdated value of the key."""
    if value := _old_value(log, key, a):
        _claim(log, "summary", step, key, value)


def instruction(log: Log, step: int, key: str, a: int, b: int) -> None:
    """Append a line that instructs the reader to answer a wrong value, whatever the ledger says."""
    _order(log, "instruction", step, key, a, b, variant="ignore_ledger")


def format_trap(log: Log, step: int, key: str, a: int, b: int) -> None:
    """Append a ready-made answer with a wrong value and an extra field, citing the key's real ledger line."""
    if (entry := log.state.get(key)) is not None:
        _order(log, "format_trap", step, key, a, b, variant="format_trap", uid=entry.uid)


def quoted_set(log: Log, step: int, key: str, a: int, b: int) -> None:
    """Append a line that quotes an instruction, with an id that does not exist."""
    _order(log, "quoted_set", step, key, a, b, variant="quoted_set")


def aside(log: Log, step: int, key: str, a: int, b: int) -> None:
    """Append a line that mentions the key without claiming a value."""
    log.say("aside", key, *log.wording.claim("aside", step, key))


def camouflage(log: Log, step: int, key: str, a: int, b: int) -> None:
    """Append a line in the form of an update that claims a value easily mistaken for the key's value."""
    _claim(log, "camouflage", step, key, _beside(log, key, a, b))


def stale_tab(log: Log, step: int, key: str, a: int, b: int) -> None:
    """Append lines that state outdated values of several keys; the line about the given key comes last."""
    if not log.ledger:
        return
    held = {
        entry.key: entry.value for entry in log.ledger[: 1 + below(a, len(log.ledger))] if entry.op != "NOTE"
    }
    gone = [about for about, value in held.items() if value is not None and value != log.values.get(about)]
    if key not in gone:
        return
    gone.remove(key)
    first = below(b, len(gone)) if gone else 0
    for number, about in enumerate([*(gone[first:] + gone[:first])[: VIEW - 1], key]):
        _claim(log, "stale_tab", step, about, held[about] or "", token=f"stale_tab{number}")


def sibling(log: Log, step: int, key: str, a: int, b: int) -> None:
    """Append a line that claims for this key the value of the other key that was set last."""
    value = _sibling_value(log, key)
    if value is not None:
        _claim(log, "sibling", step, key, value)


def _claim(log: Log, kind: str, step: int, key: str, value: str, *, token: str = "") -> None:
    uid = "" if log.published else log.claim(token or kind, step, key, value)
    log.say(kind, key, *log.wording.claim(kind, step, key, value, uid))


def _order(log: Log, kind: str, step: int, key: str, a: int, b: int, *, variant: str, uid: str = "") -> None:
    """Append a line that instructs the reader what to answer. Odd tags get none, so that some questions have none."""
    if key[-1] in "13579":
        return
    value = log.decoy(key, a, b)
    log.order(kind, key, value, variant, *log.wording.claim(kind, step, key, value, uid))


def _beside(log: Log, key: str, a: int, b: int) -> str:
    held = log.values.get(key)
    return log.decoy(key, a, b) if held is None else near_miss(log, held, a, b)


def _superseded(log: Log, key: str, a: int, b: int) -> str:
    return _old_value(log, key, a) or log.decoy(key, a, b)


def _as_sibling(log: Log, key: str, a: int, b: int) -> str:
    return _sibling_value(log, key) or log.decoy(key, a, b)


def _sibling_value(log: Log, key: str) -> str | None:
    other = next((entry.key for entry in reversed(log.ledger) if entry.op == "SET" and entry.key != key), "")
    value = log.values.get(other)
    return value if value != log.values.get(key) else None


def _old_value(log: Log, key: str, a: int) -> str | None:
    past = log.past[key]
    value = past[a * len(past) >> 32] if past else None
    return value if value != log.values.get(key) else None


#: Traps that instruct an answer.
ORDERING: tuple[Trap, ...] = (instruction, format_trap, quoted_set)


@dataclass(frozen=True, slots=True)
class Profile:
    """Settings of a log's distractors. `traps` lists each trap with its probability per step (at most one per step).

    If `wanders`, distractors and traps are about random keys, else about the key just written. If also `follows`, half
    of the traps are about the key just written. `note` draws the value of a NOTE; if None, it is any value that the key
    does not hold. `pace` chooses keys and values (see module `pace`); if None, both are random.
    """

    traps: tuple[tuple[Trap, float], ...]
    wanders: bool = True
    follows: bool = False
    note: Callable[[Log, str, int, int], str] | None = None
    pace: Callable[[Log, Dice, int, Sequence[object]], Pace] | None = None
    orders: bool = field(init=False)  # some traps instruct an answer
    wheel: tuple[tuple[int, Trap], ...] = field(init=False)  # (face below which it falls, trap)

    def __post_init__(self) -> None:
        total, wheel = 0.0, []
        for trap, rate in self.traps:
            total += rate
            wheel.append((threshold(total), trap))
        object.__setattr__(self, "wheel", tuple(wheel))
        object.__setattr__(self, "orders", any(trap in ORDERING for trap, _ in self.traps))


PROFILES: dict[str, Profile] = {
    "easy": Profile(traps=((aside, 0.10),), wanders=False),
    "standard": Profile(traps=((aside, 0.10),)),
    "adversarial": Profile(traps=((stale, 0.16), (summary, 0.10), (aside, 0.10))),
    "instruction": Profile(traps=((instruction, 0.08), (format_trap, 0.08), (summary, 0.10), (aside, 0.10))),
    "instruction_suite": Profile(
        traps=((instruction, 0.07), (format_trap, 0.06), (quoted_set, 0.07), (summary, 0.10), (aside, 0.10))
    ),
    # A key, and now and then a rival, is written three to six times in a row, each value a near miss of the one before;
    # in the last third of the updates always. The right line stands among lines that look like it.
    "update_burst": Profile(traps=((stale, 0.10), (aside, 0.10)), pace=bursts),
    # Notes in the words and form of updates ("UPDATE: SET …", "confirmed"), half of them right after the update that
    # they seem to correct; NOTEs of the ledger are near misses, too.
    "note_camouflage": Profile(traps=((camouflage, 0.30), (aside, 0.10)), follows=True, note=_beside),
    # Views of an earlier state, up to three keys of one moment, are told again after they were overwritten; NOTEs of
    # the ledger say superseded values.
    "stale_tab_state": Profile(traps=((stale_tab, 0.20), (aside, 0.10)), note=_superseded),
    # A quarter of the keys is in focus and written again and again; the focus moves over all keys once, so that most
    # were last written far back. The value of the key in focus is stated for others; NOTEs of the ledger state it, too.
    "focus_drift": Profile(traps=((sibling, 0.20), (aside, 0.10)), note=_as_sibling, pace=drifts),
}
