"""What of a board and of the history to show. Every choice lives in the address."""

from __future__ import annotations

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
    meets = django_filters.BooleanFilter(
        widget=forms.CheckboxInput, method="only_meeting", label="Meets all requirements"
    )
    references = django_filters.BooleanFilter(
        widget=forms.CheckboxInput, method="everybody", label="Reference systems in place"
    )
    q = django_filters.CharFilter(method="everybody", label="Name contains")

    class Meta:
        model = Submission
        fields: list[str] = []

    def __init__(self, *args: Any, version: Version, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.version = version
        kinds, has_references, has_failing = self._on_board()
        self.filters["kind"].extra["choices"] = kinds
        references = self.filters.pop("references")
        if not has_failing and not self.data.get("meets"):
            del self.filters["meets"]
        for facet in slices.facets_of(version):
            if facet.choices:
                self.filters[facet.name] = _part_of(facet)
        if has_references:
            self.filters["references"] = references
        self.filters["q"] = self.filters.pop("q")  # the search stays last

    def _on_board(self) -> tuple[list[tuple[str, str]], bool, bool]:
        """The kinds of systems on this board, with the one that the address names; whether some are references; and
        whether some fail a requirement. One query.
        """
        columns = ("system__kind", "system__reference", "score__gated")
        there = set(self.queryset.order_by().values_list(*columns).distinct())
        kinds = {kind for kind, *_ in there} | {str(self.data.get("kind", ""))}
        named = [(value, label) for value, label in System.Kind.choices if value in kinds]
        return named, any(role for _, role, _ in there), any(gated and not role for _, role, gated in there)

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
    def in_place(self) -> bool:
        """Whether reference systems are to stand among the others."""
        return bool(self._chosen.get("references"))

    @property
    def among(self) -> str:
        """The systems that are shown, where that is not all of them: "verified systems of the kind Selector"."""
        chosen = self._chosen
        verified = "verified systems" if chosen.get("verified") else "systems"
        kind = f" of the kind {System.Kind(chosen['kind']).label}" if chosen.get("kind") else ""
        meets = " that meet all requirements" if chosen.get("meets") else ""
        return f"{verified}{kind}{meets}" if chosen.get("verified") or kind or meets else ""

    @property
    def narrows(self) -> bool:
        """Whether the address leaves out some of the systems."""
        return bool(self.among or self._chosen.get("q"))

    def kept(self, placements: list[Placement]) -> list[Placement]:
        """The places that the filters leave, as the whole board has them: hiding places changes no rank."""
        if self.among:
            keys = set(self.qs.order_by().values_list("pk", flat=True))
            placements = [placement for placement in placements if placement.key in keys]
        text = self._chosen.get("q", "").casefold()
        return [placement for placement in placements if text in placement.name.casefold()]

    def everybody(self, queryset: Any, name: str, value: str) -> Any:
        """A search and the place of references leave every submission in; see `kept` and `in_place`."""
        return queryset

    def only_verified(self, queryset: Any, name: str, value: Any) -> Any:
        return queryset.filter(verified=True) if value else queryset

    def only_meeting(self, queryset: Any, name: str, value: Any) -> Any:
        return queryset.filter(score__gated=False) if value else queryset


def filtered(
    query: QueryDict, version: Version
) -> tuple[models.QuerySet[Submission], BoardFilter, BoardSlice]:
    """A board and what an address asks of it.

    Args:
        query: The address' part behind the question mark. What is not valid in it counts as no choice.
        version: Whose board it is.

    Returns:
        The submissions of the board, the filters over their places, and the part of the version to rank them by.
    """
    shown = Submission.objects.on_board(version)
    filters = BoardFilter(query, queryset=shown, version=version)
    return shown, filters, filters.part


def _part_of(facet: Facet) -> django_filters.ChoiceFilter:
    menu = forms.Select(attrs={"class": "menu-of-parts"})
    return django_filters.ChoiceFilter(
        choices=facet.choices, empty_label=facet.whole, label=facet.label, method=_leave, widget=menu
    )


def _leave(queryset: Any, name: str, value: str) -> Any:
    """A part of the rows leaves every submission in."""
    return queryset


def mentions(text: str) -> Q:
    """Submissions whose system, account or note holds a text.

    Three queries for what holds it, over names and notes alone: one over the submissions would read them all.
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

    @property
    def narrow(self) -> bool:
        """Whether a search, a system or an account leaves few enough lines to be counted, and sorted by anything."""
        return any(self._chosen.get(name) for name in ("q", "system", "account"))

    @property
    def counted(self) -> dict[str, object]:
        """The version and the status that are chosen, as conditions on counts."""
        status, address = self._chosen.get("status"), self._chosen.get("version")
        conditions: dict[str, object] = {"status": status} if status else {}
        return conditions | ({"version": Version.objects.by_address(address)} if address else {})

    @property
    def _chosen(self) -> dict[str, Any]:
        """What of the address is valid: the rest counts as no choice."""
        return {} if self.form.errors and not self.form.cleaned_data else self.form.cleaned_data

    def search(self, queryset: Any, name: str, value: str) -> Any:
        return queryset.filter(mentions(value))

    def of_version(self, queryset: Any, name: str, value: str) -> Any:
        return queryset.filter(version=Version.objects.by_address(value))

    def of_system(self, queryset: Any, name: str, value: str) -> Any:
        system = System.objects.by_address(value)
        return queryset.filter(system=system) if system else queryset.none()

    def of_account(self, queryset: Any, name: str, value: str) -> Any:
        return queryset.filter(submitter=accounts.holder(value))
