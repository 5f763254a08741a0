"""Marks the site's own oracles, floors and rules as references: drawn as lines, without ranks."""

from typing import Any

from django.db import migrations, models


def mark_references(apps: Any, schema_editor: Any) -> None:
    """Mark those of the site's own systems that their suite lists as references. Systems of other owners are ranked."""
    from evaluation.core.suite import REFERENCES, usable

    specs = {suite: engine.systems() for suite, engine in usable().items()}
    systems = apps.get_model("leaderboard", "System").objects
    own = apps.get_model("leaderboard", "Run").objects.filter(
        started_by__service_account__purpose="site", system__owner=models.F("started_by")
    )
    run_by_site = own.order_by().values_list("version__benchmark__suite", "executor", "system_id").distinct()
    for suite, executor, system in list(run_by_site):
        spec = specs.get(suite, {}).get(executor)
        if spec is not None and (role := spec.reference) in REFERENCES:
            systems.filter(pk=system).update(reference=role)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0021_score_statistics")]
    operations = [
        migrations.AddField(
            "system",
            "reference",
            models.CharField(
                blank=True,
                choices=[("oracle", "Oracle"), ("floor", "Floor"), ("rule", "Rule")],
                default="",
                editable=False,
                help_text="Its role as a reference that the site runs itself: no rank; empty for a contestant.",
                max_length=10,
            ),
            preserve_default=False,
        ),
        migrations.RunPython(mark_references, migrations.RunPython.noop),
    ]
