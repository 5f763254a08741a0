"""Explains an answer to readers who may see the gold: which line it came from, and when that line was overwritten."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evaluation.core.plugin.replay import ASKED, WRITES, Account, Lane, Mark, Replay
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence.data.families import is_of_family
from evaluation.goldevidence.generator.queries import Query, answer
from evaluation.goldevidence.records import EpisodeRow, EpisodeVerdict

Found = tuple[Lane, Mark]
#: Kind of a line without authority -> sentence about an answer that used it.
_CLAIMS = {
    "claim": "adopted the distractor at {axis} {at}",
    "order": "followed the instruction at {axis} {at}",
    "note": "took the NOTE at {axis} {at} for an update",
    "unmarked": "took the line without a marker at {axis} {at} for an update",
}


def account(row: EpisodeRow, replay: Replay, verdict: EpisodeVerdict) -> Account:
    """Explain a verdict by a sentence without full stop, the line that it is about (first), and the cited lines."""
    cited = [replay.by_uid[uid] for uid in verdict.get("cited") or () if uid in replay.by_uid]
    lines = tuple(dict.fromkeys(mark.line for _, mark in cited))
    if verdict.get("failure") is None and is_of_family(row["meta"]):
        return Account(f"cites {number_of(len(verdict['cited']), 'line')} that establish the value", lines)
    if verdict.get("failure") is None:
        return Account(_right(replay, cited, verdict), lines)
    found = None if is_of_family(row["meta"]) else _chosen(row, replay, verdict, cited)
    if found is None:
        return Account(_plain(verdict), lines)
    words, mark = found
    return Account(words, tuple(dict.fromkeys((mark.line, *lines))))


def _right(replay: Replay, cited: Sequence[Found], verdict: EpisodeVerdict) -> str:
    if not cited:
        return "right: no value is valid" if verdict.get("value") is None else "right"
    if len(cited) == 1:
        lane, mark = cited[0]
        last = lane.next_write(mark) is None
        return f"cites {replay.axis} {mark.at}{', the latest update' if last and mark.kind in WRITES else ''}"
    return f"cites {number_of(len(cited), 'line')} that establish the value"


def _chosen(
    row: EpisodeRow, replay: Replay, verdict: EpisodeVerdict, cited: Sequence[Found]
) -> tuple[str, Mark] | None:
    """A sentence about the line that a wrong answer came from, and its mark. None if the line is unknown."""
    value = verdict.get("value")
    if verdict.get("failure") in _RIGHT_VALUE:
        return _beside_right_value(replay, verdict, cited)
    if value is None:
        return _no_value(replay)
    sources = _sources(row, replay, value, cited)
    if not sources:
        return None
    lane, mark = min(sources, key=lambda found: _likeliness(found[1]))
    return _taken_from(replay, lane, mark), mark


_RIGHT_VALUE = frozenset({"no_citation", "incomplete_citation", "bloat", "not_entailed"})


def _beside_right_value(
    replay: Replay, verdict: EpisodeVerdict, cited: Sequence[Found]
) -> tuple[str, Mark] | None:
    beside = next(((lane, mark) for lane, mark in cited if mark.line not in replay.gold), None)
    if beside is None or not replay.gold:
        return None
    lane, mark = beside
    return f"the right value, but cites {_not_establishing(replay, lane, mark)}", mark


def _no_value(replay: Replay) -> tuple[str, Mark] | None:
    lane = next(iter(replay.asked), None)
    last = next(iter(lane.writes[-1:]), None) if lane else None
    if lane is None or last is None or last.value is None:
        return None
    return f"gave no value, although {replay.axis} {last.at} set a valid value", last


def _sources(row: EpisodeRow, replay: Replay, value: str, cited: Sequence[Found]) -> list[Found]:
    """Lines with the answer's value: cited lines if any, else lines of asked keys, else lines of other keys."""
    derived_op = row["meta"].get("derived_op")
    if derived_op == "reports":
        return []

    def giving(found: Iterable[Found]) -> list[Found]:
        return [
            (lane, mark)
            for lane, mark in found
            if mark.value is not None and answer(Query(lane.name, derived_op), mark.value) == value
        ]

    if sources := giving(cited) or giving((lane, mark) for lane in replay.asked for mark in lane.marks):
        return sources
    if derived_op:  # half of all other lines give "odd"
        return []
    return giving((lane, mark) for lane in replay.lanes if lane.role != ASKED for mark in lane.marks)


def _likeliness(mark: Mark) -> tuple[int, int]:
    return (0 if mark.kind in WRITES else 1), -mark.at


def _taken_from(replay: Replay, lane: Lane, mark: Mark) -> str:
    where = f" about {lane.name}" if lane.role != ASKED else ""
    if (words := _CLAIMS.get(mark.kind)) is not None:
        return words.format(axis=replay.axis, at=mark.at) + where
    if lane.role != ASKED:
        return f"gave the value of another key: {lane.name} at {replay.axis} {mark.at}"
    after = lane.next_write(mark)
    if after is None:
        return f"chose {replay.axis} {mark.at}, the latest update"
    return f"chose {replay.axis} {mark.at}, {_fate(after)} at {replay.axis} {after.at}"


def _not_establishing(replay: Replay, lane: Lane, mark: Mark) -> str:
    if mark.kind not in WRITES:
        return f"{replay.axis} {mark.at}, which changes nothing"
    if lane.role != ASKED:
        return f"{replay.axis} {mark.at}, which is about {lane.name}"
    after = lane.next_write(mark)
    return f"{replay.axis} {mark.at}" + (f", {_fate(after)} at {replay.axis} {after.at}" if after else "")


def _fate(after: Mark) -> str:
    return "cleared" if after.value is None else "overwritten"


def _plain(verdict: EpisodeVerdict) -> str:
    reason = str(verdict.get("reason") or verdict.get("failure") or "")
    return reason[:1].lower() + reason[1:].rstrip(".")
