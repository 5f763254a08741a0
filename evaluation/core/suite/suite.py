"""A suite: everything of a benchmark that holds for all its versions. `version` binds the rest to settings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from evaluation.core import jsonl
from evaluation.core.checks import Problem
from evaluation.core.errors import FORM_FAULTS, in_row
from evaluation.core.plugin.display import Display
from evaluation.core.plugin.replay import RowReplays
from evaluation.core.records import GradingRecord, JsonObject, PlainRecord, Row, ShownVerdict, Verdict
from evaluation.core.row_states import RowState, given_state
from evaluation.core.suite.parts import (
    ExpectedRows,
    Fields,
    Integrity,
    Line,
    Preset,
    RowPreview,
    SystemSpec,
    Unranked,
)
from evaluation.core.suite.version import SuiteVersion

if TYPE_CHECKING:
    from evaluation.core.files.artifacts import BuildsArtifacts
    from evaluation.core.suite.settings import VersionSettings


class Suite(ABC):
    """Base of a benchmark. Its defaults are those of one question a row, with its text, split and gold in the row.

    Rows are `{"id", "unit", "split", <texts>, "gold"}`, grading records those of `plain.PlainVersion`.
    """

    name: str
    title: str
    settings: type[VersionSettings]  # each has a default; the admin's form and the API's schema come from it
    fields = Fields()
    display = Display()
    unranked: Mapping[
        str, Unranked
    ] = {}  # by kind of system (`SystemSpec.kind`); empty: every kind is ranked
    row_kind = ""  # `module:attribute` of its `adapters.kinds.RowKind`; empty: no adapter can answer its rows
    #: `module:attribute` of a function from settings to an `attacks.plan.AttackPlan`; empty: it has no attackers.
    attacks = ""
    bench = ""  # `module:attribute` of its `benches.Benches`; empty: it has no standard measurements
    artifacts: BuildsArtifacts | None = None  # of a suite whose systems build something before they answer
    replays = RowReplays()  # its rows as timelines
    integrity = Integrity()  # how answers that were not made from the rows are found

    @abstractmethod
    def presets(self) -> Mapping[str, Preset]:
        """Named settings."""

    @abstractmethod
    def version(self, settings: Mapping[str, object]) -> SuiteVersion:
        """The suite bound to the settings of a version. Raises SettingsError naming each bad field."""

    def systems(self) -> Mapping[str, SystemSpec]:
        """The deterministic systems, by name."""
        return {}

    def expected(self, records: Iterable[JsonObject], *, lines: bool = False) -> ExpectedRows:
        """What a submission has to hold.

        Args:
            records: Grading records, or public rows, which may not say their split.
            lines: Whether to read also which lines each row holds, where predictions may name lines.

        Raises:
            RowError: A record lacks what it needs.
        """
        splits: dict[str, str] = {}
        for number, record in enumerate(records, 1):
            try:
                rows = record["rows"] if "rows" in record else [[record["id"], record.get("split", "row")]]
                splits.update((row[0], row[1]) for row in rows)
            except FORM_FAULTS as fault:
                raise in_row(fault, number) from fault
        return ExpectedRows(splits)

    def row_id(self, data: Mapping[str, object]) -> str | None:
        """The id of the row that a prediction answers, None where it names none."""
        row_id = data.get("id")
        return row_id if isinstance(row_id, str) else None

    def read_line(self, data: Any, expected: ExpectedRows) -> Line | Problem:
        """One parsed line of a predictions file; whether its id is known and new is checked by the intake.

        Args:
            data: The line, an object.
            expected: The rows of the version.

        Returns:
            Why it holds no answer, if it holds none, and what it answers; a Problem if the line is refused.
        """
        if self.row_id(data) is None:
            instead = f", not {jsonl.kind(data['id'])}" if "id" in data else ""
            return Problem("no_id", f"The line names no row: it needs an 'id', a text{instead}.")
        if state := given_state(data):
            return Line(state)
        if "value" not in data or isinstance(data["value"], (bool, list, dict)):
            return Problem("no_answer", "The line holds no answer: give 'value', a text, a number or null.")
        return Line(RowState.ABSTAINED if data["value"] is None else RowState.ANSWERED)

    def public_row(self, row: Row, *, labels: bool = False) -> Row:
        """The row without gold or anything that gives it away.

        Args:
            row: The row with gold.
            labels: Whether it keeps the labels that a published data set has.
        """
        shown = {"id", *self.fields.texts} | ({"unit", "split"} if labels else set())
        return cast(Row, {name: value for name, value in row.items() if name in shown})

    def overtold(self, row: Row) -> Iterable[str]:
        """What a public row without labels says beside id and text, each in a few words; nothing if it is fit."""
        return [f"the field {name!r}" for name in row if name not in {"id", *self.fields.texts, "canary"}]

    def form_of(self, split: str) -> str:
        """The kind of text that the rows of a split show, which is all that a row without labels says of it."""
        return "row"

    def row_previews(self, row: Row) -> list[RowPreview]:
        """The questions of a public row for a reader: the first text as the question, the others below it."""
        fields, (question, *others) = dict(row), self.fields.texts
        parts = [
            (name.replace("_", " ").capitalize(), f"{fields[name]}") for name in others if fields.get(name)
        ]
        answer = f'{{"id": "{row["id"]}", "value": "…"}}'
        return [RowPreview(row["id"], f"{fields[question]}", parts, answer)]

    def redact(self, verdict: Verdict, *, own: bool) -> ShownVerdict:
        """A line of `Report.rows` without what gives a withheld answer away.

        Args:
            verdict: The line.
            own: Whether it is for the owner of what was graded.
        """
        hidden = {"gold"} if own else {"gold", "value", "reason"}
        return cast(ShownVerdict, {name: value for name, value in verdict.items() if name not in hidden})

    def record_of_rows(self, record: GradingRecord, row_ids: Collection[str]) -> GradingRecord | None:
        """A grading record with some of its rows alone, by which a part of a version is graded.

        Args:
            record: `Item.gold` of an item.
            row_ids: Those of the part, whatever items they are of.

        Returns:
            A record that `grade` takes; None where none of its rows is among them.
        """
        plain = cast(PlainRecord, record)
        rows = [row for row in plain["rows"] if row[0] in row_ids]
        return cast(PlainRecord, {**plain, "rows": rows}) if rows else None
