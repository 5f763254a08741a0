"""The answers of the API, as far as the command line reads them: typed, and checked when they arrive.

A field that an older site does not send has a default; what a newer one adds is kept in `raw` and printed by `--json`.
"""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ModelWrapValidatorHandler, PrivateAttr, model_validator


class Record(BaseModel):
    """One object of an answer."""

    model_config = ConfigDict(extra="allow", frozen=True)
    _raw: dict[str, object] = PrivateAttr(default_factory=dict)

    @property
    def raw(self) -> dict[str, Any]:
        """The object as it was sent."""
        return self._raw

    @model_validator(mode="wrap")
    @classmethod
    def _keep_raw(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        record = handler(data)
        if isinstance(data, dict):
            record._raw.update(data)
        return record


class Figure(Record):
    """A number with its 95% interval; None is "not reported"."""

    label: str = ""
    value: float | None
    low: float | None = None
    high: float | None = None


class System(Record):
    name: str


class Answers(Record):
    """Who can know the answers of a version."""

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
    """The place on the board; `rank` is None where there is none, `reason` says why."""

    rank: int | None
    low: int | None = None
    high: int | None = None
    among: int = 0
    sharing: int = 1
    reason: str | None = None


class Finding(Record):
    """What looks mistaken in a file that is taken."""

    code: str
    message: str


class Trial(Record):
    """Over how many of its version's rows a trial is."""

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
    """All figures of a submission."""

    metrics: list[Figure]


class Intake(Record):
    """What the site's check of a file found."""

    rows: int
    conditions: list[str]
    warning: str = ""
    warnings: list[Finding] = Field(default_factory=list)


class Conformance(Record):
    """A conformance report as the site keeps it."""

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
    """One system of a board. Gates and figures of the suite are further fields."""

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
        """Gate -> pass, fail, undecided or none; None where the version shows none of this system."""
        prefix = "gate_"
        return {n.removeprefix(prefix): state for n, state in self.raw.items() if n.startswith(prefix)}


class Page(Record):
    """Some items of a list, and the address of the next ones."""

    items: list[dict[str, Any]]
    next: str | None
    summary: str | None = None
