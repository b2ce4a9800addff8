"""One line for everything that has a name of its own: measures, composition rules, criteria, diagnostics.

Each is said where it is first used, below the table that uses it. A new measure or rule needs its line here; a test
asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable

from epsilens.report.words.common import Block, Note

MEASURES = {
    "local": "the chance that a cell shows one value only and somebody there has it",
    "expected": "local risk, had each cell been drawn anew with its size and shares",
    "shrinkage": "like expected, with shares from one (Dirichlet) law for all cells",
    "marginal": "like expected, with the size of each cell drawn anew as well",
    "marginal-shrinkage": "like shrinkage, with sizes drawn anew as well",
    "hard": "how often the largest noisy count of a cell tells a person's value",
    "soft": "how often a value drawn by the noisy counts of a cell is a person's",
    "published-local": "local, by the printed formula",
    "published-expected": "expected, by the printed formula",
    "published-shrinkage": "shrinkage, by the printed formula",
    "published-marginal": "marginal, by the printed formula",
    "published-marginal-shrinkage": "marginal-shrinkage, by the printed formula",
    "published-hard": "scenario 1, and the plurality where several are shown",
    "published-soft": "scenario 1, and a draw by shares where several are shown",
    "published-p1-local": "scenario 1: homogeneous before and after noise",
    "published-p1-expected": "scenario 1, had cells been drawn anew (Eq. A.1)",
    "published-p1-shrinkage": "scenario 1, with Dirichlet shares (Theorem 3.7)",
    "published-p1-marginal-shrinkage": "scenario 1 of a generic cell (Cor. 3.9)",
    "posterior": "the attacker's final probability of who is there, on average",
    "posterior-ratio": "posterior, divided by the attacker's probability beforehand",
    "posterior-decision": "how often the best guess about who is there is right",
}
"""What each measure of risk is."""

SCENARIOS = (
    "all have one value, and it alone is shown: disclosed",
    "all have one value, another one alone is shown: wrong",
    "all have one value, several are shown: hidden",
    "all have one value, nobody is shown: hidden",
    "values differ, several are shown: nothing new",
    "values differ, nobody is shown: hidden",
    "values differ, one that nobody has is shown: wrong",
    "values differ, one of them alone is shown: disclosed",
)
"""What can become of a cell once noise was added (P0 section 3.2)."""

_OF_A_PERSON = "the chance that a person's cell shows one value only and it is theirs"

RULES = {
    "basic": "epsilons and deltas add up; rhos add up and are converted at the end",
    "advanced": "Dwork, Rothblum and Vadhan: less than sums for many small epsilons",
    "optimal-bound": "Kairouz, Oh and Viswanath: at most as much as advanced",
    "zcdp": "each release has a rho; rhos add up and are converted to epsilon",
    "pld": "the privacy losses of the noises themselves add up: the tightest",
}
"""How each composition rule finds what releases cost together."""

DIAGNOSTICS = {
    "k_anonymity": ("k-anonymity", "people in the smallest cell"),
    "distinct_l_diversity": ("l-diversity, distinct", "values in the cell with the fewest"),
    "entropy_l_diversity": ("l-diversity, entropy", "the same, where rare values count for less"),
    "t_closeness": ("t-closeness", "how far a cell's shares are from the table's"),
    "delta_disclosure": ("delta-disclosure", "largest |log| of share in a cell / in the table"),
    "basic_beta_likeness": ("beta-likeness", "largest relative rise of a share in a cell"),
}
"""The classic diagnostics of a table: name, and what the number is."""

CRITERIA = {
    "epsilon": "epsilon: the budget of the system; - where it has none",
    "published_delta": "delta, printed: what the system's authors claim at this epsilon",
    "delta": "delta, exact: by how much the promise of epsilon can fail, if one record is substituted; 1: no promise",
    "delta_qid": "delta, qid: the same, if the record differs in the swapped columns only",
    "bias_l1": "bias, l1: |expected published count - true count|, summed over cells",
    "l1_error": "error, l1: expected |published count - true count|, summed over cells",
    "fairness": "alpha: the largest difference between the biases of two cells",
    "group_fairness": "groups: the same between groups, biases averaged over the cells of each",
    "rmse": "RMSE: root of the mean squared error of a count, over cells",
    "tvd_1": "TVD: total variation distance of 1-, 2- and 3-way marginals, 0 same, 1 disjoint",
    "accuracy": "accuracy: how often a classifier trained on the published table is right about the true one",
    "homogeneity_risk": "homog. risk: share of people whose cell shows one value only, which counts, and it is theirs",
    "worst_risk": "worst off: that risk of the person for whom it is largest",
    "people_above_half": "above 50 %: how many people's own risk is above 50 %",
    "shown_right": "right: share of people whose cell shows one value only, and it is theirs",
    "shown_wrong": "wrong: share of people whose cell shows one value only, and it is not theirs",
    "harmful_right": "right, harmful: right, for values that harm whoever is shown to have them",
    "harmful_wrong": "wrong, harmful: wrong, for such values: people who are wrongly taken to have them",
    "posterior_risk": "post. risk: how probable a person's record is to an attacker who knows all others, on average",
    "worst_posterior": "post. worst: the same for the person of whom it is largest",
}
"""What the columns of a comparison are."""


def measures_by(match: str | None) -> dict[str, str]:
    """:data:`MEASURES`, for what counts: ``any``body in a cell who has the value shown, or the ``share`` who have."""
    return MEASURES | {"local": _OF_A_PERSON} if match == "share" else MEASURES


def explained(names: Iterable[str], book: dict[str, str]) -> list[Block]:
    """A note for each of the names that has a line in ``book``."""
    return [Note(f"{name}: {book[name]}.") for name in dict.fromkeys(names) if name in book]
