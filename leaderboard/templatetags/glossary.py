"""Glossary notes in the text: a button that opens an explanation, by touch and by keyboard."""

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
    """A word with a button that opens its explanation; the word alone if `text` is empty."""
    return _note(context, word, text)


@register.simple_tag(takes_context=True)
def why(context: Context, label: str, text: str) -> SafeString:
    """A button after `label` that opens an explanation; empty without `text`."""
    return _note(context, label, text, mark=True) if text else SafeString("")


@register.simple_tag(takes_context=True)
def split_note(context: Context, version: Version, name: str) -> SafeString:
    """The label of a split, with an explanation of its rows."""
    named = version.suite.display.splits.named
    found = named(version.settings, name) if named else Term(name, "")
    return _note(context, found.name, found.text)


@register.simple_tag(takes_context=True)
def term(context: Context, name: str, word: str = "") -> SafeString:
    """A glossary term with its explanation, shown as `word`, else in lower case."""
    terms = [*TERMS, *(each for suite in usable().values() for each in suite.display.terms)]
    found = next((each.text for each in terms if each.name == name), "")
    shown = word or (name if name[1:] != name[1:].lower() else name.lower())
    return _note(context, shown, found, slugify(name))


def _note(context: Context, word: str, text: str, anchor: str = "", mark: bool = False) -> SafeString:
    """The button and its note, without surrounding white space, because a comma may follow."""
    fields = {
        "word": word,
        "text": text,
        "anchor": anchor,
        "mark": mark,
        "shown": "" if mark else word,
        "id": f"note-{_next(context)}",
    }
    return mark_safe(render_to_string("components/note.html", fields).strip())  # a rendered template


def _next(context: Context) -> int:
    """The number of the next note on a page, which makes the ids of notes unique."""
    whole: dict[Any, Any] = cast(Any, context.render_context).dicts[0]
    whole[COUNT] = whole.get(COUNT, 0) + 1
    return int(whole[COUNT])
