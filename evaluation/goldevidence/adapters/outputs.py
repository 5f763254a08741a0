"""Checks the output of a system for a row: the value of the answer, and the ids of the lines that it cites."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from evaluation.adapters.base import Output
from evaluation.core.errors import AdapterError
from evaluation.core.row_states import given_state
from evaluation.goldevidence.data.answers import SELECTED
from evaluation.goldevidence.records import EpisodeOutput, EpisodeRow
from evaluation.goldevidence.shown_uids import SHOWN, form_fault, row_fault

MAX_SUPPORT = 3  # most citations of a row that does not set its own limit


def support_limit(row: EpisodeRow) -> int:
    """Return the maximum number of citations of a row: `max_support_k` of its meta, or 3 without that field."""
    meta = row.get("meta")
    most = meta.get("max_support_k") if isinstance(meta, Mapping) else None
    return most if isinstance(most, int) and most > 0 else MAX_SUPPORT


def check_output(
    output: Any, *, row_id: str, known_ids: Iterable[str], max_support: int = MAX_SUPPORT
) -> EpisodeOutput:
    """Return the output in canonical form: `value` and `support_ids`, or the `state` of a row without an answer.

    `value` is required: null, a text or a number, which is converted to text. A single id (`support_ids` or
    `support_id`) becomes a list. `selected_uid` (the id that a selector chose before the answer) and `shown_uids` (the
    ids of the lines that the system saw) are kept, also beside a state; other fields are dropped. Raises AdapterError
    naming the row and the broken rule, for example if a cited id is not in `known_ids`, the ids of the episode.
    """
    if not isinstance(output, Mapping):
        raise _broken(row_id, f"the output must be an object, not {type(output).__name__}")
    known = set(known_ids)
    if state := given_state(output):
        unanswered: EpisodeOutput = {"state": state.value}
        return unanswered | _selected(output, row_id, known) | _shown(output, row_id, known)
    if "value" not in output:
        raise _broken(row_id, "`value` is required (it may be null)")
    ids = _support_ids(output, row_id)
    if len(ids) > max_support:
        raise _broken(row_id, f"at most {max_support} `support_ids` are allowed, got {len(ids)}")
    for uid in ids:
        if uid not in known:
            raise _broken(row_id, f"support id {uid!r} does not exist in the episode")
    checked: EpisodeOutput = {"value": _value(output["value"], row_id), "support_ids": ids}
    return checked | _selected(output, row_id, known) | _shown(output, row_id, known)


def _value(value: Any, row_id: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float)):
        return str(value)
    raise _broken(row_id, f"`value` must be null, a text or a number, not {type(value).__name__}")


def _support_ids(output: Output, row_id: str) -> list[str]:
    raw = output.get("support_ids") or output.get("support_id")
    if raw is None or raw == []:
        return []
    ids = [raw] if isinstance(raw, (str, int)) else raw
    if not isinstance(ids, (list, tuple)) or not all(isinstance(uid, str) for uid in ids):
        raise _broken(row_id, "`support_ids` must be a list of texts")
    return list(ids)


def _selected(output: Output, row_id: str, known: Collection[str]) -> EpisodeOutput:
    chosen = output.get(SELECTED)
    if chosen is None:
        return {}
    if not isinstance(chosen, str) or chosen not in known:
        raise _broken(row_id, f"`{SELECTED}` must be null or the id of a line of the episode, not {chosen!r}")
    return {"selected_uid": chosen}


def _shown(output: Output, row_id: str, known: Collection[str]) -> EpisodeOutput:
    uids = output.get(SHOWN)
    if uids is None:
        return {}
    fault = form_fault(uids) or row_fault(uids, known)
    if fault:
        raise _broken(row_id, fault.message)
    return {"shown_uids": uids}


def _broken(row_id: str, rule: str) -> AdapterError:
    return AdapterError(f"row {row_id}: {rule}")
