from django.apps import AppConfig
from django.core.checks import register


class LeaderboardConfig(AppConfig):
    """What people see and send: versions, systems, submissions, boards."""

    name = "leaderboard"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have plug-ins and names checked, placements computed, retired versions shown exactly, submissions counted."""
        from leaderboard.accounts import confirmation, sign_in  # the models are not loaded before
        from leaderboard.boards import pages_ahead
        from leaderboard.boards.placements import ahead
        from leaderboard.ready_pages import triggers
        from leaderboard.submissions import count_triggers, transcripts
        from leaderboard.submissions.scores import sealed_figures
        from leaderboard.submissions.services import publishing
        from leaderboard.web import plugins

        register(plugins.faults)
        register(confirmation.faults, deploy=True)
        sign_in.connect()
        ahead.connect()
        pages_ahead.connect()
        sealed_figures.connect()
        publishing.connect()
        triggers.connect()
        count_triggers.connect()
        transcripts.connect()
