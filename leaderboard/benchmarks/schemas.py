"""What the API says of benchmarks and versions. Every number may be null: null is "not reported", never 0."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from leaderboard.web.api.fields import example


class ColumnOut(Schema):
    """One figure of a benchmark: what it is called and which way is better."""

    model_config = example(
        name="exact_acc",
        label="Exact",
        help="Right value, cited right.",
        better="higher",
        format="ratio",
        headline=True,
    )

    name: str
    label: str
    help: str
    better: str
    format: str
    headline: bool


class BenchmarkOut(Schema):
    """A benchmark."""

    model_config = example(
        slug="goldevidencebench",
        title="GoldEvidenceBench",
        summary="…",
        grader="goldevidence-strict/1",
        columns=[],
        settings_schema={"properties": {"seeds": {"type": "array", "items": {"type": "integer"}}}},
    )

    slug: str
    title: str
    summary: str
    grader: str = Field(description="The current grader and its revision.")
    columns: list[ColumnOut]
    settings_schema: dict[str, Any] = Field(
        description="The JSON schema of a version's settings: types, bounds, defaults, meanings."
    )


class VersionOut(Schema):
    """A frozen version. `id` is what other calls take as `version`."""

    model_config = example(
        id="goldevidencebench/order-bias-short",
        title="Order bias",
        status="frozen",
        sha256="5f0c…",
        rows=1200,
        units=5,
        public_gold=False,
        licence="MIT",
        commitment="9a41…",
        answers={"state": "sealed", "label": "kept by the site", "text": "This site keeps the answers. …"},
        rows_url="https://bench.example/api/v1/versions/goldevidencebench/order-bias-short/rows",
    )

    id: str
    title: str
    description: str
    status: str = Field(description="`frozen` takes submissions, `retired` does not.")
    featured: bool
    grader: str
    sha256: str
    rows_sha256: str = Field(
        description="Of the rows uncompressed, as X-Content-SHA256 says of the download and `zcat | sha256sum` prints. "
        "Of the gzip file itself see `downloads` of a single version."
    )
    documents_sha256: str | None = Field(
        description="The same of the texts that rows name by `document_id`; null where the rows hold their texts."
    )
    documents: int | None = Field(description="How many texts there are; null where the rows hold them.")
    rows: int
    units: int
    conditions: dict[str, int]
    headline: ColumnOut = Field(description="What its board is ordered by.")
    public_gold: bool = Field(description="Whether the rows hold their answers.")
    licence: str = Field(description="Of the rows: an SPDX identifier, or what their source says.")
    commitment: str | None = Field(
        description="Stands for gold and key from the first day: HMAC-SHA-256(key, `goldevidencebench commitment 1\\n` "
        "+ SHA-256 of the gold's lines). Null where the answers never were secret."
    )
    answers: AnswersOut
    figure_step: float | None = Field(
        description="To what figures are rounded while the answers are kept; null: not rounded."
    )
    uploads: int | None = Field(
        description="How many uploads of an account or a system are graded in all while the answers are kept; "
        "null: as many as the days allow."
    )
    twin: str | None = Field(description="The id of its public twin: answers in the rows, no ranks.")
    twin_of: str | None = Field(description="The id of the version whose public twin it is.")
    frozen_at: datetime | None
    rows_url: str
    documents_url: str | None = Field(description="Null where the rows hold their texts.")
    url: str = Field(description="The page for people.")


class Fact(Schema):
    """One setting, for a reader."""

    label: str
    text: str


class DownloadOut(Schema):
    """A file of a version, with both of its checksums."""

    what: str = Field(
        description="`rows`; `documents`, the texts that they name, where these stand apart; `gold` once it is "
        "published."
    )
    content_sha256: str = Field(description="Of the lines, uncompressed: `zcat FILE | sha256sum`.")
    file_sha256: str = Field(
        description="Of the gzip file as it is sent: `sha256sum FILE`. Empty where it is missing."
    )
    bytes: int | None = Field(description="Of the gzip file; null for the gold.")
    url: str


class AttackScoreOut(Schema):
    """What an attacker reaches in one metric, with its 95% interval."""

    metric: str
    value: float
    low: float
    high: float
    above: bool = Field(description="Whether all of the interval is above the ceiling.")


class AttackerOut(Schema):
    """A program that answers without understanding the text."""

    name: str
    label: str
    about: str
    role: str = Field(
        description="`floor` guesses, `shortcut` must stay below the ceiling, `parser` has none, `join` reads all rows "
        "together and must stay below `joined_ceiling`."
    )
    scores: list[AttackScoreOut]


class AttackMeasureOut(Schema):
    """Floor and ceiling of a metric."""

    metric: str
    label: str
    floor: float
    ceiling: float
    declared: bool = Field(
        description="Whether the preset or the suite declares them, else they are measured."
    )
    joined_ceiling: float | None = Field(
        None,
        description="Of attackers that read all rows together: the best guess or shortcut, and 0.02. Null of versions "
        "that were frozen without any.",
    )


class AttackedSplitOut(Schema):
    """One split in the first metric: its floor and ceiling, and the guess or shortcut that comes furthest."""

    split: str
    guess: str = Field(description="The best guess, which makes the floor.")
    attacker: str
    measure: AttackMeasureOut
    score: AttackScoreOut = Field(description="Its interval holds for all attackers and splits at once.")


class AttacksOut(Schema):
    """What attackers reached when the version was frozen."""

    revision: int
    measures: list[AttackMeasureOut]
    attackers: list[AttackerOut]
    splits: list[AttackedSplitOut] = Field(
        default=[],
        description="Splits of 20 rows and more, each by itself; empty of versions frozen without, and of suites whose "
        "splits are judged together.",
    )
    diagnostic: str = Field(
        description="Why the version ranks nobody; empty where no shortcut is above its ceiling."
    )
    claim: str = Field(
        description="That a parser solves the version, so that a self-reported result proves little; empty: none does."
    )
    joins: str = Field(description="That rows can be joined, and by what; empty: by nothing that is known.")


class VersionDetail(VersionOut):
    """A version with its settings, a sample row, its files and its attackers."""

    settings: list[Fact]
    sample: dict[str, Any]
    downloads: list[DownloadOut]
    predictions_url: str | None = Field(
        description="Where the predictions of public submissions are listed; null while answers are secret."
    )
    attacks: AttacksOut | None = Field(description="Null of versions that were frozen without attackers.")


class AnswersOut(Schema):
    """Who can know the answers of a version."""

    state: str = Field(
        description="`sealed`: kept by the site. `public`: in the rows. `open_demo`: anybody can make them, since the "
        "seeds are known. `open_ids`: its row ids give them away. `imported`: they are in the file that it was made "
        "from. `retired`: its seeds are published."
    )
    label: str
    text: str = Field(description="A sentence for people.")
