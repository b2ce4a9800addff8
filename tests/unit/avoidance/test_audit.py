"""The audit: verdicts and sentences."""

from __future__ import annotations

import pytest

from epsilens import avoidance as av
from epsilens.errors import ParameterError
from epsilens.noise import LaplaceNoise


def test_verdicts_and_sentences() -> None:
    swapping = av.audit(av.DPSwapping(0.5, 2), "qid")
    assert swapping.verdict == "false"
    assert swapping.sentence == (
        "claims delta = 0.2449, but delta is 0.53: the counts 1 1 and 0 2, which are neighbours, have 0.53"
    )
    rows = av.audit(av.DPSwapping(0.5, 2, reading="algorithm-4"), "qid")
    assert (rows.verdict, rows.exact) == ("valid", 0.0)
    assert "true but more than needed" in rows.sentence
    suppression = av.audit(av.DPSuppression(6, 0.5), bound=9)
    assert suppression.sentence == "claims delta = 0.9442, true and nearly tight: delta is 0.9284"
    for system in (av.Suppression(3), av.Suppression(3, "equation-1"), av.KAnonymity(2)):
        plain = av.audit(system, epsilon=2.0)
        assert (plain.verdict, plain.exact, plain.enumerated) == ("no claim", 1.0, 1.0)
        assert plain.sentence.startswith("makes no claim")
    assert av.Suppression(3).delta(bound=2) == 0.0
    laplace = av.audit(av.NoisyCounts.as_published("laplace", 0.5))
    assert (laplace.verdict, laplace.enumerated) == ("valid", 0.0)
    assert laplace.sentence == "claims delta = 0, which is exact"
    assert laplace.to_dict()["witness"]
    wide = av.audit(av.DPSwapping(0.5, 4, reading="algorithm-4"))
    assert "..." not in wide.sentence
    assert "the counts 0 | 1 and 1 | 0," in wide.sentence


def test_clipped_noise_is_no_worse_than_unclipped() -> None:
    for law in ("gaussian", "discrete-gaussian", "discrete-laplace"):
        clipped = av.audit(av.NoisyCounts.as_published(law, 1.0))
        unclipped = av.audit(av.NoisyCounts.as_published(law, 1.0, clipped=False))
        assert clipped.enumerated <= unclipped.enumerated + 1e-15
        assert unclipped.enumerated == pytest.approx(unclipped.exact, abs=1e-12)


def test_bad_audits() -> None:
    with pytest.raises(ParameterError, match="no epsilon of its own"):
        av.audit(av.Suppression(3))
    with pytest.raises(ParameterError, match=r"epsilon must be the 0.5 that .* was built for, got 1"):
        av.audit(av.DPSwapping(0.5, 2), epsilon=1.0)
    with pytest.raises(ParameterError, match="is not enumerated"):
        av.audit(av.Swapping(0.1), epsilon=1.0)
    with pytest.raises(ParameterError, match="no list of outputs"):
        av.audit(av.NoisyCounts(LaplaceNoise(1.0), rounded=False), epsilon=1.0)


def test_a_witness_is_a_pair_of_neighbours_and_an_output_that_one_of_them_never_has() -> None:
    for system in (av.Suppression(3), av.KAnonymity(2), av.KAnonymity(2, strict=False)):
        found = av.witness(system)
        assert found is not None
        assert found.with_probability == 1.0
        assert found.sentence.endswith("no epsilon holds")
        law = system.output_law
        assert law(found.before)[found.output] == 1.0
        assert found.output not in law(found.after)
        plain = found.to_dict()
        assert (plain["probability_before"], plain["probability_after"]) == (1.0, 0.0)
    randomised = av.witness(av.DPSwapping(1.0, 2))
    assert randomised is not None
    assert randomised.sentence.endswith("impossible for the second: no epsilon holds with a smaller delta")
    assert av.witness(av.NoisyCounts.as_published("laplace", 1.0)) is None
    with pytest.raises(ParameterError, match="neighbours must be one of"):
        av.witness(av.Suppression(3), "rows")  # type: ignore[arg-type]
