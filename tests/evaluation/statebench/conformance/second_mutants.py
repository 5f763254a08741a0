"""The second implementation with one fault each: its own source with one piece of text changed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.evaluation.statebench.conformance import second

#: name -> (what stands in second.py, once; what stands there instead)
FAULTS: dict[str, tuple[str, str]] = {
    # scopes: writing
    "drafts_replace_what_holds": ('if old and unreal(place) and old["place"] != place:', "if False:"),
    "one_task_for_all": (
        "return HOME if scope == HOME else f\"{scope}/{data.get('scope_id') or ''}\"",
        'return HOME if scope == HOME else f"{scope}/"',
    ),
    "tasks_replace_what_holds_everywhere": ('if old["place"] == new["place"]:', "if True:"),
    "pointers_reach_every_place": (
        'called = [f for f in self.facts if f["place"] == there and name in (f["alias"], f["key"])]',
        'called = [f for f in self.facts if name in (f["alias"], f["key"])]',
    ),
    "global_facts_before_those_of_the_place": (
        "for there in (place, HOME):\n            called",
        "for there in (HOME, place):\n            called",
    ),
    "rivals_in_their_own_place_only": (
        "for there in (place, HOME):\n            for fact",
        "for there in (place,):\n            for fact",
    ),
    # scopes: active places
    "events_enter_nothing": (
        'self.enter(place) if event["action"] == "enter" else self.leave(place)',
        'None if event["action"] == "enter" else self.leave(place)',
    ),
    "turns_enter_nothing": (
        "if place != HOME:\n                self.enter(place)",
        "if False:\n                self.enter(place)",
    ),
    "every_write_enters": ('if fresh and place.endswith("/"):', "if place != HOME:"),
    "no_place_is_at_hand": ('if fresh and place.endswith("/"):', "if False:"),
    "a_query_names_no_place_in_its_words": ("if named and not unreal(", "if False and not unreal("),
    "names_are_matched_by_case": ("re.escape(name.lower())", "re.escape(name)"),
    "the_fields_of_a_query_are_ignored": ("if where(self.asked) != HOME and", "if False and"),
    "drafts_are_active": ('if named and not unreal(fact["place"]):', "if named:"),
    "every_place_is_active": (
        "self.seen = self.ladder(active)",
        'self.seen = sorted({f["place"] for f in self.facts if not unreal(f["place"])} | {HOME}, key=width)',
    ),
    # scopes: hiding
    "wide_facts_are_not_hidden": (
        "self.held = [fact for fact in firm if not any(self.over(near, fact) for near in firm)]",
        "self.held = firm",
    ),
    "authority_overrules_nothing_narrow": (
        'f["rank"] < wide["rank"] for wide in here',
        "False for wide in here",
    ),
    "only_the_same_key_hides": (
        'return near["key"] == wide["key"] or bool(stands)',
        'return near["key"] == wide["key"]',
    ),
    "projects_before_sessions": (
        'LADDER = ("task", "session", "project", "global")',
        'LADDER = ("task", "project", "session", "global")',
    ),
    # scopes: leaving
    "leaving_ends_nothing": (
        'if fact["place"] == place:\n                fact["gone"] = True',
        "if False:\n                pass",
    ),
    "leaving_hides_without_ending": (
        'fact["is_valid"], fact["ended"] = False, True',
        'fact["is_valid"] = False',
    ),
    "leaving_ends_all_of_its_kind": (
        'if fact["place"] == place:\n                fact["gone"]',
        'if kind(fact["place"]) == kind(place):\n                fact["gone"]',
    ),
    "leaving_leaves_it_active": ("del self.active[kind(place)]", "pass"),
    "pointers_reach_what_ended": ('called = [fact for fact in called if not fact["gone"]]', "pass"),
    # authority, chains, dependencies
    "anyone_supersedes": (
        'or "peer") < old["rank"]:\n            return',
        'or "peer") < -1:\n            return',
    ),
    "equals_do_not_supersede": (
        'or "peer") < old["rank"]:\n            return',
        'or "peer") <= old["rank"]:\n            return',
    ),
    "a_pointer_to_a_dead_fact_forks_the_chain": ("old = self.last(old) if old else None", "pass"),
    "old_facts_stay_valid": (
        'old["is_valid"], old["superseded_by"], new["supersedes"] = False,',
        'old["is_valid"], old["superseded_by"], new["supersedes"] = True,',
    ),
    "chains_are_not_linked_back": (
        'new["supersedes"] = False, new["id"], old["id"]',
        'new["supersedes"] = False, new["id"], None',
    ),
    "a_second_write_stands_beside_the_first": ('else self.same(data["key"], place)', "else None"),
    "a_dangling_pointer_takes_the_rival": (
        "old = self.find(pointer, place) if pointer else self",
        'old = (self.find(pointer, place) or self.same(data["key"], place)) if pointer else self',
    ),
    "doubt_does_not_spread": ("self.doubt(fact, done, within)", "pass"),
    "doubt_leaves_its_place": (
        'fact["needs_review"] = within in ("", fact["place"])',
        'fact["needs_review"] = True',
    ),
    "what_rests_on_the_dead_is_firm": (
        'base["needs_review"] or not base["is_valid"]',
        'base["needs_review"]',
    ),
    "later_bases_are_not_linked": ('fact["waits"].append(name)', "pass"),
    # spoken facts
    "nothing_said_is_a_fact": (
        "if said and old is None:",
        "if said and old is None:\n            return\n        if False:",
    ),
    "a_statement_is_a_change": ('changes = said is None or said[2] != "is" or', "changes = True or"),
    "a_change_is_a_statement": ('said is None or said[2] != "is" or bool(', "bool("),
    "suppositions_are_statements": (
        "said = LINES.fullmatch(text)",
        'said = LINES.fullmatch(text.replace("Suppose t", "T"))',
    ),
    "wishes_are_statements": (
        "said = LINES.fullmatch(text)",
        'said = LINES.fullmatch(text.replace("I wish t", "T").replace(" were ", " is "))',
    ),
    "suggestions_are_statements": (
        "said = LINES.fullmatch(text)",
        'said = LINES.fullmatch(text.replace("Maybe t", "T").replace(" should be ", " is "))',
    ),
    "hearsay_is_a_statement": (
        "said = LINES.fullmatch(text)",
        'said = LINES.fullmatch(text.replace("Somebody told me t", "T"))',
    ),
    "a_user_outranks_everybody": ('rank(self.who["authority"]) >= old["rank"]', 'self.who["authority"]'),
    "turns_are_counted_from_one": ('"turn_index": len(self.turns) - 1', '"turn_index": len(self.turns)'),
    "what_is_said_is_called_a_write": ('"type": "conversation",', '"type": "state_write",'),
    "turns_speak_of_what_is_global_only": (
        "for place in self.ladder(self.active):\n            for fact",
        "for place in [HOME]:\n            for fact",
    ),
    "turns_speak_of_every_place": (
        'if fact["is_valid"] and fact["place"] == place and (fact["key"]',
        'if fact["is_valid"] and not unreal(fact["place"]) and (fact["key"]',
    ),
    "a_draft_is_a_slot": (
        'if fact["is_valid"] and fact["place"] == place and (fact["key"]',
        'if fact["is_valid"] and (unreal(fact["place"]) or fact["place"] == place) and (fact["key"]',
    ),
    "what_is_said_in_a_place_is_of_it": (
        'scope, _, name = own.partition("/")',
        'scope, _, name = self.ladder(self.active)[0].partition("/")',
    ),
    "spoken_keys_keep_their_spaces": ('key = said[1].replace(" ", "_")', "key = said[1]"),
    # contexts and reads
    "constraints_come_last": (
        'return ["Facts:", *first, *others[1:]] if first else others',
        "return [*others, *first]",
    ),
    "forgets_after_thirty_days": (
        "firm = [fact for fact in here if fact not in under]",
        'now = self.when(self.asked["ts"])\n'
        '        firm = [f for f in here if f not in under and now - self.when(f["timestamp"]) < 2.6e6]',
    ),
    "restated_values_are_shown": (
        "return [line for line in lines + turns if not self.stale(line)]",
        "return lines + turns",
    ),
    "scopes_are_not_named": (
        "return f\"{fact['key']}{mark}: ",
        "return f\"{fact['key']}: ",
    ),
    "notes_never_expire": ("and self.lasts(expires)", ""),
    "notes_have_no_scope": ("if place in self.seen and self", "if self"),
    "secrets_are_shown": ('return "[RESTRICTED" not in str(text) or', "return True or"),
    "secrets_are_hidden_from_all": ('or any(one in ("vp", "cfo", "ceo", "policy") for one in titles)', ""),
    "scoped_signals_count": (
        'elif data["layer"] == "environment" and where(data) == HOME:',
        'elif data["layer"] == "environment":',
    ),
    "room_is_not_counted": ("<= room:\n                chosen", "<= room + 6:\n                chosen"),
    "the_order_of_the_file_is_the_order_of_time": ("in sorted(before, key=lambda one: one[:2])", "in before"),
    "the_future_is_seen": (
        'if event["type"] != "query" and (n < at or self.when(event["ts"]) < now)',
        'if event["type"] != "query"',
    ),
    "superseded_facts_are_read": (
        '"valid_facts": [fact["id"] for fact in self.held]',
        '"valid_facts": [fact["id"] for fact in self.facts]',
    ),
    "the_latest_mention_is_current": ("fact = self.last(fact)\n                holder", "holder"),
    "unknown_keys_are_current": (
        "return fact in self.held\n        return False",
        "return fact in self.held\n        return True",
    ),
}


@cache
def _source() -> str:
    return Path(second.__file__).read_text()


def mutant(name: str) -> Any:
    """The second implementation with that fault."""
    right, wrong = FAULTS[name]
    assert _source().count(right) == 1, (
        f"{name}: {right!r} stands {_source().count(right)} times in second.py"
    )
    module = ModuleType(name)
    exec(compile(_source().replace(right, wrong), f"<{name}>", "exec"), module.__dict__)  # our own source
    return module.second
