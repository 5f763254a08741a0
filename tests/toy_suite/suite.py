"""Sums: add up a few numbers; a split is a length of the list. docs/suites.md quotes this file."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from evaluation.core.metric import Columns, Metric, every
from evaluation.core.plugin import Axis, Bars, Display, Lines, Place, SplitPage, SplitWords
from evaluation.core.settings import StrictInt
from evaluation.core.suite import Fields, Preset, Suite, SystemSpec
from evaluation.core.suite.plain import PlainVersion
from evaluation.core.suite.settings import SeededSettings


class Settings(SeededSettings):
    """The settings of a version of sums."""

    sheets: StrictInt = Field(12, ge=1, le=1000, description="Sheets, each with a row of every length.")
    lengths: tuple[StrictInt, ...] = Field((2, 4, 8), description="How many numbers the rows have.")


def read_column(name: str) -> Callable[[Columns], Any]:
    """Read a column of the results of `judge`, [rows]."""
    return lambda columns: columns[name]


METRICS = (
    Metric(
        "exact_sum",
        "Exact sums",
        "Rows with the right sum.",
        every,
        read_column("right"),
        headline=True,
        by_split=True,
    ),
    Metric(
        "near_sum",
        "Near sums",
        "Rows whose answer is at most 1 off.",
        every,
        read_column("near"),
        by_split=True,
    ),
    Metric(
        "mean_error",
        "Mean error",
        "How far numbers are off, where there is one.",
        read_column("read"),
        read_column("error"),
        better="lower",
        format="count",
    ),
)
EXACT = Axis("exact_sum", "Exact sums")
OVER_LENGTH = Lines(
    "sum-length",
    "Sums over length",
    "Rows with the right sum, by how many numbers there are.",
    grouping="length",
    rate=EXACT,
    places=lambda settings: [Place(f"{n}", "All rows", n) for n in settings["lengths"]],
    series="Rows",
    x="Numbers",
    x_title="Numbers in a row",
    numbers=True,
)
SYSTEMS_BY_SUMS = Bars(
    "sums", "Exact sums", "The bar is the rate.", grouping="length", rate=EXACT, groups="Length"
)
DISPLAY = Display(
    summary="Lists of numbers: is their sum right?",
    unit="sheet",
    plots=(OVER_LENGTH,),
    page=SplitPage(
        slug="lengths",
        grouping="length",
        noun="length",
        whole="All lengths",
        help="How far each system can count.",
        plot=SYSTEMS_BY_SUMS,
        heading="The systems",
    ),
    splits=SplitWords(noun="length", help="Each has rows of one length."),
    parameters={"length": "Rank by the rows of one length."},
    demo=("small",),
)


@dataclass(frozen=True)
class Adder:
    """Adds up the first `most` numbers of a row."""

    name: str
    most: int
    kind, reference, contexts = "baseline", "", 0

    @property
    def description(self) -> str:
        return f"Adds up the first {self.most} numbers."

    @property
    def build(self) -> Callable[[], Adder]:
        return lambda: self

    def predict(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {"id": row["id"], "value": sum(map(int, row["numbers"].split()[: self.most]))}


SYSTEMS = {each.name: each for each in (Adder("adder", 1000), Adder("first_two", 2), Adder("first_four", 4))}


class SumsVersion(PlainVersion):
    """A version of sums. Members that are not here are those of `PlainVersion`."""

    settings: Settings
    grader, rates, facet = "toy/1", METRICS, "length"

    def rows(self) -> Iterator[dict[str, Any]]:
        settings = self.settings
        draw = random.Random(settings.seed)
        for sheet in map(str, range(settings.sheets)):
            for length in settings.lengths:
                numbers = [draw.randint(10, 99) for _ in range(length)]
                yield {
                    "id": settings.row_name(sheet, "sum", str(length)),
                    "unit": settings.unit_name(sheet),
                    "split": str(length),
                    "question": "What is the sum?",
                    "numbers": " ".join(map(str, numbers)),
                    "gold": sum(numbers),
                }

    def judge(self, gold: int, prediction: dict[str, Any] | None) -> dict[str, Any]:
        try:
            error = abs(int(prediction["value"]) - gold) if prediction else None
        except (TypeError, ValueError):
            error = None
        near = error is not None and error <= 1
        result = {"right": error == 0, "near": near, "read": error is not None, "error": error}
        return (
            result if error == 0 else result | {"failure": "wrong_sum", "reason": "The sum is another one."}
        )


class Sums(Suite):
    """The suite of sums. Members that are not here are those of `Suite`."""

    name, title = "toy", "Sums"
    settings, display = Settings, DISPLAY
    fields = Fields(texts=("question", "numbers"))

    def presets(self) -> Mapping[str, Preset]:
        return {"small": Preset({}), "one_length": Preset({"lengths": [3]})}

    def version(self, settings: Mapping[str, Any]) -> SumsVersion:
        return SumsVersion(self, Settings.from_json(settings))

    def systems(self) -> Mapping[str, SystemSpec]:
        return SYSTEMS


SUITE = Sums()
