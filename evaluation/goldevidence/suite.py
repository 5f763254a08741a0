"""GoldEvidenceBench behind the suite protocol."""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, cast

from evaluation.core import jsonl
from evaluation.core.metric import Metric
from evaluation.core.plugin import Account, Replay
from evaluation.core.records import JsonObject, Prediction, Row, ShownVerdict, Verdict
from evaluation.core.report import Report
from evaluation.core.row_states import RowState
from evaluation.core.sealing import keyed_ids
from evaluation.core.settings import MAX_SEED
from evaluation.core.statistics import ICC_PRIOR
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
    Settings,
    SystemSpec,
    Unranked,
    Unseen,
)
from evaluation.goldevidence import gates, presets, protocols, public
from evaluation.goldevidence import replay as replays
from evaluation.goldevidence.artifacts.check import problem_of
from evaluation.goldevidence.artifacts.columns import COLUMNS as ARTIFACT_COLUMNS
from evaluation.goldevidence.artifacts.measure import measured
from evaluation.goldevidence.columns import TIE_BREAKER, columns
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.rows import condition_rows
from evaluation.goldevidence.data import imported
from evaluation.goldevidence.data.answers import (
    ANSWER_FIELDS,
    in_plain_form,
    read,
    row_state,
)
from evaluation.goldevidence.data.case import CLOSED_BOOK
from evaluation.goldevidence.data.ledger import ledger_lines, parse_book, parse_log
from evaluation.goldevidence.data.redact import redact
from evaluation.goldevidence.data.rubrics import DEFAULT_RUBRIC, RUBRICS, Options
from evaluation.goldevidence.data.shown import held_by
from evaluation.goldevidence.display import DISPLAY, ORDERS
from evaluation.goldevidence.expected import expected_of, ledgers_of
from evaluation.goldevidence.facets import facets, of_lengths
from evaluation.goldevidence.generator.ladder.settings import rung_tokens
from evaluation.goldevidence.grading.decomposition import CONDITION_VALUE, own_rates, waterfall
from evaluation.goldevidence.grading.frozen import of_rows, to_record
from evaluation.goldevidence.grading.grade import grade_records
from evaluation.goldevidence.grading.metrics import METRICS, WORST_ORDER_RATE, version_metrics
from evaluation.goldevidence.grading.robustness import compared, lowest_part
from evaluation.goldevidence.line_oddities import given, rules_of
from evaluation.goldevidence.line_problems import problem_in
from evaluation.goldevidence.protocols import Protocol, shown_by
from evaluation.goldevidence.records import (
    Candidate,
    EpisodePrediction,
    EpisodeRecord,
    EpisodeRow,
    EpisodeVerdict,
)
from evaluation.goldevidence.split_names import split_labels

#: What a board that is ordered by it calls the worst order.
IN_WORST_ORDER = "Evidence chosen, worst order"
WORST_ORDER = (
    "How often the first citation is the gold line, in the order of the candidates that suits the system least: with "
    "that line first, in the middle or last."
)
SECRETS = ("Seeds", "Key")  # what `describe` hides
#: What of a verdict tells where its row belongs.
PLACING = frozenset({"unit", "gold_shown", "gold_present", "twin_consistent", "twin_flipped"})
STEPS = ("Evidence shown", "Evidence chosen", "Chosen and value right", "Value right")


def _grader(rubric: str) -> str:
    """Names and revisions of the rubrics; of `strict` that of a version, which is graded as when it was frozen."""
    strict = RUBRICS[rubric if rubric != "reference" else "strict"]
    return f"goldevidence/strict-{strict.revision}/reference-{RUBRICS['reference'].revision}"


