"""Shared base classes of the admin's pages."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model
from django.http import HttpRequest

from leaderboard.web.generic import ModelAdmin, ModelForm
from leaderboard.web.validators import PrintableTextMixin

Row = TypeVar("Row", bound=Model)


class PrintableForm(PrintableTextMixin, ModelForm[Any]):
    """A form for texts that appear on pages, in feeds and in exports; refuses forbidden characters."""


class ReadOnlyAdmin(ModelAdmin[Row]):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def too_large(request: HttpRequest) -> bool:
    """True if an upload in the request was aborted because the file exceeds the limit."""
    return bool(getattr(request, "upload_too_large", False))
