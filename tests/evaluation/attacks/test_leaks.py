"""A public file reveals nothing apart from its text, or the freeze refuses it."""

from __future__ import annotations

import collections
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from evaluation.attacks.leaks import LeakCheck, LeakError, form, padded
from evaluation.core import jsonl
from evaluation.core.suite import get_suite

Row = dict[str, Any]
GENERATOR = {"episodes": 2, "steps": 60, "keys": 8, "queries": 6, "chapters": 2}
ORDERS = ("gold_first", "gold_middle", "gold_last", "shuffle")
SETTINGS: dict[str, Row] = {
    "goldevidence": {
        "generator": GENERATOR,
        "state_modes": ["kv_commentary", "relational"],
        "conditions": [{"k": 4, "order": order} for order in ORDERS],
    },
    "statebench": {"count": 2},
}
EXTRA = {"canary": "GEB-CANARY-0123456789abcdef"}


class File:
    """A sealed version: its settings, its public rows in the order of their ids, its lines."""

    def __init__(self, suite: str, settings: Row) -> None:
        self.suite = get_suite(suite)
        self.settings = self.suite.version(settings).settings.with_secret_seeds()
        self.bound = self.suite.version(self.settings)
        items = list(self.bound.generate())
        self.rows = sorted(
            (self.suite.public_row(row) | EXTRA for item in items for row in item.rows),
            key=lambda row: row["id"],
        )
        self.splits = self.suite.expected([item.gold for item in items]).splits

    def lines(self, rows: list[Row]) -> Iterator[bytes]:
        longest: dict[Any, int] = {}
        for row in rows:
            longest[form(row)] = max(longest.get(form(row), 0), len(jsonl.dumps(row)))
        return (padded(jsonl.dumps(row), longest[form(row)]) for row in rows)

    def check(self, rows: list[Row]) -> None:
        check = LeakCheck(self.bound, EXTRA)
        for line in self.lines(rows):
            check.line(line)


@pytest.fixture(scope="module", params=list(SETTINGS))
def file(request: pytest.FixtureRequest) -> File:
    return File(request.param, SETTINGS[request.param])


@pytest.fixture(scope="module")
def episodes() -> File:
    return File("goldevidence", SETTINGS["goldevidence"])


@pytest.mark.parametrize(
    ("suite", "preset"),
    [
        (suite, name)
        for suite in SETTINGS
        for name in get_suite(suite).presets()
        # long; a file; public gold
        if name not in ("real", "ladder", "ladder_long", "deep", "deep_long", "release_dev", "reference_v1")
    ],
)
def test_the_rows_of_every_named_preset_pass(suite: str, preset: str) -> None:
    dataset = File(suite, dict(get_suite(suite).presets()[preset].settings))
    dataset.check(dataset.rows)


def test_settings_of_every_kind_pass() -> None:
    varied = {
        "generator": GENERATOR | {"require_citations": False, "max_support_k": 5, "derived_query_rate": 1.0},
        "state_modes": ["kv", "counter", "set", "relational"],
        "conditions": [
            {"k": 3, "query_sandwich": True, "spoof_rate": 0.5},
            {"k": 3, "drop_prob": 0.5, "name": "A"},
        ],
    }
    dataset = File("goldevidence", varied)
    dataset.check(dataset.rows)
    dataset = File("goldevidence", varied | {"generator": GENERATOR | {"max_support_k": 5, "twins": False}})
    dataset.check(dataset.rows)


def changed(file: File, change: Callable[[Row], Row], at: int = 0) -> list[Row]:
    return [change(row) if number == at else row for number, row in enumerate(file.rows)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda row: row | {"id": "E0001-Q001"}, "its id 'E0001-Q001' is not a keyed hash"),
        (lambda row: row | {"id": f"{row['id']}@k4-gold_first"}, "is not a keyed hash"),
        (lambda row: row | {"seed": 3}, "the field 'seed'"),
        (lambda row: row | {"canary": "GEB-CANARY-0000000000000000"}, "canary differs from the version's"),
    ],
)
def test_a_row_that_tells_too_much_is_refused(file: File, change: Callable[[Row], Row], words: str) -> None:
    with pytest.raises(LeakError, match=re.escape(words)):
        file.check(changed(file, change))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda row: row | {"meta": row["meta"] | {"condition": "k4-gold_last"}}, "meta.condition"),
        (lambda row: row | {"meta": row["meta"] | {"q_index": 3}}, "meta.q_index"),
        (
            lambda row: row | {"meta": row["meta"] | {"key": "tag.77"}},
            "a meta that differs from the question",
        ),
        (lambda row: row | {"question": "What is it?"}, "a question in an unknown form"),
        (lambda row: row | {"episode_id": "E0001T"}, "an episode_id in an unknown form"),
        (
            lambda row: row | {"book": row["book"].replace("Episode u", "Episode E0001 u", 1)},
            "the title of a text",
        ),
    ],
)
def test_a_row_about_an_episode_that_tells_too_much_is_refused(
    episodes: File, change: Callable[[Row], Row], words: str
) -> None:
    at = next(number for number, row in enumerate(episodes.rows) if "book" in row)
    with pytest.raises(LeakError, match=re.escape(words)):
        episodes.check(changed(episodes, change, at))


