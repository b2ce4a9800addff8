"""What every test may use."""

from __future__ import annotations

import gc
import os
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

for _threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):  # read when NumPy is imported, which is after this
    os.environ.setdefault(_threads, "1")  # a worker per core: threads of each would wait for those of the others

REPOSITORY = Path(__file__).resolve().parents[1]

# No test fails for how long it took or for how many drawn cases did not suit it: both are chance.
settings.register_profile(
    "not by chance",
    settings(),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("not by chance")


def pytest_collection_finish() -> None:
    """What was imported so far stays to the end: the garbage collector need not look at all of it again and again."""
    _let_charts_be_checked_once()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def _let_charts_be_checked_once() -> None:
    """Altair checks every part of a chart when it is made, and the whole chart when it is told: the latter is enough.

    It also sorts all of its classes for every part; they stay the same.
    """
    from altair.utils import schemapi

    schemapi.DEBUG_MODE = False
    sorted_once = cache(schemapi._FromDict)
    schemapi._FromDict = lambda classes: sorted_once(tuple(classes))  # type: ignore[assignment,misc]


def pytest_unconfigure() -> None:
    """At the end all of it may go, as in any other program: DuckDB complains of what is left."""
    gc.unfreeze()


def missing_component(reason: str) -> None:
    """Skip a newcomer's test with the reason; where everything must be there (``CI=true``), fail it."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Real data, which are not part of the repository: ``EPSILENS_DATA``, or ``../shared/data``."""
    folder = Path(os.environ.get("EPSILENS_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        missing_component("the real data are not here; EPSILENS_DATA may say where they are")
    return folder
