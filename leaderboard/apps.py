from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    """What people see and send: versions, systems, submissions, boards."""

    name = "leaderboard"
    default_auto_field = "django.db.models.BigAutoField"
