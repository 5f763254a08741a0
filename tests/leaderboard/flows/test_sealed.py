"""All that a version with withheld answers shows to visitors, owners, and staff without `view_gold`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone
from django.utils.html import strip_tags

from leaderboard.benchmarks import seeding
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import learning
from leaderboard.boards import figures, slices
from leaderboard.boards.placements import computing, placements
from leaderboard.ready_pages.store import pages as ready_pages
from leaderboard.runs import services as runs
from leaderboard.submissions.models import Score, Submission, System
from leaderboard.web.results_cache import cache
from tests.leaderboard.conftest import RANKED
from tests.leaderboard.runs.gguf import SMALL_ORDER_BIAS

Submit = Callable[..., Submission]
#: Numbers of JSON that are not figures of answers: costs, and the layout of pictures.
NO_FIGURES = {"tokens_per_query", "seconds", "wall_s_per_q", "range", "base", "width"}
#: Where a legend and a bar of a picture stand; and the bound of 80 rows that the help of intervals is explained by.
CONSTANTS = {1.02, 0.96, 0.956}
NUMBER = re.compile(r"(?<![\w.,:])[−+-]?\d+\.\d+(?![\w.]*\w)")


@pytest.fixture
def kept(make_version: Callable[..., Version]) -> Version:
    """A version with ranks and parts that withholds its answers."""
    conditions = SMALL_ORDER_BIAS["conditions"]
    version = make_version(name="kept", sealed=True, generator=RANKED, conditions=conditions)
    assert version.shown_step in (0.01, 0.05, 0.1), "every coarser step is a multiple of it"
    return version


@pytest.fixture
def board(kept: Version, user: Any, other: Any, submit: Submit) -> dict[str, Submission]:
    """A declared entry, two undeclared uploads of one system, an upload of another account, and runs of this site."""
    entrant, guesser = (System.objects.create(owner=user, name=name) for name in ("Entrant", "Guesser"))
    made = {
        "declared": submit(kept, entrant, wrong=17, declared=True),
        "first": submit(kept, guesser, wrong=31),
        "second": submit(kept, guesser, wrong=33),
        "others": submit(kept, System.objects.create(owner=other, name="Other"), wrong=90, declared=True),
    }
    for name in ("ledger", "naive", "positional_first"):
        run = runs.start(version=kept, executor=name, started_by=seeding.site_user(), wake_worker=False)
        if runs.execute(str(run.pk), grade_now=True):
            made[name] = Submission.objects.get(run__pk=run.pk)
    computing.store(kept)
    return made


@pytest.fixture
def looker(db: None, django_user_model: Any) -> Any:
    """Staff with every permission of the site but `view_gold`."""
    staff = django_user_model.objects.create_user(
        "lou", "lou@example.org", "a long passphrase", is_staff=True
    )
    held = Permission.objects.filter(content_type__app_label="leaderboard").exclude(codename="view_gold")
    staff.user_permissions.add(*held)
    return staff


def addresses(version: Version, board: dict[str, Submission]) -> Iterator[str]:
    """The addresses that show something of the version."""
    at = [version.benchmark.slug, version.slug]
    base = f"/boards/{at[0]}/{at[1]}/"
    yield from (
        "/",
        "/boards/",
        "/versions/",
        "/history/",
        "/feed.atom",
        "/systems/",
        "/account/",
        "/compare/",
    )
    yield from (
        base,
        f"{base}?references=on",
        f"{base}?columns=all",
        f"{base}figures/",
        version.get_absolute_url(),
    )
    yield from (f"{version.get_absolute_url()}{end}" for end in ("feed.atom", "changes/", "cite.bib"))
    parts = [f"?{facet.name}={part}" for facet in slices.facets_of(version) for part, _ in facet.choices]
    for query in ("", *parts):
        yield f"{base}{query}"
        yield from (f"{base}export.{kind}{query}" for kind in ("csv", "json"))
        yield f"/api/v1/leaderboard/{at[0]}/{at[1]}{query}"
    yield f"/api/v1/leaderboard/{at[0]}/{at[1]}/measures"
    for name in figures.KINDS:
        yield from (f"{base}figures/{name}.{kind}" for kind in ("json", "csv"))
    yield from (
        f"/api/v1/versions/{at[0]}/{at[1]}",
        "/api/v1/versions",
        "/api/v1/submissions",
        "/api/v1/systems",
    )
    for made in board.values():
        api, page = f"/api/v1/submissions/{made.pk}", made.get_absolute_url()
        yield from (
            api,
            f"{api}/metrics",
            f"{api}/events",
            f"{api}/rows",
            page,
            f"{page}cite.bib",
            f"{page}rows/",
        )
        yield from (
            f"{page}status/",
            made.system.get_absolute_url(),
            f"{made.system.get_absolute_url()}badge.svg",
        )
    pairs = [("declared", name) for name in board if name != "declared"] + [("others", "second")]
    for first, second in pairs:
        query = f"?s={board[first].pk}&s={board[second].pk}"
        yield from (f"/compare/{query}", f"/compare/figure.json{query}")
        yield from (f"/compare/comparison.{kind}{query}" for kind in ("csv", "json"))
        yield from (f"/compare/{table}.csv{query}" for table in ("differences", "conditions", "rows"))
    yield from (
        f"/admin/leaderboard/{model}/" for model in ("score", "submission", "version", "run", "system")
    )
    yield f"/admin/leaderboard/version/{version.pk}/change/"
    for made in board.values():
        yield f"/admin/leaderboard/submission/{made.pk}/change/"
        yield f"/admin/leaderboard/score/{made.score_id}/change/"


def floats_in(data: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """(key, value) of every float in JSON."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from floats_in(value, key)
    elif isinstance(data, list):
        for value in data:
            yield from floats_in(value, name)
    elif isinstance(data, float) and name not in NO_FIGURES:
        yield name, data


