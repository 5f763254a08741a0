"""How templates and style sheets are written, and which parts of them are sent."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from leaderboard.submissions.models import System
from leaderboard.web.template_loader import unindented
from tests.live import ROOT

TEMPLATES = sorted((ROOT / "templates").rglob("*.*"))
SHEETS = sorted((ROOT / "static/css").glob("*.css"))
LONGEST_LINE = 120  # issue 13
MOST_SHEETS = 3  # a page: the tokens, what every page uses, and one of its own
BLOCKS = (
    "address|article|aside|blockquote|caption|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h1|h2|h3|h4|"
    "header|hr|legend|li|link|main|meta|nav|ol|option|p|pre|script|section|select|style|summary|table|tbody|td|tfoot|"
    "th|thead|tr|ul"
)
BLOCK_OPENED = re.compile(rf"<(?:{BLOCKS})\b")
SHEET_LINK = re.compile(r'<link rel="stylesheet" href="([^"]+)"')


def _name(path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", TEMPLATES, ids=_name)
def test_a_template_has_short_lines_and_one_block_a_line(path) -> None:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        assert len(line) <= LONGEST_LINE, f"{_name(path)}:{number} has {len(line)} characters"
        assert len(BLOCK_OPENED.findall(line)) <= 1, f"{_name(path)}:{number} opens several blocks"


@pytest.mark.parametrize("path", SHEETS, ids=_name)
def test_a_style_sheet_has_one_declaration_a_line(path) -> None:
    source = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    for number, line in enumerate(source.splitlines(), 1):
        bare = re.sub(r"\"[^\"]*\"|'[^']*'", "", line)
        assert bare.count(";") <= 1, f"{_name(path)}: {line.strip()}"
        assert not re.search(r"[{;]\s*\S", bare), f"{_name(path)}: {line.strip()} ({number})"


@pytest.fixture
def pages(client, version, system, submit, staff):
    """Every kind of page -> its address, for a maintainer."""
    made = submit(version, system, visibility="public")
    client.force_login(staff)
    plain = (
        "front glossary board versions systems history compare docs anchors api_docs conformance conformance_upload "
        "submit account tokens runs models run_start"
    )
    of_version = ("version", "changes")
    names = {name: reverse(f"leaderboard:{name}") for name in plain.split()}
    names |= {
        name: reverse(f"leaderboard:{name}", args=[version.benchmark.slug, version.slug])
        for name in of_version
    }
    names |= {
        name: reverse(f"leaderboard:{name}", args=[made.pk]) for name in ("submission", "submission_rows")
    }
    names |= {
        "figures": f"{version.get_board_url()}?view=figures",
        "system": system.get_absolute_url(),
        "sign in": reverse("account_login"),
        "nowhere": "/nowhere/",
    }
    return names


def test_a_page_has_at_most_three_style_sheets(client, pages) -> None:
    for name, address in pages.items():
        page = client.get(address, follow=True).content.decode()
        assert 1 < len(SHEET_LINK.findall(page)) <= MOST_SHEETS, name


def test_no_template_adds_a_second_style_sheet_of_its_own() -> None:
    for path in TEMPLATES:
        own = SHEET_LINK.findall(path.read_text())
        assert len(own) <= (2 if path.name in ("base.html", "base_site.html") else 1), _name(path)


def test_two_systems_are_compared_with_three_style_sheets(client, version, user, submit) -> None:
    pair = [submit(version, System.objects.create(owner=user, name=name)).pk for name in ("One", "Two")]
    page = client.get(reverse("leaderboard:compare"), {"s": pair}).content.decode()
    assert len(SHEET_LINK.findall(page)) == MOST_SHEETS


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("<p>\n    A sentence that goes\n    on.\n  </p>\n", "<p>A sentence that goes on.</p>"),
        ("<p>\n  <b>One</b>\n  of\n  {{ all }}\n</p>", "<p><b>One</b> of {{ all }}</p>"),
        ('<a\n  class="chip"\n  href="/"\n>Board</a>', '<a class="chip" href="/">Board</a>'),
        (
            "{% for a in b %}\n  <b>{{ a }}</b>\n{% endfor %}\n",
            "{% for a in b %}\n<b>{{ a }}</b>\n{% endfor %}\n",
        ),
        (
            "<p>\n  of {% unit %}\n  {% if a %}\n    a{% endif %}\n</p>",
            "<p>of {% unit %} {% if a %} a{% endif %}</p>",
        ),
        ("<td\n  class='n'\n>\n  {% a %}\n</td>", "<td class='n'>{% a %}</td>"),
        ("<small\n  >of {{ rows }}\n  rows</small>", "<small>of {{ rows }} rows</small>"),
        ("<pre>\n  kept\n    so\n</pre>\n  <p>", "<pre>\n  kept\n    so\n</pre><p>"),
        ("<style>\n  p { color: red }\n</style>", "<style>\n  p { color: red }\n</style>"),
    ],
    ids=["sentence", "inline", "attributes", "loop", "words", "cell", "variable", "pre", "style"],
)
def test_a_page_is_sent_without_the_indentation_of_its_template(written: str, sent: str) -> None:
    assert unindented(written) == sent


#: Where a `title` may stand, and why: what it says is said elsewhere, for touch and keyboard.
TIPS = {
    "templates/base.html": "the name of a feed, which no page shows",
    "templates/leaderboard/version.html": "the name of a file of metadata, which the page lists with its link",
    "templates/components/site_head.html": "a sign's tip; its `aria-label` says the same",
    "templates/admin/attention.html": "the exact time of an age, which the page that it leads to shows",
    "leaderboard/templatetags/marks.py": "the exact time of `when`; the page of a submission writes it out",
}
TIP = re.compile(r"""\stitle=["'{]""")
SOURCES = sorted((ROOT / "leaderboard").rglob("*.py"))


def test_nothing_is_said_in_a_tip_alone() -> None:
    """A `title` shows to a mouse only. Notes (`{% note %}`, `{% why %}`) show by touch and keyboard as well."""
    templates = {_name(path) for path in TEMPLATES if TIP.search(path.read_text())}
    built = {_name(path) for path in SOURCES if re.search(r"""<\w+[^>]*\stitle="[{]""", path.read_text())}
    assert templates | built == set(TIPS)
