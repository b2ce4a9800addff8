"""The command line: arguments in, reports out; no formula here."""

from epsilens.cli.main import main

__all__ = ["main"]