def told(response: Any) -> Iterator[tuple[str, float]]:
    """The numbers with decimals in a response; in a page, those of its text and its description."""
    kind = response.headers.get("Content-Type", "")
    content = b"".join(response) if response.streaming else response.content
    if "json" in kind:
        yield from floats_in(json.loads(content))
    elif "html" in kind or "svg" in kind or "xml" in kind:
        text = content.decode()
        described = " ".join(re.findall(r'content="([^"]*)"', text))
        text = re.sub(r"(?s)<(script|style)\b.*?</\1>|<svg\b.*?</svg>", " ", text)
        shown = f"{described} {strip_tags(text.replace('<', ' <'))}"  # cells that touch are two
        yield from (("", float(each.replace("−", "-"))) for each in NUMBER.findall(shown))
    else:
        yield from (("", float(each)) for each in NUMBER.findall(content.decode()))


def sizes_of(version: Version, board: dict[str, Submission]) -> set[float]:
    """Numbers that pages show of a version and of runs, independent of the answers."""
    power, learnt = learning.expected_power(version), learning.learning(version)
    assert learnt is not None
    sizes = {round(power.plus_minus, 3), round(power.smallest_difference, 3), round(learnt.rise, 2)}
    rates = {value for _, value in floats_in(version.settings)}
    made_how = [[each.efficiency, each.provenance] for each in board.values()]
    used = {float(each) for each in re.findall(r"\d+\.\d+(?:e-\d+)?", json.dumps(made_how))}
    seconds = {made.score.seconds for made in board.values() if made.score}
    tokens = {round(value, 4) for value in used}
    return sizes | rates | used | tokens | {round(value, 3) for value in used} | seconds


def off_grid(
    client: Any, version: Version, board: dict[str, Submission]
) -> dict[str, set[tuple[str, float]]]:
    """Address -> its numbers that are off the grid of the version."""
    cache.clear()
    ready_pages.clear()
    found = {}
    for address in addresses(version, board):
        response = client.get(address)
        assert response.status_code in (200, 301, 302, 403, 404), (address, response.status_code)
        steps = {each: each[1] / version.shown_step for each in told(response)}
        places = {each for each, step in steps.items() if abs(step - round(step)) > 1e-6}
        places = {each for each in places if each[1] not in CONSTANTS | sizes_of(version, board)}
        if places:
            found[address] = places
    return found


@pytest.mark.parametrize("reader", ["visitor", "owner", "staff"])
def test_no_figure_off_the_grid_is_in_any_response(
    client: Any, kept: Version, board: dict[str, Submission], user: Any, looker: Any, reader: str
) -> None:
    if reader != "visitor":
        client.force_login(user if reader == "owner" else looker)
    assert off_grid(client, kept, board) == {}


def test_no_denominator_is_told_but_rounded_or_that_of_all_rows(
    client: Any, kept: Version, board: dict[str, Submission]
) -> None:
    grid, public = round(kept.shown_step * kept.row_count), {kept.row_count, *kept.conditions.values()}
    for name, made in board.items():
        lines = client.get(f"/api/v1/submissions/{made.pk}/metrics").json()["metrics"]
        over = {each["denominator"] for each in lines if each["denominator"] is not None}
        assert all(number % grid == 0 or number in public for number in over), name
        untold = [each for each in lines if each["value"] is None and each["denominator"] is not None]
        assert untold == [], name


