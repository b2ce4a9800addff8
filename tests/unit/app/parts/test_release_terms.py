"""What a release is asked for where nobody has said anything yet."""

from __future__ import annotations

import pytest

from epsilens.app.parts.release_terms import columns_of, known_by, released_columns, with_terms
from epsilens.project import Project

DATA = {"quasi_identifiers": ["age", "sex"], "sensitive": "disease"}


def test_all_columns_that_have_a_role_are_released() -> None:
    project = Project({"data": DATA})
    assert columns_of(project) == released_columns(project) == ("age", "sex", "disease")
    assert released_columns(project.with_values("release", columns=["sex"])) == ("sex",)


@pytest.mark.parametrize(
    ("looked_at", "released"),
    [
        (None, "discrete-laplace"),
        (["laplace"], "discrete-laplace"),
        (["gaussian"], "discrete-gaussian"),
        (["discrete-gaussian", "laplace"], "discrete-gaussian"),
    ],
)
def test_noise_that_can_be_released_stands_for_what_was_looked_at(looked_at: list[str] | None, released: str) -> None:
    project = Project({"data": DATA}).with_values("noise", mechanisms=looked_at, deltas=[1e-6])
    assert with_terms(project).section("release") == {"mechanism": released}
    chosen = with_terms(project.with_values("release", epsilon=1.0)).section("release")
    assert chosen.get("delta") == (1e-6 if released == "discrete-gaussian" else None)


def test_a_title_does_not_make_another_release() -> None:
    project = Project({"data": DATA, "release": {"epsilon": 0.5, "shares": (1.0, 2.0)}})
    titled = project.with_values("about", title="Ours")
    assert known_by(titled, "data") == known_by(project, "data")
    assert known_by(project.with_values("release", epsilon=0.6), "data") != known_by(project, "data")
    assert known_by(project, "other") != known_by(project, "data")
