"""Theorem 1: the risks under Laplace noise."""

from __future__ import annotations

from epsilens.reproduce.claims import Claim
from epsilens.reproduce.p0.theorems import theorem

CLAIMS: tuple[Claim, ...] = tuple(theorem("laplace", [f"Eq. ({number})" for number in range(13, 18)]))
