"""From measurements to what is printed: medians, ratios of the same round, and how far they spread."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share of the values lies; `values` must be sorted and not empty."""
    return values[min(int(len(values) * share), len(values) - 1)]


@dataclass
class Row:
    """One thing under one load, over all rounds. `of` names the row that it is compared with, round by round."""

    name: str
    unit: str
    of: str | None = None
    is_cost: bool = False
    """Lower is better: the ratio then tells how many times as much it costs."""
    values: list[float] = field(default_factory=list)
    extra: dict[str, list[float]] = field(default_factory=dict)

    def add(self, value: float, **extra: float) -> None:
        """One round's figure, and what is told beside it."""
        self.values.append(value)
        for name, figure in extra.items():
            self.extra.setdefault(name, []).append(figure)

    def ratios(self, other: "Row") -> list[float]:
        """This row to another one, in each round."""
        return [mine / theirs for mine, theirs in zip(self.values, other.values, strict=True)]


class Table:
    """Rows of one measurement, in the order in which they were first seen."""

    def __init__(self, title: str, note: str = "") -> None:
        self.title, self.note = title, note
        self._rows: dict[str, Row] = {}

    def row(self, name: str, unit: str, of: str | None = None, *, is_cost: bool = False) -> Row:
        """The row of that name."""
        return self._rows.setdefault(name, Row(name, unit, of, is_cost))

    def lines(self) -> Iterable[str]:
        """The table in Markdown."""
        extra = list(dict.fromkeys(name for row in self._rows.values() for name in row.extra))
        heads = ["", "median", "lowest .. highest", *extra, "ratio", "of"]
        yield f"### {self.title}"
        yield ""
        if self.note:
            yield self.note
            yield ""
        yield f"| {' | '.join(heads)} |"
        yield f"|{' --- |' * len(heads)}"
        for row in self._rows.values():
            cells = [row.name, f"{_short(median(row.values))} {row.unit}"]
            cells.append(f"{_short(min(row.values))} .. {_short(max(row.values))}")
            cells += [_short(median(row.extra[name])) if name in row.extra else "" for name in extra]
            cells += self._compared(row)
            yield f"| {' | '.join(cells)} |"
        yield ""

    def _compared(self, row: Row) -> list[str]:
        if row.of is None:
            return ["", ""]
        ratios = row.ratios(self._rows[row.of])
        told = f"**{_short(median(ratios))}**"
        if len(ratios) > 1:
            told += f" ({_short(min(ratios))} .. {_short(max(ratios))})"
        return [told, row.of]


def _short(value: float) -> str:
    """A figure with three digits that mean something."""
    if value >= 100:
        return f"{value:,.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"
