"""The one-to-one assignment with the greatest total weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Path:
    """The cheapest path from a row to a free column, `end`, and the row before each column."""

    end: int
    row_before: Mapping[int, int]
    settled: Mapping[int, float]
    length: float


def assign(weights: Mapping[Cell, float]) -> tuple[Cell, ...]:
    """Choose cells, at most one in each row and column, with the greatest total weight.

    Cells that are not in `weights`, or weigh nothing, are never chosen. The method is Jonker and Volgenant's shortest
    augmenting paths, for sparse matrices: a row is only compared with rows that compete for the same columns.

    Args:
        weights: Weight by (row, column).

    Returns:
        The chosen cells in the order of their rows.
    """
    costs: dict[int, dict[int, float]] = {}
    for (row, column), weight in sorted(weights.items()):
        if weight > 0:
            # A row may also stay unmatched, in a column of its own that costs nothing: -1 for row 0, -2 for row 1, ...
            costs.setdefault(row, {-1 - row: 0.0})[column] = -weight
    owner: dict[int, int] = {}
    chosen: dict[int, int] = {}
    prices: dict[int, float] = {}
    for row in costs:
        path = _cheapest(row, costs, owner, chosen, prices)
        for column, distance in path.settled.items():
            prices[column] = prices.get(column, 0.0) + distance - path.length
        column = path.end
        while True:
            taker = path.row_before[column]
            owner[column] = taker
            column, chosen[taker] = chosen.get(taker, column), column
            if taker == row:
                break
    return tuple((row, column) for row, column in sorted(chosen.items()) if column >= 0)


def _cheapest(
    start: int,
    costs: Mapping[int, Mapping[int, float]],
    owner: Mapping[int, int],
    chosen: Mapping[int, int],
    prices: Mapping[int, float],
) -> _Path:
    """Dijkstra's search from a row to a free column, over its columns and the rows that own them."""
    distances: dict[int, float] = {}
    row_before: dict[int, int] = {}
    settled: dict[int, float] = {}
    heap: list[tuple[float, bool, int]] = []  # among equally near columns, a free column comes first
    row, offset = start, 0.0
    while True:
        for column, cost in costs[row].items():
            distance = cost - prices.get(column, 0.0) - offset
            if column not in settled and (column not in distances or distance < distances[column]):
                distances[column], row_before[column] = distance, row
                heappush(heap, (distance, column in owner, column))
        length, _, column = heappop(heap)
        while column in settled:
            length, _, column = heappop(heap)
        if column not in owner:
            return _Path(end=column, row_before=row_before, settled=settled, length=length)
        settled[column] = length
        row = owner[column]
        offset = costs[row][chosen[row]] - prices.get(column, 0.0) - length
