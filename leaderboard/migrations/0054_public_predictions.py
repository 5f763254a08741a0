"""Predictions of new submissions are public if the version's answers are. Older ones need their owner's consent."""

from django.db import migrations, models


def agree(apps, schema_editor):
    """Give consent for the submissions of the site's own account."""
    submissions = apps.get_model("leaderboard", "Submission").objects
    submissions.filter(source__in=["run", "shipped"]).update(predictions_public=True)


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0052_approval_and_retention'),
    ]

    operations = [
        migrations.AddField(
            model_name='submission',
            name='predictions_public',
            field=models.BooleanField(default=False),
        ),
        migrations.AlterField(
            model_name='submission',
            name='predictions_public',
            field=models.BooleanField(default=True, help_text='Whether its predictions are public where the answers of its version are. False: made before they were, and its owner has not agreed.'),
        ),
        migrations.AlterField(
            model_name='event',
            name='kind',
            field=models.CharField(choices=[('received', 'Received'), ('declared', "Declared as its system's entry"), ('queued', 'Queued'), ('graded', 'Graded'), ('regraded', 'Regraded'), ('failed', 'Failed'), ('published', 'Made public'), ('unpublished', 'Made private'), ('withdrawn', 'Withdrawn'), ('approved', 'Approved'), ('refused', 'Refused for boards'), ('shared', 'Predictions made public')], max_length=12),
        ),
        migrations.RunPython(agree, migrations.RunPython.noop),
    ]
