"""A field for a number that is kept as it was typed."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def _run(kept: dict[str, float]) -> None:
    from epsilens.app.parts.fields import typed_field
    from epsilens.app.parts.typed import as_typed, typed_number

    def put(text: str) -> None:
        value = typed_number("epsilon", text)
        kept.clear()
        kept.update({} if value is None else {"epsilon": value})

    typed_field("Budget", "budget", as_typed(kept.get("epsilon")), put, help="A budget.")


def test_a_wrong_text_stays_in_its_field_until_it_is_right() -> None:
    kept = {"epsilon": 0.5}
    app = AppTest.from_function(_run, kwargs={"kept": kept}).run()
    assert app.text_input(key="budget").value == "0.5"
    app.text_input(key="budget").input("much").run()
    assert app.text_input(key="budget").value == "much"
    assert len(app.error) == 1
    assert kept == {"epsilon": 0.5}
    app.text_input(key="budget").input("0.10").run()
    assert app.text_input(key="budget").value == "0.1"
    assert len(app.error) == 0
    assert kept == {"epsilon": 0.1}
    kept["epsilon"] = 2.0  # undone, or opened from a file
    app.run()
    assert app.text_input(key="budget").value == "2"
