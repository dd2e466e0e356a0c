"""The similarity of two lists of texts: TF-IDF over stemmed words, and shared character n-grams.

Both measures compare every text of one list with every text of the other. For speed in plain Python, words use an
inverted index, and n-grams are bits of one integer per text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, count
from math import log, sqrt

Matrix = list[list[float]]

_WORD = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)+|\w+")
_FRACTION = re.compile(r"\.\d")
_ONLY_WORDS = "".join(chr(code) if re.match(r"\w", chr(code)) else " " for code in range(128))
_SUFFIXES = ("ions", "ion", "ments", "ment", "ings", "ing", "edly", "ies", "ied", "ers", "er", "ed", "es", "ly")
_LAST_LETTERS = ("s", "e")
_SHORTEST_STEM = 3
_GRAM_SIZES = (3, 4, 5)
_KNOWN_WORDS = 2_000
_KNOWN_TEXTS = 250
_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        a an and any are as at be been being but by can cannot could did do does for from had has have here how i if in
        into is it its itself may might must no nor not of on once one or our shall should so some such than that the
        their them then there these they this those to too until up upon was we were what when where which while who
        whose will with would you your
        """,
    )
)


@lru_cache(maxsize=_KNOWN_TEXTS)  # findings are compared again in every iteration
def words(text: str) -> tuple[str, ...]:
    """The words without stop words, in lower case. A text of stop words alone is one word, so that it equals itself."""
    lower = text.lower()
    plain = lower.isascii() and not _FRACTION.search(lower)
    parts = lower.translate(_ONLY_WORDS).split() if plain else _WORD.findall(lower)
    return tuple([word for word in parts if word not in _STOP_WORDS]) or (lower.strip(),)


@lru_cache(maxsize=_KNOWN_WORDS)
def stem(word: str) -> str:
    """The word without common English endings: `validated`, `validates` and `validation` become equal."""
    if not word.isascii():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            word = word[: -len(suffix)] + ("y" if suffix in ("ies", "ied") else "")
            break
    while len(word) > _SHORTEST_STEM and word.endswith(_LAST_LETTERS):
        word = word[:-1]
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word


@lru_cache(maxsize=_KNOWN_WORDS)  # many findings share a heading
def stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text))


def word_cosines(left: Sequence[Sequence[str]], right: Sequence[Sequence[str]]) -> Matrix:
    """Cosines of the TF-IDF vectors of two lists of texts, given as words. Both lists form the collection."""
    counts = [_stem_counts(tuple(text)) for text in (*left, *right)]
    weights = _weights(counts)
    lengths = [sqrt(sum([weights[word] * (n * n) for word, n in text.items()])) for text in counts]
    left_counts = counts[: len(left)]
    right_index = _index(counts[len(left) :], of={word for text in left_counts for word in text})
    matrix: Matrix = []
    for text, length in zip(left_counts, lengths, strict=False):
        cosines = [0.0] * len(right)
        # Sorted, so that the sums do not depend on the order of the lists.
        for word in sorted(text.keys() & right_index.keys()):
            times, weight = text[word], weights[word]
            for column, n in right_index[word]:
                cosines[column] += weight * (times * n)
        matrix.append([dot / (length * other) for dot, other in zip(cosines, lengths[len(left) :], strict=True)])
    return matrix


class GramCosines:
    """Cosines of the sets of character 3- to 5-grams of two lists of texts, given as words.

    They are slower than those of words, and not every pair needs them, so each is computed on demand.
    """

    def __init__(self, left: Sequence[Sequence[str]], right: Sequence[Sequence[str]]) -> None:
        self._left, self._right = left, right
        self._alphabet = _alphabet()
        self._left_masks: dict[int, int] = {}
        self._right_masks: dict[int, int] = {}

    def of(self, row: int, column: int) -> float:
        left = self._left_masks.get(row) or self._masked(row, self._left, self._left_masks)
        right = self._right_masks.get(column) or self._masked(column, self._right, self._right_masks)
        return (left & right).bit_count() / sqrt(left.bit_count() * right.bit_count())

    def _masked(self, number: int, texts: Sequence[Sequence[str]], masks: dict[int, int]) -> int:
        mask = masks[number] = self._alphabet.mask(texts[number])
        return mask


class _Alphabet:
    """A bit for each n-gram, and a mask for each word. N-grams do not cross word boundaries."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}
        self._next_bit = count()  # unique even if threads share this
        self._words: dict[str, int] = {}

    @property
    def is_full(self) -> bool:
        return len(self._words) > _KNOWN_WORDS

    def mask(self, text: Sequence[str]) -> int:
        mask = 0
        known = self._words
        for word in text:
            mask |= known.get(word) or self._learn(word)
        return mask

    def _learn(self, word: str) -> int:
        padded = f" {word} "
        mask = 0
        for size in _GRAM_SIZES:
            for start in range(max(len(padded) - size + 1, 1)):
                gram = padded[start : start + size]
                if gram not in self._bits:
                    self._bits.setdefault(gram, next(self._next_bit))
                mask |= 1 << self._bits[gram]
        self._words[word] = mask
        return mask


_alphabets = [_Alphabet()]


def _alphabet() -> _Alphabet:
    """The shared alphabet, replaced by a new one when it is full."""
    if _alphabets[-1].is_full:
        _alphabets[:] = [_Alphabet()]
    return _alphabets[-1]


@lru_cache(maxsize=_KNOWN_TEXTS)
def _stem_counts(text: tuple[str, ...]) -> Counter[str]:
    return Counter(map(stem, text))


def _weights(counts: Sequence[Counter[str]]) -> dict[str, float]:
    """The squared inverse document frequency of each word."""
    texts_with = Counter(chain.from_iterable(counts))
    by_texts = {texts: (1 + log((1 + len(counts)) / (1 + texts))) ** 2 for texts in set(texts_with.values())}
    return {word: by_texts[texts] for word, texts in texts_with.items()}


def _index(counts: Sequence[Counter[str]], of: set[str]) -> dict[str, list[tuple[int, int]]]:
    """The texts that contain each of these words, with the number of times."""
    index: dict[str, list[tuple[int, int]]] = {}
    for number, text in enumerate(counts):
        for word in text.keys() & of:
            index.setdefault(word, []).append((number, text[word]))
    return index
