"""P3, its introduction: two kinds of neighbours, and what they leave open."""

from __future__ import annotations

from epsilens import sensitivity
from epsilens.noise.laplace import LaplaceNoise
from epsilens.reproduce.claims import Claim, Finding, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.p3.setting import Check, searched, statement


def _private_size(own: bool) -> Check:
    """The loss of a mean of one 1 and zeros, without which it is 0; each has its own scale, or both the larger's."""

    def check(_: Data) -> Finding:
        n, epsilon = 10, 1.0
        losses = []
        for x in (0.0, 10.0, 100.0):
            sizes = (n, n - 1) if own else (n, n)
            one, two = (LaplaceNoise(sensitivity.mean(size, 0.0, 1.0) / epsilon) for size in sizes)
            losses.append(abs(float(one.logdensity(x - 1.0 / n) - two.logdensity(x))))
        told = ", ".join(f"{loss:.4g}" for loss in losses)
        return Finding(max(losses) <= epsilon + 1e-9, f"the loss at outputs 0, 10 and 100 is {told} for epsilon = 1")

    return check


def _same(names: tuple[tuple[str, dict[str, object]], ...]) -> Check:
    def check(_: Data) -> Finding:
        def both(case: tuple[str, dict[str, object]]) -> tuple[float, float]:
            name, arguments = case
            found = [searched(name, neighbours, **arguments) for neighbours in ("substitute", "add-remove")]
            return found[0], found[1]

        return everywhere(
            names,
            lambda case: abs(both(case)[0] - both(case)[1]) < 1e-12,
            lambda case: "{0}: {1[0]:.4g} and {1[1]:.4g}".format(case[0].replace("_", " "), both(case)),
        )

    return check


_UNIT: dict[str, object] = {"lower": 0.0, "upper": 1.0}
_SQUARE: dict[str, object] = {"lower": (0.0, 0.0), "upper": (1.0, 1.0)}
_ALIKE: tuple[tuple[str, dict[str, object]], ...] = tuple(
    (name, {"n": n, **bounds})
    for name, bounds in (("mean", _UNIT), ("variance", _UNIT), ("covariance", _SQUARE))
    for n in (3, 4, 5)
)
_ALL: tuple[tuple[str, dict[str, object]], ...] = (
    *_ALIKE,
    ("histogram", {"n": 3}),
    ("pooled_covariance", {"sizes": (3, 3), **_SQUARE}),
)


CLAIMS: list[Claim] = [
    statement(
        "introduction, same results",
        "sensitivities under the two definitions",
        "they turn out to be the same",
        _same(_ALL),
        "P3-g",
        readings=(("of means, variances and covariances", _same(_ALIKE)),),
    ),
    statement(
        "introduction, mean, variance and covariance",
        "sensitivities under the two definitions",
        "they are the same",
        _same(_ALIKE),
    ),
    statement(
        "introduction, Def 2 and n",
        "noise of the printed scale at each data set's own n",
        "it is epsilon-private where one data set has a record more",
        _private_size(own=True),
        "P3-d",
        readings=(("where n is public", _private_size(own=False)),),
    ),
]
