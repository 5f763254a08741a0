from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0033_grids")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="warnings",
            field=models.JSONField(
                default=list,
                help_text="What looked mistaken in the file when it was sent: code and message; told to its submitter.",
            ),
        ),
    ]
