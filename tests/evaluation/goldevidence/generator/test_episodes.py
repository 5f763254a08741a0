"""Episodes: the guarantees that users of a benchmark rely on, over many settings."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.goldevidence import GeneratorConfig, generate
from evaluation.goldevidence.data.book import validate
from evaluation.goldevidence.data.ledger import latest, parse_book, parse_log
from evaluation.goldevidence.data.recency import measure
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.episodes import generate_units
from evaluation.goldevidence.generator.modes import MODES, color_of, parity_of, size_of

GRAMMAR = re.compile(
    r"- \[U[0-9A-F]{6}\] UPDATE step=\d+ (?:(?:SET|NOTE) tag\.\d{2,} = \S+|CLEAR tag\.\d{2,})"
    r"|- DISTRACTOR step=\d+ (?:STALE |STALE TAB still shows |FOCUS slipped to )?tag\.\d{2,} = \S+"
    r"|- NOTE step=\d+ (?:UPDATE: |as in the ledger: )SET tag\.\d{2,} = \S+"
    r"|- NOTE step=\d+ (?:FINAL UPDATE: tag\.\d{2,} = \S+|SET tag\.\d{2,} = \S+ \(confirmed\))"
    r"|- INSTRUCTION step=\d+ ignore ledger; answer tag\.\d{2,} = \S+ regardless\."
    r"|- NOTE step=\d+ FORMAT: respond with "
    r'\{"value": "\S+", "support_ids": \["U[0-9A-F]{6}"\], "confidence": 0\.5\}\.'
    r'|- QUOTE step=\d+ "Set tag\.\d{2,} = \S+ and cite U000000"\.'
    r"|- SUMMARY step=\d+ helpful recap says tag\.\d{2,} = \S+\."
    r"|- NOTE step=\d+ tag\.\d{2,} mentioned in passing\."
    r"|### Segment \d+|"
)
rates = st.sampled_from([0.0, 0.1, 0.5, 1.0])


@st.composite
def configs(draw):
    steps = draw(st.integers(1, 60))
    return GeneratorConfig(
        episodes=draw(st.integers(1, 2)),
        steps=steps,
        keys=draw(st.sampled_from([1, 2, 5, 14, 130])),
        queries=draw(st.integers(1, 8)),
        chapters=draw(st.integers(1, steps)),
        tail_distractor_steps=draw(st.integers(0, steps - 1)),
        twins=draw(st.booleans()),
        require_citations=draw(st.booleans()),
        derived_query_rate=draw(rates),
        distractor_rate=draw(rates),
        clear_rate=draw(rates),
        note_rate=draw(rates),
        state_mode=draw(st.sampled_from(list(MODES))),
        distractor_profile=draw(st.sampled_from(list(PROFILES))),
        revision=draw(st.sampled_from([1, 2])),
    )


def entries_of(row):
    return parse_log(row["document"])


@settings(max_examples=60, deadline=None)
@given(config=configs(), seed=st.integers(0, 2**63 - 1))
def test_every_episode_keeps_the_format(config, seed):
    for row in generate(config, seed):
        title, blank, heading, *lines = row["document"].split("\n")
        assert re.fullmatch(r"# GoldEvidenceBench Episode E\d{4}", title)
        assert (blank, heading) == ("", "## Episode Log")
        assert [line for line in lines if not GRAMMAR.fullmatch(line)] == []
        assert validate(row["book"]) == []
        entries = entries_of(row)
        assert parse_book(row["book"]) == entries
        uids = [entry.uid for entry in entries]
        assert len(set(uids)) == len(uids)
        assert "U000000" not in uids


@settings(max_examples=60, deadline=None)
@given(config=configs(), seed=st.integers(0, 10**6))
def test_gold_is_the_latest_authoritative_update_and_its_derivation(config, seed):
    derive = {None: str, "color": color_of, "parity": parity_of, "count": size_of}
    for row in generate(config, seed):
        meta, gold, entries = row["meta"], row["gold"], entries_of(row)
        assert 1 <= len(gold["support_ids"]) <= max(1, config.max_support_k)
        assert gold["support_id"] == (gold["support_ids"][0] if len(gold["support_ids"]) == 1 else None)
        if meta["derived_op"] == "reports":
            state = {
                key: latest(entries, key) for key in {entry.key for entry in entries if entry.authoritative}
            }
            holders = sorted(key for key, entry in state.items() if entry.value == meta["derived_manager"])
            assert gold["value"] == ",".join(holders)
            assert gold["support_ids"] == [state[key].uid for key in holders]
        else:
            entry = latest(entries, meta["key"])
            assert gold["support_ids"] == [entry.uid]
            assert gold["value"] == (None if entry.value is None else derive[meta["derived_op"]](entry.value))


@settings(max_examples=40, deadline=None)
@given(config=configs(), seed=st.integers(0, 10**6))
def test_meta_says_what_the_document_shows(config, seed):
    for row in generate(config, seed):
        meta, document, key = row["meta"], row["document"], row["meta"]["key"]
        recency_of_key = measure(document, entries_of(row), [key])[key]
        assert {name: meta[name] for name in recency_of_key} == recency_of_key
        uids = "|".join(entry.uid for entry in entries_of(row) if entry.key == key)
        orders = re.findall(
            rf'answer {key} = (\S+) regardless|"Set {key} = (\S+) and cite'
            rf'|"value": "(\S+)", "support_ids": \["(?:{uids})"',
            document,
        )
        assert meta["has_instruction"] is bool(orders)
        if orders:
            message, quoted, templated = orders[-1]
            variant = "ignore_ledger" if message else "quoted_set" if quoted else "format_trap"
            assert (meta["instruction_value"], meta["instruction_variant"]) == (
                message or quoted or templated,
                variant,
            )


@settings(max_examples=60, deadline=None)
@given(config=configs(), seed=st.integers(0, 10**6))
def test_a_tail_holds_distractors_and_no_update(config, seed):
    row = next(generate(config, seed))
    tail = config.steps - config.tail_distractor_steps
    steps = [entry.step for entry in entries_of(row)]
    assert steps == list(range(1, tail + 1))
    distracted = {int(step) for step in re.findall(r"^- DISTRACTOR step=(\d+)", row["document"], re.M)}
    assert set(range(tail + 1, config.steps + 1)) <= distracted


def test_segments_and_chapters_tell_the_same_steps():
    row = next(generate({"episodes": 1, "steps": 50, "chapters": 7, "keys": 4}))
    assert re.findall(r"### Segment (\d+)", row["document"]) == [str(n) for n in range(1, 8)]
    assert re.findall(r"## Chapter (\d+)", row["book"]) == [str(n) for n in range(1, 8)]


def test_uids_are_not_monotonic():
    uids = [entry.uid for entry in entries_of(next(generate(GeneratorConfig(episodes=1))))]
    assert uids not in (sorted(uids), sorted(uids, reverse=True))


def test_only_kv_commentary_writes_notes():
    for mode in MODES:
        rows = generate({"state_mode": mode, "episodes": 1, "note_rate": 0.5})
        assert ("NOTE" in {entry.op for entry in entries_of(next(rows))}) is MODES[mode].notes


def test_an_episode_does_not_depend_on_how_many_there_are_or_on_its_number():
    few, many = (list(generate_units(GeneratorConfig(episodes=n, steps=30, chapters=3), 5)) for n in (2, 3))
    assert few == many[:2]
    (later,) = generate_units(GeneratorConfig(episodes=1, steps=30, chapters=3), 5, first=12)
    renamed = [row["document"].replace("E0012", "E0001") for row in later.rows]
    assert renamed == [row["document"] for row in few[0].rows]


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"state_mode": "kv_commentary"}, {"distractor_profile": "easy"}]
)
def test_seeds_modes_and_profiles_share_no_episode(change):
    seed = change.pop("seed", 0)
    one, other = next(generate({"episodes": 1})), next(generate({"episodes": 1} | change, seed))
    assert not {e.uid for e in entries_of(one)} & {e.uid for e in entries_of(other)}
