"""Order bias, learnt and unlearnt: sentences follow the figures, and the page shows three charts per training."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from leaderboard.runs.gym import story
from leaderboard.runs.gym.story import Rate, Story, findings


def rate(value: float, half: float = 0.03) -> Rate:
    return {"rate": value, "low": max(0.0, value - half), "high": min(1.0, value + half)}


def told(unmade: list[Rate]) -> Story:
    return {
        "title": "A selector",
        "biased": [rate(0), rate(0.1), rate(0.2), rate(1)],
        "path": [(0, rate(0)), (1, rate(0.9))],
        "path_unit": "rounds",
        "unmade": unmade,
        "worst": (0.0, 0.9),
        "by": "training on 9 mistakes of its own",
        "below": ("a", "b", "c"),
        "command": "made",
        "rows": 10,
    }


def test_the_sentences_say_the_figures_and_no_more_than_their_intervals() -> None:
    made, goes, left = findings(told([rate(0.9), rate(0.92), rate(0.89), rate(0.91)]))
    assert (
        made == "Order bias taught: 100.0% right if the right line is last, at most 20.0% at other positions."
    )
    assert goes == (
        "Order bias reduced: training on 9 mistakes of its own raises the accuracy in the worst order from 0.0% "
        "to 90.0%."
    )
    assert left.startswith("No order bias is shown any more: 89.0% to 92.0% right")
    left = findings(told([rate(0.6), rate(0.92), rate(0.89), rate(0.91)]))[2]
    assert left == (
        "A smaller order bias remains: 60.0% to 92.0% right, depending on the position of the right line."
    )
    assert findings(told([{"rate": 0.6}, {"rate": 0.9}]))[2].startswith("Afterwards: 60.0% to 90.0%")


def test_the_figures_that_ship_tell_the_story() -> None:
    for each in story.stories():
        assert each["biased"][-1]["rate"] > 0.9
        assert max(place["rate"] for place in each["biased"][:-1]) < 1 / len(each["biased"])
        assert each["worst"][1] > 0.8
        assert not findings(each)[2].startswith("A smaller")


def test_without_the_models_of_make_gym_the_selector_tells_it_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    story.models_story.cache_clear()
    monkeypatch.setattr(story, "MODELS", tmp_path)
    assert [each["title"] for each in story.stories()] == ["A selector of the gym, 241 weights"]
    story.models_story.cache_clear()


def test_it_is_public_and_the_front_page_links_it(client: Client, db: None) -> None:
    text = client.get("/gym/order-bias/").content.decode()
    assert text.count('<svg class="gym-curve"') == 3 * len(story.stories())
    assert "Right answers by the position of the right line: at position 1" in text
    assert all(findings(each)[1] in text for each in story.stories())
    assert "Train such a learner" not in text
    assert 'href="/gym/order-bias/"' in client.get("/").content.decode()
