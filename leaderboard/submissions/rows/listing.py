"""The rows of a version under filters: by their labels, by their ids, by what became of them in a submission."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.http import QueryDict

from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission
from leaderboard.submissions.rows.store import Index
from leaderboard.submissions.scores.score_tables import label
from leaderboard.submissions.verdicts import files

PAGE_SIZE = 50  # rows, as on a board
#: A system's rows may be those that are right, those with any failure, or those with one.
RIGHT, ANY = "right", "any"


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter with its choices: (value, label, rows, whether it is chosen)."""

    name: str
    label: str
    choices: Sequence[tuple[str, str, int, bool]]


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of the list. `state` is right or wrong where a system is chosen."""

    id: str
    question: str
    labels: Sequence[str]
    state: str = ""
    failure: str = ""


class Listing:
    """The rows that an address asks for."""

    def __init__(
        self, version: Version, index: Index, query: QueryDict, submission: Submission | None
    ) -> None:
        """Nothing is read yet but the verdicts of the submission that is chosen.

        Args:
            version: That the rows are of.
            index: Its questions.
            query: Of the address: a label by the name of what it is of, or `label`, one of whatever; `q`, `failure`.
            submission: Of the system that is chosen, whose verdicts the reader may see.
        """
        self.version, self.index, self.query, self.submission = version, index, query, submission
        self.text = query.get("q", "").strip()
        self.any_labels = [label for label in query.getlist("label") if label]
        self.failure = query.get("failure", "") if submission else ""
        self._failures = _failures(submission) if submission else {}

    @property
    def choices(self) -> list[Choice]:
        """The filters by labels, each with how many rows of the version have it."""
        found = []
        for name in self.index.names:
            counts = Counter(labels[name] for labels in self.index.labels if name in labels)
            chosen = self.query.get(key_of(name), "")
            found.append(
                Choice(
                    key_of(name),
                    name,
                    [
                        (value, value, rows, value == chosen)
                        for value, rows in sorted(counts.items(), key=_natural)
                    ],
                )
            )
        return found

    @property
    def failures(self) -> list[tuple[str, str, int, bool]]:
        """What became of rows in the submission that is chosen."""
        counts = Counter(failure or RIGHT for failure in self._failures.values())
        rights, wrongs = counts.pop(RIGHT, 0), counts.total()
        several = [(RIGHT, "right", rights), (ANY, "not right", wrongs)]
        single = [(code, label(code).lower(), rows) for code, rows in counts.most_common()]
        return [
            (value, words, rows, value == self.failure) for value, words, rows in [*several, *single] if rows
        ]

    @property
    def is_filtered(self) -> bool:
        """Whether any filter is chosen."""
        by_label = any(self.query.get(key_of(name)) for name in self.index.names)
        return bool(self.text or self.failure or self.any_labels or by_label)

    def page(self, number: Any) -> Page[Listed]:
        """One page of rows, in the order of the version's file.

        Args:
            number: Of the page, as an address has it.
        """
        page: Page[Any] = Paginator(self.places(), PAGE_SIZE).get_page(number)
        names = self.index.names
        page.object_list = [self._listed(place, names) for place in page.object_list]
        return page

    def places(self) -> list[int]:
        """Where the rows stand in the index."""
        labels = {name: value for name in self.index.names if (value := self.query.get(key_of(name)))}
        text = self.text.lower()
        return [
            place
            for place, row_id in enumerate(self.index.ids)
            if (not text or text in row_id.lower() or text in self.index.questions[place].lower())
            and all(self.index.labels[place].get(name) == value for name, value in labels.items())
            and all(label in self.index.labels[place].values() for label in self.any_labels)
            and self._takes(row_id)
        ]

    def _takes(self, row_id: str) -> bool:
        if not self.failure:
            return True
        if row_id not in self._failures:
            return False
        failure = self._failures[row_id]
        match self.failure:
            case "right":
                return failure is None
            case "any":
                return failure is not None
            case _:
                return failure == self.failure

    def _listed(self, place: int, names: Sequence[str]) -> Listed:
        row_id, labels = self.index.ids[place], self.index.labels[place]
        shown = [labels.get(name, "") for name in names]
        if row_id not in self._failures:
            return Listed(row_id, self.index.questions[place], shown)
        failure = self._failures[row_id]
        state = "wrong" if failure else "right"
        return Listed(
            row_id, self.index.questions[place], shown, state, label(failure) if failure else "Right"
        )


def key_of(name: str) -> str:
    """What an address calls the filter by a label.

    Args:
        name: What the label is of.
    """
    return name.lower().replace(" ", "_")


def chosen_submission(version: Version, query: QueryDict, user: Any) -> Submission | None:
    """The submission whose answers an address asks about, if the reader may see it; None for all others.

    Args:
        version: That it is of.
        query: Of the address: `system`, the id of a submission.
        user: The reader.
    """
    try:
        pk = UUID(query.get("system", ""))
    except ValueError:
        return None
    found = (
        Submission.objects.visible_to(user).with_names().filter(version=version, score__isnull=False, pk=pk)
    )
    return found.exclude(source=Submission.Source.MEAN).first()


def _failures(submission: Submission) -> dict[str, str | None]:
    """row id -> the code of what is wrong, None for nothing."""
    file = files.opened(submission.score.verdicts_sha256)  # type: ignore[union-attr]  # one with a score
    columns = file.columns(["id", "failure"])
    return dict(zip(columns["id"], columns["failure"], strict=True))


def _natural(pair: tuple[str, int]) -> tuple[int, float, str]:
    """Lengths and shares by their size, and words by their letters."""
    text = pair[0]
    digits, unit = text[:-1], {"k": 1e3, "m": 1e6}.get(text[-1:], 0)
    if unit and digits.isdecimal():
        return 0, int(digits) * unit, text
    try:
        return 0, float(text), text
    except ValueError:
        return 1, 0, text
