from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    """What people see and send: versions, systems, submissions, boards."""

    name = "leaderboard"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have every account's name checked when it is saved, and placements computed when something lands."""
        from leaderboard.accounts import sign_in  # the models are not loaded before
        from leaderboard.boards.placements import ahead

        sign_in.connect()
        ahead.connect()