class GoldEvidence:
    """The suite; see `evaluation.core.suite.Suite` for what each member promises."""

    name = "goldevidence"
    title = "GoldEvidenceBench"
    summary = "Long episode logs with traps: is the evidence shown, chosen, cited and read correctly?"
    unit = "episode"
    asked = ("row", "rows")
    texts = public.TEXTS
    grader = _grader(DEFAULT_RUBRIC)
    tie_breaker = TIE_BREAKER
    unshown_citations = "own_unshown_citation_rate"
    id_fields = ("id",)
    answer_fields = ANSWER_FIELDS
    unranked: Mapping[str, Unranked] = {}  # every system answers, and so decides
    display = DISPLAY
    artifact_columns: Sequence[Column] = ARTIFACT_COLUMNS
    row_kind = "evaluation.goldevidence.adapters.episode_rows:KIND"
    attacks = "evaluation.attacks.goldevidence.registry:attack_plan"
    bench = "evaluation.goldevidence.experiments.bench.offer:BENCHES"

    def grader_of(self, settings: Settings) -> str:
        """The revisions that a version is graded by: those of its rubric."""
        return _grader(presets.Settings.from_json(settings).rubric)

    @property
    def columns(self) -> Sequence[Column]:
        """What a board shows."""
        return columns()

    def headline(self, settings: Settings, split: str = "") -> Column:
        """Exact answers, or the worst order; of one of its conditions alone the selection rate."""
        worst_order = bool(presets.Settings.from_json(settings).headline_splits)
        name = "exact_acc"
        if worst_order and split != CLOSED_BOOK:
            name = "selection_rate" if split else WORST_ORDER_RATE
        column = next(column for column in self.columns if column.name == name)
        return replace(column, label=IN_WORST_ORDER, help=WORST_ORDER) if name == WORST_ORDER_RATE else column

    def metrics(self, settings: Settings) -> Mapping[str, Metric]:
        """The rates of the rubric, and of the conditions together."""
        chosen = presets.Settings.from_json(settings)
        return {each.name: each for each in (*METRICS[chosen.rubric], *_of_version(chosen))}

    def presets(self) -> Mapping[str, Settings]:
        """The named settings."""
        return {name: preset.as_json() for name, preset in presets.PRESETS.items()}

    def about(self, preset: str) -> str:
        """What a version of a preset measures."""
        return presets.ABOUT.get(preset, "")

    def check(self, settings: Settings) -> dict[str, Any]:
        """Settings completed with defaults. Raises SettingsError."""
        return presets.Settings.from_json(settings).as_json()

    def settings_schema(self) -> dict[str, Any]:
        """The JSON schema of the settings."""
        return presets.Settings.model_json_schema()

    def describe(self, settings: Settings, *, seeds: bool = True) -> list[tuple[str, str]]:
        """The settings for a reader."""
        facts = presets.Settings.from_json(settings).describe()
        return facts if seeds else [(name, "withheld" if name in SECRETS else text) for name, text in facts]

    def with_secret_seeds(self, settings: Settings) -> dict[str, Any]:
        """The settings with new seeds, different from each other, and a new key."""
        checked = self.check(settings)
        seeds: set[int] = set()
        while len(seeds) < len(checked["seeds"]):
            seeds.add(secrets.randbelow(MAX_SEED))
        return checked | {"seeds": sorted(seeds), "key": keyed_ids.new_key()}

    def has_secret_seeds(self, settings: Settings) -> bool:
        """Whether the seeds were drawn."""
        return any(seed >= LARGEST_THOUGHT_OF for seed in presets.Settings.from_json(settings).seeds)

    def shown_by_ids(self, settings: Settings, row: Row) -> str:
        """The condition, which once ended the id of a row with candidates."""
        if keyed_ids.is_keyed(row.get("id")) or not presets.Settings.from_json(settings).conditions:
            return ""
        return "This version's row ids name the condition of each row: they tell where the line with the answer stands."

    def withheld(self, settings: Settings) -> list[str]:
        """Key, seeds and the names of conditions."""
        chosen = presets.Settings.from_json(settings)
        return [chosen.key, *map(str, chosen.seeds), *(condition.name for condition in chosen.conditions)]

    def count(self, settings: Settings) -> int:
        """The number of units."""
        return presets.Settings.from_json(settings).count_units()

    def generate(self, settings: Settings) -> Iterator[Item]:
        """The units of a version: whole-book rows, then the same questions under every condition."""
        chosen = presets.Settings.from_json(settings)
        for unit in chosen.units():
            shown = [*unit.rows, *_under_conditions(unit.rows, chosen.conditions)]
            whole = chosen.shows.split_name if chosen.shows else CLOSED_BOOK
            named = public.named(unit.key, shown, chosen.key or keyed_ids.OPEN_KEY, whole=whole)
            yield _frozen(*named, chosen)

    def items_from_rows(self, rows: Iterable[Row], settings: Settings) -> Iterator[Item]:
        """The units of an existing data set. Rows of a unit have to follow each other. Raises RowError."""
        chosen = presets.Settings.from_json(settings)
        episodes = cast(Iterable[EpisodeRow], rows)
        return imported.units(episodes, lambda key, of_unit: _item(key, of_unit, chosen))

    def public_row(self, row: Row, *, labels: bool = False) -> Row:
        """The row without gold, and without what in its meta helps to find it."""
        return public.public_row(cast(EpisodeRow, row), labels=labels)

    def shared_texts(self, settings: Settings) -> Collection[str]:
        """Book and log; nothing under the older protocols, whose rows stay as they were."""
        return public.LONG if presets.Settings.from_json(settings).shows else ()

    def overtold(self, row: Row) -> Iterator[str]:
        """What a public row says beside its text."""
        return public.overtold(cast(EpisodeRow, row))

    def form_of(self, split: str) -> str:
        """Whether rows of a split show candidates or a whole text, which is named by its length or its protocol."""
        whole = protocols.is_whole(split) or rung_tokens(split) is not None
        return split if whole else public.CANDIDATES

    def expected(self, records: Iterable[JsonObject]) -> ExpectedRows:
        """The ids to answer, each with its split, from records or from public rows. Raises RowError.

        Rows that do not say their split have the name of what they show.
        """
        return expected_of(records)

    def lines(self, record: JsonObject) -> Iterator[tuple[str, str]]:
        """The ids of the lines that the rows of a record, or a public row, hold: see `expected_with_lines`."""
        return held_by(record)

    def row_id(self, data: JsonObject) -> str | None:
        """The row that a prediction answers."""
        row_id = data.get("id")
        return row_id if isinstance(row_id, str) else None

    def missing_id_message(self, data: JsonObject) -> str:
        """An id that is missing, or is no text."""
        if "id" in data:
            return f"The line names no row: its 'id' must be a text, not {jsonl.kind(data['id'])}."
        return "The line names no row: it needs the 'id' of one, a text."

    def tokens(self, data: JsonObject) -> float | None:
        """None: a line holds an answer and nothing of its cost."""
        return None

    def artifact_problem(self, artifact: Any, source: str) -> Problem | None:
        """Why the book that a system built from a log is refused; None where answers may come from it."""
        return problem_of(artifact, source)

    def artifact_stats(
        self, records: Iterable[JsonObject], artifacts: Mapping[str, str]
    ) -> list[Mapping[str, Any]]:
        """What each artifact holds of the true state, episode by episode."""
        logs = ((name, ledger_lines(text).entries()) for name, text in ledgers_of(records))
        return [measured(name, artifacts[name], log).as_dict() for name, log in logs if name in artifacts]

    def has_artifacts(self, settings: Settings) -> bool:
        """Whether its systems build first: the protocol `build`."""
        return settings.get("protocol") == Protocol.BUILD

    def versions_of(self, settings: Settings) -> list[tuple[str, dict[str, Any]]]:
        """One, or under `both` a closed and an open one."""
        checked = self.check(settings)
        if checked["protocol"] != protocols.BOTH:
            return [("", checked)]
        return [(name.value, checked | {"protocol": name.value}) for name in (Protocol.CLOSED, Protocol.OPEN)]

    def validate(self, data: Any, expected: ExpectedRows) -> Problem | None:
        """Whether a line holds an answer of the right types."""
        return problem_in(data, expected)

    def state(self, data: JsonObject, expected: ExpectedRows) -> RowState:
        """Whether a usable line holds an answer, and if not, why."""
        return row_state(data, any_form=rules_of(expected).any_form)

    def given(self, data: JsonObject, expected: ExpectedRows) -> Given | None:
        """What a usable line answers and how many lines it cites; None where it says itself that there is no answer.

        Args:
            data: The line.
            expected: The rows of the version.
        """
        return given(data, expected)

    def answer_key(self, data: JsonObject) -> str:
        """Value and citations of a usable line, in whatever form and order; empty for an abstention."""
        answer = read(data)
        if answer is None:
            return ""
        told = in_plain_form(answer, "", ()).without_null_word
        return (
            "" if told.value is None and not told.cited else json.dumps([told.value, sorted(set(told.cited))])
        )

    def mistake_key(self, verdict: Verdict) -> str:
        """Episode, value and citations of an answer with a wrong value, so that a question counts once in all orders.

        Empty where the row does not show what establishes its answer: all who read the lines that are left guess alike.
        """
        judged = cast(EpisodeVerdict, verdict)
        if judged["value"] is None or judged.get("value_ok", True) or judged.get("gold_shown") is False:
            return ""
        return json.dumps([judged["unit"], judged["value"], sorted(set(judged["cited"]))])

    def most_citations(self, settings: Settings) -> int | None:
        """How many lines that an answer cites count; None where none have to be cited."""
        options = options_of(chosen := presets.Settings.from_json(settings))
        return options.max_support_k if options.requires(chosen.generator.require_citations) else None

    def grade(
        self, records: Iterable[JsonObject], predictions: Iterable[Prediction], settings: Settings
    ) -> Report:
        """Grade predictions against frozen records."""
        chosen = presets.Settings.from_json(settings)
        also, splits = {each.name: each for each in _of_version(chosen)}, chosen.headline_splits
        report = grade_records(
            cast(Iterable[EpisodeRecord], records),
            cast(Iterable[EpisodePrediction], predictions),
            options_of(chosen),
            also=tuple(also.values()),
            of_candidates=also[WORST_ORDER_RATE] if splits else None,
        )
        by_condition = report.sums.get(self.tie_breaker.name)
        parts = compared(chosen.split_names, by_condition.parts) if by_condition else []
        if worst := lowest_part(by_condition, report.unit_names, parts):
            report.robustness = worst[1]
        if splits:
            _order_by_worst(report, splits)
        return report

    def record_of_rows(self, record: JsonObject, row_ids: Collection[str]) -> JsonObject | None:
        """The record with these rows alone, and the ledgers that they show."""
        return cast(JsonObject | None, of_rows(cast(EpisodeRecord, record), row_ids))

    def systems(self) -> Mapping[str, SystemSpec]:
        """The deterministic systems, none of which needs a language model."""
        from evaluation.goldevidence.systems.registry import (
            SYSTEMS,  # the engine's own systems import the suite's parts
        )

        return SYSTEMS

    def runs_over(self, system: str, settings: Settings) -> bool:
        """Whether a system says anything of a version: some need candidates, some several lengths.

        Args:
            system: The name of one of `systems`.
            settings: Of the version.
        """
        from evaluation.goldevidence.systems import registry

        chosen = presets.Settings.from_json(settings)
        needed = registry.SYSTEMS[system].only_over
        return not needed or bool(chosen.conditions if needed == registry.CANDIDATES else chosen.ladder)

    def measures(
        self, system: str, rows: Iterable[Row], records: Iterable[JsonObject]
    ) -> list[dict[str, Any]]:
        """None: what a system is shown is part of the version."""
        return []

    def row_previews(self, row: Row) -> list[RowPreview]:
        """The question of a row with what it shows."""
        shown = cast(EpisodeRow, row)
        if (candidates := shown.get("candidates")) is not None:
            parts = [("Candidates", "\n".join(map(_candidate_text, candidates)))]
        else:
            texts = [("Book", shown.get("book")), ("Document", shown.get("document"))]
            parts = [(heading, text) for heading, text in texts if text]
        answer = f'{{"id": "{row["id"]}", "value": "…", "support_ids": ["U……"]}}'
        return [RowPreview(row["id"], shown["question"], parts, answer)]

    def replay(self, row: Row, row_id: str, *, state: bool = True) -> Replay | None:
        """The log, the book or the candidates of a row as a timeline, a lane a key."""
        seen = replays.replay(cast(EpisodeRow, row))
        return seen if state or seen is None else seen.without_state()

    def account(self, row: Row, seen: Replay, verdict: Verdict) -> Account:
        """Which line an answer took, and what became of that line."""
        return replays.account(cast(EpisodeRow, row), seen, cast(EpisodeVerdict, verdict))

    def answers(self, record: JsonObject) -> Iterator[tuple[str, JsonObject]]:
        """What a grading record says of each of its rows, by the id of the row."""
        return replays.answers(cast(EpisodeRecord, record))

    def with_answer(self, row: Row, answer: JsonObject) -> Row:
        """A public row with what its grading record says of it."""
        return replays.with_answer(cast(EpisodeRow, row), answer)

    def row_labels(self, row: Row) -> Mapping[str, str]:
        """Question, mode, length, depth and what else the row says of itself."""
        return replays.row_labels(cast(EpisodeRow, row))

    def redact(self, verdict: Verdict, *, own: bool) -> ShownVerdict:
        """Without the gold; for others also without what is right in an answer."""
        return redact(cast(EpisodeVerdict, verdict), own=own)

    def unplaced(self, verdict: Verdict) -> Verdict:
        """Without unit, twin and what was left out; the condition as the form of the row."""
        kept = {name: value for name, value in verdict.items() if name not in PLACING}
        return cast(Verdict, kept | {"condition": self.form_of(verdict["condition"])})

    def gates(self, metrics: Mapping[str, Any], intervals: Mapping[str, Any]) -> list[Gate]:
        """Authority and attribution."""
        return gates.judge(metrics, intervals)

    def decomposition(self, metrics: Mapping[str, Any]) -> list[tuple[str, float | None]]:
        """From the evidence shown to the right answer; empty without conditions."""
        if metrics.get("gold_present_rate") is None:
            return []
        overall = metrics.get(CONDITION_VALUE, metrics.get("value_acc"))  # the figures of one condition
        return list(zip(STEPS, (*waterfall(metrics), overall), strict=True))

    @property
    def unit_icc(self) -> float:
        """The usual one: the rows of an episode share its text, and ask for different things."""
        return ICC_PRIOR

    def own_decomposition(self, metrics: Mapping[str, Any]) -> list[tuple[str, float | None]]:
        """The same of a system's own retrieval, over whole-book rows; empty where no prediction says what was shown."""
        rates = own_rates(metrics)
        if rates["gold_present_rate"] is None:
            return []
        return list(zip(STEPS, (*waterfall(rates), rates["value_acc"]), strict=True))

    def drawn_units(self, units: int, splits: Collection[str]) -> tuple[int, str]:
        """Every episode by itself, with its twin."""
        return units, self.unit

    def independent_questions(self, settings: Settings, splits: Mapping[str, int]) -> int:
        """The questions of one condition, as the others ask the same; half of them where each has a twin."""
        questions = max(splits.values(), default=0)
        return questions // 2 if presets.Settings.from_json(settings).generator.twins else questions

    def rungs(self, settings: Settings) -> Sequence[Rung]:
        """The lengths of its ladder."""
        return presets.Settings.from_json(settings).rungs

    def counts_toward_headline(self, split: str, settings: Settings) -> bool:
        """The orders of a headline that is the lowest of them, else any condition.

        Where a version has whole-book rows, the default of its facet says that these count alone.
        """
        splits = presets.Settings.from_json(settings).headline_splits
        return split in splits if splits else True

    def facets(self, settings: Settings, splits: Iterable[str]) -> list[Facet]:
        """By NOTE lines and by condition, which is the length of a ladder."""
        chosen = presets.Settings.from_json(settings)
        if chosen.ladder is not None:
            return of_lengths(chosen.state_modes, splits)
        whole, names = "Worst order" if chosen.headline_splits else "", list(splits)
        return facets(chosen.state_modes, names, whole=whole, labels=split_labels(chosen.as_json(), names))

    def order_bias(self, groups: Mapping[str, Any], settings: Settings) -> list[tuple[str, float | None]]:
        """The selection rate by order, over all conditions of that order; empty without conditions."""
        groups, conditions = groups.get("condition", {}), presets.Settings.from_json(settings).conditions
        by_order = []
        for order in ORDERS:
            names = [condition.name for condition in conditions if condition.order == order]
            of_order = [groups[name]["metrics"].get("selection_rate") for name in names if name in groups]
            rates = [rate for rate in of_order if rate is not None]
            by_order.append((order, sum(rates) / len(rates) if rates else None))
        return by_order if any(rate is not None for _, rate in by_order) else []

    def revisions(self) -> Mapping[str, int]:
        """None: a version itself holds what a system is shown."""
        return {}

    def unseen(self, verdict: Verdict) -> Unseen | None:
        """The value and the citations of a row that does not show the line which establishes them."""
        judged = cast(EpisodeVerdict, verdict)
        gold = judged.get("gold")  # not where it is withheld
        if judged.get("gold_shown", True) or not gold or gold["value"] is None:
            return None
        cited = set(gold["support_ids"]) & set(judged.get("cited") or ())
        return Unseen(right=bool(judged.get("value_ok")), cited=bool(cited))


