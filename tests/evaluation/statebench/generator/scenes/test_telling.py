"""Scenes as timelines: well formed, short, disguised between lengths, and right by an independent state machine."""

from __future__ import annotations

import re
from hashlib import blake2b

import pytest

from evaluation.core.jsonl import canonical
from evaluation.core.rng import Stream
from evaluation.core.sealing.keyed_ids import OPEN_KEY
from evaluation.statebench.context.replay import replay
from evaluation.statebench.data.timeline import check_timeline
from evaluation.statebench.generator.scenes.acts import Form, Kind, Role
from evaluation.statebench.generator.scenes.cast import Cast, Objects
from evaluation.statebench.generator.scenes.noise import Noise
from evaluation.statebench.generator.scenes.oracle import Machine, evaluate
from evaluation.statebench.generator.scenes.plots import templates
from evaluation.statebench.generator.scenes.telling import length_label, tell
from evaluation.statebench.generator.scenes.tracks import TRACKS
from evaluation.statebench.generator.scenes.vocabulary import CODE_NAMES, DOMAINS
from evaluation.statebench.presets import PRESETS
from evaluation.statebench.suite import SUITE

PLOTS = [plot for track in TRACKS for plot in templates(track, 15, 2)]
POOLS = {track: [plot for plot in PLOTS if plot.track == track] for track in TRACKS}


def timeline_of(plot, length=0, copy=0, key=OPEN_KEY):
    """A timeline of a template."""
    return tell(plot, POOLS[plot.track], length, copy, 2, key)


TOLD = [(plot, timeline_of(plot)) for plot in PLOTS]


def texts(row):
    for fact in row["initial_state"]["persistent_facts"]:
        yield f"{fact['key']} {fact['value']}"
    for event in row["events"]:
        yield event.get("text", "")
        yield from (f"{write['key']} {write['value']}" for write in event.get("writes", ()))


def words(row):
    return sum(len(text.split()) for text in texts(row))


def test_every_scene_is_well_formed_and_says_no_more_than_it_may():
    for _, row in TOLD:
        check_timeline(row)
        times = [event["ts"] for event in row["events"]]
        assert times == sorted(times)
        assert not any(re.search(r"[{}]", text) for text in [*texts(row), row["events"][-1]["prompt"]])
        assert list(SUITE.overtold(SUITE.public_row(row))) == []


def test_scenes_are_told_as_they_were():
    assert (
        blake2b(b"".join(canonical(row) for _, row in TOLD), digest_size=8).hexdigest() == "207865671f958427"
    )


def test_a_bare_scene_needs_at_most_two_hundred_tokens_of_context():
    assert max(words(row) for _, row in TOLD) <= 200


def test_a_scene_is_the_same_for_the_same_key_and_shares_no_names_between_lengths():
    plot = PLOTS[0]
    bare, longer = timeline_of(plot), timeline_of(plot, 1000)
    assert timeline_of(plot) == bare
    assert timeline_of(plot, key="1" * 64) != bare
    assert longer["id"] != bare["id"]
    asked = bare["events"][-1]["prompt"], longer["events"][-1]["prompt"]
    names = [set(text.split()) & set(CODE_NAMES) for text in asked]
    assert not names[0] & names[1]


@pytest.mark.parametrize("length", [1_000, 8_000])
def test_other_peoples_business_fills_a_length_and_leaves_the_gold_where_it_was(length):
    for plot in PLOTS[::20]:
        row = timeline_of(plot, length)
        assert length <= words(row) <= length * 1.1 + 300
        before = [event.get("text") for event in row["events"]]
        answer = row["events"][-1]["ground_truth"]["answer"]
        assert answer["decision"] == plot.gold.decision
        assert all(before[int(name[1:])] for name in answer["because"] if name.startswith("E"))


def test_asides_are_acts_that_change_nothing():
    draw, domain = Stream("asides"), DOMAINS["clinic"]
    for plot in PLOTS[::7]:
        noise = Noise(
            "quantity", domain.quantities[0], domain, Objects(domain, draw), Cast(domain, draw), draw
        )
        asides = [aside.act for aside in noise.asides(300)]
        assert evaluate([*plot.acts, *asides], plot.question, plot.standing) == plot.gold


def test_a_state_machine_that_reads_what_is_written_comes_to_the_same_value():
    compared = 0
    for track in ("supersession", "scope_leak", "authority_hierarchy", "task_scopes"):
        for plot in templates(track, 15, 2):
            if plot.question.form is Form.MAY or any(act.who is Role.GUEST for act in plot.acts):
                continue  # that guests decide nothing is only said
            for copy in range(20):
                row = timeline_of(plot, copy=copy)
                [asked] = set(CODE_NAMES) & set(re.findall(r"\w+", row["events"][-1]["prompt"]))
                if any(asked in event.get("text", "") and not is_of_place(event) for event in row["events"]):
                    continue
                key = row["initial_state"]["persistent_facts"][0]["key"].removeprefix("rule_")
                state = replay(row, detector=None)
                assert state.store.get_current_value(key, *state.active) == value_of(plot, row)
                compared += 1
    assert compared >= 8


def is_of_place(event):
    """Whether a turn opens or closes a drill."""
    return "drill" in event["text"].lower() and not re.search(r" is (?!over)", event["text"])


def value_of(plot, row):
    """The value that the oracle ends with, as it is written."""
    machine = Machine(plot.standing)
    for number, act in enumerate(plot.acts):
        machine.apply(number, act)
    held = machine.effective(0)
    if held is None or held.value is None:
        return None
    written = {fact["id"]: fact["value"] for fact in row["initial_state"]["persistent_facts"]}
    for event in row["events"]:
        written |= {write["id"]: write["value"] for write in event.get("writes", ())}
    shown = row["events"][-1]["ground_truth"]["answer"]["because"]
    return next(written[name] for name in shown if name in written)


def test_terms_end_when_the_plot_says_so():
    for plot, row in TOLD:
        if any(act.kind is Kind.LAPSE for act in plot.acts):
            now = row["events"][-1]["prompt"].split(". ")[0].removeprefix("It is ")
            said = " ".join(event.get("text", "") for event in row["events"])
            assert now not in said


@pytest.mark.parametrize(
    ("tokens", "label"), [(0, "0"), (1_000, "1k"), (128_000, "128k"), (1_000_000, "1M"), (1_500, "1500")]
)
def test_lengths_have_short_names(tokens, label):
    assert length_label(tokens) == label


def test_a_version_holds_what_its_settings_count():
    version = SUITE.version(PRESETS["decisions_short"].as_json())
    items = list(version.generate())
    assert len(items) == version.count() == 90
    assert version.drawn(90, {}).unit == "template"
    assert {item.gold["length"] for item in items} == {"0", "1k"}
    perfect = [
        {
            "timeline_id": item.key,
            "query_idx": 0,
            "answer": {
                "decision": item.gold["queries"][0]["answer"]["decision"],
                "value": item.gold["queries"][0]["answer"]["value"],
                "because": [each["id"] for each in item.gold["queries"][0]["answer"]["live"]],
            },
        }
        for item in items
    ]
    report = version.grade([item.gold for item in items], perfect)
    assert report.metrics["decision_accuracy"] == 1.0
    assert set(report.groups) == {"track", "difficulty", "domain", "length", "span"}
    assert len(report.unit_names) == 45
