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
    )

    slug: str
    title: str
    summary: str
    grader: str = Field(description="The present grader and its revision.")
    columns: list[ColumnOut]


class VersionOut(Schema):
    """A frozen version. `id` is what other calls take as `version`."""

    model_config = example(
        id="goldevidencebench/order-bias",
        title="Order bias",
        status="frozen",
        sha256="5f0c…",
        rows=1200,
        units=5,
        public_gold=False,
        answers={"state": "sealed", "label": "kept by the site", "text": "This site keeps the answers. …"},
        rows_url="https://bench.example/api/v1/versions/goldevidencebench/order-bias/rows",
    )

    id: str
    title: str
    description: str
    status: str = Field(description="`frozen` takes submissions, `retired` does not.")
    featured: bool
    grader: str
    sha256: str
    rows_sha256: str = Field(
        description="Of the rows uncompressed, as X-Content-SHA256 says of the download."
    )
    rows: int
    units: int
    conditions: dict[str, int]
    public_gold: bool = Field(description="Whether the rows hold their answers.")
    answers: AnswersOut
    frozen_at: datetime | None
    rows_url: str
    url: str = Field(description="The page for people.")


class Fact(Schema):
    """One setting, for a reader."""

    label: str
    text: str


class VersionDetail(VersionOut):
    """A version with its settings and a sample row."""

    settings: list[Fact]
    sample: dict[str, Any]


class AnswersOut(Schema):
    """Who can know the answers of a version."""

    state: str = Field(
        description="`sealed`: kept by the site. `public`: in the rows. `open_demo`: anybody can make them, since the "
        "seeds are known. `open_ids`: its row ids give them away. `imported`: they stand in the file that it was made "
        "of. `retired`: its seeds are published."
    )
    label: str
    text: str = Field(description="A sentence for people.")
