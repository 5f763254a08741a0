"""The store: created or superseded, never edited or deleted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.statebench.facts.layers import Draft, Source
from evaluation.statebench.facts.scopes import EVERYWHERE, Place
from evaluation.statebench.facts.store import FactStore

TASK, OTHER_TASK, SKETCH = Place("task", "T-1"), Place("task", "T-2"), Place("draft", None)
PEER, POLICY, INTERN = Source("user", "peer"), Source("policy", "policy"), Source("user", "intern")


def draft(key: str, value: str = "x", *, source: Source = PEER, place: Place = EVERYWHERE, **fields) -> Draft:
    return Draft(key, value, source, "2026-01-01", scope=place.scope, scope_id=place.scope_id, **fields)


def test_a_fact_has_every_field_of_the_schema():
    fields = FactStore().create(draft("key")).as_dict()
    assert set(fields) >= {
        "id", "key", "value", "source", "ts", "is_valid", "superseded_by", "supersedes", "memory_type",
        "scope", "scope_id", "depends_on", "derived_facts", "needs_review", "is_constraint", "constraint_type",
    }  # fmt: skip
    assert fields["is_valid"]
    assert fields["scope"] == "global"
    assert fields["memory_type"] == "user"


def test_a_supersession_links_both_ways_and_keeps_the_old_version():
    store = FactStore()
    old = store.create(draft("a", "1"))
    new = store.write(draft("a2", "2", supersedes="a"))
    assert not old.is_valid
    assert (old.superseded_by, new.supersedes) == (new.id, old.id)
    assert [fact.value for fact in store] == ["1", "2"]
    assert [fact.value for fact in store.chain("a")] == ["1", "2"]


def test_a_second_write_of_a_key_needs_the_authority_of_the_first():
    store = FactStore()
    store.write(draft("discount", "15%", source=POLICY))
    assert store.write(draft("discount", "25%", source=INTERN)) is None
    assert [one.code for one in store.refusals] == ["authority"]
    assert store.get_current_value("discount") == "15%"
    assert store.write(draft("discount", "10%", source=POLICY)).supersedes is not None
    assert [fact.value for fact in store.read_valid()] == ["10%"]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([PEER, POLICY, INTERN])), max_size=12))
def test_writes_without_a_pointer_leave_one_value_for_each_key_on_the_highest_authority(writes):
    store = FactStore()
    for n, (key, source) in enumerate(writes):
        store.write(draft(key, str(n), source=source))
    for key in {key for key, _ in writes}:
        levels = [(source.level, n) for n, (name, source) in enumerate(writes) if name == key]
        assert [fact.value for fact in store.read_valid() if fact.key == key] == [str(max(levels)[1])]


def test_a_pointer_is_taken_by_id_or_by_key():
    store = FactStore()
    store.create(draft("a", id="F-1"))
    store.create(draft("b", id="F-2"))
    assert store.write(draft("a2", supersedes="F-1")).supersedes == "F-1"
    assert store.write(draft("b2", supersedes="b")).supersedes == "F-2"


def test_colliding_ids_overwrite_nothing():
    store = FactStore()
    first, second = (store.create(draft(key, id="W-AUTO")) for key in ("a", "b"))
    assert first.id != second.id
    assert {fact.alias for fact in store} == {"W-AUTO"}
    assert store.resolve("a") is first


def test_an_id_made_unique_meets_no_given_one():
    store = FactStore()
    for name in ("W", "W~3", "W", "W"):
        store.create(draft("a", id=name))
    assert len(store.facts) == 4


def test_a_dangling_pointer_is_recorded_and_changes_nothing():
    store = FactStore()
    assert store.write(draft("a", supersedes="nobody")).is_valid
    assert [refusal.code for refusal in store.refusals] == ["dangling"]


def test_superseding_a_dead_fact_supersedes_what_became_of_it():
    store = FactStore()
    store.create(draft("v1", "one"))
    middle = store.write(draft("v2", "two", supersedes="v1"))
    last = store.write(draft("v3", "three", supersedes="v1"))
    assert middle.superseded_by == last.id
    assert store.get_current_value("v1") == "three"


def test_lower_authority_does_not_supersede_higher():
    store = FactStore()
    rule = store.create(draft("rule", "15%", source=POLICY))
    assert store.write(draft("rule", "25%", source=INTERN, supersedes="rule")) is None
    assert rule.is_valid
    assert [refusal.code for refusal in store.refusals] == ["authority"]


def test_a_hypothetical_write_is_kept_apart_and_supersedes_nothing():
    store = FactStore()
    firm = store.create(draft("price", "9"))
    idea = store.write(draft("price", "12", place=Place("hypothetical"), supersedes=firm.id))
    assert firm.is_valid
    assert idea not in store.read_valid()


def test_a_pointer_means_a_fact_of_the_writers_place_before_a_global_one():
    store = FactStore()
    firm = store.create(draft("price", "9"))
    sketch = store.create(draft("price", "12", place=SKETCH))
    newer = store.write(draft("price", "10", supersedes="price"))
    again = store.write(draft("price", "13", place=SKETCH, supersedes="price"))
    assert (newer.supersedes, again.supersedes) == (firm.id, sketch.id)
    assert [fact.value for fact in store.chain("price")] == ["9", "10"]
    assert [fact.value for fact in store.chain("price", SKETCH)] == ["12", "13"]
    assert store.named("price", SKETCH) == [sketch, again]
    assert store.get_current_value("price", SKETCH) == "10"


def test_what_is_written_in_a_place_is_not_reached_from_outside():
    store = FactStore()
    store.create(draft("price", "9", place=TASK, id="W-1"))
    for place in (EVERYWHERE, OTHER_TASK):
        assert store.resolve("W-1", place) is None
    assert store.write(draft("fee", supersedes="W-1")).supersedes is None
    assert [refusal.code for refusal in store.refusals] == ["dangling"]


def test_a_task_stands_for_a_global_fact_within_itself_only():
    store = FactStore()
    firm = store.create(draft("price", "9", id="W-1"))
    own = store.write(draft("special_price", "12", place=TASK, supersedes="W-1"))
    assert firm.is_valid
    assert own.stands_for == firm.id
    assert [fact.value for fact in store.read_valid(TASK)] == ["12"]
    assert [fact.value for fact in store.read_valid(OTHER_TASK)] == ["9"]
    assert store.get_current_value("price", TASK) == "12"
    assert not store.is_fact_current("price", TASK)
    later = store.write(draft("special_price", "13", place=TASK, supersedes="special_price"))
    assert later.stands_for == firm.id
    assert store.get_current_value("W-1", TASK) == "13"
    assert store.get_current_value("W-1") == "9"


def test_within_a_task_too_lower_authority_gives_way_to_higher():
    store = FactStore()
    store.create(draft("rule", "15%", source=POLICY))
    assert store.write(draft("rule", "25%", source=INTERN, place=TASK, supersedes="rule")) is None
    store.create(draft("limit", "9", source=INTERN, place=TASK))
    store.create(draft("limit", "5", source=POLICY))
    assert store.get_current_value("limit", TASK) == "5"
    assert [fact.value for fact in store.read_valid(TASK)] == ["15%", "5"]


def test_a_narrower_fact_shadows_every_wider_one_of_its_key_unless_any_has_higher_authority():
    store = FactStore()
    session, manager = Place("session", "S"), Source("user", "manager")
    for place, value, source in ((EVERYWHERE, "9", PEER), (session, "10", manager), (TASK, "11", PEER)):
        store.create(draft("price", value, source=source, place=place))
    assert store.get_current_value("price", TASK) == "11"
    assert store.get_current_value("price", TASK, session) == "10"
    assert [fact.value for fact in store.read_valid(TASK, session)] == ["10"]
    store.write(draft("price", "12", source=manager, place=TASK))
    assert [fact.value for fact in store.read_valid(session, TASK)] == ["12"]
    assert store.is_fact_current("price", session, TASK)


def test_the_facts_of_a_place_that_is_left_end_and_nothing_takes_their_place():
    store = FactStore()
    first = store.create(draft("price", "9", place=TASK))
    last = store.write(draft("price", "10", supersedes="price", place=TASK))
    store.leave(TASK)
    assert [(fact.is_valid, fact.ended, fact.superseded_by) for fact in (first, last)] == [
        (False, False, last.id),
        (False, True, None),
    ]
    assert store.read_valid(TASK) == []
    assert store.get_current_value("price", TASK) is None
    assert not store.is_fact_current("price", TASK)
    assert [fact.value for fact in store.chain("price", TASK)] == ["9", "10"]
    assert store.named("price", TASK) == [first, last]


def test_what_is_written_after_a_place_was_left_starts_anew():
    store = FactStore()
    old = store.create(draft("price", "9", id="W-1", place=TASK))
    store.leave(TASK)
    new = store.write(draft("price", "10", supersedes="W-1", place=TASK))
    assert (new.supersedes, old.superseded_by) == (None, None)
    assert [refusal.code for refusal in store.refusals] == ["dangling"]
    firm = store.create(draft("price", "8"))
    store.leave(TASK)
    again = store.write(draft("price", "11", supersedes="price", place=TASK))
    assert again.stands_for == firm.id
    assert [fact.value for fact in store.named("price", TASK)] == ["9", "10", "11"]


def test_an_ended_fact_depends_on_no_later_one():
    store = FactStore()
    old = store.create(draft("total", depends_on=("price",), place=TASK))
    store.leave(TASK)
    firm = store.create(draft("price"))
    assert (old.depends_on, firm.derived_facts) == ([], [])


def test_a_rival_is_a_valid_fact_of_the_very_key():
    store = FactStore()
    firm = store.create(draft("price", "9", id="W-1"))
    store.create(draft("fee", "3", id="price"))
    sketch = store.create(draft("price", "12", place=SKETCH))
    assert store.rival(draft("price")) is firm
    assert store.rival(draft("price", place=TASK)) is firm
    assert store.rival(draft("price", place=SKETCH)) is sketch
    assert store.rival(draft("price", place=Place("hypothetical"))) is None


def test_a_dependent_waits_for_a_fact_that_it_can_see():
    store = FactStore()
    waiting = store.create(draft("total", id="W-1", depends_on=("price",)))
    store.create(draft("price", "12", place=TASK))
    assert waiting.depends_on == []
    firm = store.create(draft("price", "9"))
    assert waiting.depends_on == [firm.id]


def test_what_a_task_replaces_is_in_doubt_in_that_task_only():
    store = FactStore()
    store.create(draft("price", "9"))
    total = store.create(draft("total", depends_on=("price",)))
    sums = [store.create(draft("sum", place=place, depends_on=("total",))) for place in (TASK, OTHER_TASK)]
    store.write(draft("price", "12", place=TASK, supersedes="price"))
    assert [fact.needs_review for fact in (total, *sums)] == [False, True, False]


def test_what_rests_on_a_fact_in_doubt_is_in_doubt_however_late_that_comes():
    store = FactStore()
    store.create(draft("price", "9"))
    bill = store.create(draft("bill", depends_on=("total",)))
    store.write(draft("price", "10", supersedes="price"))
    store.create(draft("total", depends_on=("F1",)))
    assert bill.needs_review


def test_is_fact_current_is_false_for_the_unknown_and_the_dead():
    store = FactStore()
    store.create(draft("a"))
    store.write(draft("b", supersedes="a"))
    assert not store.is_fact_current("nothing")
    assert not store.is_fact_current("a")
    assert store.is_fact_current("b")


def test_review_spreads_through_dependents_but_not_to_the_new_fact():
    store = FactStore()
    base = store.create(draft("base", id="A"))
    middle = store.create(draft("middle", id="B", depends_on=("A",)))
    top = store.create(draft("top", id="C", depends_on=("middle",)))
    new = store.write(draft("base2", supersedes="A"))
    assert middle.needs_review
    assert top.needs_review
    assert top.is_valid
    assert not new.needs_review
    assert base.derived_facts == [middle.id]


def test_a_cycle_of_dependencies_terminates():
    store = FactStore()
    store.create(draft("p", id="A", depends_on=("B",)))
    other = store.create(draft("q", id="B", depends_on=("A",)))
    store.write(draft("p2", supersedes="A"))
    assert other.needs_review


def test_a_cycle_of_pointers_terminates():
    store = FactStore()
    one, two = store.create(draft("one")), store.create(draft("two"))
    store.supersede(one, two)
    store.supersede(two, one)
    assert store.head(one) in (one, two)
    assert len(store.chain("one")) == 2


def test_a_dense_graph_is_marked_in_linear_time():
    store = FactStore()
    for n in range(60):  # 2 ** 58 paths
        store.create(draft(f"n{n}", id=f"N{n}", depends_on=tuple(f"N{m}" for m in range(n))))
    store.write(draft("new", supersedes="N0"))
    assert sum(fact.needs_review for fact in store) == 59


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from(["", *"abcde"])), max_size=25))
def test_every_dead_fact_has_a_successor_and_every_chain_ends(writes):
    store = FactStore()
    for key, old in writes:
        store.write(draft(key, key, supersedes=old or None))
    for fact in store:
        assert fact.is_valid == (fact.superseded_by is None)
        assert store.head(fact).is_valid
    assert len(store) == len(writes)
