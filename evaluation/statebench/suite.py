"""StateBench behind the suite protocol. One item is one timeline; one row id is one query of it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

from evaluation.adapters.thinking import without_thinking
from evaluation.core import jsonl
from evaluation.core.errors import FORM_FAULTS, RowError, SettingsError, in_row
from evaluation.core.metric import Metric
from evaluation.core.plugin import Account, ContextShown, Replay
from evaluation.core.records import JsonObject, Odd, Prediction, Row, ShownVerdict
from evaluation.core.records import Verdict as AnyVerdict
from evaluation.core.report import Report
from evaluation.core.row_states import RowState, given_state
from evaluation.core.sealing import keyed_ids
from evaluation.core.settings import MAX_SEED
from evaluation.core.suite import (
    LARGEST_THOUGHT_OF,
    Column,
    ExpectedRows,
    Facet,
    Gate,
    Given,
    Item,
    Problem,
    RowPreview,
    Rung,
    Unseen,
)
from evaluation.core.suite import Settings as Json
from evaluation.statebench import public
from evaluation.statebench import replay as replays
from evaluation.statebench.columns import TIE_BREAKER, UNRANKED
from evaluation.statebench.columns import columns as board_columns
from evaluation.statebench.data.timeline import check_timeline
from evaluation.statebench.data.truth import record
from evaluation.statebench.display import DISPLAY
from evaluation.statebench.generator.tracks import generate
from evaluation.statebench.grading import grade, metrics
from evaluation.statebench.grading.measured import (
    ICC_OF_COPIES,
)
from evaluation.statebench.grading.redact import redact
from evaluation.statebench.grading.rubrics import BARE, DEFAULT_RUBRIC
from evaluation.statebench.interchange.changes import Changes
from evaluation.statebench.interchange.export import to_release
from evaluation.statebench.interchange.release import RELEASES, Release
from evaluation.statebench.presets import ABOUT, IMPORTED, PRESETS, Settings
from evaluation.statebench.records import QueryVerdict, Timeline, TimelineRecord, row_id, writes_of
from evaluation.statebench.reporting import report_on
from evaluation.statebench.strategies import STRATEGIES
from evaluation.statebench.strategies.measure import ALL, measure_records
from evaluation.statebench.systems.registry import SYSTEMS, StrategySpec

MAX_RESPONSE = 20_000  # characters: an answer, not a copy of the archive
CURVE = (16, 32, 64, 128, 256, 512, 1024, 2048, 8192)  # token budgets of a strategy's curve
SECRETS = ("Seed", "Key")  # what `describe` hides
#: What of a verdict tells the track of its timeline.
PLACING = frozenset({"track", "difficulty", "domain", "in_headline", "false_supersession"})


_THINKING = (
    "hold thinking or control tokens beside the response, and this version grades every word. Send the response "
    "alone."
)


def _leaves_thinking_out(expected: ExpectedRows) -> bool:
    return (expected.rubric or DEFAULT_RUBRIC) in BARE


class StateBench:
    """The suite; see `evaluation.core.suite.Suite` for what each member promises."""

    name = "statebench"
    title = "StateBench"
    summary = "Timelines that change: does a system act on what holds now, and not on what was superseded?"
    unit = "timeline"
    asked = ("query", "queries")
    texts = public.TEXTS
    grader = "statebench/strict-3/1.0/2.0"
    tie_breaker = TIE_BREAKER
    unranked = UNRANKED
    id_fields = ("timeline_id", "query_idx")
    answer_fields = ("response",)
    display = DISPLAY
    row_kind = "evaluation.statebench.adapters.timeline_rows:KIND"
    attacks = "evaluation.attacks.statebench.registry:attack_plan"

    def grader_of(self, settings: Json) -> str:
        """The revisions that a version is graded by: those of its rubric."""
        bare = Settings.from_json(settings).rubric in BARE
        return self.grader if bare else "statebench/strict-2/1.0/2.0"

    @property
    def columns(self) -> Sequence[Column]:
        """What a board shows."""
        return board_columns()

    def headline(self, settings: Json, split: str = "") -> Column:
        """Decision accuracy, of every version and track."""
        return next(column for column in self.columns if column.headline)

    def metrics(self, settings: Json) -> Mapping[str, Metric]:
        """The rates of the rubric, those of the released judge, and the tie breaker."""
        rubric = Settings.from_json(settings).rubric
        return {each.name: each for each in (*metrics.of_site(rubric), *metrics.RELEASED_METRICS)}

    def presets(self) -> Mapping[str, Json]:
        """The named settings."""
        return {name: preset.as_json() for name, preset in PRESETS.items()}

    def about(self, preset: str) -> str:
        """What a version of a preset measures."""
        return ABOUT.get(preset, "")

    def check(self, settings: Json) -> dict[str, Any]:
        """Settings completed with defaults. Raises SettingsError."""
        return Settings.from_json(settings).as_json()

    def settings_schema(self) -> dict[str, Any]:
        """The JSON schema of the settings."""
        return Settings.model_json_schema()

    def describe(self, settings: Json, *, seeds: bool = True) -> list[tuple[str, str]]:
        """The settings for a reader."""
        facts = Settings.from_json(settings).describe()
        return facts if seeds else [(name, "withheld" if name in SECRETS else text) for name, text in facts]

    def with_secret_seeds(self, settings: Json) -> dict[str, Any]:
        """The settings with a new seed and a new key."""
        return self.check(settings) | {"seed": secrets.randbelow(MAX_SEED), "key": keyed_ids.new_key()}

    def has_secret_seeds(self, settings: Json) -> bool:
        """Whether the seed was drawn."""
        return Settings.from_json(settings).seed >= LARGEST_THOUGHT_OF

    def shown_by_ids(self, settings: Json, row: Row) -> str:
        """The seed, with which the id of a timeline once began."""
        shows = str(row.get("id")).startswith(f"G{Settings.from_json(settings).seed}-")
        return "This version's row ids show its seed: its answers can be rebuilt." if shows else ""

    def withheld(self, settings: Json) -> list[str]:
        """Key, seed and the names of tracks."""
        chosen = Settings.from_json(settings)
        return [chosen.key, str(chosen.seed), *chosen.tracks]

    def count(self, settings: Json) -> int:
        """The number of timelines; 0 where a file brings them."""
        chosen = Settings.from_json(settings)
        return 0 if chosen.source == IMPORTED else chosen.count * len(chosen.tracks)

    def generate(self, settings: Json) -> Iterator[Item]:
        """The timelines of a version. Raises SettingsError where they come from a file."""
        chosen = Settings.from_json(settings)
        if chosen.source == IMPORTED:
            raise SettingsError(
                {"source": ["an imported version takes its timelines from a file; choose one."]}
            )
        for row in generate(chosen.tracks, chosen.count, chosen.seed, chosen.key or keyed_ids.OPEN_KEY):
            yield _item(row)

    def items_from_rows(self, rows: Iterable[Row], settings: Json | None = None) -> Iterator[Item]:
        """The timelines of an existing file, as released.

        Raises RowError naming the number of one that cannot be graded, and SettingsError for settings of a version
        that is generated.
        """
        if settings is not None and Settings.from_json(settings).source != IMPORTED:
            raise SettingsError({"source": [f'must be "{IMPORTED}" for timelines that come from a file.']})
        seen: set[str] = set()
        for number, row in enumerate(rows, 1):
            yield _imported(cast(Timeline, row), number, seen)

    def public_row(self, row: Row, *, labels: bool = False) -> Row:
        """The timeline without ground truth, labels of what supersedes what, and how it was made."""
        return public.public_row(cast(Timeline, row), labels=labels)

    def overtold(self, row: Row) -> Iterator[str]:
        """What a public timeline says beside what happens in it."""
        return public.overtold(cast(Timeline, row))

    def form_of(self, split: str) -> str:
        """All timelines show the same."""
        return public.TIMELINE

    def expected(self, records: Iterable[JsonObject]) -> ExpectedRows:
        """The ids to answer, each with its track, from grading records or from public rows, which may not say it."""
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

    def row_id(self, data: JsonObject) -> str | None:
        """The query that a response answers."""
        timeline, index = data.get("timeline_id"), data.get("query_idx")
        if not isinstance(timeline, str) or not isinstance(index, int) or isinstance(index, bool):
            return None
        return row_id(timeline, index)

    def missing_id_message(self, data: JsonObject) -> str:
        """A timeline or a query that is missing, or has the wrong type."""
        expected = {"timeline_id": (str, "a text"), "query_idx": (int, "a whole number")}
        if wrong := [name for name in expected if name in data and not _is(expected[name][0], data[name])]:
            faults = [f"'{name}' must be {expected[name][1]}, not {_kind(data[name])}" for name in wrong]
            return f"The line names no row: {', and '.join(faults)}."
        lacking = " and ".join(f"'{name}', {expected[name][1]}" for name in expected if name not in data)
        return f"The line names no row: it needs {lacking}."

    def tokens(self, data: JsonObject) -> float | None:
        """What a response says it took."""
        tokens = data.get("tokens_used")
        return None if tokens is None else float(tokens)

    def validate(self, data: Any, expected: ExpectedRows) -> Problem | None:
        """Whether a line holds a response of the right types."""
        if message := grade.response_problem(data):
            return Problem("unreadable_response", f"{message[0].upper()}{message[1:]}.")
        if len(data["response"]) > MAX_RESPONSE:
            return Problem(
                "long_response", f"The response has over {MAX_RESPONSE} characters; send the answer only."
            )
        return None

    def state(self, data: JsonObject, expected: ExpectedRows) -> RowState:
        """Whether a usable line holds a response, and if not, why."""
        return grade.row_state(data, bare=_leaves_thinking_out(expected))

    def given(self, data: JsonObject, expected: ExpectedRows) -> Given | None:
        """What a usable line answers; None where it says itself that there is no response.

        Args:
            data: The line.
            expected: The queries of the version.
        """
        if given_state(data):
            return None
        response, told = data["response"].strip(), without_thinking(data["response"])
        if _leaves_thinking_out(expected):
            return Given(told or None)
        odd = (Odd("thinking_in_response", _THINKING, response),) if told != response else ()
        return Given(response or None, odd=odd)

    def answer_key(self, data: JsonObject) -> str:
        """The response of a usable line, whatever its white space; empty where there is none."""
        return "" if given_state(data) else " ".join(data["response"].split())

    def mistake_key(self, verdict: AnyVerdict) -> str:
        """Query and response where the decision is wrong, as much of the response as a verdict keeps."""
        judged = cast(QueryVerdict, verdict)
        response = " ".join((judged["response"] or "").split())
        return f"{judged['id']} {response}" if response and not judged["correct"] else ""

    def grade(
        self, records: Iterable[JsonObject], predictions: Iterable[Prediction], settings: Json
    ) -> Report:
        """Grade responses against frozen records, under the version's rubric and beside it under 1.0."""
        return report_on(
            records, predictions, Settings.from_json(settings).rubric, grader=self.grader_of(settings)
        )

    def record_of_rows(self, record: JsonObject, row_ids: Collection[str]) -> JsonObject | None:
        """The record of the timeline, which says which of its queries are asked."""
        timeline = record["timeline_id"]
        asked = [at for at in range(len(record["queries"])) if row_id(timeline, at) in row_ids]
        return {**record, "asked": asked} if asked else None

    def systems(self) -> Mapping[str, StrategySpec]:
        """The strategies as systems that answer with the context they build."""
        return SYSTEMS

    def measures(
        self, system: str, rows: Iterable[Row], records: Iterable[JsonObject]
    ) -> list[dict[str, Any]]:
        """Coverage, resurrection, dead and live values and tokens of contexts, at each budget."""
        known = {record["timeline_id"]: record for record in cast(Iterable[TimelineRecord], records)}
        timelines = cast(Iterable[Timeline], rows)
        measured = measure_records(((row, known[row["id"]]) for row in timelines), system, CURVE)
        return [row for row in measured if row["track"] == ALL]

    def row_previews(self, row: Row) -> list[RowPreview]:
        """The queries of a timeline, each with the conversation and the state it starts from."""
        timeline = cast(Timeline, row)
        events, facts = timeline["events"], timeline["initial_state"]["persistent_facts"]
        talk = "\n".join(f"{e['speaker']}: {e['text']}" for e in events if e["type"] == "conversation_turn")
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

    def replay(self, row: Row, row_id: str, *, state: bool = True) -> Replay | None:
        """A timeline up to the query: what is said, and a lane for what becomes of each fact."""
        return replays.replay(cast(Timeline, row), _query_idx(row_id), state=state)

    def account(self, row: Row, seen: Replay, verdict: AnyVerdict) -> Account:
        """What a response brought back, and why it counts as it does."""
        return replays.account(cast(Timeline, row), seen, cast(QueryVerdict, verdict))

    def answers(self, record: JsonObject) -> Iterator[tuple[str, JsonObject]]:
        """What a grading record says of each of its rows, by the id of the row."""
        return replays.answers(cast(TimelineRecord, record))

    def with_answer(self, row: Row, answer: JsonObject) -> Row:
        """A public row with what its grading record says of it."""
        return replays.with_answer(cast(Timeline, row), answer)

    def row_labels(self, row: Row) -> Mapping[str, str]:
        """Track, domain and difficulty, where the row has them."""
        return replays.row_labels(cast(Timeline, row))

    def contexts(self, row: Row, row_id: str) -> Sequence[ContextShown]:
        """What each strategy would show a model for the query."""
        return replays.contexts(cast(Timeline, row), _query_idx(row_id))

    def redact(self, verdict: AnyVerdict, *, own: bool) -> ShownVerdict:
        """Without the phrases of the ground truth; for others also without a response that has something right."""
        return redact(cast(QueryVerdict, verdict), own=own)

    def unplaced(self, verdict: AnyVerdict) -> AnyVerdict:
        """Without the track, and what follows from it."""
        kept = {name: value for name, value in verdict.items() if name not in PLACING}
        return cast(AnyVerdict, kept | {"condition": public.TIMELINE})

    def gates(self, metrics: Mapping[str, Any], intervals: Mapping[str, Any]) -> list[Gate]:
        """None: SFRR is a column, not a bar."""
        return []

    def decomposition(self, metrics: Mapping[str, Any]) -> list[tuple[str, float | None]]:
        """None: a context is built in one step."""
        return []

    @property
    def unit_icc(self) -> float:
        """That of copies: timelines of one template are answered alike, or nearly so."""
        return ICC_OF_COPIES

    def drawn_units(self, units: int, splits: Collection[str]) -> tuple[int, str]:
        """The templates that timelines are made from, one a track: a copy with other names says little more.

        Imported timelines may name several of a track (`data.truth.template_of`); this is then the stricter count.
        """
        return min(units, len(splits)), "template"

    def independent_questions(self, settings: Json, splits: Mapping[str, int]) -> int:
        """All: every timeline draws what holds in it."""
        return sum(splits.values())

    def rungs(self, settings: Settings) -> Sequence[Rung]:
        """None: a timeline is as long as it is."""
        return ()

    def counts_toward_headline(self, split: str, settings: Json) -> bool:
        """All tracks but those on keeping a fact; under rubric 1.0 all."""
        return metrics.in_headline(split, Settings.from_json(settings).rubric)

    def facets(self, settings: Json, splits: Iterable[str]) -> list[Facet]:
        """By track."""
        tracks = tuple((name, name.replace("_", " ").capitalize()) for name in splits)
        return [Facet("track", "Track", "All tracks", tracks if len(tracks) > 1 else ())]

    def order_bias(self, groups: Mapping[str, Any], settings: Settings) -> list[tuple[str, float | None]]:
        """None: queries have no order of candidates."""
        return []

    def revisions(self) -> Mapping[str, int]:
        """Of each strategy, which builds contexts."""
        return {name: strategy.revision for name, strategy in STRATEGIES.items()}

    @property
    def other_formats(self) -> Mapping[str, Callable[[Row], JsonObject]]:
        """Those of the released packages; see `evaluation.core.suite.other_formats_of`."""
        return {f"statebench-{name}": partial(_exported, release) for name, release in RELEASES.items()}

    def unseen(self, verdict: AnyVerdict) -> Unseen | None:
        """None: a timeline shows what answers its queries."""
        return None


SUITE = StateBench()


def _query_idx(name: str) -> int:
    """The index of a query in its timeline, from its id; 0 for another name."""
    index = name.rpartition("#")[2]
    return int(index) if index.isdecimal() and len(index) < 10 else 0


def _is(kind: type, value: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _kind(value: Any) -> str:
    return f"{value}" if isinstance(value, float) else jsonl.kind(value)


def _exported(release: Release, row: Row) -> JsonObject:
    return to_release(cast(Timeline, row), release, Changes())


def _item(row: Timeline) -> Item:
    return Item(row["id"], [row], record(row))


def _imported(row: Timeline, number: int, seen: set[str]) -> Item:
    """The item of a timeline that a file brings. Raises RowError naming its number."""
    try:
        check_timeline(row)
        if row["id"] in seen:
            raise RowError(f"two timelines are called {row['id']!r}")
        seen.add(row["id"])
        return _item(row)
    except (RowError, *FORM_FAULTS) as fault:
        raise in_row(fault, number) from fault


def _form(timeline_id: str, index: int) -> str:
    return f'{{"timeline_id": "{timeline_id}", "query_idx": {index}, "response": "…"}}'
