"""How alike two lists of texts are: TF-IDF over stemmed words, and shared character n-grams.

Both measures compare every text of one list with every text of the other. They are built for speed in plain Python:
words meet through an inverted index, n-grams are bits of one integer per text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log, sqrt

Matrix = list[list[float]]

_WORD = re.compile(r"\d+(?:\.\d+)+|\w+")
_SUFFIXES = ("ions", "ion", "ments", "ment", "ings", "ing", "edly", "ies", "ied", "ers", "er", "ed", "es", "ly")
_LAST_LETTERS = ("s", "e")
_SHORTEST_STEM = 3
_GRAM_SIZES = (3, 4, 5)
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


def words(text: str) -> list[str]:
    """The words that carry meaning, lower case. A text without any is one word, so that it still equals itself."""
    found = [word for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS]
    return found or [text.strip().lower()]


def stem(word: str) -> str:
    """The word without its commonest English endings: `validated`, `validates` and `validation` become one."""
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


def stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text))


def word_cosines(left: Sequence[Sequence[str]], right: Sequence[Sequence[str]]) -> Matrix:
    """Cosines of the TF-IDF vectors of two lists of texts, given as words. All texts together are the collection."""
    memo: dict[str, str] = {}
    counts = [_counted(text, memo) for text in (*left, *right)]
    rarity = _rarity(counts)
    vectors = [_unit({word: n * rarity[word] for word, n in count.items()}) for count in counts]
    here, there = _index(vectors[: len(left)]), _index(vectors[len(left) :])
    matrix = [[0.0] * len(right) for _ in left]
    # In the order of the words, so that the sums do not depend on which list comes first.
    for word in sorted(here.keys() & there.keys()):
        for row, weight in here[word]:
            cosines = matrix[row]
            for column, other in there[word]:
                cosines[column] += weight * other
    return matrix


def gram_cosines(left: Sequence[Sequence[str]], right: Sequence[Sequence[str]]) -> Matrix:
    """Cosines of the sets of character 3- to 5-grams of two lists of texts, given as words."""
    bits: dict[str, int] = {}
    memo: dict[str, int] = {}
    here, there = ([_mask(text, bits, memo) for text in side] for side in (left, right))
    sizes = [sqrt(mask.bit_count()) for mask in there]
    return [_mask_cosines(mask, there, sizes) for mask in here]


def _counted(text: Iterable[str], memo: dict[str, str]) -> Counter[str]:
    for word in text:
        if word not in memo:
            memo[word] = stem(word)
    return Counter([memo[word] for word in text])


def _rarity(counts: Sequence[Counter[str]]) -> dict[str, float]:
    texts_with = Counter([word for count in counts for word in count])
    return {word: 1 + log((1 + len(counts)) / (1 + texts)) for word, texts in texts_with.items()}


def _unit(vector: dict[str, float]) -> dict[str, float]:
    length = sqrt(sum(weight * weight for weight in vector.values()))
    return {word: weight / length for word, weight in vector.items()}


def _index(vectors: Sequence[dict[str, float]]) -> dict[str, list[tuple[int, float]]]:
    index: dict[str, list[tuple[int, float]]] = {}
    for number, vector in enumerate(vectors):
        for word, weight in vector.items():
            index.setdefault(word, []).append((number, weight))
    return index


def _mask(text: Iterable[str], bits: dict[str, int], memo: dict[str, int]) -> int:
    """One bit for each n-gram of the text; n-grams do not reach over a word's ends."""
    mask = 0
    for word in text:
        if word not in memo:
            memo[word] = _word_mask(word, bits)
        mask |= memo[word]
    return mask


def _word_mask(word: str, bits: dict[str, int]) -> int:
    padded = f" {word} "
    mask = 0
    for size in _GRAM_SIZES:
        for start in range(max(len(padded) - size + 1, 1)):
            mask |= 1 << bits.setdefault(padded[start : start + size], len(bits))
    return mask


def _mask_cosines(mask: int, others: Sequence[int], sizes: Sequence[float]) -> list[float]:
    size = sqrt(mask.bit_count())
    return [(mask & other).bit_count() / (size * length) for other, length in zip(others, sizes, strict=True)]
