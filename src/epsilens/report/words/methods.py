"""How every number of a report is found: a formula in one line, where it is printed, and how it departs from print.

A new measure, mechanism or attack needs its line here; a test asks for it. What is derived, and why, stands in the
docstring of the function and in docs/departures.md.
"""

from __future__ import annotations

from collections.abc import Iterable

PAPERS = {
    "P0": "F. Liu, X. Zhao: Disclosure Risk from Homogeneity Attack in Differentially Privately Sanitized Frequency "
    "Distribution",
    "P1": "F. Liu, X. Zhao, G. Zhang: Disclosure Risk from Homogeneity Attack in Differentially Private Frequency "
    "Distribution, the earlier version of P0",
    "P2": "K. Zhu, F. Fioretto, P. Van Hentenryck, S. Das, C. Task: Privacy and Bias Analysis of Disclosure Avoidance "
    "Systems",
    "P4": "Z. Kazan, J. P. Reiter: Assessing Statistical Disclosure Risk for Differentially Private, Hierarchical "
    "Count Data",
}
"""The papers that formulas are numbered in."""

_SHOWN = "a(n) = P(noise ≥ 1/2 − n) is the chance that a count of n is shown as 1 or more"
_PRINTED = "The formula as it is printed, with its bound, beside the exact one."

MEASURES = {
    "local": f"risk of a cell = Σₖ mₖ a(nₖ) Πⱼ≠ₖ (1 − a(nⱼ)), where {_SHOWN}, and mₖ = 1 if somebody has value k (or "
    "the share who have). Source: P0 Definition 6, Eqs. (5) to (7). Departs from print (P0-1, P0-2): exact for every "
    "cell and every noise; the printed bound is not one for three values or more.",
    "expected": "E[local risk], with the counts of a cell drawn anew from multinomial(n, p), n and p being its own "
    "size and shares. Source: P0 Definition 7, Eq. (8). Departs from print (P0-1, P0-3): exact.",
    "shrinkage": "E[expected risk], with p drawn from one Dirichlet(α) law for all cells. Source: P0 Definition 8, "
    "Eq. (9). Departs from print (P0-3, P0-6): exact, and fitted by estimates that exist.",
    "marginal": "Σₙ≥₁ f(n) expected risk(n, p) / P(n ≥ 1), f being a law of sizes. Source: P0 Definition 9, Eq. (10). "
    "Departs from print (P0-5): averaged over sizes, as the definition says.",
    "marginal-shrinkage": "Σₙ≥₁ f(n) shrinkage risk(n) / P(n ≥ 1): one risk, that of a generic cell. Source: P0 "
    "Definition 10, Eq. (11). Departs from print (P0-3): exact.",
    "hard": "Σₖ mₖ P(k is guessed), where the largest published count of a cell is the guess and ties are drawn. "
    "Source: P0 section 6. Departs from print (P0-8): exact, not simulated.",
    "soft": "Σₖ mₖ E[Mₖ / (M₁ + … + M_K)], where M are the published counts of a cell. Source: P0 section 6. Departs "
    "from print (P0-8): exact, not simulated.",
    "published-local": f"{_PRINTED} Source: P0 Eqs. (13), (18), (22), (27), (S1) and (S6).",
    "published-expected": f"{_PRINTED} Source: P0 Eqs. (14), (18), (23), (27), (S2) and (S7).",
    "published-shrinkage": f"{_PRINTED} Source: P0 Eqs. (15), (19), (24), (28), (S3) and (S8).",
    "published-marginal": f"{_PRINTED} Source: P0 Eqs. (16), (20), (25), (29), (S4) and (S9).",
    "published-marginal-shrinkage": f"{_PRINTED} Source: P0 Eqs. (17), (21), (26), (30), (S5) and (S10).",
    "published-hard": f"{_PRINTED} Source: P0 section 6 and S5.",
    "published-soft": f"{_PRINTED} Source: P0 section 6 and S5.",
    "published-p1-local": f"{_PRINTED} Source: P1 Definition 3.3.",
    "published-p1-expected": f"{_PRINTED} Source: P1 Eq. (A.1).",
    "published-p1-shrinkage": f"{_PRINTED} Source: P1 Theorem 3.7.",
    "published-p1-marginal-shrinkage": f"{_PRINTED} Source: P1 Corollary 3.9.",
    "posterior": "E[p L / (p L + 1 − p)], with p the attacker's prior and L the likelihood ratio of the noisy counts "
    "with the person and without. Source: P4 Eqs. (3.1) and (3.3).",
    "posterior-ratio": "posterior / p: how much surer the attacker gets on average. Source: P4 Eq. (3.4).",
    "posterior-decision": "P(the likelier of the two worlds is the true one). Source: P4 Eq. (3.6).",
}
"""Measures of risk."""

