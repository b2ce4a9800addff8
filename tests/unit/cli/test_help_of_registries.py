"""Help that names what a registry has, without waiting for the registry."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from click import Option

from epsilens.accounting.rules import ACCOUNT_KINDS
from epsilens.avoidance.catalogue import SYSTEMS
from epsilens.choice.questions.protect import plain_systems
from epsilens.cli import options
from epsilens.cli.assess import command as assess
from epsilens.cli.compare import command
from epsilens.cli.protect import command as protect
from epsilens.cli.release import command as release
from epsilens.homogeneity.measures import MEASURES
from epsilens.noise import MECHANISMS
from epsilens.posterior.attacks import ATTACKS
from epsilens.report.charts.assess_kinds import KINDS


def test_help_names_every_mechanism_measure_and_attack() -> None:
    assert all(
        name in options._MECHANISMS.replace(" (classic, epsilon < 1)", "").rstrip(".").split(", ")
        for name in MECHANISMS
    )
    assert all(name in options._MEASURES for name in MEASURES if not name.startswith("published-"))
    assert f"{', '.join([*ATTACKS][:-1])} or {[*ATTACKS][-1]}" == options._ATTACKS


def test_help_of_assess_says_what_each_measure_is_for_and_which_charts_there_are() -> None:
    help_text = assess.help or ""
    for name in MEASURES:
        if not name.startswith("published-"):
            assert re.search(rf"(?m)^ *(.*, )?{name}[ ,]", help_text.partition("Which measure")[2]), name
    (told,) = (option.help for option in assess.params if isinstance(option, Option) and option.name == "chart")
    assert f"What to draw: {', '.join(KINDS)}." in str(told)


def test_help_of_compare_names_every_system_of_the_catalogue() -> None:
    (told,) = re.findall(r"Systems: ([^.]*)\.", command.help or "")
    assert re.split(r",\s+", told) == list(SYSTEMS)


def test_help_of_protect_names_every_system_without_an_epsilon() -> None:
    (told,) = re.findall(r"Systems: ([^.]*)\.", protect.help or "")
    assert re.split(r",\s+", told) == [*plain_systems()]


def test_help_names_every_kind_of_account() -> None:
    (told,) = (option.help for option in release.params if isinstance(option, Option) and option.name == "composition")
    assert re.findall(r"[a-z-]+", str(told).partition(".")[0].replace("or pld for a --plan", "pld")) == [*ACCOUNT_KINDS]


@pytest.mark.parametrize("called", ["assess", "choose", "compare", "protect", "release", "release-statistics"])
def test_help_waits_for_no_arithmetic(called: str) -> None:
    script = (
        "import sys\nfrom epsilens.cli import main\n"
        f"try: main([{called!r}, '--help'])\nexcept SystemExit: pass\n"
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=False).returncode == 0
