"""Responses of the API that the command line reads: typed, and validated on arrival.

A field that an older site does not send has a default; fields added by a newer site are in `raw`, which `--json`
prints.
"""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ModelWrapValidatorHandler, PrivateAttr, model_validator


class Record(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)
    _raw: dict[str, object] = PrivateAttr(default_factory=dict)

    @property
    def raw(self) -> dict[str, Any]:
        return self._raw

    @model_validator(mode="wrap")
    @classmethod
    def _keep_raw(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        record = handler(data)
        if isinstance(data, dict):
            record._raw.update(data)
        return record


class Figure(Record):
    """A metric with its 95% interval. A `value` of None means "not reported"."""

    name: str = ""
    label: str = ""
    value: float | None
    low: float | None = None
    high: float | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)


class System(Record):
    name: str


class Answers(Record):
    """Visibility of the answers of a version."""

    label: str = ""


class Version(Record):
    id: str
    title: str
    status: str
    rows: int
    sha256: str
    rows_sha256: str = ""
    documents_sha256: str | None = None
    frozen_at: str | None = None
    featured: bool = False
    answers: Answers = Answers()


class Gate(Record):
    letter: str
    name: str
    state: str
    help: str


class Standing(Record):
    """The position on the leaderboard. `rank` is None for an unranked system, and `reason` says why."""

    rank: int | None
    low: int | None = None
    high: int | None = None
    among: int = 0
    sharing: int = 1
    reason: str | None = None


class Finding(Record):
    """A suspected mistake in an accepted file."""

    code: str
    message: str


class Trial(Record):
    rows: int
    of: int


class Submission(Record):
    id: str
    system: System
    version: str
    status: str
    visibility: str = ""
    headline: Figure | None
    progress: float = 0
    error: str = ""
    url: str = ""
    created_at: str = ""
    gates: list[Gate] = Field(default_factory=list)
    repeats: int = 1
    repeat: int | None = None
    mean: str | None = None
    standing: Standing | None = None
    trial: Trial | None = None
    held_back: str | None = None
    warnings: list[Finding] | None = None


class Figures(Record):
    """The metrics of a submission; `groups` is grouping -> group -> metric."""

    metrics: list[Figure]
    groups: dict[str, dict[str, dict[str, Figure]]] = Field(default_factory=dict)


class Intake(Record):
    """The result of the site's check of a file."""

    rows: int
    conditions: list[str]
    warning: str = ""
    warnings: list[Finding] = Field(default_factory=list)


class Conformance(Record):
    """A report of the site on how many requirements a system meets, as tested with vectors (test cases)."""

    system: System
    url: str
    requirements_passed: int = 0
    requirements_total: int = 0
    vectors_missing: list[str] = Field(default_factory=list)
    vectors_total: int = 0
    vectors_expected: int = 0


class Token(Record):
    user: str
    scopes: list[str]


class BoardRow(Record):
    """One system on a leaderboard. The suite's gates and metrics are further fields in `raw`."""

    rank: int | None
    rank_low: int | None
    rank_high: int | None
    system: str
    owner: str
    verified: bool
    origin: str = ""
    meets_requirements: bool = True
    headline: float | None
    headline_low: float | None
    headline_high: float | None
    tokens_per_query: float | None
    submitted: str
    not_ranked: str | None = None
    reference: str | None = None

    @property
    def gates(self) -> dict[str, str | None]:
        """Result of each gate (a requirement of the benchmark): "pass", "fail", "undecided" or "none" (not reported).

        The result is None if the gate does not apply to the system.
        """
        prefix = "gate_"
        return {n.removeprefix(prefix): state for n, state in self.raw.items() if n.startswith(prefix)}


class Page(Record):
    items: list[dict[str, Any]]
    next: str | None
    summary: str | None = None


class FileOf(Record):
    """An input file of a computation. If `url` is None, the file can be generated from the version's settings."""

    url: str | None
    content_sha256: str


class Marks(Record):
    """Sums of the headline metric, (sum, rows) for each [unit][part], and the strata of the units."""

    units: list[list[tuple[float, float]]]
    strata: list[int] | None
    icc: float


class RunOf(Record):
    """How a model file was run to produce the predictions. `settings` has the file name without its folder."""

    adapter: str
    settings: dict[str, Any]
    protocol: str
    model: str
    sha256: str


class Rounding(Record):
    step: float
    units: int
    planned: bool


class Contestant(Record):
    """A system of a leaderboard, as input of the ranking."""

    submission: str
    system: str
    value: float | None
    low: float | None
    high: float | None
    apart: bool
    units: list[list[tuple[float, float]]]

    @property
    def ends(self) -> tuple[float, float] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)


class Basis(Record):
    """A published headline with the inputs of its computation."""

    submission: str
    version: str
    suite: str
    settings: dict[str, Any] | None
    grader: str
    statistics: int
    ranking: str
    name: str
    better: str
    headline: Figure
    standing: Standing | None
    predictions: list[FileOf]
    gold: FileOf | None
    withheld: str
    marks: Marks | None
    marks_withheld: str
    rounding: Rounding | None
    guessing: float | None
    strata: list[int] | None
    run: RunOf | None = None
