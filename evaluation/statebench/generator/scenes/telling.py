"""Writes a plot as a timeline in release format, with random names, values, phrasings and times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, cast

from evaluation.core.rng import Stream
from evaluation.core.sealing.keyed_ids import unit_id
from evaluation.statebench.generator.scenes import vocabulary as words
from evaluation.statebench.generator.scenes.acts import (
    SILENT,
    Act,
    Decision,
    Form,
    Kind,
    Plot,
    Role,
    Sort,
    Standing,
)
from evaluation.statebench.generator.scenes.beside import DECOY_SLOT, DECOY_VALUE, beside, decoys
from evaluation.statebench.generator.scenes.cast import Cast, Objects, Slot, slots_of
from evaluation.statebench.generator.scenes.clock import SPANS, Clock
from evaluation.statebench.generator.scenes.legal import BASE
from evaluation.statebench.generator.scenes.noise import Noise
from evaluation.statebench.generator.scenes.oracle import Machine
from evaluation.statebench.generator.scenes.phrases import ASKED, CHARTERS, COMMITTED, MAY_ASKED, SAID
from evaluation.statebench.generator.scenes.values import draw_values
from evaluation.statebench.records import Event, Fact, GroundTruth, Timeline, Write

VERSION = "statebench-scenes/1"
#: Tracks without writes: in the first the change must be only in words, in the second a write would reveal what "it"
#: is, and in the third no source of a write shows who is in charge.
SPOKEN = frozenset({"supersession_detection", "interruption_resumption", "delegation"})
#: Added to every question, so that "open" is an acceptable answer.
OPEN = "If that is open, say so."
#: How many of ten writable acts are written.
_WRITTEN = 4
#: Number of drill names.
_TASKS = 90
_WRITABLE = frozenset({Kind.SET, Kind.CORRECT, Kind.READ, Kind.DRAFT, Kind.SUPPOSE, Kind.SCOPED})
_SCOPES = {Kind.DRAFT: "draft", Kind.SUPPOSE: "hypothetical", Kind.SCOPED: "task"}
#: Tokens of a timeline without unrelated talk; other decoys are tried until it is short enough.
LONGEST = 200
#: Maximum acts of an easy and of a medium plot.
_EASY, _MEDIUM = 2, 4


def tell(plot: Plot, pool: Sequence[Plot], length: int, copy: int, seed: int, key: str) -> Timeline:
    """Write a template as a timeline, with a random decoy and unrelated talk.

    Decoys are tried until the timeline has at most LONGEST tokens. If none fits, the shortest timeline is returned.
    `length`: tokens of unrelated talk, 0 for none. `copy`: number of the timeline among those of the template at this
    length. Ids, names and values depend on `key`.
    """
    unit = ("scenes", seed, plot.track, plot.name, length, copy)
    name = unit_id(key, unit=":".join(map(str, unit)))
    draw = Stream(*unit, key)
    told: list[_Telling] = []
    for decoy in decoys(plot, pool, draw):
        told.append(_Telling(plot, decoy, length, seed, name, draw))
        told[-1].tell()
        if told[-1].needed <= LONGEST:
            break
    return min(told, key=lambda each: each.needed).row()


def length_label(tokens: int) -> str:
    """Write a number of tokens as a short label: "0", "8k", "1M"."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if tokens and tokens % size == 0:
            return f"{tokens // size}{unit}"
    return str(tokens)


