"""Admin pages of accounts, teams, outgoing mail and the log of staff acts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.html import format_html_join

from leaderboard.accounts import services as accounts
from leaderboard.accounts import usernames
from leaderboard.accounts.models import FormerName, Mail, Membership, StaffAct, Team
from leaderboard.web.admin import ReadOnlyAdmin
from leaderboard.web.generic import ModelAdmin, ModelForm, TabularInline

if TYPE_CHECKING:
    UserForm = ModelForm[User]
else:
    UserForm = object


class CheckedNameMixin(UserForm):
    """Form mixin that refuses account names forbidden by the site's rules. Must precede the form class in the bases."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "username" in self.fields:  # the field is absent for view-only staff
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
    """Form of a new account."""


class AccountForm(CheckedNameMixin, UserChangeForm[User]):
    """Form of an existing account."""


class FormerNameInline(TabularInline[FormerName, User]):
    model = FormerName
    extra = 0
    can_delete = False
    fields = readonly_fields = ("name", "reason", "since", "told_at")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


# Keys of identity providers come from settings alone, and a connected account is its person's own affair.
admin.site.unregister([get_user_model(), SocialAccount, SocialApp, SocialToken])


@admin.register(get_user_model())
class AccountAdmin(UserAdmin[User]):
    """Admin of accounts. If an account is renamed here, old URLs and sign-in with the former name still work."""

    add_form = NewAccountForm
    form = AccountForm
    inlines = (FormerNameInline,)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        # A password or an e-mail address would let a person sign in as the site's own account or a team.
        return super().has_change_permission(request, obj) and (
            obj is None or not (accounts.is_service(obj) or hasattr(obj, "team"))
        )

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return self.inlines if obj else ()


class MemberInline(TabularInline[Membership, Team]):
    model = Membership
    extra = 0
    fields = ("user", "role", "since")
    raw_id_fields = ("user",)


@admin.register(Team)
class TeamAdmin(ModelAdmin[Team]):
    """Admin of teams. Staff can change roles here, for example if the owner of a team cannot be reached."""

    list_display = ("__str__", "created_at")
    search_fields = ("account__username",)
    fields = readonly_fields = ("account", "created_at")
    inlines = (MemberInline,)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # its owners dissolve it: that anonymises the account


@admin.register(Mail)
class MailAdmin(ModelAdmin[Mail]):
    """Admin of outgoing mail. Message bodies are hidden, because they may contain links that set a password."""

    list_display = ("recipients", "status", "created_at", "next_attempt_at", "error")
    list_filter = ("status",)
    fields = readonly_fields = (*list_display, "attempts", "faults")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(StaffAct)
class StaffActAdmin(ReadOnlyAdmin[StaffAct]):
    list_display = ("at", "who", "act", "kind", "object_name", "changed", "via")
    list_filter = ("act", "kind", "via", ("who", admin.AllValuesFieldListFilter))
    search_fields = ("who", "object_id", "object_name", "request_id")
    date_hierarchy = "at"

    @admin.display(description="Changed")
    def changed(self, act: StaffAct) -> str:
        """The first four changed columns with old and new values. The page of the act lists all columns."""
        lines = [
            (name, _short(before), _short(after)) for name, before, after in act.changes if before or after
        ]
        lines[4:] = [("…", "", "")] if len(lines) > 4 else []
        return format_html_join("\n", "<div>{}: {} → {}</div>", lines)


def _short(value: object) -> str:
    text = "–" if value in (None, "") else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
