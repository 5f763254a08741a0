"""Model card of a system: developer, weights, licence, prices and so on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.utils import timezone

from leaderboard.web.formatting import day
from leaderboard.web.validators import unseen_problem

#: Source of a field: the model's file or a person. A person's entry is never replaced, even if empty.
FILE, PERSON = "file", "person"
_hub_id = RegexValidator(
    r"\A[\w.-]+(/[\w.-]+)?\Z", "Write it as owner/name, such as HuggingFaceTB/SmolLM2-135M-Instruct."
)
_revision = RegexValidator(r"\A[\w./-]+\Z", "A revision is a commit, a tag or a branch, without spaces.")


def not_in_the_future(day: date) -> None:
    if day > timezone.now().date():
        raise ValidationError("This day is in the future.")


@dataclass(frozen=True, slots=True)
class CardRow:
    label: str
    text: str
    link: str = ""
    from_file: bool = False


#: Unquantized file types in words.
FULL_PRECISION = dict.fromkeys(("F16", "BF16"), "full precision, 16 bit") | {"F32": "full precision, 32 bit"}


class ModelCard(models.Model):
    """Facts about a model, shown with its results. An empty field means that the fact is unknown."""

    class Weights(models.TextChoices):
        UNKNOWN = "", "Not known"
        OPEN = "open", "Open"
        CONDITIONS = "conditions", "Open, with conditions"
        CLOSED = "closed", "Closed"

    developer = models.CharField(max_length=100, blank=True, help_text="Who trained the model.")
    hub_id = models.CharField(
        "Hub id",
        max_length=120,
        blank=True,
        validators=[_hub_id],
        help_text="Id on the Hugging Face Hub, for example HuggingFaceTB/SmolLM2-135M-Instruct.",
    )
    hub_revision = models.CharField(
        "Hub revision",
        max_length=100,
        blank=True,
        validators=[_revision],
        help_text="Commit, tag or branch on the Hub.",
    )
    base_model = models.CharField(
        "derived from", max_length=120, blank=True, help_text="The model from which it was tuned or merged."
    )
    weights = models.CharField(
        max_length=10,
        blank=True,
        choices=Weights,
        help_text="“With conditions” means that the licence limits who may use the weights, or for what.",
    )
    parameters = models.CharField(max_length=30, blank=True, help_text="For example 7B.")
    quantization = models.CharField(
        max_length=30, blank=True, help_text="For example Q5_K_M; empty for full precision."
    )
    context = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Maximum number of tokens that the model can read.",
    )
    released = models.DateField(
        null=True, blank=True, validators=[not_in_the_future], help_text="Day of release."
    )
    licence = models.CharField(
        max_length=60, blank=True, help_text="SPDX identifier, such as Apache-2.0, or the licence's name."
    )
    licence_url = models.URLField("licence text", blank=True, help_text="Where the licence can be read.")
    price_in = models.FloatField(
        "price of input",
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text="US dollars for a million tokens read.",
    )
    price_out = models.FloatField(
        "price of output",
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text="US dollars for a million tokens written.",
    )
    card_sources = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        help_text="Map from a field of the card to the file or person that its value comes from.",
    )

    class Meta:
        abstract = True

    def clean_fields(self, exclude: Any = None) -> None:
        """Also raise ValidationError for invisible characters in one-line texts."""
        super().clean_fields(exclude=exclude)
        problems = {
            name: text
            for name in ONE_LINE
            if name not in (exclude or ()) and (text := unseen_problem(getattr(self, name)))
        }
        if problems:
            raise ValidationError(problems)

    def clean(self) -> None:
        super().clean()
        if self.hub_revision and not self.hub_id:
            raise ValidationError({"hub_revision": "A revision needs a Hub id: fill in the Hub id, too."})

    def mark_entered(self, names: Iterable[str]) -> None:
        """Record that a person filled in or emptied these fields. Names that are no fields of the card are ignored."""
        self.card_sources = self.card_sources | {name: PERSON for name in names if name in CARD_FIELDS}

    def fill_from_file(self, facts: Mapping[str, object]) -> list[str]:
        """Fill in empty fields that no person has emptied, without saving. Returns the names of changed fields."""
        changed = []
        for name, value in facts.items():
            if value not in (None, "") and self._may_fill(name, facts):
                setattr(self, name, value)
                changed.append(name)
        self.card_sources = self.card_sources | dict.fromkeys(changed, FILE)
        return [*changed, "card_sources"] if changed else []

    def _may_fill(self, name: str, facts: Mapping[str, object]) -> bool:
        of = _OF.get(name)
        belongs = of is None or getattr(self, of) == facts.get(of, "")
        return belongs and not getattr(self, name) and self.card_sources.get(name) != PERSON

    @property
    def precision(self) -> str:
        """The quantization in words. Unquantized file types such as F16 are called full precision."""
        return FULL_PRECISION.get(self.quantization.upper(), self.quantization)

    @property
    def card(self) -> list[CardRow]:
        return list(self._card_rows())

    def _card_rows(self) -> Iterator[CardRow]:
        for name, text in self._card_texts().items():
            if text:
                label = _LABELS.get(name) or getattr(self._meta.get_field(name), "verbose_name", name)
                link = self.licence_url if name == "licence" else ""
                yield CardRow(str(label), text, link, self.card_sources.get(name) == FILE)

    def _card_texts(self) -> dict[str, str]:
        licence = self.licence or ("see its text" if self.licence_url else "")
        return {
            "developer": self.developer,
            "hub_id": self.hub_id + (f" at {self.hub_revision}" if self.hub_revision else ""),
            "base_model": self.base_model,
            "weights": self.get_weights_display() if self.weights else "",
            "parameters": self.parameters,
            "quantization": self.precision,
            "context": f"{self.context:,} tokens" if self.context else "",
            "released": day(self.released) if self.released else "",
            "licence": licence,
            "price_in": _prices(self.price_in, self.price_out),
        }


#: All fields of a card.
CARD_FIELDS = tuple(field.name for field in ModelCard._meta.local_fields if field.editable)
#: Free texts in one line. Choices and URLs have their own validators.
ONE_LINE = tuple(
    name
    for name in CARD_FIELDS
    if type(field := ModelCard._meta.get_field(name)) is models.CharField and not field.choices
)
#: Field -> the field to which it belongs.
_OF = {"hub_revision": "hub_id", "licence_url": "licence"}
_LABELS = {"price_in": "price per million tokens"}


def _prices(price_in: float | None, price_out: float | None) -> str:
    said = ((price_in, "in"), (price_out, "out"))
    return " · ".join(f"${price:,.10g} {word}" for price, word in said if price is not None)
