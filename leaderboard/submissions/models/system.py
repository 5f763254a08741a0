"""A system: the model or pipeline under test."""

from __future__ import annotations

from typing import Any
from unicodedata import normalize

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.text import slugify

from leaderboard.accounts import permissions
from leaderboard.submissions.models.card import ModelCard
from leaderboard.submissions.querysets import SystemQuerySet


class System(ModelCard):
    """What was tested, and whose it is; its card says what is known of the model."""

    class Kind(models.TextChoices):
        LLM = "llm", "LLM"
        PIPELINE = "pipeline", "Pipeline"
        SELECTOR = "selector", "Selector"
        RETRIEVER = "retriever", "Retriever"
        STRATEGY = "strategy", "Strategy"
        BASELINE = "baseline", "Baseline"

    class Reference(models.TextChoices):
        """What it stands for on a board that it does not contest, as its suite says (`REFERENCES`)."""

        ORACLE = "oracle", "Oracle"
        FLOOR = "floor", "Floor"
        RULE = "rule", "Rule"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="systems")
    name = models.CharField(max_length=80)
    slug = models.SlugField(max_length=90)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.LLM)
    reference = models.CharField(
        max_length=10,
        choices=Reference,
        blank=True,
        editable=False,
        help_text="Its role as a reference that the site runs itself: no rank; empty for a contestant.",
    )
    description = models.CharField(max_length=300, blank=True)
    url = models.URLField(blank=True, help_text="Paper, model card or repository.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SystemQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        indexes = [models.Index(fields=["name", "id"], name="system_by_name")]
        constraints = [models.UniqueConstraint(fields=["owner", "slug"], name="system_slug_once_per_owner")]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self._state.adding:  # names that earlier releases stored stay: results are cited by them
            self.name = normalize("NFC", self.name)
        if not self.slug:
            self.slug = self._free_slug()
        super().save(*args, **kwargs)

    def _free_slug(self) -> str:
        base = slugify(self.name)[:80] or "system"
        taken = set(
            System.objects.filter(owner=self.owner, slug__startswith=base).values_list("slug", flat=True)
        )
        return next(s for s in (base, *(f"{base}-{n}" for n in range(2, 10_000))) if s not in taken)

    def get_absolute_url(self) -> str:
        return reverse("leaderboard:system", args=[self.owner.get_username(), self.slug])

    def may_be_changed_by(self, user: Any) -> bool:
        return user.pk == self.owner_id or permissions.may(user, permissions.CHANGE_SYSTEM)

    @property
    def facts(self) -> str:
        """Kind, parameters and quantization in one line."""
        model = "no model" if self.kind == self.Kind.STRATEGY else ""
        parts = (self.get_kind_display(), model, self.parameters, self.quantization)
        return " · ".join(filter(None, parts))
