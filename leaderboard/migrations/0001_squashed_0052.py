"""Migrations 0001 to 0052 in one step, for new databases. Older databases run the originals, which are kept for one release."""

import uuid
from importlib import import_module

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import leaderboard.accounts.confirmation
import leaderboard.benchmarks.models.benchmark
import leaderboard.submissions.models.card


def _from(name, function):
    return getattr(import_module(f"leaderboard.migrations.{name}"), function)


class Migration(migrations.Migration):
    replaces = [
        ("leaderboard", "0001_initial"),
        ("leaderboard", "0002_seal_frozen_versions"),
        ("leaderboard", "0003_benchmarks"),
        ("leaderboard", "0004_run_events"),
        ("leaderboard", "0005_conformance"),
        ("leaderboard", "0006_imports_and_verification"),
        ("leaderboard", "0007_slices"),
        ("leaderboard", "0008_leases_are_fenced"),
        ("leaderboard", "0009_account_names"),
        ("leaderboard", "0010_settle_account_names"),
        ("leaderboard", "0011_permissions"),
        ("leaderboard", "0012_conformance_suite_revision"),
        ("leaderboard", "0013_check_slot"),
        ("leaderboard", "0014_row_states"),
        ("leaderboard", "0015_metric_sums"),
        ("leaderboard", "0016_suite_choices"),
        ("leaderboard", "0017_ready_pages"),
        ("leaderboard", "0018_placements"),
        ("leaderboard", "0019_entries"),
        ("leaderboard", "0020_help_texts"),
        ("leaderboard", "0021_score_statistics"),
        ("leaderboard", "0022_references"),
        ("leaderboard", "0023_repeats"),
        ("leaderboard", "0024_counts_and_pages"),
        ("leaderboard", "0025_attacks"),
        ("leaderboard", "0026_twins"),
        ("leaderboard", "0027_documents"),
        ("leaderboard", "0028_lengths"),
        ("leaderboard", "0029_conformance_seed"),
        ("leaderboard", "0030_transcripts"),
        ("leaderboard", "0031_model_cards"),
        ("leaderboard", "0032_shipped"),
        ("leaderboard", "0033_grids"),
        ("leaderboard", "0034_submit"),
        ("leaderboard", "0035_guessing"),
        ("leaderboard", "0036_rows_of_trials"),
        ("leaderboard", "0037_sent_from"),
        ("leaderboard", "0038_answer_likeness"),
        ("leaderboard", "0039_rounding_rule"),
        ("leaderboard", "0040_delayed_tasks_and_periodic_work"),
        ("leaderboard", "0041_model_holders"),
        ("leaderboard", "0042_model_and_harness"),
        ("leaderboard", "0043_memory_systems"),
        ("leaderboard", "0044_one_per_model"),
        ("leaderboard", "0045_run_doing"),
        ("leaderboard", "0046_gym_loops"),
        ("leaderboard", "0047_submission_news"),
        ("leaderboard", "0048_idle_workers"),
        ("leaderboard", "0049_mail"),
        ("leaderboard", "0050_staff_acts"),
        ("leaderboard", "0051_deleted_accounts"),
        ("leaderboard", "0052_approval_and_retention"),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.CreateModel(
            name="Submission",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("browser", "Browser"),
                            ("api", "API"),
                            ("cli", "Command line"),
                            ("run", "Run by this site"),
                            ("mean", "Mean of repeats"),
                            ("shipped", "Shipped"),
                        ],
                        default="browser",
                        max_length=10,
                    ),
                ),
                ("verified", models.BooleanField(default=False)),
                (
                    "visibility",
                    models.CharField(
                        choices=[("public", "Public"), ("private", "Private")],
                        default="public",
                        max_length=10,
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=300)),
                ("file_sha256", models.CharField(max_length=64)),
                ("file_name", models.CharField(blank=True, max_length=200)),
                ("file_bytes", models.PositiveBigIntegerField(default=0)),
                ("row_count", models.PositiveIntegerField(default=0)),
                (
                    "conditions",
                    models.JSONField(default=list, help_text="Names of the conditions the file covers."),
                ),
                (
                    "efficiency",
                    models.JSONField(
                        default=dict, help_text="tokens_per_query, wall_s_per_q …; empty: not reported."
                    ),
                ),
                (
                    "provenance",
                    models.JSONField(
                        default=dict,
                        help_text="How it was made, where a run of this site or of its makers made it.",
                    ),
                ),
                (
                    "flags",
                    models.JSONField(
                        default=list, help_text="Intake checks that staff should look at, with the evidence."
                    ),
                ),
                ("idempotency_key", models.CharField(blank=True, max_length=100)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("grading", "Grading"),
                            ("graded", "Graded"),
                            ("failed", "Failed"),
                            ("waiting", "Waiting for repeats"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                (
                    "shown",
                    models.BooleanField(
                        default=False,
                        help_text="Whether the board of its version shows this submission for its system.",
                    ),
                ),
                ("progress_done", models.PositiveIntegerField(default=0)),
                ("progress_total", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("error", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("graded_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "lease_token",
                    models.UUIDField(
                        blank=True,
                        editable=False,
                        help_text="New with every claim, so that a worker that lost its lease can write nothing.",
                        null=True,
                    ),
                ),
                (
                    "lease_holder",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="The worker: its host, the boot of that host, its process.",
                        max_length=200,
                    ),
                ),
                (
                    "faults",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Consecutive faults of this site; they count no attempt."
                    ),
                ),
                (
                    "next_attempt_at",
                    models.DateTimeField(
                        blank=True, help_text="When it may be tried again; empty: at once.", null=True
                    ),
                ),
                (
                    "row_states",
                    models.JSONField(
                        default=dict,
                        help_text="How many lines hold an answer, and why the others hold none; empty: not counted.",
                    ),
                ),
                (
                    "declared",
                    models.BooleanField(
                        default=False,
                        help_text="Declared, before it was graded, to stand for its system on the board.",
                    ),
                ),
                (
                    "repeat",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Which of the repeats it is, from 1; 0: none, as of a mean."
                    ),
                ),
                (
                    "repeats",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text="How many repeats stand together: of a mean and of each of its repeats; else 1.",
                    ),
                ),
                (
                    "transcripts_sha256",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="What a run exchanged with its model, a line a row; empty: nothing is kept.",
                        max_length=64,
                    ),
                ),
                (
                    "warnings",
                    models.JSONField(
                        default=list,
                        help_text="What looked mistaken in the file when it was sent: code and message; told to its submitter.",
                    ),
                ),
                (
                    "sent_from",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Of an upload to a version that keeps its answers: a hash of its network that changes every day.",
                        max_length=64,
                    ),
                ),
                (
                    "approval",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("waiting", "Waits for a moderator"),
                            ("approved", "Approved"),
                            ("refused", "Refused"),
                        ],
                        default=leaderboard.accounts.confirmation.first_approval,
                        help_text="What a moderator said of it, where this site asks for that; empty: made while it did not.",
                        max_length=10,
                    ),
                ),
                ("approval_reason", models.CharField(blank=True, default="", max_length=500)),
                (
                    "file_removed_at",
                    models.DateTimeField(
                        blank=True,
                        editable=False,
                        help_text="When its predictions were removed, as KEEP_UPLOADS_DAYS says.",
                        null=True,
                    ),
                ),
                (
                    "transcripts_removed_at",
                    models.DateTimeField(
                        blank=True,
                        editable=False,
                        help_text="The same of its transcripts: KEEP_TRANSCRIPTS_DAYS.",
                        null=True,
                    ),
                ),
                (
                    "mean",
                    models.ForeignKey(
                        blank=True,
                        help_text="What stands for it and the other repeats on the board.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="members",
                        to="leaderboard.submission",
                    ),
                ),
                (
                    "submitter",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "permissions": [
                    ("publish_submission", "Can make a submission public or private"),
                    ("withdraw_submission", "Can withdraw a submission"),
                    ("regrade_submission", "Can grade a submission again"),
                    ("download_predictions", "Can download the predictions of a submission"),
                    ("exceed_quota", "Can submit without a daily limit"),
                    ("approve_submission", "Can approve and refuse results for boards"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Benchmark",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "suite",
                    models.CharField(
                        choices=leaderboard.benchmarks.models.benchmark.suite_choices,
                        max_length=40,
                        unique=True,
                    ),
                ),
                ("slug", models.SlugField(unique=True)),
                ("title", models.CharField(max_length=100)),
                ("summary", models.TextField(blank=True)),
                ("position", models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                "ordering": ["position", "title"],
            },
        ),
        migrations.CreateModel(
            name="ContentChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token", models.CharField(blank=True, max_length=32)),
            ],
            options={
                "verbose_name": "change of content",
                "verbose_name_plural": "changes of content",
            },
        ),
        migrations.CreateModel(
            name="Version",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=80)),
                ("title", models.CharField(max_length=120)),
                ("description", models.TextField(blank=True)),
                ("settings", models.JSONField(default=dict)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("freezing", "Freezing"),
                            ("failed", "Failed"),
                            ("frozen", "Frozen"),
                            ("retired", "Retired"),
                        ],
                        default="draft",
                        max_length=10,
                    ),
                ),
                (
                    "source_sha256",
                    models.CharField(
                        blank=True,
                        help_text="SHA-256 of the imported file; empty for generated rows.",
                        max_length=64,
                    ),
                ),
                ("grader", models.CharField(blank=True, max_length=60)),
                ("sha256", models.CharField(blank=True, max_length=64, verbose_name="SHA-256")),
                ("rows_sha256", models.CharField(blank=True, max_length=64)),
                ("gold_sha256", models.CharField(blank=True, max_length=64)),
                ("rows_bytes", models.PositiveBigIntegerField(default=0)),
                ("row_count", models.PositiveIntegerField(default=0)),
                ("unit_count", models.PositiveIntegerField(default=0)),
                (
                    "conditions",
                    models.JSONField(default=dict, help_text="Number of rows of each split, by its name."),
                ),
                ("sample", models.JSONField(default=dict, help_text="One public row, for the version page.")),
                ("public_gold", models.BooleanField(default=False)),
                ("featured", models.BooleanField(default=False, help_text="The board that opens first.")),
                ("progress_done", models.PositiveIntegerField(default=0)),
                ("progress_total", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("error", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("frozen_at", models.DateTimeField(blank=True, null=True)),
                ("retired_at", models.DateTimeField(blank=True, null=True)),
                (
                    "upload",
                    models.CharField(
                        blank=True,
                        help_text="Where the file of an import waits until its rows are frozen.",
                        max_length=100,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "queued_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, help_text="When it was queued to be frozen."
                    ),
                ),
                (
                    "verified_at",
                    models.DateTimeField(
                        blank=True, help_text="When its hashes were last recomputed.", null=True
                    ),
                ),
                (
                    "damage",
                    models.TextField(
                        blank=True,
                        help_text="What the last check found wrong; empty where all hashes matched.",
                    ),
                ),
                (
                    "lease_token",
                    models.UUIDField(
                        blank=True,
                        editable=False,
                        help_text="New with every claim, so that a worker that lost its lease can write nothing.",
                        null=True,
                    ),
                ),
                (
                    "lease_holder",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="The worker: its host, the boot of that host, its process.",
                        max_length=200,
                    ),
                ),
                (
                    "faults",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Consecutive faults of this site; they count no attempt."
                    ),
                ),
                (
                    "next_attempt_at",
                    models.DateTimeField(
                        blank=True, help_text="When it may be tried again; empty: at once.", null=True
                    ),
                ),
                (
                    "attacks",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="What programs reach in it that understand nothing.",
                    ),
                ),
                (
                    "licence",
                    models.CharField(
                        blank=True,
                        default="MIT",
                        help_text="Of its rows: an SPDX identifier, or what their source says.",
                        max_length=100,
                    ),
                ),
                (
                    "figure_step",
                    models.FloatField(
                        default=0,
                        help_text="To what its figures are rounded while its answers are kept; 0: shown as they are.",
                    ),
                ),
                (
                    "upload_limit",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="How many uploads of an account or a system are graded in all while its answers are kept; empty: as the site sets it.",
                        null=True,
                    ),
                ),
                (
                    "documents_sha256",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Of the texts that its rows name; empty where the rows hold them.",
                        max_length=64,
                    ),
                ),
                ("documents_bytes", models.PositiveBigIntegerField(default=0)),
                ("document_count", models.PositiveIntegerField(default=0)),
                (
                    "guessing",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="What programs reach that read no text, by part of its rows; empty: not computed, or none.",
                    ),
                ),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="versions",
                        to="leaderboard.benchmark",
                    ),
                ),
                (
                    "twin_of",
                    models.OneToOneField(
                        blank=True,
                        help_text="The version whose public twin it is: same settings, other seeds, answers in the rows, no ranks.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="twin",
                        to="leaderboard.version",
                    ),
                ),
            ],
            options={
                "ordering": ["benchmark__position", "-frozen_at", "-created_at"],
                "permissions": [("view_gold", "Can see what tells withheld gold")],
            },
        ),
        migrations.CreateModel(
            name="IdleWorker",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="Its host, the boot of that host, its process.", max_length=200, unique=True
                    ),
                ),
                ("reason", models.CharField(max_length=300)),
                ("said_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Mail",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                (
                    "lease_token",
                    models.UUIDField(
                        blank=True,
                        editable=False,
                        help_text="New with every claim, so that a worker that lost its lease can write nothing.",
                        null=True,
                    ),
                ),
                (
                    "lease_holder",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="The worker: its host, the boot of that host, its process.",
                        max_length=200,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "faults",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Consecutive faults of this site; they count no attempt."
                    ),
                ),
                (
                    "next_attempt_at",
                    models.DateTimeField(
                        blank=True, help_text="When it may be tried again; empty: at once.", null=True
                    ),
                ),
                ("progress_done", models.PositiveIntegerField(default=0)),
                ("progress_total", models.PositiveIntegerField(default=0)),
                ("error", models.TextField(blank=True)),
                ("message", models.JSONField(help_text="The parts of Django's EmailMultiAlternatives.")),
                ("recipients", models.TextField()),
                (
                    "status",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("sending", "Sending"), ("failed", "Failed")],
                        db_index=True,
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "verbose_name_plural": "mail",
            },
        ),
        migrations.CreateModel(
            name="PeriodicWork",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "token",
                    models.UUIDField(editable=False, help_text="Of the worker that does it.", null=True),
                ),
                ("held_until", models.DateTimeField(null=True)),
                ("done_at", models.DateTimeField(help_text="When all of it was done last.", null=True)),
            ],
            options={
                "verbose_name": "periodic work",
                "verbose_name_plural": "periodic work",
            },
        ),
        migrations.CreateModel(
            name="Preset",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.SlugField(
                        help_text="Short name; it becomes part of the version's address.", max_length=60
                    ),
                ),
                ("title", models.CharField(blank=True, max_length=120)),
                (
                    "description",
                    models.TextField(
                        blank=True, help_text="What a version of this preset measures, for readers."
                    ),
                ),
                (
                    "settings",
                    models.JSONField(
                        blank=True, default=dict, help_text="Only what differs from the defaults is needed."
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="presets",
                        to="leaderboard.benchmark",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["benchmark", "name"],
            },
        ),
        migrations.CreateModel(
            name="RenderedPage",
            fields=[
                (
                    "key",
                    models.CharField(
                        help_text="SHA-256 of its whole address.",
                        max_length=64,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        help_text="Of the site, and of the code that rendered it.", max_length=80
                    ),
                ),
                ("address", models.TextField()),
                ("packed", models.BinaryField()),
                ("headers", models.JSONField()),
                ("etag", models.CharField(max_length=80)),
                (
                    "good_until",
                    models.DateTimeField(
                        db_index=True, help_text="Then it says of something that it was too lately."
                    ),
                ),
            ],
            options={
                "verbose_name": "page rendered ahead",
                "verbose_name_plural": "pages rendered ahead",
            },
        ),
        migrations.CreateModel(
            name="Score",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("revision", models.PositiveSmallIntegerField(default=1)),
                ("grader", models.CharField(max_length=60)),
                (
                    "headline",
                    models.FloatField(
                        blank=True, help_text="The suite's headline metric, for ordering.", null=True
                    ),
                ),
                ("metrics", models.JSONField(default=dict)),
                ("intervals", models.JSONField(default=dict)),
                ("groups", models.JSONField(default=dict)),
                (
                    "unit_scores",
                    models.BinaryField(
                        default=bytes, help_text="float32 pairs (sum, rows) of the headline per unit."
                    ),
                ),
                (
                    "robust_scores",
                    models.BinaryField(
                        default=bytes, help_text="The same for the worst condition; empty: not reported."
                    ),
                ),
                (
                    "gated",
                    models.BooleanField(default=False, help_text="A gate failed: shown and not ranked."),
                ),
                (
                    "spread",
                    models.JSONField(
                        default=list, help_text="The order bias as [order, rate] pairs; empty: none."
                    ),
                ),
                ("failures", models.JSONField(default=dict, help_text="Failure code -> rows.")),
                ("verdicts_sha256", models.CharField(blank=True, max_length=64)),
                ("seconds", models.FloatField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("graded_at", models.DateTimeField(auto_now=True)),
                (
                    "measures",
                    models.JSONField(
                        default=list,
                        help_text="What its system shows a model, one row per token budget; empty: not measured.",
                    ),
                ),
                (
                    "cells",
                    models.JSONField(
                        default=list,
                        help_text="The parts of the rows that a board can rank by, each by its names.",
                    ),
                ),
                (
                    "cell_scores",
                    models.BinaryField(
                        default=bytes,
                        help_text="The same pairs for each of `cells`, compressed; empty: not reported.",
                    ),
                ),
                (
                    "metric_sums",
                    models.BinaryField(
                        default=bytes,
                        help_text="The sums by unit of every rate, see `score_sums`; empty: an older grading.",
                    ),
                ),
                (
                    "statistics",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text="The version of the statistics that made the intervals; 1 was the bootstrap.",
                    ),
                ),
                (
                    "repeats",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text="How many repeats the figures are the mean of; 1: of a single file.",
                    ),
                ),
                (
                    "run_sds",
                    models.JSONField(
                        default=dict,
                        help_text="Metric -> the standard deviation between the repeats, with repeats - 1 degrees of freedom.",
                    ),
                ),
                (
                    "by_split",
                    models.BooleanField(
                        default=True, help_text="Whether figures beside the headline and by split are shown."
                    ),
                ),
                (
                    "exact",
                    models.JSONField(
                        default=dict,
                        help_text="What the figures above are before they are rounded, on a version that keeps its answers; no page and no answer of the API shows it. Empty: they are not rounded.",
                    ),
                ),
                (
                    "exact_headline",
                    models.FloatField(
                        blank=True,
                        help_text="The headline before it is rounded: what ranks are of.",
                        null=True,
                    ),
                ),
                (
                    "gates",
                    models.JSONField(
                        default=list,
                        help_text="The state of each gate by the exact figures; empty: as the figures say.",
                    ),
                ),
                (
                    "asked",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="Of a trial: how many rows it asked, which all its figures are over. Empty: all rows of the version.",
                        null=True,
                    ),
                ),
                (
                    "rounding",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text="The rule that the figures were rounded by, see `sealed_figures.RULE`.",
                    ),
                ),
            ],
            options={
                "ordering": ["-revision"],
            },
        ),
        migrations.CreateModel(
            name="System",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="Model and harness in one line: what charts call it.", max_length=80
                    ),
                ),
                ("slug", models.SlugField(max_length=90)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("llm", "LLM"),
                            ("pipeline", "Pipeline"),
                            ("selector", "Selector"),
                            ("retriever", "Retriever"),
                            ("strategy", "Strategy"),
                            ("memory", "Memory system"),
                            ("baseline", "Baseline"),
                        ],
                        default="llm",
                        max_length=10,
                    ),
                ),
                (
                    "quantization",
                    models.CharField(
                        blank=True, help_text="For example Q5_K_M; empty for full precision.", max_length=30
                    ),
                ),
                ("parameters", models.CharField(blank=True, help_text="For example 7B.", max_length=30)),
                ("description", models.CharField(blank=True, max_length=300)),
                ("url", models.URLField(blank=True, help_text="Paper, model card or repository.")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "reference",
                    models.CharField(
                        blank=True,
                        choices=[("oracle", "Oracle"), ("floor", "Floor"), ("rule", "Rule")],
                        editable=False,
                        help_text="Its role as a reference that the site runs itself: no rank; empty for a contestant.",
                        max_length=10,
                    ),
                ),
                (
                    "base_model",
                    models.CharField(
                        blank=True,
                        help_text="The model that was tuned or merged further.",
                        max_length=120,
                        verbose_name="derived from",
                    ),
                ),
                (
                    "card_sources",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        editable=False,
                        help_text="Field of the card -> file or person; a field of an older release has no entry.",
                    ),
                ),
                (
                    "context",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="Tokens that the model reads at most.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                (
                    "developer",
                    models.CharField(blank=True, help_text="Who trained the model.", max_length=100),
                ),
                (
                    "hub_id",
                    models.CharField(
                        blank=True,
                        help_text="On the Hugging Face Hub, for example HuggingFaceTB/SmolLM2-135M-Instruct.",
                        max_length=120,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[\\w.-]+(/[\\w.-]+)?\\Z",
                                "Write it as owner/name, such as HuggingFaceTB/SmolLM2-135M-Instruct.",
                            )
                        ],
                        verbose_name="Hub id",
                    ),
                ),
                (
                    "hub_revision",
                    models.CharField(
                        blank=True,
                        help_text="The commit, tag or branch there.",
                        max_length=100,
                        validators=[
                            django.core.validators.RegexValidator(
                                "\\A[\\w./-]+\\Z",
                                "A revision is a commit, a tag or a branch, without spaces.",
                            )
                        ],
                        verbose_name="Hub revision",
                    ),
                ),
                (
                    "licence",
                    models.CharField(
                        blank=True,
                        help_text="Its SPDX name, such as Apache-2.0, or what it is called.",
                        max_length=60,
                    ),
                ),
                (
                    "licence_url",
                    models.URLField(
                        blank=True, help_text="Where the licence can be read.", verbose_name="licence text"
                    ),
                ),
                (
                    "price_in",
                    models.FloatField(
                        blank=True,
                        help_text="US dollars for a million tokens read.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="price of input",
                    ),
                ),
                (
                    "price_out",
                    models.FloatField(
                        blank=True,
                        help_text="US dollars for a million tokens written.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="price of output",
                    ),
                ),
                (
                    "released",
                    models.DateField(
                        blank=True,
                        help_text="The day it could first be used.",
                        null=True,
                        validators=[leaderboard.submissions.models.card.not_in_the_future],
                    ),
                ),
                (
                    "weights",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Not known"),
                            ("open", "Open"),
                            ("conditions", "Open, with conditions"),
                            ("closed", "Closed"),
                        ],
                        help_text="With conditions: a licence that limits who may use them, or for what.",
                        max_length=10,
                    ),
                ),
                (
                    "harness",
                    models.CharField(
                        blank=True,
                        help_text="For example: BM25 finds 8 lines, the model answers.",
                        max_length=120,
                        verbose_name="how it reads, in a line",
                    ),
                ),
                (
                    "model",
                    models.CharField(
                        blank=True,
                        help_text="The model as people call it, for example SmolLM2-135M-Instruct.",
                        max_length=80,
                    ),
                ),
                (
                    "reading",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Not stated"),
                            ("whole", "Reads the whole text"),
                            ("retrieval", "Retrieval"),
                            ("memory", "Memory"),
                            ("agent", "Agent"),
                            ("other", "Other"),
                        ],
                        max_length=10,
                        verbose_name="how it reads",
                    ),
                ),
                (
                    "seen",
                    models.CharField(
                        blank=True,
                        choices=[("", "Not stated"), ("no", "No"), ("maybe", "It may have"), ("yes", "Yes")],
                        help_text="Whether its training data may hold rows of the benchmark.",
                        max_length=10,
                        verbose_name="has the model seen the benchmark",
                    ),
                ),
                (
                    "settings",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="Adapter, prompt set and settings of a run.",
                        max_length=200,
                    ),
                ),
                (
                    "main",
                    models.BooleanField(
                        default=False,
                        help_text="Of your systems of a model, the one that boards show where they show one per model. It is declared before the system has a score; without the tick the first one stands.",
                        verbose_name="the main way of reading for this model",
                    ),
                ),
                (
                    "seen_since",
                    models.DateField(
                        blank=True,
                        help_text="The day from which its training data may hold rows; empty: not stated.",
                        null=True,
                        validators=[leaderboard.submissions.models.card.not_in_the_future],
                        verbose_name="since when",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="systems",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="AnswerPrint",
            fields=[
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="answer_print",
                        serialize=False,
                        to="leaderboard.submission",
                    ),
                ),
                (
                    "answers_sha256",
                    models.CharField(
                        blank=True,
                        db_index=True,
                        help_text="Of all answers, by row; empty: no row is answered.",
                        max_length=64,
                    ),
                ),
                (
                    "mistakes",
                    models.PositiveIntegerField(default=0, help_text="How many wrong answers it holds."),
                ),
                (
                    "mistake_sketch",
                    models.BinaryField(
                        default=bytes, help_text="The smallest hashes of its wrong answers, as 8 bytes each."
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("scopes", models.JSONField(default=list)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("hint", models.CharField(max_length=4)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="Bench",
            fields=[
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                (
                    "lease_token",
                    models.UUIDField(
                        blank=True,
                        editable=False,
                        help_text="New with every claim, so that a worker that lost its lease can write nothing.",
                        null=True,
                    ),
                ),
                (
                    "lease_holder",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="The worker: its host, the boot of that host, its process.",
                        max_length=200,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "faults",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Consecutive faults of this site; they count no attempt."
                    ),
                ),
                (
                    "next_attempt_at",
                    models.DateTimeField(
                        blank=True, help_text="When it may be tried again; empty: at once.", null=True
                    ),
                ),
                ("progress_done", models.PositiveIntegerField(default=0)),
                ("progress_total", models.PositiveIntegerField(default=0)),
                ("error", models.TextField(blank=True)),
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "suite_name",
                    models.CharField(
                        help_text="Whose measurements are made.", max_length=40, verbose_name="suite"
                    ),
                ),
                (
                    "name",
                    models.CharField(help_text="The system, as tables and folders call it.", max_length=80),
                ),
                (
                    "executor",
                    models.CharField(
                        help_text="A deterministic system of the engine, or an adapter.", max_length=60
                    ),
                ),
                (
                    "settings",
                    models.JSONField(blank=True, default=dict, help_text="Settings of the executor."),
                ),
                (
                    "size",
                    models.CharField(
                        help_text="How much is asked, by the suite's name for it.", max_length=20
                    ),
                ),
                (
                    "seeds",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Other than the size has; 0: as the size."
                    ),
                ),
                (
                    "parts",
                    models.JSONField(
                        blank=True, default=list, help_text="Names of the parts; empty: all that fit."
                    ),
                ),
                (
                    "thresholds",
                    models.JSONField(blank=True, default=dict, help_text="Bars with another threshold."),
                ),
                (
                    "queue",
                    models.CharField(
                        choices=[("models", "this machine's models"), ("servers", "model servers")],
                        default="models",
                        editable=False,
                        help_text="Models of this machine run one at a time; what waits for a server does not hold them up.",
                        max_length=10,
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("paused", "Paused"),
                            ("finished", "Finished"),
                            ("cancelled", "Cancelled"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("cancel_requested", models.BooleanField(default=False)),
                (
                    "go_on",
                    models.BooleanField(
                        default=False,
                        help_text="Do not pause, however many rows hold no answer: they count as wrong.",
                    ),
                ),
                (
                    "plan",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="What is asked: name, title, cells and rows of each part.",
                    ),
                ),
                (
                    "cells",
                    models.JSONField(
                        blank=True, default=dict, help_text="Of each part the cells that are done."
                    ),
                ),
                (
                    "at_hand",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="The cell that is being answered, and how far it is.",
                    ),
                ),
                (
                    "rate",
                    models.FloatField(
                        blank=True, help_text="Rows per second since it was last started.", null=True
                    ),
                ),
                ("worker", models.CharField(blank=True, max_length=100)),
                ("report", models.JSONField(blank=True, help_text="The report of what is done.", null=True)),
                (
                    "bars",
                    models.JSONField(blank=True, default=list, help_text="The bars, and what was measured."),
                ),
                (
                    "files_sha256",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="The archive of its folder; empty: none yet.",
                        max_length=64,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "files_copy",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        editable=False,
                        help_text="The copy of its files in the artifact store: a folder and how many parts; empty: none.",
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="benches",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "benches",
                "ordering": ["-created_at"],
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="BenchEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("what", models.CharField(max_length=300)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "bench",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="leaderboard.bench",
                    ),
                ),
            ],
            options={
                "ordering": ["at", "pk"],
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="CheckSlot",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(unique=True)),
                ("until", models.DateTimeField()),
                (
                    "account",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="DelayedTask",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("task", models.CharField(max_length=60)),
                ("args", models.CharField(help_text="JSON, a list.", max_length=200)),
                ("due_at", models.DateTimeField(db_index=True)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("task", "args"), name="delayed_once")],
            },
        ),
        migrations.CreateModel(
            name="DeletedAccount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "confirmed",
                    models.BooleanField(
                        help_text="Whether boards took its results: its address was confirmed."
                    ),
                ),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deleted_account",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="DuePlacements",
            fields=[
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="due_placements",
                        serialize=False,
                        to="leaderboard.version",
                    ),
                ),
                ("since", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name_plural": "due placements",
            },
        ),
        migrations.CreateModel(
            name="StoredLengths",
            fields=[
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="stored_lengths",
                        serialize=False,
                        to="leaderboard.version",
                    ),
                ),
                ("method", models.CharField(help_text="What the figures were computed by.", max_length=60)),
                ("fingerprint", models.CharField(help_text="Of the scores that they are of.", max_length=64)),
                ("figures", models.BinaryField(help_text="Compressed JSON, see `lengths.stored`.")),
                ("computed_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "verbose_name_plural": "stored lengths",
            },
        ),
        migrations.AddField(
            model_name="submission",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="submissions",
                to="leaderboard.version",
            ),
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("received", "Received"),
                            ("declared", "Declared as its system's entry"),
                            ("queued", "Queued"),
                            ("graded", "Graded"),
                            ("regraded", "Regraded"),
                            ("failed", "Failed"),
                            ("published", "Made public"),
                            ("unpublished", "Made private"),
                            ("withdrawn", "Withdrawn"),
                            ("approved", "Approved"),
                            ("refused", "Refused for boards"),
                        ],
                        max_length=12,
                    ),
                ),
                ("detail", models.CharField(blank=True, max_length=300)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="leaderboard.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="FormerName",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=150, unique=True)),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("reserved", "it is reserved for the site itself, or looks like a name that is"),
                            ("alike", "it looks like the name of another account"),
                            ("address", "no address can hold it"),
                            ("changed", "a maintainer changed it"),
                        ],
                        default="changed",
                        max_length=10,
                    ),
                ),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "told_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When its owner learned of the change at sign-in; empty: not yet.",
                        null=True,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_names",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-since", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="GymLoop",
            fields=[
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                (
                    "lease_token",
                    models.UUIDField(
                        blank=True,
                        editable=False,
                        help_text="New with every claim, so that a worker that lost its lease can write nothing.",
                        null=True,
                    ),
                ),
                (
                    "lease_holder",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="The worker: its host, the boot of that host, its process.",
                        max_length=200,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "faults",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Consecutive faults of this site; they count no attempt."
                    ),
                ),
                (
                    "next_attempt_at",
                    models.DateTimeField(
                        blank=True, help_text="When it may be tried again; empty: at once.", null=True
                    ),
                ),
                ("progress_done", models.PositiveIntegerField(default=0)),
                ("progress_total", models.PositiveIntegerField(default=0)),
                ("error", models.TextField(blank=True)),
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "executor",
                    models.CharField(
                        help_text="A deterministic system of the engine, or an adapter.", max_length=60
                    ),
                ),
                (
                    "settings",
                    models.JSONField(blank=True, default=dict, help_text="Settings of the executor."),
                ),
                (
                    "queue",
                    models.CharField(
                        choices=[("models", "this machine's models"), ("servers", "model servers")],
                        default="models",
                        editable=False,
                        help_text="Models of this machine run one at a time; what waits for a server does not hold them up.",
                        max_length=10,
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("paused", "Paused"),
                            ("finished", "Finished"),
                            ("cancelled", "Cancelled"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("cancel_requested", models.BooleanField(default=False)),
                (
                    "go_on",
                    models.BooleanField(
                        default=False,
                        help_text="Do not pause, however many rows hold no answer: they count as wrong.",
                    ),
                ),
                ("worker", models.CharField(blank=True, max_length=100)),
                (
                    "files_copy",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        editable=False,
                        help_text="The copy of its files in the artifact store: a folder and how many parts; empty: none.",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "at_hand",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="What is done in the present round, and how far that is.",
                    ),
                ),
                (
                    "rate",
                    models.FloatField(
                        blank=True, help_text="Rounds per second since it was last started.", null=True
                    ),
                ),
                (
                    "outcome",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="The engine's report of what is done, without its settings.",
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="gym_loops",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "gym loop",
                "ordering": ["-created_at"],
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="GymLoopEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("what", models.CharField(max_length=300)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "loop",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="leaderboard.gymloop",
                    ),
                ),
            ],
            options={
                "ordering": ["at", "pk"],
                "abstract": False,
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="ModelFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "path",
                    models.CharField(help_text="Relative to the models folder.", max_length=200, unique=True),
                ),
                ("name", models.CharField(max_length=100)),
                ("sha256", models.CharField(max_length=64, verbose_name="SHA-256")),
                ("size", models.PositiveBigIntegerField(default=0)),
                ("architecture", models.CharField(blank=True, max_length=40)),
                ("quantization", models.CharField(blank=True, max_length=30)),
                ("parameters", models.PositiveBigIntegerField(default=0)),
                ("context_length", models.PositiveIntegerField(default=0)),
                ("chat_template", models.TextField(blank=True)),
                ("metadata", models.JSONField(default=dict)),
                ("registered_at", models.DateTimeField(auto_now_add=True)),
                (
                    "kind",
                    models.CharField(
                        default="gguf", help_text="gguf, or what the weights were trained as.", max_length=20
                    ),
                ),
                (
                    "registered_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="ModelCheck",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                (
                    "lease_token",
                    models.UUIDField(
                        blank=True,
                        editable=False,
                        help_text="New with every claim, so that a worker that lost its lease can write nothing.",
                        null=True,
                    ),
                ),
                (
                    "lease_holder",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="The worker: its host, the boot of that host, its process.",
                        max_length=200,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "faults",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Consecutive faults of this site; they count no attempt."
                    ),
                ),
                (
                    "next_attempt_at",
                    models.DateTimeField(
                        blank=True, help_text="When it may be tried again; empty: at once.", null=True
                    ),
                ),
                ("progress_done", models.PositiveIntegerField(default=0)),
                ("progress_total", models.PositiveIntegerField(default=0)),
                ("error", models.TextField(blank=True)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting for a worker"),
                            ("running", "Being checked"),
                            ("passed", "Passed"),
                            ("suspicious", "Suspicious"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                (
                    "result",
                    models.JSONField(
                        blank=True, default=dict, help_text="What the engine's smoke test reports."
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, help_text="When it was asked for."
                    ),
                ),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "model_file",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="check_made",
                        to="leaderboard.modelfile",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.AddField(
            model_name="gymloop",
            name="model_file",
            field=models.OneToOneField(
                blank=True,
                help_text="What it trained; empty until it is finished.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="loop",
                to="leaderboard.modelfile",
            ),
        ),
        migrations.AddField(
            model_name="bench",
            name="model_file",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="benches",
                to="leaderboard.modelfile",
            ),
        ),
        migrations.CreateModel(
            name="NameClaim",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("skeleton", models.CharField(max_length=150, unique=True)),
                ("claimed_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="name_claims",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="version",
            name="preset",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="versions",
                to="leaderboard.preset",
            ),
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "executor",
                    models.CharField(
                        help_text="A deterministic system of the engine, or an adapter.", max_length=60
                    ),
                ),
                (
                    "settings",
                    models.JSONField(blank=True, default=dict, help_text="Settings of the executor."),
                ),
                (
                    "conditions",
                    models.JSONField(
                        blank=True, default=list, help_text="Names of the conditions to run; empty: all."
                    ),
                ),
                ("row_limit", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "visibility",
                    models.CharField(
                        choices=[("public", "Public"), ("private", "Private")],
                        default="public",
                        max_length=10,
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("paused", "Paused"),
                            ("finished", "Finished"),
                            ("cancelled", "Cancelled"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("cancel_requested", models.BooleanField(default=False)),
                ("progress_done", models.PositiveIntegerField(default=0)),
                ("progress_total", models.PositiveIntegerField(default=0)),
                (
                    "rate",
                    models.FloatField(
                        blank=True, help_text="Rows per second since the run was last started.", null=True
                    ),
                ),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("worker", models.CharField(blank=True, max_length=100)),
                ("error", models.TextField(blank=True)),
                ("provenance", models.JSONField(blank=True, default=dict)),
                ("efficiency", models.JSONField(blank=True, default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "lease_token",
                    models.UUIDField(
                        blank=True,
                        editable=False,
                        help_text="New with every claim, so that a worker that lost its lease can write nothing.",
                        null=True,
                    ),
                ),
                (
                    "lease_holder",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="The worker: its host, the boot of that host, its process.",
                        max_length=200,
                    ),
                ),
                (
                    "faults",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Consecutive faults of this site; they count no attempt."
                    ),
                ),
                (
                    "next_attempt_at",
                    models.DateTimeField(
                        blank=True, help_text="When it may be tried again; empty: at once.", null=True
                    ),
                ),
                (
                    "row_states",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="How many rows are answered, and why the others are not.",
                    ),
                ),
                (
                    "go_on",
                    models.BooleanField(
                        default=False,
                        help_text="Do not pause, however many rows hold no answer: they count as wrong.",
                    ),
                ),
                (
                    "declared",
                    models.BooleanField(
                        default=False,
                        help_text="Declared, before it started, to stand for its system on the board.",
                    ),
                ),
                (
                    "repeat",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Which of the repeats its result is, from 1; 0: none."
                    ),
                ),
                (
                    "queue",
                    models.CharField(
                        choices=[("models", "this machine's models"), ("servers", "model servers")],
                        default="models",
                        editable=False,
                        help_text="Models of this machine run one at a time; what waits for a server does not hold them up.",
                        max_length=10,
                    ),
                ),
                (
                    "files_copy",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        editable=False,
                        help_text="The copy of its files in the artifact store: a folder and how many parts; empty: none.",
                    ),
                ),
                (
                    "doing",
                    models.CharField(
                        blank=True,
                        default="",
                        editable=False,
                        help_text="At what its worker is now.",
                        max_length=100,
                    ),
                ),
                (
                    "mean",
                    models.ForeignKey(
                        blank=True,
                        help_text="The mean that its result is a repeat of.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="runs_of_mean",
                        to="leaderboard.submission",
                    ),
                ),
                (
                    "model_file",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="leaderboard.modelfile",
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="run",
                        to="leaderboard.submission",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="leaderboard.version",
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="leaderboard.system",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "permissions": [("cancel_run", "Can cancel a run"), ("resume_run", "Can resume a run")],
            },
        ),
        migrations.CreateModel(
            name="RunEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("what", models.CharField(max_length=300)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="leaderboard.run",
                    ),
                ),
            ],
            options={
                "ordering": ["at", "pk"],
            },
        ),
        migrations.AddField(
            model_name="submission",
            name="score",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="leaderboard.score",
            ),
        ),
        migrations.AddField(
            model_name="score",
            name="submission",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="scores",
                to="leaderboard.submission",
            ),
        ),
        migrations.CreateModel(
            name="ServiceAccount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("purpose", models.CharField(max_length=20, unique=True)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="service_account",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StaffAct",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                (
                    "account",
                    models.BigIntegerField(
                        blank=True, help_text="The key of who did it; empty: a command.", null=True
                    ),
                ),
                ("who", models.CharField(max_length=150)),
                ("via", models.CharField(max_length=60, verbose_name="through")),
                ("act", models.CharField(max_length=30)),
                ("kind", models.CharField(max_length=60, verbose_name="of")),
                ("object_id", models.CharField(max_length=64)),
                ("object_name", models.CharField(blank=True, max_length=200, verbose_name="which")),
                ("before", models.JSONField(default=dict)),
                ("after", models.JSONField(default=dict)),
                ("request_id", models.CharField(blank=True, max_length=100)),
            ],
            options={
                "ordering": ["-at", "-pk"],
                "default_permissions": ("view",),
                "indexes": [models.Index(fields=["kind", "object_id"], name="staff_act_of")],
            },
        ),
        migrations.CreateModel(
            name="StoredPlacements",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("part", models.TextField(blank=True, help_text="Whose rows are ranked by; empty: all.")),
                ("ranking", models.CharField(help_text="What the ranks were computed by.", max_length=60)),
                ("fingerprint", models.CharField(help_text="Of the scores that were ranked.", max_length=64)),
                ("places", models.BinaryField(help_text="Compressed JSON, see `placements.stored`.")),
                ("computed_at", models.DateTimeField(auto_now=True)),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stored_placements",
                        to="leaderboard.version",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "stored placements",
            },
        ),
        migrations.CreateModel(
            name="SubmissionCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("status", models.CharField(max_length=10)),
                ("visibility", models.CharField(max_length=10)),
                ("shown", models.BooleanField()),
                ("source", models.CharField(max_length=10)),
                ("number", models.IntegerField()),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="submission_counts",
                        to="leaderboard.version",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SystemCounts",
            fields=[
                (
                    "system",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="counts",
                        serialize=False,
                        to="leaderboard.system",
                    ),
                ),
                ("public", models.IntegerField(default=0)),
                ("newest", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name_plural": "system counts",
            },
        ),
        migrations.AddField(
            model_name="submission",
            name="system",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="submissions",
                to="leaderboard.system",
            ),
        ),
        migrations.CreateModel(
            name="ConformanceReport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("implementation", models.CharField(max_length=200)),
                (
                    "vectors_sha256",
                    models.CharField(blank=True, help_text="Which vectors were run.", max_length=64),
                ),
                ("passed", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                (
                    "requirements",
                    models.JSONField(
                        default=list, help_text="id, text, passed (null: not run), evidence, vectors."
                    ),
                ),
                ("vectors", models.JSONField(default=list, help_text="name, passed, evidence.")),
                ("verified", models.BooleanField(default=False)),
                ("seconds", models.FloatField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "suite_revision",
                    models.PositiveIntegerField(
                        default=1,
                        help_text="Revision of the vectors and checks that judged it; 1 in reports that are older than this field.",
                    ),
                ),
                (
                    "seed",
                    models.BigIntegerField(
                        blank=True,
                        help_text="Of the timelines that were generated; empty where none were.",
                        null=True,
                    ),
                ),
                (
                    "timelines",
                    models.PositiveIntegerField(
                        default=0, help_text="How many were generated from the seed."
                    ),
                ),
                (
                    "added_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conformance_reports",
                        to="leaderboard.system",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
                "permissions": [("run_conformance", "Can have our own implementation checked again")],
            },
        ),
        migrations.CreateModel(
            name="Likeness",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("same_file", "The same file"),
                            ("same_answers", "The same answers"),
                            ("same_mistakes", "The same wrong answers"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "evidence",
                    models.JSONField(
                        default=dict,
                        help_text="What was counted. Of a sealed version only for who may see gold.",
                    ),
                ),
                (
                    "told",
                    models.BooleanField(
                        default=True,
                        help_text="Whether every reader is told while the version keeps its answers: the rows alone show it.",
                    ),
                ),
                ("found_at", models.DateTimeField(auto_now_add=True)),
                (
                    "seen_at",
                    models.DateTimeField(
                        blank=True, help_text="When a moderator had looked at it.", null=True
                    ),
                ),
                (
                    "original",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.submission",
                    ),
                ),
                (
                    "seen_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="likenesses",
                        to="leaderboard.submission",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "likenesses",
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("submission", "original"), name="likeness_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="ModelHolder",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "worker",
                    models.CharField(
                        help_text="Its host, the boot of that host, its process.", max_length=200
                    ),
                ),
                ("queue", models.CharField(help_text="From which no other worker takes.", max_length=200)),
                ("seen_at", models.DateTimeField()),
                (
                    "model_file",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="holders",
                        to="leaderboard.modelfile",
                    ),
                ),
            ],
            options={
                "default_permissions": (),
                "constraints": [
                    models.UniqueConstraint(fields=("worker", "model_file"), name="one_holder_of_a_file")
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="version",
            constraint=models.UniqueConstraint(
                fields=("benchmark", "slug"), name="version_slug_once_per_benchmark"
            ),
        ),
        migrations.AddConstraint(
            model_name="version",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status__in", ["frozen", "retired"]), _negated=True),
                    models.Q(("sha256", ""), _negated=True),
                    _connector="OR",
                ),
                name="frozen_version_has_a_hash",
            ),
        ),
        migrations.AddConstraint(
            model_name="preset",
            constraint=models.UniqueConstraint(
                fields=("benchmark", "name"), name="preset_name_once_per_benchmark"
            ),
        ),
        migrations.AddIndex(
            model_name="score",
            index=models.Index(
                condition=models.Q(("revision__gt", 1)),
                fields=["revision", "submission"],
                name="score_regraded",
            ),
        ),
        migrations.AddConstraint(
            model_name="score",
            constraint=models.UniqueConstraint(fields=("submission", "revision"), name="score_revision_once"),
        ),
        migrations.AddConstraint(
            model_name="score",
            constraint=models.UniqueConstraint(fields=("submission", "grader"), name="score_grader_once"),
        ),
        migrations.AddConstraint(
            model_name="storedplacements",
            constraint=models.UniqueConstraint(fields=("version", "part"), name="placements_part_once"),
        ),
        migrations.AddIndex(
            model_name="submissioncount",
            index=models.Index(
                fields=["version", "status", "visibility", "shown", "source"], name="submission_counts"
            ),
        ),
        migrations.AddIndex(
            model_name="systemcounts",
            index=models.Index(fields=["-newest", "system"], name="system_newest"),
        ),
        migrations.AddIndex(
            model_name="system",
            index=models.Index(fields=["name", "id"], name="system_by_name"),
        ),
        migrations.AddConstraint(
            model_name="system",
            constraint=models.UniqueConstraint(fields=("owner", "slug"), name="system_slug_once_per_owner"),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                condition=models.Q(("shown", True)), fields=["version"], name="submission_shown"
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(fields=["system", "version", "-created_at"], name="submission_history"),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(fields=["submitter", "-created_at"], name="submission_mine"),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(fields=["-created_at", "id"], name="submission_newest"),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                condition=models.Q(("status__in", ["queued", "grading"])),
                fields=["lease_until"],
                name="submission_due",
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(fields=["visibility", "-created_at", "id"], name="submission_public"),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                fields=["visibility", "status", "-created_at", "id"], name="submission_by_status"
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                fields=["version", "visibility", "-created_at", "id"], name="submission_of_version"
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                fields=["version", "visibility", "status", "-created_at", "id"], name="submission_of_both"
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                fields=["system", "visibility", "-created_at", "id"], name="submission_of_system"
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                fields=["submitter", "visibility", "-created_at", "id"], name="submission_of_account"
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                fields=["visibility", "status", "-graded_at", "id"], name="submission_results"
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                fields=["version", "visibility", "status", "-graded_at", "id"], name="submission_its_results"
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                condition=models.Q(("note", ""), _negated=True),
                fields=["visibility", "-created_at", "note"],
                name="submission_noted",
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                fields=["source", "visibility", "status", "-graded_at", "id"], name="submission_news"
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                condition=models.Q(("approval", "waiting")),
                fields=["created_at"],
                name="submission_to_approve",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.UniqueConstraint(
                condition=models.Q(("idempotency_key", ""), _negated=True),
                fields=("submitter", "idempotency_key"),
                name="idempotency_key_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.UniqueConstraint(
                condition=models.Q(("shown", True)),
                fields=("version", "system"),
                name="one_shown_submission_per_system",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.UniqueConstraint(
                condition=models.Q(("mean__isnull", False)), fields=("mean", "repeat"), name="repeat_once"
            ),
        ),
        # The contents of a new site, and the triggers that keep frozen versions and the log of staff acts as they are.
        migrations.RunPython(_from("0003_benchmarks", "add"), migrations.RunPython.noop),
        migrations.RunPython(_from("0011_permissions", "give"), migrations.RunPython.noop),
        migrations.RunPython(_from("0027_documents", "seal"), migrations.RunPython.noop),
        migrations.RunPython(_from("0050_staff_acts", "close"), migrations.RunPython.noop),
    ]
