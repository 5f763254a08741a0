"""The form that starts a run. Its fields follow the chosen version and executor."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from django import forms

from evaluation.core.errors import SettingsError
from leaderboard.benchmarks.models import Version
from leaderboard.runs import catalogue
from leaderboard.runs import services as runs
from leaderboard.runs.catalogue import Executor, Setting
from leaderboard.runs.estimates import Plan
from leaderboard.runs.models import ModelFile
from leaderboard.submissions.forms import repeats_field
from leaderboard.submissions.verdicts import redacted_splits
from leaderboard.web.formatting import prose
from leaderboard.web.generic import ModelChoiceField, ModelChoiceIterator
from leaderboard.web.validators import PrintableTextMixin

PREFIX = "set_"


class ByKind(ModelChoiceIterator[ModelFile]):
    """Language models, and what was trained apart, each under its heading."""

    def __iter__(self) -> Iterator[Any]:
        yield ("", self.field.empty_label)
        groups: dict[str, list[Any]] = {}
        for model in self.queryset:
            title = "Language models" if model.is_language_model else f"Trained {model.kind}s"
            groups.setdefault(title, []).append(self.choice(model))
        yield from (
            groups.items() if len(groups) > 1 else (each for group in groups.values() for each in group)
        )


class ModelFileField(ModelChoiceField[ModelFile]):
    """A registered model file. One that its check warns of says so."""

    iterator = ByKind

    def label_from_instance(self, model: ModelFile) -> str:
        return f"{model} (its check warns)" if model.doubt else str(model)


class RunForm(PrintableTextMixin, forms.Form):
    """What to run over which rows. Without data it shows what the address says."""

    version = forms.ModelChoiceField(Version.objects.none(), empty_label=None)
    executor = forms.ChoiceField(label="System")
    model_file = ModelFileField(
        ModelFile.objects.none(), required=False, label="Model file", empty_label="No model"
    )
    conditions = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, help_text="None chosen: all of them."
    )
    row_limit = forms.IntegerField(
        min_value=1,
        required=False,
        label="Rows at most",
        help_text="A trial over a part, spread over splits and lengths. It is graded, private, and never on a board.",
        widget=forms.NumberInput(attrs={"placeholder": "all"}),
    )

    declared = forms.BooleanField(
        required=False,
        label="This is the system's entry, whatever it scores",
        help_text="It replaces what stands on the board now. Without the tick the first public result stands.",
    )
    repeats = repeats_field("As many runs, each with a seed of its own where the system has one.")

    def __init__(self, provided: Any = None, *, bound: bool = False) -> None:
        """`provided` is the query or the posted form."""
        provided = provided or {}
        versions = Version.objects.open()
        self.chosen_version = _pick(versions, provided.get("version")) or versions.first()
        self.chosen = _executor(self.chosen_version, provided.get("executor"))
        super().__init__(
            provided if bound else None, initial=_initial(provided, self.chosen_version, self.chosen)
        )
        self._fill_choices(versions)

    def _fill_choices(self, versions: Any) -> None:
        fields: dict[str, Any] = self.fields
        fields["version"].queryset = versions
        if self.chosen_version is None or self.chosen is None:
            return
        fields["executor"].choices = grouped(catalogue.offered(self.chosen_version).values())
        usable = ModelFile.objects.filter(kind__in=self.chosen.file_kinds).order_by("name")
        fields["model_file"].queryset = usable.select_related("check_made")
        if self.chosen.needs_model:
            fields["model_file"].required = True
            fields["model_file"].empty_label = "Choose a model"
        if not self.chosen.file_kinds:
            del fields["model_file"]
        names = list(redacted_splits(self.chosen_version))
        fields["conditions"].choices = [(name, name) for name in names]
        if len(names) < 2:
            del fields["conditions"]
        for setting in self.chosen.settings:
            if (field := setting_field(setting)) is not None:
                fields[PREFIX + setting.name] = field

    @property
    def setting_fields(self) -> list[Any]:
        """The settings of the chosen system, as bound fields."""
        return [field for field in self if field.name.startswith(PREFIX)]

    def values(self) -> dict[str, Any]:
        """The settings that were filled in; an empty field means the default."""
        filled = ((name, value) for name, value in self.cleaned_data.items() if name.startswith(PREFIX))
        return {name.removeprefix(PREFIX): value for name, value in filled if value not in ("", None)}

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if self.errors or self.chosen is None or self.chosen_version is None:
            return data
        model, splits = data.get("model_file"), data.get("conditions") or []
        try:
            data["values"] = runs.check(self.chosen_version, self.chosen.name, model, self.values(), splits)
            data["conditions"] = runs.expanded(self.chosen_version, splits)
        except SettingsError as error:
            for name, messages in error.fields.items():
                known = PREFIX + name in self.fields
                text = " ".join(messages)
                self.add_error(PREFIX + name if known else None, text if known else f"{name} {text}")
        except runs.RunError as error:
            self.add_error(None, str(error))
        return data

    def plan(self) -> Plan:
        """The run that was asked for."""
        data = self.cleaned_data
        model = data.get("model_file")
        return Plan(
            version=data["version"].pk,
            executor=data["executor"],
            model_file=model.pk if model else None,
            settings=data["values"],
            conditions=data.get("conditions") or [],
            row_limit=data["row_limit"],
        )


def _pick(versions: Any, requested: Any) -> Version | None:
    """The version of an id or of a `benchmark/slug`."""
    text = str(requested or "")
    if "\x00" in text or len(text) > 200:
        return None
    if text.isdecimal():
        version: Version | None = versions.filter(pk=int(text)).first()
        return version
    benchmark, _, slug = text.rpartition("/")
    return versions.filter(slug=slug, benchmark__slug=benchmark).first() if slug else None


def _executor(version: Version | None, requested: Any) -> Executor | None:
    known = catalogue.offered(version) if version else {}
    return known.get(str(requested)) or next(iter(known.values()), None)


def _initial(provided: Any, version: Version | None, executor: Executor | None) -> dict[str, Any]:
    """What the address says, but for a version and executor that do not exist."""
    lists: Mapping[str, list[str]] = dict(provided.lists()) if hasattr(provided, "lists") else {}
    initial: dict[str, Any] = {name: values[-1] for name, values in lists.items()}
    initial["conditions"] = lists.get("conditions", [])
    return initial | {"version": version, "executor": executor.name if executor else None}


def grouped(known: Collection[Executor]) -> list[tuple[str, list[tuple[str, str]]]]:
    """What can be chosen to run, as the choices of a field.

    Args:
        known: All of it.
    """
    groups = {
        "Adapters": [executor for executor in known if executor.is_adapter],
        "Deterministic systems": [executor for executor in known if not executor.is_adapter],
    }
    return [
        (title, [(executor.name, executor.label) for executor in group])
        for title, group in groups.items()
        if group
    ]


def _no_model(setting: Setting) -> str:
    """What happens where no file is chosen."""
    if setting.files not in (ModelFile.GGUF, ModelFile.LORA):
        return "that of the project"
    return "the same" if setting.name == "builder_model" else "none"


def setting_field(setting: Setting) -> forms.Field | None:
    """A field that may stay empty; then the default counts, which it shows.

    Args:
        setting: What it sets.

    Returns:
        None where there is nothing to choose.
    """
    label = setting.name.replace("_", " ")
    shown = str(setting.default).lower() if isinstance(setting.default, bool) else str(setting.default)
    match setting.kind:
        case "model":
            files = ModelFile.objects.filter(kind=setting.files)
            models = [(model.path, model.name) for model in files]
            if not models and setting.files != ModelFile.GGUF:
                return None
            choices = [("", _no_model(setting)), *models]
            return forms.ChoiceField(
                label=label, required=False, choices=choices, help_text=prose(setting.help)
            )
        case "choice" | "truth":
            choices = [("", f"{shown} (default)"), *((c, c) for c in setting.choices if c != shown)]
            return forms.ChoiceField(
                label=label, required=False, choices=choices, help_text=prose(setting.help)
            )
    mode = {"inputmode": "decimal"} if setting.kind == "number" else {}
    widget = forms.TextInput(attrs={"placeholder": shown, "autocomplete": "off", **mode})
    return forms.CharField(
        label=label, required=False, max_length=200, widget=widget, help_text=prose(setting.help)
    )
