"""All tracks by name, and a function that generates timelines of these tracks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from evaluation.core.sealing.keyed_ids import OPEN_KEY
from evaluation.statebench.generator import templates
from evaluation.statebench.generator.scene import Scene
from evaluation.statebench.records import Timeline

Build = Callable[[Scene], None]

TRACKS: dict[str, Build] = {
    build.__name__: build
    for build in (
        templates.supersession,
        templates.supersession_detection,
        templates.environmental_freshness,
        templates.repair_propagation,
        templates.commitment_durability,
        templates.supersession_maintain,
        templates.scope_permission,
        templates.scope_leak,
        templates.authority_hierarchy,
        templates.enterprise_privacy,
        templates.interruption_resumption,
        templates.hallucination_resistance,
        templates.causality,
        templates.dependency_chain,
        templates.brutal_realistic,
    )
}
_DIFFICULTIES = ("easy", "medium", "medium", "hard")


def generate(tracks: Sequence[str], count: int, seed: int, key: str = OPEN_KEY) -> Iterator[Timeline]:
    """Yield `count` timelines of each track with ground truth. Deterministic; only the ids depend on `key`."""
    for track in tracks:
        for number in range(count):
            scene = Scene(track, number, seed, key=key, difficulty=_DIFFICULTIES[number % len(_DIFFICULTIES)])
            TRACKS[track](scene)
            yield scene.row()
