"""State modes: the form of an episode's values, how they change, and the questions about them.

`MODES` contains every difference between the modes. Values are strings, as in a ledger line. `a` and `b` are uniform
random 32-bit integers; `pool` lists the managers of a relational episode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from evaluation.goldevidence.generator.prf import below

COLORS = ("amber", "cobalt", "crimson", "indigo", "jade", "mauve", "ochre", "sable", "teal", "violet")
STARS = ("altair", "ariel", "cosmo", "deneb", "lyra", "nova", "orion", "rigel", "sirius", "vega")
LARGEST_SET = 6

Pool = Sequence[str]
Move = Callable[[str | None, int, int, Pool], str]


@dataclass(frozen=True, slots=True)
class Mode:
    """One state mode: the form of an episode's values, and how they change.

    `move` draws a plausible next value that differs from the current value (None: no current value). `flip` draws a
    value with another derived answer. `derive` returns the derived answer for one value; it is None if that answer
    depends on several keys.
    """

    move: Move
    flip: Callable[[str, int, int, Pool], str]
    derived_op: str
    derive: Callable[[str], str] | None
    ask: str  # the direct question
    ask_derived: str
    notes: bool = False  # the ledger has NOTE lines


@cache
def managers(keys: int) -> Pool:
    """Return the managers of an episode: fewer than keys, so that some managers have several reports."""
    return tuple(f"{STARS[i % 10]}-{137 * (i + 1) % 1000:03d}" for i in range(max(2, 2 * keys // 3)))


def _move_color(current: str | None, a: int, b: int, pool: Pool) -> str:
    value = f"{COLORS[a * 10 >> 32]}-{b * 10_000 >> 32:04d}"
    return value if value != current else _flip_color(value, a, b, pool)


def _flip_color(current: str, a: int, b: int, pool: Pool) -> str:
    color = COLORS.index(color_of(current)) + 1 + below(a, 9)
    return f"{COLORS[color % 10]}-{below(b, 10_000):04d}"


def _move_counter(current: str | None, a: int, b: int, pool: Pool) -> str:
    count, change = int(current or 0), 1 + below(b, 5)
    falls = current is not None and count >= change and below(a, 4) == 0
    return str(count - change if falls else count + change)


def _flip_counter(current: str, a: int, b: int, pool: Pool) -> str:
    return str(int(current) + 1 + 2 * below(a, 3))


def _move_set(current: str | None, a: int, b: int, pool: Pool) -> str:
    """Add or remove one member of a set. The last member is never removed, because only CLEAR empties a set."""
    members = current.split(",") if current else []
    leaves = len(members) > 1 and (len(members) >= LARGEST_SET or below(a, 3) == 0)
    if leaves:
        del members[below(b, len(members))]
        return ",".join(members)
    number = below(b, 10_000)
    while (joining := f"item{number:04d}") in members:
        number = (number + 1) % 10_000
    return ",".join(sorted([*members, joining]))


def _move_manager(current: str | None, a: int, b: int, pool: Pool) -> str:
    value = pool[below(a, len(pool))]
    return value if value != current else pool[(pool.index(value) + 1 + below(b, len(pool) - 1)) % len(pool)]


def color_of(value: str) -> str:
    """Return the color of a value: `teal-0042` -> `teal`."""
    return value.rpartition("-")[0]


def parity_of(value: str) -> str:
    """Return the parity of a value: `-3` -> `odd`."""
    return "odd" if int(value) % 2 else "even"


def size_of(value: str) -> str:
    """Return the number of members: `item0001,item0002` -> `2`."""
    return str(value.count(",") + 1)


_KV = Mode(
    move=_move_color,
    flip=_flip_color,
    derived_op="color",
    derive=color_of,
    ask="What is the current value of {key}?",
    ask_derived="Which color does the current value of {key} begin with (the word before the hyphen)?",
)

MODES: dict[str, Mode] = {
    "kv": _KV,
    "kv_commentary": Mode(
        move=_KV.move,
        flip=_KV.flip,
        derived_op=_KV.derived_op,
        derive=_KV.derive,
        ask=_KV.ask,
        ask_derived=_KV.ask_derived,
        notes=True,
    ),
    "counter": Mode(
        move=_move_counter,
        flip=_flip_counter,
        derived_op="parity",
        derive=parity_of,
        ask="What is the current count of {key}?",
        ask_derived='Is the current count of {key} "even" or "odd"?',
    ),
    "set": Mode(
        move=_move_set,
        flip=_move_set,
        derived_op="count",
        derive=size_of,
        ask="Which members does {key} currently hold (comma-separated, sorted, no spaces)?",
        ask_derived="How many members does {key} currently hold?",
    ),
    "relational": Mode(
        move=_move_manager,
        flip=_move_manager,
        derived_op="reports",
        derive=None,
        ask="Who is the current manager of {key}?",
        ask_derived="Which tags currently report to {manager} (comma-separated, sorted, no spaces)?",
    ),
}
