from django.apps import AppConfig
from django.core.checks import register


class LeaderboardConfig(AppConfig):
    """The site's application: versions, systems, submissions, boards."""

    name = "leaderboard"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from leaderboard.accounts import audit, confirmation, sign_in  # the models are not loaded before
        from leaderboard.boards import pages_ahead
        from leaderboard.boards.placements import ahead
        from leaderboard.notices import listening
        from leaderboard.ready_pages import triggers
        from leaderboard.submissions import count_triggers, receipts, transcripts
        from leaderboard.submissions.scores import sealed_figures
        from leaderboard.submissions.services import publishing
        from leaderboard.web import plugins

        register(plugins.faults)
        register(confirmation.faults, deploy=True)
        sign_in.connect()
        audit.connect()
        ahead.connect()
        pages_ahead.connect()
        sealed_figures.connect()
        receipts.connect()
        publishing.connect()
        triggers.connect()
        count_triggers.connect()
        transcripts.connect()
        listening.connect()
