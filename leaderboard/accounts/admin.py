"""Accounts and groups: Django's own pages, with this site's rules for names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from leaderboard.accounts import services as accounts
from leaderboard.accounts import usernames
from leaderboard.accounts.models import FormerName
from leaderboard.web.generic import ModelForm, TabularInline

if TYPE_CHECKING:
    UserForm = ModelForm[User]
else:
    UserForm = object


class CheckedNameMixin(UserForm):
    """A form of an account that refuses the names that nobody may take. Stands before the form's class."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "username" in self.fields:  # not for who may only look
            self.fields["username"].help_text = usernames.RULE

    def clean(self) -> dict[str, Any] | None:
        data = super().clean()
        cleaned = self.cleaned_data
        if cleaned.get("username") and "username" in self.changed_data:
            self.instance.is_staff = cleaned.get("is_staff", self.instance.is_staff)
            self.instance.is_superuser = cleaned.get("is_superuser", self.instance.is_superuser)
            try:
                accounts.check_name(cleaned["username"], self.instance)
            except ValidationError as error:
                self.add_error("username", error)
        return data


class NewAccountForm(CheckedNameMixin, AdminUserCreationForm[User]):
    """A new account."""


class AccountForm(CheckedNameMixin, UserChangeForm[User]):
    """An account that is there."""


class FormerNameInline(TabularInline[FormerName, User]):
    """What an account was called before: shown, never edited."""

    model = FormerName
    extra = 0
    can_delete = False
    fields = readonly_fields = ("name", "reason", "since", "told_at")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


admin.site.unregister(get_user_model())


@admin.register(get_user_model())
class AccountAdmin(UserAdmin[User]):
    """Another name leaves the former one behind, whose addresses and sign-in go on."""

    add_form = NewAccountForm
    form = AccountForm
    inlines = (FormerNameInline,)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """The site's own account is nobody's: no password and no address may make it somebody's."""
        return super().has_change_permission(request, obj) and (obj is None or not accounts.is_service(obj))

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return self.inlines if obj else ()
