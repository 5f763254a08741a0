"""Every kind of page of the demo uses the project's vocabulary, and one format for rates, days and missing values."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from html import escape
from html.parser import HTMLParser

import pytest

from tests.interface import commands
from tests.live import LiveDemo
from tests.site_pages import found, prepare

#: Run in the site's own Django: `LiveSite.shell(ASK)`.
ASK = "import json; from tests.flows.test_words import walked; print(json.dumps(walked()))"
#: Old word -> what is said now. A word of the field that means something else somewhere is none of these.
WORDS = {
    r"(nobody|no-one|somebody|whoever|whom)\b": "a noun: no reader, a person, the owner, who",
    r"all figures\b": "all metrics",
    r"figure by figure\b": "metric by metric",
    r"area by length\b": "mean over lengths (AUC)",
    r"attribution\b": "the requirement in words: citations back its answers",
    r"passed\b": "the requirement in words: met",
    r"gated\b": "requirement not met",
    r"is a claim\b": "self-reported",
    r"shipped\b": "run by the authors",
    r"sfrr\b(?! in the published)": "stale-fact rate",
    r"spared\b": "stale facts avoided",
    r"(dead|live) (facts|evidence)\b": "outdated or current facts",
    r"own retrieval\b": "found, chosen, right",
    r"contests? (the board|nothing)\b": "ranked systems, baselines",
    r"decides? nothing\b": "memory strategies, no model attached",
    r"what became of the rows\b": "answer coverage",
    r"how long a text may get\b": "accuracy by text length",
    r"whatever it scores\b": "use on the leaderboard",
    r"stands? on no board\b": "not on a leaderboard",
    r"certain: (no|yes)\b": "within noise",
    r"under \d+k tokens\b": "fails at 1k",
    r"what bounds this board\b": "baselines and upper bounds",
    r"no interval tells apart\b": "tied with 1 other",
    r"keeps track the longest\b": "longest reliable length",
    r"where everybody fails\b": "hardest for all",
    r"what the boards show\b": "results",
    r"repeats that stand together\b": "repeat runs to average",
    r"the one the others are compared with\b": "baseline",
}
MONTH = r"(January|February|March|April|June|July|August|September|October|November|December)"
#: What no reader should meet -> how it is written.
FORMATS = {
    r"(?<![\d.,–−])\d{1,3}%(?! of versions\b)": "a rate with one decimal: 69.4%",
    r"(?<![\w.$–])(?<!p [=<] )0?\.\d{2,3}(?![\w.%–])(?! (s|ms)\b)": "a rate in per cent: 69.4%",
    r"\d{4}-\d\d-\d\d": "a day as 25 Nov 2026",
    rf"\d{{1,2}} {MONTH} \d{{4}}": "a day as 25 Nov 2026",
    r"[A-Z][a-z]+ \d{1,2}, \d{4}": "a day as 25 Nov 2026",
    r"\d{4},? \d\d:\d\d(?! UTC)": "a moment as 25 Nov 2026, 13:20 UTC",
    r"^—$": "an en dash where there is nothing: –",
}
#: What looks like a rate and is a level, a threshold, an end of a scale, or quoted from a text.
LEVELS = "|".join(
    [
        r"95%|100%|\b0%|^25%, 75%$|^50%$|(at (least|most)|nearer to 0 than) 0\.\d+|'[^']*'",
        r"\d+% (allowed|needed|NOTEs|of the accuracy|has an interval|of the tasks)",
    ]
)
BLOCKS = frozenset(
    "p div li td th dt dd h1 h2 h3 h4 section summary figcaption legend option button label caption text "
    "title small nav ul tr form header footer main article aside details blockquote".split()
)
#: What is not a sentence of ours: code, files, texts and names that come from rows and from readers.
SKIPPED = frozenset("script style pre code samp kbd template textarea".split())
VOID = frozenset(
    "area base br col embed hr img input link meta source track wbr path circle rect line use".split()
)


class Text(HTMLParser):
    """The visible text of a page, block by block."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks, self._open, self._text = list[str](), list[tuple[str, bool]](), ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in BLOCKS:
            self._end()
        given = dict(attrs)
        if tag not in VOID:
            hidden = tag in SKIPPED or "data-quoted" in given
            self._open.append((tag, hidden or self._hidden))
        for name in ("placeholder", "title", "aria-label", "alt"):
            if text := given.get(name):
                self.blocks.append(text)

    def handle_endtag(self, tag: str) -> None:
        if tag in BLOCKS:
            self._end()
        while self._open and any(name == tag for name, _ in self._open):
            if self._open.pop()[0] == tag:
                break

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._text += data

    @property
    def _hidden(self) -> bool:
        return bool(self._open) and self._open[-1][1]

    def _end(self) -> None:
        if text := " ".join(self._text.split()):
            self.blocks.append(text)
        self._text = ""


