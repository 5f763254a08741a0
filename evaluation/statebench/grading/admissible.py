"""Which forbidden phrases judge 2.0.0 scores at all: not those that a correct response may well contain.

The word list and the rule are those of statebench 2.0.0 (MIT), `evaluation/phrase_quality.py`.
"""

from __future__ import annotations

from functools import lru_cache

_ORDINARY = frozenset(
    """
    a an the and or but if then than as at by for from in into of on to with before after during until per via
    using about is was are were be been will would can could should may might do does did not no yes it its
    this that these those you your
    day days week weeks month months quarter quarters year years time date deadline schedule today tomorrow
    yesterday
    budget cost costs price amount total color colour size option options detail details spec specs quantity
    number model product item order discount quote requirement requirements
    approved approve agreed agree decided decide chose choose selected select allocated allocate confirmed
    confirm expected expect arriving returning requested request mentioned wanted final
    """.split()
)
_MIN_LETTERS = 3


@lru_cache(maxsize=65536)
def is_admissible(phrase: str) -> bool:
    """True where the phrase can show a violation: no symbols, ordinary word, or one or two letters."""
    phrase = phrase.strip()
    lowered = phrase.lower()
    if lowered.startswith("regex:"):
        return True
    if "|" in phrase:
        return all(is_admissible(part) for part in phrase.split("|"))
    if not any(character.isalnum() for character in phrase) or lowered in _ORDINARY:
        return False
    telling = any(character.isdigit() or character == " " for character in phrase)
    return telling or len(phrase) >= _MIN_LETTERS
