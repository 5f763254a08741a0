"""Forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms

from leaderboard.accounts import usernames
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.models.card import CARD_FIELDS
from leaderboard.submissions.services import MOST_REPEATS, PrivateEntryError
from leaderboard.web.generic import ModelChoiceField, ModelChoiceIterator, ModelForm
from leaderboard.web.validators import PrintableTextMixin, unseen_problem


class ByBenchmark(ModelChoiceIterator[Version]):
    """Versions under the names of their benchmarks."""

    def __iter__(self) -> Iterator[Any]:
        yield ("", self.field.empty_label)
        groups: dict[str, list[Any]] = {}
        for version in self.queryset:
            groups.setdefault(version.benchmark.title, []).append(self.choice(version))
        yield from groups.items()


class VersionField(ModelChoiceField[Version]):
    """A version, chosen by its benchmark."""

    iterator = ByBenchmark

    def label_from_instance(self, version: Version) -> str:
        return f"{version} ({version.disclosure.label})" if version.disclosure.is_open else str(version)


def link_field(help_text: str) -> forms.URLField:
    """Where a system is described."""
    return forms.URLField(
        required=False, assume_scheme="https", max_length=200, label="Paper or code", help_text=help_text
    )


def repeats_field(help_text: str) -> forms.IntegerField:
    """How many repeats stand together; empty or 1: one submission."""
    return forms.IntegerField(
        min_value=1,
        max_value=MOST_REPEATS,
        required=False,
        label="Repeats that stand together",
        help_text=f"Of an entry: their mean stands, once all are graded. {help_text}",
        widget=forms.NumberInput(attrs={"placeholder": "1"}),
    )


def system_name(name: str, owner: Any) -> str:
    """The name of a system, new or the owner's.

    Args:
        name: As it was sent.
        owner: The account.

    Raises:
        ValidationError: It is new, and reads as the site's own or holds a character that is not seen.
    """
    if (text := usernames.system_problem(name)) and not System.objects.filter(owner=owner).named(
        name
    ).exists():
        raise forms.ValidationError(text)
    return name


def seen(text: str) -> str:
    """A text that boards show beside a name. Raises ValidationError where a character of it is not seen."""
    if problem := unseen_problem(text):
        raise forms.ValidationError(problem)
    return text


class CheckForm(PrintableTextMixin, forms.Form):
    """A predictions file and the open version that it answers: all that a check needs."""

    version = VersionField(Version.objects.none(), empty_label="Choose a version")
    file = forms.FileField(label="Predictions", max_length=200)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        versions: Any = self.fields["version"]
        versions.queryset = Version.objects.open()


class SubmitForm(PrintableTextMixin, forms.Form):
    """A predictions file of a system, new or mine, for an open version."""

    version = VersionField(Version.objects.none(), empty_label="Choose a version")
    system = forms.ModelChoiceField(System.objects.none(), required=False, empty_label="A new system")
    name = forms.CharField(
        max_length=80, required=False, label="Model", help_text="As people call it, or its Hub id."
    )
    reading = forms.ChoiceField(choices=System.Reading, required=False, label="How it reads")
    harness = forms.CharField(
        max_length=120,
        required=False,
        label="How it reads, in a line",
        help_text="For example: BM25 finds 8 lines, the model answers.",
    )
    kind = forms.ChoiceField(choices=System.Kind, required=False, label="Kind")
    parameters = forms.CharField(max_length=30, required=False, help_text="For example 7B.")
    quantization = forms.CharField(max_length=30, required=False, help_text="For example Q5_K_M.")
    url = link_field("A link that readers find on the system's page.")
    tokens_per_query = forms.FloatField(
        min_value=0,
        max_value=1e12,
        required=False,
        label="Tokens per query",
        help_text="If you measured it; otherwise what every line reports. Shown as reported by you.",
    )
    file = forms.FileField(label="Predictions", help_text="preds.jsonl or preds.jsonl.gz", max_length=200)
    take_unanswered = forms.BooleanField(
        required=False, label="Submit it anyway; lines without an answer count as wrong"
    )
    visibility = forms.ChoiceField(choices=Submission.Visibility, initial=Submission.Visibility.PUBLIC)
    declared = forms.BooleanField(
        required=False,
        label="This is the system's entry, whatever it scores",
        help_text="It replaces what stands on the board now. Without the tick the first public submission stands.",
    )
    repeats = repeats_field("This file and the next ones that you submit for the system are the repeats.")
    note = forms.CharField(max_length=300, required=False, help_text="Anything a reader should know.")

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        versions: Any = self.fields["version"]
        versions.queryset = Version.objects.open()
        systems: Any = self.fields["system"]
        systems.queryset = System.objects.filter(owner=user)
        self.asks_about_unanswered = "take_unanswered" in self.data

    def clean_name(self) -> str:
        return system_name(self.cleaned_data["name"], self.user)

    def clean_harness(self) -> str:
        return seen(self.cleaned_data["harness"])

    def clean_parameters(self) -> str:
        return seen(self.cleaned_data["parameters"])

    def clean_quantization(self) -> str:
        return seen(self.cleaned_data["quantization"])

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if data.get("declared") and data.get("visibility") == Submission.Visibility.PRIVATE:
            self.add_error("declared", str(PrivateEntryError()))
        if (data.get("repeats") or 1) > 1 and not data.get("declared"):
            self.add_error(
                "repeats", "Repeats stand together only as the system's entry: tick the box above."
            )
        if not data.get("system") and not data.get("name", "").strip() and "name" not in self.errors:
            self.add_error("name", "Name the model, or choose one of your systems above.")
        return data

    def ask_about_unanswered(self, message: str) -> None:
        """Say that lines hold no answer, and offer to send them all the same."""
        self.add_error(None, message)
        self.asks_about_unanswered = True

    def get_system(self) -> System:
        """The chosen system, or the new one (saved)."""
        data = self.cleaned_data
        if data["system"]:
            system: System = data["system"]
            return system
        given = ("kind", "reading", "harness", "parameters", "quantization", "url")
        fields = {name: data[name] for name in given if data[name]}
        model = data["name"].strip()
        name = System.label(model, data["harness"])
        mine = System.objects.filter(owner=self.user)
        return mine.named(name).first() or System.objects.create(
            owner=self.user, name=name, model=model.rpartition("/")[2], **fields
        )


class SystemForm(PrintableTextMixin, ModelForm[System]):
    """The facts of a system that readers see. Its name is fixed, because results are cited by it."""

    url = link_field("Paper, model card or repository. Readers find it on the system's page.")
    licence_url = forms.URLField(
        required=False,
        assume_scheme="https",
        max_length=200,
        label="Licence text",
        help_text="Where the licence can be read.",
    )

    class Meta:
        model = System
        fields = ("kind", "model", "reading", "harness", "seen", *CARD_FIELDS, "description", "url")
        help_texts = {"description": "What it is, in a sentence."}
        widgets = {"released": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")}

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        self.instance.mark_entered(self.changed_data)
        return data

    @property
    def card_fields(self) -> list[Any]:
        """The fields of the model card, bound, in the order of reading."""
        return [self[name] for name in CARD_FIELDS]
