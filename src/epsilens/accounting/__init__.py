"""What releases cost: composition of several, and the account that a ledger keeps."""

from epsilens.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
