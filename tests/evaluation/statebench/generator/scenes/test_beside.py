"""Decoys: of the opposite openness, without effect on the gold, and in words that do not reveal it."""

from __future__ import annotations

from evaluation.core.rng import Stream
from evaluation.statebench.generator.scenes.acts import Decision, Kind
from evaluation.statebench.generator.scenes.beside import DECOY_SLOT, DECOY_VALUE, beside, decoys
from evaluation.statebench.generator.scenes.noise import FIRST_SLOT
from evaluation.statebench.generator.scenes.oracle import evaluate
from evaluation.statebench.generator.scenes.plots import pool_of, templates, version_templates
from evaluation.statebench.generator.scenes.tracks import TRACKS

POOLS = {track: templates(track, 15, 2) for track in TRACKS}
PAIRS = [
    (plot, decoy)
    for pool in POOLS.values()
    for plot in pool
    for decoy in dict.fromkeys(decoys(plot, pool, Stream("decoys")))
]


def test_a_decoy_changes_no_gold():
    for number, (plot, decoy) in enumerate(PAIRS):
        both = beside(plot, decoy, Stream("beside", number))
        assert evaluate(both.acts, both.question, both.standing) == both.gold
        assert (both.gold.decision, both.gold.value) == (plot.gold.decision, plot.gold.value)
        assert len(both.gold.because) == len(plot.gold.because)


def test_both_plots_keep_their_order_slots_and_values():
    for number, (plot, decoy) in enumerate(PAIRS):
        acts = beside(plot, decoy, Stream("beside", number)).acts
        for whole, is_decoy in ((plot, False), (decoy, True)):
            kinds = [act.kind for act in acts if (act.slot >= DECOY_SLOT) is is_decoy]
            assert kinds == [act.kind for act in whole.acts]
        assert all(act.slot < FIRST_SLOT for act in acts)
        values = [act for act in acts if act.value is not None]
        assert all((act.value >= DECOY_VALUE) is (act.slot >= DECOY_SLOT) for act in values)


def test_beside_an_open_matter_stands_a_decided_one_and_the_reverse():
    for plot, decoy in PAIRS:
        assert Decision.UNCLEAR in (plot.gold.decision, decoy.gold.decision)
        assert plot.gold.decision is not decoy.gold.decision


def test_those_asked_in_the_same_form_are_tried_first():
    for pool in POOLS.values():
        for plot in pool:
            forms = [
                each.question.form is plot.question.form for each in decoys(plot, pool, Stream("decoys"))
            ]
            assert forms[0]
            assert forms == sorted(forms, reverse=True)


def test_a_small_version_draws_its_decoys_from_more_templates_than_it_has():
    for track in list(TRACKS)[::3]:
        for number in (1, 3):
            pool = pool_of(track, number, 7)
            own = tuple(version_templates([track], number, 7))
            assert own == pool[:number]
            for plot in own:
                [first, *_] = decoys(plot, pool, Stream("decoys"))
                assert first.question.form is plot.question.form


def test_nothing_is_said_in_a_drill_of_the_other_plot():
    for number, (plot, decoy) in enumerate(PAIRS):
        drill: bool | None = None  # whose
        for act in beside(plot, decoy, Stream("beside", number)).acts:
            is_decoy = act.slot >= DECOY_SLOT
            assert drill in (None, is_decoy)
            drill = is_decoy if act.kind is Kind.ENTER else None if act.kind is Kind.LEAVE else drill
