"""Forms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django import forms
from django.conf import settings
from django.forms.fields import InvalidJSONInput
from django.forms.models import ModelChoiceIterator

from evaluation import shape
from evaluation.bounded import capital
from leaderboard import importing, permissions, usernames
from leaderboard.models import Preset, Submission, System, Version
from leaderboard.texts import PrintableTextMixin


class ByBenchmark(ModelChoiceIterator):
    """Versions under the names of their benchmarks."""

    def __iter__(self) -> Iterator[Any]:
        yield ("", self.field.empty_label)
        groups: dict[str, list[Any]] = {}
        for version in self.queryset:
            groups.setdefault(version.benchmark.title, []).append(self.choice(version))
        yield from groups.items()


class VersionField(forms.ModelChoiceField):
    """A version, chosen by its benchmark."""

    iterator = ByBenchmark

    def label_from_instance(self, version: Any) -> str:
        return f"{version} ({version.disclosure.label})" if version.disclosure.is_open else str(version)


def link_field(help_text: str) -> forms.URLField:
    """Where a system is described."""
    return forms.URLField(
        required=False, assume_scheme="https", max_length=200, label="Paper or code", help_text=help_text
    )


def system_name(name: str) -> str:
    """The name of a new system. Raises ValidationError for one that reads as the site's own."""
    if text := usernames.system_problem(name):
        raise forms.ValidationError(text)
    return name


class SubmitForm(PrintableTextMixin, forms.Form):
    """A predictions file of a system, new or mine, for an open version."""

    version = VersionField(Version.objects.none(), empty_label="Choose a version")
    system = forms.ModelChoiceField(System.objects.none(), required=False, empty_label="A new system")
    name = forms.CharField(max_length=80, required=False, label="Name of the new system")
    kind = forms.ChoiceField(choices=System.Kind, required=False, label="Kind")
    parameters = forms.CharField(max_length=30, required=False, help_text="For example 7B.")
    quantization = forms.CharField(max_length=30, required=False, help_text="For example Q5_K_M.")
    url = link_field("A link that readers find on the system's page.")
    tokens_per_query = forms.FloatField(
        min_value=0,
        max_value=1e12,
        required=False,
        label="Tokens per query",
        help_text="If you measured it; else what every line reports. Shown as reported by you.",
    )
    file = forms.FileField(label="Predictions", help_text="preds.jsonl or preds.jsonl.gz", max_length=200)
    take_unanswered = forms.BooleanField(
        required=False, label="Submit it all the same; lines without an answer count as wrong"
    )
    visibility = forms.ChoiceField(choices=Submission.Visibility, initial=Submission.Visibility.PUBLIC)
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
        return system_name(self.cleaned_data["name"])

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if not data.get("system") and not data.get("name", "").strip() and "name" not in self.errors:
            self.add_error("name", "Give the new system a name, or choose one of yours above.")
        return data

    def ask_about_unanswered(self, message: str) -> None:
        """Say that lines hold no answer, and offer to send them all the same."""
        self.add_error(None, message)
        self.asks_about_unanswered = True

    def get_system(self) -> System:
        """The chosen system, or the new one (saved)."""
        data = self.cleaned_data
        if data["system"]:
            found: System = data["system"]
            return found
        fields = {name: data[name] for name in ("kind", "parameters", "quantization", "url") if data[name]}
        name = data["name"].strip()
        return System.objects.filter(owner=self.user, name=name).first() or System.objects.create(
            owner=self.user, name=name, **fields
        )


class SystemForm(PrintableTextMixin, forms.ModelForm):
    """What is told of a system. Its name stays: results are cited by it."""

    url = link_field("Paper, model card or repository. Readers find it on the system's page.")

    class Meta:
        model = System
        fields = ("kind", "parameters", "quantization", "description", "url")
        help_texts = {"description": "What it is, in a sentence."}


class TokenForm(PrintableTextMixin, forms.Form):
    """A new API token. Every token may read what its owner may read."""

    name = forms.CharField(max_length=60, help_text="Where it will be used, so that you recognise it later.")
    scopes = forms.ChoiceField(label="What it may do")
    days = forms.TypedChoiceField(
        label="Expires",
        coerce=lambda days: int(days) or None,
        choices=[("30", "in 30 days"), ("90", "in 90 days"), ("365", "in a year"), ("0", "never")],
        initial="90",
    )

    ABILITIES = {
        "read": ("Read what I may read", ["read"]),
        "submit": ("Read, submit, publish and withdraw", ["read", "submit"]),
        "staff": ("All of that, and what else my permissions allow", ["read", "staff", "submit"]),
    }

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        scopes: Any = self.fields["scopes"]
        scopes.choices = [
            (name, text)
            for name, (text, _) in self.ABILITIES.items()
            if name != "staff" or permissions.has_any(user)
        ]
        scopes.initial = "submit"

    def clean_scopes(self) -> list[str]:
        return self.ABILITIES[self.cleaned_data["scopes"]][1]


class CorrectedFileForm(PrintableTextMixin, forms.Form):
    """A file of rows with gold."""

    file = forms.FileField(
        label="Rows", help_text="JSON lines with answers, as the data set was released.", max_length=200
    )

    def refuse_size(self) -> None:
        """Say that the file was cut off at its limit, and nothing else of it."""
        self.errors.clear()
        self.add_error(
            "file", f"The file is larger than {settings.IMPORT_MAX_BYTES >> 20:,} MB. Send it gzipped."
        )


class ImportForm(CorrectedFileForm):
    """A file of rows with gold, and what its version is called."""

    title = forms.CharField(max_length=120, required=False, help_text="Empty: the preset's title.")
    slug = forms.SlugField(
        max_length=60, required=False, help_text="Part of the address. Empty: the preset's name."
    )

    def start(self, preset: Preset, *, sent_by: Any) -> Version:
        """The draft of the version. Raises what `importing.start` does."""
        data = self.cleaned_data
        return importing.start(preset, data["file"], slug=data["slug"], title=data["title"], sent_by=sent_by)


class SettingsField(forms.JSONField):
    """Settings as indented JSON; a fault is named by its line and column."""

    widget = forms.Textarea(attrs={"class": "vLargeTextField", "rows": 24, "spellcheck": "false"})

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str) and value.strip():
            if fault := shape.fault(value.encode(), shape.OF_ANSWER):
                raise forms.ValidationError(capital(fault.reason))
            try:
                json.loads(value)
            except json.JSONDecodeError as error:
                raise forms.ValidationError(
                    f"Not JSON, line {error.lineno}, column {error.colno}: {error.msg}."
                ) from error
        found = super().to_python(value)
        if found is not None and not isinstance(found, dict):
            raise forms.ValidationError('Settings are a JSON object: {"name": value, …}.')
        return found

    def bound_data(self, data: Any, initial: Any) -> Any:
        """What was typed is shown again as it was, where it is no JSON that may be read."""
        unreadable = isinstance(data, str) and shape.fault(data.encode(), shape.OF_ANSWER)
        return InvalidJSONInput(data) if unreadable else super().bound_data(data, initial)

    def prepare_value(self, value: Any) -> Any:
        """As it was typed where that is wrong, else indented."""
        return json.dumps(value, indent=2, ensure_ascii=False) if isinstance(value, dict) else value


class PresetForm(PrintableTextMixin, forms.ModelForm):
    """A preset for the admin; the suite checks its settings."""

    settings = SettingsField(required=False, help_text="Only what differs from the defaults is needed.")

    class Meta:
        model = Preset
        exclude = ("created_by",)

    def clean_settings(self) -> dict[str, Any]:
        return self.cleaned_data["settings"] or {}
