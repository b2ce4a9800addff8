# The public names of this room and their homes: the one list, which `epsilens.lazy` reads too.

from epsilens.project.project import Project as Project
