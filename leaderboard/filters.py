"""What of a board and of the history to show. Every choice lives in the address."""

from __future__ import annotations

from typing import Any

import django_filters
from django import forms
from django.db.models import Q

from leaderboard.models import Submission, System, Version


class BoardFilter(django_filters.FilterSet):
    """Filters over the shown submissions of one version."""

    kind = django_filters.ChoiceFilter(
        field_name="system__kind", choices=System.Kind.choices, empty_label="All kinds"
    )
    verified = django_filters.BooleanFilter(
        widget=forms.CheckboxInput, method="only_verified", label="Verified only"
    )
    q = django_filters.CharFilter(field_name="system__name", lookup_expr="icontains", label="Name contains")

    class Meta:
        model = Submission
        fields: list[str] = []

    def only_verified(self, queryset, name, value):  # type: ignore[no-untyped-def]
        return queryset.filter(verified=True) if value else queryset


def mentions(text: str) -> Q:
    """Submissions whose system, account or note holds a text."""
    fields = ("system__name", "submitter__username", "note")
    return Q(*((f"{field}__icontains", text) for field in fields), _connector=Q.OR)


def version_choices() -> list[tuple[str, str]]:
    """Address and title of every version that people can see."""
    versions = Version.objects.readable()
    return [(f"{v.benchmark.slug}/{v.slug}", f"{v.title} · {v.benchmark.title}") for v in versions]


class HistoryFilter(django_filters.FilterSet):
    """Filters over submissions. `system` is `<owner>/<slug>`, `version` is `<benchmark>/<slug>`."""

    q = django_filters.CharFilter(method="search", label="System, account or note contains")
    status = django_filters.ChoiceFilter(choices=Submission.Status.choices, empty_label="Every status")
    version = django_filters.ChoiceFilter(method="of_version", empty_label="Every version", label="Version")
    system = django_filters.CharFilter(method="of_system", widget=forms.HiddenInput)
    account = django_filters.CharFilter(field_name="submitter__username", widget=forms.HiddenInput)

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
        owner, _, slug = value.partition("/")
        return queryset.filter(system__owner__username=owner, system__slug=slug)
