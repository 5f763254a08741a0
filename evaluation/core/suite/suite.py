"""A suite: the part of a benchmark that is the same for all its versions. `Suite.version` adds the settings."""

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
    """Base class of a benchmark. The default methods are for suites with one question per row.

    Rows are then `{"id", "unit", "split", <texts>, "gold"}`; grading records are the records of `plain.PlainVersion`.
    """

    name: str
    title: str
    settings: type[VersionSettings]  # source of the admin form and the API's schema
    fields = Fields()
    display = Display()
    #: By kind of system (`SystemSpec.kind`); empty: every kind is ranked.
    unranked: Mapping[str, Unranked] = {}
    #: `module:attribute` of its `adapters.kinds.RowKind`; empty: adapters cannot answer its rows.
    row_kind = ""
    #: `module:attribute` of a function from settings to an `attacks.plan.AttackPlan`; empty: no attackers.
    attacks = ""
    bench = ""  # `module:attribute` of its `benches.Benches`; empty: none
    artifacts: BuildsArtifacts | None = None  # for suites whose systems build something first
    replays = RowReplays()
    integrity = Integrity()

    @abstractmethod
    def presets(self) -> Mapping[str, Preset]:
        """The suite's presets, by name."""

    @abstractmethod
    def version(self, settings: Mapping[str, object]) -> SuiteVersion:
        """The version with these settings. Raises SettingsError with each invalid field."""

    def systems(self) -> Mapping[str, SystemSpec]:
        """The deterministic systems, by name."""
        return {}

    def expected(self, records: Iterable[JsonObject], *, lines: bool = False) -> ExpectedRows:
        """The rows that a submission must answer. Raises RowError if a record lacks a field.

        Args:
            records: Grading records, or public rows, which may hide their split.
            lines: Also collect the line ids of each row, if predictions may cite lines.
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
        """The id of the row that a prediction answers. Returns None if the prediction has no valid id."""
        row_id = data.get("id")
        return row_id if isinstance(row_id, str) else None

    def read_line(self, data: Any, expected: ExpectedRows) -> Line | Problem:
        """Read one line of a predictions file, a parsed JSON object. Returns its state and answer, or a Problem.

        The caller checks that the row id is expected.
        """
        if self.row_id(data) is None:
            instead = f", not {jsonl.kind(data['id'])}" if "id" in data else ""
            return Problem("no_id", f"The line has no row id: it needs an 'id' that is a text{instead}.")
        if state := given_state(data):
            return Line(state)
        if "value" not in data or isinstance(data["value"], (bool, list, dict)):
            return Problem(
                "no_answer", "The line has no answer: it needs a 'value' that is a text, a number or null."
            )
        return Line(RowState.ABSTAINED if data["value"] is None else RowState.ANSWERED)

    def public_row(self, row: Row, *, labels: bool = False) -> Row:
        """Remove the gold of a row and anything that reveals it. `labels` keeps the labels of published data sets."""
        shown = {"id", *self.fields.texts} | ({"unit", "split"} if labels else set())
        return cast(Row, {name: value for name, value in row.items() if name in shown})

    def overtold(self, row: Row) -> Iterable[str]:
        """Describe everything in a public row that should have been withheld."""
        return [f"the field {name!r}" for name in row if name not in {"id", *self.fields.texts, "canary"}]

    def form_of(self, split: str) -> str:
        """Kind of text in the rows of a split, which is shown to readers even if the split is hidden."""
        return "row"

    def row_previews(self, row: Row) -> list[RowPreview]:
        """The questions of a public row, for display.

        By default a row has one question: the first field of `fields.texts`; the other fields are its context.
        """
        fields, (question, *others) = dict(row), self.fields.texts
        parts = [
            (name.replace("_", " ").capitalize(), f"{fields[name]}") for name in others if fields.get(name)
        ]
        answer = f'{{"id": "{row["id"]}", "value": "…"}}'
        return [RowPreview(row["id"], f"{fields[question]}", parts, answer)]

    def redact(self, verdict: Verdict, *, own: bool) -> ShownVerdict:
        """Remove everything that reveals a withheld answer from a verdict. `own`: the reader owns the submission."""
        hidden = {"gold"} if own else {"gold", "value", "reason"}
        return cast(ShownVerdict, {name: value for name, value in verdict.items() if name not in hidden})

    def record_of_rows(self, record: GradingRecord, row_ids: Collection[str]) -> GradingRecord | None:
        """Restrict a grading record to rows with these ids, to grade a part of a version. None if no row remains."""
        plain = cast(PlainRecord, record)
        rows = [row for row in plain["rows"] if row[0] in row_ids]
        return cast(PlainRecord, {**plain, "rows": rows}) if rows else None
