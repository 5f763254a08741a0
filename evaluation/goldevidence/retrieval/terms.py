"""Words of short texts, as arrays for vectorised scoring."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.core.files.remembered import remembered
from evaluation.goldevidence.data.ledger import Entry

_NOT_WORD = re.compile(r"[^0-9a-z]+")
#: Texts whose mentions are cached: 5 MB for a text of a million tokens.
TEXTS_AT_HAND = 8
#: Texts whose summaries (one entry per tag) are cached: a ladder has 400 texts, and rows come in any order.
SUMMARIES_AT_HAND = 512
_MENTION = re.compile(r"(tag\.\d{2,}) = ([A-Za-z0-9,_-]+)")
_UID = re.compile(r"- \[(U[0-9A-F]{6})\]")


def words(text: str) -> list[str]:
    """Lower-case runs of letters and digits: `tag.05 = indigo-7355` is tag, 05, indigo, 7355."""
    return _NOT_WORD.sub(" ", text.lower()).split()


class TermIndex:
    """Word counts of texts.

    `ids`, `counts` are [texts, longest]: the distinct words of each text in order of appearance and their counts,
    padded with the id `size` and the count 0. In this order texts of the same shape score equally to the last bit, so
    that ties are real.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        bags = [Counter(words(text)) for text in texts]
        self.vocabulary: dict[str, int] = {}
        for bag in bags:
            for word in bag:
                self.vocabulary.setdefault(word, len(self.vocabulary))
        self.size = len(self.vocabulary)
        longest = max(map(len, bags), default=0)
        self.ids = np.full((len(bags), longest), self.size, dtype=np.int64)
        self.counts = np.zeros((len(bags), longest))
        for row, bag in enumerate(bags):
            self.ids[row, : len(bag)] = [self.vocabulary[word] for word in bag]
            self.counts[row, : len(bag)] = list(bag.values())
        self.lengths = self.counts.sum(axis=1)
        self.document_frequency = np.bincount(self.ids.ravel(), minlength=self.size + 1).astype(float)
        self.document_frequency[self.size] = 0

    def __len__(self) -> int:
        return len(self.ids)

    def query(self, text: str) -> NDArray[np.float64]:
        """Counts of the known words in a text, [size + 1]. The last entry, which belongs to the padding, is 0.

        Args:
            text: The text in which words are counted.
        """
        counts = np.zeros(self.size + 1)
        for word in words(text):
            if word in self.vocabulary:
                counts[self.vocabulary[word]] += 1
        return counts


@remembered(TEXTS_AT_HAND)
def mentions(text: str) -> Sequence[Entry]:
    """Parse each `tag = value` as a SET entry. Its step is its index. Its id is empty if the line has no id."""
    found = []
    for step, match in enumerate(_MENTION.finditer(text)):
        uid = _UID.match(text, text.rfind("\n", 0, match.start()) + 1)
        found.append(Entry(uid[1] if uid else "", step, "SET", match[1], match[2]))
    return found


@remembered(SUMMARIES_AT_HAND)
def most_mentioned(text: str) -> Mapping[str, Entry]:
    """Map each tag in a text to an entry with the tag's most frequent value.

    Of several entries with this value, the first that has an id is taken. If no entry has an id, it is the last.
    """
    values: defaultdict[str, Counter[str | None]] = defaultdict(Counter)
    lines: dict[tuple[str, str | None], Entry] = {}
    for entry in mentions(text):
        values[entry.key][entry.value] += 1
        if not lines.setdefault((entry.key, entry.value), entry).uid:
            lines[entry.key, entry.value] = entry
    return {key: lines[key, counted.most_common(1)[0][0]] for key, counted in values.items()}
