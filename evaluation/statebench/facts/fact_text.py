"""Properties of a fact's key and text, computed once per pair and kept on the fact."""

from __future__ import annotations

import re

from evaluation.statebench.facts.limits import Restriction, limit_of, restriction
from evaluation.statebench.language.memo import lazily, memo
from evaluation.statebench.language.words import stems

_KEY_SUFFIX = re.compile(r"(?:_v\d+|_\d+)$")
_NOTHING = re.compile(r"^(?:none|nothing|n/a|null)\b(?P<rest>[\w ]*)$", re.IGNORECASE)
_SCOPE_WORDS = frozenset(("global", "current", "shared", "fact"))


class FactText:
    def __init__(self, key: str, text: str) -> None:
        self.key, self.text = key, text
        self.limit = limit_of(key, text)

    @lazily
    def stems(self) -> frozenset[str]:
        """Stems of the content words of key and value, for comparison with queries."""
        return stems(self.key) | stems(self.text)

    @lazily
    def restriction(self) -> Restriction | None:
        """Restriction of the readers who may see the value. None if all readers may see it."""
        return restriction(self.text)

    @lazily
    def line(self) -> str:
        return self.line_for(self.key)

    def line_for(self, name: str) -> str:
        """Format the fact as `name: value`. To a value such as "None open", the words "(no open tickets)" are added."""
        absence = spoken_absence(self.key, self.text)
        return f"{name}: {self.text}" + (f" ({absence})" if absence else "")


@memo
def fact_text(pair: tuple[str, str]) -> FactText:
    return FactText(*pair)


def spoken_absence(key: str, text: str) -> str | None:
    """An absent value in words: "no open tickets" for "None open" under `bob_tickets`. None for a present value."""
    match = _NOTHING.match(text)
    if not match:
        return None
    words = [word for word in _KEY_SUFFIX.sub("", key).split("_") if word not in _SCOPE_WORDS]
    rest = match["rest"].strip()
    return " ".join(["no", rest, words[-1]] if rest else ["no", *words])
