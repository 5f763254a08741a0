"""The two baselines every board starts with. Neither needs a model, and neither looks at gold.

`ledger` keeps the authoritative state and answers from it: the ceiling. `naive` believes the last colour it
read beside a key and cites its last ledger line, NOTE or not: the floor. It equals the reference's, and so it cannot
read the values of counters, sets and managers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any

from evaluation.core.errors import FORM_FAULTS, AdapterError, UnknownNameError
from evaluation.goldevidence.data.ledger import LEDGER_HEADING, Entry, parse_book, parse_log
from evaluation.goldevidence.generator.queries import Query, answer, gold

Row = Mapping[str, Any]
TEXTS_AT_HAND = 256  # what was read of them stays in memory: 30 KB a text, so some 10 MB
TEXTS = {"open_book": "document", "closed_book": "book"}  # protocol -> the field that is read
_MENTION = re.compile(r"(tag\.\d{2,}) = (?:UNKNOWN|([a-z]+-\d{4})\b)")
_CITABLE = re.compile(
    r"^- \[(U[0-9A-F]{6})\] UPDATE step=\d+ (?:SET|NOTE) (tag\.\d{2,}) = [a-z]+-\d{4}\b", re.M
)


@dataclass(frozen=True, slots=True)
class Baseline:
    """A named baseline. `answer(row, protocol)` gives the value and the ids that support it."""

    name: str
    answer: Callable[[Row, str], tuple[str | None, list[str]]]

    def predict(self, row: Row, *, protocol: str = "closed_book") -> dict[str, Any]:
        """`{"id", "value", "support_ids"}`. A row with `candidates` is answered from those."""
        if not isinstance(row.get("id"), str | int):
            raise AdapterError("a row has no usable 'id': it must be a text.")
        value, support_ids = self.answer(row, protocol)
        return {"id": row["id"], "value": value, "support_ids": support_ids}


@dataclass(slots=True)
class Efficiency:
    """What a run cost. A token is a whitespace-separated word; a text is counted for every row it serves."""

    tokens: int = 0
    tokens_per_query: float | None = None
    passes: int = 1
    wall_s: float = 0.0
    wall_s_per_q: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON-able data."""
        return asdict(self)


def get_baseline(name: str) -> Baseline:
    """A baseline by name. Raises UnknownNameError naming the nearest match."""
    if name not in BASELINES:
        raise UnknownNameError("baseline", name, BASELINES)
    return BASELINES[name]


def predict(row: Row, name: str, protocol: str = "closed_book") -> dict[str, Any]:
    """One prediction of a named baseline."""
    return get_baseline(name).predict(row, protocol=protocol)


def run(rows: Iterable[Row], name: str, protocol: str, efficiency: Efficiency) -> Iterator[dict[str, Any]]:
    """Predictions of a named baseline, row by row; `efficiency` is complete when the last has been taken."""
    baseline, count = get_baseline(name), 0
    for row in rows:
        started = perf_counter()
        prediction = baseline.predict(row, protocol=protocol)
        efficiency.wall_s += perf_counter() - started
        efficiency.tokens += _tokens_read(row, protocol)
        count += 1
        yield prediction
    efficiency.tokens_per_query = efficiency.tokens / count if count else None
    efficiency.wall_s_per_q = efficiency.wall_s / count if count else None


def _ledger(row: Row, protocol: str) -> tuple[str | None, list[str]]:
    if row.get("candidates") is not None:
        state = _state(_candidates(row))
    elif protocol == "open_book":
        state = _log_state(_text(row, protocol))
    else:
        state = _book_state(_text(row, protocol))
    found = gold(_query(row), state)
    return found["value"], found["support_ids"]


def _naive(row: Row, protocol: str) -> tuple[str | None, list[str]]:
    query = _query(row)
    if query.derived_op == "reports":
        return None, []
    if row.get("candidates") is not None:
        values, uids = _last_candidates(_candidates(row))
    else:
        values, uids = _mentions(_text(row, protocol))
    cited = uids.get(query.key)
    return answer(query, values.get(query.key)), [cited] if cited else []


BASELINES: dict[str, Baseline] = {"naive": Baseline("naive", _naive), "ledger": Baseline("ledger", _ledger)}


def _query(row: Row) -> Query:
    meta = row.get("meta")
    if not isinstance(meta, Mapping) or not meta.keys() & {"key", "derived_manager"}:
        raise AdapterError(f"row {row.get('id')!r} has no meta.key: a baseline cannot tell what is asked.")
    return Query(meta.get("key", ""), meta.get("derived_op"), meta.get("derived_manager"))


def _text(row: Row, protocol: str) -> str:
    """The text a protocol reads. Raises AdapterError where the row does not hold it."""
    if protocol not in TEXTS:
        raise UnknownNameError("protocol", protocol, TEXTS)
    text = row.get(TEXTS[protocol])
    if not isinstance(text, str):
        raise AdapterError(f"row {row.get('id')!r} has no {TEXTS[protocol]}: {protocol} cannot be run on it.")
    return text


def _candidates(row: Row) -> list[Entry]:
    try:
        return [Entry(*(line[name] for name in Entry._fields)) for line in row["candidates"]]
    except FORM_FAULTS as error:
        raise AdapterError(
            f"row {row['id']!r} has a candidate without uid, step, op, key or value."
        ) from error


def _state(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Each key's latest authoritative entry; none where a later line without a marker leaves it unclear.

    A SET of nothing, as the reference can write, sets nothing.
    """
    ordered = sorted(entries, key=lambda entry: entry.step)
    said = {entry.key: entry for entry in ordered if entry.op != "NOTE" and entry.value != ""}
    return {key: entry for key, entry in said.items() if entry.authoritative}


# Rows of an episode share its texts, but need not follow each other: each text is read once for all of them.
@lru_cache(maxsize=TEXTS_AT_HAND)
def _log_state(document: str) -> dict[str, Entry]:
    return _state(parse_log(document))


@lru_cache(maxsize=TEXTS_AT_HAND)
def _book_state(book: str) -> dict[str, Entry]:
    return _state(parse_book(book))


@lru_cache(maxsize=TEXTS_AT_HAND)
def _mentions(text: str) -> tuple[dict[str, str | None], dict[str, str]]:
    """What a text last says of each key (None: unknown), and the last ledger line of it; no book ledger."""
    narrative = text.partition(LEDGER_HEADING)[0]
    values = {key: value or None for key, value in _MENTION.findall(narrative)}
    return values, {key: uid for uid, key in _CITABLE.findall(narrative)}


def _last_candidates(entries: list[Entry]) -> tuple[dict[str, str | None], dict[str, str]]:
    """The same of candidates: the one shown last of each key."""
    return {entry.key: entry.value for entry in entries}, {entry.key: entry.uid for entry in entries}


def _tokens_read(row: Row, protocol: str) -> int:
    if row.get("candidates") is not None:
        return sum(len(entry.line().split()) for entry in _candidates(row))
    return _count_tokens(_text(row, protocol))


@lru_cache(maxsize=TEXTS_AT_HAND)
def _count_tokens(text: str) -> int:
    return len(text.split())