def test_a_candidate_row_that_names_its_episode_or_marks_a_line_is_refused(episodes: File) -> None:
    at = next(number for number, row in enumerate(episodes.rows) if "candidates" in row)
    with pytest.raises(LeakError, match="an episode without its text"):
        episodes.check(changed(episodes, lambda row: row | {"episode_id": "u0123456789ab"}, at))
    marked = changed(
        episodes, lambda row: row | {"candidates": [line | {"gold": True} for line in row["candidates"]]}, at
    )
    with pytest.raises(LeakError, match="'gold' of a candidate"):
        episodes.check(marked)


def test_a_timeline_that_tells_its_track_or_its_truth_is_refused() -> None:
    dataset = File("statebench", SETTINGS["statebench"])
    with pytest.raises(LeakError, match="the field 'track'"):
        dataset.check(changed(dataset, lambda row: row | {"track": "causality"}))

    def telling(row: Row) -> Row:
        return row | {"events": [event | {"ground_truth": {}} for event in row["events"]]}

    with pytest.raises(LeakError, match="'ground_truth' of an event"):
        dataset.check(changed(dataset, telling))
    with pytest.raises(LeakError, match="metadata contains 'causality', the name of a split"):
        dataset.check(
            changed(dataset, lambda row: row | {"actors": row["actors"] | {"assistant_role": "causality"}})
        )


def test_a_drawn_seed_or_the_key_is_found_wherever_it_stands(file: File) -> None:
    seeds = [text for text in file.bound.settings.withheld() if text.isdecimal() or len(text) == 64]
    assert len(seeds) >= 2
    name = "question" if "question" in file.rows[0] else "initial_state"
    for secret in seeds:
        message = {"question": f"{file.rows[0].get('question')} {secret}"} if name == "question" else None
        state = file.rows[0].get("initial_state", {})
        hidden = message or {"initial_state": state | {"environment": {"now": secret}}}
        with pytest.raises(LeakError, match="contains a seed or the key"):
            file.check(changed(file, lambda row, hidden=hidden: row | hidden))


def test_lines_in_another_order_are_refused(file: File) -> None:
    with pytest.raises(LeakError, match=r"line 2 of the public rows .* not sorted by id"):
        file.check([file.rows[1], file.rows[0], *file.rows[2:]])
    with pytest.raises(LeakError, match="its id equals that of an earlier line"):
        file.check([file.rows[0], *file.rows])


def test_lines_of_another_length_are_refused(file: File) -> None:
    check = LeakCheck(file.bound, EXTRA)
    with pytest.raises(LeakError, match="its length differs from that of other lines"):
        collections.deque(map(check.line, map(jsonl.dumps, file.rows)), maxlen=0)


def readers(file: File) -> dict[str, list[Any]]:
    """The clues of each line without its text: by attacker, one clue a line."""
    lines = list(file.lines(file.rows))
    metas = [{**row, **row.get("meta", {})} for row in file.rows]
    hidden = {*file.suite.fields.texts, "meta", "key", "id", "episode_id"}
    return {
        "length": [len(line) for line in lines],
        "place": [number * 8 // len(lines) for number in range(len(lines))],
        "neighbour": [number % 4 for number in range(len(lines))],
        "first digit": [row["id"][:2] for row in file.rows],
        "last digit": [row["id"][-1] for row in file.rows],
        "meta": [str({name: value for name, value in meta.items() if name not in hidden}) for meta in metas],
    }


@pytest.mark.parametrize("name", ["length", "place", "neighbour", "first digit", "last digit", "meta"])
def test_without_texts_the_order_of_candidates_cannot_be_learned(name: str) -> None:
    """Each attacker knows the splits of half of the lines, and guesses those of the other half."""
    dataset = File("goldevidence", SETTINGS["goldevidence"] | {"seeds": list(range(12))})
    shown = [number for number, row in enumerate(dataset.rows) if "candidates" in row]
    clues, truth = readers(dataset)[name], [dataset.splits[row["id"]] for row in dataset.rows]
    learnt: dict[Any, Counter[str]] = {}
    for number in shown[::2]:
        learnt.setdefault(clues[number], Counter())[truth[number]] += 1
    guesses = [
        (learnt.get(clues[n], Counter({ORDERS[0]: 1})).most_common(1)[0][0], truth[n]) for n in shown[1::2]
    ]
    right = sum(guess == order for guess, order in guesses) / len(guesses)
    assert len(guesses) > 400
    assert abs(right - 1 / len(ORDERS)) < 0.1  # four standard deviations at 400
