"""Projects: loading, saving, moving, what each command is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import epsilens as el
from epsilens.errors import EpsilensError, EpsilensWarning
from epsilens.table.to_read import HierarchyToRead, TableToRead

DATA: dict[str, Any] = {"source": "a.csv", "quasi_identifiers": ["age"], "sensitive": "ill"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("age,ill\n1,y\n1,n\n2,y\n")
    return tmp_path


def test_own_values_win_over_shared_ones() -> None:
    project = el.Project.of(
        data=DATA, noise={"mechanisms": ["laplace", "gaussian"], "epsilons": [1]}, choose={"mechanism": "gaussian"}
    )
    assert project.parameters("assess")["mechanisms"] == ["laplace", "gaussian"]
    assert project.parameters("choose")["mechanism"] == "gaussian"
    assert project.parameters("choose", ["mechanism", "max_risk"]) == {"mechanism": "gaussian"}
    assert project.with_values("choose", mechanism=None).parameters("choose", ["mechanism"]) == {"mechanism": "laplace"}


def test_a_project_is_checked_where_it_is_made() -> None:
    with pytest.raises(EpsilensError, match=r"there is no key 'sorce' in \[data\]; did you mean 'source'"):
        el.Project.of(data={"sorce": "a"})
    with pytest.raises(EpsilensError, match="must be a number, got a list"):
        el.Project({"choose": {"max_risk": [1]}}).to_toml()
    assert el.Project.of(posterior={"release": {"rho": 1}}) == el.Project.of(**{"posterior release": {"rho": 1}})


def test_a_project_comes_back_from_its_file(folder: Path) -> None:
    project = el.Project.of(data=DATA, choose={"max_risk": 0.05})
    project.save("p.toml")
    loaded = el.Project.load("p.toml")
    assert loaded.section("choose") == {"max_risk": 0.05}
    assert loaded.with_values("data", fingerprint=None) == project
    with pytest.raises(EpsilensError, match=r"'p.toml' exists; choose another name, or replace it with force"):
        project.save("p.toml")
    Path("p.toml").write_text("# mine\n" + Path("p.toml").read_text())
    loaded.with_values("choose", max_risk=0.1).save("p.toml", force=True)
    assert Path("p.toml").read_text().startswith("# mine\n")
    Path("p.toml").write_text("not toml")
    project.save("p.toml", force=True)
    assert el.Project.load("p.toml").section("choose") == {"max_risk": 0.05}


def test_a_project_can_be_saved_elsewhere(folder: Path) -> None:
    (folder / "sub").mkdir()
    el.Project.of(data=DATA).save("sub/p.toml")
    loaded = el.Project.load(folder / "sub" / "p.toml")
    assert loaded.section("data")["source"] == "../a.csv"
    found = loaded.data()
    assert isinstance(found, TableToRead)
    assert found.read().n_records == 3
    loaded.save("q.toml")
    assert el.Project.load("q.toml").section("data")["source"] == "a.csv"


def test_the_engine_is_what_the_data_say_of_it() -> None:
    project = el.Project.of(data=DATA | {"engine": "spark", "spark_master": "local[2]"})
    assert project.engine() == el.Engine("spark", spark_master="local[2]")
    assert project.engine({"engine", "spark_master"}) is None
    assert el.Project.of(data=DATA).engine() is None
    with pytest.raises(EpsilensError, match="the engine is not Spark"):
        project.engine({"engine"})
    assert el.Project.of(data={"memory_limit": "1GB", "threads": 2}).engine() == el.Engine(None, "1GB", 2)


def test_data_that_changed_are_told(folder: Path) -> None:
    project = el.Project.of(data=DATA, assess={"epsilons": 1}).stamped()
    assert project.changed() is None
    project.answer("assess")
    (folder / "a.csv").write_text("age,ill\n1,y\n1,n\n")
    with pytest.warns(EpsilensWarning, match="the data have changed since 20"):
        project.answer("assess")
    assert project.stamped().changed() is None
    assert el.Project.of(data={"source": "sqlite://a.db"}).stamped().section("data") == {"source": "sqlite://a.db"}


def test_questions_answers_and_words(folder: Path) -> None:
    project = el.Project.of(data=DATA, assess={"epsilons": 1})
    found = project.answer("assess", table=project.data().read())
    assert project.question("assess").epsilons == (1.0,)
    assert project.worded("assess", found)["budgets"][0]["epsilon"] == 1.0
    assert isinstance(el.Project.of(data={"source": "a", "levels": "b", "by": "c"}).data(), HierarchyToRead)
    for ask in (project.question, project.answer, project.script):
        with pytest.raises(EpsilensError, match="command must be one of assess"):
            ask("asess")


def test_it_shows_sections_and_no_values() -> None:
    project = el.Project.of(data={**DATA, "harmful": {"ill": "jaundice"}})
    assert repr(project) == "Project(sections: data)"
    assert repr(el.Project()) == "Project(empty)"
    assert "jaundice" not in project._repr_html_()


def test_what_is_asked_first_is_the_table_and_of_a_hierarchy_alone_the_adversary() -> None:
    assert el.Project.of(data=DATA).usual == "assess"
    assert el.Project.of(data={**DATA, "levels": ["block"]}).usual == "assess"
    assert el.Project.of(data={"source": "a.csv", "levels": ["block"], "by": ["sex"]}).usual == "posterior release"
