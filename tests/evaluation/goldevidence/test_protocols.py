"""The content of each protocol's rows, and that systems get nothing more."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from evaluation.adapters.base import Stopped
from evaluation.adapters.estimate import estimate
from evaluation.adapters.runner import run
from evaluation.attacks.leaks import LeakCheck, LeakError
from evaluation.core import jsonl
from evaluation.core.errors import AdapterError, BenchmarkError, RowError, SettingsError
from evaluation.goldevidence import generate
from evaluation.goldevidence.adapters.books.artifacts import book_of
from evaluation.goldevidence.adapters.books.log_to_book import LogToBookAdapter
from evaluation.goldevidence.adapters.episode_rows import KIND
from evaluation.goldevidence.data.ledger import parse_log
from evaluation.goldevidence.presets import PRESETS
from evaluation.goldevidence.protocols import Protocol, protocol_of, reading, shown_by
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import SYSTEMS

SMALL = {
    "generator": {"episodes": 2, "steps": 30, "queries": 3, "keys": 5, "chapters": 2},
    "state_modes": ["kv", "kv_commentary"],
}
CONDITIONS = {"conditions": [{"k": 3, "order": "gold_last"}]}
#: Of the settings and of the rows of `SMALL` with `CONDITIONS`, as the release before protocols made them.
BEFORE = {
    "closed_book": ("28431295f48f9ce4", "72abab24f1d15dbc"),
    "open_book": ("bffb402c0bce6bb1", "72abab24f1d15dbc"),
    "both": ("d227d7afc6a0a55a", "72abab24f1d15dbc"),
}
TEXT = {"closed": "book", "open": "document", "build": "document"}


def rows_of(protocol: str, *, gold: bool = False, **settings: Any) -> list[dict[str, Any]]:
    items = list(SUITE.version({**SMALL, "protocol": protocol, **settings}).generate())
    return [dict(row if gold else SUITE.public_row(row)) for item in items for row in item.rows]


@pytest.mark.parametrize("protocol", BEFORE)
def test_settings_from_before_and_their_rows_stay_byte_for_byte(protocol: str) -> None:
    settings = SUITE.settings.checked({**SMALL, **CONDITIONS, "protocol": protocol, "rubric": "strict"})
    digest = hashlib.sha256()
    for item in SUITE.version(settings).generate():
        for row in item.rows:
            digest.update(jsonl.dumps(row))
    made = (hashlib.sha256(jsonl.canonical(settings)).hexdigest()[:16], digest.hexdigest()[:16])
    assert made == BEFORE[protocol]
    assert KIND.built([row], LogToBookAdapter(), {}, on_artifact=print, should_stop=bool) == [row]


@pytest.mark.parametrize("protocol", TEXT)
def test_a_row_holds_the_text_of_its_protocol_and_no_other(protocol: str) -> None:
    rows = rows_of(protocol, gold=True)
    other = {"book", "document"} - {TEXT[protocol]}
    assert all(TEXT[protocol] in row and not other & row.keys() for row in rows)
    log_lines = [line for line in rows[0].get("document", "").splitlines() if line.startswith("- ")]
    assert bool(log_lines) == (protocol != "closed")
    assert {protocol_of(row) for row in rows} == {Protocol(protocol)}
    assert {SUITE.form_of(split) for split in SUITE.expected(rows).splits.values()} == {
        Protocol(protocol).split_name
    }
    assert not [problem for row in rows_of(protocol) for problem in SUITE.overtold(row)]


def test_the_protocols_have_other_rows_under_other_ids() -> None:
    closed, opened, built = ({row["id"] for row in rows_of(name)} for name in TEXT)
    assert not closed & opened
    assert not opened & built


def test_a_row_with_candidates_shows_these_alone_under_either_protocol() -> None:
    for protocol in ("closed", "open"):
        shown = [row for row in rows_of(protocol, **CONDITIONS) if "candidates" in row]
        assert shown
        assert not any({"book", "document"} & row.keys() for row in shown)
        assert not [problem for row in shown for problem in SUITE.overtold(row)]


def test_the_leak_check_refuses_a_text_that_the_protocol_does_not_show() -> None:
    both, closed = rows_of("closed_book")[0], rows_of("closed")[0]
    log = both["document"].replace(both["episode_id"], closed["episode_id"])
    assert list(SUITE.overtold({**closed, "document": log})) == ["the document, which 'closed' does not show"]
    check = LeakCheck(SUITE.version(SMALL), {})
    with pytest.raises(LeakError, match="which 'closed' does not show"):
        check.line(jsonl.dumps({**closed, "document": log}))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"protocol": "build", **CONDITIONS}, "must be empty under build"),
        (
            {"protocol": "open", "conditions": [{"name": "built_book"}]},
            "has the name of the whole-text rows",
        ),
        ({"protocol": "ajar"}, "protocol"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(SettingsError, match=reason):
        SUITE.settings.checked({**SMALL, **settings})


def test_both_stands_for_a_closed_and_an_open_version() -> None:
    made = SUITE.version({**SMALL, "protocol": "both"}).settings.versions()
    assert [(name, settings["protocol"]) for name, settings in made] == [
        ("closed", "closed"),
        ("open", "open"),
    ]
    assert [name for name, _ in SUITE.version({**SMALL, "protocol": "open"}).settings.versions()] == [""]


def test_presets_show_one_text_but_for_the_one_that_mirrors_the_reference() -> None:
    assert {name for name, preset in PRESETS.items() if preset.shows is None} == {"reference_v1"}
    assert PRESETS["build"].shows is Protocol.BUILD


def test_rows_of_an_imported_file_show_what_the_protocol_shows() -> None:
    rows = rows_of("closed_book", gold=True)
    items = list(SUITE.version({**SMALL, "protocol": "open"}).items_from_rows(rows))
    assert all("book" not in row and "document" in row for item in items for row in item.rows)
    with pytest.raises(RowError, match="has no book, which the protocol 'closed' shows"):
        shown_by({"id": "a", "question": "?", "meta": {}, "document": "log"}, Protocol.CLOSED)


class Spy(LogToBookAdapter):
    """Records all that it is given, in order."""

    def __init__(self) -> None:
        self.handed: list[tuple[str, Any]] = []

    def build_artifact(self, document: str, episode_id: str, protocol: str) -> str:
        self.handed.append(("build", (document, episode_id, protocol)))
        return super().build_artifact(document, episode_id, protocol)

    def batches(self, rows: Any) -> Any:
        self.handed += [("batches", dict(row)) for row in rows]
        return [[row] for row in rows]

    def predict(self, row: Any, *, protocol: str) -> Any:
        self.handed.append((f"predict under {protocol}", dict(row)))
        return super().predict(row, protocol=protocol)


def spied(protocol: str, **options: Any) -> Spy:
    spy, rows = Spy(), rows_of(protocol, gold=True)
    run(list(KIND.questions(rows)), spy, protocol=None, kind=KIND, **options)
    return spy


@pytest.mark.parametrize(("protocol", "text"), [("closed_book", "book"), ("open_book", "document")])
def test_of_rows_that_hold_both_texts_a_system_is_handed_the_one_that_is_asked_for(
    protocol: str, text: str
) -> None:
    class Answers(Spy):
        build_artifact = None  # type: ignore[assignment]

    spy, rows = Answers(), [dict(row) for row in generate(SMALL["generator"], 0)]
    questions = list(KIND.questions(rows))
    run(questions, spy, protocol=protocol, kind=KIND)
    estimate(questions, spy, protocol=protocol, kind=KIND, calibration_rows=2)
    assert {what for what, _ in spy.handed} == {"batches", f"predict under {protocol}"}
    for _, row in spy.handed:
        assert {"book", "document"} & row.keys() == {text}
        assert not {"last_update_step", "tokens_since_update", "seed", "twin_group"} & row["meta"].keys()


def test_a_system_that_builds_under_closed_book_sees_its_own_book_and_no_other_text() -> None:
    spy, rows = Spy(), [dict(row) for row in generate(SMALL["generator"], 0)]
    questions = list(KIND.questions(rows))
    run(questions, spy, protocol="closed_book", kind=KIND)
    estimate(questions, spy, protocol="closed_book", kind=KIND, calibration_rows=2)
    asked = [row for what, row in spy.handed if what != "build"]
    books = {row["episode_id"]: book_of(parse_log(row["document"]), row["episode_id"]) for row in rows}
    assert all("document" not in row and row["book"] == books[row["episode_id"]] for row in asked)
    with pytest.raises(AdapterError, match="episode E0001: the artifact is refused: line 3"):
        run(questions, HandsBack(), protocol="closed_book", kind=KIND)


@pytest.mark.parametrize(("protocol", "told"), [("closed", "closed_book"), ("open", "open_book")])
def test_a_system_is_handed_the_text_of_the_protocol_and_the_question_alone(protocol: str, told: str) -> None:
    spy, text = spied(protocol), TEXT[protocol]
    assert {what for what, _ in spy.handed} == {"batches", f"predict under {told}"}
    for _, row in spy.handed:
        assert row.keys() == {"id", "episode_id", "schema_version", "question", "meta", text}
        assert not {"seed", "state_mode", "twin_group", "twin_variant"} & row["meta"].keys()


def test_under_build_the_log_comes_first_without_a_question_and_then_the_artifact_without_the_log() -> None:
    spy, rows = spied("build"), rows_of("build")
    kinds = [what for what, _ in spy.handed]
    episodes = {row["episode_id"]: row for row in rows}
    assert kinds == ["build"] * len(episodes) + ["batches"] * len(rows) + ["predict under closed_book"] * len(
        rows
    )
    for _, (document, episode, protocol) in spy.handed[: len(episodes)]:
        assert (document, protocol) == (episodes[episode]["document"], "build")
        assert not any(row["question"] in document for row in rows)
    for _, row in spy.handed[len(episodes) :]:
        log = episodes[row["episode_id"]]["document"]
        assert row.keys() == {"id", "episode_id", "schema_version", "question", "meta", "book"}
        assert row["book"] == book_of(parse_log(log), row["episode_id"])
        assert "DISTRACTOR" not in jsonl.dumps(row).decode()
        assert " UPDATE " not in jsonl.dumps(row).decode()


def test_an_estimate_lets_no_builder_see_a_question_first() -> None:
    spy, rows = Spy(), rows_of("build")
    estimate(list(KIND.questions(rows)), spy, protocol=None, kind=KIND, calibration_rows=2)
    kinds = [what for what, _ in spy.handed]
    assert kinds.index("batches") > max(place for place, what in enumerate(kinds) if what == "build")


def test_artifacts_that_were_built_before_are_not_built_again() -> None:
    made: dict[str, str] = {}
    spied("build", on_artifact=made.__setitem__)
    assert made.keys() == {row["episode_id"] for row in rows_of("build")}
    assert not [what for what, _ in spied("build", artifacts=made).handed if what == "build"]


def test_building_stops_between_two_artifacts() -> None:
    asked: list[int] = []

    def should_stop() -> bool:
        asked.append(1)
        return len(asked) > 1

    questions, built = list(KIND.questions(rows_of("build"))), {}
    with pytest.raises(Stopped):
        KIND.built(questions, Spy(), {}, on_artifact=built.__setitem__, should_stop=should_stop)
    assert len(built) == 1


class HandsBack(Spy):
    """A builder that returns the log as its book."""

    def build_artifact(self, document: str, episode_id: str, protocol: str) -> str:
        return document + "\n## State Ledger\n"


def test_a_log_that_is_handed_back_ends_the_run_with_its_episode() -> None:
    questions = list(KIND.questions(rows_of("build")))
    with pytest.raises(AdapterError, match=r"episode u[0-9a-f]{12}: the artifact is refused: line 3:"):
        run(questions, HandsBack(), protocol=None, kind=KIND)


def test_a_system_of_one_phase_cannot_run_under_build() -> None:
    class Single:
        def predict(self, row: Any, *, protocol: str) -> Any:
            raise AssertionError("it is handed no row")

    with pytest.raises(AdapterError, match="needs build_artifact"):
        run(list(KIND.questions(rows_of("build"))), Single(), protocol=None, kind=KIND)


def test_rows_say_themselves_what_is_read() -> None:
    row = rows_of("open")[0]
    assert reading(row, None) == reading(row, "open_book") == reading(row, "open") == "open_book"
    with pytest.raises(BenchmarkError, match="these rows are of the protocol 'open'"):
        reading(row, "closed_book")
    assert reading({"id": "a"}, None) == "closed_book"
    with pytest.raises(RowError, match="use closed, open, build"):
        protocol_of({"id": "a", "meta": {"protocol": "ajar"}})


@pytest.mark.parametrize("protocol", TEXT)
@pytest.mark.parametrize("name", [name for name in SYSTEMS if not name.startswith("dense")])
def test_every_deterministic_system_answers_rows_of_every_protocol(name: str, protocol: str) -> None:
    settings = SUITE.settings.checked({**SMALL, "protocol": protocol})
    items, system = list(SUITE.version(settings).generate()), SYSTEMS[name].build()
    lines: list[Any] = []
    for item in items:
        for row in item.rows:
            made = system.predict(SUITE.public_row(row))
            lines += made if isinstance(made, list) else [made]
    report = SUITE.version(settings).grade([item.gold for item in items], lines)
    assert report.metrics["answered_rate"] == 1
    if name == "ledger":
        assert report.metrics["exact_acc"] == 1
