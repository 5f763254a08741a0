"""A second implementation, naive and from the specification alone: nothing of the engine, nothing of the model.

It keeps facts as the dictionaries that it answers with, and reads just enough English for the vectors.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

Row = dict[str, Any]

HOME = "global"
LADDER = ("task", "session", "project", "global")
RANKS = {"intern": 0, "guest": 0, "manager": 2, "vp": 2, "policy": 3, "cfo": 3, "ceo": 3}
SUPPOSED = r"\b(suppose|what if|wish|maybe|imagine|could|might)\b"
LIMITS = r"must|capacity|at most|deadline|capped|only|may be"
KINDS = (("deadline", r"deadline"), ("budget", r"budget|\$|discount"), ("capacity", r"capacity|people"))
LINES = re.compile(r"(?:The|My) ([\w ]+?) (is now|is|has|changed from .+ to) (.+)\.")
OVER = {"moved to": "address office team", "changed to": "phone doctor email", "upgraded to": "plan",
    "joined": "employer", "was rebooked on": "flight", "went up to": "shirt_size"}  # fmt: skip
GOES = re.compile(rf"(?:I|The \w+|My (?:number|email)) ({'|'.join(OVER)}) (.+)\.")
NEXT = re.compile(r"(\w+) (?:has stepped down|pulled out|left)[;.] (\w+) (?:leads|supplies|is) .+\.")
COUNTS = (  # of what, by which share or how many
    (re.compile(r"The (\w+) was raised by (\d+)%\."), lambda old, by: old * (1 + by / 100)),
    (re.compile(r"The (\w+) was cut by \$(\d+)\."), lambda old, by: old - by),
    (re.compile(r"()(\d+) more came\."), lambda old, by: old + by),
    (re.compile(r"()We took \d+ out, so it is (\d+) now\."), lambda old, by: by),
)
WHO = re.compile(r"\[?(?:The |An )?(policy|employee)(?: says|\]) the ([\w ]+?) is (\d+)%\.", re.IGNORECASE)
NEWS = re.compile(r"\d|price|stock|status|schedule|availab")  # where the newer word counts


def second(request: Row) -> Row:
    """The answer to a request of the protocol."""
    return Second(request).answer()


def rank(title: str) -> int:
    return RANKS.get(title.lower(), 1)


def words(text: Any) -> set[str]:
    return set(re.findall(r"\w+", str(text).lower()))


def subject(text: Any) -> str:
    """The subject of a sentence: the words before its verb."""
    match = re.match(r"The ([a-z ]+?) (?:is|has|was) ", str(text))
    return match[1] if match else ""


def where(data: Row) -> str:
    """A place as one text: "task/T-1"."""
    scope = data.get("scope") or HOME
    return HOME if scope == HOME else f"{scope}/{data.get('scope_id') or ''}"


def kind(place: str) -> str:
    return place.partition("/")[0]


def unreal(place: str) -> bool:
    return kind(place) in ("draft", "hypothetical")


def width(place: str) -> int:
    return LADDER.index(kind(place)) if kind(place) in LADDER else -1


class Second:
    """One pass over the events that a query sees."""

    def __init__(self, request: Row) -> None:
        self.request, row = request, request["timeline"]
        start = row["initial_state"]
        self.facts: list[Row] = []
        self.active: dict[str, str] = {}  # kind -> place
        self.environment: dict[str, tuple[str, str]] = {k: ("", v) for k, v in start["environment"].items()}
        self.former: list[str] = []
        self.notes: list[tuple[str, str, str]] = [(n["content"], HOME, "") for n in start["working_set"]]
        self.turns: list[str] = []
        self.who: Row = start["identity_role"]
        for given in start["persistent_facts"]:
            self.add(given, given["ts"])
        queries = [n for n, event in enumerate(row["events"]) if event["type"] == "query"]
        at = queries[request["query_idx"]]
        self.asked = row["events"][at]
        now = self.when(self.asked["ts"])
        before = [
            (self.when(event["ts"]), n, event)
            for n, event in enumerate(row["events"])
            if event["type"] != "query" and (n < at or self.when(event["ts"]) < now)
        ]
        for _, _, event in sorted(before, key=lambda one: one[:2]):
            self.take(event, event["ts"])
        self.look()

    # --- events

    def when(self, ts: str) -> float:
        time, zone = datetime.fromisoformat(ts), ZoneInfo(self.request["timeline"].get("timezone") or "UTC")
        return (time if time.tzinfo else time.replace(tzinfo=zone)).timestamp()

    def lasts(self, expires: str) -> bool:
        return not expires or self.when(expires) > self.when(self.asked["ts"])

    def take(self, event: Row, ts: str) -> None:
        place = where(event)
        if event["type"] == "scope":
            self.enter(place) if event["action"] == "enter" else self.leave(place)
        elif event["type"] == "conversation_turn":
            if place != HOME:
                self.enter(place)
            self.turns.append(event["text"])
            if event["speaker"] == "user":
                self.hear(event["text"], place, ts)
        for data in event.get("writes", ()):
            if data["layer"] == "persistent_facts":
                self.write(data, ts)
            elif data["layer"] == "working_set":
                self.notes.append((str(data["value"]), where(data), data.get("expires_at") or ""))
            elif data["layer"] == "environment" and where(data) == HOME:
                self.signal(data["key"], str(data["value"]), ts)

    def enter(self, place: str) -> None:
        if not unreal(place):
            self.active[kind(place)] = place

    def leave(self, place: str) -> None:
        if self.active.get(kind(place)) == place:
            del self.active[kind(place)]
        for fact in self.facts:
            if fact["place"] == place:
                fact["gone"] = True
                if fact["is_valid"]:
                    fact["is_valid"], fact["ended"] = False, True

    def signal(self, key: str, value: str, ts: str) -> None:
        old = self.environment.get(key, ("", ""))
        if not old[0] or self.when(ts) >= self.when(old[0]):
            self.former.append(old[1])
            self.environment[key] = (ts, value)

    def write(self, data: Row, ts: str) -> None:
        place, pointer = where(data), data.get("supersedes")
        old = self.find(pointer, place) if pointer else self.same(data["key"], place)
        old = self.last(old) if old else None
        if old and unreal(place) and old["place"] != place:
            old = None
        if old and rank((data.get("source") or {}).get("authority") or "peer") < old["rank"]:
            return
        fresh = not any(fact["place"] == place and not fact["gone"] for fact in self.facts)
        self.replace(old, self.add(data, ts))
        if fresh and place.endswith("/"):
            self.enter(place)

    def find(self, name: str, place: str) -> Row | None:
        """The fact that a pointer means: in its own place, then globally; the latest valid, else the latest."""
        for there in (place, HOME):
            called = [f for f in self.facts if f["place"] == there and name in (f["alias"], f["key"])]
            called = [fact for fact in called if not fact["gone"]]
            if called:
                return ([fact for fact in called if fact["is_valid"]] or called)[-1]
        return None

    def same(self, key: str, place: str) -> Row | None:
        for there in (place, HOME):
            for fact in reversed(self.facts):
                if fact["is_valid"] and fact["place"] == there and fact["key"] == key:
                    return fact
        return None

    def last(self, fact: Row) -> Row:
        while fact["superseded_by"]:
            fact = self.by_id(fact["superseded_by"])
        return fact

    def by_id(self, name: str) -> Row:
        return next(fact for fact in self.facts if fact["id"] == name)

    def add(self, data: Row, ts: str) -> Row:
        """Add a fact, linked to those it rests on."""
        source, place, text = data.get("source") or {}, where(data), str(data["value"])
        policy = source.get("type") == "policy"
        limited = re.search(LIMITS, text) or data["key"] in ("spend", "due")
        limit = next((name for name, form in KINDS if re.search(form, text.lower())), "policy")
        fact: Row = {
            "id": f"#{len(self.facts)}", "alias": data.get("id"), "key": data["key"], "value": data["value"],
            "source": {"type": "user", "authority": None, **source}, "timestamp": data.get("ts") or ts,
            "rank": rank(source.get("authority") or "peer"), "place": place, "gone": False, "stands": None,
            "scope": kind(place), "scope_id": data.get("scope_id") if place != HOME else None,
            "is_valid": True, "ended": False, "superseded_by": None, "supersedes": None,
            "memory_type": {"policy": "organizational", "pattern": "capability"}.get(source.get("type"), "user"),
            "depends_on": [], "derived_facts": [], "needs_review": False, "waits": [],
            "is_constraint": bool(limited or policy), "constraint_type": limit if limited or policy else None,
        }  # fmt: skip
        for name in data.get("depends_on") or ():
            base = self.find(name, place)
            if base is None:
                fact["waits"].append(name)
            else:
                self.rest(fact, base)
                fact["needs_review"] |= base["needs_review"] or not base["is_valid"]
        self.facts.append(fact)
        for other in self.facts:
            for name in [n for n in other["waits"] if n in (fact["alias"], fact["key"])]:
                if place in (HOME, other["place"]):
                    other["waits"].remove(name)
                    self.rest(other, fact)
        if fact["needs_review"]:
            self.doubt(fact, {fact["id"]}, "")
        return fact

    def rest(self, fact: Row, base: Row) -> None:
        fact["depends_on"].append(base["id"])
        base["derived_facts"].append(fact["id"])

    def replace(self, old: Row | None, new: Row) -> None:
        if old is None:
            return
        within = ""
        if old["place"] == new["place"]:
            old["is_valid"], old["superseded_by"], new["supersedes"] = False, new["id"], old["id"]
            new["stands"] = old["stands"]
        else:
            new["stands"], within = old["id"], new["place"]
        self.doubt(old, {old["id"], new["id"]}, within)

    def doubt(self, base: Row, done: set[str], within: str) -> None:
        """Mark the facts that rest on a fact, and those on them; with `within`, only in that place."""
        for name in base["derived_facts"]:
            fact = self.by_id(name)
            if name not in done and not fact["needs_review"]:
                done.add(name)
                fact["needs_review"] = within in ("", fact["place"])
                self.doubt(fact, done, within)

    # --- what is said

    def hear(self, text: str, own: str, ts: str) -> None:
        if WHO.fullmatch(text) or self.follow(text, ts) or self.count(text, ts):
            return
        if (went := GOES.fullmatch(text)) and self.go_over(*went.groups(), ts):
            return
        said = LINES.fullmatch(text)
        key = said[1].replace(" ", "_") if said else ""
        told = {"key": key, "value": said[3] if said else text, "source": self.speaker()}
        old = self.meant(text, key)
        if said and old is None:
            scope, _, name = own.partition("/")
            self.add(told | {"scope": scope, "scope_id": name or None}, ts)
            return
        changes = said is None or said[2] != "is" or bool(NEWS.search(f"{key} {old and old['value']}"))
        if (
            old is not None
            and changes
            and rank(self.who["authority"]) >= old["rank"]
            and told["value"] != old["value"]
        ):
            value = text if subject(old["value"]) else told["value"]
            scoped = {"scope": old["scope"], "scope_id": old["scope_id"], "key": old["key"], "value": value}
            self.replace(old, self.add(told | scoped, ts))

    def speaker(self) -> Row:
        return {
            "type": "conversation",
            "authority": self.who["authority"],
            "turn_index": len(self.turns) - 1,
        }

    def follow(self, text: str, ts: str) -> bool:
        """Replace a person by a successor; whether a fact held that name."""
        match = NEXT.fullmatch(text)
        held = [fact for fact in self.facts if match and fact["is_valid"] and fact["value"] == match[1]]
        for fact in held:
            told = {"key": fact["key"], "value": match and match[2], "source": self.speaker()}
            self.replace(fact, self.add(told, ts))
        return bool(held)

    def count(self, text: str, ts: str) -> bool:
        """Replace a quantity by the one that follows from a difference; whether there was one."""
        for pattern, change in COUNTS:
            match = pattern.fullmatch(text)
            for fact in self.facts if match else ():
                figures = re.fullmatch(r"(\$?)(\d+)", str(fact["value"]))
                if match and figures and fact["is_valid"] and match[1] in ("", fact["key"]):
                    amount = f"{figures[1]}{change(int(figures[2]), int(match[2])):.0f}"
                    told = {"key": fact["key"], "value": amount, "source": self.speaker()}
                    self.replace(fact, self.add(told, ts))
                    return True
        return False

    def go_over(self, verb: str, value: str, ts: str) -> bool:
        """Replace a value by the one that somebody moved to; whether there was one."""
        for fact in self.facts:
            if (
                fact["is_valid"]
                and fact["key"] in OVER[verb].split()
                and rank(self.who["authority"]) >= fact["rank"]
            ):
                told = {"key": fact["key"], "value": value, "source": self.speaker()}
                self.replace(fact, self.add(told, ts))
                return True
        return False

    def meant(self, text: str, key: str) -> Row | None:
        """The fact that a sentence refers to: by its key, or by a value that is about the same."""
        for place in self.ladder(self.active):
            for fact in reversed(self.facts):
                about = subject(text) and subject(text) == subject(fact["value"])
                if fact["is_valid"] and fact["place"] == place and (fact["key"] == key or about):
                    return fact
        return None

    # --- reading

    def ladder(self, active: dict[str, str]) -> list[str]:
        return sorted([*active.values(), HOME], key=width)

    def look(self) -> None:
        """Find the active places of the query, and what holds in them."""
        active = dict(self.active)
        for fact in self.facts:
            name, prompt = str(fact["scope_id"] or ""), self.asked["prompt"].lower()
            named = name and re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", prompt)
            if named and not unreal(fact["place"]):
                active[kind(fact["place"])] = fact["place"]
        if where(self.asked) != HOME and not unreal(where(self.asked)):
            active[kind(where(self.asked))] = where(self.asked)
        self.seen = self.ladder(active)
        here = [fact for fact in self.facts if fact["is_valid"] and fact["place"] in self.seen]
        under = [f for f in here if any(self.over(f, wide) and f["rank"] < wide["rank"] for wide in here)]
        firm = [fact for fact in here if fact not in under]
        self.held = [fact for fact in firm if not any(self.over(near, fact) for near in firm)]

    def over(self, near: Row, wide: Row) -> bool:
        if width(near["place"]) >= width(wide["place"]):
            return False
        stands = near["stands"] and self.last(self.by_id(near["stands"])) is wide
        return near["key"] == wide["key"] or bool(stands)

    def value(self, name: str) -> Any:
        for place in self.seen:
            fact = self.named(name, place)
            if fact is not None:
                fact = self.last(fact)
                holder = [fact] if fact in self.held else [f for f in self.held if self.over(f, fact)]
                if holder:
                    return holder[0]["value"]
        return None

    def current(self, name: str) -> bool:
        for place in self.seen:
            fact = self.named(name, place)
            if fact is not None:
                return fact in self.held
        return False

    def named(self, name: str, place: str) -> Row | None:
        fact = self.find(name, place)
        return fact if fact is not None and fact["place"] == place else None

    # --- the context

    def may_see(self, text: Any) -> bool:
        title = self.who["authority"].lower()
        titles = [title, *(one.lower().rstrip("+") for one in self.who.get("permissions") or ())]
        return "[RESTRICTED" not in str(text) or any(one in ("vp", "cfo", "ceo", "policy") for one in titles)

    def stale(self, text: str) -> bool:
        """Whether a turn or a note states something superseded that nothing valid states."""
        live = [words(fact["value"]) for fact in self.held]
        live += [words(value) for _, value in self.environment.values()]
        dead = [words(fact["value"]) for fact in self.facts if fact not in self.held]
        dead += [words(value) for value in self.former]
        return any(one and one <= words(text) and not any(one <= other for other in live) for one in dead)

    def said(self) -> list[str]:
        lines = [
            note
            for note, place, expires in self.notes
            if place in self.seen and self.lasts(expires) and not note.startswith("[SCOPE")
        ]
        turns = [text for text in self.turns if not text.endswith("?") and self.scope(text) == HOME]
        turns = [text for text in turns if not self.broken(text)]
        return [line for line in lines + turns if not self.stale(line)]

    def broken(self, text: str) -> bool:
        """Whether a quoted share exceeds a maximum quoted with higher authority."""
        if (low := WHO.fullmatch(text)) is None:
            return False
        quoted = [match for turn in self.turns if (match := WHO.fullmatch(turn))]
        same = [high for high in quoted if high[2].split()[-1] == low[2].split()[-1]]
        return any(rank(high[1]) > rank(low[1]) and int(low[3]) > int(high[3]) for high in same)

    def scope(self, text: str) -> str:
        lowered = text.lower()
        if re.search(r"\bdraft\b", lowered):
            return "draft"
        return "task" if "for this exercise" in lowered else (
            "hypothetical" if re.search(SUPPOSED, lowered) else HOME
        )  # fmt: skip

    def printed(self, value: Any) -> str:
        return value if isinstance(value, str) else "none" if value is None else json.dumps(value)

    def line(self, fact: Row) -> str:
        mark = "" if fact["place"] == HOME else f" ({fact['place'].replace('/', ' ').strip()})"
        return f"{fact['key']}{mark}: {self.printed(fact['value'])}"

    def fit(self, header: str, lines: list[str], room: float) -> list[str]:
        """The lines closest to the question that fit, in their order."""
        asked = words(self.asked["prompt"])
        chosen: list[int] = []
        for n in sorted(range(len(lines)), key=lambda n: (-len(words(lines[n]) & asked), -n)):
            if len(" ".join([header, *(lines[m] for m in chosen), lines[n]]).split()) <= room:
                chosen.append(n)
        return [header, *(lines[n] for n in sorted(chosen))] if chosen else []

    def fit_facts(self, room: float) -> list[str]:
        """Constraints first, newest first, within their share if not all fit; then the closest facts."""
        held = [fact for fact in self.held if self.may_see(fact["value"])]
        limits = [self.line(f) for f in reversed(held) if f["is_constraint"] and not f["needs_review"]]
        lines = [line for line in map(self.line, held) if line not in limits]
        share = room * self.request.get("constraint_share", 0.3)
        if len(" ".join(["Facts:", *limits, *lines]).split()) <= room:
            share = room
        first: list[str] = []
        for line in limits:
            if len(" ".join([*first, line]).split()) <= share:
                first.append(line)
        rest = [*lines, *(line for line in reversed(limits) if line not in first)]
        used = len(" ".join(first).split())
        others = self.fit("Facts:", rest, room - used)
        return ["Facts:", *first, *others[1:]] if first else others

    def context(self) -> Row:
        room = self.request["budget"]
        identity = " ".join(f"User: {self.who['user_name']}, {self.who['authority']}".split()[:room])
        room -= len(identity.split())
        signals = [f"{key}: {value}" for key, (_, value) in self.environment.items() if self.may_see(value)]
        outside = self.fit("Now:", signals, room)
        room -= len(" ".join(outside).split())
        facts = self.fit_facts(room * self.request.get("fact_share", 0.7))
        room -= len(" ".join(facts).split())
        talk = self.fit("Said:", self.said(), room)
        parts = {"identity": [identity], "environment": outside, "facts": facts, "working_set": talk}
        sections = {name: "\n".join(lines) for name, lines in parts.items()}
        return {"text": "\n".join(text for text in sections.values() if text), "sections": sections}

    def answer(self) -> Row:
        lookup = self.request.get("lookup") or ()
        actor = self.request["timeline"]["actors"]["user"]["id"]
        who = {"user_id": actor, "permissions": [], "department": None, "organization": None} | self.who
        return {
            "context": self.context(),
            "facts": self.facts,
            "identity": who,
            "valid_facts": [fact["id"] for fact in self.held],
            "current_values": {name: self.value(name) for name in lookup},
            "is_current": {name: self.current(name) for name in lookup},
            "turn_scopes": {text: self.scope(text) for text in self.request.get("turns") or ()},
        }
