"""Routes of accounts, the admin, the API and the leaderboard."""

from django.contrib import admin
from django.urls import include, path

from leaderboard.accounts.sign_in import ConnectionsView, SignupView, SocialSignupView
from leaderboard.api import api

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/signup/", SignupView.as_view(), name="account_signup"),
    path("accounts/3rdparty/", ConnectionsView.as_view(), name="socialaccount_connections"),
    path("accounts/3rdparty/signup/", SocialSignupView.as_view(), name="socialaccount_signup"),
    path("accounts/", include("allauth.urls")),
    path("api/v1/", api.urls),
    path("", include("leaderboard.urls")),
]
handler400 = "leaderboard.web.errors.bad_request"
handler404 = "leaderboard.web.errors.not_found"
handler500 = "leaderboard.web.errors.server_error"
handler403 = "leaderboard.web.errors.forbidden"