MECHANISMS = {
    "laplace": "density e^(−|x| / b) / (2 b), b = sensitivity / ε; counts are rounded. Pure DP.",
    "discrete-laplace": "P(x) ∝ e^(−|x| / b) on whole numbers, b = sensitivity / ε. Pure DP.",
    "gaussian": "normal, σ = sensitivity √(2 log(1.25 / δ)) / ε, proved for ε < 1. Source: P0 Eq. (3).",
    "gaussian-probabilistic": "normal, σ = sensitivity (√(z² + 2 ε) − z) / (2 ε) with z = Φ⁻¹(δ / 2): the loss exceeds "
    "ε with probability δ. Source: P0 Eq. (4).",
    "gaussian-analytic": "normal, the smallest σ whose exact δ(ε) is at most δ (Balle and Wang).",
    "discrete-gaussian": "P(x) ∝ e^(−x² / (2 σ²)) on whole numbers, σ = sensitivity / √(2 ρ): ρ-zCDP; ε and δ are "
    "converted (Canonne, Kamath and Steinke).",
}
"""Laws of noise, and how a budget makes them."""

ATTACKS = {
    "single": "The attacker sees one level: L = P(noise = y − c − 1) / P(noise = y − c), c being everybody else there. "
    "Source: P4 Eqs. (3.1), (3.2) and (3.5).",
    "two-level": "The attacker sees a group, the group above it and the sum of its siblings; unknown counts are summed "
    "out. Source: P4 Eqs. (3.8), (3.9) and (S3.4).",
    "unique-levels": "The attacker sees every level; likelihood ratios of levels in which the person is told apart "
    "multiply. Source: P4 Eq. (S1.1).",
}
"""What an attacker on a hierarchy computes."""

GUARANTEE = (
    "Guarantee: of a pure budget e^ε / (1 + e^ε) if it is so, 1 / (1 + e^ε) if it is not, for every mechanism; of "
    "other noise (1 + V) / 2 and (1 − V) / 2, V being the total variation distance of the noisy counts in the two "
    "worlds. A belief p becomes at most p F / (1 − p + p F), F being e^ε or, where noise has no largest loss, the "
    "factor that is exceeded with probability δ (1e-6 where there is none)."
)
ERRORS = (
    "Error of a count: E|Z|, exact, Z being the rounded noise. Noise interval: the smallest h with P(|Z| ≤ h) ≥ 0.95, "
    "for one count at a time. It is about the noise alone and leaves out sampling error."
)


def formulas(names: Iterable[str], book: dict[str, str]) -> list[tuple[str, str]]:
    """The lines of these names in ``book``, each once."""
    return [(name, book[name]) for name in dict.fromkeys(names) if name in book]


def papers_in(texts: Iterable[str]) -> list[tuple[str, str]]:
    """The papers that these texts name."""
    whole = " ".join(texts)
    return [(key, title) for key, title in PAPERS.items() if f"{key} " in whole or f"({key}-" in whole]
