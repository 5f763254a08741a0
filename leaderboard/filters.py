"""What of a board to show. Every choice lives in the address."""

from __future__ import annotations

import django_filters
from django import forms

from leaderboard.models import Submission, System


class BoardFilter(django_filters.FilterSet):
    """Filters over the shown submissions of one version."""

    kind = django_filters.ChoiceFilter(field_name="system__kind", choices=System.Kind.choices, empty_label="All kinds")
    verified = django_filters.BooleanFilter(widget=forms.CheckboxInput, method="only_verified", label="Verified only")
    q = django_filters.CharFilter(field_name="system__name", lookup_expr="icontains", label="Name contains")

    class Meta:
        model = Submission
        fields: list[str] = []

    def only_verified(self, queryset, name, value):  # type: ignore[no-untyped-def]
        return queryset.filter(verified=True) if value else queryset
