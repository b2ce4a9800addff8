"""Ten thousand command lines: exit code 0 or 2 (or 3 of choose), one line with nobody's value, nothing half written.

``tests/property/test_command_lines.py`` tries a few hundred on every run; these take minutes.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.support.command_lines import lines
from tests.support.ground import Ground, Line

pytestmark = pytest.mark.integration

SHARDS = 8
LINES = 10_000


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground.made(tmp_path_factory.mktemp("lines"))


@pytest.mark.parametrize("shard", range(SHARDS))
def test_any_command_line(ground: Ground, shard: int) -> None:
    tried = []

    @seed(shard)
    @settings(
        max_examples=LINES // SHARDS,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(lines())
    def tried_out(line: Line) -> None:
        tried.append(line)
        ground.check(line)

    tried_out()
    assert len(tried) >= LINES // SHARDS
