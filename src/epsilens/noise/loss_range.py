"""How often a privacy loss is exceeded at *every* size of the noise between two: a bound for all of them at once.

Published counts are whole numbers, so the chance that a loss exceeds a bar is a saw-tooth in the size of the noise.
While the same outputs lie above the bar, more noise makes them likelier; now and then one drops below it, and the
chance jumps down. So a size that is enough says nothing about larger ones, and somebody who looks for "the least size
that is enough" by bisection finds one tooth of many.

The bound. Let the sizes of all levels lie between those of ``narrow`` and those of ``wide``, a and b for one count.

1. *Losses.* With A_z the values that are rounded to z, the loss of one count is l(z) = log P(A_z) / P(A_z+1). For
   z >= 0 it falls as the size grows: in a family in which far values gain on near ones (below), P(A_z+1) / P(A_z)
   rises. For z < 0 it rises, since l(-1 - z) = -l(z). So no size between has a larger loss at z than the greater of
   l_a(z) and l_b(z): the former for z >= 0, the latter for z < 0.
2. *Probabilities.* P_s(A) <= (b / a) P_b(A) for every size s between and every set A of values: the density h(x / s) /
   s is at most (b / a) h(x / b) / b, h being largest at 0 and falling. On whole numbers P_s(k) = h_s(k) / N(s), h_s(k)
   rises with s and N(b) / N(a) <= b / a: for the discrete Gaussian law d log N / d log s = variance / sigma^2 <= 1,
   for the discrete Laplace law it is x / sinh x <= 1 with x = 1 / s.
3. So P_s(loss > bar) <= (b / a)^m P_b(greatest losses > bar), m being the number of counts. As a tends to b the bound
   tends to the chance at b, so intervals that are cut finely enough show everything that is true.

Assumes a law in which far values gain on near ones as its size grows: with h the density at size 1, -u h'(u) / h(u)
rises with u > 0. That is so for all laws of ours, and for every log-concave one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from epsilens.noise.composed_loss import law_of_sum
from epsilens.noise.law import Noise
from epsilens.noise.loss import PrivacyLoss, greatest_losses, share_above


def greatest_exceedance(narrow: Sequence[Noise], wide: Sequence[Noise], moved: int, loss: float) -> float:
    """A bound on P(privacy loss > ``loss``) that holds for all sizes from ``narrow`` to ``wide``, level by level.

    (b_1 / a_1)^m ... (b_L / a_L)^m P_b(sum of the greatest losses > l). Symbols: a and b are the sizes of ``narrow``
    and ``wide``, m is ``moved``, l is ``loss``, L the number of levels. The derivation is above.

    Source: P0 Eq. (2), one side of it, over a range of sizes.
    Assumes what is said above of the laws, and independent noise.
    """
    room = math.prod(b.size / a.size for a, b in zip(narrow, wide, strict=True)) ** moved
    parts = [greatest_losses(a, b) for a, b in zip(narrow, wide, strict=True)]
    if len(wide) == 1 and not PrivacyLoss(wide[0]).is_wide:
        return min(1.0, room * share_above(*parts[0], moved, loss))
    return min(1.0, room * law_of_sum([part for part in parts for _ in range(moved)]).share_above(loss))
