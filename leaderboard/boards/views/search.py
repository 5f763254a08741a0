from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.boards import search as searching


class SearchForm(forms.Form):
    q = forms.CharField(max_length=searching.LONGEST, required=False, label="Search")


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    form = SearchForm(request.GET)
    text = form.cleaned_data["q"] if form.is_valid() else ""
    context = {"form": form, "text": text, "found": searching.find(text, request.user) if text else None}
    return render(request, "leaderboard/search.html", context, status=422 if form.errors else 200)
