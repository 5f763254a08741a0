"""The loop behind the command line and the site: order, cancel, resume, errors, totals."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import pytest

from evaluation.adapters.base import Answer, Paused, Row, Stopped, Usage
from evaluation.adapters.determinism import check_determinism
from evaluation.adapters.runner import RowResult, efficiency, run
from evaluation.core.errors import AdapterError
from evaluation.goldevidence.adapters.books.artifacts import book_of
from evaluation.goldevidence.adapters.episode_rows import KIND
from evaluation.goldevidence.data.ledger import Entry
from tests.evaluation.conftest import make_row

ROWS = [make_row(n) for n in range(1, 6)]


class Echo:
    """Answers with the row's id; counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def predict(self, row: Row, *, protocol: str) -> Row:
        self.asked.append(row["id"])
        return {"value": row["id"], "support_ids": ["U000004"]}


class Pairs(Echo):
    """`Echo` in batches of two."""

    def batches(self, rows: Sequence[Row]) -> Iterator[list[Row]]:
        for start in range(0, len(rows), 2):
            yield list(rows[start : start + 2])

    def predict_batch(self, rows: Sequence[Row], *, protocol: str) -> Iterator[Answer]:
        for row in rows:
            yield Answer(self.predict(row, protocol=protocol), Usage(prompt_tokens=10, passes=1))


def test_every_row_is_answered_once_and_progress_is_told() -> None:
    seen: list[RowResult] = []
    summary = run(ROWS, Echo(), protocol="closed_book", kind=KIND, on_row=seen.append)
    assert [result.prediction["id"] for result in seen] == [row["id"] for row in ROWS]
    assert seen[0].prediction == {"id": "E0001-Q001", "value": "E0001-Q001", "support_ids": ["U000004"]}
    assert [(result.done, result.total) for result in seen] == [(n, 5) for n in range(1, 6)]
    assert seen[-1].eta_s == 0
    assert seen[-1].rate > 0
    assert (summary.asked, summary.skipped, summary.cancelled) == (5, 0, False)


def test_a_batch_that_was_saved_in_part_is_answered_again_but_not_saved_again() -> None:
    adapter, seen = Pairs(), []
    done = ["E0001-Q001", "E0001-Q002", "E0001-Q003"]
    summary = run(ROWS, adapter, protocol="closed_book", kind=KIND, on_row=seen.append, done_ids=done)
    assert adapter.asked == ["E0001-Q003", "E0001-Q004", "E0001-Q005"]
    assert [result.prediction["id"] for result in seen] == ["E0001-Q004", "E0001-Q005"]
    assert (summary.asked, summary.skipped, summary.usage.prompt_tokens) == (2, 3, 20)


def test_a_stop_between_rows_keeps_what_is_answered() -> None:
    seen: list[RowResult] = []
    summary = run(
        ROWS,
        Echo(),
        protocol="closed_book",
        kind=KIND,
        on_row=seen.append,
        should_stop=lambda: len(seen) == 2,
    )
    assert summary.cancelled
    assert (summary.asked, len(seen)) == (2, 2)


def test_a_run_that_is_stopped_before_it_starts_asks_nothing() -> None:
    adapter = Echo()
    assert run(ROWS, adapter, protocol="closed_book", kind=KIND, should_stop=lambda: True).cancelled
    assert adapter.asked == []


class Halting(Echo):
    """Answers all rows but these, by number, whose answers are cut off."""

    def __init__(self, *cut: int) -> None:
        super().__init__()
        self.cut = cut

    def predict(self, row: Row, *, protocol: str) -> Row:
        outcome = super().predict(row, protocol=protocol)
        return {"state": "cut_off"} if int(row["id"][-3:]) in self.cut else outcome


MANY = [make_row(n) for n in range(1, 121)]


def test_a_row_that_was_not_answered_is_a_line_with_its_state_and_no_value() -> None:
    seen: list[RowResult] = []
    summary = run(ROWS, Halting(2), protocol="closed_book", kind=KIND, on_row=seen.append)
    assert seen[1].prediction == {"id": "E0001-Q002", "state": "cut_off"}
    assert [result.state.value for result in seen] == ["answered", "cut_off", *["answered"] * 3]
    assert summary.states == {"answered": 4, "cut_off": 1}


def test_null_with_nothing_cited_is_an_abstention_and_an_answer() -> None:
    class Silent(Echo):
        def predict(self, row: Row, *, protocol: str) -> Row:
            return {"value": None, "support_ids": ["U000004"] if row["id"].endswith("1") else []}

    assert run(ROWS, Silent(), protocol="closed_book", kind=KIND).states == {"answered": 1, "abstained": 4}


