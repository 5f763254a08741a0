"""Addresses of the leaderboard."""

from django.urls import path

from leaderboard.feeds import ResultFeed
from leaderboard.views import (
    account,
    api_docs,
    board,
    changes,
    compare,
    docs,
    history,
    submissions,
    submit,
    systems,
    take_along,
    tokens,
    versions,
)

app_name = "leaderboard"
VERSION = "<slug:benchmark>/<slug:version>/"

urlpatterns = [
    path("", board.board, name="board"),
    path(f"boards/{VERSION}", board.board, name="board"),
    path(f"boards/{VERSION}export.<str:kind>", board.export, name="board_export"),
    path("versions/", versions.index, name="versions"),
    path(f"versions/{VERSION}", versions.detail, name="version"),
    path(f"versions/{VERSION}rows.jsonl.gz", versions.rows, name="version_rows"),
    path(f"versions/{VERSION}changes/", changes.changes, name="changes"),
    path(f"versions/{VERSION}cite.bib", take_along.version_bibtex, name="version_bibtex"),
    path(f"versions/{VERSION}feed.atom", ResultFeed(), name="version_feed"),
    path("submit/", submit.submit, name="submit"),
    path("submissions/<uuid:pk>/", submissions.detail, name="submission"),
    path("submissions/<uuid:pk>/status/", submissions.status, name="submission_status"),
    path("submissions/<uuid:pk>/rows/", submissions.rows, name="submission_rows"),
    path("submissions/<uuid:pk>/predictions.jsonl.gz", submissions.predictions, name="submission_predictions"),
    path("submissions/<uuid:pk>/cite.bib", take_along.submission_bibtex, name="submission_bibtex"),
    path("submissions/<uuid:pk>/visibility/", submissions.visibility, name="submission_visibility"),
    path("submissions/<uuid:pk>/withdraw/", submissions.withdraw, name="submission_withdraw"),
    path("systems/", systems.index, name="systems"),
    path("systems/<str:owner>/<slug:slug>/", systems.detail, name="system"),
    path("systems/<str:owner>/<slug:slug>/figures/<slug:figure>.json", systems.figure, name="system_figure"),
    path("systems/<str:owner>/<slug:slug>/badge.svg", take_along.system_badge, name="system_badge"),
    path("compare/", compare.compare, name="compare"),
    path("compare/figure.json", compare.figure, name="compare_figure"),
    path("compare/<slug:table>.csv", compare.export, name="compare_export"),
    path("history/", history.history, name="history"),
    path("feed.atom", ResultFeed(), name="feed"),
    path("account/", account.account, name="account"),
    path("account/tokens/", tokens.tokens, name="tokens"),
    path("account/tokens/<int:pk>/revoke/", tokens.revoke, name="token_revoke"),
    path("docs/", docs.docs, name="docs"),
    path("docs/api/", api_docs.api_docs, name="api_docs"),
]
