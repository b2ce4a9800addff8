"""Tables: schemas, sources, frequency tables, diagnostics, the demo population."""

from epsilens.table.bins import Quantiles, parse_bins
from epsilens.table.cell_sizes import CellSizes, cell_sizes
from epsilens.table.cells import Cells
from epsilens.table.diagnostics import Diagnostics, diagnose, homogeneity_classes
from epsilens.table.domain import Domain
from epsilens.table.engine import Engine
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable
from epsilens.table.hierarchy import Hierarchy, Situations
from epsilens.table.households import Households
from epsilens.table.reading.cells import read_cells
from epsilens.table.reading.households import read_households
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema

__all__ = [
    "STRUCTURAL_ZERO",
    "CellSizes",
    "Cells",
    "Diagnostics",
    "Domain",
    "Engine",
    "FrequencyTable",
    "Hierarchy",
    "Households",
    "Quantiles",
    "Schema",
    "Situations",
    "cell_sizes",
    "diagnose",
    "homogeneity_classes",
    "parse_bins",
    "read_cells",
    "read_households",
    "read_table",
]