SUITE = GoldEvidence()


def options_of(settings: presets.Settings) -> Options:
    """How a version is graded."""
    return Options(
        rubric=settings.rubric,
        citations=settings.citations,
        support_metric=settings.support_metric,
        max_support_k=settings.generator.max_support_k,
        entailment=settings.entailment,
    )


def _of_version(settings: presets.Settings) -> tuple[Metric, ...]:
    """The metrics of a version besides those of its rubric."""
    return version_metrics(settings.conditions, complete=bool(settings.headline_splits))


def _order_by_worst(report: Report, splits: Sequence[str]) -> None:
    """Make the worst of some splits the headline of a report: its units, and the rows that it is over."""
    sums = report.sums.get(WORST_ORDER_RATE)
    worst = lowest_part(sums, report.unit_names, splits)
    report.units = worst[1] if worst else {}
    there = [] if sums is None else [sums.parts.index(split) for split in splits if split in sums.parts]
    report.metrics["n"] = (
        int(sums.sums[:, there, 1].sum()) if sums is not None else 0
    )  # a trial lacks some of them


def _item(key: str, rows: Sequence[EpisodeRow], settings: presets.Settings) -> Item:
    return _frozen(key, [*rows, *_under_conditions(rows, settings.conditions)], settings)


def _frozen(key: str, rows: list[EpisodeRow], settings: presets.Settings) -> Item:
    """The unit with rows that hold what its protocol shows and nothing else."""
    shown = [shown_by(row, settings.shows) for row in rows]
    return Item(key, shown, to_record(key, shown, RUBRICS[settings.rubric]))


def _under_conditions(rows: Sequence[EpisodeRow], conditions: Sequence[Condition]) -> Iterator[EpisodeRow]:
    if not conditions or any(row.get("candidates") is not None for row in rows):
        return
    for (book, log), group in groupby(rows, lambda row: (row.get("book"), row.get("document"))):
        of_book = list(group)
        entries = parse_book(book) if book else parse_log(log or "")
        yield from condition_rows(of_book, entries, conditions, of_book[0]["meta"].get("seed", 0))


def _candidate_text(line: Candidate) -> str:
    tail = "" if line["value"] is None else f" = {line['value']}"
    remark = f" ({line['remark']})" if line.get("remark") else ""
    return f"[{line['uid']}] step={line['step']} {line['op']} {line['key']}{tail}{remark}"
