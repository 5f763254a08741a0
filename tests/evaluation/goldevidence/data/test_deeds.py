"""The deed lines of family rows: written and read back; rows without a family have none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.goldevidence.data.deeds import (
    Deed,
    DeedLedger,
    book_deeds,
    counts,
    deed_of,
    deeds_in_book,
    deeds_in_log,
    log_deeds,
)
from evaluation.goldevidence.data.ledger import (
    LEDGER_HEADING,
    LOG_HEADING,
    book_ledger,
    parse_book,
    parse_log,
)

uids = st.integers(0, 0xFFFFFF).map(lambda number: f"U{number:06X}")
steps = st.integers(1, 10**6)
tags = st.integers(0, 120).map(lambda number: f"tag.{number:02d}")
roles = st.sampled_from(["clerk", "warden"])
groups = st.sampled_from(["odd", "even"])
values = st.sampled_from(["teal-0042", "tag.07", "12", "item0001,item0002"])
NEVER = st.just(0)
deeds = st.one_of(
    st.builds(Deed, uids, steps, st.sampled_from(["SET", "NOTE"]), tags, values, st.just("") | roles, NEVER),
    st.builds(Deed, uids, steps, st.just("CLEAR"), tags, st.none(), st.just("") | roles, NEVER),
    st.builds(Deed, uids, steps, st.just("RETRACT"), st.just(""), uids, st.just(""), NEVER),
    st.builds(Deed, uids, steps, st.sampled_from(["GRANT", "REVOKE"]), groups, st.none(), roles, steps),
    st.builds(
        Deed, uids, steps, st.just("RULE"), groups, st.sampled_from(["open", "closed"]), st.just(""), steps
    ),
)


@given(st.lists(deeds, max_size=12))
def test_lines_say_in_log_and_book_what_was_written(story: list[Deed]):
    log = "\n".join(["# Title", "", LOG_HEADING, *(deed.log_line(deed.step) for deed in story), ""])
    book = "\n".join(["# Title", "", LEDGER_HEADING, *(deed.line() for deed in story), ""])
    assert log_deeds(log) == story
    assert book_deeds(book) == story
    last = {deed.uid: deed for deed in story}
    for ledger in (deeds_in_log(log), deeds_in_book(book), DeedLedger(book)):
        assert ledger.entries() == list(last.values())
        for uid, deed in last.items():
            line = ledger.line(uid)
            assert line is not None
            assert line[:4] == (deed.step, deed.op, deed.key, deed.value)
            assert deed_of(line) == deed
        for key in {deed.key for deed in story}:
            assert ledger.has_note(key) == any(d.op == "NOTE" and d.key == key for d in story)
    assert deeds_in_log(log.replace("\n", "\r\n")).entries() == list(last.values())


@given(st.lists(deeds, max_size=12))
def test_rows_of_no_family_are_read_as_before_there_were_any(story: list[Deed]):
    plain = [deed for deed in story if deed.op in ("SET", "CLEAR", "NOTE") and not deed.by]
    log = "\n".join(deed.log_line(deed.step) for deed in story)
    book = "\n".join([LEDGER_HEADING, *(deed.line() for deed in story)])
    assert [entry[:] for entry in parse_log(log)] == [deed[:5] for deed in plain]
    assert [entry[:] for entry in parse_book(book)] == [deed[:5] for deed in plain]
    assert [entry.uid for entry in book_ledger(book).entries()] == [deed.uid for deed in plain]


@given(st.text(alphabet="-[]U0123456789ABCDEF UPDATEstep=SRULEGNVOKmayntogdf.\n", max_size=200))
def test_any_text_is_read_without_an_error(text: str):
    assert all(deed.uid.startswith("U") for deed in [*log_deeds(text), *book_deeds(LEDGER_HEADING + text)])


def test_words_that_do_not_belong_together_are_no_line():
    wrong = (
        "- [U000001] GRANT step=1 clerk may not set odd tags from step 2",
        "- [U000001] REVOKE step=1 clerk may set odd tags from step 2",
        "- [U000001] RULE step=1 clerk may set odd tags from step 2",
        "- [U000001] GRANT step=1 any role may set odd tags from step 2",
        "- [U000001] GRANT step=1 clerk may set all tags from step 2",
        "- [U000001] RETRACT step=1 of everything",
        "- [U000001] UPDATE step=1 RETRACT of U000002",
        "- GRANT step=1 clerk may set odd tags from step 2",
    )
    assert log_deeds("\n".join(wrong)) == []


def test_all_lines_but_notes_may_establish_an_answer():
    assert [
        op for op in ("SET", "CLEAR", "NOTE", "RETRACT", "GRANT", "REVOKE", "RULE", "ECHO") if not counts(op)
    ] == [
        "NOTE",
        "ECHO",
    ]
