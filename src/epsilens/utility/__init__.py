"""What a protected table is still good for: errors, total variation of marginals, classification."""

from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.utility.absolute_error import expected_cell_errors, mean_cell_error, share_off_by_more_than
from epsilens.utility.cell_errors import l1_error, rmse
from epsilens.utility.classification import ClassificationTask
from epsilens.utility.marginal_distance import marginal_distances, simulated_distances
from epsilens.utility.marginals import marginal_variation, total_variation

__all__ = [
    "ClassificationTask",
    "expected_absolute_error",
    "expected_cell_errors",
    "l1_error",
    "marginal_distances",
    "marginal_variation",
    "mean_cell_error",
    "rmse",
    "share_off_by_more_than",
    "simulated_distances",
    "total_variation",
]
