"""API schemas of benchmarks and versions. Null numbers mean "not reported", never 0."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from leaderboard.web.api.fields import example


class ColumnOut(Schema):
    """A metric of a benchmark, with its name and direction."""

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
    help: str = Field(description="What the metric measures, in a sentence.")
    better: str = Field(description="Whether a `higher` or a `lower` value is better.")
    format: str = Field(
        description="Format on pages: `ratio` (shown as per cent), `points`, `count` or `seconds`."
    )
    headline: bool = Field(description="Whether boards are ordered by this metric.")


class BenchmarkOut(Schema):
    model_config = example(
        slug="goldevidencebench",
        title="GoldEvidenceBench",
        summary="…",
        grader="goldevidence-strict/1",
        columns=[],
        settings_schema={"properties": {"seeds": {"type": "array", "items": {"type": "integer"}}}},
    )

    slug: str = Field(description="Name in URLs.")
    title: str = Field(description="Title for people.")
    summary: str = Field(description="What the benchmark measures, in a sentence.")
    grader: str = Field(description="The current grader and its revision.")
    columns: list[ColumnOut] = Field(
        description="Metrics of the benchmark, in the order of a board's columns."
    )
    settings_schema: dict[str, Any] = Field(
        description="The JSON schema of a version's settings: types, bounds, defaults, meanings."
    )


class VersionOut(Schema):
    """A frozen version. Other calls of this API expect its `id` as `version`."""

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
        answers={"state": "sealed", "label": "secret until retirement", "text": "The answers are secret. …"},
        rows_url="https://bench.example/api/v1/versions/goldevidencebench/order-bias-short/rows",
    )

    id: str = Field(description="Id `benchmark/version`, which other calls expect as `version`.")
    title: str = Field(description="Title for people.")
    description: str = Field(description="What the version measures, in a few sentences.")
    status: str = Field(description="`frozen` accepts submissions, `retired` does not.")
    featured: bool = Field(description="Whether lists and the guide begin with this version.")
    grader: str = Field(description="The grader and its revision.")
    sha256: str = Field(description="Hash over rows, gold, settings and grader.")
    rows_sha256: str = Field(
        description="SHA-256 of the uncompressed rows: X-Content-SHA256 of the download, or `zcat | sha256sum`. "
        "`downloads` of a single version has the SHA-256 of the gzip file."
    )
    documents_sha256: str | None = Field(
        description="SHA-256 of the uncompressed file of documents: texts that rows name by `document_id`. Null if "
        "the rows include their texts."
    )
    documents: int | None = Field(description="Number of documents; null if the rows include their texts.")
    rows: int = Field(description="Number of rows.")
    units: int = Field(description="Number of independently drawn units: episodes or timelines.")
    conditions: dict[str, int] = Field(description="Name of a split → number of its rows.")
    headline: ColumnOut = Field(description="The metric by which the version's board is ordered.")
    public_gold: bool = Field(description="Whether the rows include their answers.")
    licence: str = Field(description="Licence of the rows: an SPDX identifier, or the words of their source.")
    commitment: str | None = Field(
        description="The site's commitment to gold and key: HMAC-SHA-256(key, `goldevidencebench commitment 1\\n` "
        "+ SHA-256 of the gold's lines). Null if the answers never were secret."
    )
    answers: AnswersOut = Field(description="Who can know the version's answers.")
    figure_step: float | None = Field(
        description="Step to which metrics are rounded while answers are secret; null: not rounded."
    )
    uploads: int | None = Field(
        description="Number of uploads per account and per system that are graded while answers are secret; "
        "null: only the daily limits apply."
    )
    twin: str | None = Field(
        description="Id of the version's public twin, which has answers in the rows and no ranks."
    )
    twin_of: str | None = Field(description="If this is a public twin: id of the original version.")
    frozen_at: datetime | None = Field(description="When the version was frozen. It has not changed since.")
    rows_url: str = Field(description="URL to download the rows.")
    documents_url: str | None = Field(
        description="URL to download the documents; null if the rows include their texts."
    )
    url: str = Field(description="URL of the version's page.")


class Fact(Schema):
    """A setting of a version, in words."""

    label: str = Field(description="Name of the setting.")
    text: str = Field(description="Value of the setting, in words.")


class DownloadOut(Schema):
    """A file of a version, with both of its checksums."""

    what: str = Field(
        description="Content of the file: `rows`, `documents` (texts that rows refer to) or `gold` (once published)."
    )
    content_sha256: str = Field(description="SHA-256 of the uncompressed lines: `zcat FILE | sha256sum`.")
    file_sha256: str = Field(
        description="SHA-256 of the gzip file: `sha256sum FILE`. Empty if the file is missing."
    )
    bytes: int | None = Field(description="Size of the gzip file; null for the gold.")
    url: str = Field(description="URL to download the file.")


class AttackScoreOut(Schema):
    """An attacker's score in one metric, with its 95% interval."""

    metric: str = Field(description="Name of the metric.")
    value: float = Field(description="The attacker's score.")
    low: float = Field(description="Lower end of the 95% interval.")
    high: float = Field(description="Upper end of the 95% interval.")
    above: bool = Field(description="Whether the whole interval is above the ceiling.")


