"""Forms that start a job. Their fields depend on the chosen system and on the version or suite."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, TypedDict

from django import forms

from evaluation.core.errors import SettingsError
from evaluation.core.suite.benches import PlannedPart
from leaderboard.benchmarks.models import Version
from leaderboard.runs import catalogue
from leaderboard.runs import services as runs
from leaderboard.runs.benches import orders
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.catalogue import Executor, Setting
from leaderboard.runs.choosing import executor_of, fitting_version, picked_version
from leaderboard.runs.estimates import BenchPlan, JobPlan, Plan
from leaderboard.runs.model_job import JobError
from leaderboard.runs.models import ModelFile
from leaderboard.submissions.forms import Fold, repeats_field
from leaderboard.submissions.verdicts import redacted_splits
from leaderboard.web.formatting import prose
from leaderboard.web.generic import ModelChoiceField, ModelChoiceIterator
from leaderboard.web.validators import PrintableTextMixin

PREFIX = "set_"
BAR = "bar_"
MOST_SEEDS = 100  # the engine's maximum


class ByKind(ModelChoiceIterator[ModelFile]):
    """Groups the choices of model files: language models, and kinds of trained files."""

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
    """Field to choose a registered model file; the label mentions warnings of its check."""

    iterator = ByKind

    def label_from_instance(self, model: ModelFile) -> str:
        return f"{model} (its check warns)" if model.doubt else str(model)


class Planned(TypedDict):
    executor: str
    model_file: int | None
    settings: dict[str, catalogue.SettingValue]


class JobForm(PrintableTextMixin, forms.Form):
    """Form with a system and its settings. Unbound, it shows the choices given in the URL."""

    executor = forms.ChoiceField(label="System")
    model_file = ModelFileField(
        ModelFile.objects.none(), required=False, label="Model file", empty_label="No model"
    )

    #: Fields that may have several values in a URL.
    LISTS: tuple[str, ...] = ()
    chosen: Executor | None

    def __init__(self, provided: Any = None, *, bound: bool = False) -> None:
        # The query string, or the posted form.
        provided = provided or {}
        self.choose(provided)
        lists: dict[str, list[str]] = dict(provided.lists()) if hasattr(provided, "lists") else {}
        initial: dict[str, object] = {name: values[-1] for name, values in lists.items()}
        initial |= {name: lists.get(name, []) for name in self.LISTS}
        initial |= {"executor": self.chosen.name if self.chosen else None}
        super().__init__(provided if bound else None, initial=self.with_defaults(initial))
        fields: dict[str, Any] = self.fields
        if self.chosen is not None:
            self._fill_files(fields, self.chosen)
        self.fill_choices(fields)
        for setting in self.chosen.settings if self.chosen else ():
            if (field := setting_field(setting)) is not None:
                fields[PREFIX + setting.name] = field

    def choose(self, provided: Any) -> None:
        """Set `chosen` to the system named in `provided`, and choose the version or suite."""
        raise NotImplementedError

    def with_defaults(self, initial: dict[str, object]) -> dict[str, object]:
        """Initial values from the URL, with the form's own defaults added."""
        return initial

    def fill_choices(self, fields: dict[str, Any]) -> None:
        """Fill the choices of fields that only this kind of job has."""
        raise NotImplementedError

    def _fill_files(self, fields: dict[str, Any], chosen: Executor) -> None:
        if not chosen.file_kinds:
            del fields["model_file"]
            return
        usable = ModelFile.objects.filter(kind__in=chosen.file_kinds).order_by("name")
        fields["model_file"].queryset = usable.select_related("check_made")
        if chosen.needs_model:
            fields["model_file"].required = True
            fields["model_file"].empty_label = "Choose a model"

    @property
    def setting_fields(self) -> list[Any]:
        return [field for field in self if field.name.startswith(PREFIX)]

    @property
    def settings_fold(self) -> Fold:
        """The collapsible group of settings. Open if a field is filled in or invalid, or if a server is needed."""
        fields = self.setting_fields
        said = (field.errors or field.value() not in (None, "") for field in fields)
        return Fold(fields, any(said) or bool(self.chosen and self.chosen.asks_server))

    def filled(self, prefix: str) -> dict[str, Any]:
        """Values of the filled-in fields whose names have a prefix, which is removed; empty fields are left out."""
        filled = ((name, value) for name, value in self.cleaned_data.items() if name.startswith(prefix))
        return {name.removeprefix(prefix): value for name, value in filled if value not in ("", None)}

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if self.errors or self.chosen is None:
            return data
        try:
            return data | self.checked(data)
        except SettingsError as error:
            for name, messages in error.fields.items():
                own = PREFIX + name in self.fields
                text = " ".join(messages)
                self.add_error(PREFIX + name if own else None, text if own else f"{name} {text}")
        except JobError as error:
            self.add_error(None, str(error))
        return data

    def checked(self, data: dict[str, Any]) -> dict[str, object]:
        """Values to add to the cleaned data, such as typed settings as `values`. Raises JobError or SettingsError."""
        raise NotImplementedError

    def planned(self) -> Planned:
        model = self.cleaned_data.get("model_file")
        return {
            "executor": self.cleaned_data["executor"],
            "model_file": model.pk if model else None,
            "settings": self.cleaned_data["values"],
        }

    def plan(self) -> JobPlan:
        raise NotImplementedError