def test_groups_of_few_rows_have_no_figure_and_those_of_many_their_own_step(
    board: dict[str, Submission],
) -> None:
    score = board["declared"].score
    assert score is not None
    rows = score.exact["group_rows"]
    headline = board["declared"].version.headline.name
    few = {
        (grouping, name) for grouping, of in rows.items() for name, each in of.items() if each[headline] < 50
    }
    told = {(grouping, name) for grouping, of in score.groups.items() for name in of}
    assert few, "the exact score has such groups"
    assert told
    assert not few & told
    for grouping, members in score.groups.items():
        for name, group in members.items():
            known = {metric for metric, value in group["metrics"].items() if isinstance(value, float)}
            assert all(rows[grouping][name][metric] >= 50 for metric in known)


def test_the_lead_is_the_difference_of_the_shown_headlines(
    client: Any, kept: Version, user: Any, submit: Submit
) -> None:
    best, worse = (System.objects.create(owner=user, name=name) for name in ("Best", "Worse"))
    pair = [submit(kept, best, declared=True), submit(kept, worse, wrong=13, declared=True)]
    headlines = [made.score.headline for made in pair if made.score]
    first = placements.board_placements(kept, Submission.objects.on_board(kept), placements.WHOLE)[0]
    assert first.lead == pytest.approx(headlines[0] - headlines[1])
    exact = [made.score.ranked_by for made in pair if made.score]
    assert first.lead != pytest.approx(exact[0] - exact[1], abs=1e-3)


IDS = re.compile(
    r"[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{12,64}\b|[0-9a-f]{6,8}…([0-9a-f]{4})?|(?<=kept-)[0-9a-f]{8}\b"
)
TIMES = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)|\d\d? \w{3} \d{4}(, \d\d:\d\d(:\d\d)?)?|\d+ (seconds?|minutes?) ago"
)


def without_names(response: Any, owner: str) -> bytes:
    """A response without ids, times and the name of the account."""
    content = response.content
    if response.headers["Content-Type"] in ("image/png", "application/vnd.apache.parquet"):
        return bytes(content)
    text = re.sub(rf"\b{owner}\b", "OWNER", content.decode())
    text = re.sub(
        r'csrfmiddlewaretoken" value="\w+"|nonce="[^"]*"|nonce-[\w+/=-]+|X-CSRFToken": "\w+"|system=\d+',
        "",
        text,
    )
    return TIMES.sub("TIME", IDS.sub("ID", text)).encode()


def first_difference(one: bytes, other: bytes) -> str:
    """Where two contents first differ; empty if they are the same."""
    at = next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    around = slice(max((at or 0) - 80, 0), (at or 0) + 80)
    return "" if one == other else f"{one[around]!r} and {other[around]!r}"


def test_two_uploads_with_the_same_shown_headline_have_the_same_pages(
    client: Any, kept: Version, user: Any, other: Any, submit: Submit
) -> None:
    """Each of two accounts sends an entry, the same file, and then a file that is right in other rows."""
    reference = submit(
        kept, System.objects.create(owner=seeding.site_user(), name="Ruler"), wrong=120, declared=True
    )
    pages = []
    for owner, wrong in ((user, 7), (other, 13)):
        system = System.objects.create(owner=owner, name="Same")
        submit(kept, system, wrong=60, declared=True)
        pages.append(submit(kept, system, wrong=wrong, note="the same"))
    scores = [made.score for made in pages if made.score]
    assert scores[0].ranked_by != scores[1].ranked_by
    assert scores[0].headline == scores[1].headline
    both = Submission.objects.filter(pk__in=[made.pk for made in pages])
    both.update(file_bytes=1, created_at=timezone.now())
    Score.objects.filter(submission__in=both).update(seconds=1)
    seen = []
    for made in pages:
        client.force_login(made.submitter)
        cache.clear()
        ready_pages.clear()
        api, page = f"/api/v1/submissions/{made.pk}", made.get_absolute_url()
        against = f"?s={reference.pk}&s={made.pk}"
        wanted = [
            api,
            f"{api}/metrics",
            f"{api}/events",
            page,
            f"{page}status/",
            f"{page}cite.bib",
            f"{page}card.png",
        ]
        wanted += [f"/compare/{against}", f"/compare/figure.json{against}"]
        wanted += [f"/compare/comparison.{kind}{against}" for kind in ("csv", "json", "parquet")]
        wanted += [f"/compare/{table}.csv{against}" for table in ("differences", "conditions", "rows")]
        answers = [client.get(address) for address in wanted]
        assert {answer.status_code for answer in answers} == {200}, [a.status_code for a in answers]
        names = [address.replace(str(made.pk), "ID") for address in wanted]
        owner = made.submitter.get_username()
        seen.append({name: without_names(a, owner) for name, a in zip(names, answers, strict=True)})
    for name, content in seen[0].items():
        if name.split("?")[0] != "/compare/comparison.parquet":  # holds the id in a compressed column
            assert first_difference(content, seen[1][name]) == "", name
