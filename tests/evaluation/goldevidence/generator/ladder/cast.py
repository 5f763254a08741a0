"""Settings of small ladders."""

from __future__ import annotations

from typing import Any

from evaluation.goldevidence.presets import Settings


def settings(*lengths: int, ladder: dict[str, Any] | None = None, **generator: Any) -> Settings:
    """Settings of a ladder of a few short episodes.

    Args:
        *lengths: Tokens of its texts; none: 1k and 4k.
        ladder: Further settings of the ladder.
        **generator: Changed settings of the generator.
    """
    chosen = {
        "episodes": 4,
        "keys": 5,
        "queries": 3,
        "chapters": 4,
        "twins": False,
        "revision": 2,
        "distractor_profile": "instruction_suite",
    }
    return Settings.from_json(
        {
            "protocol": "open",
            "generator": chosen | generator,
            "ladder": {"lengths": list(lengths or (1024, 4096)), "writes": [2, 3], **(ladder or {})},
        }
    )
