"""What is said of project files."""

from __future__ import annotations

from epsilens.report.words.project import declared_apart, password_kept, project_run, project_written


def test_it_is_said_where_a_project_is_and_what_it_can_be_asked() -> None:
    assert project_written("p.toml", "epsilens run p.toml") == (
        "The project is in p.toml. Ask again with: epsilens run p.toml"
    )
    assert project_run("assess", "choose") == "ran assess; the project can also be asked choose"
    assert declared_apart("p.toml", "choose", ["bins", "harmful"]) == (
        "p.toml was there with a [data] of its own, so bins, harmful as given here hold for choose alone; "
        "for all commands, save to another file"
    )
    assert password_kept("p.toml").startswith("p.toml tells the password")
