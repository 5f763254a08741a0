"""Words that explain themselves where they stand: a button that opens a note, by touch and by keyboard."""

from __future__ import annotations

from typing import Any, cast

from django import template
from django.template.context import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify

from evaluation.core.plugin import Term
from evaluation.core.suite import usable
from leaderboard.benchmarks.models import Version
from leaderboard.boards.front.terms import TERMS
from leaderboard.web.formatting import prose

register = template.Library()
register.filter("prose", prose)
COUNT = "glossary-notes"


@register.simple_tag(takes_context=True)
def note(context: Context, word: str, text: str) -> SafeString:
    """A word with what it means.

    Args:
        context: Of the page, which numbers its notes.
        word: As it stands in the text.
        text: What it means; empty: the word stands alone.
    """
    return _note(context, word, text)


@register.simple_tag(takes_context=True)
def why(context: Context, label: str, text: str) -> SafeString:
    """A sign behind a label that opens what the label means.

    Args:
        context: Of the page.
        label: What it stands behind.
        text: What that means; empty: nothing stands there.
    """
    return _note(context, label, text, mark=True) if text else SafeString("")


@register.simple_tag(takes_context=True)
def split_note(context: Context, version: Version, name: str) -> SafeString:
    """A split as a reader calls it, with what its rows show.

    Args:
        context: Of the page.
        version: Whose split it is.
        name: The split's.
    """
    named = version.suite.display.splits.named
    found = named(version.settings, name) if named else Term(name, "")
    return _note(context, found.name, found.text)


@register.simple_tag(takes_context=True)
def term(context: Context, name: str, word: str = "") -> SafeString:
    """A word of the glossary with what it means.

    Args:
        context: Of the page.
        name: As the glossary has it.
        word: As it stands in the text; empty: in small letters.
    """
    found = next((each.text for each in _terms() if each.name == name), "")
    shown = word or (name if name[1:] != name[1:].lower() else name.lower())
    return _note(context, shown, found, slugify(name))


def _note(context: Context, word: str, text: str, anchor: str = "", mark: bool = False) -> SafeString:
    """The button and its note, without the white space around them: a comma may follow."""
    fields = {
        "word": word,
        "text": text,
        "anchor": anchor,
        "mark": mark,
        "shown": "" if mark else word,
        "id": f"note-{_next(context)}",
    }
    return mark_safe(render_to_string("components/note.html", fields).strip())  # a rendered template


def _terms() -> list[Term]:
    return [*TERMS, *(each for suite in usable().values() for each in suite.display.terms)]


def _next(context: Context) -> int:
    """The number of the next note on a page: each is opened by its own button."""
    whole: dict[Any, Any] = cast(Any, context.render_context).dicts[0]
    whole[COUNT] = whole.get(COUNT, 0) + 1
    return int(whole[COUNT])
