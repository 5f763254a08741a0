"""Timelines with everything that both releases can hold, and nothing else."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from evaluation.statebench.interchange import release as words

Rows = st.SearchStrategy[dict[str, Any]]

TEXT = st.text(alphabet="abc dé$5%\"'|", max_size=12)
NAME = st.sampled_from(["F-001", "W-AUTO", "status", "status_v2", "Ω"])
MOMENT = st.datetimes().map(lambda moment: moment.isoformat(timespec="seconds"))
SOURCE = st.fixed_dictionaries(
    {
        "type": st.sampled_from(words.SOURCE_TYPES),
        "identity": st.none() | TEXT,
        "authority": st.sampled_from(words.AUTHORITIES),
    }
)
_SHARED = {
    "id": NAME,
    "key": NAME,
    "value": TEXT,
    "source": SOURCE,
    "scope": st.sampled_from(words.SCOPES),
    "supersedes": st.none() | NAME,
    "depends_on": st.lists(NAME, max_size=2),
    "is_constraint": st.booleans(),
    "constraint_type": st.none() | st.sampled_from(words.CONSTRAINT_TYPES),
}
FACT = st.fixed_dictionaries({**_SHARED, "ts": MOMENT, "is_valid": st.booleans()})
WRITE = st.fixed_dictionaries({**_SHARED, "layer": st.sampled_from(words.LAYERS)})
NOTE = st.fixed_dictionaries(
    {
        "item_type": st.sampled_from(words.ITEM_TYPES),
        "content": TEXT,
        "ts": MOMENT,
        "priority": st.integers(0, 9),
    }
)
LABEL = st.fixed_dictionaries(
    {
        "detection_cue": TEXT,
        "supersedes_fact_id": st.none() | NAME,
        "difficulty": st.sampled_from(words.CUE_DIFFICULTIES),
    }
)
TURN = st.fixed_dictionaries(
    {
        "type": st.just("conversation_turn"),
        "ts": MOMENT,
        "speaker": st.sampled_from(words.SPEAKERS),
        "text": TEXT,
        "implicit_supersession": st.none() | LABEL,
    }
)
WRITTEN = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["state_write", "supersession"]),
        "ts": MOMENT,
        "writes": st.lists(WRITE, min_size=1, max_size=2),
    }
)
METADATA = st.fixed_dictionaries(
    {
        "template_id": TEXT.filter(bool),
        "generated_at": MOMENT,
        "seed": st.integers(0, 9),
        "adversarial_techniques": st.lists(TEXT, max_size=1),
        "generator_version": st.just("1.0.0"),
    }
)


def _mention(release: words.Release) -> st.SearchStrategy[Any]:
    fields = {"phrase": TEXT, "alternatives": st.lists(TEXT, max_size=1), "is_regex": st.booleans()}
    kinds = {"kind": st.sampled_from(words.MENTION_KINDS)} if release.kinds else {}
    return TEXT | st.fixed_dictionaries({**fields, **kinds})


def _query(release: words.Release) -> Rows:
    mentions = st.lists(_mention(release), max_size=2)
    truth = st.fixed_dictionaries(
        {
            "decision": TEXT,
            "decision_type": st.sampled_from(words.DECISION_TYPES),
            "must_mention": mentions,
            "must_not_mention": mentions,
            "allowed_sources": st.lists(st.sampled_from(words.LAYERS), max_size=2),
            "reasoning": st.none() | TEXT,
            "required_facts": st.just([]),
            "forbidden_facts": st.lists(NAME, max_size=1),
            "failure_severity": st.sampled_from(words.SEVERITIES),
            "failure_category": st.none() | st.sampled_from(words.CATEGORIES),
            "weights": st.none() | st.just({"decision": 2.0}),
        }
    )
    return st.fixed_dictionaries(
        {"type": st.just("query"), "ts": MOMENT, "prompt": TEXT, "ground_truth": truth}
    )


def timelines(release: words.Release) -> Rows:
    """Timelines of a release."""
    state = {
        "identity_role": st.fixed_dictionaries(
            {"user_name": TEXT, "authority": TEXT, "department": st.none()}
        ),
        "persistent_facts": st.lists(FACT, max_size=2),
        "working_set": st.lists(NOTE, max_size=2),
        "environment": st.dictionaries(NAME, TEXT, max_size=2),
    }
    events = st.tuples(st.lists(TURN | WRITTEN, max_size=4), _query(release)).map(
        lambda two: [*two[0], two[1]]
    )
    user = {"id": st.just("u1"), "role": TEXT, "org": TEXT}
    fields: dict[str, st.SearchStrategy[Any]] = {
        "id": TEXT,
        "version": st.just("1.0"),
        "domain": st.sampled_from(words.DOMAINS),
        "track": st.sampled_from(sorted(release.tracks)),
        "difficulty": st.sampled_from(words.DIFFICULTIES),
        "detection_mode": st.sampled_from(words.DETECTION_MODES),
        "actors": st.fixed_dictionaries({"user": st.fixed_dictionaries(user), "assistant_role": TEXT}),
        "initial_state": st.fixed_dictionaries(state),
        "events": events,
        "metadata": st.none() | METADATA,
    }
    return st.fixed_dictionaries(fields)
