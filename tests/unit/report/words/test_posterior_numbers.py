from __future__ import annotations

import pytest

from epsilens.report.words import posterior_numbers as words


@pytest.mark.parametrize(
    ("prior", "text"),
    [(0.5, "0.5"), (0.02, "0.02"), (1 / 864, "1/864"), (1 / 3, "1/3"), (1e-300, "1e-300"), (0.123456, "0.1235")],
)
def test_a_prior_reads_as_people_write_it(prior: float, text: str) -> None:
    assert words.prior_text(prior) == text


def test_a_prior_next_to_certainty_does_not_read_as_certain() -> None:
    assert words.prior_text(1 - 1e-9) == "0.999999999"


def test_it_is_said_whose_risk_it_is() -> None:
    assert words.who(True) == "a person who is there"
    assert "not there is that they are not" in words.of_whom(False).text
    assert (words.if_absent(True), words.if_absent(False)) == ("", ", of a person who is not there")
    assert words.if_there(False) == "if the person is not there"
    assert words.chance_in_table(1e-20) == "< 1e-12"
