"""The public rows of a version on their way into its file: in the order of their ids, of one length, and looked at."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any

from evaluation.core import jsonl
from evaluation.core.files.spool import LineSpool, Reordered
from evaluation.core.sealing import keyed_ids
from evaluation.core.sealing.leaks import Form, LeakCheck, form, padded
from leaderboard.benchmarks import canary
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.storage import Writer

#: Rows between two calls of what says that the work goes on.
EVERY = 500


def is_shuffled(version: Version) -> bool:
    """Whether the rows stand in the order of keyed ids, which is none: those whose gold is not in the file."""
    with_gold = version.settings.get("public_gold", False)
    old = version.sample and not keyed_ids.is_keyed(version.sample.get("id"))  # frozen before
    return not (version.is_import or with_gold or old)


def in_file_order(version: Version, verdicts: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """The verdicts as the public rows stand: graded unit by unit, a place among them would tell unit and condition."""
    if not is_shuffled(version):
        return verdicts
    lines = [verdict["id"].partition("#")[0] for verdict in verdicts]  # a timeline's queries stay as they are
    return Reordered(verdicts, sorted(range(len(lines)), key=lines.__getitem__))


class PublicRows:
    """Takes the rows as they are made, then writes what others download.

    Rows without gold that we generate stand in the order of their ids, which are keyed hashes, so all have to be there
    before the first is written: they wait in a temporary file. Rows with gold have no order to hide, and the units stay
    together; those of an imported file keep ids, labels and order.
    """

    def __init__(self, version: Version) -> None:
        self._suite, self._imported = version.suite, version.is_import
        self._with_gold = bool(version.settings.get("public_gold", False))
        self._mark = {canary.FIELD: canary.canary_text(version)}
        self._lines, self._ids = LineSpool(), list[str]()
        self._forms: dict[Form, int] = {}
        self._form_of = array("H")
        self._longest: list[int] = []
        self._check = LeakCheck(self._suite, version.settings, self._mark) if is_shuffled(version) else None
        self.sample: dict[str, Any] = {}

    def add(self, row: dict[str, Any]) -> None:
        """Take a row with its gold."""
        shown = (row if self._with_gold else self._public(row)) | self._mark
        line = jsonl.dumps(shown)
        number = self._forms.setdefault(form(shown), len(self._forms))
        if number == len(self._longest):
            self._longest.append(0)
        self._longest[number] = max(self._longest[number], len(line))
        self._form_of.append(number)
        self._ids.append(str(row["id"]))
        self._lines.add(line)

    def write(self, out: Writer, beat: Callable[[], None]) -> None:
        """Write the lines, and choose one as the version's `sample`. Raises LeakError where they tell too much."""
        numbers = range(len(self._lines))
        order = sorted(numbers, key=self._ids.__getitem__) if self._check else numbers
        for count, number in enumerate(order):
            line = self._line(number)
            if not self.sample and self._form_of[number] == self._form_of[0]:
                self.sample = self._public(jsonl.parse(line))
            out.write_line(line)
            if count % EVERY == 0:
                beat()

    def _line(self, number: int) -> bytes:
        line = self._lines.line(number)
        if self._check is None:
            return line
        line = padded(line, self._longest[self._form_of[number]])
        self._check.line(line)
        return line

    def _public(self, row: dict[str, Any]) -> dict[str, Any]:
        return self._suite.public_row(row, labels=self._imported)
