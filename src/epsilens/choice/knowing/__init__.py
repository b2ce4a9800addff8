"""Attackers who know only some attributes: what every set of columns discloses, and which of them carry it."""
