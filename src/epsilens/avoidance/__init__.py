"""Disclosure avoidance: suppression, swapping, k-anonymity, their randomised versions, noisy counts.

Every system is a small frozen object with ``release``, ``bias`` and the delta that was published next to the one it
has.
"""

from epsilens.avoidance import published
from epsilens.avoidance.anonymity import DPKAnonymity, KAnonymity
from epsilens.avoidance.audit import Audit, Witness, audit, witness
from epsilens.avoidance.catalogue import SYSTEMS, Settings, build, chosen_systems
from epsilens.avoidance.generalised import Generalised
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.nearest import Swapping
from epsilens.avoidance.noisy_counts import NoisyCounts
from epsilens.avoidance.records import Column, Records
from epsilens.avoidance.suppression import DPSuppression, Suppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.avoidance.system import CellMoments as Moments
from epsilens.avoidance.system import System, bias_l1, fairness, simulated_moments
from epsilens.avoidance.value_tree import GeneralisationHierarchy
from epsilens.noise.divergence import hockey_stick, noise_delta

__all__ = [
    "SYSTEMS",
    "Audit",
    "Column",
    "DPKAnonymity",
    "DPSuppression",
    "DPSwapping",
    "GeneralisationHierarchy",
    "Generalised",
    "Histogram",
    "KAnonymity",
    "Moments",
    "NoisyCounts",
    "Records",
    "Settings",
    "Suppression",
    "Swapping",
    "System",
    "Witness",
    "audit",
    "bias_l1",
    "build",
    "chosen_systems",
    "fairness",
    "hockey_stick",
    "noise_delta",
    "published",
    "simulated_moments",
    "witness",
]
