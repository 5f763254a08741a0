"""The accounts and objects of the installation."""

from __future__ import annotations

from typing import Any

#: Who signs up, and the name in the e-mail address.
PEOPLE = {"ada": "ada", "ben": "ben", "mia": "mia"}
#: A superuser, a staff account without permissions, and a moderator.
STAFF = {"sam": "sam", "stella": "stella", "rik": "rik"}

#: As many episodes as ranks need, each as short as can be.
RANKED = {"episodes": 40, "steps": 24, "queries": 1, "keys": 4, "chapters": 2, "twins": False}
SMALL = {"episodes": 2, "steps": 24, "queries": 3, "keys": 4, "chapters": 2, "twins": False}
ORDERS = [{"k": 3, "order": "gold_first"}, {"k": 3, "order": "gold_last"}]
HARDER = {"k": 4, "order": "shuffle", "drop_prob": 0.3, "spoof_rate": 0.5}
#: One or two orders can be guessed, which would leave a version without ranks.
GUESSED = [{"metric": name, "ceiling": 1.0} for name in ("selection_rate", "condition_value_acc")]
SEALED = {"generator": RANKED, "conditions": [*ORDERS, HARDER], "attack_limits": GUESSED}
TRACKS = ["supersession", "supersession_detection", "authority_hierarchy", "scope_permission", "scope_leak"]
LONG = SMALL | {"keys": 5, "revision": 2}
LADDER = {"lengths": [1024, 2048], "depths": [0.3, 0.7], "writes": [2], "shares": [0.75]}

#: suite, name, settings, how it is frozen: with `secret` seeds, as an `open` demo, or as its `settings` say.
VERSIONS: list[tuple[str, str, dict[str, Any], str]] = [
    ("goldevidence", "sealed", SEALED, "secret"),
    ("goldevidence", "open", {"generator": SMALL, "conditions": ORDERS[:1]}, "open"),
    ("goldevidence", "public", {"generator": SMALL, "public_gold": True}, "settings"),
    ("goldevidence", "retired", {"generator": SMALL, "rubric": "reference", "protocol": "open"}, "secret"),
    ("goldevidence", "two-phases", {"generator": SMALL | {"episodes": 4}, "protocol": "build"}, "secret"),
    ("goldevidence", "lengths", {"generator": LONG, "protocol": "open", "ladder": LADDER}, "secret"),
    ("statebench", "states", {"tracks": TRACKS, "count": 2}, "secret"),
    ("statebench", "states-open", {"tracks": TRACKS[:2], "count": 1, "seed": 7, "public_gold": True}, "settings"),
]  # fmt: skip
#: Versions of the demo that are small enough, for which runs come with the source: suite, preset.
DEMO = [("goldevidence", "prose-short"), ("statebench", "quick")]
#: Which systems the site runs itself.
RUN_BY_THE_SITE = {
    "goldevidencebench/sealed": [
        "ledger",
        "latest_step",
        "note_citing",
        "bm25+latest_step",
        "positional_last",
    ],
    "goldevidencebench/sealed-twin": ["ledger", "latest_step"],
    "goldevidencebench/open": ["ledger", "naive", "latest_step"],
    "goldevidencebench/public": ["ledger", "note_citing"],
    "goldevidencebench/retired": ["ledger", "naive"],
    "goldevidencebench/two-phases": ["ledger", "latest_step"],
    "goldevidencebench/lengths": ["ledger", "latest_step", "window_2k"],
    "goldevidencebench/imported": ["ledger"],
    "goldevidencebench/prose-short": ["ledger"],
    "statebench/states": ["no_memory", "transcript_latest_wins", "state_based"],
    "statebench/states-open": ["state_based", "no_memory"],
    "statebench/released": ["state_based", "transcript_latest_wins"],
    "statebench/quick": ["state_based", "transcript_replay"],
}
