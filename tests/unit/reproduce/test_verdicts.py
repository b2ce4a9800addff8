"""Every verdict, from claims made up so that the verdict is known."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epsilens.reproduce import verdicts
from epsilens.reproduce.claims import Between, Estimate, Finding, Formula, Number, Place, Reading, Statement, Value
from epsilens.reproduce.data import Data
from epsilens.reproduce.printed import Printed
from epsilens.reproduce.verdicts import Row, judged

HERE = Place("P9", "Table 1, row 2", "a number", "P9-1")
NOTHING = Data()


def number(printed: str, stated: Value, **more: Any) -> Row:
    return judged(Number(HERE, Printed(printed), lambda _: stated, **more), NOTHING)


def test_confirmed_to_the_printed_digits() -> None:
    row = number(".985", 0.98466)
    assert (row.verdict, row.why, row.holds) == ("confirmed", "to the printed digits", True)
    assert (row.published, row.as_published, row.exact, row.departs) == (0.985, 0.98466, 0.98466, "P9-1")
    assert number("54", 54.0).why == "exactly"
    assert number(".985", 0.98577).why == "to the printed digits, cut off after them"


def test_what_is_not_in_print_is_known_of_its_row() -> None:
    claim = Number(dataclasses.replace(HERE, in_print=False), Printed(".5"), lambda _: 0.5)
    assert not judged(claim, NOTHING).to_dict()["in_print"]
    assert number(".5", 0.5).to_dict()["in_print"]


def test_a_bound_may_be_right_and_far_from_what_it_bounds() -> None:
    row = number(".944", 0.94418, exact=lambda _: 0.9284)
    assert (row.verdict, row.as_published, row.exact) == ("confirmed", 0.94418, 0.9284)


@pytest.mark.parametrize(
    ("stated", "error", "verdict"),
    [
        (0.52, 0.01, "confirmed within Monte-Carlo error"),
        (0.56, 0.01, "false"),
        (Estimate(0.52, 0.01), None, "confirmed within Monte-Carlo error"),
        (0.52, None, "false"),
        (0.7, 0.2, "not reproducible"),  # an error that would confirm anything confirms nothing
        (0.7, 0.04, "false"),
    ],
)
def test_what_print_simulated(stated: Value, error: float | None, verdict: str) -> None:
    row = number(".50", stated, **({} if error is None else {"error": lambda _: error}))
    assert row.verdict == verdict
    assert row.standard_error == (error if error is not None else 0.01 if isinstance(stated, Estimate) else None)


def between(low: float, high: float) -> Between:
    return Between(low, high, "races.csv", "whoever is of which race")


def test_what_chance_hides_a_file_does_not_tell() -> None:
    row = number(".50", between(0.48, 0.49), error=lambda _: 0.1)
    assert (row.verdict, row.needs) == ("not reproducible", None)
    assert row.why.endswith("(print's standard error is 0.1), which is too much to tell")


@pytest.mark.parametrize(
    ("low", "high", "error", "verdict"),
    [
        (0.48, 0.53, 0.01, "confirmed within Monte-Carlo error"),  # what is unknown matters less than chance
        (0.51, 0.52, 0.01, "confirmed within Monte-Carlo error"),
        (0.3, 0.6, 0.01, "not reproducible"),
        (0.3, 0.48, 0.01, "not reproducible"),
        (0.3, 0.45, 0.01, "false"),
        (0.51, 0.6, None, "false"),
        (0.5, 0.5, None, "confirmed"),
    ],
)
def test_what_is_known_to_lie_between_two_numbers(low: float, high: float, error: float | None, verdict: str) -> None:
    row = number(".50", between(low, high), **({} if error is None else {"error": lambda _: error}))
    assert row.verdict == verdict
    assert row.needs == ("races.csv" if verdict == "not reproducible" else None)
    assert verdict in ("confirmed", "not reproducible") or "whoever is of which race" in row.why
    assert row.exact == f"{low:g} to {high:g}"


def test_a_reading_that_is_known_between_two_numbers_explains_what_the_stated_one_cannot() -> None:
    wide, far = Reading("with more noise", lambda _: between(0.4, 0.6)), Reading("with less", lambda _: between(0, 9))
    row = number(".50", between(0.1, 0.2), readings=(far, wide))
    assert row.verdict == "follows from another model than stated"
    assert row.why == (
        "it is within what one gets with more noise (0.4 to 0.6, whoever is of which race); as stated it is 0.1 to 0.2"
    )
    assert number(".50", between(0.1, 0.9), readings=(wide,)).verdict == "not reproducible"


def test_a_bound_that_does_not_hold_is_false_also_where_it_follows_from_its_formula() -> None:
    row = number(".868", 0.8679, exact=lambda _: 1.0, bounds=True)
    assert (row.verdict, row.why) == ("false", "it follows from its formula, but what it is to bound is 1")
    assert number(".868", 0.8679, exact=lambda _: 0.868, bounds=True).verdict == "confirmed"
    assert number(".868", 0.8679, exact=lambda _: 1.0).verdict == "confirmed"


def test_readings_in_their_order_slips_are_misprints() -> None:
    slip = Reading("with the count 0 in the place of 1", lambda _: 0.3, slip=True)
    model = Reading("from a chain that ignores a condition", lambda _: 0.3)
    wrong = Reading("with both", lambda _: 0.9)
    assert number(".30", 0.5, readings=(wrong, slip, model)).verdict == "misprint"
    row = number(".30", 0.5, readings=(wrong, model, slip))
    assert row.verdict == "follows from another model than stated"
    assert row.why == "it is what one gets from a chain that ignores a condition; as stated it is 0.5"
    assert (row.as_published, row.exact) == (0.3, 0.5)


def test_a_reading_that_explains_a_simulated_number_tells_how_near_it_comes() -> None:
    row = number(".570", 0.503, readings=(Reading("of print's sampler", lambda _: Estimate(0.578, 0.005)),))
    assert row.verdict == "follows from another model than stated"
    assert row.why == "it is 1.6 standard errors of 0.005 from what one gets of print's sampler; as stated it is 0.503"


def test_what_is_stated_comes_before_every_reading() -> None:
    assert number(".30", 0.3, readings=(Reading("otherwise", lambda _: 0.3),)).verdict == "confirmed"


def test_what_print_leaves_open_is_not_reproducible_and_else_it_is_false() -> None:
    readings = (Reading("in their order", lambda _: 0.4),)
    row = number(".30", 0.5, readings=readings, leaves_open="which partners are drawn")
    assert row.verdict == "not reproducible"
    assert row.why == "print does not say which partners are drawn; 0.5 here, 0.4 in their order"
    assert number(".30", 0.5, readings=readings).verdict == "false"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    claim = Number(HERE, Printed("1"), lambda data: float(Path(data.file("a.csv")).read_text()))
    row = judged(claim, Data(tmp_path))
    assert (row.verdict, row.needs, row.exact) == ("not reproducible", "a.csv", None)
    (tmp_path / "a.csv").write_text("1")
    assert judged(claim, Data(tmp_path)).verdict == "confirmed"


def test_a_value_that_is_not_a_number_confirms_nothing() -> None:
    assert number(".30", float("nan"), error=lambda _: 0.01).verdict == "false"


def test_what_nobody_can_come_to_again_is_not_reproducible() -> None:
    row = judged(Number(HERE, Printed("27"), None, leaves_open="on which computer"), NOTHING)
    assert (row.verdict, row.why) == ("not reproducible", "print does not say on which computer")
    assert (row.published, row.exact, row.needs) == (27.0, None, None)


def formula(printed: Callable[[int], float], **more: Any) -> Row:
    squares = Formula(HERE, "n^2", printed, lambda n: float(n * n), range(5), **more)
    return judged(squares, NOTHING)


def test_formulas_equal_to_the_truth_or_on_one_side_of_it() -> None:
    assert formula(lambda n: n * n).verdict == "confirmed"
    assert formula(lambda n: n * n + 1, relation="is at least").verdict == "confirmed"
    assert formula(lambda n: n * n - 1, relation="is at most").verdict == "confirmed"
    assert formula(lambda n: n * n - 1, relation="is at least").verdict == "false"


def test_a_formula_that_holds_tells_one_of_its_cases_in_numbers() -> None:
    row = judged(Formula(HERE, "n^2", lambda n: n * n, lambda n: float(n * n), (3, 5)), NOTHING)
    assert (row.as_published, row.exact) == (9, 9.0)
    assert row.why == "equals the truth in all of 2 cases, such as 9 at 3"
    above = Formula(HERE, "n^2 + 1", lambda n: n * n + 1, lambda n: float(n * n), (3,), relation="is at least")
    assert judged(above, NOTHING).why == "is at least the truth in all of 1 cases, such as 10 for 9 at 3"


def test_a_formula_that_fails_is_told_where_it_fails_most() -> None:
    row = formula(lambda n: 2 * n, told=lambda n: f"n = {n}")
    assert (row.verdict, row.why) == ("false", "at n = 4 it is 8, and 16 is true")
    assert (row.as_published, row.exact, row.published) == (8, 16.0, "n^2")


def test_a_formula_that_is_right_once_something_is_changed_is_a_misprint() -> None:
    mended = (("cubed", lambda n: n**3), ("a square instead of twice", lambda n: n * n))
    row = formula(lambda n: 2 * n, mended=mended)
    assert row.verdict == "misprint"
    assert row.why.startswith("a square instead of twice: then it equals the truth in all of 5 cases; at 4 it is 8")


def test_what_is_not_a_number_fails_at_once() -> None:
    assert formula(lambda n: float("nan") if n == 2 else n * n).why == "at 2 it is not a number, and 4 is true"
    assert formula(lambda n: float("nan") if n == 2 else n * n).as_published is None


def test_statements() -> None:
    def row(holds: bool, other: bool | None = None) -> Row:
        readings = () if other is None else (("without noise", lambda _: Finding(other, "there")),)
        return judged(Statement(HERE, "it rises", lambda _: Finding(holds, "seen"), readings), NOTHING)

    assert (row(True).verdict, row(True).why) == ("confirmed", "seen")
    assert (row(False).verdict, row(False).why) == ("false", "seen")
    assert row(False, True).verdict == "follows from another model than stated"
    assert row(False, True).why == "it holds without noise (there); as stated: seen"
    assert row(False, False).verdict == "false"
    assert row(False, False).why == "seen; without noise: there"
    slip = ("with x for y", lambda _: Finding(True, "so"))
    model = ("without noise", lambda _: Finding(True, "there"))
    mended = judged(Statement(HERE, "it rises", lambda _: Finding(False, "seen"), (model,), (slip,)), NOTHING)
    assert (mended.verdict, mended.why) == ("misprint", "it holds with x for y (so); as stated: seen")


def test_rows_as_plain_values() -> None:
    plain = number(".985", 0.98466).to_dict()
    assert list(plain)[:2] == ["paper", "place"]
    assert plain["ours"] == 0.98466
    assert {"paper", "place", "published", "ours", "verdict"} <= set(plain)
    assert number(".985", 0.98466).group == "Table 1"


def test_no_other_module_names_a_verdict() -> None:
    """None is typed by hand: claims are frozen and have no member for one, and only this module makes rows."""
    folder = Path(verdicts.__file__).parent
    names = [name for name in vars(verdicts) if getattr(verdicts, name) in verdicts.VERDICTS and name.isupper()]
    assert len(names) == len(verdicts.VERDICTS)
    for path in folder.rglob("*.py"):
        text = path.read_text()
        if path.name != "verdicts.py":
            assert not any(f"verdicts.{name}" in text or f"import {name}" in text for name in names), path
            assert "Row(" not in text, path
    assert all(
        "verdict" not in field.name for kind in (Number, Formula, Statement) for field in dataclasses.fields(kind)
    )
