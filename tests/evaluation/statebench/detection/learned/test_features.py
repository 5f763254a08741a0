"""The slots the model looks at, and that the same features are seen whenever it is asked."""

from __future__ import annotations

from evaluation.statebench.detection.learned.features import Observer, candidates, names
from evaluation.statebench.detection.learned.model import model, weigh
from evaluation.statebench.detection.learned.reading import read
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.facts.authority import Level

SLOTS = [Slot(f"F-{n}", f"gauge_{n}", f"{n} bar", Level.EMPLOYEE, n) for n in range(2, 20)]
FERRY = Slot("F-1", "ferry_berth", "Berth C", Level.EMPLOYEE, 1)


def test_of_many_slots_those_are_looked_at_that_the_turn_names_and_the_latest():
    slots = [FERRY, *SLOTS[:8]]
    assert candidates(read("The ferry ties up elsewhere tonight."), slots) == [FERRY, *slots[-3:]]
    assert candidates(read("Lovely weather."), slots[:4]) == slots[:4]


def test_the_sum_by_groups_is_the_sum_of_the_weights_of_all_features():
    text, slots = "She ties up at seven from tonight, the harbour office rang.", [SLOTS[0], FERRY]
    observer, learned = Observer(read(text), slots, ()), model()
    for at, score in enumerate(learned.scores(text, slots, ())):
        found = [name for key in observer.observed(at) for name in names(key)]
        assert len(found) == len(set(found))
        assert abs(score - learned.mood(text) - weigh(found, learned.slots)) < 1e-9