def sentences(page: str) -> Iterator[str]:
    """The sentences that a reader sees or hears of a page."""
    text = Text()
    text.feed(page)
    text.close()
    for block in dict.fromkeys(text.blocks):
        yield from re.split(r"(?<=[.!?]) (?=[A-Z“])", block)


def faults(page: str) -> list[str]:
    """Outdated words and formats, each with its replacement and its sentence."""
    said = []
    for sentence in sentences(page):
        for word, instead in WORDS.items():
            if match := re.search(rf"\b{word}", sentence, re.IGNORECASE):
                said.append(f"“{match[0]}” ({instead}): {sentence[:200]}")
        for form, instead in FORMATS.items():
            if match := re.search(form, re.sub(LEVELS, "", sentence)):
                said.append(f"{match[0]} ({instead}): {sentence[:200]}")
    return said


def walked() -> list[str]:
    """The faults of every kind of page, found inside the site's Django."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    readers = {staff: Client(headers={"host": "127.0.0.1"}) for staff in (False, True)}
    readers[True].force_login(get_user_model().objects.get(username="admin"))
    return [
        f"{kind.name} ({kind.path}): {fault}"
        for kind in found()
        for fault in faults(readers[kind.staff].get(kind.path).content.decode())
    ]


def test_the_check_sees_faults() -> None:
    page = (
        "<p>Nobody knows. It got 69% on 2026-11-25.</p><td>—</td><pre>nobody 0.694</pre>"
        "<p title='Passed'>Of 0.694, 95% intervals and p = 0.045</p><p>25 Nov 2026, 13:20</p>"
    )
    assert [fault.partition(" (")[0] for fault in faults(page)] == [
        "“Nobody”", "69%", "2026-11-25", "—", "“Passed”", "0.694", "2026, 13:20",
    ]  # fmt: skip


@pytest.mark.worker
@pytest.mark.xdist_group("demo")
def test_every_kind_of_page_uses_the_vocabulary(demo: LiveDemo) -> None:
    prepare(demo.shell)
    lines = json.loads(demo.shell(ASK).splitlines()[-1])
    assert not lines, "\n".join(lines)


def test_every_help_text_of_the_shell_uses_the_vocabulary() -> None:
    parsers = {"goldevidencebench": commands.engine(), **commands.management()}
    said = [
        f"{name}: {fault}"
        for name, parser in parsers.items()
        for text in helps(parser)
        for fault in faults(f"<p>{escape(text)}</p>")
        if "in per cent" not in fault  # settings are typed as fractions
    ]
    assert not said, "\n".join(said)


def helps(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The help texts of a command, of those below it, and of their options."""
    yield parser.description or ""
    for action in parser._actions:
        yield action.help or ""
        if isinstance(action, argparse._SubParsersAction):
            yield from (choice.help or "" for choice in action._choices_actions)
            for below in dict.fromkeys(action.choices.values()):
                yield from helps(below)
