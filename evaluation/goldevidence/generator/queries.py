"""Questions about an episode and their gold answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.difficulty.naming import Name, resolve
from evaluation.goldevidence.generator.families import asking
from evaluation.goldevidence.generator.modes import MODES, Mode
from evaluation.goldevidence.generator.prf import below, draw, threshold
from evaluation.goldevidence.records import Gold

if TYPE_CHECKING:
    from evaluation.goldevidence.generator.config import GeneratorConfig

State = Mapping[str, Entry]  # each key's latest authoritative entry


class Draft(NamedTuple):
    """What a question is meant to be before the worlds are known that it is asked in."""

    key: str
    derived: bool


class Query(NamedTuple):
    """One question. `derived_op` is None for a direct one; `manager` only where reports are asked.

    `name` is what it calls its key; None for the key's own name.
    """

    key: str
    derived_op: str | None = None
    manager: str | None = None
    name: Name | None = None


def drafts(config: GeneratorConfig, state: State, first: str | None, *names: object) -> list[Draft]:
    """What is asked about in an episode: keys in a random order, none again before each has been asked.

    Args:
        config: The settings of the generator.
        state: The final state of the base.
        first: The key that is asked about first; None for any.
        names: What the episode's dice are drawn by.

    Returns:
        As many drafts as the settings ask for questions.
    """
    derived = threshold(config.derived_query_rate)
    keys = _shuffled(sorted(state), names)
    if first is not None:
        keys.remove(first)
        keys.insert(0, first)
    faces = draw(*names, "queries", rows=config.queries, faces=1)
    return [Draft(keys[number % len(keys)], face < derived) for number, (face,) in enumerate(faces)]


def choose(config: GeneratorConfig, drafted: Sequence[Draft], worlds: Sequence[State]) -> list[Query]:
    """The questions of an episode, the same for every world (the base and its twin).

    The answer about a key that a twin flips differs between the worlds, in the direct form and in the derived one.

    Args:
        config: The settings of the generator.
        drafted: What is asked about.
        worlds: The final state of each world.

    Returns:
        A question for each draft.
    """
    mode = MODES[config.state_mode]
    asked: list[Query] = []
    for key, derived in drafted:
        query = Query(key)
        asked.append(_derived(mode, query, worlds, config.max_support_k, asked) if derived else query)
    return asked


def gold(query: Query, state: State) -> Gold:
    """The answer in one world.

    A cleared key has no answer, direct or derived, and its CLEAR line is the support. A key that was never
    written has neither. Reports are the keys that a manager holds, sorted, each supported by its line.

    Args:
        query: The question.
        state: The final state of the world.

    Returns:
        `value`, `support_ids`, and `support_id` where it is exactly one.
    """
    if query.derived_op == "reports":
        holders = sorted(key for key, entry in state.items() if entry.value == query.manager)
        value, support = ",".join(holders) or None, [state[key].uid for key in holders]
    else:
        entry = state.get(query.key)
        value, support = answer(query, entry.value if entry else None), [entry.uid] if entry else []
    return {"value": value, "support_id": support[0] if len(support) == 1 else None, "support_ids": support}


def answer(query: Query, value: str | None) -> str | None:
    """What follows from the value of the key asked about.

    Args:
        query: The question.
        value: What the key holds; None for no value.

    Returns:
        The answer; None from no value, or from one of another mode.
    """
    derive = DERIVED.get(query.derived_op or "")
    if value is None or derive is None:
        return value
    try:
        return derive(value)
    except ValueError:
        return None


def text(query: Query, config: GeneratorConfig) -> str:
    """The question as a system reads it.

    Args:
        query: The question.
        config: The settings of the generator: its mode, and whether and how much may be cited.
    """
    mode = MODES[config.state_mode]
    ask = mode.ask_derived if query.derived_op else mode.ask
    return with_form(
        ask.format(key=query.name.phrase if query.name else query.key, manager=query.manager), config
    )


def with_form(question: str, config: GeneratorConfig) -> str:
    """A question with the form of its answer.

    Args:
        question: Its first line.
        config: The settings of the generator: whether and how much may be cited.
    """
    if not config.require_citations:
        return f'{question}\nReply with one JSON object: {{"value": ...}}. {NULL_RULE}'
    return (
        f'{question}\nReply with one JSON object: {{"value": ..., "support_ids": [...]}}. {NULL_RULE}\n'
        f'"support_ids" lists the ids (U and six hexadecimal digits) of the ledger lines that establish the '
        f"answer, at most {config.max_support_k}, and no others."
    )


class Asked(NamedTuple):
    """What the text of a question says. `most` is how many citations it allows; None where it asks for none."""

    key: str | None  # None where reports are asked, which name a manager, and where there is a phrase
    derived_op: str | None
    manager: str | None
    most: int | None
    phrase: str | None = None  # what it calls its key, where that is not the key's own name
    args: tuple[Any, ...] | None = None  # of a family: the parameters of its kind of question


def read(question: str) -> Asked | None:
    """What a question asks, by its text alone; None for a text that is no question of ours."""
    ask, _, ending = question.partition("\n")
    for form, derived_op in _FORMS:
        if match := form.fullmatch(ask):
            groups, most = match.groupdict(), _MOST.search(ending)
            return Asked(
                groups.get("key"),
                derived_op,
                groups.get("manager"),
                int(most[1]) if most else None,
                groups.get("phrase"),
            )
    if (asks := asking.read(ask)) is not None:
        most = _MOST.search(ending)
        return Asked(asks.key, asks.op, None, int(most[1]) if most else None, args=asks.args)
    return None


DERIVED = {mode.derived_op: mode.derive for mode in MODES.values()}
NULL_RULE = '"value" is a string, or null where nothing holds.'


def _derived(mode: Mode, direct: Query, worlds: Sequence[State], most: int, asked: list[Query]) -> Query:
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
    key = r"(?:(?P<key>tag\.[0-9]{2,})|(?P<phrase>the [a-z0-9. ]+?))"
    words = words.replace(re.escape("{key}"), key)
    return re.compile(words.replace(re.escape("{manager}"), r"(?P<manager>[a-z]+-[0-9]{3})"))


_FORMS: list[tuple[re.Pattern[str], str | None]] = [
    *((_form(mode.ask), None) for mode in MODES.values()),
    *((_form(mode.ask_derived), mode.derived_op) for mode in MODES.values()),
]
_MOST = re.compile(r"answer, at most ([0-9]+), and no others\.")


def asked_key(question: str, text: str) -> str | None:
    """The tag that a question describes; None where it names its tag, asks of a manager, or describes none.

    Args:
        question: The question.
        text: The log or the book of its row.
    """
    asked = read(question)
    if asked is None or not asked.phrase:
        return None
    from evaluation.goldevidence.generator.difficulty.reading import read_text  # pydantic is behind it

    return resolve(asked.phrase, read_text(text))
