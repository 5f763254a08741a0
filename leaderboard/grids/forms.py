"""The form that starts a bench. Its fields follow the chosen system; sizes, parts and bars are the suite's."""

from __future__ import annotations

from typing import Any

from django import forms

from evaluation.core.errors import SettingsError
from evaluation.core.suite.benches import Benches, PlannedPart
from leaderboard.grids import orders
from leaderboard.grids.estimates import BenchPlan
from leaderboard.grids.models import Bench
from leaderboard.grids.orders import BenchError
from leaderboard.runs.catalogue import Executor
from leaderboard.runs.forms import PREFIX, ModelFileField, grouped, setting_field
from leaderboard.runs.models import ModelFile
from leaderboard.web.formatting import prose
from leaderboard.web.validators import PrintableTextMixin

BAR = "bar_"
MOST_SEEDS = 100  # as the engine takes at most


class BenchForm(PrintableTextMixin, forms.Form):
    """Who is asked, and how much. Without data it shows what the address says."""

    suite = forms.ChoiceField(label="Benchmark", required=False)
    executor = forms.ChoiceField(label="System")
    model_file = ModelFileField(
        ModelFile.objects.none(), required=False, label="Model file", empty_label="No model"
    )
    size = forms.ChoiceField(label="Size")
    seeds = forms.IntegerField(
        min_value=1,
        max_value=MOST_SEEDS,
        required=False,
        help_text="Episodes of each cell. More make intervals narrower.",
        widget=forms.NumberInput(attrs={"placeholder": "as the size"}),
    )
    parts = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, help_text="None chosen: all of them."
    )

    def __init__(self, provided: Any = None, *, bound: bool = False) -> None:
        """`provided` is the query or the posted form."""
        provided = provided or {}
        known = orders.suites()
        asked = str(provided.get("suite", ""))
        self.chosen_suite: str = asked if asked in known else next(iter(known), "")
        executors = orders.executors(self.chosen_suite)
        first = next(iter(executors.values()), None)
        self.chosen: Executor | None = executors.get(
            str(provided.get("executor", "")), _model_first(first, executors)
        )
        self.plan_made: list[PlannedPart] = []
        super().__init__(provided if bound else None, initial=self._initial(provided))
        if self.chosen is not None:
            self._fill_choices(known, executors, orders.benches_named(self.chosen_suite))

    def _initial(self, provided: Any) -> dict[str, Any]:
        """What the address says, but for a suite and a system that do not exist."""
        lists: dict[str, list[str]] = dict(provided.lists()) if hasattr(provided, "lists") else {}
        initial: dict[str, Any] = {name: values[-1] for name, values in lists.items()}
        executor = self.chosen.name if self.chosen else None
        own = {"parts": lists.get("parts", []), "suite": self.chosen_suite, "executor": executor}
        if self.chosen is not None and "size" not in initial:
            own["size"] = orders.benches_named(self.chosen_suite).default_size
        return initial | own

    def _fill_choices(self, known: dict[str, Any], executors: dict[str, Executor], benches: Benches) -> None:
        assert self.chosen is not None
        fields: dict[str, Any] = self.fields
        fields["suite"].choices = [(name, suite.title) for name, suite in known.items()]
        if len(known) == 1:
            fields["suite"].widget = forms.HiddenInput()
        fields["executor"].choices = grouped(executors.values())
        fields["size"].choices = [(each.name, f"{each.name}: {each.help}") for each in benches.sizes]
        self._fill_files(fields)
        adapter = self.chosen.label if self.chosen.is_adapter else ""
        fields["parts"].choices = [(each.name, each.title) for each in benches.parts(adapter)]
        for bar in benches.bars:
            fields[BAR + bar.name] = _bar_field(bar)
        for setting in self.chosen.settings:
            if (field := setting_field(setting)) is not None:
                fields[PREFIX + setting.name] = field

    def _fill_files(self, fields: dict[str, Any]) -> None:
        assert self.chosen is not None
        if not self.chosen.file_kinds:
            del fields["model_file"]
            return
        usable = ModelFile.objects.filter(kind__in=self.chosen.file_kinds).order_by("name")
        fields["model_file"].queryset = usable.select_related("check_made")
        if self.chosen.needs_model:
            fields["model_file"].required = True
            fields["model_file"].empty_label = "Choose a model"

    @property
    def setting_fields(self) -> list[Any]:
        """The settings of the chosen system, as bound fields."""
        return [field for field in self if field.name.startswith(PREFIX)]

    @property
    def bar_fields(self) -> list[Any]:
        """The thresholds, as bound fields."""
        return [field for field in self if field.name.startswith(BAR)]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if self.errors or self.chosen is None:
            return data
        bench = self.bench()
        try:
            self.plan_made = orders.checked(bench)
        except SettingsError as error:
            for name, messages in error.fields.items():
                own = PREFIX + name in self.fields
                text = " ".join(messages)
                self.add_error(PREFIX + name if own else None, text if own else f"{name} {text}")
        except BenchError as error:
            self.add_error(None, str(error))
        return data | {"settings": bench.settings}

    def bench(self) -> Bench:
        """The bench that is asked for, not saved and not checked."""
        return Bench(**self.asked(), suite_name=self.chosen_suite, settings=self._filled(PREFIX))

    def asked(self) -> dict[str, Any]:
        """What was filled in, beside suite and settings."""
        data = self.cleaned_data
        return {
            "executor": data["executor"],
            "model_file": data.get("model_file"),
            "size": data["size"],
            "seeds": data["seeds"] or 0,
            "parts": data["parts"],
            "thresholds": self._filled(BAR),
        }

    def _filled(self, prefix: str) -> dict[str, Any]:
        """The fields of a prefix that were filled in; an empty one means the default."""
        filled = ((name, value) for name, value in self.cleaned_data.items() if name.startswith(prefix))
        return {name.removeprefix(prefix): value for name, value in filled if value not in ("", None)}

    def plan(self) -> BenchPlan:
        """The bench that was asked for, to be estimated."""
        asked = self.asked()
        model = asked.pop("model_file")
        del asked["thresholds"]
        return BenchPlan(
            **asked,
            suite=self.chosen_suite,
            model_file=model.pk if model else None,
            settings=self.cleaned_data["settings"],
        )


def _model_first(first: Executor | None, executors: dict[str, Executor]) -> Executor | None:
    """Who is shown where nobody is chosen: what runs a model file, as a bench is mostly of one."""
    return next((one for one in executors.values() if one.needs_model), first)


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
