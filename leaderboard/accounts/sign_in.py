"""Sign-up and sign-in with this site's rules for names. Sign-in accepts former names, too."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.views import SignupView as AllauthSignupView
from allauth.core import ratelimit
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialApp
from allauth.socialaccount.views import ConnectionsView as AllauthConnectionsView
from allauth.socialaccount.views import SignupView as AllauthSocialSignupView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.signals import user_logged_in
from django.core.exceptions import ValidationError
from django.db.models.signals import post_save, pre_save
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from leaderboard.accounts import services as accounts
from leaderboard.accounts.models import FormerName
from leaderboard.web.networks import address_of, network_of


class AccountAdapter(DefaultAccountAdapter):
    """Adapts allauth to this site: checks account names, finds the client's IP address, and counts failed sign-ins."""

    def clean_username(self, username: str, shallow: bool = False) -> str:
        accounts.check_name(username)
        return super().clean_username(username, shallow)

    def get_client_ip(self, request: HttpRequest) -> str:
        """The client's IP address, determined as for the site's other rate limits."""
        return address_of(request) or super().get_client_ip(request)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        # Counted per account and network: a stranger's attempts must not lock the owner out.
        login = str(credentials.get("email", credentials.get("username", ""))).casefold()
        return f"{login} {network_of(request)}"


class SocialAccountAdapter(DefaultSocialAccountAdapter):
    """Answers 404 for identity providers that this site does not offer."""

    def get_app(self, request: HttpRequest, provider: str, client_id: str | None = None) -> SocialApp:
        try:
            app: SocialApp = super().get_app(request, provider, client_id)
        except SocialApp.DoesNotExist as error:
            raise Http404(f"This site does not offer sign-in with {provider}.") from error
        return app


class _NameErrors:
    """Mixin of sign-up views. Shows a form error if another account took the name after the form was checked."""

    def form_valid(self, form: Any) -> HttpResponse:
        view: Any = super()
        try:
            done: HttpResponse = view.form_valid(form)
        except ValidationError as error:
            form.add_error("username", error)
            done = view.form_invalid(form)
        return done


class SignupView(_NameErrors, AllauthSignupView):
    """Page to sign up with a password."""


class SocialSignupView(_NameErrors, AllauthSocialSignupView):
    """Page to choose a name and address when signing up with an identity provider."""

    def form_valid(self, form: Any) -> HttpResponse:
        if refused := ratelimit.consume_or_429(self.request, action="signup"):
            return refused
        return super().form_valid(form)


class ConnectionsView(AllauthConnectionsView):
    """Page of the identity providers that the user's account is connected to, even if no longer configured."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        labels = settings.SIGN_IN_LABELS
        connected = SocialAccount.objects.filter(user=self.request.user.pk).order_by("date_joined")
        lines = [(each.pk, labels.get(each.provider, each.provider), _name_at(each)) for each in connected]
        return super().get_context_data(**kwargs) | {"connected": lines}


def _name_at(account: SocialAccount) -> str:
    data = account.extra_data.get("userinfo", account.extra_data)
    return str(data.get("preferred_username") or data.get("login") or data.get("name") or account.uid)


class FormerNameBackend(ModelBackend):
    """Signs in by a former name. Must follow the backends that use current names."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **others: Any,
    ) -> Any:
        if not username or password is None:
            return None
        for former in FormerName.objects.select_related("user").filter(name__iexact=username):
            if former.user.check_password(password) and self.user_can_authenticate(former.user):
                return former.user
        return None


def connect() -> None:
    """Connect the signals that check names whenever an account is saved, and announce a new name at sign-in."""
    account = get_user_model()
    pre_save.connect(_before_save, sender=account, dispatch_uid="claim_name")
    post_save.connect(_after_save, sender=account, dispatch_uid="settle_name")
    user_logged_in.connect(_tell_new_name, dispatch_uid="tell_new_name")


def _before_save(instance: Any, raw: bool, update_fields: Any = None, **others: Any) -> None:
    instance._name_before = None
    if raw or (update_fields is not None and "username" not in update_fields):
        return
    stored = get_user_model().objects.filter(pk=instance.pk).values_list("username", flat=True).first()
    if stored == instance.username:
        return
    accounts.claim(instance)
    instance._name_before = stored or ""


def _after_save(instance: Any, **others: Any) -> None:
    if instance._name_before is None:
        return
    accounts.settle_claim(instance)
    if instance._name_before:
        accounts.keep_former(instance, instance._name_before)


def _tell_new_name(request: HttpRequest, user: Any, **others: Any) -> None:
    """Show users the new name of their account: once after the change, and at every sign-in with the former name."""
    used = request.POST.get("login", "").strip().casefold()
    for former in FormerName.objects.filter(user_id=user.pk):
        if former.told_at is None or former.name.casefold() == used:
            now, why = user.username, former.get_reason_display()
            text = f"Your account “{former.name}” was renamed “{now}”: {why}."
            messages.info(request, text, fail_silently=True)
            former.told_at = timezone.now()
            former.save(update_fields=["told_at"])
