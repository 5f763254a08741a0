"""Contexts that another system built, as lines of a file, for one budget or several.

{"timeline_id", "query_idx", "budget": 128, "text": "…"}                  one budget, as from `state context --json`
{"timeline_id", "query_idx", "contexts": {"128": "…", "512": "…"}}        several budgets
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from evaluation.core import jsonl
from evaluation.core.checks import in_message
from evaluation.core.errors import RowError
from evaluation.core.records import JsonObject
from evaluation.statebench.data.tokens import first_lines
from evaluation.statebench.language.words import count_tokens
from evaluation.statebench.records import Response

#: Fields of a line of contexts beside its query; a line of answers has `response` or `answer` instead.
CONTEXTS, TEXT, BUDGET = "contexts", "text", "budget"
MOST_BUDGETS = 6  # on a sealed version the metrics of each budget reveal a little about the answers
MOST_TOKENS = 131_072  # of a budget
#: Maximum characters of a token; otherwise a text joined by commas would be a single token. No context of our
#: strategies has more characters per token.
CHARACTERS_A_TOKEN = 12

Made = Mapping[tuple[str, int], Mapping[int, str]]  # query -> budget -> text


def tokens(text: str) -> int:
    """Number of whitespace tokens, but at least one per `CHARACTERS_A_TOKEN` characters."""
    return max(count_tokens(text), -(-len(text) // CHARACTERS_A_TOKEN))


def holds_contexts(line: JsonObject) -> bool:
    """True for a line of contexts, False for a line of answers."""
    is_one = TEXT in line and BUDGET in line and "response" not in line and "answer" not in line
    return CONTEXTS in line or is_one


def contexts_of(line: JsonObject) -> dict[int, str]:
    """Contexts of a line by budget, the smallest first. Raises RowError for unusable budgets or texts."""
    given = line.get(CONTEXTS)
    if CONTEXTS in line and (not isinstance(given, Mapping) or not given):
        raise RowError(f'\'{CONTEXTS}\' must map each budget to its text, as in {{"128": "…"}}')
    pairs = [*given.items()] if given else [(line.get(BUDGET), line.get(TEXT))]
    if len(pairs) > MOST_BUDGETS:
        raise RowError(f"the line has contexts of {len(pairs)} budgets; at most {MOST_BUDGETS} are allowed")
    texts: dict[int, str] = {}
    for name, text in pairs:
        budget = _budget(name)
        if not isinstance(text, str) or budget in texts:
            fault = "is given twice" if budget in texts else f"must be a text, not {in_message(text)}"
            raise RowError(f"the context of {budget:,} tokens {fault}")
        texts[budget] = text
    return dict(sorted(texts.items()))


def _budget(name: object) -> int:
    written = name.isascii() and name.isdecimal() and len(name) < 10 if isinstance(name, str) else False
    budget = int(name) if isinstance(name, str) and written else name
    if type(budget) is not int or not 1 <= budget <= MOST_TOKENS:
        whole = f"a whole number of tokens from 1 to {MOST_TOKENS:,}"
        raise RowError(f"the budget of a context must be {whole}, not {in_message(name)}")
    return budget


def words_for(budgets: Iterable[int]) -> str:
    """Name the budgets for people: "contexts of 128 and 512 tokens"."""
    *others, last = (f"{budget:,}" for budget in budgets)
    return f"contexts of {', '.join(others)} and {last} tokens" if others else f"contexts of {last} tokens"


def as_response(line: JsonObject) -> Response:
    """Convert a line of contexts to the response to grade: its largest context, cut to the budget."""
    *_, (budget, text) = contexts_of(line).items()
    shown = first_lines(text, budget, tokens)
    return {
        "timeline_id": line["timeline_id"],
        "query_idx": line["query_idx"],
        "response": shown,
        "tokens_used": tokens(shown),
    }


def read_contexts(lines: Iterable[JsonObject]) -> Made:
    """Contexts of a file by query. Lines of answers are skipped. Raises RowError for an unusable line."""
    return {(row["timeline_id"], row["query_idx"]): contexts_of(row) for row in lines if holds_contexts(row)}


def read_context_lines(path: str) -> Iterator[JsonObject]:
    """Lines of a JSON-lines file of contexts. Raises RowError for a malformed line or a second line for a query."""
    seen: set[tuple[object, object]] = set()
    for number, line in jsonl.read_numbered(path):
        query = (line.get("timeline_id"), line.get("query_idx"))
        try:
            if not (isinstance(query[0], str) and type(query[1]) is int and holds_contexts(line)):
                raise RowError(
                    "a line of contexts needs 'timeline_id', 'query_idx', and 'contexts' or 'budget' with 'text'"
                )
            if query in seen:
                raise RowError(f"second line with contexts for query {query[1]} of timeline {query[0]!r}")
            contexts_of(line)
        except RowError as error:
            raise RowError(error.reason, path=path, line=number) from None
        seen.add(query)
        yield line
