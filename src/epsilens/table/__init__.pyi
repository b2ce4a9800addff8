# The public names of this room and their homes: the one list, which `epsilens.lazy` reads too.

from epsilens.table.bins import Quantiles as Quantiles
from epsilens.table.bins import parse_bins as parse_bins
from epsilens.table.cell_sizes import CellSizes as CellSizes
from epsilens.table.cell_sizes import cell_sizes as cell_sizes
from epsilens.table.cells import Cells as Cells
from epsilens.table.diagnostics import Diagnostics as Diagnostics
from epsilens.table.diagnostics import diagnose as diagnose
from epsilens.table.diagnostics import homogeneity_classes as homogeneity_classes
from epsilens.table.domain import Domain as Domain
from epsilens.table.engine import Engine as Engine
from epsilens.table.frequency import STRUCTURAL_ZERO as STRUCTURAL_ZERO
from epsilens.table.frequency import FrequencyTable as FrequencyTable
from epsilens.table.hierarchy import Hierarchy as Hierarchy
from epsilens.table.hierarchy import Situations as Situations
from epsilens.table.households import Households as Households
from epsilens.table.reading.cells import read_cells as read_cells
from epsilens.table.reading.households import read_households as read_households
from epsilens.table.reading.tables import read_table as read_table
from epsilens.table.schema import Schema as Schema
