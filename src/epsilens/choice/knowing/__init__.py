"""Attackers who know only some attributes: what every set of quasi-identifiers discloses, and which of them carry it."""
