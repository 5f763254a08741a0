"""Oracle of the question families: answers a question from given lines, and names the lines that support the answer.

Given all lines of a text it computes the gold; given the lines that an answer cites, the answer they entail. Events
whose lines are not given are treated as if they had not happened. In the parameters of a question (`args`) a step of
None is the end of the text.

    count_changed (a, b)       number of tags whose value at step b differs from that at step a
    most_changed (a, b)        the tag with most updates after step a, up to b; on a tie the first to reach that count
    count_holding (color, t)   number of tags that hold a value of a color at step t
    reached (tag, n, t)        the tag n levels above a tag at step t; a tag's value is the tag one level above
    nth (tag, n, t)            the value of the n-th update of a tag that was not retracted
    held (tag, t)              the value of the last update whose role had the right to make it
    meant (thing)              the value of the thing that the question paraphrases
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from evaluation.goldevidence.data.deeds import OPEN, Deed, deed_of
from evaluation.goldevidence.data.ledger import Line

#: Most lines that an answer cites.
MOST_LINES = 8
COUNTS = frozenset({"count_changed", "count_holding"})
FAMILY_OF = {
    "count_changed": "aggregate",
    "most_changed": "aggregate",
    "count_holding": "aggregate",
    "reached": "chain",
    "nth": "nth",
    "held": "authority",
    "meant": "meaning",
}
#: Kinds of questions whose answer is a value of the key that they ask about.
KEY_VALUED = frozenset({"nth", "held", "meant"})
FAMILIES = tuple(dict.fromkeys(FAMILY_OF.values()))
_UNKNOWN = ""  # earlier value of a tag without an earlier line
_END = 1 << 62
Args = Sequence[Any]
_step = attrgetter("step")


def is_of_family(meta: object) -> bool:
    op = meta.get("derived_op") if isinstance(meta, Mapping) else None
    return isinstance(op, str) and op in FAMILY_OF


class Solved(NamedTuple):
    """An answer (None if no answer follows), and the lines that establish it, sorted by step."""

    value: str | None
    support: list[Deed]


def solve(op: str, args: Args, deeds: Sequence[Deed]) -> Solved:
    """Answer a question whose operation `op` is in `FAMILY_OF`. `deeds` are the lines of the text, sorted by step."""
    return _SOLVERS[op](deeds, *args)


def entailed(
    op: str, args: Args, value: str | None, lines: Iterable[Line | None], *, gold: str | None, golds: int
) -> bool:
    """True if the cited lines (None for a line that was not shown) establish the value.

    An answer cites at most eight lines, which cannot prove a higher count. So for counts, eight supporting lines with
    the gold value are enough. `most_changed` needs at least `golds` supporting lines, the number of gold lines.
    """
    cited = list(lines)
    known = [line for line in cited if line is not None]
    if len(known) < len(cited):
        return False
    solved = solve(op, args, sorted(map(deed_of, known), key=_step))
    if op == "most_changed" and len(solved.support) < golds:
        return False
    if op in COUNTS and len(solved.support) == MOST_LINES and value == gold:
        return True
    return bool(solved.support) and value == solved.value


def _until(step: int | None) -> int:
    return _END if step is None else step


def _latest(deeds: Iterable[Deed], until: int) -> dict[str, Deed]:
    return {deed.key: deed for deed in deeds if deed.updates and deed.step <= until}


def _counted(lines: Iterable[Deed]) -> Solved:
    support = sorted(lines, key=_step)
    return Solved(str(len(support)), support[:MOST_LINES])


def _count_changed(deeds: Sequence[Deed], first: int, last: int) -> Solved:
    before = {key: deed.value for key, deed in _latest(deeds, first).items()}
    return _counted(
        deed
        for key, deed in _latest(deeds, last).items()
        if deed.step > first and deed.value != before.get(key, _UNKNOWN)
    )


def _most_changed(deeds: Sequence[Deed], first: int, last: int) -> Solved:
    updates: dict[str, list[Deed]] = {}
    for deed in deeds:
        if deed.updates and first < deed.step <= last:
            updates.setdefault(deed.key, []).append(deed)
    if not updates:
        return Solved(None, [])
    key, lines = max(updates.items(), key=lambda item: (len(item[1]), -item[1][-1].step))
    return Solved(key, lines[:MOST_LINES])


def _count_holding(deeds: Sequence[Deed], color: str, step: int | None) -> Solved:
    held = _latest(deeds, _until(step)).values()
    return _counted(deed for deed in held if deed.value is not None and deed.value.startswith(f"{color}-"))


def _reached(deeds: Sequence[Deed], key: str, times: int, step: int | None) -> Solved:
    held, at, path = _latest(deeds, _until(step)), key, list[Deed]()
    for _ in range(times):
        deed = held.get(at)
        if deed is None or deed.value is None:
            return Solved(None, sorted(path, key=_step))
        path.append(deed)
        at = deed.value
    return Solved(at, sorted({deed.uid: deed for deed in path}.values(), key=_step))


def standing(deeds: Sequence[Deed], until: int = _END) -> list[Deed]:
    """Return the lines up to step `until` that are not retracted, by step."""
    # Read from the end: a retraction follows its line, so whether it is retracted itself is known before.
    gone: set[str | None] = set()
    left = []
    for deed in reversed(deeds):
        if deed.step > until or deed.uid in gone:
            continue
        left.append(deed)
        if deed.op == "RETRACT":
            gone.add(deed.value)
    return left[::-1]


def _nth(deeds: Sequence[Deed], key: str, number: int, step: int | None) -> Solved:
    updates = [deed for deed in standing(deeds, _until(step)) if deed.updates and deed.key == key]
    if len(updates) < number:
        return Solved(None, updates)
    return Solved(updates[number - 1].value, updates[:number])


def group_of(key: str) -> str:
    return "odd" if key[-1] in "13579" else "even"


def right_of(update: Deed, rights: Iterable[Deed]) -> Deed | None:
    """Return the line that gives the role of an update the right to make it; None if it has no right.

    Of the role's grants and revocations for the tag group that begin at or before the update's step, the last to begin
    decides (on a tie, the later line). If there are none, the last rule for the group decides; without a rule there is
    no right.
    """
    group, own, rule = group_of(update.key), None, None
    for deed in rights:
        if deed.key != group or deed.since > update.step:
            continue
        if deed.op == "RULE":
            rule = deed if rule is None or deed.since >= rule.since else rule
        elif deed.by == update.by:
            own = deed if own is None or deed.since >= own.since else own
    if own is not None:
        return own if own.op == "GRANT" else None
    return rule if rule is not None and rule.value == OPEN else None


def _held(deeds: Sequence[Deed], key: str, step: int | None) -> Solved:
    until, group = _until(step), group_of(key)
    past = [deed for deed in deeds if deed.key in (key, group) and deed.step <= until]
    rights = [deed for deed in past if deed.key == group]
    for deed in reversed(past):
        if deed.key == key and deed.updates and (right := right_of(deed, rights)) is not None:
            return Solved(deed.value, sorted((deed, right), key=_step))
    return Solved(None, [])


def _meant(deeds: Sequence[Deed], thing: str) -> Solved:
    deed = _latest(deeds, _END).get(thing)
    return Solved(None, []) if deed is None else Solved(deed.value, [deed])


_SOLVERS: dict[str, Callable[..., Solved]] = {
    "count_changed": _count_changed,
    "most_changed": _most_changed,
    "count_holding": _count_holding,
    "reached": _reached,
    "nth": _nth,
    "held": _held,
    "meant": _meant,
}
