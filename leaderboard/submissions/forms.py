from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from django import forms

from leaderboard.accounts import teams, usernames
from leaderboard.accounts.models import Team
from leaderboard.benchmarks.models import Version
from leaderboard.submissions import quotas
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.models.card import CARD_FIELDS
from leaderboard.submissions.models.system import GIVEN
from leaderboard.submissions.services import MOST_REPEATS, Accepted, PrivateEntryError
from leaderboard.web.generic import ModelChoiceField, ModelChoiceIterator, ModelForm
from leaderboard.web.validators import PrintableTextMixin, unseen_problem


class Fold(NamedTuple):
    """Form fields that a page hides behind a summary line until a user opens it."""

    fields: Sequence[Any]  # bound
    is_open: bool


class ByBenchmark(ModelChoiceIterator[Version]):
    def __iter__(self) -> Iterator[Any]:
        yield ("", self.field.empty_label)
        groups: dict[str, list[Any]] = {}
        for version in self.queryset:
            groups.setdefault(version.benchmark.title, []).append(self.choice(version))
        yield from groups.items()


class VersionField(ModelChoiceField[Version]):
    iterator = ByBenchmark

    def label_from_instance(self, version: Version) -> str:
        return f"{version} ({version.disclosure.label})" if version.disclosure.is_open else str(version)


def link_field(help_text: str) -> forms.URLField:
    return forms.URLField(
        required=False, assume_scheme="https", max_length=200, label="Paper or code", help_text=help_text
    )


def repeats_field(help_text: str) -> forms.IntegerField:
    """Return a form field for the number of repeats. An empty field or 1 means a single submission."""
    return forms.IntegerField(
        min_value=1,
        max_value=MOST_REPEATS,
        required=False,
        label="Repeat runs to average",
        help_text=f"The leaderboard shows their mean, once all are graded. {help_text}",
        widget=forms.NumberInput(attrs={"placeholder": "1"}),
    )


def system_name(name: str, owner: Any) -> str:
    """Return the name unchanged. Raises ValidationError if a new name is reserved or has invisible characters."""
    if (text := usernames.system_problem(name)) and not System.objects.filter(owner=owner).named(
        name
    ).exists():
        raise forms.ValidationError(text)
    return name


def seen(text: str) -> str:
    """Return the text unchanged. Raises ValidationError if it has invisible characters."""
    if problem := unseen_problem(text):
        raise forms.ValidationError(problem)
    return text


class CheckForm(PrintableTextMixin, forms.Form):
    """Form to check a predictions file without submitting it."""

    version = VersionField(Version.objects.none(), empty_label="Choose a version")
    file = forms.FileField(label="Predictions", max_length=200)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        versions: Any = self.fields["version"]
        versions.queryset = Version.objects.open()


class SystemField(ModelChoiceField[System]):
    """Field to choose a system of the user or of a team. The label of a team's system names the team."""

    user: Any = None

    def label_from_instance(self, system: System) -> str:
        return str(system) if system.owner == self.user else f"{system} ({system.owner})"


