"""A suite with what most suites have alike: one question a row, its split and gold in the row, figures from `Metric`s.

A row is `{"id", "unit", "split", <texts>, "gold"}`. Who inherits says what the rows are and when an answer is right;
every member of `evaluation.core.suite.Suite` can be said otherwise.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, cast

from pydantic import Field

from evaluation.core import jsonl
from evaluation.core.errors import FORM_FAULTS, RowError, in_row
from evaluation.core.files.version_files import AnswerForm, open_version_files
from evaluation.core.metric import Metric
from evaluation.core.plugin.display import Display
from evaluation.core.plugin.grading import PlainVerdict, graded
from evaluation.core.records import JsonObject, Prediction, Row, ShownVerdict, Verdict
from evaluation.core.report import Report
from evaluation.core.row_states import REASONS, RowState, given_state
from evaluation.core.sealing import keyed_ids
from evaluation.core.settings import MAX_SEED, Key, Seed, SettingsModel, StrictBool
from evaluation.core.statistics import ICC_PRIOR
from evaluation.core.suite import (
    LARGEST_THOUGHT_OF,
    Column,
    ExpectedRows,
    Facet,
    Gate,
    Item,
    Problem,
    RowPreview,
    Rung,
    Settings,
    SystemSpec,
    Unranked,
    Unseen,
)

SECRETS = {"seed", "key"}  # settings with which anybody can make the gold


class PlainRow(Row):
    """A row with its gold, and beside it the suite's texts."""

    unit: str
    split: str
    gold: Any


class SeededSettings(SettingsModel):
    """The settings that every version has."""

    seed: Seed = Field(0, description="Of the generator; drawn at freeze where sealed.")
    public_gold: StrictBool = Field(False, description="Whether downloaded rows keep their answers.")
    key: Key = Field("", description="Of the ids; drawn at freeze.")

    def as_json(self) -> dict[str, Any]:
        """The settings as JSON data, without a key where there is none."""
        return self.model_dump(mode="json", exclude=None if self.key else {"key"})

    def row_name(self, unit: str, question: str, split: str) -> str:
        """The id of a row, which says nothing without the key of the version.

        Args:
            unit: What the row is drawn with.
            question: Which of the unit's questions it asks.
            split: Which part of the version it belongs to.
        """
        return keyed_ids.row_id(self.key or keyed_ids.OPEN_KEY, unit=unit, question=question, split=split)

    def unit_name(self, unit: str) -> str:
        """The same of a unit."""
        return keyed_ids.unit_id(self.key or keyed_ids.OPEN_KEY, unit=unit)


