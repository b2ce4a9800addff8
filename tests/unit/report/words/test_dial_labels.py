"""Labels of the dial: the ends do not promise that less is safer."""

from __future__ import annotations

from epsilens.report.words.dial_labels import labels
from epsilens.report.words.dial_sentences import PRIORS, Names


def test_labels_are_there_for_every_prior_and_for_the_people_named() -> None:
    found = labels(Names(people="patients"))
    assert (found["more_noise"], found["less_noise"]) == ("more noise", "less noise")
    assert found["bands"] == "How the risk is spread over patients (bars on a log scale)"
    for name in ("prior_labels", "prior_rows"):
        assert len(found[name]) == len(PRIORS)  # type: ignore[arg-type]
    assert "noise interval" in str(found["interval_note"])
    assert "confidence" not in str(found)