class SubmitForm(PrintableTextMixin, forms.Form):
    """Form to submit a predictions file of a new or existing system for an open version."""

    version = VersionField(Version.objects.none(), empty_label="Choose a version")
    system = SystemField(System.objects.none(), required=False, empty_label="A new system")
    team = forms.ModelChoiceField(
        Team.objects.none(),
        required=False,
        empty_label="No team: the system is mine",
        label="Owner of a new system",
    )
    name = forms.CharField(
        max_length=80,
        required=False,
        label="Model",
        help_text="Usual name of the model, or its Hugging Face id.",
    )
    reading = forms.ChoiceField(choices=System.Reading, required=False, label="How the system reads the text")
    harness = forms.CharField(
        max_length=120,
        required=False,
        label="How the system reads the text, in your words",
        help_text="For example: BM25 finds 8 lines, the model answers.",
    )
    kind = forms.ChoiceField(choices=System.Kind, required=False, label="Kind", initial=System.Kind.LLM)
    parameters = forms.CharField(max_length=30, required=False, help_text="For example 7B.")
    quantization = forms.CharField(max_length=30, required=False, help_text="For example Q5_K_M.")
    weights = forms.ChoiceField(choices=System.Weights, required=False, label="Weights")
    seen = forms.ChoiceField(
        choices=System.Seen, required=False, label="Has the model seen the benchmark in training?"
    )
    main = forms.BooleanField(
        required=False,
        label="Main system for this model",
        help_text="Boards with one system per model show this system of yours. Without the tick, they show your first "
        "system with the model.",
    )
    url = link_field("Shown as a link on the system's page.")
    tokens_per_query = forms.FloatField(
        min_value=0,
        max_value=1e12,
        required=False,
        label="Tokens per query",
        help_text="Fill in if you measured it. If empty, the mean over the lines of the file is used, if every line "
        "reports its tokens. Shown as self-reported.",
    )
    file = forms.FileField(
        label="Predictions",
        help_text="preds.jsonl, preds.jsonl.gz, an Inspect log (JSON), lm-eval samples, the output of a batch API, CSV "
        "or Parquet",
        max_length=200,
    )
    take_unanswered = forms.BooleanField(
        required=False, label="Submit it anyway; lines without an answer count as wrong"
    )
    visibility = forms.ChoiceField(
        choices=Submission.Visibility,
        initial=Submission.Visibility.PUBLIC,
        help_text="If the answers of a version are public, the predictions of public submissions are public, too.",
    )
    declared = forms.BooleanField(
        required=False,
        label="Use on the leaderboard",
        help_text="Choose before you see the score. The board then shows this result of the system instead of its "
        "current result. Without the tick, the board keeps its current result, if any.",
    )
    repeats = repeats_field("The repeats are this file and the next files that you submit for the system.")
    note = forms.CharField(max_length=300, required=False, help_text="Anything a reader should know.")

    #: Step of the page -> optional fields that it hides until opened.
    FOLDED: ClassVar = {
        "system": ("harness", "kind", "seen", "weights", "parameters", "quantization", "main", "url"),
        "visibility": ("repeats", "tokens_per_query", "note"),
    }

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        versions: Any = self.fields["version"]
        versions.queryset = Version.objects.open()
        systems: Any = self.fields["system"]
        systems.user = user
        whose = teams.accounts_of(user, teams.SUBMITS)
        systems.queryset = System.objects.select_related("owner").filter(owner__in=whose)
        choices: Any = self.fields["team"]
        choices.queryset = Team.objects.select_related("account").filter(account__in=whose)
        if len(whose) == 1:
            del self.fields["team"]
        self.asks_about_unanswered = "take_unanswered" in self.data

    def clean_name(self) -> str:
        return system_name(self.cleaned_data["name"], self.owner)

    @property
    def owner(self) -> Any:
        """Return the account that will own the submission: the user or a team."""
        if system := self.cleaned_data.get("system"):
            return system.owner
        team = self.cleaned_data.get("team")
        return team.account if team else self.user

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
                "repeats",
                "Repeats are averaged only for the leaderboard: tick “Use on the leaderboard” above.",
            )
        if not data.get("system") and not data.get("name", "").strip() and "name" not in self.errors:
            self.add_error("name", "Name the model, or choose one of your systems above.")
        return data

    @property
    def folds(self) -> dict[str, Fold]:
        """Return the collapsible fields of each step, which are shown opened if one is filled in or invalid."""
        return {step: self._fold([self[name] for name in names]) for step, names in self.FOLDED.items()}

    def _fold(self, fields: Sequence[Any]) -> Fold:
        said = (
            field.errors or field.value() not in (None, "", False, field.field.initial) for field in fields
        )
        return Fold(fields, any(said))

    def ask_about_unanswered(self, message: str) -> None:
        self.add_error(None, message)
        self.asks_about_unanswered = True

    def get_system(self, accepted: Accepted) -> System:
        """Return the chosen system, else the owner's system with the entered name, else a new saved system."""
        data = self.cleaned_data
        if data["system"]:
            system: System = data["system"]
            return system
        fields = {name: data[name] for name in GIVEN if data[name]}
        fields["kind"] = accepted.kind(data["kind"] or System.Kind.LLM)
        model = data["name"].strip()
        name = System.label(model, data["harness"])
        mine = System.objects.filter(owner=self.owner)
        return mine.named(name).first() or quotas.new_system(
            self.user, owner=self.owner, name=name, model=model.rpartition("/")[2], **fields
        )


class SystemForm(PrintableTextMixin, ModelForm[System]):
    """Form to edit public facts of a system, but not its name, by which results are cited."""

    url = link_field("Paper, model card or repository, shown as a link on the system's page.")
    licence_url = forms.URLField(
        required=False,
        assume_scheme="https",
        max_length=200,
        label="Licence text",
        help_text="Link to the text of the licence.",
    )

    class Meta:
        model = System
        fields = (
            "kind", "model", "reading", "harness", "main", "seen", "seen_since", *CARD_FIELDS, "description", "url",
        )  # fmt: skip
        help_texts = {"description": "Describe the system in a sentence."}
        widgets = dict.fromkeys(
            ("released", "seen_since"), forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if Submission.objects.filter(system=self.instance, score__isnull=False).exists():
            self.fields["main"].disabled = True
            self.fields["main"].help_text = "Fixed, because the system already has a score."

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        self.instance.mark_entered(self.changed_data)
        return data

    @property
    def card_fields(self) -> list[Any]:
        return [self[name] for name in CARD_FIELDS]
