"""Questions about an episode and their gold answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.modes import MODES, Mode
from evaluation.goldevidence.generator.prf import below, draw, threshold

State = Mapping[str, Entry]  # each key's latest authoritative entry


class Query(NamedTuple):
    """One question. `derived_op` is None for a direct one; `manager` only where reports are asked."""

    key: str
    derived_op: str | None = None
    manager: str | None = None


def choose(config: GeneratorConfig, worlds: list[State], flipped: str | None, *names: object) -> list[Query]:
    """The questions of an episode, the same for every world (the base and its twin).

    Keys are asked in a random order, none again before each has been asked; a flipped key comes first. Its
    answer differs between the worlds, in the direct form and in the derived one.
    """
    mode, derived = MODES[config.state_mode], threshold(config.derived_query_rate)
    keys = _shuffled(sorted(worlds[0]), names)
    if flipped is not None:
        keys.remove(flipped)
        keys.insert(0, flipped)
    faces = draw(*names, "queries", rows=config.queries, faces=1)
    asked: list[Query] = []
    for number, (face,) in enumerate(faces):
        query = Query(keys[number % len(keys)])
        if face < derived:
            query = _derived(mode, query, worlds, config.max_support_k, asked)
        asked.append(query)
    return asked


def gold(query: Query, state: State) -> dict[str, Any]:
    """The answer in one world: `value`, `support_ids`, and `support_id` where it is exactly one.

    A cleared key has no answer, direct or derived, and its CLEAR line is the support. A key that was never
    written has neither. Reports are the keys that a manager holds, sorted, each supported by its line.
    """
    if query.derived_op == "reports":
        holders = sorted(key for key, entry in state.items() if entry.value == query.manager)
        value, support = ",".join(holders) or None, [state[key].uid for key in holders]
    else:
        entry = state.get(query.key)
        value, support = answer(query, entry.value if entry else None), [entry.uid] if entry else []
    return {"value": value, "support_id": support[0] if len(support) == 1 else None, "support_ids": support}


def answer(query: Query, value: str | None) -> str | None:
    """What follows from the value of the key asked about; None from no value, or one of another mode."""
    derive = DERIVED.get(query.derived_op or "")
    if value is None or derive is None:
        return value
    try:
        return derive(value)
    except ValueError:
        return None


def text(query: Query, config: GeneratorConfig) -> str:
    """The question as a system reads it."""
    mode = MODES[config.state_mode]
    ask = mode.ask_derived if query.derived_op else mode.ask
    question = ask.format(key=query.key, manager=query.manager)
    if not config.require_citations:
        return f'{question}\nReply with one JSON object: {{"value": ...}}. {NULL_RULE}'
    return (
        f'{question}\nReply with one JSON object: {{"value": ..., "support_ids": [...]}}. {NULL_RULE}\n'
        f'"support_ids" lists the ids (U and six hexadecimal digits) of the ledger lines that establish the '
        f"answer, at most {config.max_support_k}, and no others."
    )


class Asked(NamedTuple):
    """What the text of a question says. `most` is how many citations it allows; None where it asks for none."""

    key: str | None  # None where reports are asked: those name a manager
    derived_op: str | None
    manager: str | None
    most: int | None


def read(question: str) -> Asked | None:
    """What a question asks, by its text alone; None for a text that is no question of ours."""
    ask, _, ending = question.partition("\n")
    for form, derived_op in _FORMS:
        if match := form.fullmatch(ask):
            found, most = match.groupdict(), _MOST.search(ending)
            return Asked(found.get("key"), derived_op, found.get("manager"), int(most[1]) if most else None)
    return None


DERIVED = {mode.derived_op: mode.derive for mode in MODES.values()}
NULL_RULE = '"value" is a string, or null where nothing holds.'


def _derived(mode: Mode, direct: Query, worlds: list[State], most: int, asked: list[Query]) -> Query:
    """The derived question about the same key.

    Reports stay a direct question where the manager has been asked about before, or where in some world
    nobody or more than `most` report to them: the answer could not be cited.
    """
    if mode.derive is not None:
        return direct._replace(derived_op=mode.derived_op)
    manager = worlds[0][direct.key].value
    if manager is None or any(query.manager == manager for query in asked):
        return direct
    for state in worlds:
        if not 1 <= sum(entry.value == manager for entry in state.values()) <= most:
            return direct
    return direct._replace(derived_op=mode.derived_op, manager=manager)


def _shuffled(keys: list[str], names: tuple[object, ...]) -> list[str]:
    """Fisher-Yates with the episode's dice."""
    for i, (face,) in enumerate(draw(*names, "order", rows=len(keys), faces=1)):
        j = i + below(face, len(keys) - i)
        keys[i], keys[j] = keys[j], keys[i]
    return keys


def _form(ask: str) -> re.Pattern[str]:
    """The first line of a question as a pattern."""
    words = re.escape(ask)
    for name, value in {"key": r"tag\.[0-9]{2,}", "manager": r"[a-z]+-[0-9]{3}"}.items():
        words = words.replace(re.escape(f"{{{name}}}"), f"(?P<{name}>{value})")
    return re.compile(words)


_FORMS: list[tuple[re.Pattern[str], str | None]] = [
    *((_form(mode.ask), None) for mode in MODES.values()),
    *((_form(mode.ask_derived), mode.derived_op) for mode in MODES.values()),
]
_MOST = re.compile(r"answer, at most ([0-9]+), and no others\.")