class _Telling:
    def __init__(self, plot: Plot, decoy: Plot, length: int, seed: int, name: str, draw: Stream) -> None:
        self._template, self._decoy, self._plot = plot, decoy, beside(plot, decoy, draw)
        self._length, self._seed = length, seed
        self.id, self._draw = name, draw
        self.domain = draw.choice(list(words.DOMAINS))
        self._domain = domain = words.DOMAINS[self.domain]
        self._cast, self._objects = Cast(domain, draw), Objects(domain, draw)
        self._price, self._slots, self._values = "", dict[int, Slot](), dict[int, str]()
        self._draw_slots(decoy, DECOY_SLOT, DECOY_VALUE)
        self._draw_slots(plot, 0, 0)
        self._clock = Clock(self._plot.acts, draw.choice(list(SPANS)), draw)
        task = draw.below(_TASKS)
        self._tasks = [f"T-{10 + (task + more) % _TASKS}" for more in (0, 1 + draw.below(_TASKS - 1))]
        self._condition = draw.choice(words.CONDITIONS)
        self._events: list[Event] = []
        self._facts: list[Fact] = []
        self._names: list[str] = []  # evidence id of each act
        self._by: list[str] = []  # actor of each act
        self._written = 0
        self.needed = 0  # tokens so far, without unrelated talk
        self._noise = (
            Noise(plot.matter, self._slots[0].noun, domain, self._objects, self._cast, draw)
            if length
            else None
        )

    def _draw_slots(self, plot: Plot, first: int, least: int) -> None:
        """Draw slots, numbered from `first`, and values, numbered from `least`, for a plot. Overwrites `_price`."""
        draw = self._draw
        count = 1 + max(act.slot for act in plot.acts) + any(act.kind is Kind.LINK for act in plot.acts)
        slots = slots_of(plot.matter, count, self._domain, self._objects, draw)
        self._slots |= dict(enumerate(slots, first))
        values, self._price = draw_values(plot, [slot.noun for slot in slots], draw, self._values.values())
        self._values |= {least + number: text for number, text in values.items()}

    # --- story

    def tell(self) -> None:
        self._tell_charter()
        self._tell_acts()
        self._ask()

    def row(self) -> Timeline:
        domain, clock = self.domain, self._clock
        asker = self._cast.new_name()
        title = self._draw.choice(words.OTHER_TITLES)
        return {
            "id": self.id,
            "version": "1.0",
            "domain": domain,
            "track": self._plot.track,
            "difficulty": self._difficulty,
            "detection_mode": "implicit",
            "actors": {"user": {"id": "u1", "role": title, "org": domain}, "assistant_role": "AI_Agent"},
            "initial_state": {
                "identity_role": {
                    "user_name": asker,
                    "authority": title,
                    "department": domain.title(),
                    "organization": domain.title(),
                    "communication_style": None,
                },
                "persistent_facts": self._facts,
                "working_set": [],
                "environment": {"now": clock.start.isoformat()},
            },
            "events": self._events,
            "metadata": {
                "template_id": self._plot.name,
                "seed": self._seed,
                "generator_version": VERSION,
                "length": length_label(self._length),
                "span": clock.span,
            },
        }

    @property
    def _difficulty(self) -> str:
        acts = len(self._template.acts)
        return "easy" if acts <= _EASY else "medium" if acts <= _MEDIUM else "hard"

    def _tell_charter(self) -> None:
        match self._plot.matter:
            case "reading" | "gate":
                rule = "sensor"
            case "promise":
                rule = "promise"
            case "bound" | "kept":
                rule = "word"
            case _:
                rule = self._plot.standing
        slot = self._slots[0]
        text = _capital(CHARTERS[rule].format(**self._fields(slot)))
        source = {"type": "policy", "identity": None, "authority": "policy"}
        self._fact(f"rule_{slot.key}", text, source, is_constraint=True, constraint_type="policy")

    def _tell_acts(self) -> None:
        plot, machine = self._plot, Machine(self._plot.standing)
        parts = self._parts()
        before = self._clock.start
        for number, act in enumerate(plot.acts):
            time = self._clock.times[number]
            self._tell_noise(parts[number], before, time)
            live = machine.slot(act.slot).live
            machine.apply(number, act)
            after = machine.slot(act.slot).live
            replaced = live.because[-1] if live is not None and live.because and after is not live else None
            self._names.append(self._tell_act(number, act, time, replaced))
            before = time
        self._tell_noise(parts[-1], before, self._clock.now)

    def _parts(self) -> list[int]:
        acts = self._plot.acts
        # Talk between these acts would change the matter at hand.
        apart = any(act.kind in (Kind.FOCUS, Kind.RESUME, Kind.SAY_IT) for act in acts)
        starts = [0] if apart else [n for n, act in enumerate(acts) if act.kind not in SILENT]
        free = [*starts, len(acts)]
        shares = [1 + self._draw.below(9) for _ in free]
        parts = [0] * (len(acts) + 1)
        for place, share in zip(free, shares, strict=True):
            parts[place] = self._length * share // sum(shares)
        return parts

    def _tell_noise(self, tokens: int, begin: datetime, end: datetime) -> None:
        if self._noise is None:
            return
        asides = list(self._noise.asides(tokens))
        step = (end - begin) / (len(asides) + 1)
        for number, aside in enumerate(asides, 1):
            ts = (begin + step * number).isoformat(timespec="seconds")
            self._events.append(
                {"ts": ts, "type": "conversation_turn", "speaker": "user", "text": aside.text}
            )

    def _tell_act(self, number: int, act: Act, time: datetime, replaced: int | None) -> str:
        name, title = self._cast.identity(act.who)
        self._by.append(name)
        if act.kind in SILENT:
            return ""
        source = {
            "type": "system" if act.who is Role.SYSTEM else "user",
            "identity": name,
            "authority": title,
        }
        is_initial = number == 0 and act.kind is Kind.SET and self._plot.standing is Standing.PLAIN
        if is_initial and self._may_write(act):
            return self._fact(self._slots[act.slot].key, self._values[cast(int, act.value)], source)
        if act.kind in _WRITABLE and self._may_write(act):
            return self._write(act, time, source, replaced)
        text = f"[{name} ({title})]: {self._said(number, act)}"
        if act.who is Role.SYSTEM:
            text = f"[Sensor]: {self._said(number, act)}"
        return self._turn(act, time, text)

    def _may_write(self, act: Act) -> bool:
        return self._plot.track not in SPOKEN and act.value is not None and self._draw.below(10) < _WRITTEN

    def _said(self, number: int, act: Act) -> str:
        plot = self._decoy if act.slot >= DECOY_SLOT else self._template
        is_word = act.kind is Kind.COMMIT and plot.question.sort is Sort.LABEL
        phrase = self._draw.choice(COMMITTED if is_word else SAID[act.kind])
        fields = self._fields(self._slots[act.slot])
        fields["next"] = self._slots.get(act.slot + 1, self._slots[act.slot]).text
        fields["task"] = self._task(act)
        if act.value is not None:
            fields["v"] = self._values[act.value]
        if act.ref is not None:
            fields["by"] = self._by[act.ref]
            if act.ref in self._clock.ends:
                fields["t0"] = self._clock.label(self._clock.ends[act.ref])
        if number in self._clock.ends:
            fields["t"] = self._clock.label(self._clock.ends[number])
        return _capital(phrase.format(**fields))

    def _task(self, act: Act) -> str:
        return self._tasks[act.slot >= DECOY_SLOT]

    def _fields(self, slot: Slot) -> dict[str, str]:
        condition, met = (text.format(object=slot.object) for text in self._condition)
        roles = (Role.OWNER, Role.SENIOR, Role.PARTNER, Role.DELEGATE, Role.SUCCESSOR)
        people = {str(role): "{} ({})".format(*self._cast.identity(role)) for role in roles}
        return people | {
            "slot": slot.text,
            "Slot": _capital(slot.text),
            "object": slot.object,
            "condition": condition,
            "met": met,
            "price": self._price,
        }

    # --- events

    def _turn(self, act: Act, time: datetime, text: str) -> str:
        place: dict[str, Any] = {}
        if act.kind in (Kind.ENTER, Kind.SCOPED):
            place = {"scope": "task", "scope_id": self._task(act)}
        self.needed += len(text.split())
        self._add(time, "conversation_turn", speaker="user", text=text, **place)
        name = f"E{len(self._events) - 1}"
        if act.kind is Kind.LEAVE:
            self._add(time, "scope", action="leave", scope="task", scope_id=self._task(act))
        return name

    def _write(self, act: Act, time: datetime, source: dict[str, str], replaced: int | None) -> str:
        self._written += 1
        name, slot = f"W-{self._written:03d}", self._slots[act.slot]
        self.needed += 1 + len(self._values[cast(int, act.value)].split())
        old = self._names[replaced] if replaced is not None else ""
        supersedes = old if old[:1] in ("W", "F") and act.kind in (Kind.SET, Kind.CORRECT) else None
        write: dict[str, object] = {
            "id": name,
            "key": slot.key,
            "value": self._values[cast(int, act.value)],
            "source": source,
            "scope": _SCOPES.get(act.kind, "global"),
            "supersedes": supersedes,
            "depends_on": [],
            "is_constraint": False,
            "constraint_type": None,
            "layer": "persistent_facts",
        }
        if act.kind is Kind.SCOPED:
            write["scope_id"] = self._task(act)
        self._add(time, "supersession" if supersedes else "state_write", writes=[cast(Write, write)])
        return name

    def _fact(self, key: str, value: str, source: dict[str, Any], **fields: object) -> str:
        name = f"F-{len(self._facts):03d}"
        self.needed += 1 + len(value.split())
        fact = {
            "id": name,
            "key": key,
            "value": value,
            "source": source,
            "ts": self._clock.start.isoformat(),
            "is_valid": True,
            "scope": "global",
            "supersedes": None,
            "depends_on": [],
            "is_constraint": False,
            "constraint_type": None,
        }
        self._facts.append(cast(Fact, fact | fields))
        return name

    def _add(self, time: datetime, type: str, **fields: object) -> None:
        self._events.append(cast(Event, {"ts": time.isoformat(timespec="seconds"), "type": type, **fields}))

    # --- question

    def _ask(self) -> None:
        question, draw = self._plot.question, self._draw
        fields = self._fields(self._slots[0])
        if question.asked is not None:
            fields["v"] = self._values[question.asked]
        matter = self._plot.matter
        phrases = MAY_ASKED[matter] if question.form is Form.MAY else ASKED[question.form]
        asked = draw.choice(phrases).format(**fields)
        prompt = f"It is {self._clock.label(self._clock.now)}. {asked} {OPEN}"
        self._add(self._clock.now, "query", prompt=prompt, ground_truth=self._truth())

    def _truth(self) -> GroundTruth:
        gold = self._plot.gold
        value = self._values[gold.value] if gold.value is not None else None
        decision = value if value is not None else str(gold.decision)
        dead = [self._names[place] for place in gold.dead]
        others = list(dict.fromkeys(self._dead_values())) if gold.decision is Decision.VALUE else []
        return {
            "decision": decision,
            "decision_type": "freeform" if value is not None else "binary",
            "must_mention": [value] if value is not None else [],
            "must_not_mention": [{"phrase": other, "kind": "superseded"} for other in others],
            "allowed_sources": ["persistent_facts"],
            "reasoning": None,
            "required_facts": [],
            "forbidden_facts": [],
            "supersession_detection": None,
            "failure_severity": "medium",
            "failure_category": None,
            "weights": None,
            "answer": {
                "decision": gold.decision.value,
                "value": value,
                "because": [self._names[place] for place in gold.because if self._names[place]],
                "dead": dead,
            },
        }

    def _dead_values(self) -> Iterator[str]:
        for place in self._plot.gold.dead:
            value = self._plot.acts[place].value
            if value is not None and value < BASE:
                yield self._values[value]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
