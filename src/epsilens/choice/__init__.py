"""Which budget? Assessments, risk curves and, from them, choices.

Names are imported on first use: an assessment needs none of the rooms that choices draw on.
"""

from epsilens.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
