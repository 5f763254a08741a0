"""Django classes that accept their model in brackets, as in `ModelAdmin[Version]`.

The type stubs declare these classes generic, but Django 5.2 cannot subscript them. Here, subscripting a class or a
subclass returns the class itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.admin import ModelAdmin, TabularInline
from django.contrib.admin.options import BaseModelAdmin
from django.contrib.sitemaps import Sitemap
from django.contrib.syndication.views import Feed
from django.core.paginator import Paginator
from django.forms.models import BaseModelForm, ModelChoiceField, ModelChoiceIterator, ModelForm

__all__ = [
    "Feed",
    "ModelAdmin",
    "ModelChoiceField",
    "ModelChoiceIterator",
    "ModelForm",
    "Paginator",
    "Sitemap",
    "TabularInline",
]

if not TYPE_CHECKING:

    def _itself(cls, model):
        return cls

    for each in (
        BaseModelAdmin,
        BaseModelForm,
        Feed,
        ModelChoiceField,
        ModelChoiceIterator,
        Paginator,
        Sitemap,
    ):
        each.__class_getitem__ = classmethod(_itself)
