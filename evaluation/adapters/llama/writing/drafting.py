"""Speculative decoding: a small model drafts several tokens, and the model under test checks them in one batch.

It is possible only for greedy decoding. As tokens are computed in batches instead of one by one, an answer may differ
when two tokens are nearly as likely.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.adapters.llama.engine import Engine, Feed, Logits, common_prefix
from evaluation.core.errors import AdapterError

DRAFTED = 6  # tokens drafted at a time
LONGEST_FORCED = 1  # tokens fed after a decision of the model; longer text was forced


class Draft:
    def __init__(self, engine: Engine, of: Engine) -> None:
        """Draft tokens for the engine `of` with another `engine`. Raises AdapterError if their tokens differ."""
        same = engine.vocab_size == of.vocab_size and all(
            engine.piece(token, special=True) == of.piece(token, special=True)
            for token in range(0, of.vocab_size, max(1, of.vocab_size // 997))
        )
        if not same:
            raise AdapterError(
                "the draft model's tokens differ from the model's: choose a small model of the same family"
            )
        self.engine = engine

    def propose(self, tokens: Sequence[int], most: int) -> list[int]:
        """Up to `most` likely next tokens. There are fewer if the turn or the draft model's context ends."""
        engine = self.engine
        proposed: list[int] = []
        most = min(most, engine.context - len(tokens))
        if most <= 0:
            return []
        kept = engine.cut(common_prefix([engine.held, tokens[:-1]]))
        [row] = engine.decode([Feed(0, kept, tokens[kept:])])
        while True:
            token = int(row.argmax())
            if engine.is_end(token):
                return proposed
            proposed.append(token)
            if len(proposed) == most:
                return proposed
            [row] = engine.decode([Feed(0, len(engine.held), [token])])


class Ahead:
    """Drafted tokens that follow the text of one answer, and the logits after each token."""

    def __init__(self, engine: Engine, draft: Draft) -> None:
        self._engine, self._draft = engine, draft
        self._tokens: list[int] = []
        self._rows: list[Logits] = []

    def decode(self, position: int, pending: Sequence[int]) -> tuple[Logits, int]:
        """Returns the logits [vocabulary] after the tokens `pending`, and the number of tokens evaluated by this call.

        Args:
            position: Position of the first pending token in the sequence.
        """
        if list(pending) == self._tokens[: len(pending)]:
            row = self._rows[len(pending) - 1]
            del self._tokens[: len(pending)], self._rows[: len(pending)]
            return row, 0
        self._tokens, self._rows = [], []
        if position < len(self._engine.held) and self._engine.cut(position) == 0:
            raise AdapterError(
                "this model's memory cannot be cut back, so it cannot be used with a draft model: unset draft_model"
            )
        if len(pending) > LONGEST_FORCED:
            return self._engine.decode([Feed(0, position, pending)])[0], len(pending)
        room = self._engine.context - position - len(pending)
        drafted = self._draft.propose([*self._engine.held, *pending], min(DRAFTED, room))
        fed = [*pending, *drafted]
        rows = list(self._engine.decode([Feed(0, position, fed, every=True)])[0])
        self._tokens, self._rows = drafted, rows[1:]
        return rows[0], len(fed)
