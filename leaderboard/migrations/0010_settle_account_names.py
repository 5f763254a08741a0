"""Rename accounts with a reserved name, or a name that looks like another account's; their old URLs still work.

`leaderboard.name_settling` lists them. Also flags the account that owns the site's own runs.
"""

from django.conf import settings
from django.db import migrations


def settle(apps, schema_editor):
    from leaderboard.accounts import name_settling

    for each in name_settling.settle(apps.get_model):
        print(f"\n    {each.before} is called {each.after} now ({each.reason})", end="")


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0009_account_names"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    operations = [migrations.RunPython(settle, migrations.RunPython.noop)]
