"""Writes the questions about an episode, and computes their correct (gold) answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.difficulty.naming import Name, resolve
from evaluation.goldevidence.generator.families import asking
from evaluation.goldevidence.generator.modes import MODES, Mode
from evaluation.goldevidence.generator.prf import draw, shuffled, threshold
from evaluation.goldevidence.records import Gold

if TYPE_CHECKING:
    from evaluation.goldevidence.generator.config import GeneratorConfig

State = Mapping[str, Entry]  # each key's latest authoritative entry


class Draft(NamedTuple):
    """A planned question, made before the final states of the episode and its twin (its changed copy) are known."""

    key: str
    derived: bool


class Query(NamedTuple):
    """One question about an episode.

    Attributes:
        derived_op: Operation on the stored value; None if the question asks for the value itself.
        manager: With `derived_op` "reports", the manager whose reports are asked for.
        name: Alias or description that the question uses for the key; None for the key itself.
    """

    key: str
    derived_op: str | None = None
    manager: str | None = None
    name: Name | None = None


def drafts(config: GeneratorConfig, state: State, first: str | None, *names: object) -> list[Draft]:
    """Plan questions about keys in random order, beginning with `first`. A key repeats only after all other keys."""
    derived = threshold(config.derived_query_rate)
    keys = shuffled(sorted(state), *names, "order")
    if first is not None:
        keys.remove(first)
        keys.insert(0, first)
    faces = draw(*names, "queries", rows=config.queries, faces=1)
    return [Draft(keys[number % len(keys)], face < derived) for number, (face,) in enumerate(faces)]


def choose(config: GeneratorConfig, drafted: Sequence[Draft], worlds: Sequence[State]) -> list[Query]:
    """Turn drafts into questions, the same ones for all `worlds`: the final states of an episode and its twin."""
    mode = MODES[config.state_mode]
    asked: list[Query] = []
    for key, derived in drafted:
        query = Query(key)
        asked.append(_derived(mode, query, worlds, config.max_support_k, asked) if derived else query)
    return asked


def gold(query: Query, state: State) -> Gold:
    """Return the gold answer, given the final state of an episode.

    A cleared key has no answer, direct or derived, and its CLEAR line is the support. A key that was never written has
    neither answer nor support. Reports are the keys whose value is the manager, sorted; each is supported by its line.
    """
    if query.derived_op == "reports":
        holders = sorted(key for key, entry in state.items() if entry.value == query.manager)
        value, support = ",".join(holders) or None, [state[key].uid for key in holders]
    else:
        entry = state.get(query.key)
        value, support = answer(query, entry.value if entry else None), [entry.uid] if entry else []
    return {"value": value, "support_id": support[0] if len(support) == 1 else None, "support_ids": support}


def answer(query: Query, value: str | None) -> str | None:
    """Derive the answer from a key's value. Returns None without a value, or if the value does not fit the question."""
    derive = DERIVED.get(query.derived_op or "")
    if value is None or derive is None:
        return value
    try:
        return derive(value)
    except ValueError:
        return None


def text(query: Query, config: GeneratorConfig) -> str:
    mode = MODES[config.state_mode]
    ask = mode.ask_derived if query.derived_op else mode.ask
    return with_form(
        ask.format(key=query.name.phrase if query.name else query.key, manager=query.manager), config
    )


def with_form(question: str, config: GeneratorConfig) -> str:
    if not config.require_citations:
        return f'{question}\nReply with one JSON object: {{"value": ...}}. {NULL_RULE}'
    return (
        f'{question}\nReply with one JSON object: {{"value": ..., "support_ids": [...]}}. {NULL_RULE}\n'
        f'"support_ids" lists the ids (U and six hexadecimal digits) of the ledger lines that establish the '
        f"answer, at most {config.max_support_k}, and no others."
    )


class Asked(NamedTuple):
    """A parsed question. `most` is the largest number of citations, or None if the question demands no citations."""

    key: str | None  # None for reports, which name a manager, and with a phrase
    derived_op: str | None
    manager: str | None
    most: int | None
    phrase: str | None = None  # its words for the key, if not the key's own name
    args: tuple[Any, ...] | None = None  # for a family: the parameters of the question


def read(question: str) -> Asked | None:
    """Parse a question from its text. Returns None if the text does not have a form of this benchmark."""
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
    """Return the derived question about the same key, or `direct`.

    A question about a manager's reports stays direct if an earlier question is about the same manager. The manager must
    have 1 to `most` reports in each of the final states `worlds`; otherwise it stays direct too, as its answer could
    not be cited.
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


def _form(ask: str) -> re.Pattern[str]:
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
    """Return the tag that a question describes, according to a text. Returns None if there is none."""
    asked = read(question)
    if asked is None or not asked.phrase:
        return None
    from evaluation.goldevidence.generator.difficulty.reading import read_text  # imports pydantic

    return resolve(asked.phrase, read_text(text))
