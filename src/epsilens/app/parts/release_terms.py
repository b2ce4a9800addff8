"""What a release is asked for where nobody has said anything yet, and what it is known by."""

from __future__ import annotations

from epsilens.noise.mechanisms import MECHANISMS
from epsilens.project import Project
from epsilens.project.values import key_text, listed

RELEASED = ("discrete-laplace", "discrete-gaussian")
"""Noise that is released: whole numbers, drawn exactly."""
TERMS = ("data", "noise", "ledger", "release")
"""Sections that say what is released and who pays; another title does not make another release."""


def columns_of(project: Project) -> tuple[str, ...]:
    """The columns that the project gives a role: those that may be released."""
    data = project.section("data")
    return tuple(dict.fromkeys([*listed(data.get("quasi_identifiers")), *listed(data.get("sensitive"))]))


def mechanism_of(project: Project) -> str:
    """The noise of the release: as chosen for it, or the discrete one of the kind that was looked at."""
    chosen = project.section("release").get("mechanism")
    if chosen:
        return str(chosen)
    looked_at = str((listed(project.section("noise").get("mechanisms")) or RELEASED)[0])
    if looked_at in RELEASED:
        return looked_at
    return RELEASED[0] if looked_at not in MECHANISMS or MECHANISMS[looked_at].norm == 1 else RELEASED[1]


def released_columns(project: Project) -> tuple[str, ...]:
    """The columns that are published: as chosen for the release, or all that have a role."""
    return listed(project.section("release").get("columns")) or columns_of(project)


def with_terms(project: Project) -> Project:
    """The project as the page Release shows it: with noise that can be released, and the delta that was looked at."""
    release = project.section("release")
    mechanism = mechanism_of(project)
    delta = release.get("delta")
    if delta is None and mechanism == RELEASED[1] and release.get("epsilon") is not None:
        delta = (listed(project.section("noise").get("deltas")) or (None,))[0]
    return project.with_values("release", mechanism=mechanism, delta=delta)


def known_by(project: Project, data: str) -> str:
    """All that decides what would be released, as text; ``data`` says which data are meant."""
    return key_text([{name: project.section(name) for name in TERMS}, data])
