"""Public twins of sealed versions: same settings, other seeds, answers in the rows, no ranks."""

from __future__ import annotations

from django.db import transaction

from evaluation.core.sealing.keyed_ids import OPEN_KEY
from leaderboard.benchmarks import freezing
from leaderboard.benchmarks.disclosure import State
from leaderboard.benchmarks.models import Version

ABOUT = (
    "The public twin of {}: same settings, other seeds, answers in the rows. "
    "For learning and debugging; it has no ranks."
)


def why_none(version: Version) -> str:
    """Reason for which a version cannot have a public twin; empty if it can."""
    if version.is_twin:
        return f"{version} is a public twin itself."
    if hasattr(version, "twin"):
        return f"{version} already has a public twin: {version.twin}."
    if version.is_import:
        return f"{version} was imported, so it has no seeds to redraw."
    if version.disclosure.state == State.PUBLIC or version.settings.get("public_gold"):
        return f"The answers of {version} are public already."
    return ""


@transaction.atomic
def make(version: Version, *, wake_worker: bool = True) -> Version:
    """Draft the public twin of a version. Raises freezing.FreezeError if the version cannot have one."""
    version = Version.objects.select_for_update(of=("self",)).select_related("benchmark").get(pk=version.pk)
    if reason := why_none(version):
        raise freezing.FreezeError(reason)
    twin = freezing.draft(
        benchmark=version.benchmark,
        preset=version.preset,
        slug=f"{version.slug[:74]}-twin",
        title=f"{version.title[:102]} (public twin)",
        numbered=False,
        description=ABOUT.format(version.title),
        settings=twin_settings(version),
        twin_of=version,
    )
    if wake_worker:
        freezing.enqueue_freeze(twin)
    return twin


def twin_settings(version: Version) -> dict[str, object]:
    """The version's settings with new seeds, the key `OPEN_KEY` and public answers."""
    drawn = version.bound.settings.with_secret_seeds()
    return version.suite.settings.checked(drawn | {"key": OPEN_KEY, "public_gold": True})
