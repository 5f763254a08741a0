"""Words that went on purpose: a pattern of their lines (`*` stands for anything) -> why, and what to use instead.

"commands.txt" and its neighbours keep the lines all the same, so that nobody brings a word back with another meaning.
"""

from __future__ import annotations

REMOVED: dict[str, str] = {}
