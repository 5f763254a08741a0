"""API schemas of benchmarks and versions. Null numbers mean "not reported", never 0."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from leaderboard.web.api.fields import example


class ColumnOut(Schema):
    """A figure of a benchmark, with its name and direction."""

    model_config = example(
        name="exact_acc",
        label="Exact",
        help="Right value, cited right.",
        better="higher",
        format="ratio",
        headline=True,
    )

    name: str = Field(description="Name that scripts use.")
    label: str = Field(description="Name for people.")
    help: str = Field(description="What it measures, in a sentence.")
    better: str = Field(description="Whether a `higher` or a `lower` value is better.")
    format: str = Field(
        description="How people read it: `ratio` (shown as per cent), `points`, `count` or `seconds`."
    )
    headline: bool = Field(description="Whether boards are ordered by it.")


class BenchmarkOut(Schema):
    model_config = example(
        slug="goldevidencebench",
        title="GoldEvidenceBench",
        summary="…",
        grader="goldevidence-strict/1",
        columns=[],
        settings_schema={"properties": {"seeds": {"type": "array", "items": {"type": "integer"}}}},
    )

    slug: str = Field(description="Its part of addresses.")
    title: str = Field(description="Title for people.")
    summary: str = Field(description="What it measures, in a sentence.")
    grader: str = Field(description="The current grader and its revision.")
    columns: list[ColumnOut] = Field(description="Its figures, in the order of boards.")
    settings_schema: dict[str, Any] = Field(
        description="The JSON schema of a version's settings: types, bounds, defaults, meanings."
    )


class VersionOut(Schema):
    """A frozen version. Other calls take its `id` as `version`."""

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

    id: str = Field(description="`benchmark/version`, which other calls take as `version`.")
    title: str = Field(description="Title for people.")
    description: str = Field(description="Its subject, in a few sentences.")
    status: str = Field(description="`frozen` takes submissions, `retired` does not.")
    featured: bool = Field(description="Whether the front page shows its board.")
    grader: str = Field(description="The grader and its revision.")
    sha256: str = Field(description="Hash over rows, gold, settings and grader.")
    rows_sha256: str = Field(
        description="Of the rows uncompressed, as X-Content-SHA256 says of the download and `zcat | sha256sum` prints. "
        "Of the gzip file itself see `downloads` of a single version."
    )
    documents_sha256: str | None = Field(
        description="The same of the texts that rows name by `document_id`; null where the rows hold their texts."
    )
    documents: int | None = Field(description="How many texts there are; null where the rows hold them.")
    rows: int = Field(description="How many rows it has.")
    units: int = Field(description="How many units are drawn independently: episodes or timelines.")
    conditions: dict[str, int] = Field(description="Condition → rows.")
    headline: ColumnOut = Field(description="What its board is ordered by.")
    public_gold: bool = Field(description="Whether the rows hold their answers.")
    licence: str = Field(description="Of the rows: an SPDX identifier, or what their source says.")
    commitment: str | None = Field(
        description="Stands for gold and key from the first day: HMAC-SHA-256(key, `goldevidencebench commitment 1\\n` "
        "+ SHA-256 of the gold's lines). Null where the answers never were secret."
    )
    answers: AnswersOut = Field(description="Who can know its answers.")
    figure_step: float | None = Field(
        description="To what figures are rounded while the answers are kept; null: not rounded."
    )
    uploads: int | None = Field(
        description="How many uploads of an account or a system are graded in all while the answers are kept; "
        "null: as many as the days allow."
    )
    twin: str | None = Field(description="The id of its public twin: answers in the rows, no ranks.")
    twin_of: str | None = Field(description="The id of the version whose public twin it is.")
    frozen_at: datetime | None = Field(description="When it was frozen; nothing of it changed since.")
    rows_url: str = Field(description="Where its rows are downloaded.")
    documents_url: str | None = Field(description="Null where the rows hold their texts.")
    url: str = Field(description="The page for people.")


class Fact(Schema):
    """One setting for readers."""

    label: str = Field(description="Name of the setting.")
    text: str = Field(description="Its value, for people.")


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
    url: str = Field(description="Where the file is downloaded.")


class AttackScoreOut(Schema):
    """An attacker's score in one metric, with its 95% interval."""

    metric: str = Field(description="Name of the metric.")
    value: float = Field(description="The value.")
    low: float = Field(description="Lower end of the 95% interval.")
    high: float = Field(description="Upper end of the 95% interval.")
    above: bool = Field(description="Whether all of the interval is above the ceiling.")


