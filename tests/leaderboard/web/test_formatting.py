"""Sentences as readers see them."""

from leaderboard.web.formatting import prose


def test_what_stands_between_backticks_is_code_and_nothing_else_is_markup() -> None:
    assert prose("As `n_ctx` < 5 <b>") == "As <code>n_ctx</code> &lt; 5 &lt;b&gt;"


def test_a_single_backtick_is_a_backtick() -> None:
    assert prose("one ` alone") == "one ` alone"
