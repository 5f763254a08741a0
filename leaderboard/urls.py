"""Routes of the leaderboard."""

from django.contrib.sitemaps import views as sitemaps
from django.urls import path

from evaluation.core.suite import usable
from leaderboard.accounts import views as tokens
from leaderboard.api import docs as api_docs
from leaderboard.benchmarks.views import anchors, guide, versions
from leaderboard.boards.sharing.feeds import ResultFeed
from leaderboard.boards.views import (
    account,
    board,
    cite_and_share,
    compare,
    crawlers,
    elsewhere,
    figures,
    front,
    history,
    search,
    splits,
    systems,
    teams,
)
from leaderboard.care import views as care
from leaderboard.conformance import views as conformance
from leaderboard.notices import views as notices
from leaderboard.runs.views import gym, jobs, models, transcripts
from leaderboard.submissions.views import rows, submissions, submit
from leaderboard.watch import probes
from leaderboard.web import stale

app_name = "leaderboard"
VERSION = "<slug:benchmark>/<slug:version>/"

urlpatterns = [
    path("", front.front, name="front"),
    path("boards/", board.board, name="board"),
    path(f"boards/{VERSION}", board.board, name="board"),
    *(
        pattern
        for page in sorted({suite.display.page.slug for suite in usable().values() if suite.display.page})
        for pattern in (
            path(f"boards/{VERSION}{page}/", splits.splits, {"page": page}, name="board_split"),
            path(
                f"boards/{VERSION}{page}/figure.json",
                splits.figure,
                {"page": page},
                name="board_split_figure",
            ),
        )
    ),
    path(f"boards/{VERSION}forest.svg", board.forest, name="board_forest"),
    path(f"boards/{VERSION}export.<str:kind>", board.export, name="board_export"),
    path(f"boards/{VERSION}measures.<str:kind>", board.measures_export, name="board_measures"),
    path(
        f"boards/{VERSION}measures/<slug:kind>/figure.json",
        board.measures_figure,
        name="board_measures_figure",
    ),
    path(f"boards/{VERSION}figures/", figures.page, name="board_figures"),
    path(f"boards/{VERSION}figures/<slug:figure>.json", figures.figure, name="board_figure"),
    path(f"boards/{VERSION}figures/<slug:figure>.csv", figures.table, name="board_figure_table"),
    path(f"boards/{VERSION}every-eval-ever.zip", elsewhere.board_records, name="board_records"),
    path(f"boards/{VERSION}card.png", cite_and_share.board_card, name="board_card"),
    path("card.png", cite_and_share.site_card, name="site_card"),
    path("robots.txt", crawlers.robots, name="robots"),
    path(".well-known/security.txt", crawlers.security, name="security"),
    path(".well-known/receipt-keys.json", crawlers.receipt_keys, name="receipt_keys"),
    path("favicon.ico", crawlers.Icon.as_view(), name="favicon"),
    path(
        "sitemap.xml",
        sitemaps.index,
        {"sitemaps": crawlers.SITEMAPS, "sitemap_url_name": "leaderboard:sitemap_section"},
        name="sitemap",
    ),
    path(
        "sitemap-<slug:section>.xml",
        sitemaps.sitemap,
        {"sitemaps": crawlers.SITEMAPS},
        name="sitemap_section",
    ),
    path("versions/", versions.index, name="versions"),
    path(f"versions/{VERSION}", versions.detail, name="version"),
    path(f"versions/{VERSION}rows.jsonl.gz", versions.rows, name="version_rows"),
    path(f"versions/{VERSION}rows.<str:name>.jsonl", versions.rows_in_format, name="version_rows_in_format"),
    path(f"versions/{VERSION}rows.parquet", elsewhere.version_table, name="version_table"),
    path(f"versions/{VERSION}croissant.json", elsewhere.version_croissant, name="version_croissant"),
    path(f"versions/{VERSION}eval.yaml", elsewhere.version_eval_yaml, name="version_eval_yaml"),
    path(f"versions/{VERSION}CITATION.cff", elsewhere.version_cff, name="version_cff"),
    path(f"versions/{VERSION}documents.jsonl.gz", versions.documents, name="version_documents"),
    path(f"versions/{VERSION}gold.jsonl.gz", versions.gold, name="version_gold"),
    path(f"versions/{VERSION}rows/", rows.index, name="version_row_list"),
    path(f"versions/{VERSION}rows/<path:row_id>/", rows.detail, name="version_row"),
    path(f"versions/{VERSION}changes/", history.changes, name="changes"),
    path(f"versions/{VERSION}card.png", cite_and_share.version_card, name="version_card"),
    path(f"versions/{VERSION}cite.bib", cite_and_share.version_bibtex, name="version_bibtex"),
    path(f"versions/{VERSION}feed.atom", ResultFeed(), name="version_feed"),
    path("submit/", submit.submit, name="submit"),
    path("submit/sample/", submit.sample, name="submit_sample"),
    path("submissions/<uuid:pk>/", submissions.detail, name="submission"),
    path("submissions/<uuid:pk>/status/", submissions.status, name="submission_status"),
    path("submissions/<uuid:pk>/rows/", submissions.rows, name="submission_rows"),
    path(
        "submissions/<uuid:pk>/predictions.jsonl.gz", submissions.predictions, name="submission_predictions"
    ),
    path("submissions/<uuid:pk>/transcript/", transcripts.transcript, name="submission_transcript"),
    path(
        "submissions/<uuid:pk>/transcripts.jsonl.gz",
        transcripts.transcript_lines,
        name="submission_transcripts",
    ),
    path("submissions/<uuid:pk>/artifacts/", submissions.artifacts, name="submission_artifacts"),
    path(
        "submissions/<uuid:pk>/artifacts.jsonl", submissions.artifact_lines, name="submission_artifact_lines"
    ),
    path("submissions/<uuid:pk>/card.png", cite_and_share.submission_card, name="submission_card"),
    path("submissions/<uuid:pk>/cite.bib", cite_and_share.submission_bibtex, name="submission_bibtex"),
    path("submissions/<uuid:pk>/every-eval-ever.json", elsewhere.submission_record, name="submission_record"),
    path(
        "submissions/<uuid:pk>/eval_results.yaml",
        elsewhere.submission_eval_results,
        name="submission_eval_results",
    ),
    path(
        "submissions/<uuid:pk>/model-index.yaml",
        elsewhere.submission_model_index,
        name="submission_model_index",
    ),
    path("submissions/<uuid:pk>/visibility/", submissions.visibility, name="submission_visibility"),
    path(
        "submissions/<uuid:pk>/share-predictions/",
        submissions.share_predictions,
        name="submission_share_predictions",
    ),
    path("submissions/<uuid:pk>/approval/", submissions.approval, name="submission_approval"),
    path("submissions/<uuid:pk>/withdraw/", submissions.withdraw, name="submission_withdraw"),
    path("systems/", systems.index, name="systems"),
    path("systems/<str:owner>/<slug:slug>/", systems.detail, name="system"),
    path("systems/<str:owner>/<slug:slug>/edit/", systems.edit, name="system_edit"),
    path("systems/<str:owner>/<slug:slug>/figures/<slug:figure>.json", systems.figure, name="system_figure"),
    path("systems/<str:owner>/<slug:slug>/card.png", cite_and_share.system_card, name="system_card"),
    path("systems/<str:owner>/<slug:slug>/badge.svg", cite_and_share.system_badge, name="system_badge"),
    path("systems/<str:owner>/<slug:slug>/badge.json", cite_and_share.system_shield, name="system_shield"),
    path("compare/", compare.compare, name="compare"),
    path("compare/figure.json", compare.figure, name="compare_figure"),
    path("compare/comparison.<slug:kind>", compare.export_tidy, name="compare_tidy"),
    path("compare/<slug:table>.csv", compare.export, name="compare_export"),
    path("conformance/", conformance.index, name="conformance"),
    path("conformance/upload/", conformance.upload, name="conformance_upload"),
    path("conformance/run/", conformance.run, name="conformance_run"),
    path("conformance/<int:pk>/", conformance.detail, name="conformance_report"),
    path("history/", history.history, name="history"),
    path("search/", search.search, name="search"),
    path("feed.atom", ResultFeed(), name="feed"),
    *jobs.RUNS.urls,
    *jobs.BENCHES.urls,
    *gym.GYM.urls,
    path("models/", models.index, name="models"),
    path("models/register/", models.register, name="model_register"),
    path("models/<int:pk>/", models.detail, name="model"),
    path("models/<int:pk>/check/", models.check, name="model_check"),
    path("models/<int:pk>/check/status/", models.check_status, name="model_check_status"),
    path("models/<int:pk>/remove/", models.remove, name="model_remove"),
    path("account/", account.account, name="account"),
    path("account/now/", stale.now, name="account_now"),
    path("account/export.zip", care.export_account, name="account_export"),
    path("account/delete/", care.delete_account, name="account_delete"),
    path("account/tokens/", tokens.tokens, name="tokens"),
    path("account/tokens/<int:pk>/revoke/", tokens.revoke, name="token_revoke"),
    path("account/teams/", teams.new, name="teams"),
    path("account/teams/<str:team>/", teams.page, name="team"),
    path("account/teams/<str:team>/members/<int:pk>/", teams.change, name="team_member"),
    path("account/teams/<str:team>/invitations/<int:pk>/end/", teams.end, name="team_invitation_end"),
    path("account/teams/<str:team>/dissolve/", care.dissolve_team, name="team_dissolve"),
    path("account/invitations/<str:token>/", teams.accept, name="team_accept"),
    path("account/notices/", notices.notices, name="notices"),
    path("account/notices/follow/", notices.follow, name="follow"),
    path("account/notices/<int:pk>/unfollow/", notices.unfollow, name="unfollow"),
    path("account/notices/end/<str:token>/", notices.unsubscribe, name="unsubscribe"),
    path("account/webhooks/", notices.webhooks, name="webhooks"),
    path("account/webhooks/<int:pk>/test/", notices.try_webhook, name="webhook_test"),
    path("account/webhooks/<int:pk>/delete/", notices.delete_webhook, name="webhook_delete"),
    path("docs/", guide.docs, name="docs"),
    path("docs/anchors/", anchors.anchors, name="anchors"),
    path("about/", front.about, name="about"),
    path("docs/glossary/", front.glossary, name="glossary"),
    path("download/<str:name>", guide.engine, name="engine"),
    path("docs/api/", api_docs.api_docs, name="api_docs"),
    # `watch.middleware` answers these. Listed to get names, and to reserve them among account names.
    *(
        path(address.removeprefix("/"), probe, name=probe.__name__)
        for address, probe in probes.BY_PATH.items()
    ),
]
