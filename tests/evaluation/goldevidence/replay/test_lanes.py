"""Episodes as timelines, compared with the generator's own record of the state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.plugin.replay import Replay
from evaluation.core.suite import get_suite
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.episodes import generate_unit, write_log
from evaluation.goldevidence.generator.modes import MODES
from evaluation.goldevidence.generator.queries import Query, answer
from evaluation.goldevidence.public import public_row
from evaluation.goldevidence.replay import answers, replay, row_labels, with_answer
from tests.evaluation.goldevidence.cast import GOLD, NOTE, OLD, row, shows
from tests.proportion import soon

SUITE = get_suite("goldevidence")


def shown(question: dict[str, Any]) -> Replay:
    result = replay(question)  # type: ignore[arg-type]
    assert result is not None
    return result


def values_after(entries: list[Entry], step: int) -> dict[str, str]:
    """The value of each key after a step, by plain replay of the generator's entries."""
    state: dict[str, str] = {}
    for entry in entries:
        if entry.step <= step and entry.authoritative:
            state.pop(entry.key, None)
            if entry.value is not None:
                state[entry.key] = entry.value
    return state


@settings(max_examples=30, deadline=None)
@given(
    mode=st.sampled_from(sorted(MODES)),
    profile=st.sampled_from(sorted(PROFILES)),
    seed=st.integers(0, 2**31),
    keys=st.integers(2, 9),
    steps=st.integers(4, 60),
    text=st.sampled_from(["document", "book"]),
)
def test_every_step_of_log_and_book_holds_what_the_generator_wrote(
    mode: str, profile: str, seed: int, keys: int, steps: int, text: str
) -> None:
    config = GeneratorConfig(
        state_mode=mode, distractor_profile=profile, keys=keys, steps=steps, queries=1, chapters=2, twins=False,
        clear_rate=0.1, tail_distractor_steps=min(2, steps - 2),
    )  # fmt: skip
    log = write_log(config, "goldevidence", mode, profile, seed, 0)
    made = generate_unit(config, seed, 0).rows[0]
    seen = shown(
        {name: value for name, value in made.items() if name == text or name not in ("document", "book")}
    )
    assert {
        lane.name: lane.value_at(seen.last) for lane in seen.lanes if lane.value_at(seen.last)
    } == log.values
    for step in range(seen.first, seen.last + 1):
        assert {lane.name: value for lane in seen.lanes if (value := lane.value_at(step))} == values_after(
            log.ledger, step
        )


@settings(max_examples=20, deadline=None)
@given(
    preset=st.sampled_from(
        ["quick", "open_log", "prose_short", "ladder_short", "order_bias_short", "authority_short"]
    ),
    seed=st.integers(0, 2**31),
)
def test_what_the_asked_key_holds_at_the_end_is_the_gold_and_its_line_is_marked(
    preset: str, seed: int
) -> None:
    chosen = SUITE.settings.checked({**SUITE.presets()[preset].settings, "seeds": [seed]})
    item = next(iter(SUITE.version(chosen).generate()))
    for made in item.rows:
        seen, gold, meta = shown(made), made["gold"], made["meta"]  # type: ignore[typeddict-item]
        if meta["derived_op"] == "reports":
            continue
        lane = next((lane for lane in seen.lanes if lane.name == meta["key"]), None)
        if lane is None or not gold.get("present", True) or gold.get("spoofed"):
            continue  # a row without its gold line, or with authority in disguise, shows another state
        value = lane.value_at(seen.last)
        assert answer(Query(meta["key"], meta["derived_op"]), value) == gold["value"], made["id"]
        assert seen.gold == {seen.by_uid[uid][1].line for uid in gold["support_ids"]}
        assert not seen.gold & seen.stale


@pytest.mark.parametrize("preset", ["quick", "open_log", "prose_short", "ladder_short", "order_bias_short"])
def test_a_mark_stands_at_the_line_that_says_it(preset: str) -> None:
    item = next(iter(SUITE.version(SUITE.presets()[preset].settings).generate()))
    for made in item.rows[:6]:
        seen = shown(made)  # type: ignore[arg-type]
        for lane in seen.lanes:
            for mark in lane.marks:
                line = seen.lines[mark.line - 1]
                assert mark.uid in line
                if mark.value is not None and mark.kind != "note":
                    assert mark.value in line


