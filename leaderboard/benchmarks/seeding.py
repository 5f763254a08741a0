"""The first contents of a site: the engine's presets, and for the demo frozen versions with graded baselines."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import CommandError

from leaderboard.accounts import services as accounts
from leaderboard.benchmarks import freezing
from leaderboard.benchmarks.models import Benchmark, Preset, Version


def presets(*suites: str) -> int:
    """Add the engine's named presets (of these suites, else of all) that are not there yet; how many were added."""
    added = 0
    benchmarks = Benchmark.objects.filter(suite__in=suites) if suites else Benchmark.objects.all()
    for benchmark in benchmarks:
        for name, values in benchmark.engine.presets().items():
            _, created = Preset.objects.get_or_create(
                benchmark=benchmark,
                name=name.replace("_", "-"),
                defaults={
                    "title": name.replace("_", " ").capitalize(),
                    "description": benchmark.engine.about(name),
                    "settings": dict(values),
                },
            )
            added += created
    return added


def site_user() -> Any:
    """The account that owns what this site runs itself, for commands. Raises CommandError."""
    try:
        return accounts.site_account()
    except accounts.NameTakenError as error:
        raise CommandError(str(error)) from error


def demo_admin() -> tuple[str, str]:
    """The demo's admin login. The password is made once and kept in the data folder."""
    path = Path(settings.DATA_DIR) / "demo-password"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(9))
    password = path.read_text()
    user, created = get_user_model().objects.get_or_create(
        username="admin", defaults={"is_staff": True, "is_superuser": True, "email": "admin@localhost"}
    )
    if created:
        user.set_password(password)
        user.save()
    return user.get_username(), password


def frozen(suite: str, preset: str, *, tell: Callable[[str], None]) -> Version:
    """The frozen version of a preset, made here and now if there is none yet.

    A version that an earlier start left unfinished is finished. Raises FreezeError.
    """
    wanted = Preset.objects.select_related("benchmark").get(benchmark__suite=suite, name=preset)
    version = wanted.versions.filter(status__in=Version.FINAL).order_by("pk").first()  # not one frozen since
    if version is not None:
        return version
    version = wanted.versions.first() or freezing.start(preset=wanted, open_demo=True, wake_worker=False)
    if version.status == Version.Status.FAILED:
        freezing.retry(version)
    tell(f"  freezing {wanted.title} …")
    _freeze(version, tell)
    return version


def _freeze(version: Version, tell: Callable[[str], None]) -> None:
    """Freeze a version, or wait until another process has: one that was killed still holds it for a while."""
    told = ""
    while not freezing.freeze(version.pk):
        version.refresh_from_db()
        if version.is_final:
            return
        if version.status == Version.Status.FAILED:
            raise freezing.FreezeError(version.error)
        held = f"another process works on it; waiting, at most {settings.LEASE_SECONDS} s if it was killed …"
        if (why := version.error or held) != told:
            told = why
            tell(f"  {why}")
        time.sleep(1)
    version.refresh_from_db()
