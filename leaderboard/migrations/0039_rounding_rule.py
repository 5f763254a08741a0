from typing import Any

from django.db import migrations, models

BATCH = 200


def forget_group_rows(apps: Any, schema_editor: Any) -> None:
    """Undo: older releases read every key of `exact` as a column."""
    scores = apps.get_model("leaderboard", "Score").objects
    for score in scores.filter(exact__has_key="group_rows").only("pk", "exact").iterator(BATCH):
        exact = {name: value for name, value in score.exact.items() if name != "group_rows"}
        scores.filter(pk=score.pk).update(exact=exact)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0038_answer_likeness")]

    operations = [
        migrations.AddField(
            model_name="score",
            name="rounding",
            field=models.PositiveSmallIntegerField(
                default=1, help_text="The rule that the figures were rounded by, see `sealed_figures.RULE`."
            ),
        ),
        migrations.RunPython(migrations.RunPython.noop, forget_group_rows),
    ]
