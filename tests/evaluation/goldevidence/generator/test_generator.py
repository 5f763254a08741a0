"""The later profiles: the lines each writes, and that the answer follows from the text alone.

The oracle is independent: one regular expression over the log, or over the book's ledger, and the line of the greatest
step.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.cli import main
from evaluation.core import jsonl
from evaluation.core.errors import SettingsError
from evaluation.core.sealing import keyed_ids
from evaluation.goldevidence import GeneratorConfig, generate
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.modes import MODES
from evaluation.goldevidence.presets import Settings
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import get_system

LATER = ("update_burst", "note_camouflage", "stale_tab_state", "focus_drift")
IN_LOG = re.compile(r"^- \[(U[0-9A-F]{6})\] UPDATE step=(\d+) (SET|CLEAR) (tag\.\d+)(?: = (\S+))?$", re.M)
IN_BOOK = re.compile(r"^- \[(U[0-9A-F]{6})\] step=(\d+) (SET|CLEAR) (tag\.\d+)(?: = (\S+))?$", re.M)
NOTES = re.compile(r"^- \[U[0-9A-F]{6}\] UPDATE step=(\d+) NOTE (tag\.\d+) = (\S+)$", re.M)
CAMOUFLAGE = re.compile(
    r"^- NOTE step=\d+ (?:UPDATE: SET|FINAL UPDATE:|SET|as in the ledger: SET) (tag\.\d+) = (\S+)", re.M
)
TAB = re.compile(r"^- DISTRACTOR step=(\d+) STALE TAB still shows (tag\.\d+) = (\S+)$", re.M)
FOCUS = re.compile(r"^- DISTRACTOR step=\d+ FOCUS slipped to (tag\.\d+) = (\S+)$", re.M)
ANY_CLAIM = re.compile(r"(tag\.\d+) = ([a-z0-9,-]+)")
rates = st.sampled_from([0.0, 0.1, 0.5, 1.0])


@st.composite
def configs(draw: st.DrawFn, **more: Any) -> GeneratorConfig:
    steps = draw(st.integers(1, 60))
    chosen = {
        "episodes": 1,
        "steps": steps,
        "keys": draw(st.sampled_from([1, 2, 5, 14, 130])),
        "queries": draw(st.integers(1, 8)),
        "chapters": draw(st.integers(1, steps)),
        "tail_distractor_steps": draw(st.integers(0, steps - 1)),
        "twins": draw(st.booleans()),
        "derived_query_rate": draw(rates),
        "distractor_rate": draw(rates),
        "clear_rate": draw(rates),
        "note_rate": draw(rates),
        "near_values": 0.0,
        "state_mode": draw(st.sampled_from(list(MODES))),
        "distractor_profile": draw(st.sampled_from(LATER)),
        "revision": draw(st.sampled_from([1, 2])),
    }
    return GeneratorConfig(**chosen | more)


def state_of(text: str, line: re.Pattern[str]) -> dict[str, tuple[str, str | None]]:
    """Tag -> (id, value) of its line with the greatest step."""
    held: dict[str, tuple[int, str, str | None]] = {}
    for uid, step, op, key, value in line.findall(text):
        if key not in held or int(step) >= held[key][0]:
            held[key] = (int(step), uid, value if op == "SET" else None)
    return {key: (uid, value) for key, (_, uid, value) in held.items()}


def derived(op: str | None, value: str | None) -> str | None:
    if value is None or op is None:
        return value
    if op == "parity":
        return ("even", "odd")[int(value) % 2]
    return str(len(value.split(","))) if op == "count" else value.split("-")[0]


def expected(row: Any, text: str, line: re.Pattern[str]) -> tuple[str | None, list[str]]:
    meta, state = row["meta"], state_of(text, line)
    if meta["derived_op"] == "reports":
        holders = sorted(key for key, (_, value) in state.items() if value == meta["derived_manager"])
        return ",".join(holders) or None, [state[key][0] for key in holders]
    uid, value = state[meta["key"]]
    return derived(meta["derived_op"], value), [uid]


@settings(max_examples=120, deadline=None)
@given(config=configs(), seed=st.integers(0, 2**63 - 1))
def test_an_oracle_of_its_own_finds_the_gold_in_log_and_book(config: GeneratorConfig, seed: int) -> None:
    for row in generate(config, seed):
        gold = row["gold"]["value"], row["gold"]["support_ids"]
        assert expected(row, row["document"], IN_LOG) == gold
        ledger = row["book"][row["book"].index("## State Ledger") :]
        assert expected(row, ledger, IN_BOOK) == gold


@settings(max_examples=25, deadline=None)
@given(config=configs(), seed=st.integers(0, 2**40), protocol=st.sampled_from(["closed", "open"]))
def test_the_same_under_the_ids_of_a_sealed_version(
    config: GeneratorConfig, seed: int, protocol: str
) -> None:
    settings = {
        "generator": config.as_json(),
        "protocol": protocol,
        "seeds": [seed],
        "key": keyed_ids.new_key(),
    }
    for item in SUITE.version(settings).generate():
        for row in item.rows:
            shown: Any = SUITE.public_row(row)
            assert "gold" not in shown
            text, line = (shown["book"], IN_BOOK) if protocol == "closed" else (shown["document"], IN_LOG)
            assert expected(row, text, line) == (row["gold"]["value"], row["gold"]["support_ids"])


@settings(max_examples=25, deadline=None)
@given(
    config=configs(revision=2, near_values=0.5, wording="prose", book_ledger=False, aliases=0.3),
    seed=st.integers(0, 2**40),
)
def test_sentences_say_the_same(config: GeneratorConfig, seed: int) -> None:
    chosen = SUITE.settings.checked({"generator": config.as_json(), "protocol": "closed", "seeds": [seed]})
    items, oracle = list(SUITE.version(chosen).generate()), get_system("ledger").build()
    answers: list[Any] = [oracle.predict(SUITE.public_row(row)) for item in items for row in item.rows]
    assert SUITE.version(chosen).grade((item.gold for item in items), answers).metrics["exact_acc"] == 1.0


@settings(max_examples=60, deadline=None)
@given(config=configs(twins=False), seed=st.integers(0, 2**63 - 1))
def test_no_line_without_authority_tells_the_truth_when_it_is_written(
    config: GeneratorConfig, seed: int
) -> None:
    held: dict[str, str | None] = {}
    for line in next(generate(config, seed))["document"].splitlines():
        if update := IN_LOG.fullmatch(line):
            held[update[4]] = update[5] if update[3] == "SET" else None
        elif claim := ANY_CLAIM.search(line):
            assert held.get(claim[1]) != claim[2], line


@settings(max_examples=60, deadline=None)
@given(config=configs(twins=True, revision=2), seed=st.integers(0, 2**63 - 1))
def test_twins_differ_in_the_lines_that_are_flipped_and_in_no_others(
    config: GeneratorConfig, seed: int
) -> None:
    rows = list(generate(config, seed))
    base, twin = (
        next(row for row in rows if row["meta"]["twin_variant"] == variant) for variant in ("base", "twin")
    )
    before, after = base["document"].splitlines()[1:], twin["document"].splitlines()[1:]
    changed = [line for line, other in zip(before, after, strict=True) if line != other]
    assert len(changed) == len(base["meta"]["twin_flip_uids"])
    assert all(IN_LOG.fullmatch(line) for line in changed)


def documents(profile: str, mode: str = "kv", **more: Any) -> list[str]:
    chosen = {"distractor_profile": profile, "state_mode": mode, "episodes": 8, "queries": 1, "twins": False}
    return [row["document"] for row in generate(chosen | more)]


def repeats(text: str) -> float:
    """How often an update writes the same tag as the update before."""
    keys = [key for _, _, _, key, _ in IN_LOG.findall(text)]
    return sum(one == two for one, two in pairwise(keys)) / (len(keys) - 1)


def test_bursts_repeat_a_tag_and_stand_in_the_last_third_most_of_all():
    for text in documents("update_burst"):
        late = "\n".join(text.splitlines()[-len(text.splitlines()) // 4 :])
        assert repeats(late) > 0.4
        assert repeats(text) > 0.2
    assert max(map(repeats, documents("standard"))) < 0.2


def test_a_burst_writes_near_misses():
    near = total = 0
    for text in documents("update_burst"):
        for one, two in pairwise(IN_LOG.findall(text)):
            if one[3] == two[3] and one[4] and two[4]:
                total += 1
                (color, digits), (other, others) = one[4].split("-"), two[4].split("-")
                near += digits == others or (
                    color == other and sum(a != b for a, b in zip(digits, others, strict=True)) == 1
                )
    assert total > 200
    assert near / total > 0.9


def test_camouflaged_notes_look_like_updates_and_half_of_them_follow_their_tag():
    found = beside = 0
    for text in documents("note_camouflage"):
        key = ""
        for line in text.splitlines():
            if update := IN_LOG.fullmatch(line):
                key = update[4]
            elif note := CAMOUFLAGE.match(line):
                found, beside = found + 1, beside + (note[1] == key)
    assert 0.25 < found / (8 * 220) < 0.35
    assert 0.45 < beside / found < 0.65


def test_a_stale_view_shows_tags_as_they_were_at_one_moment():
    views = 0
    for text in documents("stale_tab_state"):
        lines = text.splitlines()
        for step, view in groupby(TAB.findall(text), lambda match: match[0]):
            shown = [(key, value) for _, key, value in view]
            until = next(
                n for n, line in enumerate(lines) if line.startswith(f"- DISTRACTOR step={step} STALE TAB")
            )
            assert 1 <= len(shown) <= 3
            assert any(shown_at(lines[:place], shown) for place in range(until))
            views += 1
    assert views > 100


def shown_at(lines: list[str], shown: list[tuple[str, str]]) -> bool:
    state = state_of("\n".join(lines), IN_LOG)
    return all(state.get(key, ("", None))[1] == value for key, value in shown)


def test_the_focus_drifts_so_that_most_tags_were_written_last_far_back():
    def since(text: str) -> list[float]:
        updates = IN_LOG.findall(text)
        last = {key: place for place, (_, _, _, key, _) in enumerate(updates)}
        return [1 - place / len(updates) for place in last.values()]

    drifting = [share for text in documents("focus_drift") for share in since(text)]
    standard = [share for text in documents("standard") for share in since(text)]
    assert sum(drifting) / len(drifting) > 3 * sum(standard) / len(standard)
    assert all(FOCUS.search(text) for text in documents("focus_drift"))


@pytest.mark.parametrize("profile", ["note_camouflage", "stale_tab_state", "focus_drift"])
def test_notes_of_the_ledger_are_of_the_profiles_kind(profile):
    said: Counter[bool] = Counter()
    for text in documents(profile, "kv_commentary", note_rate=0.3):
        past: dict[str, list[str]] = {}
        for line in text.splitlines():
            if update := IN_LOG.fullmatch(line):
                past.setdefault(update[4], []).append(update[5])
            elif note := NOTES.fullmatch(line):
                before = past.get(note[2], [])
                everywhere = [value for values in past.values() for value in values]
                match profile:
                    case "note_camouflage":
                        held = before[-1] if before else None
                        kind = (
                            held is None
                            or held.split("-")[0] == note[3].split("-")[0]
                            or held[-4:] == note[3][-4:]
                        )
                    case "stale_tab_state":
                        kind = note[3] in before[:-1] or (
                            bool(before) and not before[-1] and note[3] in before
                        )
                    case _:
                        kind = note[3] in everywhere
                said[kind] += 1
    assert said.total() > 300
    assert said[True] / said.total() > 0.8


@pytest.mark.parametrize("profile", ["update_burst", "focus_drift"])
def test_a_ladder_refuses_profiles_that_say_when_tags_are_written(profile):
    ladder = {
        "generator": {"revision": 2, "queries": 3, "keys": 5, "twins": False, "derived_query_rate": 0.0},
        "protocol": "open",
        "ladder": {"lengths": [4000]},
        "distractor_profiles": [profile],
    }
    with pytest.raises(SettingsError, match="which itself decides when each tag is written"):
        Settings.from_json(ladder)


@pytest.mark.parametrize("profile", LATER)
def test_following_the_lines_that_a_profile_adds_is_right_only_by_luck(profile: str) -> None:
    """They may be true by chance, and reveal nothing of the present value."""
    forms = {"note_camouflage": CAMOUFLAGE, "stale_tab_state": TAB, "focus_drift": FOCUS}
    hits = asked = 0
    for text in documents(profile) + documents(profile, "set") + documents(profile, "counter"):
        state = state_of(text, IN_LOG)
        claims = (
            forms[profile].findall(text)
            if profile in forms
            else re.findall(r" STALE (tag\.\d+) = (\S+)", text)
        )
        for *_, key, _ in claims:
            state.setdefault(key, ("", None))
        last = {claim[-2]: claim[-1] for claim in claims}
        asked += len(last)
        hits += sum(state[key][1] == value for key, value in last.items())
    assert asked > 200
    assert hits / asked < 0.1


@pytest.mark.parametrize("profile", LATER)
def test_commands_and_presets_take_the_profiles(profile: str, tmp_path: Path) -> None:
    rows, swept = tmp_path / "rows.jsonl", tmp_path / "sweep"
    size = ["--episodes", "1", "--queries", "2", "--steps", "30"]
    assert main(["generate", *size, "--distractor-profile", profile, "--out", str(rows)]) == 0
    assert {row["meta"]["distractor_profile"] for row in jsonl.read(rows)} == {profile}
    chosen = ["--distractor-profiles", f"standard,{profile}", "--systems", "ledger", "--out", str(swept)]
    assert main(["sweep", "run", *size, "--seeds", "1", *chosen]) == 0
    runs = json.loads((swept / "combined.json").read_text())
    assert {run["distractor_profile"] for run in runs} == {"standard", profile}
    settings = Settings.from_json({"generator": {"episodes": 1}, "distractor_profiles": [profile]})
    assert ("Distractor profiles", profile) in settings.describe()
    assert profile in json.dumps(SUITE.settings.model_json_schema())


#: Every mode, both revisions, and other wordings, of profiles that frozen versions have. A new digest means that such a
#: version would come out differently.
FROZEN = {
    "easy": "31d75b82f9367bfeb2c97141b786a7633a51c9bf21776809ad63e0deade3ba1b",
    "standard": "4fc10028c8bf53d5e3b2a5526d3f67e4834c70e0775f38241af2b20257a7d049",
    "adversarial": "5c34f9ba2b412944611fdd195a80480e9e545647742e473f2aae72f0f0ec8183",
    "instruction": "2e92eafff62e95add66acc3662f8a4fe87eb5d83a619bf5aed32b6b79d07a31f",
    "instruction_suite": "3ae5443559c343eaec24a4714fae02f7a25b5f7491ff8cdb6a374eb3b0a2e978",
    "update_burst": "4837dfcc5af14c3b331fe25202e8c2d473b6c89bc89f6156ba85fdf198d4b991",
    "note_camouflage": "cf6a0638a41cc7cac281c06384ff78dbe79438d617a07784755ae4e23beda5a9",
    "stale_tab_state": "46832f8993679937293b4f5142301d51a5f7c9318e569de795335d7660c04b89",
    "focus_drift": "f02c7e05cddc9591d6cf6a2269d92ac2e6444de10ad45e6a109b320782bdd62e",
}
OTHERWISE: tuple[dict[str, Any], ...] = (
    {},
    {"revision": 2},
    {
        "revision": 2,
        "wording": "prose",
        "book_ledger": False,
        "aliases": 0.5,
        "near_values": 0.5,
        "indirect_rate": 0.3,
    },
    {"revision": 2, "book_ledger": False, "aliases": 0.5},
)


@pytest.mark.parametrize("profile", FROZEN)
def test_profiles_write_the_same_bytes_as_when_versions_of_them_were_frozen(profile):
    digest = hashlib.sha256()
    size = {
        "episodes": 2,
        "keys": 10,
        "steps": 80,
        "tail_distractor_steps": 10,
        "distractor_profile": profile,
    }
    for mode in MODES:
        for otherwise in OTHERWISE:
            for row in generate(size | {"state_mode": mode} | otherwise, 7):
                digest.update(jsonl.dumps(row))
    assert digest.hexdigest() == FROZEN[profile]


def test_the_bytes_of_every_profile_are_held():
    assert set(PROFILES) == set(FROZEN)
