"""Who speaks in a clause by a title, and where a title is only a word of what is spoken of."""

from __future__ import annotations

import pytest

from evaluation.statebench.facts.quoted_authority import quoted_authority


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The cap is 12% per the CFO.", "CFO"),
        ("The cap is 12% per policy.", "policy"),
        ("According to the board, the cap is 12%.", "board"),
        ("The board has set the cap at 12%.", "The board"),
        ("The CFO has cut the travel cap to $200.", "The CFO"),
        ("Our finance lead raised the cap to 20.", "Our finance lead"),
        ("VP Victor changed the cap to 12%.", "VP Victor"),
        ("Vice President Ann said the cap is now 12%.", "Vice President Ann"),
    ],
)
def test_who_decides_is_the_authority(text: str, title: str) -> None:
    assert quoted_authority(text) == title


@pytest.mark.parametrize(
    "text",
    [
        "The lead singer is Ana.",
        "The lead singer changed from Ana to Bo.",
        "The lead singer said it is at eight.",
        "The board meeting moved to Friday.",
        "The policy changed to silence.",
        "The guest password was cut to six letters.",
        "The cost per head is $20.",
        "Ann said the cap is 12%.",
    ],
)
def test_a_title_in_what_is_spoken_of_is_nobodys(text: str) -> None:
    assert quoted_authority(text) is None
