"""Forms for maintainers: presets, files to import, retirement."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.forms.fields import InvalidJSONInput

from evaluation.core.errors import SettingsError
from evaluation.core.files import shape
from evaluation.core.files.limits import capital
from leaderboard.benchmarks import importing
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.benchmarks.settings_fields import PREFIX, at, put, settings_fields
from leaderboard.web.generic import ModelForm
from leaderboard.web.validators import PrintableTextMixin


class CorrectedFileForm(PrintableTextMixin, forms.Form):
    file = forms.FileField(
        label="Rows", help_text="The released file of the data set: JSON lines with answers.", max_length=200
    )

    def refuse_size(self) -> None:
        """Replace all errors of the form by one error, which says that the file exceeds the size limit."""
        self.errors.clear()
        self.add_error(
            "file", f"The file is larger than {settings.IMPORT_MAX_BYTES >> 20:,} MB. Send it gzipped."
        )


class RetireForm(PrintableTextMixin, forms.Form):
    name = forms.CharField(
        max_length=200, widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
    )

    def __init__(self, *args: Any, version: Version, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.version = version

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name != self.version.slug:
            raise forms.ValidationError(
                f"This is not the version's name. Type {self.version.slug} to retire it."
            )
        return name


class ImportForm(CorrectedFileForm):
    """Form to import a file of rows with gold, with the title, slug and licence of the new version."""

    title = forms.CharField(max_length=120, required=False, help_text="Empty: the preset's title.")
    slug = forms.SlugField(
        max_length=60, required=False, help_text="Part of the version's URL. Empty: the preset's name."
    )
    licence = forms.CharField(
        max_length=100,
        required=False,
        label="Licence",
        help_text="Licence of the rows, as their source states it (an SPDX identifier). Empty: this project's.",
    )

    def start(self, preset: Preset, *, sent_by: Any) -> Version:
        """Draft the version. Raises an error of importing.REFUSALS, or SettingsError if the preset has no imports."""
        data = self.cleaned_data
        names = {name: data[name] for name in ("slug", "title", "licence")}
        return importing.start(preset, data["file"], **names, sent_by=sent_by)


class SettingsField(forms.JSONField):
    """Form field that shows settings as indented JSON. Its errors name line and column."""

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
        parsed = super().to_python(value)
        if parsed is not None and not isinstance(parsed, dict):
            raise forms.ValidationError('Settings must be a JSON object: {"name": value, …}.')
        return parsed

    def bound_data(self, data: Any, initial: Any) -> Any:
        """Keep input with too many levels or values to parse, to show it again unchanged."""
        unreadable = isinstance(data, str) and shape.fault(data.encode(), shape.OF_ANSWER)
        return InvalidJSONInput(data) if unreadable else super().bound_data(data, initial)

    def prepare_value(self, value: Any) -> Any:
        """Indent valid settings; leave invalid input as typed."""
        return json.dumps(value, indent=2, ensure_ascii=False) if isinstance(value, dict) else value


class PresetForm(PrintableTextMixin, ModelForm[Preset]):
    """Form of a preset: a field per setting, and all settings as JSON. With `by_field`, fields override the JSON."""

    settings = SettingsField(
        required=False, help_text="Only settings that differ from the defaults are needed."
    )
    by_field = forms.BooleanField(required=False, widget=forms.HiddenInput)

    class Meta:
        model = Preset
        exclude = ("created_by",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.setting_fields: dict[str, str] = {}  # path -> name of its field
        if self.instance._state.adding and not self._starts():
            return
        self.initial["by_field"] = True
        known = self._known_settings()
        for path, field in settings_fields(
            self.instance.benchmark.engine.settings.model_json_schema()
        ).items():
            self.fields[PREFIX + path] = field
            value = at(known, path)
            # `known` may lack newer settings: without a default the browser would send the first choice.
            self.initial[PREFIX + path] = field.initial if value is None else value
            self.setting_fields[path] = PREFIX + path

    def _starts(self) -> bool:
        named = str(self.data.get("benchmark") or self.initial.get("benchmark"))
        benchmark = Benchmark.objects.filter(pk=int(named)).first() if named.isdecimal() else None
        if benchmark is None:
            return False
        self.instance.benchmark = benchmark
        self.instance.settings = self._given_settings()
        self.fields["benchmark"].widget = forms.HiddenInput()
        return True

    def _given_settings(self) -> dict[str, Any]:
        if not self.is_bound:
            return dict(self.initial.get("settings") or {})
        try:
            return self.fields["settings"].clean(self.data.get("settings", "")) or {}
        except forms.ValidationError:
            return {}

    def _known_settings(self) -> Mapping[str, object]:
        try:
            return self.instance.checked_settings()
        except SettingsError:
            settings: Mapping[str, object] = self.instance.settings
            return settings

    def clean_settings(self) -> dict[str, Any]:
        return self.cleaned_data["settings"] or {}

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not data.get("by_field") or "settings" not in data:
            return data
        settings = copy.deepcopy(data["settings"])
        for path, name in self.setting_fields.items():
            if name in self.changed_data and name in data:
                put(settings, path, data[name])
        self._refuse(settings)
        return data | {"settings": settings}

    def _refuse(self, settings: dict[str, object]) -> None:
        """Show the suite's errors at the fields of single settings. The model shows them at the JSON field."""
        try:
            self.instance.benchmark.engine.settings.checked(settings)
        except SettingsError as error:
            for path, texts in error.fields.items():
                if path in self.setting_fields:
                    self.add_error(self.setting_fields[path], texts)
