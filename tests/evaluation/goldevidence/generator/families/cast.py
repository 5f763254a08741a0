"""Sample plots, and an oracle independent of the engine's: it plays a story forward, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.goldevidence import GeneratorConfig
from evaluation.goldevidence.data.deeds import Deed
from evaluation.goldevidence.generator.families.plot import Plot
from evaluation.goldevidence.generator.families.units import PLOTS
from evaluation.goldevidence.generator.fields import LATEST_REVISION

FAMILIES = tuple(PLOTS)


def config(*families: str, **more: Any) -> GeneratorConfig:
    """Settings of a small version."""
    return GeneratorConfig(
        **{
            "families": families or FAMILIES,
            "episodes": len(families or FAMILIES),
            "keys": 12,
            "queries": 12,
            "chapters": 4,
            "twins": False,
            "max_support_k": 8,
            "revision": LATEST_REVISION,
            "distractor_profile": "instruction_suite",
        }
        | more
    )


def plot(family: str, seed: int, lines: int = 60, **more: Any) -> Plot:
    """A plot of a family."""
    return PLOTS[family](config(family, **more), lines, "test", seed)


def brute_force(op: str, args: Sequence[Any], deeds: Sequence[Deed]) -> str | None:
    """The answer to a question, from states computed line by line."""
    return globals()[f"_{op}"](list(deeds), *args)


def _states(deeds: list[Deed]) -> dict[int, dict[str, str | None]]:
    """The values of all tags after each line."""
    state: dict[str, str | None] = {}
    states = {0: {}}
    for deed in deeds:
        if deed.op == "SET":
            state = state | {deed.key: deed.value}
        elif deed.op == "CLEAR":
            state = {key: value for key, value in state.items() if key != deed.key}
        states[deed.step] = state
    return states


def _at(deeds: list[Deed], step: int | None) -> dict[str, str | None]:
    states = _states(deeds)
    return states[max(at for at in states if step is None or at <= step)]


def _count_changed(deeds: list[Deed], first: int, last: int) -> str:
    before, after = _at(deeds, first), _at(deeds, last)
    return str(sum(before.get(key) != after.get(key) for key in before.keys() | after.keys()))


def _most_changed(deeds: list[Deed], first: int, last: int) -> str | None:
    times: dict[str, int] = {}
    leaders: list[tuple[int, int, str]] = []
    for deed in deeds:
        if deed.op in ("SET", "CLEAR") and first < deed.step <= last:
            times[deed.key] = times.get(deed.key, 0) + 1
            leaders.append((-times[deed.key], deed.step, deed.key))
    return min(leaders)[2] if leaders else None  # the tag that was the first to reach the greatest number


def _count_holding(deeds: list[Deed], color: str, step: int | None) -> str:
    return str(sum((value or "").split("-")[0] == color for value in _at(deeds, step).values()))


def _reached(deeds: list[Deed], key: str, times: int, step: int | None) -> str | None:
    state, at = _at(deeds, step), key
    for _ in range(times):
        at = state.get(at) or ""
    return at or None


def _nth(deeds: list[Deed], key: str, number: int, step: int | None) -> str | None:
    past = [deed for deed in deeds if step is None or deed.step <= step]

    def stands(deed: Deed) -> bool:
        return not any(each.op == "RETRACT" and each.value == deed.uid and stands(each) for each in past)

    updates = [deed for deed in past if deed.key == key and deed.op in ("SET", "CLEAR") and stands(deed)]
    return updates[number - 1].value if number <= len(updates) else None


def _held(deeds: list[Deed], key: str, step: int | None) -> str | None:
    past = [deed for deed in deeds if step is None or deed.step <= step]
    group = "odd" if int(key.removeprefix("tag.")) % 2 else "even"

    def may(update: Deed) -> bool:
        calendar: dict[tuple[str, str], dict[int, bool]] = {}  # who, which tags: what begins at each step
        for deed in past:
            if deed.op in ("GRANT", "REVOKE"):
                calendar.setdefault((deed.by, deed.key), {})[deed.since] = deed.op == "GRANT"
            elif deed.op == "RULE":
                calendar.setdefault(("", deed.key), {})[deed.since] = deed.value == "open"
        for who in (update.by, ""):
            begun = {at: may for at, may in calendar.get((who, group), {}).items() if at <= update.step}
            if begun:
                return begun[max(begun)]
        return False

    held = None
    for deed in past:
        if deed.key == key and deed.op in ("SET", "CLEAR") and may(deed):
            held = deed.value
    return held


def _meant(deeds: list[Deed], thing: str) -> str | None:
    return _at(deeds, None).get(thing)
