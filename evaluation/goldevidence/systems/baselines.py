"""The two baselines of every board. Neither needs a model, and neither reads gold.

`ledger`, the ceiling, replays the authoritative ledger lines and answers from the state. `naive`, the floor, answers
with the last colour written beside the key and cites the key's last ledger line, even a NOTE. Like the reference's
baseline, `naive` cannot read the values of counters, sets and managers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from operator import itemgetter
from time import perf_counter

from evaluation.core.errors import FORM_FAULTS, AdapterError, UnknownNameError
from evaluation.core.files.remembered import remembered
from evaluation.goldevidence.data.ledger import LEDGER_HEADING, Entry
from evaluation.goldevidence.generator.difficulty.entries import book_entries, log_entries
from evaluation.goldevidence.generator.queries import Query, answer, asked_key, gold, read
from evaluation.goldevidence.protocols import protocol_of
from evaluation.goldevidence.records import CanonicalPrediction, EpisodeRow
from evaluation.goldevidence.systems import families
from evaluation.goldevidence.systems.two_phases import TwoPhases

TEXTS_AT_HAND = 512  # cached texts, each a ledger of a few hundred lines: some 10 MB
TEXTS = {"open_book": "document", "closed_book": "book"}  # protocol -> the field that is read
_step = itemgetter(Entry._fields.index("step"))
_MENTION = re.compile(r"(tag\.\d{2,}) = (?:UNKNOWN|([a-z]+-\d{4})\b)")
_CITABLE = re.compile(
    r"^- \[(U[0-9A-F]{6})\] UPDATE step=\d+ (?:SET|NOTE) (tag\.\d{2,}) = [a-z]+-\d{4}\b", re.M
)


@dataclass(frozen=True, slots=True)
class Baseline:
    """A named baseline. `answer(row, protocol)` returns the value and the ids of the cited lines."""

    name: str
    answer: Callable[[EpisodeRow, str], tuple[str | None, list[str]]]

    def predict(self, row: EpisodeRow, *, protocol: str = "closed_book") -> CanonicalPrediction:
        """Answer a row, from its candidates if it has any. Returns `{"id", "value", "support_ids"}`."""
        if not isinstance(row.get("id"), str | int):
            raise AdapterError("a row has no usable 'id': it must be a text.")
        value, support_ids = self.answer(row, protocol)
        return {"id": row["id"], "value": value, "support_ids": support_ids}


@dataclass(slots=True)
class Efficiency:
    """The cost of a run. Tokens are whitespace-separated words, counted anew for every row that reads a text."""

    tokens: int = 0
    tokens_per_query: float | None = None
    passes: int = 1
    wall_s: float = 0.0
    wall_s_per_q: float | None = None

    def as_dict(self) -> dict[str, float | None]:
        return asdict(self)


def get_baseline(name: str) -> Baseline:
    """A baseline by name. Raises UnknownNameError with the nearest match."""
    if name not in BASELINES:
        raise UnknownNameError("baseline", name, BASELINES)
    return BASELINES[name]


def run(
    rows: Iterable[EpisodeRow],
    name: str,
    protocol: str,
    efficiency: Efficiency,
    words: dict[str, int] | None = None,
) -> Iterator[Mapping[str, object]]:
    """Yield the predictions of a named baseline. Under `build`, an episode's artifact precedes its predictions.

    `efficiency` is updated and complete after the last prediction. `words` receives row id -> words read. Raises
    UnknownNameError for a baseline or protocol, AdapterError for a row without text or key.
    """
    system, count = TwoPhases(get_baseline(name)), 0
    for row in rows:
        started = perf_counter()
        predicted = system.predict(row, protocol=protocol)
        efficiency.wall_s += perf_counter() - started
        own, read = protocol_of(row), system.reads(row)
        tokens = _tokens_read(row, own.reads if own else protocol) if read is None else read
        efficiency.tokens += tokens
        if words is not None:
            words[row["id"]] = tokens
        count += 1
        yield from predicted if isinstance(predicted, list) else [predicted]
    efficiency.tokens_per_query = efficiency.tokens / count if count else None
    efficiency.wall_s_per_q = efficiency.wall_s / count if count else None


def _ledger(row: EpisodeRow, protocol: str) -> tuple[str | None, list[str]]:
    if families.is_of_family(row):
        return families.solved(row)
    if row.get("candidates") is not None:
        state = _state(_candidates(row))
    elif protocol == "open_book":
        state = _log_state(_text(row, protocol))
    else:
        state = _book_state(_text(row, protocol))
    query = _query(row)
    if not query.key and query.manager is None:  # the question describes its tag
        query = query._replace(key=asked_key(row["question"], _text(row, protocol)) or "")
    record = gold(query, state)
    return record["value"], record["support_ids"]


def _naive(row: EpisodeRow, protocol: str) -> tuple[str | None, list[str]]:
    if families.is_of_family(row):
        return None, []
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


def _query(row: EpisodeRow) -> Query:
    meta = row.get("meta")
    if not isinstance(meta, Mapping) or not (meta.keys() & {"key", "derived_manager"} or _describes(row)):
        raise AdapterError(
            f"row {row.get('id')!r} has no meta.key: a baseline cannot find the key asked about."
        )
    return Query(meta.get("key", ""), meta.get("derived_op"), meta.get("derived_manager"))


def _describes(row: EpisodeRow) -> bool:
    question = row.get("question")
    asked = read(question) if isinstance(question, str) else None
    return asked is not None and asked.phrase is not None


def _text(row: EpisodeRow, protocol: str) -> str:
    if protocol not in TEXTS:
        raise UnknownNameError("protocol", protocol, TEXTS)
    text = row.get(TEXTS[protocol])
    if not isinstance(text, str):
        raise AdapterError(f"row {row.get('id')!r} has no {TEXTS[protocol]}: {protocol} cannot be run on it.")
    return text


def _candidates(row: EpisodeRow) -> list[Entry]:
    try:
        return [
            Entry(line["uid"], line["step"], line["op"], line["key"], line["value"])
            for line in row["candidates"]
        ]
    except FORM_FAULTS as error:
        raise AdapterError(
            f"row {row['id']!r} has a candidate without uid, step, op, key or value."
        ) from error


def _state(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Key -> its latest entry, ignoring NOTEs and empty SETs. Keys whose latest entry has no authority are omitted."""
    ordered = sorted(entries, key=_step)
    latest = {entry.key: entry for entry in ordered if entry.op != "NOTE" and entry.value != ""}
    return {key: entry for key, entry in latest.items() if entry.authoritative}


