"""Our own store and replay with one fault in scopes each: it turns requirements red, and only its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from evaluation.statebench.conformance.model.running import TIMELINES, failures
from evaluation.statebench.conformance.protocol import ours
from evaluation.statebench.conformance.suite import report, run_conformance
from evaluation.statebench.context import attention, replay
from evaluation.statebench.context import state as opening
from evaluation.statebench.context.turn_processor import TurnProcessor
from evaluation.statebench.facts.layers import Draft, PersistentFact
from evaluation.statebench.facts.scopes import EVERYWHERE, GLOBAL, UNREAL, Place, Places
from evaluation.statebench.facts.store import FactStore

Patch = Callable[[pytest.MonkeyPatch], None]


def latest(store: FactStore, name: str) -> PersistentFact | None:
    """The fact of that name in any scope, as the released code finds it: the latest valid, else the latest."""
    result = [fact for fact in store if name in (fact.alias, fact.key)]
    return ([fact for fact in result if fact.is_valid] or result or [None])[-1]


def one_index_for_all_scopes(patch: pytest.MonkeyPatch) -> None:
    def meanings(store: FactStore, name: str, places: Places) -> Iterator[PersistentFact]:
        return filter(None, [latest(store, name)])

    def resolve(store: FactStore, name: str, place: Place = EVERYWHERE) -> PersistentFact | None:
        return latest(store, name)

    patch.setattr(FactStore, "_meanings", meanings)
    patch.setattr(FactStore, "resolve", resolve)


def a_rival_only_where_it_is_the_latest(patch: pytest.MonkeyPatch) -> None:
    def rival(store: FactStore, draft: Draft) -> PersistentFact | None:
        same = latest(store, draft.key)
        return same if same and same.is_valid and same.place == draft.place == EVERYWHERE else None

    patch.setattr(FactStore, "rival", rival)


def a_rival_taken_by_its_id(patch: pytest.MonkeyPatch) -> None:
    written = FactStore.write

    def write(store: FactStore, draft: Draft, broken: PersistentFact | None = None) -> PersistentFact | None:
        rival = None if draft.supersedes else store.rival(draft) or broken
        return written(store, replace(draft, supersedes=rival.id) if rival else draft)

    patch.setattr(FactStore, "write", write)


def a_rival_by_whatever_is_called_so(patch: pytest.MonkeyPatch) -> None:
    def rival(store: FactStore, draft: Draft) -> PersistentFact | None:
        same = store.resolve(draft.key, draft.place)
        return same if same and same.is_valid and same.key == draft.key else None

    patch.setattr(FactStore, "rival", rival)


def drafts_replace_what_holds(patch: pytest.MonkeyPatch) -> None:
    _replaces(patch, lambda draft: draft.scope in UNREAL)


def tasks_replace_what_holds_everywhere(patch: pytest.MonkeyPatch) -> None:
    _replaces(patch, lambda draft: draft.place.is_narrow)


def _replaces(patch: pytest.MonkeyPatch, those: Callable[[Draft], bool]) -> None:
    """Patch the store: a matching draft that points at a global fact supersedes it for good."""
    written = FactStore.write

    def write(store: FactStore, draft: Draft, rival: PersistentFact | None = None) -> PersistentFact | None:
        old = store.resolve(draft.supersedes, draft.place) if draft.supersedes else None
        if old is None or old.scope != GLOBAL or not those(draft):
            return written(store, draft, rival)
        new = store.create(draft)
        store.supersede(store.head(old), new)
        return new

    patch.setattr(FactStore, "write", write)


def one_task_for_all(patch: pytest.MonkeyPatch) -> None:
    for kind in (Draft, PersistentFact):
        patch.setattr(kind, "place", property(lambda one: Place(one.scope)))


def drafts_are_current(patch: pytest.MonkeyPatch) -> None:
    current, value = FactStore.is_fact_current, FactStore.get_current_value

    def drafted(store: FactStore, name: str) -> PersistentFact | None:
        result = latest(store, name)
        return result if result is not None and result.scope in UNREAL else None

    patch.setattr(
        FactStore,
        "is_fact_current",
        lambda one, name, *places: current(one, name, *places) or bool(drafted(one, name)),
    )
    patch.setattr(
        FactStore,
        "get_current_value",
        lambda one, name, *places: (
            value(one, name, *places) or (result.value if (result := drafted(one, name)) else None)
        ),
    )


def drafts_are_among_the_valid_facts(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(FactStore, "read_valid", lambda store, *places: [fact for fact in store if fact.is_valid])


def drafts_put_what_holds_in_doubt(patch: pytest.MonkeyPatch) -> None:
    written = FactStore.write

    def write(store: FactStore, draft: Draft, rival: PersistentFact | None = None) -> PersistentFact | None:
        new = written(store, draft, rival)
        old = store.resolve(draft.supersedes) if draft.supersedes and draft.scope in UNREAL else None
        if new and old:
            store._doubt(old, new)
        return new

    patch.setattr(FactStore, "write", write)


def drafts_are_shown(patch: pytest.MonkeyPatch) -> None:
    created = FactStore.create

    def create(store: FactStore, draft: Draft) -> PersistentFact:
        fact = created(store, draft)
        if draft.scope in UNREAL:
            fact.scope = GLOBAL
        return fact

    patch.setattr(FactStore, "create", create)


def what_is_drafted_counts_as_live(patch: pytest.MonkeyPatch) -> None:
    class Deadless(attention.Dead):
        def __init__(self, state: Any, held: list[PersistentFact]) -> None:
            super().__init__(state, held)
            drafted = (fact.text for fact in state.store if fact.is_valid and fact.scope in UNREAL)
            self._live += [attention.turn_features(text) for text in drafted]

    patch.setattr(attention, "Dead", Deadless)


def notes_have_no_scope(patch: pytest.MonkeyPatch) -> None:
    noted = opening.scratch_item

    def scratch_item(key: str, text: str, ts: str, data: Mapping[str, Any]) -> Any:
        return noted(key, text, ts, {**data, "scope": None})

    patch.setattr(replay, "scratch_item", scratch_item)


def signals_have_no_scope(patch: pytest.MonkeyPatch) -> None:
    update = replay.Replay._update_environment

    def unscoped(one: Any, ts: str, data: Mapping[str, Any]) -> None:
        update(one, ts, {**data, "scope": None})

    patch.setattr(replay.Replay, "_update_environment", unscoped)


def turns_speak_of_drafts(patch: pytest.MonkeyPatch) -> None:
    def write_fact(one: Any, draft: Draft) -> None:
        new = one.store.write(draft, one._broken_by(draft))
        if new is not None:
            one.processor.record(new, new.supersedes, draft.ts)

    def slots_from(one: Any, active: Places, words: Any = ()) -> list[Any]:
        return list(one.slots.current().values())

    patch.setattr(TurnProcessor, "_slots_from", slots_from)
    patch.setattr(replay.Replay, "_write_fact", write_fact)


FAULTS: dict[Patch, set[str]] = {
    one_index_for_all_scopes: {"K", "R2", "R3", "S2", "S3", "S5", "SC1", "SC2", "SP1", "W1"},
    a_rival_only_where_it_is_the_latest: {"S1", "S3", "S5", "SC1", "W1"},
    a_rival_taken_by_its_id: {"S1", "W1"},
    a_rival_by_whatever_is_called_so: {"S1", "W1"},
    drafts_replace_what_holds: {"R2", "R3", "S4", "S5", "W1"},
    tasks_replace_what_holds_everywhere: {"R3", "SC1", "W1"},
    one_task_for_all: {"K", "S2", "SC1", "SC2", "SP1"},
    drafts_are_current: {"R2", "R3"},
    drafts_are_among_the_valid_facts: {"D1", "K", "Q6", "R1", "S3", "S5", "SC2", "SP1", "W1"},
    drafts_put_what_holds_in_doubt: {"S4"},
    drafts_are_shown: {"D1", "K", "S2", "S3", "S5", "SC2", "SP1", "W1"},
    what_is_drafted_counts_as_live: {"Q6", "S3", "S5"},
    turns_speak_of_drafts: {"D1", "S5", "SP1"},
    notes_have_no_scope: {"K", "L1", "S5", "SC2"},
    signals_have_no_scope: {"L6", "S5"},
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: one.__name__)
def test_a_fault_in_scopes_turns_its_requirements_red(fault: Patch, monkeypatch: pytest.MonkeyPatch) -> None:
    fault(monkeypatch)
    result = report(run_conformance(timelines=0))
    assert {row["id"] for row in result["requirements"] if not row["passed"]} == FAULTS[fault]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: one.__name__)
def test_a_fault_in_scopes_is_found_by_generated_timelines(
    fault: Patch, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    assert next(failures(ours, seed=1, timelines=TIMELINES), None) is not None
