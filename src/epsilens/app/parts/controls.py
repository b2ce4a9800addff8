"""Controls that show what the project says and change it: the project is the one place where a choice is kept.

A control that is moved changes the project before the page is drawn again, and every control is set to what the
project says whenever it is drawn: so undo, a file that is opened and another page move it too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, overload

import streamlit as st

from epsilens.app.work import Work
from epsilens.choice.questions.axes import DEFAULT_EPSILONS
from epsilens.homogeneity.measures import GROUPS
from epsilens.noise.mechanisms import MECHANISMS
from epsilens.project.values import listed as listed
from epsilens.report.words.explained import MEASURES as EXPLAINED

GRID = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
"""Budgets to choose from; others may be typed."""
DELTAS = tuple(10.0**-power for power in range(12, 1, -1))
USUAL_DELTA = 1e-6
NOISES = {
    "laplace": "Laplace noise",
    "discrete-laplace": "discrete Laplace noise (whole numbers)",
    "gaussian": "Gaussian noise",
    "gaussian-analytic": "Gaussian noise, calibrated exactly",
    "gaussian-probabilistic": "Gaussian noise, probabilistic",
    "discrete-gaussian": "discrete Gaussian noise (whole numbers)",
}
"""What the kinds of noise are called; one that has no name here is called as the library calls it."""
NEIGHBOURS = {
    "add-remove": "whether a person is in the table at all",
    "substitute": "what is recorded about a person who is known to be in it",
}
"""What the budget protects."""


def following(key: str, value: Any, put: Callable[[Any], None]) -> dict[str, Any]:
    """Arguments of a control: it shows ``value``, and what somebody chooses is ``put`` before the page runs again."""
    st.session_state[key] = value

    def moved() -> None:
        put(st.session_state[key])

    return {"key": key, "on_change": moved}


def settle(work: Work, section: str, **values: Any) -> None:
    """Put what a page shows into the project where it says nothing yet: not a step, since nobody chose anything."""
    own = work.project.section(section)
    missing = {name: value for name, value in values.items() if name not in own}
    if missing:
        work.project = work.project.with_values(section, **missing)


def mechanism_name(name: str) -> str:
    """What a kind of noise is called."""
    return NOISES.get(name, f"{name} noise")


def one_mechanism(work: Work, page: str) -> str:
    """Which noise; where it needs a delta, one is put beside it, and taken out again where it does not."""
    chosen = _mechanisms(work)[0]
    st.selectbox(
        "Kind of noise",
        list(MECHANISMS),
        format_func=mechanism_name,
        help="The law by which every count is changed at random; discrete laws publish whole numbers.",
        **following(f"{page}-mechanism", chosen, lambda name: put_mechanisms(work, [name])),
    )
    return chosen


def several_mechanisms(work: Work, page: str) -> tuple[str, ...]:
    """Which noises, to compare."""
    chosen = _mechanisms(work)
    st.multiselect(
        "Kinds of noise",
        list(MECHANISMS),
        format_func=mechanism_name,
        help="The laws by which every count is changed at random; each of them is looked at by itself.",
        **following(f"{page}-mechanisms", list(chosen), lambda names: put_mechanisms(work, names or [chosen[0]])),
    )
    return chosen


def _mechanisms(work: Work) -> tuple[str, ...]:
    return listed(work.project.section("noise").get("mechanisms")) or ("laplace",)


def put_mechanisms(work: Work, names: Sequence[str]) -> None:
    """Put the noises into the project, with a delta just where one of them needs it."""
    deltas = listed(work.project.section("noise").get("deltas"))
    needed = any(MECHANISMS[name].has_delta for name in names if name in MECHANISMS)
    work.change("noise", mechanisms=list(names), deltas=list(deltas or (USUAL_DELTA,)) if needed else None)


def delta(work: Work, page: str) -> float | None:
    """Delta, shown just where the noise has one."""
    if not any(MECHANISMS[name].has_delta for name in _mechanisms(work) if name in MECHANISMS):
        return None
    given = (listed(work.project.section("noise").get("deltas")) or (USUAL_DELTA,))[0]
    chosen = number_of(given, USUAL_DELTA) or USUAL_DELTA
    delta_slider(f"{page}-delta", chosen, lambda value: work.change("noise", deltas=[value]))
    return chosen


def delta_slider(key: str, chosen: float, put: Callable[[float], None]) -> None:
    """Powers of ten, and the one that was chosen."""
    st.select_slider(
        "Delta: how often the promise may fail",
        sorted({*DELTAS, chosen}),
        format_func=lambda value: f"{value:g}",
        help="Gaussian noise keeps its promise but for this probability; it should be far below 1 in the number of "
        "people.",
        **following(key, chosen, put),
    )


def neighbours(work: Work, page: str) -> None:
    """What the budget protects."""
    st.selectbox(
        "The noise hides",
        list(NEIGHBOURS),
        format_func=NEIGHBOURS.__getitem__,
        help="The same budget needs twice the noise to hide what is recorded as to hide whether somebody is there.",
        **following(
            f"{page}-neighbours",
            work.project.section("noise").get("neighbours", "add-remove"),
            lambda name: work.change("noise", neighbours=None if name == "add-remove" else name),
        ),
    )


def epsilons(work: Work, page: str, usual: Sequence[float] = DEFAULT_EPSILONS) -> tuple[float, ...]:
    """The budgets to look at."""
    chosen = numbers_of(work.project.section("noise").get("epsilons")) or tuple(usual)

    def put(values: Iterable[float | str]) -> None:
        work.change("noise", epsilons=sorted(set(numbers_of(values))) or None)

    st.multiselect(
        "Budgets (epsilon) to look at",
        [f"{value:g}" for value in sorted({*GRID, *chosen})],
        accept_new_options=True,
        help="Smaller numbers mean more noise; choose some, or type one of your own.",
        **following(f"{page}-epsilons", [f"{value:g}" for value in chosen], put),
    )
    return chosen


def one_measure(work: Work, page: str, options: Sequence[str] = GROUPS["all"]) -> str:
    """How risk is measured."""
    chosen = str((listed(work.project.section("risk").get("measures")) or ("local",))[0])
    st.selectbox(
        "Measure of risk",
        list(dict.fromkeys((*options, chosen))),
        format_func=measure_name,
        help="What counts as success of the attacker; `local` is about this very table.",
        **following(f"{page}-measure", chosen, lambda name: put_measures(work, [name])),
    )
    return chosen


def several_measures(work: Work, page: str, options: Sequence[str] = GROUPS["all"]) -> tuple[str, ...]:
    """How risk is measured, in several ways."""
    chosen = listed(work.project.section("risk").get("measures")) or ("local",)
    st.multiselect(
        "Measures of risk",
        list(dict.fromkeys((*options, *chosen))),
        format_func=measure_name,
        help="What counts as success of the attacker; `local` is about this very table.",
        **following(f"{page}-measures", list(chosen), lambda names: put_measures(work, names or [chosen[0]])),
    )
    return chosen


def put_measures(work: Work, names: Sequence[str]) -> None:
    """Put the measures into the project; the usual one needs no word."""
    work.change("risk", measures=None if list(names) == ["local"] else list(names))


def measure_name(name: str) -> str:
    """The measure with what it is."""
    return f"{name}: {EXPLAINED[name]}" if name in EXPLAINED else name


@overload
def number_of(value: Any, usual: float) -> float: ...
@overload
def number_of(value: Any, usual: float | None = None) -> float | None: ...
def number_of(value: Any, usual: float | None = None) -> float | None:
    """A number of the project, which may be written ``1/20``; what is not one is for the question to refuse."""
    try:
        return float(Fraction(value))
    except (TypeError, ValueError, ArithmeticError):
        return usual


def numbers_of(value: Any) -> tuple[float, ...]:
    """The positive numbers among values or texts; what is not one is left out."""
    found = []
    for one in listed(value):
        number = number_of(one)
        if number is not None and number > 0.0:
            found.append(number)
    return tuple(found)
