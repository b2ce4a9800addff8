"""Truncated against clamped Laplace noise in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epsilens.report.words.common import BLANK, Block, Grid, Note, Text

if TYPE_CHECKING:
    from epsilens.choice.questions.bounded import Answer, Outcome


def bounded_blocks(answer: Answer) -> list[Block]:
    """What each way costs, then what it does to every true value."""
    question, times = answer.question, answer.cost_of_print
    blocks: list[Block] = [
        Text(
            f"A statistic between {question.lower:g} and {question.upper:g} that moves by at most "
            f"{question.sensitivity:g} between neighbours, with Laplace noise for epsilon = {question.epsilon:g}."
        ),
        BLANK,
        Grid(
            "what each way costs",
            ("way", "scale", "epsilon", "of the one asked for"),
            [
                (way.name, f"{way.scale:.6g}", f"{way.epsilon:.6g}", f"{way.epsilon / question.budget.epsilon:.4g}")
                for way in answer.ways
            ],
            words=1,
        ),
        BLANK,
        Text(
            "Clamping is post-processing and free. Truncation is not, since what its density is divided by depends on "
            + (
                f"the data: at the printed scale it costs {times:.4g} times the epsilon it says."
                if times > 1.0 + 1e-9
                else "the data; where the sensitivity is the whole interval the two effects cancel."
            )
        ),
    ]
    for value in dict.fromkeys(outcome.value for outcome in answer.outcomes):
        rows = [_row(outcome) for outcome in answer.outcomes if outcome.value == value]
        headings = ("way", "at lower", "at upper", "redrawn", "bias", "SD", "MSE", "95 % of releases")
        blocks += [BLANK, Grid(f"true value {value:g}", headings, rows, words=1, tight=True)]
    blocks += [
        BLANK,
        Note(
            "at lower, at upper: probability of the bound itself; redrawn: that a draw falls outside and is repeated."
        ),
        Note("A true value is confidential. Where the one above is of real data, so is this."),
    ]
    return blocks


def _row(outcome: Outcome) -> tuple[str, ...]:
    return (
        outcome.way,
        *(f"{share:.4f}" for share in (outcome.mass_at_lower, outcome.mass_at_upper, outcome.drawn_again)),
        f"{outcome.bias:+.4g}",
        f"{outcome.standard_deviation:.4g}",
        f"{outcome.mse:.4g}",
        f"{outcome.low:.4g} to {outcome.high:.4g}",
    )
