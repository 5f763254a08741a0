"""The accounts and objects of the installation."""

from __future__ import annotations

from typing import Any

PASSWORD = "a long passphrase 1"
#: Who signs up, and the name in the e-mail address. `admin` and those that follow were free to take at that time.
PEOPLE = {"ada": "ada", "ben": "ben", "admin": "stranger", "аda": "cyrillic", "..": "dots"}
STAFF = {"sam": "sam", "stella": "stella"}
SERVERS = '{"house": {"base_url": "http://127.0.0.1:9/v1"}}'

SMALL = {"episodes": 2, "steps": 24, "queries": 3, "keys": 4, "chapters": 2, "twins": False}
ORDERS = [{"k": 3, "order": "gold_first"}, {"k": 3, "order": "gold_last"}]
HARDER = {"k": 4, "order": "shuffle", "drop_prob": 0.3, "spoof_rate": 0.5}
TRACKS = ["supersession", "supersession_detection", "authority_hierarchy", "scope_permission", "scope_leak"]
SEALED = {
    "generator": SMALL | {"episodes": 1, "twins": True},
    "state_modes": ["kv", "kv_commentary"],
    "conditions": [*ORDERS, HARDER],
}
#: suite, name, settings, whether its seeds are secret.
VERSIONS: list[tuple[str, str, dict[str, Any], bool]] = [
    ("goldevidence", "sealed", SEALED, True),
    ("goldevidence", "open", {"generator": SMALL, "conditions": ORDERS[:1], "public_gold": True}, False),
    ("goldevidence", "retired", {"generator": SMALL, "rubric": "reference", "protocol": "both"}, True),
    ("statebench", "states", {"tracks": TRACKS, "count": 2}, True),
    ("statebench", "states-open", {"tracks": TRACKS[:2], "count": 1, "seed": 7, "public_gold": True}, False),
]
#: Which systems the site runs itself.
RUN_BY_THE_SITE = {
    "goldevidencebench/sealed": [
        "ledger", "naive", "positional_first", "positional_last", "latest_step", "prefer_set_latest", "linear",
        "linear+gate", "note_citing", "bm25+latest_step",
    ],
    "goldevidencebench/open": ["ledger", "naive", "latest_step"],
    "goldevidencebench/retired": ["ledger", "naive"],
    "goldevidencebench/imported": ["ledger", "note_citing"],
    "statebench/states": [
        "no_memory", "transcript_replay", "transcript_latest_wins", "rag_transcript", "rolling_summary",
        "state_based", "state_based_reference", "state_based_no_detection",
    ],
    "statebench/states-open": ["state_based", "no_memory"],
    "statebench/released": ["state_based", "transcript_latest_wins"],
}  # fmt: skip
