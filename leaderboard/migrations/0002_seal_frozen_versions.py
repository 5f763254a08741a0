"""Triggers on SQLite and PostgreSQL that refuse changes and deletions of frozen versions."""

from django.db import migrations

SEALED = (
    "benchmark_id", "slug", "settings", "grader", "sha256", "rows_sha256", "gold_sha256", "row_count", "unit_count",
    "conditions", "sample", "rows_bytes", "public_gold", "frozen_at",
)  # fmt: skip
FINAL = "OLD.status IN ('frozen', 'retired')"
TABLE = "leaderboard_version"


def seal(apps, schema_editor):
    match schema_editor.connection.vendor:
        case "sqlite":
            changed = " OR ".join(f"NEW.{name} IS NOT OLD.{name}" for name in SEALED)
            schema_editor.execute(
                f"CREATE TRIGGER version_sealed_update BEFORE UPDATE ON {TABLE} "
                f"WHEN {FINAL} AND (NEW.status NOT IN ('frozen', 'retired') OR {changed}) "
                "BEGIN SELECT RAISE(ABORT, 'a frozen version cannot change'); END"
            )
            schema_editor.execute(
                f"CREATE TRIGGER version_sealed_delete BEFORE DELETE ON {TABLE} WHEN {FINAL} "
                "BEGIN SELECT RAISE(ABORT, 'a frozen version cannot be deleted'); END"
            )
        case "postgresql":
            changed = " OR ".join(f"NEW.{name} IS DISTINCT FROM OLD.{name}" for name in SEALED)
            schema_editor.execute(
                "CREATE FUNCTION refuse_sealed_version() RETURNS trigger LANGUAGE plpgsql AS $$ "
                "BEGIN RAISE EXCEPTION 'a frozen version cannot change or be deleted' "
                "USING ERRCODE = 'integrity_constraint_violation'; END $$"
            )
            schema_editor.execute(
                f"CREATE TRIGGER version_sealed_update BEFORE UPDATE ON {TABLE} FOR EACH ROW "
                f"WHEN ({FINAL} AND (NEW.status NOT IN ('frozen', 'retired') OR {changed})) "
                "EXECUTE FUNCTION refuse_sealed_version()"
            )
            schema_editor.execute(
                f"CREATE TRIGGER version_sealed_delete BEFORE DELETE ON {TABLE} FOR EACH ROW "
                f"WHEN ({FINAL}) EXECUTE FUNCTION refuse_sealed_version()"
            )


def unseal(apps, schema_editor):
    on = f" ON {TABLE}" if schema_editor.connection.vendor == "postgresql" else ""
    for name in ("version_sealed_update", "version_sealed_delete"):
        schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}{on}")
    if on:
        schema_editor.execute("DROP FUNCTION IF EXISTS refuse_sealed_version()")


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0001_initial")]
    operations = [migrations.RunPython(seal, unseal)]
