"""Templates: drawn from the grammar, reduced, distinct, balanced."""

from __future__ import annotations

from collections import Counter

import pytest

from evaluation.core.errors import SettingsError
from evaluation.statebench.generator.scenes import plots
from evaluation.statebench.generator.scenes.acts import Decision, Form
from evaluation.statebench.generator.scenes.noise import FIRST_SLOT
from evaluation.statebench.generator.scenes.oracle import evaluate
from evaluation.statebench.generator.scenes.plots import MOST, templates, version_templates
from evaluation.statebench.generator.scenes.skeletons import skeleton
from evaluation.statebench.generator.scenes.tracks import TRACKS
from evaluation.statebench.presets import PRESETS
from tests.benchmarks.templates import problems

DECISIONS = PRESETS["decisions"]


@pytest.fixture(scope="module")
def known():
    """The templates of the preset."""
    return list(version_templates(DECISIONS.tracks, DECISIONS.templates, DECISIONS.seed))


def test_every_act_of_every_template_matters_and_there_are_enough_skeletons(known):
    assert len(known) == 450
    assert list(problems(known)) == []


def test_problems_are_found_where_there_are_some(known):
    plot = max(known, key=lambda plot: len(plot.acts))
    assert list(problems([plot])) == [f"{plot.track}: 1 skeletons", "1 skeletons in all"]
    first = known[0]
    doubled = [*first.acts, first.acts[0]]
    padded = type(first)(
        first.track,
        first.matter,
        first.name,
        first.standing,
        tuple(doubled),
        first.question,
        evaluate(doubled, first.question, first.standing),
    )
    assert any("change nothing" in problem for problem in problems([padded]))


def test_each_decision_has_a_fifth_of_a_version_and_none_more_than_half_of_a_track(known):
    whole = Counter(plot.gold.decision for plot in known)
    assert all(whole[decision] >= len(known) / 5 for decision in Decision)
    for track in TRACKS:
        own = Counter(plot.gold.decision for plot in known if plot.track == track)
        assert len(own) == 4
        assert max(own.values()) <= sum(own.values()) / 2


def test_each_form_of_question_has_each_decision_that_fits_it(known):
    found = Counter((plot.question.form, plot.gold.decision) for plot in known)
    assert found[Form.WHAT, Decision.VALUE] == 2 * found[Form.WHAT, Decision.UNCLEAR]
    for form in (Form.IS, Form.MAY):
        assert len({found[form, decision] for decision in (Decision.YES, Decision.NO, Decision.UNCLEAR)}) == 1


@pytest.mark.parametrize("preset", ["decisions_long", "decisions_short", "decisions_1m"])
def test_small_versions_are_balanced_too(preset):
    chosen = PRESETS[preset]
    found = Counter(
        plot.gold.decision for plot in version_templates(chosen.tracks, chosen.templates, chosen.seed)
    )
    assert min(found[decision] for decision in Decision) >= sum(found.values()) / 5


def test_templates_are_the_same_for_the_same_seed_and_others_for_another():
    plots.drawn.cache_clear()
    again = templates("expiry", 10, 3)
    plots.drawn.cache_clear()
    assert templates("expiry", 10, 3) == again
    other = {skeleton(plot.acts) for plot in templates("expiry", 10, 4)}
    assert len(other & {skeleton(plot.acts) for plot in again}) < 5


def test_names_of_skeletons_stay():
    assert [plot.name for plot in templates("causality", 3, 0)] == NAMES


def test_more_templates_than_a_grammar_has_are_refused(monkeypatch):
    monkeypatch.setattr(plots, "FIRST_TRIES", 1)
    monkeypatch.setattr(plots, "TRIES", 1)
    monkeypatch.setattr(plots, "MOST_TRIES", 1)
    with pytest.raises(SettingsError, match="has only"):
        templates("environmental_freshness", MOST, 99)


@pytest.mark.parametrize("track", ["environmental_freshness", "repair_propagation", "expiry"])
def test_a_small_grammar_has_as_many_templates_as_settings_may_ask_for(track):
    assert len({skeleton(plot.acts) for plot in templates(track, MOST, 7)}) == MOST


def test_no_plot_is_about_what_others_talk_of(known):
    assert max(act.slot for plot in known for act in plot.acts) < FIRST_SLOT


NAMES = ["a4e11bcf2b", "35202603ee", "e354f19cae"]
