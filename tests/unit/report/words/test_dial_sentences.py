"""Sentences of the dial: both framings, one denominator, names that the user gave."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import epsilens as el
from epsilens.choice.questions.dial import Question, Shown, answer
from epsilens.choice.questions.dial_cost import cost
from epsilens.choice.questions.dial_guarantee import guarantee_of_epsilon, guarantee_of_noises, guarantee_of_rho
from epsilens.errors import ParameterError
from epsilens.report.words import dial_sentences as say
from epsilens.report.words.dial_sentences import Names

BEA = Names("Bea", "patients")


def test_two_worlds_share_a_denominator_and_say_the_complement() -> None:
    found, both = guarantee_of_epsilon(1.0), say.worlds("add-remove", BEA)
    assert say.convinced(found.wrong, both.if_not, both.claim) == (
        "If Bea is not in the table: of 100 possible releases, 27 make the attacker believe that Bea is in it, 73 do "
        "not."
    )
    assert say.convinced(found.right, both.if_so, both.claim) == (
        "If Bea is in the table: of 100 possible releases, 73 make the attacker believe that Bea is in it, 27 do not."
    )
    assert both.setting.startswith("Bea is in the table, or is not.")
    other = say.worlds("substitute", BEA)
    assert say.convinced(0.99, other.if_so, other.claim) == (
        "If Bea's record is the suspected one: of 100 possible releases, 99 make the attacker believe that it is the "
        "suspected one, 1 does not."
    )


def test_what_is_nearly_nobody_is_not_nobody() -> None:
    both = say.worlds("add-remove", BEA)
    found = guarantee_of_epsilon(9.0)
    assert "fewer than 1 makes the attacker believe that Bea is in it, more than 99 do not" in say.convinced(
        found.wrong, both.if_not, both.claim
    )


def test_a_belief_rises_and_falls() -> None:
    found = guarantee_of_epsilon(1.0)
    assert say.belief_sentence(found, 0.5) == "A belief of 50 % can rise to 73 % at most, or fall to 27 %."
    assert say.belief_sentence(found, 0.1) == "A belief of 10 % can rise to 23 % at most, or fall to 4 %."
    for epsilon in (8.0, 80.0):
        sure = guarantee_of_epsilon(epsilon)
        assert say.belief_sentence(sure, 0.5) == "A belief of 50 % can rise above 99 %, or fall below 1 %."
        assert say.spoken("epsilon", epsilon, sure) == f"epsilon {epsilon:g}, more than 99 of 100"
    with_delta = guarantee_of_noises([el.GaussianNoise(3.0)], "add-remove", 1e-6)
    assert say.belief_sentence(with_delta, 0.5).endswith(", but for a chance of 1e-06.")
    assert [say.belief_text(share) for share in (0.001, 0.01, 0.5, 0.999, 1.0)] == [
        "less than 1 %",
        "1 %",
        "50 %",
        "more than 99 %",
        "more than 99 %",
    ]


@pytest.mark.parametrize(("epsilon", "weak"), [(0.1, False), (2.19, False), (2.2, True), (10.0, True)])
def test_a_guarantee_is_weak_from_where_50_can_become_90(epsilon: float, weak: bool) -> None:
    assert say.is_weak(guarantee_of_epsilon(epsilon)) is weak


def test_where_the_numbers_come_from() -> None:
    assert "most that epsilon allows" in say.basis_sentence(guarantee_of_epsilon(1.0), "epsilon")
    assert "the noise itself" in say.basis_sentence(guarantee_of_noises([el.GaussianNoise(3.0)], "add-remove"), "rho")
    assert "most that rho allows" in say.basis_sentence(guarantee_of_rho(0.1), "rho")


def test_who_is_shown_adds_up_to_100() -> None:
    common = say.shown_sentence(Shown("ill", 0.0304, 0.0265, 0.6), "patients", False)
    assert common == (
        "Of 100 patients, 3 are in a cell that shows one value of ill only, and it is theirs; 3 are in a cell that "
        "shows one only, and it is not theirs; 94 are in neither."
    )
    rare = say.shown_sentence(Shown("ill", 0.004, 0.0, 0.6), "people", True)
    assert "fewer than 1 (4 of 1,000) is in a cell that shows one harmful value of ill only" in rare
    assert "none are in a cell that shows one only" in rare
    nobody = say.shown_sentence(Shown("ill", 1e-7, 0.0, 0.6), "people", False)
    assert "Of 100 people, next to none (fewer than 1 of 100,000) is in a cell" in nobody
    assert nobody.endswith("more than 99 are in neither.")
    everybody = say.shown_sentence(Shown("ill", 1.0, 0.0, 0.6), "people", False)
    assert "100 are in a cell" in everybody
    assert everybody.endswith("none are in neither.")


def test_believing_beside_guessing() -> None:
    assert say.believing_sentence(Shown("ill", 0.9, 0.1, 0.68), harmful=False) == (
        "Believing such a cell is right 90 times in 100 and wrong 10; guessing the commonest value is right 68 times "
        "in 100 and wrong 32."
    )
    assert say.believing_sentence(Shown("ill", 0.0, 0.0, 0.68), harmful=False).startswith(
        "No cell shows one value only"
    )


def test_believing_in_harm_stands_beside_guessing_harm() -> None:
    assert say.believing_sentence(Shown("ill", 0.035, 0.065, 0.04), harmful=True) == (
        "Believing such a cell is right 35 times in 100 and wrong 65; guessing the commonest harmful value is right 4 "
        "times in 100 and wrong 96."
    )
    nothing = say.believing_sentence(Shown("ill", 0.0, 0.0, 0.04), harmful=True)
    assert nothing.startswith("No cell shows one harmful value only, so there is nothing to believe; guessing")


def test_the_cost_in_words() -> None:
    found = cost(el.LaplaceNoise(1.0))
    assert say.interval_sentence(found, 12) == (
        "A count of 12 is published between 9 and 15 at least 19 times out of 20, and elsewhere at most once."
    )
    assert say.error_sentence(found) == "On average a count is off by 0.96."
    assert say.dots_sentence(found, 12).startswith("In 20 tables you might publish, a count of 12 reads 9, 10, 11,")
    nothing = cost(el.LaplaceNoise(0.01))
    assert "is published as 1,200 at least" in say.interval_sentence(nothing, 1200)
    assert say.error_sentence(nothing) == "On average a count is off by less than 0.001."


def test_what_a_screen_reader_says() -> None:
    assert say.spoken("epsilon", 1.0, guarantee_of_epsilon(1.0)) == "epsilon 1, 73 of 100"


@pytest.mark.parametrize(
    ("share", "drawn"), [(0.0, [0, 0]), (0.004, [0, 1]), (0.27, [27, 0]), (0.999, [99, 1]), (1.0, [100, 0])]
)
def test_icons_are_filled_or_outlined(share: float, drawn: list[int]) -> None:
    assert say.icons(share) == drawn


def test_ceilings_are_kept_or_not() -> None:
    assert say.keeps_sentence(True) == "This budget keeps every ceiling."
    assert "does not keep" in say.keeps_sentence(False)


def test_somebody_has_a_name() -> None:
    with pytest.raises(ParameterError, match="person"):
        Names(" ")


def test_three_frequencies_add_up_where_two_are_rounded_up() -> None:
    said = say.shown_sentence(Shown("disease", 0.506, 0.486, 0.5), "people", harmful=False)
    assert said.startswith("Of 100 people, 51 are in")
    assert "; 49 are in" in said
    assert said.endswith("fewer than 1 is in neither.")


def test_a_belief_that_is_not_weak_does_not_read_so() -> None:
    assert say.belief_text(0.8999) == "89 %"
    assert say.belief_text(0.9) == "90 %"
    assert say.belief_text(0.995) == "99 %"


def test_icons_are_as_many_as_the_text_says() -> None:
    assert say.icons(0.005) == [1, 0]
    assert say.icons(0.995) == [99, 0]


def test_a_large_error_reads_as_a_number() -> None:
    assert say.error_text(123456.7) == "123,457"


def test_on_the_line_itself() -> None:
    exactly: Any = SimpleNamespace(belief=lambda _: say.WEAK)
    assert say.is_weak(exactly)
    table = el.FrequencyTable.from_counts([[5, 0], [3, 2], [0, 1]])
    at = next(line.at for line in answer(Question(), table).lines if line.budget == 1.0)
    assert "; not above the ceiling" in say.risk_sentence(at, "mean", at.risk)
    assert "; above the ceiling" in say.risk_sentence(at, "mean", at.risk * (1 - 1e-9))
    assert [say.error_text(error) for error in (0.0009, 0.001, 0.005)] == ["less than 0.001", "0.001", "0.005"]
