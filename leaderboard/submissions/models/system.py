"""Systems under test: language models, models with the software around them, and systems without a model."""

from __future__ import annotations

import hashlib
from typing import Any
from unicodedata import normalize

from django.conf import settings as site_settings
from django.db import models, transaction
from django.urls import reverse
from django.utils.text import slugify

from leaderboard.accounts import permissions, teams
from leaderboard.submissions.models.card import FULL_PRECISION, ModelCard, not_in_the_future
from leaderboard.submissions.querysets import SystemQuerySet
from leaderboard.web.formatting import day

NAME_LENGTH = 80  # characters
#: Fields of a new system that a submitter may fill in besides its name.
GIVEN = ("kind", "reading", "harness", "parameters", "quantization", "weights", "seen", "main", "url")


def shortened(text: str, length: int) -> str:
    """Return the text, cut to at most `length` characters. A cut text ends in a hash, so that it stays unique."""
    told_apart = hashlib.sha256(text.encode()).hexdigest()[:6]
    return text if len(text) <= length else f"{text[: length - 8]}… {told_apart}"


class System(ModelCard):
    """A system under test, with its owner and model card."""

    class Kind(models.TextChoices):
        LLM = "llm", "LLM"
        PIPELINE = "pipeline", "Pipeline"
        SELECTOR = "selector", "Selector"
        RETRIEVER = "retriever", "Retriever"
        STRATEGY = "strategy", "Strategy"
        MEMORY = "memory", "Memory system"
        BASELINE = "baseline", "Baseline"

    class Reference(models.TextChoices):
        """Role of a reference system, a program for comparison that has no rank. The suite sets it (`REFERENCES`)."""

        ORACLE = "oracle", "Oracle"
        FLOOR = "floor", "Floor"
        RULE = "rule", "Rule"

    class Reading(models.TextChoices):
        NOT_STATED = "", "Not stated"
        WHOLE = "whole", "Reads the whole text"
        RETRIEVAL = "retrieval", "Retrieval"
        MEMORY = "memory", "Memory"
        AGENT = "agent", "Agent"
        OTHER = "other", "Other"

    class Seen(models.TextChoices):
        """The owner's statement on whether the model was trained on the benchmark's data."""

        NOT_STATED = "", "Not stated"
        NO = "no", "No"
        MAYBE = "maybe", "It may have"
        YES = "yes", "Yes"

    #: Kinds of systems without their own language model.
    WITHOUT_MODEL = frozenset({Kind.SELECTOR, Kind.RETRIEVER, Kind.STRATEGY, Kind.MEMORY, Kind.BASELINE})

    owner = models.ForeignKey(site_settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="systems")
    name = models.CharField(max_length=80, help_text="Model and harness in one line, as in charts.")
    model = models.CharField(
        max_length=80, blank=True, help_text="Usual name of the model, for example SmolLM2-135M-Instruct."
    )
    reading = models.CharField("how the system reads the text", max_length=10, choices=Reading, blank=True)
    harness = models.CharField(
        "how the system reads the text, in words",
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
        help_text="Whether the training data may include rows of the benchmark.",
    )
    seen_since = models.DateField(
        "since when",
        null=True,
        blank=True,
        validators=[not_in_the_future],
        help_text="Date from which on the training data may include rows of the benchmark; empty: not stated.",
    )
    main = models.BooleanField(
        "main system for this model",
        default=False,
        help_text="On boards with one system per model, show this one of your systems with the model. Choose before "
        "the system has a score. If none is chosen, boards show the first system.",
    )
    slug = models.SlugField(max_length=90)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.LLM)
    reference = models.CharField(
        max_length=10,
        choices=Reference,
        blank=True,
        editable=False,
        help_text="Role as a reference system of the site, without rank; empty: ranked.",
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
        """Return a system name made of model, harness and further parts. `shortened` cuts a name that is too long."""
        told = (part for part in (model, *parts) if part and part not in FULL_PRECISION)
        return shortened(" · ".join(told), NAME_LENGTH)

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self._state.adding:  # existing names never change, because results are cited by them
            self.name = normalize("NFC", self.name)
            self.model = self.model or (self.name if self.kind not in self.WITHOUT_MODEL else "")
        if not self.slug:
            self.slug = self._free_slug()
        with transaction.atomic():  # one transaction with its line in the log of staff acts
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
        return teams.acts_for(user, self.owner_id, teams.SUBMITS) or permissions.may(
            user, permissions.CHANGE_SYSTEM
        )

    @property
    def seen_words(self) -> str:
        """The owner's statement on whether the model has seen the benchmark. Empty if there is none."""
        if not self.seen:
            return ""
        since = f" since {day(self.seen_since)}" if self.seen_since else ""
        return f"{self.get_seen_display().lower()}{since}"

    @property
    def title(self) -> str:
        """The model, or the system's name if no model is stated."""
        return self.model or self.name

    @property
    def reads(self) -> str:
        """The harness (or else the reading method) and the quantization. For a system without a model, its kind."""
        if self.kind in self.WITHOUT_MODEL:
            return self.get_kind_display()
        words = self.harness or (self.get_reading_display() if self.reading else "how it reads: not stated")
        quantized = self.quantization if self.precision == self.quantization else ""
        return " · ".join(filter(None, (words, quantized)))

    @property
    def facts(self) -> str:
        """The kind, parameters, harness and quantization in one line."""
        model = "no model" if self.kind in (self.Kind.STRATEGY, self.Kind.MEMORY) else ""
        parts = (self.get_kind_display(), model, self.parameters, self.harness, self.precision)
        return " · ".join(filter(None, parts))
