"""Tables: schemas, sources, frequency tables, diagnostics, the demo population."""

from epsilens.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
