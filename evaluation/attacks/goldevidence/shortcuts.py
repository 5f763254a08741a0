"""Attackers that use only positions, ids or names. If one beats guessing, the version gives answers away."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from evaluation.attacks.goldevidence.view import RowView, asked, cites
from evaluation.attacks.plan import Answers, Example, PublicLine, Untaught
from evaluation.attacks.table_reader import RHYTHMS, Feature, TableReader
from evaluation.goldevidence.records import EpisodePrediction

VIEW = RowView()
PLACES = ("first", "last", "part")
BY_ID = (*PLACES, "low", "high")
#: Possible fields of `meta` in any version.
NAMES = (
    "query_type", "derived_op", "derived_manager", "requires_citation", "max_support_k", "key", "query_sandwich",
    "condition", "state_mode", "distractor_profile", "q_index", "seed", "twin_variant", "twin_group",
)  # fmt: skip


class LastLine(Untaught):
    """Cites the last line shown, whatever the question is."""

    def __call__(self, line: PublicLine) -> Iterator[EpisodePrediction]:
        question = asked(line)
        yield cites(question, question.lines[-1]) if question.lines else VIEW.nothing(question)


def position_reader(examples: Sequence[Example]) -> Answers:
    """Make an attacker that cites the line at a fixed position. It learns a position for each number of lines."""
    features: dict[str, Feature[Any]] = {
        "what is shown": _shown,
        "how many lines": lambda question: (_shown(question), min(len(question.lines), 40)),
    }
    return TableReader(VIEW, features, examples, PLACES)


def id_reader(examples: Sequence[Example]) -> Answers:
    """Make an attacker that answers by the ids of rows and lines, and by the length and place of a row in the file."""
    features: dict[str, Feature[Any]] = {"what is shown": _shown}
    for name, read in _ids().items():
        features[name] = _beside(read)
    return TableReader(VIEW, features, examples, BY_ID)


def name_reader(examples: Sequence[Example]) -> Answers:
    """Make an attacker that answers by metadata: the names of a row's fields, and the values in `meta`."""
    features: dict[str, Feature[Any]] = {
        "what is shown": _shown,
        "fields": lambda question: (*sorted(question.row), *sorted(question.row["meta"])),
    }
    for name in NAMES:
        features[name] = _beside(_named(name))
    return TableReader(VIEW, features, examples, PLACES)


def _ids() -> Mapping[str, Feature[Any]]:
    return {
        "first digit": lambda question: question.row["id"][1:2],
        "last digit": lambda question: question.row["id"][-1:],
        "parity of the id": lambda question: sum(map(ord, question.row["id"])) % 2,
        "end of the id": lambda question: question.row["id"].rpartition("@")[2].rpartition("-")[2],
        "last digit of the episode": lambda question: str(question.row.get("episode_id", ""))[-1:],
        "length of the line": lambda question: question.line.length,
        **RHYTHMS,
    }


def _shown(question: Any) -> Hashable:
    row = question.row
    return tuple(name for name in ("candidates", "book", "document") if row.get(name) is not None)


def _beside(read: Feature[Any]) -> Feature[Any]:
    """Combine a feature with the kind of text (candidates, book or log), because positions differ between kinds."""
    return lambda question: (_shown(question), read(question))


def _named(name: str) -> Feature[Any]:
    return lambda question: str(question.row["meta"].get(name))
