"""Forms of the maintainer: presets, and files to import."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.conf import settings
from django.forms.fields import InvalidJSONInput

from evaluation.core.files import shape
from evaluation.core.files.limits import capital
from leaderboard.benchmarks import importing
from leaderboard.benchmarks.models import Preset, Version
from leaderboard.web.generic import ModelForm
from leaderboard.web.validators import PrintableTextMixin


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


class PresetForm(PrintableTextMixin, ModelForm[Preset]):
    """A preset for the admin; the suite checks its settings."""

    settings = SettingsField(required=False, help_text="Only what differs from the defaults is needed.")

    class Meta:
        model = Preset
        exclude = ("created_by",)

    def clean_settings(self) -> dict[str, Any]:
        return self.cleaned_data["settings"] or {}
