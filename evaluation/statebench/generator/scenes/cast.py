"""Names the people and the slots of a timeline."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.core.rng import Stream
from evaluation.statebench.generator.scenes import vocabulary as words
from evaluation.statebench.generator.scenes.acts import Role
from evaluation.statebench.generator.scenes.values import person
from evaluation.statebench.generator.scenes.vocabulary import Domain, Noun

APPROVAL = Noun("", "approval")


@dataclass(frozen=True, slots=True)
class Slot:
    text: str  # "the budget of the Marlin site"
    object: str  # "the Marlin site"
    noun: Noun

    @property
    def key(self) -> str:
        """Return the key of the slot's fact, such as "budget_marlin_site"."""
        skipped = ("the", "of", "for", "at", "to", "in")
        return "_".join(word for word in self.text.lower().split() if word not in skipped)


class Cast:
    """The people of a timeline. No two of them share a first or last name."""

    def __init__(self, domain: Domain, draw: Stream) -> None:
        self._domain, self._draw = domain, draw
        self._taken: set[str] = set()
        self._known: dict[Role, tuple[str, str]] = {}

    def identity(self, role: Role) -> tuple[str, str]:
        """Return the name and title of a role. Bystanders, peers and guests are new people each time."""
        if role in (Role.BYSTANDER, Role.PEER, Role.GUEST):
            return self.new_name(), self._draw.choice(self._titles(role))
        if role not in self._known:
            self._known[role] = self.new_name(), self._draw.choice(self._titles(role))
        return self._known[role]

    def new_name(self) -> str:
        while True:
            name = person(self._draw)
            parts = set(name.split())
            if not parts & self._taken:
                self._taken |= parts
                return name

    def has(self, name: str) -> bool:
        """True if a first or last name in `name` is already taken."""
        return not self._taken.isdisjoint(name.split())

    def _titles(self, role: Role) -> tuple[str, ...]:
        match role:
            case Role.OWNER:
                return self._domain.titles
            case Role.SENIOR:
                return words.SENIOR_TITLES
            case Role.PEER:
                return words.PEER_TITLES
            case Role.GUEST:
                return words.GUEST_TITLES
            case Role.DELEGATE | Role.SUCCESSOR:
                return words.DELEGATE_TITLES
            case Role.PARTNER:
                return ("Client", "Partner")
            case _:
                return words.OTHER_TITLES


def nouns_of(matter: str, domain: Domain) -> tuple[Noun, ...]:
    """Return the nouns that a domain offers for a kind of subject, such as "quantity" or "approval"."""
    match matter:
        case "quantity":
            return domain.quantities
        case "reading":
            return domain.readings
        case "derived":
            return words.DERIVED
        case "promise":
            return words.PROMISES
        case "cap":
            return tuple(Noun(text, "money") for text in domain.caps)
        case "approval":
            return tuple(Noun(text, matter) for text in domain.approvals)
        case "derived approval":
            return tuple(Noun(text, matter) for text in words.DERIVED_APPROVALS)
        case "gate":
            return tuple(Noun(text, matter) for text in domain.gates)
        case _:
            return tuple(Noun(f"the promise to {deed}", matter) for deed in domain.deeds)


class Objects:
    """The objects of a timeline. Each has a unique code name."""

    def __init__(self, domain: Domain, draw: Stream) -> None:
        self._domain, self._draw = domain, draw
        self._names = list(words.CODE_NAMES)
        draw.shuffle(self._names)

    def new(self) -> str:
        return self._draw.choice(self._domain.objects).format(self._names.pop())

    @property
    def left(self) -> int:
        return len(self._names)


def slots_of(matter: str, number: int, domain: Domain, objects: Objects, draw: Stream) -> list[Slot]:
    """Draw the slots of a plot. The name of each slot is a noun with an object: "the repair cap of the barn"."""
    noun = draw.choice(nouns_of(matter, domain))
    first = objects.new()
    slots = [Slot(f"{noun.text} {first}", first, noun)]
    if matter.startswith("derived"):
        base = draw.choice(words.BASES)
        return [*slots, Slot(f"{base.text} {first}", first, base)]
    for _ in range(number - 1):
        other = objects.new()
        slots.append(Slot(f"{noun.text} {other}", other, noun))
    return slots
