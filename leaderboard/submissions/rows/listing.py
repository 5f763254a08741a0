"""Lists the rows of a version, filtered by label, id, and outcome in a submission."""

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
#: Values of the filter by outcome, besides codes of failures.
RIGHT, ANY = "right", "any"


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter of rows by a label. Each of `choices` is (value, shown text, number of rows, is chosen)."""

    name: str
    label: str
    choices: Sequence[tuple[str, str, int, bool]]


@dataclass(frozen=True, slots=True)
class Listed:
    """A row in the list. `state` is right or wrong in the chosen submission, and empty without one."""

    id: str
    question: str
    labels: Sequence[str]
    state: str = ""
    failure: str = ""


class Listing:
    def __init__(
        self, version: Version, index: Index, query: QueryDict, submission: Submission | None
    ) -> None:
        """Read the filters from the page's query string.

        These are `q` (id), `failure` (outcome), `label` (any label), or a single label by `key_of` its name.
        """
        self.version, self.index, self.query, self.submission = version, index, query, submission
        self.text = query.get("q", "").strip()
        self.any_labels = [label for label in query.getlist("label") if label]
        self.failure = query.get("failure", "") if submission else ""
        self._failures = _failures(submission) if submission else {}

    @property
    def choices(self) -> list[Choice]:
        """The filters by label, with the number of rows that have each value."""
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
        """The choices of the filter by outcome: (value, label, number of rows, is chosen)."""
        counts = Counter(failure or RIGHT for failure in self._failures.values())
        rights, wrongs = counts.pop(RIGHT, 0), counts.total()
        several = [(RIGHT, "right", rights), (ANY, "not right", wrongs)]
        single = [(code, label(code).lower(), rows) for code, rows in counts.most_common()]
        return [
            (value, words, rows, value == self.failure) for value, words, rows in [*several, *single] if rows
        ]

    @property
    def is_filtered(self) -> bool:
        by_label = any(self.query.get(key_of(name)) for name in self.index.names)
        return bool(self.text or self.failure or self.any_labels or by_label)

    def page(self, number: Any) -> Page[Listed]:
        page: Page[Any] = Paginator(self.places(), PAGE_SIZE).get_page(number)
        names = self.index.names
        page.object_list = [self._listed(place, names) for place in page.object_list]
        return page

    def places(self) -> list[int]:
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
    return name.lower().replace(" ", "_")


def chosen_submission(version: Version, query: QueryDict, user: Any) -> Submission | None:
    """Return the submission whose id is `system` in the query, or None if the user may not see it."""
    try:
        pk = UUID(query.get("system", ""))
    except ValueError:
        return None
    found = (
        Submission.objects.visible_to(user).with_names().filter(version=version, score__isnull=False, pk=pk)
    )
    return found.exclude(source=Submission.Source.MEAN).first()


def _failures(submission: Submission) -> dict[str, str | None]:
    file = files.opened(submission.score.verdicts_sha256)  # type: ignore[union-attr]  # one with a score
    columns = file.columns(["id", "failure"])
    return dict(zip(columns["id"], columns["failure"], strict=True))


def _natural(pair: tuple[str, int]) -> tuple[int, float, str]:
    text = pair[0]
    digits, unit = text[:-1], {"k": 1e3, "m": 1e6}.get(text[-1:], 0)
    if unit and digits.isdecimal():
        return 0, int(digits) * unit, text
    try:
        return 0, float(text), text
    except ValueError:
        return 1, 0, text
