# The public names of this room and their homes: the one list, which `epsilens.lazy` reads too.

from epsilens.accounting.account import Account as Account
from epsilens.accounting.account import BudgetExceededError as BudgetExceededError
from epsilens.release import statistics as statistics
from epsilens.release.card_files import card_schema as card_schema
from epsilens.release.evaluation import evaluate as evaluate
from epsilens.release.ledger.chain import LedgerError as LedgerError
from epsilens.release.ledger.ledger import Ledger as Ledger
from epsilens.release.rehearsal import Preflight as Preflight
from epsilens.release.rehearsal import preflight as preflight
from epsilens.release.statistics import ReleasedStatistics as ReleasedStatistics
from epsilens.release.statistics import release_statistics as release_statistics
from epsilens.release.tables.postprocessing import ReleasedTable as ReleasedTable
from epsilens.release.tables.release import Released as Released
from epsilens.release.tables.release import release_table as release_table
from epsilens.release.thresholds import smallest_threshold as smallest_threshold
from epsilens.release.thresholds import threshold_delta as threshold_delta
from epsilens.release.verification import verify_card as verify_card
from epsilens.table.declared import width_levels as width_levels
