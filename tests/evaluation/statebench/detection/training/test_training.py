"""The training of the learned model, on a few turns of its own."""

from __future__ import annotations

from evaluation.statebench.detection.learned.model import Model, Thresholds, model
from tests.evaluation.statebench.detection.blind import is_same
from tests.evaluation.statebench.detection.training import scenes
from tests.evaluation.statebench.detection.training.examples import Example, free_talk, templated_talk
from tests.evaluation.statebench.detection.training.fitting import rounded, trained
from tests.evaluation.statebench.detection.training.judging import choose, judge
from tests.evaluation.statebench.detection.training.regression import train

_CLOSE = 0.011  # sums of floats differ between machines; weights below 0.01 are left out


def example(mood: str, slots: tuple[str, ...], *gold: int) -> Example:
    """A turn of one word against slots of one feature each."""
    return Example(
        of="toy",
        fold=0,
        text=mood,
        moods=("bias", mood),
        slots=tuple(("bias", slot) for slot in slots),
        gold=frozenset(gold),
        changes=bool(gold),
        ruled=False,
        certain=False,
        tells=True,
    )


# A turn changes something where it tells news of a slot that fits.
TURNS = [
    example("tells", ("fits", "differs"), 0),
    example("tells", ("differs",)),
    example("asks", ("fits",)),
    example("asks", ("differs", "fits")),
] * 50


def test_both_parts_of_the_score_are_learned():
    moods, slots = train(TURNS)
    assert moods["tells"] > moods["asks"]
    assert slots["fits"] > slots["differs"]
    toy = Model({}, moods, slots, Thresholds(*[0.0] * 7))
    judged = [judge(one, toy) for one in TURNS[:4]]
    assert judged[0].likely > 0.5 > max(one.likely for one in judged[1:])
    flags = choose(judged, 0.0).flags
    assert judged[0].likely >= flags > max(one.likely for one in judged[1:])


def test_the_same_turns_give_the_same_weights():
    assert train(TURNS) == train(TURNS)


def test_the_model_that_comes_with_the_package_is_what_training_gives():
    given, shipped = rounded(trained(list(free_talk(scenes())), templated_talk())), model()
    for ours, theirs in (
        (given.words, shipped.words),
        (given.moods, shipped.moods),
        (given.slots, shipped.slots),
    ):
        assert ours.keys() ^ theirs.keys() <= {
            name for name in ours | theirs if abs((ours | theirs)[name]) <= _CLOSE
        }
        assert all(abs(ours[name] - theirs[name]) <= _CLOSE for name in ours.keys() & theirs.keys())


def test_every_old_value_of_a_scene_stands_in_a_fact_or_an_earlier_turn():
    for name, scene in scenes():
        for change in scene["changes"]:
            known = [given["value"] for given in scene["facts"]] + scene["turns"][: change["turn"]]
            assert any(is_same(change["old"], text) for text in known), (
                f"{name} {scene['id']}: {change['old']}"
            )


def test_most_changes_of_scenes_are_of_something_that_is_a_slot():
    turns = list(free_talk(one for one in scenes() if one[0] == "held2"))
    changing = [one for one in turns if one.changes]
    assert sum(bool(one.gold) for one in changing) >= 0.9 * len(changing)