class AttackerOut(Schema):
    """A program that answers without understanding the text."""

    name: str = Field(description="Name that scripts use.")
    label: str = Field(description="Name for people.")
    about: str = Field(description="How the attacker answers, in a sentence.")
    role: str = Field(
        description="`floor`: guesses. `shortcut`: must not score above the ceiling. `parser`: has no ceiling. `join`: "
        "reads all rows together and must not score above `joined_ceiling`."
    )
    scores: list[AttackScoreOut] = Field(description="The attacker's score in each metric.")


class AttackMeasureOut(Schema):
    """The score of the best guess (floor), and the score that shortcuts must not exceed (ceiling), in one metric."""

    metric: str = Field(description="Name of the metric.")
    label: str = Field(description="Name for people.")
    floor: float = Field(description="The score of the best guess.")
    ceiling: float = Field(description="The score that shortcuts must not exceed.")
    declared: bool = Field(
        description="True if the preset or suite declares floor and ceiling; false if they are measured."
    )
    joined_ceiling: float | None = Field(
        None,
        description="Ceiling of attackers that read all rows together: the best guess or shortcut, plus 0.02. Null if "
        "the version was frozen before such attackers existed.",
    )


class AttackedSplitOut(Schema):
    """Floor, ceiling and best attacker (guessing or shortcut) of one split, in the first metric."""

    split: str = Field(description="Name of the split.")
    guess: str = Field(description="Name of the best guessing attacker, whose score is the floor.")
    attacker: str = Field(description="Name of the best guessing or shortcut attacker.")
    measure: AttackMeasureOut = Field(description="Floor and ceiling in this split.")
    score: AttackScoreOut = Field(
        description="Score of `attacker`. The interval is simultaneous: it covers all splits and attackers at once."
    )


class AttacksOut(Schema):
    """Scores of attackers, computed when the version was frozen."""

    revision: int = Field(description="Revision of the attackers.")
    measures: list[AttackMeasureOut] = Field(description="Floor and ceiling of each metric.")
    attackers: list[AttackerOut] = Field(description="The attackers and their scores.")
    splits: list[AttackedSplitOut] = Field(
        default=[],
        description="Each split with at least 20 rows. Empty if the version was frozen before splits were attacked "
        "separately, or if its suite judges all splits together.",
    )
    diagnostic: str = Field(
        description="Why the version has no ranks; empty if no shortcut is above its ceiling."
    )
    claim: str = Field(
        description="A note if a parser solves the version, so that self-reported results prove little; else empty."
    )
    joins: str = Field(
        description="How one row can be answered from other rows, in a sentence; empty if no method is known."
    )


class VersionDetail(VersionOut):
    """A version with its settings, a sample row, its files and its attackers."""

    settings: list[Fact] = Field(description="The version's settings, in words.")
    sample: dict[str, Any] = Field(description="One public row.")
    downloads: list[DownloadOut] = Field(description="The version's files with their checksums.")
    predictions_url: str | None = Field(
        description="URL that lists the predictions of public submissions; null while answers are secret."
    )
    attacks: AttacksOut | None = Field(description="Scores of attackers; null in older versions.")


class AnswersOut(Schema):
    """Who can know a version's answers."""

    state: str = Field(
        description="`sealed`: the answers are secret. `public`: they are in the rows. `open_demo`: anyone can "
        "generate them, because the seeds are known. `open_ids`: the row ids reveal them. `imported`: they are in the "
        "file that the rows came from. `retired`: anyone can generate them, because the seeds are published."
    )
    label: str = Field(description="The state in a few words.")
    text: str = Field(description="The state in a sentence.")
