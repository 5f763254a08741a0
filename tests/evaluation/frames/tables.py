"""Made-up tables, verdicts and reports for tests."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st

from evaluation.core.report import Report
from evaluation.frames.schema import Field, Kind, Table

EVERY_KIND = Table("kinds", "One column of each kind.", tuple(Field(kind, kind, "") for kind in Kind))
#: CSV has no empty text, and no text of half a surrogate pair can be written.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
VALUES = {
    Kind.TEXT: TEXTS,
    Kind.CATEGORY: st.sampled_from(["a", "b", "c d"]),
    Kind.INTEGER: st.integers(-(2**63), 2**63 - 1),
    Kind.NUMBER: st.floats(allow_nan=False, allow_infinity=False),
    Kind.BOOLEAN: st.booleans(),
    Kind.TIME: st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)).map(lambda t: t.replace(tzinfo=UTC)),
    Kind.JSON: st.sampled_from(["{}", '{"a":[1,null]}']),
}
RECORDS = st.lists(
    st.fixed_dictionaries({kind: st.none() | values for kind, values in VALUES.items()}), max_size=12
)

VERDICT = st.fixed_dictionaries(
    {
        "unit": st.sampled_from(["E1", "E2"]),
        "condition": st.sampled_from(["closed_book", "k4-gold_last", "k4-gold_first"]),
        "correct": st.sampled_from([0, 1, None]),
        "failure": st.sampled_from([None, None, "wrong_value", "missing"]),
        "reason": st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
        "gold": st.fixed_dictionaries({"value": st.none() | st.integers(0, 9)}),
    },
    optional={"in_headline": st.just(False), "gold_shown": st.booleans()},
)
#: Verdicts with ids of their own, in upper and lower case.
VERDICTS = st.lists(VERDICT, max_size=40).map(
    lambda verdicts: [{"id": f"{'rR'[n % 2]}{n:03}"} | verdict for n, verdict in enumerate(verdicts)]
)


def report_of(verdicts: list[dict]) -> Report:
    """A report with these verdicts and no figures."""
    return Report(metrics={}, rows=verdicts)
