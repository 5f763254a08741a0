"""Models of benchmarks (the engine's suites on the site) and of presets, from which versions are frozen."""

from __future__ import annotations

from typing import Any

from django.conf import settings as site_settings
from django.core.exceptions import ValidationError
from django.db import models
from django.urls import reverse

from evaluation.core.errors import SettingsError
from evaluation.core.suite import SUITES, Suite, SuiteVersion, get_suite


def suite_choices() -> list[tuple[str, str]]:
    """Choices of a model field: the names of all suites, including installed plugins."""
    return [(name, name) for name in SUITES]


class Benchmark(models.Model):
    """A benchmark of the site: a suite of the engine, with a title. `seeding.benchmarks` creates the rows."""

    suite = models.CharField(max_length=40, unique=True, choices=suite_choices)
    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=100)
    summary = models.TextField(blank=True)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "title"]

    def __str__(self) -> str:
        return self.title

    @property
    def engine(self) -> Suite:
        return get_suite(self.suite)

    @property
    def usual(self) -> SuiteVersion:
        """The suite with default settings, for example to list its metrics and grader without a version."""
        return self.engine.version({})


class Preset(models.Model):
    """Settings from which versions are frozen, checked by the suite."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="presets")
    name = models.SlugField(max_length=60, help_text="Short name, part of the version's URL.")
    title = models.CharField(max_length=120, blank=True)
    description = models.TextField(
        blank=True, help_text="For readers: what a version of this preset measures."
    )
    settings = models.JSONField(
        default=dict, blank=True, help_text="Only settings that differ from the defaults are needed."
    )
    created_by = models.ForeignKey(
        site_settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["benchmark", "name"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "name"], name="preset_name_once_per_benchmark")
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.benchmark})"

    def clean(self) -> None:
        """Validate the settings and add defaults. Raises ValidationError with a message per setting."""
        if not self.benchmark_id:
            return
        try:
            self.settings = self.checked_settings()
            if "key" in self.settings:
                raise SettingsError({"key": ["is drawn at random when a version is frozen; leave it out."]})
        except SettingsError as error:
            messages = [f"{name}: {' '.join(texts)}" for name, texts in error.fields.items()]
            raise ValidationError({"settings": messages}) from error

    @property
    def bound(self) -> SuiteVersion:
        """The suite with the preset's settings. Raises SettingsError if they are invalid."""
        return self.benchmark.engine.version(self.settings)

    def checked_settings(self) -> dict[str, Any]:
        """Validate the settings and return them with defaults. Raises SettingsError if they are invalid."""
        return self.bound.settings.as_json()

    def get_admin_url(self) -> str:
        return reverse("admin:leaderboard_preset_change", args=[self.pk])
