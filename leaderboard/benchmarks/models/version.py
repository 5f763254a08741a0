"""Versions, frozen from presets. Model, admin and database triggers refuse changes to a frozen version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from django.db import models, transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property

from evaluation.attacks.plan import joinable
from evaluation.attacks.report import FORMER_WORDS, PROVES_NOTHING, AttackReport, on_grid
from evaluation.core.records import Row
from evaluation.core.sealing.commitment import commitment
from evaluation.core.sealing.keyed_ids import OPEN_KEY
from evaluation.core.sealing.rounding import own_step
from evaluation.core.suite import Column, Drawn, RowPreview, Suite, SuiteVersion
from leaderboard.benchmarks.disclosure import Disclosure, State, disclosure_of
from leaderboard.benchmarks.models.benchmark import Benchmark, Preset
from leaderboard.benchmarks.querysets import FrozenError, VersionQuerySet
from leaderboard.benchmarks.sealing import signals
from leaderboard.jobs.models import Job

#: Licence of generated rows: that of the project.
OUR_LICENCE = "MIT"


class Version(Job):
    """Rows, gold, settings and grader of a benchmark, sealed under one SHA-256."""

    class Status(models.TextChoices):
        DRAFT = "draft", "Draft"
        FREEZING = "freezing", "Freezing"
        FAILED = "failed", "Failed"
        FROZEN = "frozen", "Frozen"
        RETIRED = "retired", "Retired"

    FINAL = (Status.FROZEN, Status.RETIRED)
    UNFINISHED = (Status.DRAFT, Status.FREEZING)
    WAITS, WORKS = Status.DRAFT, Status.FREEZING
    TASK, QUEUE = "freeze_version", "grading"
    #: Columns with the SHA-256 of stored files. `documents_sha256` is empty if the rows include their texts.
    FILES = ("rows_sha256", "documents_sha256", "gold_sha256")
    #: Columns that a freeze seals. The database triggers (migrations 0002, 0025, 0027) guard the same columns.
    SEALED_FIELDS = frozenset(
        {
            "benchmark", "benchmark_id", "slug", "settings", "grader", "sha256", "rows_sha256", "gold_sha256",
            "row_count", "unit_count", "conditions", "sample", "rows_bytes", "public_gold", "frozen_at",
            "attacks", "documents_sha256", "documents_bytes", "document_count",
        }
    )  # fmt: skip

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="versions")
    preset = models.ForeignKey(
        Preset, null=True, blank=True, on_delete=models.SET_NULL, related_name="versions"
    )
    slug = models.SlugField(max_length=80)
    title = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    settings = models.JSONField(default=dict)
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    source_sha256 = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of the imported file; empty for generated rows."
    )
    upload = models.CharField(
        max_length=100, blank=True, help_text="Storage name of an imported file until its rows are frozen."
    )

    grader = models.CharField(max_length=60, blank=True)
    sha256 = models.CharField("SHA-256", max_length=64, blank=True)
    rows_sha256 = models.CharField(max_length=64, blank=True)
    gold_sha256 = models.CharField(max_length=64, blank=True)
    rows_bytes = models.PositiveBigIntegerField(default=0)
    documents_sha256 = models.CharField(
        max_length=64,
        blank=True,
        default="",
        help_text="SHA-256 of the texts that rows refer to; empty if the rows include their texts.",
    )
    documents_bytes = models.PositiveBigIntegerField(default=0)
    document_count = models.PositiveIntegerField(default=0)
    row_count = models.PositiveIntegerField(default=0)
    unit_count = models.PositiveIntegerField(default=0)
    conditions = models.JSONField(default=dict, help_text="Number of rows by name of split.")
    sample = models.JSONField(default=dict, help_text="One public row, for the version page.")
    public_gold = models.BooleanField(default=False)
    attacks = models.JSONField(
        default=dict,
        blank=True,
        help_text="Scores of attackers: programs that answer without understanding the text.",
    )
    guessing = models.JSONField(
        default=dict,
        blank=True,
        help_text="Scores of guessing baselines by slice of the rows; empty: not computed.",
    )
    licence = models.CharField(
        max_length=100,
        blank=True,
        default=OUR_LICENCE,
        help_text="Licence of the rows: an SPDX identifier, or the licence's name.",
    )
    figure_step = models.FloatField(
        default=0,
        help_text="Metrics are rounded to multiples of this while answers are secret; 0: not rounded.",
    )
    twin_of = models.OneToOneField(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="twin",
        help_text="The version of which this is the public twin: same settings, other seeds, public answers, no ranks.",
    )
    upload_limit = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="Maximum number of graded uploads per account or system while answers are secret; "
        "empty: the site's setting.",
    )
    featured = models.BooleanField(
        default=False,
        help_text="Whether lists and the guide begin with this version; true for one version at most.",
    )

    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(
        default=timezone.now, help_text="When the freeze of this version was queued."
    )
    frozen_at = models.DateTimeField(null=True, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)
    verified_at = models.DateTimeField(
        null=True, blank=True, help_text="When the file hashes were last recomputed."
    )
    damage = models.TextField(
        blank=True, help_text="Fault found by the last check; empty if all hashes matched."
    )

    objects = VersionQuerySet.as_manager()

    class Meta:
        ordering = ["benchmark__position", "-frozen_at", "-created_at"]
        permissions = [("view_gold", "Can see what reveals withheld gold")]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "slug"], name="version_slug_once_per_benchmark"),
            models.CheckConstraint(
                condition=~Q(status__in=["frozen", "retired"]) | ~Q(sha256=""),
                name="frozen_version_has_a_hash",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("leaderboard:version", args=[self.benchmark.slug, self.slug])

    @property
    def question(self) -> str:
        """The question that the version's board answers; if the suite declares no question, the version's title."""
        name = self.preset.name.replace("-", "_") if self.preset else ""
        questions = self.suite.display.questions
        begun = [each for each in questions if name.startswith(each)]
        return questions[max(begun, key=len)] if begun else self.title

    def get_board_url(self) -> str:
        return reverse("leaderboard:board", args=[self.benchmark.slug, self.slug])

    @classmethod
    def queued_since(cls) -> models.F:
        return models.F("queued_at")

    @property
    def suite(self) -> Suite:
        return self.benchmark.engine

    @property
    def present_grader(self) -> str:
        """Name and revision of the grader for new submissions. A version keeps the rubric it was frozen with."""
        return self.bound.grader

    @cached_property
    def bound(self) -> SuiteVersion:
        """The suite with the version's settings, which determine columns, grading and facets."""
        return self.suite.version(self.settings)

    @property
    def drawn(self) -> Drawn:
        """How many independent units (episodes or timelines) and independent questions the version has."""
        return self.bound.drawn(self.unit_count, self.conditions)

    def previews(self, row: Row) -> list[RowPreview]:
        """The questions of a public row, each with an example line of a predictions file."""
        line = partial(self.suite.display.answer_line, self.settings)
        return [replace(each, answer_form=line(each.answer_form)) for each in self.suite.row_previews(row)]

    @cached_property
    def columns(self) -> list[Column]:
        return self.bound.columns

    @cached_property
    def headline(self) -> Column:
        return self.bound.headline()

    @property
    def is_final(self) -> bool:
        return self.status in self.FINAL

    @property
    def file_names(self) -> list[str]:
        return [sha256 for name in self.FILES if (sha256 := getattr(self, name))]

    @property
    def is_open(self) -> bool:
        return self.status == self.Status.FROZEN

    @property
    def is_unfinished(self) -> bool:
        """True if the version is queued to be frozen, or being frozen."""
        return self.status in self.UNFINISHED

    @property
    def is_import(self) -> bool:
        return bool(self.upload or self.source_sha256)

    @property
    def attack_report(self) -> AttackReport | None:
        """The report on the attackers, as readers may see it. None if the version was frozen without a report."""
        if not self.attacks:
            return None
        claim = self.attacks.get("claim", "").replace(FORMER_WORDS, PROVES_NOTHING)
        joins = self.attacks.get("joins")
        report: AttackReport = self.attacks | {
            "claim": claim,
            "joins": joinable(self.bound) if joins is None else joins,  # older reports have no joins
        }
        if not self.shown_step:
            return report
        units = self.drawn.units
        return on_grid(report, lambda low, high: own_step(units, None, (low, high), at_least=self.shown_step))

    @property
    def publishes_predictions(self) -> bool:
        """True if all predictions of public submissions are public: version retired, gold published."""
        return self.status == self.Status.RETIRED and self.disclosure.publishes_gold

    @property
    def lists_predictions(self) -> bool:
        """True if the version has a list of public predictions, because its answers are not secret."""
        return self.disclosure.shows_seeds

    @property
    def commitment(self) -> str:
        """Published hash that commits to the secret gold and key. Empty if they never were secret."""
        key = self.settings.get("key", "")
        secret = key not in ("", OPEN_KEY) and self.gold_sha256
        return commitment(key, self.gold_sha256) if secret else ""

    @property
    def is_twin(self) -> bool:
        """True if this is the public twin of another version; see `sealing.twins`."""
        return self.twin_of_id is not None

    @property
    def public_twin(self) -> Version | None:
        """The public twin if readers may see it, else None."""
        twin: Version | None = getattr(self, "twin", None)
        return twin if twin is not None and twin.is_final else None

    @property
    def shown_step(self) -> float:
        """Rounding step of the version's metrics at present; 0 if they are not rounded."""
        return self.figure_step if self.figure_step and self.disclosure.state == State.SEALED else 0.0

    @property
    def disclosure(self) -> Disclosure:
        return disclosure_of(self)

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk and not self._state.adding:
            self._refuse_sealed_changes()
        with transaction.atomic():  # one transaction with its line in the log of staff acts
            super().save(*args, **kwargs)

    def _refuse_sealed_changes(self) -> None:
        sealed = Version.objects.filter(pk=self.pk, status__in=self.FINAL)
        stored: Mapping[str, object] | None = sealed.values().first()
        if stored is None:
            return
        names = [name for name in stored if name in self.SEALED_FIELDS]
        changed = [name for name in names if stored[name] != getattr(self, name)]
        if changed or self.status not in self.FINAL:
            raise FrozenError(f"A frozen version cannot change ({', '.join(changed) or 'status'}).")

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        if self.is_final:
            raise FrozenError("A frozen version cannot be deleted. Retire it instead.")
        return super().delete(*args, **kwargs)

    def retire(self) -> None:
        """Retire a frozen version: uploads end, and answers become public, except of imports. All pages stay readable.

        Does nothing for a version that is not frozen.
        """
        if self.status == self.Status.FROZEN:
            self.status, self.retired_at = self.Status.RETIRED, timezone.now()
            self.save(update_fields=["status", "retired_at"])
            signals.retired.send(Version, version_id=self.pk)
