"""Settings of versions: which go together, and that earlier ones still read the same."""

from __future__ import annotations

import pytest

from evaluation.core.errors import SettingsError
from evaluation.statebench.generator.scenes.tracks import TRACKS as SCENE_TRACKS
from evaluation.statebench.presets import ABOUT, PRESETS, SCENES, Settings
from evaluation.statebench.suite import SUITE

SMALL = {"source": SCENES, "tracks": ["expiry"], "templates": 3, "lengths": [0, 1000], "rubric": "typed@1"}


@pytest.mark.parametrize(
    ("changed", "field", "words"),
    [
        ({"templates": 0}, "templates", "must be given for scenes"),
        ({"lengths": []}, "lengths", "must be given for scenes"),
        ({"lengths": [0, 0]}, "lengths", "must not repeat a length"),
        ({"lengths": [-1]}, "lengths", ""),
        ({"templates": 41}, "templates", ""),
        ({"tracks": ["enterprise_privacy"]}, "tracks", "is not a track of the source 'scenes'"),
        ({"tracks": ["expirry"]}, "tracks", "expiry"),
        ({"source": "generated"}, "tracks", "is not a track of the source 'generated'"),
        ({"source": "generated", "tracks": ["supersession"]}, "templates", "is for scenes only"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(changed, field, words):
    with pytest.raises(SettingsError) as refused:
        Settings.from_json(SMALL | changed)
    assert words in " ".join(refused.value.fields[field])


def test_settings_of_scenes_are_read_back_and_counted():
    settings = Settings.from_json(SMALL | {"count": 2})
    assert Settings.from_json(settings.as_json()) == settings
    assert SUITE.version(settings.as_json()).count() == 12
    assert ("Lengths", "0, 1k") in settings.facts()


def test_settings_of_before_have_no_new_fields():
    for name in ("smoke", "quick", "standard", "release_dev"):
        assert not {"templates", "lengths"} & PRESETS[name].as_json().keys()


def test_every_preset_says_what_it_measures():
    assert ABOUT.keys() == PRESETS.keys()
    for name in ("decisions", "decisions_long", "decisions_short", "decisions_1m"):
        assert PRESETS[name].tracks == tuple(SCENE_TRACKS)
        assert PRESETS[name].rubric == "typed@1"


def test_boards_of_scenes_are_cut_four_ways():
    facets = SUITE.version(SMALL).facets(["expiry"])
    assert [facet.name for facet in facets] == ["track", "length", "domain", "span"]
    assert dict(facets[1].choices) == {"0": "Bare", "1k": "1k tokens"}
    assert [facet.name for facet in SUITE.version({}).facets(["causality"])] == ["track"]
