"""GoldEvidenceBench behind the suite protocol."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from evaluation.core import jsonl
from evaluation.core.errors import FORM_FAULTS, RowError, in_row
from evaluation.core.report import Report
from evaluation.core.row_states import REASONS, RowState
from evaluation.core.sealing import keyed_ids
from evaluation.core.suite import (
    LARGEST_THOUGHT_OF,
    Column,
    ExpectedRows,
    Facet,
    Gate,
    Item,
    Problem,
    Row,
    RowPreview,
    Settings,
    SystemSpec,
    Unranked,
)
from evaluation.goldevidence import gates, presets, public
from evaluation.goldevidence.columns import COLUMNS, TIE_BREAKER
from evaluation.goldevidence.conditions.conditions import Condition, condition_rows
from evaluation.goldevidence.data import imported
from evaluation.goldevidence.data.answers import SELECTED, TEXT_FIELDS, AnswerError, read, row_state
from evaluation.goldevidence.data.case import CLOSED_BOOK
from evaluation.goldevidence.data.ledger import parse_book
from evaluation.goldevidence.data.redact import redact
from evaluation.goldevidence.data.rubrics import RUBRICS, Options
from evaluation.goldevidence.facets import facets
from evaluation.goldevidence.generator.config import RANGES
from evaluation.goldevidence.grading.decomposition import CONDITION_VALUE, waterfall
from evaluation.goldevidence.grading.frozen import to_record
from evaluation.goldevidence.grading.grade import grade_records
from evaluation.goldevidence.grading.metrics import order_metrics
from evaluation.goldevidence.grading.robustness import worst_condition

MOST_CITATIONS = RANGES["max_support_k"][1]  # no version asks for more: further ones only copy the ledger
ORDERS = ("gold_first", "gold_middle", "gold_last", "shuffle")
NO_ANSWER = (
    "The line holds no answer: give 'value' and 'support_ids', or 'output'. A row that was asked and not answered says "
    f"why in 'state': {', '.join(REASONS)}."
)
SECRETS = ("Seeds", "Key")  # what `describe` hides
#: What of a verdict tells where its row belongs.
PLACING = frozenset({"unit", "gold_shown", "gold_present", "twin_consistent", "twin_flipped"})
STEPS = ("Evidence shown", "Evidence chosen", "Chosen and value right", "Value right")


class GoldEvidence:
    """The suite; see `evaluation.core.suite.Suite` for what each member promises."""

    name = "goldevidence"
    title = "GoldEvidenceBench"
    summary = "Long episode logs with traps: is the evidence shown, chosen, cited and read correctly?"
    unit = "episode"
    asked = ("row", "rows")
    texts = public.TEXTS
    grader = f"goldevidence/strict-{RUBRICS['strict'].revision}/reference-{RUBRICS['reference'].revision}"
    columns: Sequence[Column] = COLUMNS
    tie_breaker = TIE_BREAKER
    unranked: Mapping[str, Unranked] = {}  # every system answers, and so decides

    def presets(self) -> Mapping[str, Settings]:
        """The named settings."""
        return {name: preset.as_json() for name, preset in presets.PRESETS.items()}

    def about(self, preset: str) -> str:
        """What a version of a preset measures."""
        return presets.ABOUT.get(preset, "")

    def check(self, settings: Settings) -> dict[str, Any]:
        """Settings completed with defaults. Raises SettingsError."""
        return presets.Settings.from_json(settings).as_json()

    def describe(self, settings: Settings, *, seeds: bool = True) -> list[tuple[str, str]]:
        """The settings for a reader."""
        facts = presets.Settings.from_json(settings).describe()
        return facts if seeds else [(name, "withheld" if name in SECRETS else text) for name, text in facts]

    def with_secret_seeds(self, settings: Settings) -> dict[str, Any]:
        """The settings with new seeds, different from each other, and a new key."""
        checked = self.check(settings)
        seeds: set[int] = set()
        while len(seeds) < len(checked["seeds"]):
            seeds.add(secrets.randbelow(presets.MAX_SEED))
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
            yield _frozen(*public.named(unit.key, shown, chosen.key or keyed_ids.OPEN_KEY), chosen)

    def items_from_rows(self, rows: Iterable[Row], settings: Settings) -> Iterator[Item]:
        """The units of an existing data set. Rows of a unit have to follow each other. Raises RowError."""
        chosen = presets.Settings.from_json(settings)
        return imported.units(rows, lambda key, of_unit: _item(key, of_unit, chosen))

    def public_row(self, row: Row, *, labels: bool = False) -> Row:
        """The row without gold, and without what in its meta helps to find it."""
        return public.public_row(row, labels=labels)

    def overtold(self, row: Row) -> Iterator[str]:
        """What a public row says beside its text."""
        return public.overtold(row)

    def form_of(self, split: str) -> str:
        """Whether rows of a split show the whole book or candidates."""
        return CLOSED_BOOK if split == CLOSED_BOOK else public.CANDIDATES

    def expected(self, records: Iterable[Mapping[str, Any]]) -> ExpectedRows:
        """The ids to answer, each with its condition, from records or from public rows. Raises RowError.

        Rows that do not say their condition have the name of what they show.
        """
        conditions: dict[str, str] = {}
        for number, record in enumerate(records, 1):
            try:
                conditions.update(_conditions_of(record))
            except FORM_FAULTS as fault:
                raise in_row(fault, number) from fault
        return ExpectedRows(conditions)

    def row_id(self, data: Mapping[str, Any]) -> str | None:
        """The row that a prediction answers."""
        found = data.get("id")
        return found if isinstance(found, str) else None

    def missing_id_message(self, data: Mapping[str, Any]) -> str:
        """An id that is missing, or is no text."""
        if "id" in data:
            return f"The line names no row: its 'id' must be a text, not {jsonl.kind(data['id'])}."
        return "The line names no row: it needs the 'id' of one, a text."

    def tokens(self, data: Mapping[str, Any]) -> float | None:
        """None: a line holds an answer and nothing of its cost."""
        return None

    def validate(self, data: Any, expected: ExpectedRows) -> Problem | None:
        """Whether a line holds an answer of the right types."""
        if "value" in data and isinstance(data["value"], (bool, list, dict)):
            return _wrong_type("value", "a text, a number or null")
        ids = data.get("support_ids")
        if ids is not None and not (isinstance(ids, str) or _all_texts(ids)):
            return _wrong_type("support_ids", "a list of texts")
        if isinstance(ids, list) and len(ids) > MOST_CITATIONS:
            message = f"{len(ids)} support_ids; at most {MOST_CITATIONS} are taken. Cite what establishes the answer."
            return Problem("too_many_support_ids", message)
        for field in ("support_id", SELECTED, *TEXT_FIELDS):
            if not isinstance(data.get(field), str | None):
                return _wrong_type(field, "a text")
        try:
            answer = read(data)
        except AnswerError as error:
            return Problem("unreadable_answer", f"{error}.")
        if answer is None:
            return Problem("no_answer", NO_ANSWER)
        return None

    def state(self, data: Mapping[str, Any]) -> RowState:
        """Whether a usable line holds an answer, and if not, why."""
        return row_state(data)

    def grade(
        self, records: Iterable[Mapping[str, Any]], predictions: Iterable[Row], settings: Settings
    ) -> Report:
        """Grade predictions against frozen records."""
        chosen = presets.Settings.from_json(settings)
        also = order_metrics(chosen.conditions) if chosen.conditions else ()
        report = grade_records(records, predictions, options_of(chosen), also=also)
        if chosen.conditions:
            worst = worst_condition(report.cells, [condition.name for condition in chosen.conditions])
            if worst is not None:
                report.robustness = worst[1]
        return report

    def systems(self) -> Mapping[str, SystemSpec]:
        """The deterministic systems, none of which needs a language model."""
        from evaluation.goldevidence.systems.registry import (
            SYSTEMS,  # the engine's own systems import the suite's parts
        )

        return SYSTEMS

    def measures(self, system: str, rows: Iterable[Row], records: Iterable[Mapping[str, Any]]) -> list[Row]:
        """None: what a system is shown is part of the version."""
        return []

    def row_previews(self, row: Row) -> list[RowPreview]:
        """The question of a row with what it shows."""
        if row.get("candidates") is not None:
            parts = [("Candidates", "\n".join(map(_candidate_text, row["candidates"])))]
        else:
            parts = [(name.title(), row[name]) for name in ("book", "document") if row.get(name)]
        answer = f'{{"id": "{row["id"]}", "value": "…", "support_ids": ["U……"]}}'
        return [RowPreview(row["id"], row["question"], parts, answer)]

    def redact(self, verdict: Row, *, own: bool) -> Row:
        """Without the gold; for others also without what is right in an answer."""
        return redact(verdict, own=own)

    def unplaced(self, verdict: Row) -> Row:
        """Without unit, twin and what was left out; the condition as the form of the row."""
        kept = {name: value for name, value in verdict.items() if name not in PLACING}
        return kept | {"condition": self.form_of(verdict["condition"])}

    def gates(self, metrics: Mapping[str, Any], intervals: Mapping[str, Any]) -> list[Gate]:
        """Authority and attribution."""
        return gates.judge(metrics, intervals)

    def decomposition(self, metrics: Mapping[str, Any]) -> list[tuple[str, float | None]]:
        """From the evidence shown to the right answer; empty without conditions."""
        if metrics.get("gold_present_rate") is None:
            return []
        overall = metrics.get(CONDITION_VALUE, metrics.get("value_acc"))  # the figures of one condition
        return list(zip(STEPS, (*waterfall(metrics), overall), strict=True))

    def counts_toward_headline(self, split: str, settings: Settings) -> bool:
        """Any condition; where a version has whole-book rows, the default of its facet says that these count alone."""
        return True

    def facets(self, settings: Settings, splits: Iterable[str]) -> list[Facet]:
        """By NOTE lines and by condition."""
        return facets(presets.Settings.from_json(settings).state_modes, splits)

    def order_bias(self, groups: Mapping[str, Any], settings: Settings) -> list[tuple[str, float | None]]:
        """The selection rate by order, over all conditions of that order; empty without conditions."""
        groups, conditions = groups.get("condition", {}), presets.Settings.from_json(settings).conditions
        found = []
        for order in ORDERS:
            names = [condition.name for condition in conditions if condition.order == order]
            of_order = [groups[name]["metrics"].get("selection_rate") for name in names if name in groups]
            rates = [rate for rate in of_order if rate is not None]
            found.append((order, sum(rates) / len(rates) if rates else None))
        return found if any(rate is not None for _, rate in found) else []


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


def _item(key: str, rows: Sequence[Row], settings: presets.Settings) -> Item:
    return _frozen(key, [*rows, *_under_conditions(rows, settings.conditions)], settings)


def _frozen(key: str, shown: list[Row], settings: presets.Settings) -> Item:
    return Item(key, shown, to_record(key, shown, RUBRICS[settings.rubric]))


def _under_conditions(rows: Sequence[Row], conditions: Sequence[Condition]) -> Iterator[Row]:
    if not conditions or any(row.get("candidates") is not None for row in rows):
        return
    for book, group in groupby(rows, lambda row: row["book"]):
        of_book = list(group)
        yield from condition_rows(of_book, parse_book(book), conditions, of_book[0]["meta"].get("seed", 0))


def _conditions_of(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(row id, condition) of a grading record or of a public row."""
    if "ledgers" in record:
        yield from ((row[0], row[2]) for row in record["rows"])
        return
    if not isinstance(found := record.get("id"), str):
        raise RowError("a row has no usable 'id': it must be a text")
    if not isinstance(meta := record.get("meta", {}), Mapping):
        raise RowError(f"row {found!r} has no usable 'meta': it must be an object")
    if not isinstance(condition := meta.get("condition") or public.kind_of(record), str):
        raise RowError(f"row {found!r} has no usable 'condition': it must be a text")
    yield found, condition


def _all_texts(ids: Any) -> bool:
    return isinstance(ids, list) and all(isinstance(item, str) for item in ids)


def _wrong_type(field: str, wanted: str) -> Problem:
    return Problem("wrong_type", f"'{field}' must be {wanted}.")


def _candidate_text(line: Mapping[str, Any]) -> str:
    tail = "" if line["value"] is None else f" = {line['value']}"
    remark = f" ({line['remark']})" if line.get("remark") else ""
    return f"[{line['uid']}] step={line['step']} {line['op']} {line['key']}{tail}{remark}"
