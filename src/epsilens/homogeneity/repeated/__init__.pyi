# The public names of this room and their homes: the one list, which `epsilens.lazy` reads too.

from epsilens.homogeneity.repeated.attack import CohortRisk as CohortRisk
from epsilens.homogeneity.repeated.attack import SequenceRisk as SequenceRisk
from epsilens.homogeneity.repeated.attack import at_least_one_of_sequence as at_least_one_of_sequence
from epsilens.homogeneity.repeated.attack import growth as growth
from epsilens.homogeneity.repeated.attack import pooled as pooled
from epsilens.homogeneity.repeated.attack import sequence as sequence
from epsilens.homogeneity.repeated.attack import total_cost as total_cost
from epsilens.homogeneity.repeated.published import PublishedStep as PublishedStep
from epsilens.homogeneity.repeated.published import published_sequence as published_sequence
