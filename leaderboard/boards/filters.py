"""What of a board and of the history to show. Every choice lives in the address."""

from __future__ import annotations

from typing import Any

import django_filters
from django import forms
from django.db import models
from django.db.models import Q
from django.http import QueryDict

from evaluation.core.suite import Facet
from leaderboard.accounts import services as accounts
from leaderboard.benchmarks.models import Version
from leaderboard.boards import slices
from leaderboard.boards.placements.ranking import Placement
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions.models import Submission, System


class BoardFilter(django_filters.FilterSet):
    """Filters over the shown submissions of one version, and the part of its rows that they are ranked by."""

    kind = django_filters.ChoiceFilter(
        field_name="system__kind", choices=System.Kind.choices, empty_label="All kinds"
    )
    verified = django_filters.BooleanFilter(
        widget=forms.CheckboxInput, method="only_verified", label="Verified only"
    )
    q = django_filters.CharFilter(method="everybody", label="Name contains")

    class Meta:
        model = Submission
        fields: list[str] = []

    def __init__(self, *args: Any, version: Version, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.version = version
        self.filters["kind"].extra["choices"] = self._kinds()
        for facet in slices.facets_of(version):
            if facet.choices:
                self.filters[facet.name] = _part_of(facet)
        self.filters["q"] = self.filters.pop("q")  # the search stays last

    def _kinds(self) -> list[tuple[str, str]]:
        """The kinds that somebody on this board is of, and the one that the address names. One query."""
        there = set(self.queryset.order_by().values_list("system__kind", flat=True).distinct())
        there.add(str(self.data.get("kind", "")))
        return [(value, label) for value, label in System.Kind.choices if value in there]

    @property
    def _chosen(self) -> dict[str, Any]:
        """What the address chooses and is valid."""
        self.form.is_valid()  # leaves what is not valid out of the cleaned data
        return getattr(self.form, "cleaned_data", {})

    @property
    def part(self) -> BoardSlice:
        """What of the version is chosen; a part that it does not have counts as no choice."""
        return slices.board_slice(self.version, self._chosen)

    @property
    def among(self) -> str:
        """Whom ranks are among, where that is not everybody: "verified systems of the kind Selector"."""
        chosen = self._chosen
        verified = "verified systems" if chosen.get("verified") else "systems"
        kind = f" of the kind {System.Kind(chosen['kind']).label}" if chosen.get("kind") else ""
        return f"{verified}{kind}" if chosen.get("verified") or kind else ""

    @property
    def narrows(self) -> bool:
        """Whether the address leaves out some of the systems."""
        return bool(self.among or self._chosen.get("q"))

    def named(self, placings: list[Placement]) -> list[Placement]:
        """The places whose system's name holds the text searched for. A search changes no rank."""
        text = self._chosen.get("q", "").casefold()
        return [placing for placing in placings if text in placing.name.casefold()] if text else placings

    def everybody(self, queryset: Any, name: str, value: str) -> Any:
        """A search leaves the contest as it is; see `named`."""
        return queryset

    def only_verified(self, queryset: Any, name: str, value: Any) -> Any:
        return queryset.filter(verified=True) if value else queryset


def filtered(
    query: QueryDict, version: Version
) -> tuple[models.QuerySet[Submission], BoardFilter, BoardSlice]:
    """The submissions that are ranked under the filters of an address, the filters, and the part to rank them by."""
    filters = BoardFilter(query, queryset=Submission.objects.on_board(version), version=version)
    return filters.qs, filters, filters.part


def _part_of(facet: Facet) -> django_filters.ChoiceFilter:
    menu = forms.Select(attrs={"class": "menu-of-parts"})
    return django_filters.ChoiceFilter(
        choices=facet.choices, empty_label=facet.whole, label=facet.label, method=_leave, widget=menu
    )


def _leave(queryset: Any, name: str, value: str) -> Any:
    """A part of the rows leaves every submission in."""
    return queryset


def mentions(text: str) -> Q:
    """Submissions whose system, account or note holds a text."""
    fields = ("system__name", "submitter__username", "note")
    return Q(*((f"{field}__icontains", text) for field in fields), _connector=Q.OR)


def version_choices() -> list[tuple[str, str]]:
    """Address and title of every version that people can see."""
    versions = Version.objects.readable().only("slug", "title", "benchmark__slug", "benchmark__title")
    return [(f"{v.benchmark.slug}/{v.slug}", f"{v.title} · {v.benchmark.title}") for v in versions]


class HistoryFilter(django_filters.FilterSet):
    """Filters over submissions. `system` is `<owner>/<slug>`, `version` is `<benchmark>/<slug>`."""

    q = django_filters.CharFilter(method="search", label="System, account or note contains")
    status = django_filters.ChoiceFilter(choices=Submission.Status.choices, empty_label="Every status")
    version = django_filters.ChoiceFilter(method="of_version", empty_label="Every version", label="Version")
    system = django_filters.CharFilter(method="of_system", widget=forms.HiddenInput)
    account = django_filters.CharFilter(method="of_account", widget=forms.HiddenInput)

    class Meta:
        model = Submission
        fields: list[str] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.filters["version"].extra["choices"] = version_choices()

    def search(self, queryset: Any, name: str, value: str) -> Any:
        return queryset.filter(mentions(value))

    def of_version(self, queryset: Any, name: str, value: str) -> Any:
        benchmark, _, slug = value.partition("/")
        return queryset.filter(version__benchmark__slug=benchmark, version__slug=slug)

    def of_system(self, queryset: Any, name: str, value: str) -> Any:
        found = System.objects.by_address(value)
        return queryset.filter(system=found) if found else queryset.none()

    def of_account(self, queryset: Any, name: str, value: str) -> Any:
        return queryset.filter(submitter=accounts.holder(value))
