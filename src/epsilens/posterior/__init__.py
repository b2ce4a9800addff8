"""The Bayesian adversary: what somebody who knows almost everything concludes about one person from noisy counts.

One level, two levels, levels at which the target is unique, whole trees, histograms, sequences of releases,
post-processing, and everybody in a release at once. Exact throughout; see each function for its assumptions.
"""

from epsilens.noise.sums import noise_of_sum, sum_approximation_error
from epsilens.posterior.categories import CategoryPosterior, ExpectedCategories, categories, expected_categories
from epsilens.posterior.census_2020 import CENSUS_2020, Conversion, RhoAllocation, conversions, converted
from epsilens.posterior.combined import (
    SequencePosterior,
    expected_combined,
    expected_sequence,
    expected_unique_at_levels,
    repeated,
    sequence,
    unique_at_levels,
    unique_levels_curve,
)
from epsilens.posterior.postprocessing import (
    PostprocessingCheck,
    PostprocessingRisk,
    postprocessing_check,
    postprocessing_risk,
)
from epsilens.posterior.release_risk import ReleaseRisk, release_risk
from epsilens.posterior.scenarios import SCENARIOS, AttackScenario, scenario
from epsilens.posterior.single import (
    BudgetCurve,
    ExpectedRisk,
    NoisyCountTable,
    PosteriorProbability,
    exceedance_single_level,
    expected_single_level,
    noisy_count_table,
    single_level,
    single_level_curve,
)
from epsilens.posterior.trees.expected import ExpectedTree, expected_tree
from epsilens.posterior.trees.fitting import fit_leaf_prior
from epsilens.posterior.trees.leaf_priors import (
    BinomialLeaf,
    LeafPrior,
    NegativeBinomialLeaf,
    PmfLeaf,
    PoissonLeaf,
    UniformLeaf,
)
from epsilens.posterior.trees.posterior import TreePosterior, TreeShape, tree
from epsilens.posterior.two_levels.expected import (
    DecisionMap,
    ExpectedTwoLevel,
    decision_map,
    exceedance_two_level,
    expected_two_level,
    two_level_curve,
)
from epsilens.posterior.two_levels.parent_priors import ParentPrior, PmfParent, PointParent, UniformParent
from epsilens.posterior.two_levels.posterior import TwoLevelPosterior, two_level

__all__ = [
    "CENSUS_2020",
    "SCENARIOS",
    "AttackScenario",
    "BinomialLeaf",
    "BudgetCurve",
    "CategoryPosterior",
    "Conversion",
    "DecisionMap",
    "ExpectedCategories",
    "ExpectedRisk",
    "ExpectedTree",
    "ExpectedTwoLevel",
    "LeafPrior",
    "NegativeBinomialLeaf",
    "NoisyCountTable",
    "ParentPrior",
    "PmfLeaf",
    "PmfParent",
    "PointParent",
    "PoissonLeaf",
    "PosteriorProbability",
    "PostprocessingCheck",
    "PostprocessingRisk",
    "ReleaseRisk",
    "RhoAllocation",
    "SequencePosterior",
    "TreePosterior",
    "TreeShape",
    "TwoLevelPosterior",
    "UniformLeaf",
    "UniformParent",
    "categories",
    "conversions",
    "converted",
    "decision_map",
    "exceedance_single_level",
    "exceedance_two_level",
    "expected_categories",
    "expected_combined",
    "expected_sequence",
    "expected_single_level",
    "expected_tree",
    "expected_two_level",
    "expected_unique_at_levels",
    "fit_leaf_prior",
    "noise_of_sum",
    "noisy_count_table",
    "postprocessing_check",
    "postprocessing_risk",
    "release_risk",
    "repeated",
    "scenario",
    "sequence",
    "single_level",
    "single_level_curve",
    "sum_approximation_error",
    "tree",
    "two_level",
    "two_level_curve",
    "unique_at_levels",
    "unique_levels_curve",
]
