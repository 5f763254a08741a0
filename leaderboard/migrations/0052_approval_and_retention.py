"""Approval of results by moderators, and the time at which a submission's files were deleted."""

from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models

import leaderboard.accounts.confirmation


def give(apps, schema_editor):
    """Let moderators and maintainers approve. Created here because Django creates permissions after all migrations."""
    config = apps.get_app_config("leaderboard")
    config.models_module = True
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    permission = apps.get_model("auth", "Permission").objects.get(
        content_type__app_label="leaderboard", codename="approve_submission"
    )
    for group in apps.get_model("auth", "Group").objects.filter(name__in=["Moderators", "Maintainers"]):
        group.permissions.add(permission)


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0051_deleted_accounts'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='submission',
            options={'ordering': ['-created_at'], 'permissions': [('publish_submission', 'Can make a submission public or private'), ('withdraw_submission', 'Can withdraw a submission'), ('regrade_submission', 'Can grade a submission again'), ('download_predictions', 'Can download the predictions of a submission'), ('exceed_quota', 'Can submit without a daily limit'), ('approve_submission', 'Can approve and refuse results for boards')]},
        ),
        # Results from before need no word of a moderator, whatever the setting is while this runs.
        migrations.AddField(
            model_name='submission',
            name='approval',
            field=models.CharField(blank=True, choices=[('waiting', 'Waits for a moderator'), ('approved', 'Approved'), ('refused', 'Refused')], default='', help_text='What a moderator said of it, where this site asks for that; empty: made while it did not.', max_length=10),
        ),
        migrations.AlterField(
            model_name='submission',
            name='approval',
            field=models.CharField(blank=True, choices=[('waiting', 'Waits for a moderator'), ('approved', 'Approved'), ('refused', 'Refused')], default=leaderboard.accounts.confirmation.first_approval, help_text='What a moderator said of it, where this site asks for that; empty: made while it did not.', max_length=10),
        ),
        migrations.AddField(
            model_name='submission',
            name='approval_reason',
            field=models.CharField(blank=True, default='', max_length=500),
        ),
        migrations.AddField(
            model_name='submission',
            name='file_removed_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='When its predictions were removed, as KEEP_UPLOADS_DAYS says.', null=True),
        ),
        migrations.AddField(
            model_name='submission',
            name='transcripts_removed_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='The same of its transcripts: KEEP_TRANSCRIPTS_DAYS.', null=True),
        ),
        migrations.AlterField(
            model_name='event',
            name='kind',
            field=models.CharField(choices=[('received', 'Received'), ('declared', "Declared as its system's entry"), ('queued', 'Queued'), ('graded', 'Graded'), ('regraded', 'Regraded'), ('failed', 'Failed'), ('published', 'Made public'), ('unpublished', 'Made private'), ('withdrawn', 'Withdrawn'), ('approved', 'Approved'), ('refused', 'Refused for boards')], max_length=12),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('approval', 'waiting')), fields=['created_at'], name='submission_to_approve'),
        ),
        migrations.RunPython(give, migrations.RunPython.noop),
    ]
