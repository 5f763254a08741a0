"""The state of a row: whether a system answered it, and if not, why.

Only `answered` and `abstained` are answers. For a row in any other state the predictions file has a line without an
answer, `{"id": …, "state": "cut_off"}`. Such a row is neither missing nor an abstention, and counts as wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

STATE = "state"  # field of a line and of an adapter's output
#: A run pauses if more than a share PAUSE_ABOVE of at least PAUSE_FROM rows is unanswered. One in fifty may be the
#: model's fault; more means that a limit, a format or a server is wrong for all further rows.
PAUSE_FROM, PAUSE_ABOVE = 50, 0.02


class RowState(StrEnum):
    ANSWERED = "answered"
    ABSTAINED = "abstained"  # null without citations: on purpose
    EMPTY = "empty"
    CUT_OFF = "cut_off"
    CUT_PROMPT = "cut_prompt"
    REFUSED = "refused"
    UNREADABLE = "unreadable"
    ERROR = "error"


#: Why a row has no answer, for readers.
REASONS: dict[RowState, str] = {
    RowState.EMPTY: "The model ended its turn without writing an answer.",
    RowState.CUT_OFF: "The model reached its token limit before it had answered.",
    RowState.CUT_PROMPT: "The prompt is longer than the model can read: the server cut it off, or the model was not "
    "prompted.",
    RowState.REFUSED: "The model, or a filter of its server, refused to answer.",
    RowState.UNREADABLE: "No answer could be read from the reply.",
    RowState.ERROR: "The server refused this row's request, broke off, or did not send a reply.",
}
#: Advice for the person who runs the model.
ADVICE: dict[RowState, str] = {
    RowState.EMPTY: "Look at the server's replies: its chat template may be wrong for this model, or the server may "
    "treat all of the model's text as reasoning.",
    RowState.CUT_OFF: "Raise max_tokens (a reasoning model needs thousands of tokens), or lower the reasoning effort.",
    RowState.CUT_PROMPT: "Give a local model a larger `context`, if it was trained for one; give a server a larger "
    "context (Ollama: num_ctx, llama-server: -c, vLLM: --max-model-len), or set `context` to the server's.",
    RowState.REFUSED: "Look at the refused rows: the server's content filter can often be configured.",
    RowState.UNREADABLE: "Let the server constrain the answer (constrain=json_schema or grammar), or choose a model "
    "that keeps to the requested form.",
    RowState.ERROR: "Look into the server's log, and at `problems` in the run's provenance. If the server refuses long "
    "rows (HTTP 400 or 413), set `context` to the server's.",
}
UNANSWERED = frozenset(REASONS)
#: States that do not follow a number as they are: `3 with an error`.
_AFTER_A_NUMBER = {RowState.CUT_PROMPT: "with too long a prompt", RowState.ERROR: "with an error"}


def given_state(data: Mapping[str, object]) -> RowState | None:
    """Return the state of a predictions line or adapter output without an answer. Returns None if an answer exists."""
    state = data.get(STATE)
    return RowState(state) if isinstance(state, str) and state in UNANSWERED else None


def unanswered(states: Mapping[str, int]) -> int:
    return sum(count for state, count in states.items() if state in UNANSWERED)


def too_many(states: Mapping[str, int]) -> bool:
    """True if so many rows are unanswered that a run should pause."""
    rows = sum(states.values())
    return rows >= PAUSE_FROM and unanswered(states) > PAUSE_ABOVE * rows


def counted(states: Mapping[str, int]) -> str:
    """Describe the number of rows in each state: `470 answered, 3 abstained, 7 cut off`."""
    parts = (f"{states[state]:,} {_after_a_number(state)}" for state in RowState if states.get(state))
    return ", ".join(parts) or "no rows"


def in_words(states: Mapping[str, int]) -> str:
    """The number of unanswered rows in each state: `30 cut off, 7 unreadable`. Empty if every row is answered."""
    counts = ((state, states.get(state, 0)) for state in RowState if state in UNANSWERED)
    return ", ".join(f"{count:,} {_after_a_number(state)}" for state, count in counts if count)


def _after_a_number(state: RowState) -> str:
    return _AFTER_A_NUMBER.get(state) or state.replace("_", " ")


def note(states: Mapping[str, int]) -> str:
    """The number of unanswered rows in words: `12 of 480 unanswered`. Empty if every row is answered."""
    count = unanswered(states)
    return f"{count:,} of {sum(states.values()):,} unanswered" if count else ""


def described(states: Mapping[str, int]) -> list[tuple[str, int, str]]:
    """Describe each state that occurs: (state in words, rows, reason). Answers and abstentions have no reason ("")."""
    there = ((state, states.get(state, 0)) for state in RowState)
    return [(state.replace("_", " "), count, REASONS.get(state, "")) for state, count in there if count]


def sentence(states: Mapping[str, int], what: str = "rows", *, graded: bool = False) -> str:
    """Warn: `37 of 480 rows hold no readable answer (30 cut off, …); they will count as wrong.`

    Returns "" if all rows are answered. With `graded` the sentence ends in "they count as wrong.".
    """
    count, rows = unanswered(states), sum(states.values())
    if not count:
        return ""
    one = count == 1
    they = f"{'it' if one else 'they'} {('counts' if one else 'count') if graded else 'will count'}"
    holds = "holds" if one else "hold"
    return f"{count:,} of {rows:,} {what} {holds} no readable answer ({in_words(states)}); {they} as wrong."


def advice(states: Mapping[str, int]) -> list[str]:
    """Advice for each unanswered state that occurs, the most frequent first."""
    counts = [(count, RowState(state)) for state, count in states.items() if count and state in UNANSWERED]
    return [
        f"{state.replace('_', ' ').capitalize()}: {ADVICE[state]}"
        for _, state in sorted(counts, reverse=True)
    ]
