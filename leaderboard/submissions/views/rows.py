"""Pages of a version's rows: a filtered list, and a row as a timeline with the systems' answers."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.benchmarks import disclosure
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission
from leaderboard.submissions.rows import answers as answered
from leaderboard.submissions.rows import drawing, listing, store, text

#: Parts of the page that load on demand -> template.
PARTS = {
    "text": "components/replay_text.html",
    "lanes": "components/replay_lanes.html",
    "contexts": "components/replay_contexts.html",
}


@require_safe
def index(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    """List the rows of a version. Labels that reveal answers are shown only to readers who may see answers."""
    frozen = Version.objects.get_readable(benchmark, version)
    open_to = disclosure.shows_answers(frozen, request.user)
    submission = listing.chosen_submission(frozen, request.GET, request.user) if open_to else None
    rows = store.index_of(frozen, answers=open_to)
    listed = listing.Listing(frozen, rows, request.GET, submission)
    if (only := listed.text) in rows.place_of and not listed.failure:
        return HttpResponseRedirect(reverse("leaderboard:version_row", args=[benchmark, version, only]))
    context = {
        "version": frozen,
        "twin": None if open_to else frozen.public_twin,
        "listing": listed,
        "page": listed.page(request.GET.get("page")),
        "shows_answers": open_to,
        "systems": answered.submissions_of(frozen, request.user) if open_to else [],
        "kept": urlencode({"system": submission.pk}) if submission else "",
    }
    return render(request, "leaderboard/row_list.html", context)


@require_safe
def detail(request: HttpRequest, benchmark: str, version: str, row_id: str) -> HttpResponse:
    """Show a row as a timeline. An htmx request with `?part=` gets only that part."""
    frozen = Version.objects.get_readable(benchmark, version)
    page = _Page(request, frozen, row_id)
    part = request.GET.get("part", "")
    if part in PARTS and getattr(request, "htmx", False):
        return render(request, PARTS[part], page.part(part))
    return render(request, "leaderboard/row.html", page.whole(part))


class _Page:
    """Template contexts of a row's page. If the reader may not see answers, they contain only the public row."""

    def __init__(self, request: HttpRequest, version: Version, row_id: str) -> None:
        self.request, self.version, self.row_id = request, version, row_id
        self.answers = disclosure.shows_answers(version, request.user)
        found = store.read(version, row_id, answers=self.answers)
        if found is None:
            raise Http404
        self.row, self.seen = found
        self.step = self._step()
        self.chosen: Submission | None = (
            listing.chosen_submission(version, request.GET, request.user) if self.answers else None
        )

    def _step(self) -> int:
        if self.seen is None:
            return 0
        asked = self.request.GET.get("step", "")
        number = int(asked) if asked.isdecimal() and len(asked) < 19 else self.seen.last
        return min(max(number, self.seen.first), self.seen.last)

    def part(self, name: str) -> dict[str, object]:
        match name:
            case "contexts":
                return self._common | {"contexts": self._contexts()}
            case "lanes":
                cited = self._cited()
                return self._common | {"cited": cited, "others": self._others(cited)}
            case _:
                return self._common | {"text": self._text(self._cited())}

    def whole(self, part: str) -> dict[str, object]:
        found = self._answers()
        cited = frozenset(found.chosen.lines) if found and found.chosen else frozenset[int]()
        shown, others = drawing.shown_lanes(self.seen, cited) if self.seen else ([], [])
        return (
            self._common
            | self._neighbours()
            | {
                "answered": found,
                "picture": self._picture(shown, cited),
                "other_count": len(others),
                "others": self._others(cited) if part == "lanes" else None,
                "text": self._text(cited),
                "has_contexts": self.answers
                and any(each.contexts for each in self.version.suite.systems().values()),
                "contexts": self._contexts() if part == "contexts" else None,
                "previews": self._previews(),
                "twin": None if self.answers else self.version.public_twin,
            }
        )

    @property
    def _common(self) -> dict[str, object]:
        return {
            "version": self.version,
            "row_id": self.row_id,
            "seen": self.seen,
            "step": self.step,
            "shows_answers": self.answers,
            "kept": urlencode(self._kept),
            "here": urlencode(self._kept | self._stepped),
        }

    @property
    def _kept(self) -> dict[str, object]:
        return {"system": self.chosen.pk} if self.chosen else {}

    @property
    def _stepped(self) -> dict[str, object]:
        return {"step": self.step} if self.request.GET.get("step") else {}

    def _answers(self) -> answered.Answers | None:
        if not self.answers:
            return None
        return answered.answers(
            self.version,
            self.row,
            self.row_id,
            self.seen,
            user=self.request.user,
            chosen=self.chosen,
            number=self.request.GET.get("page"),
        )

    def _cited(self) -> frozenset[int]:
        found = self._answers()
        return frozenset(found.chosen.lines) if found and found.chosen else frozenset()

    def _picture(self, lanes: Any, cited: frozenset[int]) -> drawing.Picture | None:
        if self.seen is None or not lanes:
            return None
        return drawing.picture(self.seen, lanes, step=self.step, cited=cited, gold=self.answers)

    def _others(self, cited: frozenset[int]) -> drawing.Picture | None:
        others = drawing.shown_lanes(self.seen, cited)[1] if self.seen else []
        return self._picture(others[: drawing.MOST_OTHERS], cited)

    def _text(self, cited: frozenset[int]) -> text.Window | None:
        if self.seen is None:
            return None
        line = self.request.GET.get("line", "")
        if line.isdecimal() and len(line) < 10:
            here = int(line)
        elif self.request.GET.get("step"):
            here = text.line_at(self.seen, self.step)
        elif self.answers:
            here = max(self.seen.gold, default=0) or self.seen.line_asked
        else:
            here = 1  # opening at the last line about the question would reveal the answer
        return text.window(self.seen, here, cited=cited, answers=self.answers)

    def _contexts(self) -> Any:
        return self.version.suite.replays.contexts(self.row, self.row_id) if self.answers else ()

    def _previews(self) -> Any:
        previews = self.version.previews(self.row)
        return next((each for each in previews if each.id == self.row_id), previews[0] if previews else None)

    def _neighbours(self) -> dict[str, object]:
        rows = store.index_of(self.version, answers=self.answers)
        place = rows.place_of[self.row_id]
        return {
            "number": place + 1,
            "count": len(rows.ids),
            "labels": rows.labels[place].items(),
            "previous": rows.ids[place - 1] if place else None,
            "following": rows.ids[place + 1] if place + 1 < len(rows.ids) else None,
        }
