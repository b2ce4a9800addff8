"""The report of a hierarchical release: everybody who is unique or rare in it, before the Bayesian adversary."""

from __future__ import annotations

import math

from epsilens.choice.questions.posterior.release import Answer
from epsilens.report.charts.posterior import release_chart
from epsilens.report.page.figures import figure
from epsilens.report.page.numbers import exactly
from epsilens.report.page.parts import Again, Folded, Page, Points, Section
from epsilens.report.pages.common import closing
from epsilens.report.words import methods
from epsilens.report.words.common import Grid, Text, joined
from epsilens.report.words.posterior import release_sentences
from epsilens.report.words.posterior_numbers import prior_text
from epsilens.report.words.report import NEIGHBOURS


def page_of(answer: Answer, again: Again | None = None, dial: Section | None = None, title: str = "") -> Page:
    """The page of the risk of everybody who is rare."""
    question = answer.question
    said = [sentence for sentence in release_sentences(answer)[2:] if sentence]
    sections = [
        Section("In short", [Text(sentence) for sentence in said]),
        *([] if dial is None else [dial]),
        Section("What is released", [_levels(answer), Points(_asked(answer))], internal=False),
        Section("Whose risk it is", [figure(release_chart(answer.risk)), _exact(answer)]),
        *closing(
            [
                NEIGHBOURS["add-remove"],
                f"The attacker knows everybody but one person, and gives that person a prior of "
                f"{prior_text(question.prior)}.",
                "Each person has one row, and is counted in one group of every level.",
                "Noise is discrete Gaussian, drawn anew and independently for every count, and the attacker knows its "
                "size.",
                "Averages are over people and over the noise; a single release can be worse, as the last sentences of "
                "the summary say.",
            ],
            [
                *methods.formulas(["posterior", "posterior-ratio"], methods.MEASURES),
                *methods.formulas([question.attack], methods.ATTACKS),
                *methods.formulas(["discrete-gaussian"], methods.MECHANISMS),
            ],
            again,
        ),
    ]
    return Page(title or f"Who is rare in a release by {joined(question.levels)}", sections)


def _levels(answer: Answer) -> Grid:
    question = answer.question
    rows = [(level, exactly(rho)) for level, rho in zip(question.levels, question.budgets, strict=True)]
    rows.append(("all levels together", f"{math.fsum(question.budgets):.6g}"))
    return Grid("Budget of every level, lowest first", ("level", "rho"), rows, words=1)


def _asked(answer: Answer) -> list[str]:
    question = answer.question
    return [
        f"People are alike who have the same {joined(question.by)}.",
        f"The {question.attack} attack, with a prior of {prior_text(question.prior)}.",
    ]


def _exact(answer: Answer) -> Folded:
    """Quantiles and thresholds as the JSON of the answer has them."""
    plain = answer.to_dict()
    rows = [("mean ratio", exactly(plain["mean_ratio"])), ("mean posterior", exactly(plain["mean_posterior"]))]
    rows += [(f"ratio, quantile {share:g}", exactly(value)) for share, value in plain["quantiles"].items()]
    for line in plain["above"]:
        rows.append((f"people above {line['threshold']:g}, expected ratio", exactly(line["people_expected_ratio"])))
        rows.append((f"people above {line['threshold']:g}, in one release", exactly(line["expected_people"])))
    return Folded("The numbers with all digits", [Grid("Ratios and people", ("number", "value"), rows, words=1)])
