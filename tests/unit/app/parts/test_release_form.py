"""Controls of a release change the project, and nothing else."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from epsilens.app.data.opening import open_upload
from epsilens.app.parts import release_form
from epsilens.app.parts.release_form import without_values
from epsilens.app.parts.release_terms import with_terms
from epsilens.app.uploads import Upload
from epsilens.app.work import Work
from epsilens.project import Project
from epsilens.report.words.release_plan import SHARES
from tests.support.workbench import demo_work, said


def _run(work: object) -> None:
    from epsilens.app.parts import release_form
    from epsilens.app.parts.release_terms import with_terms

    asked = with_terms(work.project)  # type: ignore[attr-defined]
    release_form.what_is_published(work, asked)  # type: ignore[arg-type]
    release_form.noise_and_budget(work, asked)  # type: ignore[arg-type]
    release_form.who_is_protected(work, asked, ["sex", "disease", "patient"])  # type: ignore[arg-type]


def shown(work: Work) -> AppTest:
    app = AppTest.from_function(_run, kwargs={"work": work}).run()
    assert not app.exception
    return app


def test_tables_and_shares() -> None:
    work = demo_work(100, data={"quasi_identifiers": ["sex"], "bins": None})
    app = shown(work)
    app.radio(key="release-tables").set_value("several smaller tables").run()
    assert work.project.section("release")["marginal"] == ["sex", "disease"]
    assert work.project.section("release")["consistent"] is True
    assert SHARES.replace("-", "") in said(app).replace("-", "")
    app.text_input(key="release-shares").input("3, 1").run()
    assert work.project.section("release")["shares"] == [3.0, 1.0]
    app.button(key="release-add").click().run()
    assert work.project.section("release")["marginal"] == ["sex", "disease", "total"]
    app.button(key="release-remove").click().run()
    app.multiselect(key="release-table-1").set_value(["sex", "disease"]).run()
    assert work.project.section("release")["marginal"] == ["sex", "sex,disease"]
    app.radio(key="release-tables").set_value("one table of all these columns").run()
    assert "marginal" not in work.project.section("release")
    assert with_terms(work.project).section("release") == {"mechanism": "discrete-laplace"}


def test_noise_and_people() -> None:
    work = demo_work(100, release={"epsilon": 0.5})
    app = shown(work)
    app.selectbox(key="release-mechanism").select("discrete-gaussian").run()
    app.radio(key="release-kind").set_value("rho").run()
    assert work.project.section("release") == {"mechanism": "discrete-gaussian", "rho": 0.1}
    app.text_input(key="release-rho").input("0.05").run()
    assert work.project.section("release")["rho"] == 0.05
    app.selectbox(key="release-mechanism").select("discrete-laplace").run()
    assert "rho" not in work.project.section("release")
    app.radio(key="release-who").set_value("a column names the person").run()
    assert work.project.section("data")["unit"] == "patient"
    app.number_input(key="release-rows").set_value(3).run()
    assert work.project.section("data")["max_rows_per_unit"] == 3
    app.radio(key="release-who").set_value("each row is another person").run()
    assert "unit" not in work.project.section("data")
    assert work.project.section("release")["one_row_per_person"] is True


def test_columns_whose_values_nobody_has_declared() -> None:
    data = {
        "quasi_identifiers": ["age", "hours", "sex"],
        "sensitive": ["disease"],
        "bins": {"age": 10, "hours": [0, 20]},
    }
    project = Project({"data": data})
    assert without_values(project) == ["age", "sex", "disease"]
    half = project.with_values("data", universe={"age": {"from": 0}, "sex": ["f", "m"]})
    assert without_values(half) == ["age", "disease"]
    assert without_values(project.with_values("data", universe="u.json")) == []
    assert without_values(project.with_values("data", bins=["age=10", "hours=0|20"])) == ["age", "sex", "disease"]


def test_missing_is_filled_in_where_values_are_missing() -> None:
    work = Work()
    open_upload(work, Upload.of("p.csv", b"sex,ill\nF,yes\nM,no\n,no\n"))
    work.change("data", quasi_identifiers=["sex"], sensitive=["ill"])
    release_form._fill(work, {}, ["sex", "ill"])
    assert work.project.section("data")["universe"] == {"sex": ["F", "M", "(missing)"], "ill": ["no", "yes"]}
    assert work.table().n_records == 3  # and an assessment counts the same people as the release
