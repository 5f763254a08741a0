"""Filters of boards and of the list of submissions. Every choice is a parameter of the URL."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import django_filters
from django import forms
from django.contrib.auth import get_user_model
from django.db import models
from django.db.models import Q
from django.http import QueryDict

from evaluation.core.suite import Facet
from leaderboard.accounts import services as accounts
from leaderboard.benchmarks.models import Version
from leaderboard.boards import slices
from leaderboard.boards.placements import families
from leaderboard.boards.placements.ranking import Placement
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions.models import Submission, System

MENU = forms.Select(attrs={"class": "menu-of-parts"})
WEIGHTS = {"open": "open", "conditions": "conditionally open", "closed": "closed"}
SEEN = {"no": "has not", "maybe": "may have", "yes": "has"}


class BoardFilter(django_filters.FilterSet):
    """Filters for the submissions on a version's board, and the choice of the rows that they are ranked by."""

    kind = django_filters.ChoiceFilter(
        field_name="system__kind",
        choices=System.Kind.choices,
        empty_label="All kinds",
        label="Kind of system",
    )
    systems = django_filters.ChoiceFilter(
        choices=[], empty_label="All systems", label="Which systems", method="keep_all", widget=MENU
    )
    weights = django_filters.ChoiceFilter(
        field_name="system__weights", choices=System.Weights.choices[1:], empty_label="All", label="Weights"
    )
    seen = django_filters.ChoiceFilter(
        field_name="system__seen",
        choices=System.Seen.choices[1:],
        empty_label="All",
        label="Has the model seen the benchmark? (as its owner reports)",
    )
    verified = django_filters.BooleanFilter(
        widget=forms.CheckboxInput, method="only_verified", label="Verified only"
    )
    meets = django_filters.BooleanFilter(
        widget=forms.CheckboxInput, method="only_meeting", label="Fails no requirement"
    )
    references = django_filters.BooleanFilter(
        widget=forms.CheckboxInput, method="keep_all", label="Sort reference systems by value"
    )
    q = django_filters.CharFilter(method="keep_all", label="Name contains")

    class Meta:
        model = Submission
        fields: list[str] = []

    def __init__(self, *args: Any, version: Version, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.version = version
        has_references, has_failing = self._narrow_to_board()
        self.families = families.left_out(self.queryset)
        self.filters["systems"].extra["choices"] = [
            (name, label) for name, label in families.LABELS.items() if name in self.families
        ]
        if not self.families:
            del self.filters["systems"]
        references = self.filters.pop("references")
        if not has_failing and not self.data.get("meets"):
            del self.filters["meets"]
        for facet in slices.facets_of(version):
            if facet.choices:
                self.filters[facet.name] = _part_of(facet)
        if has_references:
            self.filters["references"] = references
        self.filters["q"] = self.filters.pop("q")  # the form lists filters in this order: search last

    def _narrow_to_board(self) -> tuple[bool, bool]:
        """Remove choices that do not distinguish the systems of this board, unless the URL has them. One query.

        Returns whether the board has references, and whether a system other than a reference fails a requirement.
        """
        names = ("kind", "weights", "seen")
        columns = (*(self.filters[name].field_name for name in names), "system__reference", "score__gated")
        there = set(self.queryset.order_by().values_list(*columns).distinct())
        for at, name in enumerate(names):
            of_systems, choice = {row[at] for row in there}, self.filters[name]
            kept = of_systems | {str(self.data.get(name, ""))}
            choice.extra["choices"] = [each for each in choice.extra["choices"] if each[0] in kept]
            if len(of_systems) < 2 and not self.data.get(name):
                del self.filters[name]
        return any(role for *_, role, _ in there), any(gated and not role for *_, role, gated in there)

    @property
    def _chosen(self) -> dict[str, Any]:
        self.form.is_valid()  # called for its effect: drops invalid values from the cleaned data
        return getattr(self.form, "cleaned_data", {})

    @property
    def part(self) -> BoardSlice:
        """The rows that the board covers, as chosen in the URL. A part that the version does not have is ignored."""
        part = slices.board_slice(self.version, self._chosen)
        return replace(part, family=self._chosen.get("systems") or "")

    @property
    def in_place(self) -> bool:
        """True if reference systems are sorted among the other systems, instead of listed after them."""
        return bool(self._chosen.get("references"))

    @property
    def among(self) -> str:
        """Description of the chosen systems, such as "verified systems of the kind Selector"; empty for all systems."""
        chosen = self._chosen
        said = [
            f" of the kind {System.Kind(chosen['kind']).label}" if chosen.get("kind") else "",
            f" with {WEIGHTS[chosen['weights']]} weights" if chosen.get("weights") else "",
            f" whose model {SEEN[chosen['seen']]} seen the benchmark" if chosen.get("seen") else "",
            " that fail no requirement" if chosen.get("meets") else "",
        ]
        verified = "verified systems" if chosen.get("verified") else "systems"
        return f"{verified}{''.join(said)}" if chosen.get("verified") or any(said) else ""

    @property
    def count(self) -> int:
        names = ("kind", "weights", "seen", "verified", "meets", "references", "q")
        return sum(bool(self._chosen.get(name)) for name in names)

    @property
    def narrows(self) -> bool:
        """True if the choices hide some systems."""
        return bool(self.among or self._chosen.get("q"))

    def kept(self, placements: list[Placement]) -> list[Placement]:
        """The placements that pass the filters. Their ranks are unchanged, because filters only hide systems."""
        if self.among:
            keys = set(self.qs.order_by().values_list("pk", flat=True))
            placements = [placement for placement in placements if placement.key in keys]
        text = self._chosen.get("q", "").casefold()
        return [placement for placement in placements if text in placement.name.casefold()]

    def keep_all(self, queryset: Any, name: str, value: str) -> Any:
        """Filter method that returns the query unchanged: `part`, `in_place` and `kept` apply these choices."""
        return queryset

    def only_verified(self, queryset: Any, name: str, value: Any) -> Any:
        return queryset.filter(verified=True) if value else queryset

    def only_meeting(self, queryset: Any, name: str, value: Any) -> Any:
        return queryset.filter(score__gated=False) if value else queryset


def filtered(
    query: QueryDict, version: Version
) -> tuple[models.QuerySet[Submission], BoardFilter, BoardSlice]:
    """The submissions, filters and part of the rows that a board's URL chooses. Invalid parameters are ignored."""
    shown = Submission.objects.on_board(version)
    filters = BoardFilter(query, queryset=shown, version=version)
    if filters.part.family:
        shown = shown.exclude(pk__in=filters.families[filters.part.family])
    return shown, filters, filters.part


def _part_of(facet: Facet) -> django_filters.ChoiceFilter:
    return django_filters.ChoiceFilter(
        choices=facet.choices, empty_label=facet.whole, label=facet.label, method=_leave, widget=MENU
    )


def _leave(queryset: Any, name: str, value: str) -> Any:
    """Filter method that returns the query unchanged: the choice of rows hides no systems."""
    return queryset


def mentions(text: str) -> Q:
    """Condition for submissions whose system, account or note contains a text.

    Makes three queries, because a single query with joins would read all rows.
    """
    systems = System.objects.filter(name__icontains=text).order_by().values_list("pk", flat=True)
    owners = get_user_model().objects.filter(username__icontains=text).values_list("pk", flat=True)
    noted = Submission.objects.exclude(note="").filter(note__icontains=text).order_by()
    return (
        Q(system__in=list(systems))
        | Q(submitter__in=list(owners))
        | Q(pk__in=list(noted.values_list("pk", flat=True)))
    )


def version_choices() -> list[tuple[str, str]]:
    """Choices of a form field: (address, title with benchmark) of each public version."""
    versions = Version.objects.readable().only("slug", "title", "benchmark__slug", "benchmark__title")
    return [(f"{v.benchmark.slug}/{v.slug}", f"{v.title} · {v.benchmark.title}") for v in versions]


class HistoryFilter(django_filters.FilterSet):
    """Filters for the list of submissions. `system` is `<owner>/<slug>`, `version` is `<benchmark>/<slug>`."""

    q = django_filters.CharFilter(method="search", label="System, account or note contains")
    status = django_filters.ChoiceFilter(choices=Submission.Status.choices, empty_label="Every status")
    version = django_filters.ChoiceFilter(method="by_version", empty_label="Every version", label="Version")
    system = django_filters.CharFilter(method="by_system", widget=forms.HiddenInput)
    account = django_filters.CharFilter(method="by_account", widget=forms.HiddenInput)

    class Meta:
        model = Submission
        fields: list[str] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.filters["version"].extra["choices"] = version_choices()

    @property
    def narrow(self) -> bool:
        """True if a search, system or account is chosen, so that few submissions are left to count and to sort."""
        return any(self._chosen.get(name) for name in ("q", "system", "account"))

    @property
    def counted(self) -> dict[str, object]:
        status, address = self._chosen.get("status"), self._chosen.get("version")
        conditions: dict[str, object] = {"status": status} if status else {}
        return conditions | ({"version": Version.objects.by_address(address)} if address else {})

    @property
    def _chosen(self) -> dict[str, Any]:
        return {} if self.form.errors and not self.form.cleaned_data else self.form.cleaned_data

    def search(self, queryset: Any, name: str, value: str) -> Any:
        return queryset.filter(mentions(value))

    def by_version(self, queryset: Any, name: str, value: str) -> Any:
        return queryset.filter(version=Version.objects.by_address(value))

    def by_system(self, queryset: Any, name: str, value: str) -> Any:
        system = System.objects.by_address(value)
        return queryset.filter(system=system) if system else queryset.none()

    def by_account(self, queryset: Any, name: str, value: str) -> Any:
        return queryset.filter(submitter=accounts.holder(value))
