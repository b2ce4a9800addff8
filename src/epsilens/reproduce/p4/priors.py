"""P4, section S4, Figures 10 and 11: other priors on the count above."""

from __future__ import annotations

from epsilens.posterior.single import expected_single_level
from epsilens.posterior.two_levels.expected import ExpectedTwoLevel, expected_two_level
from epsilens.posterior.two_levels.parent_priors import ParentPrior, PointParent, UniformParent
from epsilens.posterior.two_levels.posterior import two_level
from epsilens.reproduce.claims import Claim, Compute, Finding, Reading
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure
from epsilens.reproduce.p4.figure4 import BUDGETS, SHOWN, decisions, map_panels
from epsilens.reproduce.p4.setting import RHO_BLOCK, SIBLINGS, Check, number, percent, statement
from epsilens.reproduce.p4.tables7_8 import CHAIN, NOISY

UNIFORM, TRUNCATED, RIGHT, WRONG = UniformParent(), UniformParent(10), PointParent(1), PointParent(25)
NO_CHANGE = 0.01
CHANGE = 0.1
"""What print calls a substantial change, or astray: so much oftener or rarer right."""
EVEN = "if an even chance counts as yes, rounded as the 59 % beside it are"

OPEN = "which noisy counts of the block its map has, and how an even chance is decided"


def average(data: Data, prior: ParentPrior, published: bool = False, present: bool = True) -> ExpectedTwoLevel:
    """Right decisions about somebody who is alone above, or who is not there."""
    return data.once(
        ("prior above", prior, published, present),
        lambda: expected_two_level(
            int(present), SIBLINGS, BUDGETS, parent_prior=prior, published=published, present=present
        ),
    )


def _right(prior: ParentPrior, published: bool = False) -> Compute:
    return lambda data: average(data, prior, published).correct_decision


def _absent(data: Data) -> float:
    return average(data, WRONG, present=False).correct_decision


def _even_is_yes(prior: ParentPrior, present: bool = True) -> Reading:
    """An even chance makes the decision right of those who are there, and wrong of those who are not."""

    def compute(data: Data) -> float:
        found = average(data, prior, present=present)
        return round(found.correct_decision + (found.undecided if present else -found.undecided), 2)

    return Reading(EVEN, compute)


def _chain(prior: ParentPrior) -> tuple[Reading, ...]:
    return (Reading(CHAIN, _right(prior, published=True)),)


def _same(one: ParentPrior, other: ParentPrior, published: bool = False) -> Check:
    def check(data: Data) -> Finding:
        left, right = (average(data, prior, published).correct_decision for prior in (one, other))
        return Finding(abs(left - right) < NO_CHANGE, f"{percent(left, 2)} and {percent(right, 2)}")

    return check


def _another(data: Data) -> Finding:
    usual, wrong = (average(data, prior).correct_decision for prior in (UNIFORM, WRONG))
    return Finding(abs(wrong - usual) > CHANGE, f"{percent(wrong, 1)} for {percent(usual, 1)}")


def _no_column_matters(data: Data) -> Finding:
    said = decisions(data, prior=RIGHT).present
    differing = int((said != said[:, :1]).any(axis=1).sum())
    return Finding(differing == 0, f"{differing} of {said.shape[0] * said.shape[2]} decisions depend on it")


def _astray(data: Data) -> Finding:
    alone, wrong = expected_single_level(RHO_BLOCK, present=False).correct_decision, _absent(data)
    return Finding(wrong < alone - CHANGE, f"{percent(wrong)} right, {percent(alone)} without hierarchical information")


def _not_the_rest(data: Data) -> Finding:
    rest, found = 1.0 - average(data, WRONG).correct_decision, _absent(data)
    return Finding(abs(found - rest) > CHANGE, f"{percent(found)}, and the rest is {percent(rest)}")


def _ruled_out(_: Data) -> Finding:
    """Counts above 10, given Table 6."""
    far = sum(share for count, share in two_level(*NOISY, SIBLINGS, BUDGETS).parent_pmf.items() if count > 10)
    return Finding(far < 1e-6, f"counts above 10 have a posterior of {far:.1e}")


def _figure(place: str, top: tuple[str, ParentPrior], bottom: tuple[str, ParentPrior]) -> Figure:
    def draw(data: Data) -> Drawing:
        panels = []
        for name, prior in (top, bottom):
            exact, drawn = (decisions(data, published, prior, SHOWN) for published in (False, True))
            panels += map_panels(exact, name)
            if (drawn.present != exact.present).any():  # they are the same where X2 is known
                panels += map_panels(drawn, f"{name}, print's sampler")
        shares = [average(data, prior).correct_decision for _, prior in (top, bottom)]
        says = (
            f"By the posterior decisions about a person alone above are right {percent(shares[0])} of the time with "
            f"the first prior ({top[0]}) and {percent(shares[1])} with the second ({bottom[0]})."
        )
        return Drawing("P4", place, f"decisions with two priors: {top[0]} and {bottom[0]}", panels, says, columns=4)

    return Figure("P4", place, draw)


CLAIMS: list[Claim] = [
    number("Figure 10, uniform prior", "right decisions", "59 %", _right(UNIFORM), "P4-2", readings=_chain(UNIFORM)),
    number("Figure 10, at most 10", "right decisions", "59 %", _right(TRUNCATED), "P4-2", readings=_chain(TRUNCATED)),
    statement(
        "section S4, at most 10",
        "right decisions, beside those with the prior without bound",
        "no substantial change (less than a point)",
        _same(UNIFORM, TRUNCATED),
        "P4-2",
        readings=((CHAIN, _same(UNIFORM, TRUNCATED, published=True)),),
    ),
    statement(
        "section S4, no bound", "what the data leave of implausible counts above", "nothing to speak of", _ruled_out
    ),
    statement(
        "Figure 11, certain of 1", "decisions and the noisy count above", "they do not depend on it", _no_column_matters
    ),
    number("Figure 11, certain of 1", "right decisions", "59 %", _right(RIGHT), "P4-8"),
    statement(
        "section S4, certain of 1",
        "right decisions, beside those with uniform priors",
        "no substantial change (less than a point), so that uniform priors do not bias",
        _same(UNIFORM, RIGHT),
        "P4-2",
        readings=((CHAIN, _same(UNIFORM, RIGHT, published=True)),),
    ),
    number(
        "Figure 11, certain of 25",
        "right decisions",
        "74 %",
        _right(WRONG),
        "P4-8",
        readings=(_even_is_yes(WRONG),),
        leaves_open=OPEN,
    ),
    statement(
        "section S4, certain of 25",
        "right decisions, beside those with uniform priors",
        f"a substantial change (more than {CHANGE:.0%})",
        _another,
    ),
    number(
        "section S4, certain of 25, not there",
        "right decisions about somebody who is not there",
        "42 %",
        _absent,
        "P4-8",
        readings=(_even_is_yes(WRONG, present=False),),
        leaves_open=OPEN,
    ),
    statement(
        "section S4, astray",
        "a wrong prior and somebody who is not there",
        f"it leads the adversary astray (right decisions are rarer by more than {CHANGE:.0%})",
        _astray,
    ),
    statement(
        "section S4, not there",
        "right decisions about somebody who is not there",
        f"not just the rest to 100 % (more than {CHANGE:.0%} from it)",
        _not_the_rest,
    ),
]
FIGURES = [
    _figure("Figure 10", ("uniform", UNIFORM), ("at most 10", TRUNCATED)),
    _figure("Figure 11", ("certain of 1", RIGHT), ("certain of 25", WRONG)),
]
