"""Published figures that need no language model: the reference's retrieval and selector tables.

Each shows 8 candidates of the asked key and one rival line; the answer is read off the selected line.
`correct` is the reference's: the latest line of the key, a NOTE included unless the authority filter is on.
That is why a policy that prefers UPDATEs scores a *lower* selection rate there and a higher value accuracy.
"""

from __future__ import annotations

from typing import NamedTuple

from evaluation.goldevidence.generator.config import GeneratorConfig

K = 8


class Dataset(NamedTuple):
    """The settings of a published data set: one episode per seed, direct questions, no twins."""

    title: str
    seeds: int
    config: GeneratorConfig


_SMALL = GeneratorConfig(
    episodes=1,
    steps=240,
    keys=10,
    queries=16,
    chapters=6,
    derived_query_rate=0.0,
    twins=False,
    distractor_profile="standard",
)
_KV = _SMALL.having(state_mode="kv", distractor_rate=0.7, clear_rate=0.01, tail_distractor_steps=80)
_KVC = _SMALL.having(state_mode="kv_commentary", note_rate=0.30)
DATASETS: dict[str, Dataset] = {
    "kv_ab_s3q16": Dataset("kv s3q16", 3, _KV),
    "kv_ab_s5q24": Dataset("kv s5q24", 5, _KV.having(steps=200, queries=24)),
    "kvc_s3q16": Dataset("kv_commentary s3q16", 3, _KVC),
    "kvc_s5q24": Dataset("kv_commentary s5q24", 5, _KVC.having(queries=24)),
}

# policy -> (data set, authority filter) -> (selection rate, value accuracy)
SELECTION_VALUE: dict[str, dict[tuple[str, bool], tuple[float, float]]] = {
    "latest_step": {
        ("kv_ab_s3q16", False): (1, 1),
        ("kv_ab_s5q24", False): (1, 1),
        ("kvc_s3q16", False): (1, 0.6875),
        ("kvc_s3q16", True): (1, 1),
        ("kvc_s5q24", False): (1, 0.75),
        ("kvc_s5q24", True): (1, 1),
    },
    "prefer_set_latest": {
        ("kv_ab_s3q16", False): (0.9583, 0.9583),
        ("kv_ab_s5q24", False): (1, 1),
        ("kvc_s3q16", False): (0.625, 0.9375),
        ("kvc_s3q16", True): (0.9375, 0.9375),
        ("kvc_s5q24", False): (0.6583, 0.8917),
        ("kvc_s5q24", True): (0.8917, 0.8917),
    },
    "prefer_update_latest": {
        ("kv_ab_s3q16", False): (1, 1),
        ("kv_ab_s5q24", False): (1, 1),
        ("kvc_s3q16", False): (0.6875, 1),
        ("kvc_s3q16", True): (1, 1),
        ("kvc_s5q24", False): (0.75, 1),
        ("kvc_s5q24", True): (1, 1),
    },
    "linear (trained)": {
        ("kv_ab_s3q16", False): (1, 1),
        ("kv_ab_s5q24", False): (1, 1),
        ("kvc_s3q16", False): (1, 0.6875),
        ("kvc_s3q16", True): (1, 1),
        ("kvc_s5q24", False): (1, 0.75),
        ("kvc_s5q24", True): (1, 1),
    },
    "linear (gold support)": {
        ("kv_ab_s3q16", False): (1, 1),
        ("kv_ab_s5q24", False): (1, 1),
        ("kvc_s3q16", False): (0.6875, 1),
        ("kvc_s3q16", True): (1, 1),
        ("kvc_s5q24", False): (0.75, 0.9833),
        ("kvc_s5q24", True): (1, 1),
    },
}
# (position answered from, order) -> selection rate
POSITION: dict[tuple[str, str], float] = {
    (position, order): float(order == f"gold_{position}")
    for position in ("first", "last")
    for order in ("gold_first", "gold_middle", "gold_last")
}
# (retriever, data set) -> gold_present_rate at each of RETRIEVED_K; equal scores earliest first
GOLD_PRESENT: dict[tuple[str, str], tuple[float, float, float]] = {
    ("bm25", "kv_ab_s3q16"): (0.0417, 0.0417, 0.0417),
    ("bm25", "kv_ab_s5q24"): (0.0, 0.0, 0.2083),
    ("tfidf", "kv_ab_s3q16"): (0.1042, 0.2292, 0.4167),
    ("tfidf", "kv_ab_s5q24"): (0.0833, 0.1917, 0.7333),
}
RETRIEVED_K = (2, 4, 8)
