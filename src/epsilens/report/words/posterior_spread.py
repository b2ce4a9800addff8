"""How what an adversary will believe is spread over the people of a release."""

from __future__ import annotations

from epsilens.choice.spread import Spread
from epsilens.errors import counted
from epsilens.report.words.posterior_numbers import chance
from epsilens.report.words.spread import band_text, spread_sentence


def posterior_spread_sentences(spread: Spread, mean: float) -> list[str]:
    """Beside the average: the worst-off person, how many are above 50 %, and how many are in which band."""
    bands = [band for band in spread.bands if band.people]
    listed = ", ".join(
        f"{counted(band.people, 'person')} {'at ' if band.above > 0.0 and band.up_to < 1.0 else ''}{band_text(band)}"
        for band in bands
    )
    several = [f"Posteriors over people: {listed}."] if len(bands) > 1 else []
    return [f"The posterior itself is on average {chance(mean)}. {spread_sentence(spread)}", *several]