def test_a_run_pauses_where_of_fifty_rows_more_than_one_holds_no_answer() -> None:
    seen: list[RowResult] = []
    summary = run(MANY, Halting(3, 4), protocol="closed_book", kind=KIND, on_row=seen.append, may_pause=True)
    assert (summary.paused, summary.cancelled, summary.asked, len(seen)) == (True, False, 50, 50)


@pytest.mark.parametrize(("cut", "asked"), [((50,), 120), ((50, 51), 51), ((3, 100), 120), ((3, 99), 99)])
def test_two_in_a_hundred_are_no_reason_to_pause(cut: tuple[int, ...], asked: int) -> None:
    assert run(MANY, Halting(*cut), protocol="closed_book", kind=KIND, may_pause=True).asked == asked


def test_a_run_pauses_only_where_it_may() -> None:
    summary = run(MANY, Halting(*range(1, 121)), protocol="closed_book", kind=KIND)
    assert (summary.paused, summary.asked) == (False, 120)


def test_what_was_done_before_counts_for_a_pause() -> None:
    before = {"answered": 48, "cut_off": 1}
    done = [row["id"] for row in MANY[:49]]
    adapter = Halting(50)
    summary = run(
        MANY, adapter, protocol="closed_book", kind=KIND, done_ids=done, done_states=before, may_pause=True
    )
    assert (summary.paused, summary.asked) == (True, 1)
    assert summary.states == {"answered": 48, "cut_off": 2}
    assert before == {"answered": 48, "cut_off": 1}


def test_a_pause_ends_what_a_batch_has_under_way() -> None:
    closed: list[bool] = []

    class Streams(Halting):
        def batches(self, rows: Sequence[Row]) -> Iterator[list[Row]]:
            yield list(rows)

        def predict_batch(self, rows: Sequence[Row], *, protocol: str) -> Iterator[Answer]:
            try:
                for row in rows:
                    yield Answer(self.predict(row, protocol=protocol), Usage())
            finally:
                closed.append(True)

    assert run(MANY, Streams(1, 2), protocol="closed_book", kind=KIND, may_pause=True).asked == 50
    assert closed == [True]