class AttackerOut(Schema):
    """A program that answers without understanding the text."""

    name: str = Field(description="Name that scripts use.")
    label: str = Field(description="Name for people.")
    about: str = Field(description="How it answers, in a sentence.")
    role: str = Field(
        description="`floor` guesses, `shortcut` must stay below the ceiling, `parser` has none, `join` reads all rows "
        "together and must stay below `joined_ceiling`."
    )
    scores: list[AttackScoreOut] = Field(description="Its score in each metric.")


class AttackMeasureOut(Schema):
    """Floor and ceiling of a metric."""

    metric: str = Field(description="Name of the metric.")
    label: str = Field(description="Name for people.")
    floor: float = Field(description="The score of the best guess.")
    ceiling: float = Field(description="The score that no shortcut may be above.")
    declared: bool = Field(
        description="Whether the preset or the suite declares them, else they are measured."
    )
    joined_ceiling: float | None = Field(
        None,
        description="Of attackers that read all rows together: the best guess or shortcut, and 0.02. Null of versions "
        "that were frozen without any.",
    )


class AttackedSplitOut(Schema):
    """One split in the first metric: floor, ceiling, and the best guess or shortcut."""

    split: str = Field(description="Name of the split.")
    guess: str = Field(description="The best guess, which makes the floor.")
    attacker: str = Field(description="The best guess or shortcut.")
    measure: AttackMeasureOut = Field(description="Floor and ceiling in this split.")
    score: AttackScoreOut = Field(description="Its interval holds for all attackers and splits at once.")


class AttacksOut(Schema):
    """Attackers' scores from the freeze of the version."""

    revision: int = Field(description="Revision of the attackers.")
    measures: list[AttackMeasureOut] = Field(description="Floor and ceiling of each metric.")
    attackers: list[AttackerOut] = Field(description="The attackers and their scores.")
    splits: list[AttackedSplitOut] = Field(
        default=[],
        description="Splits of 20 rows and more, each by itself; empty of versions frozen without, and of suites whose "
        "splits are judged together.",
    )
    diagnostic: str = Field(
        description="Why the version has no ranks; empty where no shortcut is above its ceiling."
    )
    claim: str = Field(
        description="That a parser solves the version, so that a self-reported result proves little; empty: none does."
    )
    joins: str = Field(description="That rows can be joined, and by what; empty: by nothing that is known.")


class VersionDetail(VersionOut):
    """A version with its settings, a sample row, its files and its attackers."""

    settings: list[Fact] = Field(description="Its settings for people.")
    sample: dict[str, Any] = Field(description="One public row.")
    downloads: list[DownloadOut] = Field(description="Its files with their checksums.")
    predictions_url: str | None = Field(
        description="Where the predictions of public submissions are listed; null while answers are secret."
    )
    attacks: AttacksOut | None = Field(description="Null of versions that were frozen without attackers.")


class AnswersOut(Schema):
    """Disclosure of a version's answers."""

    state: str = Field(
        description="`sealed`: kept by the site. `public`: in the rows. `open_demo`: anybody can make them, since the "
        "seeds are known. `open_ids`: its row ids give them away. `imported`: they are in the file that it was made "
        "from. `retired`: its seeds are published."
    )
    label: str = Field(description="The state in a few words.")
    text: str = Field(description="A sentence for people.")