def fields(seen: Replay) -> Iterator[object]:
    for lane in seen.lanes:
        yield lane.name, lane.role, tuple(lane.marks), tuple(lane.spans)
    yield seen.gold, seen.stale, seen.arrows, seen.note


@pytest.mark.parametrize("preset", ["quick", "open_log", "prose_short", "ladder_short", "order_bias_short"])
def test_a_public_row_and_its_grading_record_make_the_row_with_gold_again(preset: str) -> None:
    item = next(iter(SUITE.version(SUITE.presets()[preset].settings).generate()))
    said = dict(answers(item.gold))  # type: ignore[arg-type]
    for made in item.rows:
        again = with_answer(public_row(made, labels=False), said[made["id"]])  # type: ignore[arg-type]
        assert list(fields(shown(again))) == list(fields(shown(made)))  # type: ignore[arg-type]
        assert row_labels(again) == row_labels(made)  # type: ignore[arg-type]


def test_what_is_asked_comes_first_then_its_rivals_then_the_others() -> None:
    item = next(iter(SUITE.version(SUITE.presets()["quick"].settings).generate()))
    made = item.rows[0]
    roles = [lane.role for lane in shown(made).lanes]  # type: ignore[arg-type]
    assert roles == ["asked"] + ["rival"] * 3 + ["other"] * (len(roles) - 4)
    assert shown(made).lanes[0].name == made["meta"]["key"]  # type: ignore[typeddict-item, arg-type]


def test_candidates_are_the_text_in_the_order_shown() -> None:
    seen = shown(
        shows((GOLD, 3, "SET", "amber-0003"), (NOTE, 4, "NOTE", "teal-0004"), (OLD, 1, "SET", "cobalt-0001"))
    )
    assert [line.split("]")[0] for line in seen.lines] == [f"- [{GOLD}", f"- [{NOTE}", f"- [{OLD}"]
    assert seen.ordered
    lane = seen.lanes[0]
    assert [(span.start, span.end, span.value) for span in lane.spans] == [
        (1, 3, "cobalt-0001"),
        (3, None, "amber-0003"),
    ]
    assert (seen.gold, seen.stale) == ({1}, {3})


def test_without_state_nothing_says_what_held_and_nothing_is_marked() -> None:
    bare = shown(row()).without_state()
    assert not any(lane.spans for lane in bare.lanes)
    assert not bare.gold
    assert not bare.stale
    assert not bare.has_state
    assert bare.by_uid[GOLD][0].spans == ()


def test_text_in_other_words_says_which_sentences_name_a_key() -> None:
    item = next(iter(SUITE.version(SUITE.presets()["prose_short"].settings).generate()))
    seen = shown(public_row(item.rows[0], labels=False))  # type: ignore[arg-type]
    assert {mark.kind for lane in seen.lanes for mark in lane.marks} == {"sentence"}
    assert not seen.has_state
    assert "not in the published grammar" in seen.note


def test_a_row_that_shows_nothing_has_no_timeline() -> None:
    question = row()
    del question["document"], question["book"]
    assert replay(question) is None  # type: ignore[arg-type]


@given(text=st.text(alphabet='-[]U0A UPDATEstep=12SETag.\n{}"', max_size=300))
def test_any_text_is_read_or_has_no_lanes(text: str) -> None:
    replay(row() | {"document": f"## Episode Log\n{text}", "book": ""})  # type: ignore[arg-type]


def test_a_text_of_a_million_tokens_is_read_to_its_end() -> None:
    chosen = SUITE.settings.checked(SUITE.presets()["ladder_long"].settings)
    item = next(iter(SUITE.version(chosen).generate()))
    longest = max(item.rows, key=lambda made: len(made["document"]))  # type: ignore[typeddict-item]
    with soon(10):
        seen = shown(longest)  # type: ignore[arg-type]
    assert len(seen.lines) > 40_000
