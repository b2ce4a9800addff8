"""The words about one cell: a table for every noise and number of labels, and what is to be learnt from it."""

from __future__ import annotations

from typing import Any

from epsilens.choice.falling import largest_fall
from epsilens.choice.questions.cell import Answer, CellRisk
from epsilens.report.words.common import BLANK, Block, Grid, Heading, Note, Text, counted, finer_percent

MOST_LABELS = 8
TERMS = (
    "risk: the chance that the cell shows one value only and somebody there has it; of people who all have the same, "
    "own label shown x others hidden.",
    "limit of noise, of people: what the risk tends to as the noise, or the cell, grows without end.",
)


def worded(answer: Answer) -> dict[str, Any]:
    """The JSON of the answer, with its sentences."""
    return answer.to_dict() | {"sentences": cell_sentences(answer)}


def summary(answer: Answer) -> list[Block]:
    """Tables by noise and labels, and sentences below them."""
    blocks: list[Block] = []
    for noise, of_noise in _by(answer.rows, _noise).items():
        blocks.append(Heading(f"{noise}, {answer.question.neighbours} neighbours"))
        for group in _by(of_noise, _labels if not answer.question.counts else lambda _: "").values():
            blocks += [BLANK, _grid(group, bool(answer.question.counts))]
        if answer.question.counts:
            blocks += _by_label(of_noise)
        blocks.append(BLANK)
    blocks += [Note(term) for term in TERMS]
    for sentence in cell_sentences(answer):
        blocks += [BLANK, Text(sentence)]
    return blocks


def _by(rows: Any, key: Any) -> dict[str, list[CellRisk]]:
    found: dict[str, list[CellRisk]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def _noise(row: CellRisk) -> str:
    delta = "" if row.delta is None else f", delta = {row.delta:g}"
    return f"{row.mechanism} noise{delta}"


def _labels(row: CellRisk) -> str:
    return str(row.cell.labels)


def _grid(rows: list[CellRisk], by_counts: bool) -> Grid:
    """A row for every budget and cell."""
    heads = ["risk", "own label\nshown", "each other\nhidden", "shown\nwrong", "several\nshown", "nobody\nshown"]
    limits = ["limit of\nnoise"] if by_counts else ["limit of\nnoise", "limit of\npeople"]
    cell = "counts" if by_counts else "people"
    lines = [
        [
            f"{row.epsilon:g}",
            ",".join(map(str, row.cell.counts)) if by_counts else f"{row.cell.people:,}",
            *(
                _shown(value)
                for value in (row.risk, row.own_shown, row.zero_hidden, row.wrong, row.several, row.nobody, row.floor)
            ),
            *([] if by_counts else [_shown(row.most)]),
        ]
        for row in rows
    ]
    labels = rows[0].cell.labels
    title = "Cells by their counts" if by_counts else f"All have the same of {labels} labels"
    return Grid(title, ["epsilon", cell, *heads, *limits], lines, keys=2)


def _by_label(rows: list[CellRisk]) -> list[Block]:
    """Which label is shown alone, and whose it is then, at the epsilon nearest to 1."""
    at = min(rows, key=lambda row: abs(row.epsilon - 1.0))
    lines = [
        (
            *(",".join(map(str, row.cell.counts)), str(entry["label"]), f"{entry['count']:,}"),
            *(_shown(entry[side]) for side in ("shown_right", "shown_wrong")),
        )
        for row in rows
        if row.budget == at.budget
        for entry in row.by_value[:MOST_LABELS]
    ]
    headings = ("counts", "label", "people who\nhave it", "shown,\ntheirs", "shown,\nwrong")
    blocks: list[Block] = [
        BLANK,
        Grid(f"Who is shown as what {_at(at)}, in shares of the people of the cell", headings, lines, keys=2),
    ]
    if any(row.cell.labels > MOST_LABELS for row in rows):
        blocks.append(Note(f"Of the labels the first {MOST_LABELS}; JSON has all."))
    return blocks


def _falling(rows: list[CellRisk]) -> list[str]:
    """Why the risk of a cell falls as epsilon grows, where it does, of the first such cell."""
    for row in rows:
        along = [r for r in rows if (r.cell, r.mechanism, r.delta) == (row.cell, row.mechanism, row.delta)]
        along.sort(key=lambda r: r.epsilon)
        if (ends := largest_fall([r.risk for r in along])) is not None:
            first, last = (along[end] for end in ends)
            high, low = finer_percent(first.risk, last.risk)
            counts = ",".join(map(str, row.cell.counts))
            return [
                f"The risk of the cell {counts} falls from {high} {_at(first)} to {low} {_at(last)}: more noise hides "
                "more often all values but one, and somebody there has it."
            ]
    return []


def _shown(value: float) -> str:
    """Four decimals; what is not 0 does not read so."""
    return "< 0.0001" if 0.0 < value < 0.00005 else f"{value:.4f}"


def cell_sentences(answer: Answer) -> list[str]:
    """What is to be learnt, from the numbers of the answer alone."""
    rows = answer.rows
    sentences = []
    alike = [row for row in rows if row.cell.present == 1]
    if alike:
        limits = [f"{group[0].floor:.4g} with {labels} labels" for labels, group in _by(alike, _labels).items()]
        sentences.append(
            f"However much noise is added, the risk of a homogeneous cell stays above 2^-K: {', '.join(limits)}. Every "
            "one of K labels is then shown half of the time, so that the right one stands alone by chance."
        )
    if (pair := _extremes(alike, "labels")) is not None:
        few, many = pair
        shares = finer_percent(few.risk, many.risk)
        sentences.append(
            f"More labels are safer: {_at(few)} the risk of a cell of {counted(few.cell.people, 'person')} is "
            f"{shares[0]} with {few.cell.labels} labels and {shares[1]} with {many.cell.labels}, since noise may show "
            "each of the others."
        )
    if (pair := _extremes(alike, "people")) is not None:
        small, large = pair
        shares = finer_percent(small.risk, large.risk, large.most)
        sentences.append(
            f"Smaller cells are safer: {_at(small)} and with {small.cell.labels} labels the risk of "
            f"{counted(small.cell.people, 'person')} is {shares[0]} and that of {large.cell.people:,} {shares[1]}, "
            f"and it is {shares[2]} at most however many they are: there it is the other labels that noise shows."
        )
    return [*sentences, *_falling(list(rows))]


def _extremes(rows: list[CellRisk], what: str) -> tuple[CellRisk, CellRisk] | None:
    """The rows with the least and the largest of ``what``, all else equal, at the epsilon nearest to 1."""
    if not rows:
        return None
    at = min(rows, key=lambda row: abs(row.epsilon - 1.0))
    other = "people" if what == "labels" else "labels"
    alike = [
        row
        for row in rows
        if (row.mechanism, row.budget, getattr(row.cell, other)) == (at.mechanism, at.budget, getattr(at.cell, other))
    ]
    least, most = (pick(alike, key=lambda row: int(getattr(row.cell, what))) for pick in (min, max))
    return None if least is most or least.risk == most.risk else (least, most)


def _at(row: CellRisk) -> str:
    delta = "" if row.delta is None else f", delta = {row.delta:g}"
    return f"at epsilon = {row.epsilon:g}{delta}"
