"""Adversaries on a hierarchy of counts, by name: a new one is a file of its own and a line here."""

from epsilens.checks import one_of
from epsilens.posterior.attacks.attack import Attack
from epsilens.posterior.attacks.single import SingleCount
from epsilens.posterior.attacks.two_level import TwoLevels
from epsilens.posterior.attacks.unique_levels import UniqueLevels

__all__ = ["ATTACKS", "Attack", "attack_named"]

ATTACKS: dict[str, Attack] = {attack.name: attack for attack in (SingleCount(), TwoLevels(), UniqueLevels())}


def attack_named(name: str) -> Attack:
    """The attack of that name."""
    return ATTACKS[one_of("attack", name, ATTACKS)]
