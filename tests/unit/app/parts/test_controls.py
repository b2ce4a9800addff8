"""Controls show what the project says and change it."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from epsilens.app.parts import controls
from epsilens.app.work import Work
from epsilens.homogeneity.measures import GROUPS
from epsilens.noise.mechanisms import MECHANISMS
from tests.support.workbench import demo_work, opened


def _page(work: object) -> None:
    from epsilens.app.parts import controls

    controls.several_mechanisms(work, "x")  # type: ignore[arg-type]
    controls.delta(work, "x")  # type: ignore[arg-type]
    controls.epsilons(work, "x")  # type: ignore[arg-type]
    controls.one_measure(work, "x")  # type: ignore[arg-type]
    controls.neighbours(work, "x")  # type: ignore[arg-type]


def test_a_control_changes_the_project_and_undo_moves_it_back() -> None:
    work = Work()
    app = AppTest.from_function(_page, args=(work,)).run()
    assert not app.select_slider
    app.multiselect(key="x-mechanisms").set_value(["gaussian-analytic"]).run()
    assert work.project.section("noise") == {"mechanisms": ["gaussian-analytic"], "deltas": [1e-6]}
    assert app.select_slider(key="x-delta").value == 1e-6
    app.multiselect(key="x-epsilons").set_value(["0.5", "3", "nonsense"]).run()
    assert work.project.section("noise")["epsilons"] == [0.5, 3.0]
    assert app.multiselect(key="x-epsilons").value == ["0.5", "3"]
    work.undo()
    work.undo()
    app.run()
    assert app.multiselect(key="x-mechanisms").value == ["laplace"]
    assert not app.select_slider
    app.selectbox(key="x-measure").set_value("hard").run()
    app.selectbox(key="x-neighbours").set_value("substitute").run()
    assert dict(work.project.section("risk")) == {"measures": ["hard"]}
    assert not app.exception


def test_every_control_explains_itself_in_one_sentence() -> None:
    app = AppTest.from_function(_page, args=(Work(),)).run()
    widgets = [*app.multiselect, *app.selectbox]
    assert len(widgets) == 4
    assert all(widget.help.endswith(".") and len(widget.help) < 160 for widget in widgets)


def test_what_nobody_chose_is_not_a_step() -> None:
    work = Work()
    controls.settle(work, "risk", max_risk=0.1)
    work.change("risk", max_risk=0.2)
    controls.settle(work, "risk", max_risk=0.1)
    assert (work.project.section("risk")["max_risk"], len(work.past)) == (0.2, 1)


@pytest.mark.parametrize(
    ("value", "several"), [(None, ()), ("a, b", ("a", "b")), (["a"], ("a",)), (0.5, (0.5,)), ("", ())]
)
def test_one_or_several(value: Any, several: tuple[Any, ...]) -> None:
    assert controls.listed(value) == several


def test_only_positive_numbers_are_budgets() -> None:
    assert controls.numbers_of(["1", 2, "x", "-1", 0, "inf", "nan"]) == (1.0, 2.0)


def test_every_noise_and_measure_has_a_name() -> None:
    assert set(controls.NOISES) <= set(MECHANISMS)
    assert all(controls.mechanism_name(name) for name in MECHANISMS)
    assert all(controls.measure_name(name) != name for name in GROUPS["all"])


@pytest.mark.parametrize(
    ("given", "found"),
    [("1/20", 0.05), (".5", 0.5), (3, 3.0), ("abc", None), ("1/0", None), (None, None), ("1e999", None), ("nan", None)],
)
def test_a_number_may_be_written_in_any_way_a_project_has_it(given: object, found: float | None) -> None:
    assert controls.number_of(given) == found
    assert controls.number_of(given, 7.0) == (7.0 if found is None else found)


@pytest.mark.parametrize("page", ["dial", "choose"])
def test_ceilings_that_are_fractions_or_no_numbers_leave_the_page_usable(page: str) -> None:
    for said in ("1/20", "abc"):
        opened(page, demo_work(100, risk={"max_risk": said, "max_error": said}))


def test_what_no_control_could_have_put_there_is_shown_all_the_same() -> None:
    opened("release", demo_work(100, ledger={"ledger": "x" * 400, "account": "a"}))
    page = opened("data", demo_work(100, data={"unit": "person", "max_rows_per_unit": -1}))
    assert not [one.value for one in page.error if "went wrong" in one.value]
