"""Epsilens: what does epsilon mean for the people in this table, and which one should we take?

Public names are imported on first use, so that ``import epsilens`` and ``epsilens --help`` stay fast. They are listed
in one place, the stub ``__init__.pyi`` beside this file.
"""

from epsilens.lazy import attach
from epsilens.version import __version__ as __version__

__getattr__, __dir__, __all__ = attach(__name__)
__all__ += ["__version__"]
