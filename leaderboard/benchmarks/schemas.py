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
    help: str = Field(description="What it measures, in a sentence.")
    better: str = Field(description="Whether a `higher` or a `lower` value is better.")
    format: str = Field(
        description="How pages show it: `ratio` (as per cent), `points`, `count` or `seconds`."
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

    slug: str = Field(description="Name in addresses.")
    title: str = Field(description="Title for people.")
    summary: str = Field(description="What it measures, in a sentence.")
    grader: str = Field(description="The current grader and its revision.")
    columns: list[ColumnOut] = Field(description="Its metrics, in the order of boards.")
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
        answers={"state": "sealed", "label": "kept by the site", "text": "This site keeps the answers. …"},
        rows_url="https://bench.example/api/v1/versions/goldevidencebench/order-bias-short/rows",
    )

    id: str = Field(description="`benchmark/version`, which other calls expect as `version`.")
    title: str = Field(description="Title for people.")
    description: str = Field(description="What it measures, in a few sentences.")
    status: str = Field(description="`frozen` accepts submissions, `retired` does not.")
    featured: bool = Field(description="Whether the front page shows its board.")
    grader: str = Field(description="The grader and its revision.")
    sha256: str = Field(description="Hash over rows, gold, settings and grader.")
    rows_sha256: str = Field(
        description="SHA-256 of the uncompressed rows: X-Content-SHA256 of the download, or `zcat | sha256sum`. "
        "That of the gzip file is in `downloads` of a single version."
    )
    documents_sha256: str | None = Field(
        description="SHA-256 of the uncompressed texts that rows name by `document_id`; null if rows include them."
    )
    documents: int | None = Field(description="Number of these texts; null if rows include them.")
    rows: int = Field(description="Number of rows.")
    units: int = Field(description="Number of independently drawn units: episodes or timelines.")
    conditions: dict[str, int] = Field(description="Condition → number of rows.")
    headline: ColumnOut = Field(description="The metric by which its board is ordered.")
    public_gold: bool = Field(description="Whether the rows include their answers.")
    licence: str = Field(description="Licence of the rows: an SPDX identifier, or the words of their source.")
    commitment: str | None = Field(
        description="Commits the site to gold and key: HMAC-SHA-256(key, `goldevidencebench commitment 1\\n` "
        "+ SHA-256 of the gold's lines). Null if the answers never were secret."
    )
    answers: AnswersOut = Field(description="Who can know its answers.")
    figure_step: float | None = Field(
        description="Metrics are rounded to multiples of this while answers are secret; null: not rounded."
    )
    uploads: int | None = Field(
        description="Most uploads of an account or a system that are graded while answers are secret; "
        "null: only the daily limits apply."
    )
    twin: str | None = Field(description="Id of its public twin, which has answers in the rows and no ranks.")
    twin_of: str | None = Field(description="Id of the version of which this is the public twin.")
    frozen_at: datetime | None = Field(description="When it was frozen; it has not changed since.")
    rows_url: str = Field(description="Where its rows are downloaded.")
    documents_url: str | None = Field(description="Where texts are downloaded; null if rows include them.")
    url: str = Field(description="The page for people.")


class Fact(Schema):
    """A setting in words for readers."""

    label: str = Field(description="Name of the setting.")
    text: str = Field(description="Its value, for people.")


class DownloadOut(Schema):
    """A file of a version, with both of its checksums."""

    what: str = Field(
        description="`rows`; `documents`, the texts that rows refer to, if they are separate; `gold` once it is "
        "published."
    )
    content_sha256: str = Field(description="SHA-256 of the uncompressed lines: `zcat FILE | sha256sum`.")
    file_sha256: str = Field(
        description="SHA-256 of the gzip file: `sha256sum FILE`. Empty if the file is missing."
    )
    bytes: int | None = Field(description="Size of the gzip file; null for the gold.")
    url: str = Field(description="Where the file is downloaded.")


class AttackScoreOut(Schema):
    """An attacker's score in one metric, with its 95% interval."""

    metric: str = Field(description="Name of the metric.")
    value: float = Field(description="The value.")
    low: float = Field(description="Lower end of the 95% interval.")
    high: float = Field(description="Upper end of the 95% interval.")
    above: bool = Field(description="Whether the whole interval is above the ceiling.")


class AttackerOut(Schema):
    """A program that answers without understanding the text."""

    name: str = Field(description="Name that scripts use.")
    label: str = Field(description="Name for people.")
    about: str = Field(description="How it answers, in a sentence.")
    role: str = Field(
        description="`floor` guesses; `shortcut` must stay below the ceiling; `parser` has none; `join` reads all rows "
        "together and must stay below `joined_ceiling`."
    )
    scores: list[AttackScoreOut] = Field(description="Its score in each metric.")


class AttackMeasureOut(Schema):
    """Floor and ceiling of a metric."""

    metric: str = Field(description="Name of the metric.")
    label: str = Field(description="Name for people.")
    floor: float = Field(description="The score of the best guess.")
    ceiling: float = Field(description="The score that shortcuts must not exceed.")
    declared: bool = Field(
        description="Whether preset or suite declare floor and ceiling; otherwise they are measured."
    )
    joined_ceiling: float | None = Field(
        None,
        description="Ceiling of attackers that read all rows together: the best guess or shortcut, plus 0.02. Null for "
        "versions that were frozen without them.",
    )


class AttackedSplitOut(Schema):
    """Floor, ceiling and best guess or shortcut of one split, in the first metric."""

    split: str = Field(description="Name of the split.")
    guess: str = Field(description="The best guess, which determines the floor.")
    attacker: str = Field(description="The best guess or shortcut.")
    measure: AttackMeasureOut = Field(description="Floor and ceiling in this split.")
    score: AttackScoreOut = Field(
        description="Its score; intervals hold for all splits and attackers at once."
    )


class AttacksOut(Schema):
    """Attackers' scores from the freeze of the version."""

    revision: int = Field(description="Revision of the attackers.")
    measures: list[AttackMeasureOut] = Field(description="Floor and ceiling of each metric.")
    attackers: list[AttackerOut] = Field(description="The attackers and their scores.")
    splits: list[AttackedSplitOut] = Field(
        default=[],
        description="Each split with at least 20 rows; empty for versions frozen without this, and for suites whose "
        "splits are judged together.",
    )
    diagnostic: str = Field(
        description="Why the version has no ranks; empty if no shortcut is above its ceiling."
    )
    claim: str = Field(
        description="A note if a parser solves the version, so that self-reported results prove little; else empty."
    )
    joins: str = Field(
        description="How one row can be answered from others, in a sentence; empty if no way is known."
    )


class VersionDetail(VersionOut):
    """A version with its settings, a sample row, its files and its attackers."""

    settings: list[Fact] = Field(description="Its settings for people.")
    sample: dict[str, Any] = Field(description="One public row.")
    downloads: list[DownloadOut] = Field(description="Its files with their checksums.")
    predictions_url: str | None = Field(
        description="Where the predictions of public submissions are listed; null while answers are secret."
    )
    attacks: AttacksOut | None = Field(description="Scores of attackers; null in older versions.")


class AnswersOut(Schema):
    """Disclosure of a version's answers."""

    state: str = Field(
        description="`sealed`: kept by the site. `public`: in the rows. `open_demo`: anyone can generate them, as the "
        "seeds are known. `open_ids`: the row ids reveal them. `imported`: they are in the file that the rows came "
        "from. `retired`: the seeds are published."
    )
    label: str = Field(description="The state in a few words.")
    text: str = Field(description="A sentence for people.")
