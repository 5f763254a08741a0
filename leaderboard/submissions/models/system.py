"""A system: the model or pipeline under test."""

from __future__ import annotations

import hashlib
from typing import Any
from unicodedata import normalize

from django.conf import settings as site_settings
from django.db import models
from django.urls import reverse
from django.utils.text import slugify

from leaderboard.accounts import permissions
from leaderboard.submissions.models.card import ModelCard
from leaderboard.submissions.querysets import SystemQuerySet

NAME_LENGTH = 80  # characters


def shortened(text: str, length: int) -> str:
    """A text that fits; two long ones that differ still do.

    Args:
        text: The text.
        length: Characters at most.
    """
    told_apart = hashlib.sha256(text.encode()).hexdigest()[:6]
    return text if len(text) <= length else f"{text[: length - 8]}… {told_apart}"


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

    class Reading(models.TextChoices):
        """How a system gets at the text."""

        NOT_STATED = "", "Not stated"
        WHOLE = "whole", "Reads the whole text"
        RETRIEVAL = "retrieval", "Retrieval"
        MEMORY = "memory", "Memory"
        AGENT = "agent", "Agent"
        OTHER = "other", "Other"

    class Seen(models.TextChoices):
        """Whether the model was trained on the benchmark's data, as its owner says."""

        NOT_STATED = "", "Not stated"
        NO = "no", "No"
        MAYBE = "maybe", "It may have"
        YES = "yes", "Yes"

    #: Kinds that have no language model of their own to name.
    WITHOUT_MODEL = frozenset({Kind.SELECTOR, Kind.RETRIEVER, Kind.STRATEGY, Kind.BASELINE})

    owner = models.ForeignKey(site_settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="systems")
    name = models.CharField(max_length=80, help_text="Model and harness in one line: what charts call it.")
    model = models.CharField(
        max_length=80, blank=True, help_text="The model as people call it, for example SmolLM2-135M-Instruct."
    )
    reading = models.CharField("how it reads", max_length=10, choices=Reading, blank=True)
    harness = models.CharField(
        "how it reads, in a line",
        max_length=120,
        blank=True,
        help_text="For example: BM25 finds 8 lines, the model answers.",
    )
    settings = models.CharField(
        max_length=200, blank=True, editable=False, help_text="Adapter, prompt set and settings of a run."
    )
    seen = models.CharField(
        "has the model seen the benchmark",
        max_length=10,
        choices=Seen,
        blank=True,
        help_text="Whether its training data may hold rows of the benchmark.",
    )
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

    @staticmethod
    def label(model: str, *parts: str) -> str:
        """Model, harness and what else tells systems apart, as a name; what a cut leaves out by a hash."""
        return shortened(" · ".join(filter(None, (model, *parts))), NAME_LENGTH)

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self._state.adding:  # names that earlier releases stored stay: results are cited by them
            self.name = normalize("NFC", self.name)
            self.model = self.model or (self.name if self.kind not in self.WITHOUT_MODEL else "")
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
    def title(self) -> str:
        """The model as people call it; the name of a system that states none."""
        return self.model or self.name

    @property
    def reads(self) -> str:
        """How it reads, in words and with its quantization; the kind of a system that has no model."""
        if self.kind in self.WITHOUT_MODEL:
            return self.get_kind_display()
        words = self.harness or (self.get_reading_display() if self.reading else "how it reads: not stated")
        return " · ".join(filter(None, (words, self.quantization)))

    @property
    def facts(self) -> str:
        """Kind, parameters, how it reads and quantization in one line."""
        model = "no model" if self.kind == self.Kind.STRATEGY else ""
        parts = (self.get_kind_display(), model, self.parameters, self.harness, self.quantization)
        return " · ".join(filter(None, parts))
