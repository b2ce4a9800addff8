# The public names of this room and their homes: the one list, which `epsilens.lazy` reads too.

from epsilens.accounting.account import Account as Account
from epsilens.accounting.account import BudgetExceededError as BudgetExceededError
from epsilens.accounting.composition import Composition as Composition
from epsilens.accounting.composition import compose as compose
from epsilens.accounting.composition import compose_parallel as compose_parallel
from epsilens.accounting.groups import group_budget as group_budget
from epsilens.accounting.groups import group_epsilon as group_epsilon
from epsilens.accounting.groups import person_budget as person_budget
