"""Attackers who know only some of the quasi-identifiers: what they see, and what each column is worth to them."""