class RunForm(JobForm):
    QUICK = 40  # rows of the trial that its page offers

    LISTS = ("conditions",)

    version = forms.ModelChoiceField(Version.objects.none(), empty_label=None)
    conditions = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, help_text="Choose none to run all."
    )
    row_limit = forms.IntegerField(
        min_value=1,
        required=False,
        label="Rows at most",
        help_text="A trial over some rows, spread over splits and lengths. It is graded, private and never on a board.",
        widget=forms.NumberInput(attrs={"placeholder": "all"}),
    )
    declared = forms.BooleanField(
        required=False,
        label="Use on the leaderboard",
        help_text="Choose before you see the score. The result replaces the system's current one on the leaderboard. "
        "Without the tick, the leaderboard keeps the system's current result, if any.",
    )
    repeats = repeats_field("Starts this many runs, each with its own seed if the system has a seed.")

    def choose(self, provided: Any) -> None:
        named = picked_version(provided.get("version"))
        self.chosen_version = named or fitting_version(provided.get("executor"), provided.get("model_file"))
        self.chosen = executor_of(self.chosen_version, provided.get("executor"))

    def with_defaults(self, initial: dict[str, object]) -> dict[str, object]:
        version, chosen = self.chosen_version, self.chosen
        needed = runs.asked_with(version, chosen) if version and chosen else {}
        return {PREFIX + name: value for name, value in needed.items()} | initial | {"version": version}

    def fill_choices(self, fields: dict[str, Any]) -> None:
        fields["version"].queryset = Version.objects.open()
        if self.chosen_version is None:
            return
        fields["executor"].choices = grouped(catalogue.offered(self.chosen_version).values())
        names = list(redacted_splits(self.chosen_version))
        fields["conditions"].choices = [(name, name) for name in names]
        if len(names) < 2:
            del fields["conditions"]

    def checked(self, data: dict[str, Any]) -> dict[str, object]:
        assert self.chosen is not None
        assert self.chosen_version is not None
        model, splits = data.get("model_file"), data.get("conditions") or []
        values = runs.check(self.chosen_version, self.chosen.name, model, self.filled(PREFIX), splits)
        return {"values": values, "conditions": runs.expanded(self.chosen_version, splits)}

    def plan(self) -> Plan:
        data = self.cleaned_data
        return Plan(
            **self.planned(),
            version=data["version"].pk,
            conditions=data.get("conditions") or [],
            row_limit=data["row_limit"],
        )


class BenchAsked(TypedDict):
    executor: str
    model_file: ModelFile | None
    size: str
    seeds: int
    parts: list[str]
    thresholds: dict[str, float]


