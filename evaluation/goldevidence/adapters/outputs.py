"""The check of what a system hands back about a row: a value and the lines it cites."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from evaluation.adapters.base import Output, Row
from evaluation.core.errors import AdapterError
from evaluation.core.row_states import STATE, given_state
from evaluation.goldevidence.data.answers import SELECTED

MAX_SUPPORT = 3  # citations, where a row does not say how many it allows


def support_limit(row: Mapping[str, Any]) -> int:
    """How many citations a row allows: as many as its meta says, else 3."""
    meta = row.get("meta")
    most = meta.get("max_support_k") if isinstance(meta, Mapping) else None
    return most if isinstance(most, int) and most > 0 else MAX_SUPPORT


def check_output(
    output: Any, *, row_id: str, known_ids: Iterable[str], max_support: int = MAX_SUPPORT
) -> Row:
    """The output in canonical form, `value` and `support_ids`; other fields are left behind.

    Only `selected_uid`, the id that a selector chose before the answer was made, stays where it is given.
    `value` must be present and null, a text or a number (a number becomes its text). `support_ids` is a list
    of at most `max_support` ids of the episode; one id (`support_ids` or `support_id`) is read as a list of
    one. An output that says why there is no answer stays as that. Raises AdapterError that names the row and the rule.
    """
    if not isinstance(output, Mapping):
        raise _broken(row_id, f"the output must be an object, not {type(output).__name__}")
    if state := given_state(output):
        return {STATE: state.value}
    if "value" not in output:
        raise _broken(row_id, "`value` is required (it may be null)")
    ids = _support_ids(output, row_id)
    if len(ids) > max_support:
        raise _broken(row_id, f"at most {max_support} `support_ids` are allowed, got {len(ids)}")
    known = set(known_ids)
    for uid in ids:
        if uid not in known:
            raise _broken(row_id, f"support id {uid!r} does not exist in the episode")
    return {"value": _value(output["value"], row_id), "support_ids": ids} | _selected(output, row_id, known)


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


def _selected(output: Output, row_id: str, known: Collection[str]) -> Row:
    chosen = output.get(SELECTED)
    if chosen is None:
        return {}
    if not isinstance(chosen, str) or chosen not in known:
        raise _broken(row_id, f"`{SELECTED}` must be null or the id of a line of the episode, not {chosen!r}")
    return {SELECTED: chosen}


def _broken(row_id: str, rule: str) -> AdapterError:
    return AdapterError(f"row {row_id}: {rule}")
