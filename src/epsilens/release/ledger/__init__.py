"""The ledger: who paid what, in a book that survives kills, and the one way out for released files."""

from epsilens.release.ledger.ledger import Ledger, Request

__all__ = ["Ledger", "Request"]