class BenchForm(JobForm):
    """Form of a bench, with the sizes, parts and thresholds of the chosen suite."""

    LISTS = ("parts",)

    suite = forms.ChoiceField(label="Benchmark", required=False)
    size = forms.ChoiceField(label="Size")
    seeds = forms.IntegerField(
        min_value=1,
        max_value=MOST_SEEDS,
        required=False,
        help_text="Episodes of each cell. More make intervals narrower.",
        widget=forms.NumberInput(attrs={"placeholder": "as the size"}),
    )
    parts = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, help_text="Choose none to measure all."
    )

    def choose(self, provided: Any) -> None:
        known = orders.suites()
        asked = str(provided.get("suite", ""))
        self.chosen_suite: str = asked if asked in known else next(iter(known), "")
        self.plan_made: list[PlannedPart] = []
        executors = orders.executors(self.chosen_suite)
        # Benches mostly measure models: the default is a system that runs a model file.
        first = next((one for one in executors.values() if one.needs_model), None)
        named = executors.get(str(provided.get("executor", "")))
        self.chosen = named or first or next(iter(executors.values()), None)

    def with_defaults(self, initial: dict[str, object]) -> dict[str, object]:
        size = {"size": orders.benches_named(self.chosen_suite).default_size} if self.chosen else {}
        return size | initial | {"suite": self.chosen_suite}

    def fill_choices(self, fields: dict[str, Any]) -> None:
        if self.chosen is None:
            return
        known, benches = orders.suites(), orders.benches_named(self.chosen_suite)
        fields["suite"].choices = [(name, suite.title) for name, suite in known.items()]
        if len(known) == 1:
            fields["suite"].widget = forms.HiddenInput()
        fields["executor"].choices = grouped(orders.executors(self.chosen_suite).values())
        fields["size"].choices = [(each.name, f"{each.name}: {each.help}") for each in benches.sizes]
        adapter = self.chosen.label if self.chosen.is_adapter else ""
        fields["parts"].choices = [(each.name, each.title) for each in benches.parts(adapter)]
        for bar in benches.bars:
            fields[BAR + bar.name] = _bar_field(bar)

    @property
    def bar_fields(self) -> list[Any]:
        return [field for field in self if field.name.startswith(BAR)]

    def checked(self, data: dict[str, Any]) -> dict[str, object]:
        bench = Bench(**self.asked(), suite_name=self.chosen_suite, settings=self.filled(PREFIX))
        self.plan_made = orders.checked(bench)
        return {"values": bench.settings}

    def asked(self) -> BenchAsked:
        data = self.cleaned_data
        return {
            "executor": data["executor"],
            "model_file": data.get("model_file"),
            "size": data["size"],
            "seeds": data["seeds"] or 0,
            "parts": data["parts"],
            "thresholds": self.filled(BAR),
        }

    def plan(self) -> BenchPlan:
        asked = self.asked()
        return BenchPlan(
            **self.planned(),
            suite=self.chosen_suite,
            size=asked["size"],
            seeds=asked["seeds"],
            parts=asked["parts"],
        )


def grouped(known: Collection[Executor]) -> list[tuple[str, list[tuple[str, str]]]]:
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
    if setting.files not in (ModelFile.GGUF, ModelFile.LORA):
        return "the project's"
    return "same as model" if setting.name == "builder_model" else "none"


def setting_field(setting: Setting) -> forms.Field | None:
    """An optional form field that shows the default; None if there is nothing to choose."""
    given: dict[str, Any] = {
        "label": setting.name.replace("_", " "),
        "required": False,
        "help_text": prose(setting.help),
    }
    shown = str(setting.default).lower() if isinstance(setting.default, bool) else str(setting.default)
    match setting.kind:
        case "model":
            files = ModelFile.objects.filter(kind=setting.files)
            models = [(model.path, model.name) for model in files]
            if not models and setting.files != ModelFile.GGUF:
                return None
            return forms.ChoiceField(choices=[("", _no_model(setting)), *models], **given)
        case "choice" | "truth":
            others = [(choice, choice) for choice in setting.choices if choice != shown]
            return forms.ChoiceField(choices=[("", f"{shown} (default)"), *others], **given)
    mode = {"inputmode": "decimal"} if setting.kind == "number" else {}
    widget = forms.TextInput(attrs={"placeholder": shown, "autocomplete": "off", **mode})
    return forms.CharField(max_length=200, widget=widget, **given)


def _bar_field(bar: Any) -> forms.Field:
    said = f"{'at least' if bar.at_least else 'at most'} {bar.threshold:g}"
    widget = forms.NumberInput(attrs={"placeholder": said, "step": "any", "min": 0, "max": 1})
    return forms.FloatField(
        label=bar.name.replace("_", " "),
        required=False,
        min_value=0,
        max_value=1,
        help_text=prose(bar.help),
        widget=widget,
    )
