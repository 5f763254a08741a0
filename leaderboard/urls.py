"""Addresses of the leaderboard."""

from django.urls import path

from leaderboard.views import account, board, compare, docs, submissions, submit, systems, versions

app_name = "leaderboard"
VERSION = "<slug:benchmark>/<slug:version>/"

urlpatterns = [
    path("", board.board, name="board"),
    path(f"boards/{VERSION}", board.board, name="board"),
    path(f"boards/{VERSION}export.<str:kind>", board.export, name="board_export"),
    path("versions/", versions.index, name="versions"),
    path(f"versions/{VERSION}", versions.detail, name="version"),
    path(f"versions/{VERSION}rows.jsonl.gz", versions.rows, name="version_rows"),
    path("submit/", submit.submit, name="submit"),
    path("submissions/<uuid:pk>/", submissions.detail, name="submission"),
    path("submissions/<uuid:pk>/status/", submissions.status, name="submission_status"),
    path("submissions/<uuid:pk>/rows/", submissions.rows, name="submission_rows"),
    path("submissions/<uuid:pk>/predictions.jsonl.gz", submissions.predictions, name="submission_predictions"),
    path("submissions/<uuid:pk>/visibility/", submissions.visibility, name="submission_visibility"),
    path("submissions/<uuid:pk>/withdraw/", submissions.withdraw, name="submission_withdraw"),
    path("systems/", systems.index, name="systems"),
    path("systems/<str:owner>/<slug:slug>/", systems.detail, name="system"),
    path("systems/<str:owner>/<slug:slug>/figures/<slug:figure>.json", systems.figure, name="system_figure"),
    path("compare/", compare.compare, name="compare"),
    path("account/", account.account, name="account"),
    path("docs/", docs.docs, name="docs"),
]
