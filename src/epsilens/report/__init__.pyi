# The public names of this room and their homes: the one list, which `epsilens.lazy` reads too.

from epsilens.report import charts as charts
from epsilens.report import words as words
