"""Releases: what happens to noisy numbers between the noise and the public.

Names are imported on first use: they bring the samplers and the ledger along.
"""

from epsilens.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
