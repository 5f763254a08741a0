"""One permission for each staff operation, and two groups without members that have these permissions.

Accounts with `change_submission` and `change_run`, which allowed regrading, withdrawing and resuming in the admin, get
the new permissions. Staff status alone no longer allows these operations.
"""

from django.contrib.auth.management import create_permissions
from django.db import migrations

#: What a permission allowed in the admin before -> the permissions that allow it now.
SUCCESSORS = {
    "change_submission": ("regrade_submission", "withdraw_submission"),
    "change_run": ("resume_run",),
}


def give(apps, schema_editor):
    by_name = _permissions(apps)
    _make_groups(apps.get_model("auth", "Group"), by_name)
    pass_on(by_name)


def pass_on(by_name):
    """Give the new permissions to all accounts and groups that have the old one."""
    for before, now in SUCCESSORS.items():
        successors = [by_name[name] for name in now]
        for user in by_name[before].user_set.all():
            user.user_permissions.add(*successors)
        for group in by_name[before].group_set.all():
            group.permissions.add(*successors)


def _permissions(apps):
    """Map each name to this app's permission. Created here because Django creates permissions after all migrations."""
    config = apps.get_app_config("leaderboard")
    config.models_module = True  # else its models are passed over
    create_permissions(config, apps=apps, verbosity=0)
    config.models_module = None
    permissions = apps.get_model("auth", "Permission").objects.filter(content_type__app_label="leaderboard")
    return {permission.codename: permission for permission in permissions}


def _make_groups(groups, by_name):
    """Make missing groups. Existing groups with these names stay unchanged."""
    from leaderboard.accounts.permissions import GROUPS

    for name, names in GROUPS.items():
        group, made = groups.objects.get_or_create(name=name)
        if made:
            codenames = (each.partition(".")[2] for each in names)
            # Those of models that come later are given by their migrations.
            group.permissions.set(by_name[each] for each in codenames if each in by_name)


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0010_settle_account_names"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [
        migrations.AlterModelOptions(
            name="conformancereport",
            options={
                "ordering": ["-created_at", "-pk"],
                "permissions": [("run_conformance", "Can have our own implementation checked again")],
            },
        ),
        migrations.AlterModelOptions(
            name="run",
            options={
                "ordering": ["-created_at"],
                "permissions": [("cancel_run", "Can cancel a run"), ("resume_run", "Can resume a run")],
            },
        ),
        migrations.AlterModelOptions(
            name="submission",
            options={
                "ordering": ["-created_at"],
                "permissions": [
                    ("publish_submission", "Can make a submission public or private"),
                    ("withdraw_submission", "Can withdraw a submission"),
                    ("regrade_submission", "Can grade a submission again"),
                    ("download_predictions", "Can download the predictions of a submission"),
                    ("exceed_quota", "Can submit without a daily limit"),
                ],
            },
        ),
        migrations.AlterModelOptions(
            name="version",
            options={
                "ordering": ["benchmark__position", "-frozen_at", "-created_at"],
                "permissions": [("view_gold", "Can see what tells withheld gold")],
            },
        ),
        migrations.RunPython(give, migrations.RunPython.noop),
    ]