class SuiteBase(ABC):
    """See `evaluation.core.suite.Suite` for what each member promises."""

    name: str
    title: str
    summary: str
    unit: str
    grader: str
    settings: type[SeededSettings]
    rates: Sequence[Metric]  # the definitions, the headline first
    texts: Collection[str] = ("question",)
    asked: tuple[str, str] = ("row", "rows")
    unranked: Mapping[str, Unranked] = {}
    unit_icc: float = ICC_PRIOR
    display = Display()
    row_kind = ""
    attacks = ""
    facet = ""  # the grouping by split, which a board can be ranked by; empty: none
    tie_breaker = Column("tie_breaker", "Tie breaker", "This benchmark has none.")

    @abstractmethod
    def presets(self) -> Mapping[str, Settings]:
        """Named settings, as JSON."""

    @abstractmethod
    def rows(self, settings: Any) -> Iterator[JsonObject]:
        """The rows with gold, those of a unit behind each other. Same settings, same rows, on every machine."""

    @abstractmethod
    def judge(self, gold: Any, prediction: dict[str, Any] | None) -> JsonObject:
        """What an answer is worth.

        Args:
            gold: The gold of the row.
            prediction: A line of a predictions file; None is a row without an answer.

        Returns:
            A number under every name that a metric reads, None where it counts no such row; `failure` and `reason` say
            what is wrong with the answer, a code and a sentence.
        """

    @property
    def columns(self) -> Sequence[Column]:
        """The figures of the metrics."""
        return tuple(Column.from_metric(metric) for metric in self.rates)

    def headline(self, settings: Settings, split: str = "") -> Column:
        """The first of the rates that is marked so, for every version and split."""
        return next(column for column in self.columns if column.headline)

    def metrics(self, settings: Settings) -> Mapping[str, Metric]:
        """The definitions, by name."""
        return {metric.name: metric for metric in self.rates}

    def about(self, preset: str) -> str:
        """Nothing."""
        return ""

    def check(self, settings: Settings) -> dict[str, Any]:
        """Settings completed with defaults. Raises SettingsError."""
        return self.settings.from_json(settings).as_json()

    def settings_schema(self) -> dict[str, Any]:
        """The JSON schema of the settings."""
        return self.settings.model_json_schema()

    def describe(self, settings: Settings, *, seeds: bool = True) -> list[tuple[str, str]]:
        """Each setting by its name."""
        shown = self.check(settings).items()
        return [
            (name.replace("_", " ").capitalize(), f"{value}" if seeds or name not in SECRETS else "withheld")
            for name, value in shown
        ]

    def with_secret_seeds(self, settings: Settings) -> dict[str, Any]:
        """A new seed and a new key."""
        seed = LARGEST_THOUGHT_OF + secrets.randbelow(MAX_SEED - LARGEST_THOUGHT_OF)
        return self.check(settings) | {"seed": seed, "key": keyed_ids.new_key()}

    def has_secret_seeds(self, settings: Settings) -> bool:
        """Whether the seed is too large for a person to have thought of it."""
        return int(self.check(settings)["seed"]) >= LARGEST_THOUGHT_OF

    def withheld(self, settings: Settings) -> list[str]:
        """Key and seed."""
        checked = self.check(settings)
        return [text for text in (str(checked.get("key", "")), str(checked["seed"])) if text]

    def shown_by_ids(self, settings: Settings, row: Row) -> str:
        """Nothing: ids are keyed."""
        return ""

    def count(self, settings: Settings) -> int:
        """As many as `generate` yields, which makes them all."""
        return sum(1 for _ in self.generate(settings))

    def generate(self, settings: Settings) -> Iterator[Item]:
        """The rows, unit by unit."""
        yield from _items(cast(Iterator[PlainRow], self.rows(self.settings.from_json(settings))))

    def items_from_rows(self, rows: Iterable[Row], settings: Settings) -> Iterator[Item]:
        """The same of existing rows. Raises RowError."""
        yield from _items(_checked(cast(Iterable[PlainRow], rows)))

    def public_row(self, row: Row, *, labels: bool = False) -> Row:
        """Id and texts; with labels also unit and split."""
        shown = {"id", *self.texts} | ({"unit", "split"} if labels else set())
        return cast(Row, {name: value for name, value in row.items() if name in shown})

    def overtold(self, row: Row) -> Iterable[str]:
        """Fields beside id and texts."""
        return [f"the field {name!r}" for name in row if name not in {"id", *self.texts, "canary"}]

    def form_of(self, split: str) -> str:
        """All rows show the same."""
        return "row"

    def expected(self, records: Iterable[JsonObject]) -> ExpectedRows:
        """The ids, each with its split, from records or from public rows, which may not say it."""
        splits: dict[str, str] = {}
        for number, record in enumerate(records, 1):
            try:
                rows = record["rows"] if "rows" in record else [[record["id"], record.get("split", "row")]]
                splits.update((row[0], row[1]) for row in rows)
            except FORM_FAULTS as fault:
                raise in_row(fault, number) from fault
        return ExpectedRows(splits)

    def row_id(self, data: JsonObject) -> str | None:
        """Its `id`."""
        row_id = data.get("id")
        return row_id if isinstance(row_id, str) else None

    def missing_id_message(self, data: JsonObject) -> str:
        """No id, or one that is no text."""
        instead = f", not {jsonl.kind(data['id'])}" if "id" in data else ""
        return f"The line names no row: it needs an 'id', a text{instead}."

    def tokens(self, data: JsonObject) -> float | None:
        """None: a line says nothing of its cost."""
        return None

    def validate(self, data: Any, expected: ExpectedRows) -> Problem | None:
        """Whether a line holds a `value`, or says why it has none."""
        if "value" in data and not isinstance(data["value"], (bool, list, dict)):
            return None
        if given_state(data):
            return None
        return Problem("no_answer", "The line holds no answer: give 'value', a text, a number or null.")

    def state(self, data: JsonObject, expected: ExpectedRows) -> RowState:
        """Answered, unless the line says why not; null is an abstention."""
        if state := given_state(data):
            return state
        return RowState.ABSTAINED if data.get("value") is None else RowState.ANSWERED

    def grade(
        self, records: Iterable[JsonObject], predictions: Iterable[Prediction], settings: Settings
    ) -> Report:
        """The verdict on every row by `judge`, and the figures of `rates` from them."""
        files = open_version_files(records, predictions, form=AnswerForm(self.row_id, dict))
        verdicts = [
            self._verdict(row, unit, answer)
            for (row, unit), answer in files.graded(
                lambda record: ((row[0], (row, str(record["unit"]))) for row in record["rows"])
            )
        ]
        name = self.headline(settings).name
        rates = [
            each if each.headline == (each.name == name) else replace(each, headline=each.name == name)
            for each in self.rates
        ]
        return graded(rates, verdicts, settings={"grader": self.grader}, facet=self.facet)

    def record_of_rows(self, record: JsonObject, row_ids: Collection[str]) -> JsonObject | None:
        """The record with these rows alone."""
        rows = [row for row in record["rows"] if row[0] in row_ids]
        return {**record, "rows": rows} if rows else None

    def _verdict(self, row: Sequence[Any], unit: str, prediction: dict[str, Any] | None) -> PlainVerdict:
        row_id, split, gold = row
        state = given_state(prediction) if prediction else None
        verdict: dict[str, Any] = {
            "id": row_id,
            "unit": unit,
            "condition": split,
            "failure": None,
            "reason": None,
        }
        verdict["answered"] = prediction is not None
        if prediction is None or state:
            why = REASONS[state] if state else "There is no answer."
            failure = {"failure": state.value if state else "no_answer", "reason": why}
            verdict |= {**self.judge(gold, None), **failure}
        else:
            verdict |= {"value": prediction.get("value"), **self.judge(gold, prediction)}
        return cast(PlainVerdict, verdict | {"gold": gold})

    def systems(self) -> Mapping[str, SystemSpec]:
        """None."""
        return {}

    def measures(
        self, system: str, rows: Iterable[Row], records: Iterable[JsonObject]
    ) -> list[dict[str, Any]]:
        """None."""
        return []

    def row_previews(self, row: Row) -> list[RowPreview]:
        """The first text as the question, the others as what it is about."""
        fields, (question, *others) = dict(row), self.texts
        parts = [
            (name.replace("_", " ").capitalize(), f"{fields[name]}") for name in others if fields.get(name)
        ]
        answer = f'{{"id": "{row["id"]}", "value": "…"}}'
        return [RowPreview(row["id"], f"{fields[question]}", parts, answer)]

    def redact(self, verdict: Verdict, *, own: bool) -> ShownVerdict:
        """Without the gold; for others also without the answer."""
        hidden = {"gold"} if own else {"gold", "value", "reason"}
        return cast(ShownVerdict, {name: value for name, value in verdict.items() if name not in hidden})

    def unplaced(self, verdict: Verdict) -> Verdict:
        """Without its unit, and of no split."""
        kept = {name: value for name, value in verdict.items() if name != "unit"}
        return cast(Verdict, kept | {"condition": "row"})

    def gates(self, metrics: Mapping[str, Any], intervals: Mapping[str, Any]) -> list[Gate]:
        """None."""
        return []

    def decomposition(self, metrics: Mapping[str, Any]) -> list[tuple[str, float | None]]:
        """None."""
        return []

    def drawn_units(self, units: int, splits: Collection[str]) -> tuple[int, str]:
        """Every unit by itself."""
        return units, self.unit

    def independent_questions(self, settings: Settings, splits: Mapping[str, int]) -> int:
        """Those of the largest split: the others may ask the same."""
        return max(splits.values(), default=0)

    def rungs(self, settings: Settings) -> Sequence[Rung]:
        """None: texts are as long as they are."""
        return ()

    def counts_toward_headline(self, split: str, settings: Settings) -> bool:
        """All splits."""
        return True

    def facets(self, settings: Settings, splits: Iterable[str]) -> list[Facet]:
        """By split, where the suite names that grouping."""
        names, noun = list(splits), self.display.splits.noun
        choices = (
            tuple((name, name.replace("_", " ").capitalize()) for name in names) if len(names) > 1 else ()
        )
        return [Facet(self.facet, noun.capitalize(), f"All {noun}s", choices)] if self.facet else []

    def order_bias(self, groups: Mapping[str, Any], settings: Settings) -> list[tuple[str, float | None]]:
        """None."""
        return []

    def revisions(self) -> Mapping[str, int]:
        """None."""
        return {}

    def unseen(self, verdict: Verdict) -> Unseen | None:
        """None: a row shows what answers it."""
        return None


def _checked(rows: Iterable[PlainRow]) -> Iterator[PlainRow]:
    """Rows that hold what they must. Raises RowError naming the number of one that does not."""
    for number, row in enumerate(rows, 1):
        lacking = [name for name in ("id", "unit", "split", "gold") if name not in row]
        if lacking:
            raise RowError(f"the row has no {', '.join(map(repr, lacking))}", line=number)
        yield row


def _items(rows: Iterable[PlainRow]) -> Iterator[Item]:
    for unit, group in groupby(rows, lambda row: str(row["unit"])):
        members = list(group)
        gold = [[row["id"], row["split"], row["gold"]] for row in members]
        yield Item(unit, members, {"unit": unit, "rows": gold})
