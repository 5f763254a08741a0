"""StateBench as a suite. A row id names one query of a timeline."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from evaluation.adapters.thinking import without_thinking
from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.core.plugin import Account, ContextShown, Replay, RowReplays
from evaluation.core.records import Given, GradingRecord, JsonObject, Odd, Row, RowGold, ShownVerdict
from evaluation.core.records import Verdict as AnyVerdict
from evaluation.core.row_states import RowState, given_state
from evaluation.core.suite import (
    Apart,
    ExpectedRows,
    Fields,
    Integrity,
    Line,
    Preset,
    Problem,
    RowPreview,
    Suite,
)
from evaluation.statebench import public
from evaluation.statebench import replay as replays
from evaluation.statebench.columns import UNRANKED
from evaluation.statebench.data.contexts import as_response, contexts_of, holds_contexts, words_for
from evaluation.statebench.display import DISPLAY
from evaluation.statebench.grading import grade
from evaluation.statebench.grading.redact import redact
from evaluation.statebench.grading.rubrics import BARE, DEFAULT_RUBRIC, TYPED
from evaluation.statebench.grading.typed.answers import own_answer
from evaluation.statebench.presets import ABOUT, PRESETS, Settings
from evaluation.statebench.records import (
    QueryVerdict,
    Timeline,
    TimelineGold,
    TimelineRecord,
    row_id,
    writes_of,
)
from evaluation.statebench.systems.registry import SYSTEMS, StrategySpec
from evaluation.statebench.version import StateVersion

#: Maximum events of a timeline replayed on a page; one of 128k tokens would take half a minute.
MOST_REPLAYED = 1_500
#: Turns shown from either end of a long timeline in a preview.
SHOWN_TURNS = 100
MAX_RESPONSE = 20_000  # characters, to keep out copies of whole timelines
#: Fields of a verdict that reveal the track.
PLACING = frozenset({"track", "difficulty", "domain", "in_headline", "false_supersession"})
_THINKING = (
    "contain thinking or control tokens beside the response, and this version grades every word. Send only the "
    "response."
)


class Timelines(RowReplays):
    def replay(self, row: Row, row_id: str, *, state: bool = True) -> Replay | None:
        timeline = cast(Timeline, row)
        return None if _is_long(timeline) else replays.replay(timeline, _query_idx(row_id), state=state)

    def account(self, row: Row, seen: Replay | None, verdict: AnyVerdict) -> Account:
        if seen is None:
            return super().account(row, seen, verdict)
        return replays.account(cast(Timeline, row), seen, cast(QueryVerdict, verdict))

    def answers(self, record: GradingRecord) -> Iterator[tuple[str, RowGold]]:
        return replays.answers(cast(TimelineRecord, record))

    def with_answer(self, row: Row, answer: RowGold) -> Row:
        return replays.with_answer(cast(Timeline, row), cast(TimelineGold, answer))

    def row_labels(self, row: Row) -> Mapping[str, str]:
        return replays.row_labels(cast(Timeline, row))

    def contexts(self, row: Row, row_id: str) -> Sequence[ContextShown]:
        timeline = cast(Timeline, row)
        return () if _is_long(timeline) else replays.contexts(timeline, _query_idx(row_id))


def answer_key(data: JsonObject) -> str:
    """A text that is equal for equal answers: the typed answer, if any, and the response. Empty without an answer."""
    if given_state(data):
        return ""
    if holds_contexts(data):
        data = cast(JsonObject, as_response(data))
    typed, words = own_answer(data), data.get("response", "").split()
    return " ".join([typed.as_text(), *words] if typed else words)


def mistake_key(verdict: AnyVerdict) -> str:
    """A text that is equal for equal mistakes: row id and stored response. Empty unless a wrong response is stored."""
    judged = cast(QueryVerdict, verdict)
    response = " ".join((judged["response"] or "").split())
    return f"{judged['id']} {response}" if response and not judged["correct"] else ""


class StateBench(Suite):
    """The StateBench suite. See `Suite` for the contract of each member."""

    name = "statebench"
    title = "StateBench"
    settings = Settings
    fields = Fields(public.TEXTS, ids=("timeline_id", "query_idx"), answers=("response",), placing=PLACING)
    unranked = UNRANKED
    display = DISPLAY
    row_kind = "evaluation.statebench.adapters.timeline_rows:KIND"
    attacks = "evaluation.attacks.statebench.registry:attack_plan"
    replays = Timelines()
    integrity = Integrity(answer_key, mistake_key)

    def presets(self) -> Mapping[str, Preset]:
        return {name: Preset(each.as_json(), ABOUT.get(name, "")) for name, each in PRESETS.items()}

    def version(self, settings: Mapping[str, object]) -> StateVersion:
        return StateVersion(self, Settings.from_json(settings))

    def systems(self) -> Mapping[str, StrategySpec]:
        return SYSTEMS

    def expected(self, records: Iterable[JsonObject], *, lines: bool = False) -> ExpectedRows:
        """The row ids that need an answer, each with its track. Records without a track get `public.TIMELINE`."""
        splits: dict[str, str] = {}
        for data in records:
            timeline = data.get("timeline_id") or data["id"]
            events = data.get("events", ())
            queries = (
                len(data["queries"])
                if "queries" in data
                else sum(event["type"] == "query" for event in events)
            )
            track = data.get("track", public.TIMELINE)
            splits.update((row_id(timeline, index), track) for index in range(queries))
        return ExpectedRows(splits)

    def row_id(self, data: Mapping[str, object]) -> str | None:
        timeline, index = data.get("timeline_id"), data.get("query_idx")
        if not isinstance(timeline, str) or not isinstance(index, int) or isinstance(index, bool):
            return None
        return row_id(timeline, index)

    def read_line(self, data: Any, expected: ExpectedRows) -> Line | Problem:
        if self.row_id(data) is None:
            return Problem("no_id", _missing_id(data))
        if holds_contexts(data):
            return _contexts_line(data)
        typed = expected.rubric in TYPED or (not expected.rubric and "response" not in data)
        if message := grade.response_problem(data, typed=typed):
            end = "" if message.endswith("?") else "."
            return Problem("unreadable_response", f"{message[0].upper()}{message[1:]}{end}")
        if len(data.get("response", "")) > MAX_RESPONSE:
            return Problem(
                "long_response", f"The response has over {MAX_RESPONSE:,} characters; send only the answer."
            )
        bare, tokens = (expected.rubric or DEFAULT_RUBRIC) in BARE, data.get("tokens_used")
        state = grade.row_state(data, bare=bare)
        answer = own_answer(data) if typed else None
        answered = Given(answer.as_text()) if answer else _given(data, bare)
        return Line(state, answered, None if tokens is None else float(tokens))

    def public_row(self, row: Row, *, labels: bool = False) -> Row:
        return public.public_row(cast(Timeline, row), labels=labels)

    def overtold(self, row: Row) -> Iterator[str]:
        return public.overtold(cast(Timeline, row))

    def form_of(self, split: str) -> str:
        return public.TIMELINE

    def row_previews(self, row: Row) -> list[RowPreview]:
        """Previews of the queries of a timeline, each with the conversation and the facts."""
        timeline = cast(Timeline, row)
        events, facts = timeline["events"], timeline["initial_state"]["persistent_facts"]
        turns = [f"{e['speaker']}: {e['text']}" for e in events if e["type"] == "conversation_turn"]
        if len(turns) > 2 * SHOWN_TURNS:
            left_out = f"… {len(turns) - 2 * SHOWN_TURNS:,} turns …"
            turns = [*turns[:SHOWN_TURNS], left_out, *turns[-SHOWN_TURNS:]]
        talk = "\n".join(turns)
        writes = [write for event in events for write in writes_of(event)]
        parts = [
            ("Facts at the start", "\n".join(f"{fact['key']}: {fact['value']}" for fact in facts)),
            ("Conversation", talk),
            ("Written", "\n".join(f"{write['key']}: {write['value']}" for write in writes)),
        ]
        shown = [(heading, text) for heading, text in parts if text]
        prompts = [event["prompt"] for event in events if event["type"] == "query"]
        return [
            RowPreview(row_id(row["id"], n), prompt, shown, _form(row["id"], n))
            for n, prompt in enumerate(prompts)
        ]

    def redact(self, verdict: AnyVerdict, *, own: bool) -> ShownVerdict:
        """Remove phrases of the ground truth. Only the sender (`own`) sees responses that are not wrong."""
        return redact(cast(QueryVerdict, verdict), own=own)

    def record_of_rows(self, record: GradingRecord, row_ids: Collection[str]) -> GradingRecord | None:
        whole = cast(TimelineRecord, record)
        timeline = whole["timeline_id"]
        asked = [at for at in range(len(whole["queries"])) if row_id(timeline, at) in row_ids]
        return cast(TimelineRecord, {**whole, "asked": asked}) if asked else None


SUITE = StateBench()


def _is_long(timeline: Timeline) -> bool:
    return len(timeline["events"]) > MOST_REPLAYED


def _given(data: JsonObject, bare: bool) -> Given | None:
    """The response of a line. None if the line states that there is no response. `bare` removes thinking."""
    if given_state(data):
        return None
    response, told = data["response"].strip(), without_thinking(data["response"])
    if bare:
        return Given(told or None)
    odd = (Odd("thinking_in_response", _THINKING, response),) if told != response else ()
    return Given(response or None, odd=odd)


def _contexts_line(data: JsonObject) -> Line | Problem:
    try:
        texts = contexts_of(data)
    except RowError as error:
        return Problem("unreadable_context", f"{error.reason[0].upper()}{error.reason[1:]}.")
    state = RowState.ANSWERED if any(map(str.strip, texts.values())) else RowState.EMPTY
    return Line(state, apart=Apart("memory", words_for(texts)))


def _missing_id(data: Mapping[str, object]) -> str:
    expected = {"timeline_id": (str, "a text"), "query_idx": (int, "a whole number")}
    if wrong := [name for name in expected if name in data and not _is(expected[name][0], data[name])]:
        faults = [f"'{name}' must be {expected[name][1]}, not {_kind(data[name])}" for name in wrong]
        return f"The line names no row: {', and '.join(faults)}."
    lacking = " and ".join(f"'{name}', {expected[name][1]}" for name in expected if name not in data)
    return f"The line names no row: it needs {lacking}."


def _query_idx(name: str) -> int:
    index = name.rpartition("#")[2]
    return int(index) if index.isdecimal() and len(index) < 10 else 0


def _is(kind: type, value: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _kind(value: Any) -> str:
    return f"{value}" if isinstance(value, float) else jsonl.kind(value)


def _form(timeline_id: str, index: int) -> str:
    return f'{{"timeline_id": "{timeline_id}", "query_idx": {index}, "response": "…"}}'
