"""What a model reads, and what is left out when it does not fit."""

from __future__ import annotations

from evaluation.goldevidence.adapters.prompts import answer_prompt, fit, template_hash
from evaluation.goldevidence.adapters.shown import shown
from evaluation.goldevidence.data.ledger import LEDGER_HEADING
from tests.evaluation.conftest import ENTRIES, condition_row, make_row

QUESTION = "What is the current value of tag.01?"


def test_the_question_stands_at_the_end() -> None:
    prompt = answer_prompt(shown(make_row(), "closed_book"), QUESTION)
    assert prompt.user.endswith(f"Question: {QUESTION}")
    assert prompt.user.count(QUESTION) == 1


def test_a_sandwich_asks_before_and_after() -> None:
    prompt = answer_prompt(shown(make_row(), "closed_book"), QUESTION, sandwich=True)
    assert prompt.user.startswith(f"Question: {QUESTION}")
    assert prompt.user.endswith(f"Question: {QUESTION}")


def test_a_condition_row_shows_its_lines_in_order_and_nothing_else() -> None:
    seen = shown(condition_row(candidates=[ENTRIES[3], ENTRIES[0]]), "closed_book")
    assert (
        seen.text == "- [U000004] step=4 SET tag.00 = ochre-0004\n- [U000001] step=1 SET tag.00 = amber-0001"
    )
    assert seen.ids == ["U000004", "U000001"]


def test_a_remark_is_shown_behind_its_line() -> None:
    row = condition_row(candidates=ENTRIES[:1])
    row["candidates"][0]["remark"] = "NOTE: in passing"
    assert shown(row, "closed_book").text.endswith("= amber-0001 (NOTE: in passing)")


def test_what_fits_is_not_touched() -> None:
    seen = shown(make_row(), "closed_book")
    assert fit(seen, QUESTION, room=10_000, count=len, truncation="recent") == (seen, 0)


def test_a_long_book_is_cut_to_its_ledger_first() -> None:
    seen = shown(make_row(), "closed_book")
    kept, left_out = fit(seen, QUESTION, room=len(seen.text) - 1, count=len, truncation="recent")
    assert kept.text.startswith(LEDGER_HEADING)
    assert kept.entries == seen.entries
    assert left_out == len(seen.text.splitlines()) - len(kept.text.splitlines())


def test_then_the_most_recent_lines_are_kept_in_order() -> None:
    kept, left_out = fit(shown(make_row(), "open_book"), QUESTION, room=110, count=len, truncation="recent")
    assert kept.ids == ["U000005", "U000006"]
    assert left_out == len(shown(make_row(), "open_book").text.splitlines()) - 2


def test_key_aware_truncation_keeps_the_lines_of_the_asked_key() -> None:
    kept, left_out = fit(
        shown(make_row(), "open_book"), QUESTION, room=110, count=len, truncation="key_aware"
    )
    assert kept.ids == ["U000002", "U000005"]
    assert left_out == len(shown(make_row(), "open_book").text.splitlines()) - 2


def test_the_template_hash_is_of_all_wording() -> None:
    assert len(template_hash()) == 64
    assert template_hash() == template_hash()