def test_an_adapter_that_fails_is_named_with_its_row() -> None:
    class Broken:
        def predict(self, row: Row, *, protocol: str) -> Row:
            return {"value": 1 // (len(row["id"]) - 10)}

    with pytest.raises(AdapterError, match=r"row E0001-Q001: predict\(\) raised ZeroDivisionError"):
        run(ROWS, Broken(), protocol="closed_book", kind=KIND)


def test_a_broken_contract_stops_the_run_after_what_was_good() -> None:
    class Liar(Echo):
        def predict(self, row: Row, *, protocol: str) -> Row:
            return super().predict(row, protocol=protocol) | (
                {"support_ids": ["U999999"]} if self.asked[2:] else {}
            )

    seen: list[RowResult] = []
    with pytest.raises(AdapterError, match="row E0001-Q003: support id 'U999999' does not exist"):
        run(ROWS, Liar(), protocol="closed_book", kind=KIND, on_row=seen.append)
    assert len(seen) == 2


def test_an_artifact_is_built_once_per_episode_and_stands_in_for_log_and_book() -> None:
    class Builder:
        built: list[str] = []

        def build_artifact(self, document: str, episode_id: str, protocol: str) -> str:
            self.built.append(episode_id)
            return book_of([Entry("U000001", 1, "SET", "tag.00", "mine")], episode_id)

        def predict(self, row: Row, *, protocol: str) -> Row:
            assert "document" not in row
            return {"value": row["book"].strip()[-4:]}

    seen: list[RowResult] = []
    rows = [*ROWS[:2], make_row(1, episode="E0002"), *ROWS[2:], make_row(2, episode="E0002")]
    run(rows, Builder(), protocol="closed_book", kind=KIND, on_row=seen.append)
    assert Builder.built == ["E0001", "E0002"], "rows of an episode need not follow each other"
    assert {result.prediction["value"] for result in seen} == {"mine"}


@pytest.mark.parametrize(
    ("artifact", "reason"),
    [(None, "must return a text, not NoneType"), ("# Book", "has no '## State Ledger' section")],
)
def test_an_artifact_that_is_no_book_is_refused(artifact: Any, reason: str) -> None:
    class Builder(Echo):
        def build_artifact(self, document: str, episode_id: str, protocol: str) -> Any:
            return artifact

    with pytest.raises(AdapterError, match=f"episode E0001: .*{reason}"):
        run(ROWS, Builder(), protocol="closed_book", kind=KIND)


def test_determinism_is_checked_by_running_twice() -> None:
    class Forgetful(Echo):
        def predict(self, row: Row, *, protocol: str) -> Row:
            again = row["id"] in self.asked and row["id"].endswith("2")
            return super().predict(row, protocol=protocol) | ({"value": "other"} if again else {})

    assert check_determinism(ROWS, Echo(), protocol="closed_book", kind=KIND) == []
    [difference] = check_determinism(ROWS, Forgetful(), protocol="closed_book", kind=KIND)
    assert difference.id == "E0001-Q002"
    assert difference.second["value"] == "other"


def test_efficiency_is_totals_and_means_per_query() -> None:
    usage = Usage(
        prompt_tokens=80, reused_tokens=60, evaluated_tokens=36, generated_tokens=4, forced_tokens=12
    )
    figures = efficiency(usage, 4)
    assert figures["tokens_per_query"] == 24
    assert figures["evaluated_tokens_per_query"] == 9
    assert figures["reuse_ratio"] == 0.75
    assert "tokens_per_query" not in efficiency(Usage(), 0)


def gives(*answers: Any) -> type[Pairs]:
    class Batches(Pairs):
        def predict_batch(self, rows: Sequence[Row], *, protocol: str) -> Any:
            return answers

    return Batches


def asks(*batches: Any) -> type[Pairs]:
    class Batches(Pairs):
        def batches(self, rows: Sequence[Row]) -> Any:
            return batches

    return Batches


class Raises(Pairs):
    """Fails for every row but those it has answers to."""

    def stop_when(self, should_stop: Any) -> None:
        raise KeyError("stop")


class NoBatches(Pairs):
    def batches(self, rows: Sequence[Row]) -> Any:
        yield list(rows[:2])
        raise KeyError("broken")


class BadProvenance(Echo):
    def provenance(self) -> Any:
        return 5


GOOD = Answer({"value": "x", "support_ids": []}, Usage())


@pytest.mark.parametrize(
    ("adapter", "reason"),
    [
        (gives(GOOD), r"row E0001-Q002: predict_batch\(\) gave no answer"),
        (gives(GOOD, GOOD, GOOD), r"row E0001-Q002: predict_batch\(\) gave more answers"),
        (gives({"value": "x"}, GOOD), r"row E0001-Q001: predict_batch\(\) gave a dict, not an Answer"),
        (
            gives(Answer(GOOD.output, 5), GOOD),
            r"row E0001-Q001: predict_batch\(\) gave a Answer, not an Answer",
        ),
        (asks(ROWS[:2]), r"row E0001-Q003: batches\(\) left it out"),
        (asks(ROWS, ROWS[:1]), r"row E0001-Q001: batches\(\) returned it more often"),
        (asks(ROWS[0]), r"batches\(\) raised TypeError"),
        (NoBatches, r"batches\(\) raised KeyError"),
        (Raises, r"stop_when\(\) raised KeyError"),
        (BadProvenance, r"provenance\(\) raised TypeError"),
    ],
)
def test_an_adapter_that_breaks_its_contract_is_told_how(adapter: Any, reason: str) -> None:
    with pytest.raises(AdapterError, match=reason):
        run(ROWS, adapter(), protocol="closed_book", kind=KIND, should_stop=lambda: False)


class Streams(Echo):
    """Answers from the last row to the first, each after 1 ms, and reports a second of waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.winding_down = False
        self.begun = 0

    def begin(self) -> None:
        self.begun += 1

    def stream(
        self, rows: Sequence[Row], *, protocol: str, done: Collection[str]
    ) -> Iterator[tuple[str, Answer]]:
        for row in reversed(rows):
            if row["id"] in done:
                continue
            if self.winding_down:
                return
            time.sleep(0.001)
            yield row["id"], Answer(self.predict(row, protocol=protocol), Usage(passes=1, wall_s=1.0))

    def wind_down(self) -> None:
        self.winding_down = True


def test_a_stream_gives_its_answers_in_any_order_and_its_seconds_are_shares_of_the_wall_clock() -> None:
    adapter, seen = Streams(), []
    summary = run(
        ROWS, adapter, protocol="closed_book", kind=KIND, on_row=seen.append, done_ids=["E0001-Q002"]
    )
    assert [result.id for result in seen] == ["E0001-Q005", "E0001-Q004", "E0001-Q003", "E0001-Q001"]
    assert all(result.prediction["value"] == result.id for result in seen)
    assert (summary.asked, summary.skipped, summary.usage.passes) == (4, 1, 4)
    assert 0.004 <= summary.usage.wall_s <= summary.seconds < 1
    assert seen[1].eta_s < 1


def test_a_system_looks_whether_it_works_once_and_only_where_something_is_asked() -> None:
    adapter = Streams()
    run(ROWS, adapter, protocol="closed_book", kind=KIND, done_ids=[row["id"] for row in ROWS])
    assert adapter.begun == 0
    run(ROWS, adapter, protocol="closed_book", kind=KIND)
    assert adapter.begun == 1
    assert run(ROWS, adapter, protocol="closed_book", kind=KIND, should_stop=lambda: True).cancelled
    assert adapter.begun == 1


def test_a_run_that_pauses_takes_what_a_stream_still_gives() -> None:
    class Halts(Streams):
        def stream(
            self, rows: Sequence[Row], *, protocol: str, done: Collection[str]
        ) -> Iterator[tuple[str, Answer]]:
            for number, row in enumerate(rows):
                state = {"state": "error"} if number < 2 else {"value": None}
                yield row["id"], Answer(state, Usage())
                if self.winding_down:
                    yield rows[-1]["id"], Answer({"value": "paid"}, Usage())
                    return

    seen: list[RowResult] = []
    summary = run(MANY, Halts(), protocol="closed_book", kind=KIND, on_row=seen.append, may_pause=True)
    assert (summary.paused, summary.asked, seen[-1].prediction["value"]) == (True, 51, "paid")


def test_a_system_that_cannot_go_on_pauses_any_run_with_its_reason() -> None:
    class Poor(Echo):
        def predict(self, row: Row, *, protocol: str) -> Row:
            if len(self.asked) == 3:
                raise Paused("The money is spent.")
            return super().predict(row, protocol=protocol)

    summary = run(ROWS, Poor(), protocol="closed_book", kind=KIND)
    assert (summary.paused, summary.pause_reason, summary.asked) == (True, "The money is spent.", 3)
    with pytest.raises(AdapterError, match="The money is spent"):
        check_determinism(ROWS, Poor(), protocol="closed_book", kind=KIND)


def test_a_stream_that_does_not_stop_itself_is_stopped_between_rows() -> None:
    seen: list[RowResult] = []
    summary = run(
        ROWS,
        Streams(),
        protocol="closed_book",
        kind=KIND,
        on_row=seen.append,
        should_stop=lambda: len(seen) == 2,
    )
    assert (summary.cancelled, len(seen)) == (True, 2)


def test_a_stream_that_stops_gives_what_it_has_before() -> None:
    class Drains(Streams):
        def stop_when(self, should_stop: Callable[[], bool]) -> None:
            self.should_stop = should_stop

        def stream(
            self, rows: Sequence[Row], *, protocol: str, done: Collection[str]
        ) -> Iterator[tuple[str, Answer]]:
            yield rows[0]["id"], GOOD
            if self.should_stop():
                yield rows[1]["id"], GOOD
                raise Stopped

    seen: list[RowResult] = []
    summary = run(
        ROWS,
        Drains(),
        protocol="closed_book",
        kind=KIND,
        on_row=seen.append,
        should_stop=lambda: len(seen) > 0,
    )
    assert (summary.cancelled, len(seen)) == (True, 2)


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        ([("E0001-Q001", GOOD)], r"stream\(\) left out 4 of 5 rows"),
        ([("E0001-Q001", GOOD)] * 2, r"row E0001-Q001: stream\(\) answered it twice"),
        ([("E0009-Q001", GOOD)], r"row E0009-Q001: stream\(\) answered it twice"),
        ([("E0001-Q001", {"value": "x"})], r"row E0001-Q001: stream\(\) gave a dict, not an Answer"),
        ([GOOD], r"stream\(\) raised TypeError"),
    ],
)
def test_a_stream_that_breaks_its_contract_is_told_how(items: list[Any], reason: str) -> None:
    class Broken(Streams):
        def stream(self, rows: Sequence[Row], *, protocol: str, done: Collection[str]) -> Any:
            return iter(items)

    with pytest.raises(AdapterError, match=reason):
        run(ROWS, Broken(), protocol="closed_book", kind=KIND)