# Rows of an episode share texts but need not be adjacent, so parsed texts are cached.
@remembered(TEXTS_AT_HAND)
def _log_state(document: str) -> dict[str, Entry]:
    return _state(log_entries(document))


@remembered(TEXTS_AT_HAND)
def _book_state(book: str) -> dict[str, Entry]:
    return _state(book_entries(book))


@remembered(TEXTS_AT_HAND)
def _mentions(text: str) -> tuple[dict[str, str | None], dict[str, str]]:
    """The last value (None if unknown) and the last line's id of each key, in a log or a book's chapters."""
    narrative = text.partition(LEDGER_HEADING)[0]
    values = {key: value or None for key, value in _MENTION.findall(narrative)}
    return values, {key: uid for uid, key in _CITABLE.findall(narrative)}


def _last_candidates(entries: list[Entry]) -> tuple[dict[str, str | None], dict[str, str]]:
    return {entry.key: entry.value for entry in entries}, {entry.key: entry.uid for entry in entries}


def _tokens_read(row: EpisodeRow, protocol: str) -> int:
    if row.get("candidates") is not None:
        return sum(len(entry.line().split()) for entry in _candidates(row))
    return _count_tokens(_text(row, protocol))


@remembered(TEXTS_AT_HAND)
def _count_tokens(text: str) -> int:
    return len(text.split())
