"""The workbench on a table of PostgreSQL and one of Spark, opened by address or by a project."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import missing_component
from tests.integration.conftest import Visit
from tests.integration.test_workbench import PAGES
from tests.support.browser import Served, reachable, serving, settled, watched
from tests.support.desk import Desk
from tests.support.engines import PASSWORD, Cluster

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("no_complaints")]

PATIENCE = 300
"""Spark begins, with a catalogue of Hive's, and has to compile whatever it is asked."""
QUICKLY = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""Java compiles less, which is quicker for few people."""
KNOWN, SECRET = "What others may know about a person", "What they want to learn"


def opened(desk: Desk, address: str, table: str) -> None:
    """A table by its address."""
    desk.tab("A path or a database")
    desk.write("Path, pattern or address", address)
    desk.write("Table", table)
    desk.press("Open")


def described(desk: Desk) -> None:
    """The people of the tests, with few cells."""
    desk.choose(KNOWN, "sex", "age")
    desk.choose(SECRET, "illness")
    desk.write("Bins of numbers", "age=30")
    desk.press("Use these roles")
    assert "600 people" in desk.says()


def walked(desk: Desk, pages: list[str]) -> None:
    """Every page answers, and tells no password but with a warning."""
    for page in pages:
        desk.go(page)
        assert desk.main.get_by_role("alert").filter(has_text="could not be read").count() == 0, page
        if page == "Take away":  # what asks again needs the address
            assert "has a password in it" in desk.says() or PASSWORD not in desk.page.content()
        else:
            assert PASSWORD not in desk.page.content(), page


@contextmanager
def at(browser: Any, served: Served) -> Iterator[Desk]:
    """The first page of a workbench; nothing that is done there may leave this machine."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(1_000 * PATIENCE)
    seen = watched(context)
    page = context.new_page()
    page.goto(reachable(served).page())
    settled(page, 1_000 * PATIENCE)
    yield Desk(page, seen, PATIENCE)
    context.close()
    assert (seen.outside(served.base), seen.complaints) == ([], [])


@pytest.fixture
def patients(postgres: Cluster) -> Cluster:
    """A view without a column that looks like survey weights."""
    if postgres.asked("SELECT to_regclass('patients') IS NULL")[0][0]:  # it cannot be replaced while somebody reads it
        view = "CREATE VIEW patients AS SELECT region, sex, dose, age, illness FROM health.people"
        postgres.asked(f"{view}; GRANT SELECT ON patients TO reader")
    return postgres


def test_a_table_of_postgres_is_opened_by_its_address(visit: Visit, workbench: Served, patients: Cluster) -> None:
    desk = visit()
    opened(desk, patients.url(), "pacients")
    assert "did you mean 'patients'" in desk.main.get_by_role("alert").first.inner_text()
    opened(desk, patients.url(), "patients")
    described(desk)
    walked(desk, PAGES)
    assert PASSWORD not in workbench.said()


def test_a_connection_that_is_lost_is_opened_again(visit: Visit, patients: Cluster) -> None:
    desk = visit()
    opened(desk, patients.url(), "patients")
    described(desk)
    desk.go("Today's risk")
    assert "600 people" in desk.says()
    patients.asked("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")
    desk.go("Attackers who know less")
    assert "the connection to the database was lost; run it again" in desk.says()
    desk.reload()
    assert "the connection to the database was lost" not in desk.says()
    desk.go("Today's risk")
    assert "600 people" in desk.says()


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A catalogue of Spark with the people in it."""
    import importlib.util
    import shutil

    if shutil.which("java") is None or importlib.util.find_spec("pyspark") is None:
        missing_component("Spark or Java is missing on this machine")
    import pyarrow.parquet as pq

    from tests.support.engines import arrow_rows

    home = tmp_path_factory.mktemp("lake")
    pq.write_table(arrow_rows().drop_columns(["person", "weight"]), home / "people.parquet")
    address = f"jdbc:derby:;databaseName={home}/metastore;create=true"
    (home / "spark-defaults.conf").write_text(
        f"spark.sql.catalogImplementation hive\nspark.sql.warehouse.dir {home}/warehouse\n"
        f"spark.hadoop.javax.jdo.option.ConnectionURL {address}\n"
    )
    program = (
        "from epsilens.table.engine import Engine; from epsilens.table.reading import spark\n"
        "session = spark.session(Engine('spark', spark_master='local[1]'))\n"
        f"session.read.parquet({str(home / 'people.parquet')!r}).write.saveAsTable('people')\nsession.stop()"
    )
    own = os.environ | QUICKLY | {"SPARK_CONF_DIR": str(home)}
    subprocess.run([sys.executable, "-c", program], env=own, check=True, capture_output=True, cwd=home)
    return home


def test_a_table_of_sparks_catalogue_is_opened_by_its_address(browser: Any, lake: Path, tmp_path: Path) -> None:
    with serving(tmp_path, environment=QUICKLY | {"SPARK_CONF_DIR": str(lake)}) as served, at(browser, served) as desk:
        opened(desk, "spark://catalogue", "people")
        described(desk)
        walked(desk, PAGES)


@pytest.mark.parametrize("source", ["spark://catalogue", "people.parquet"])
def test_a_project_says_where_spark_is(browser: Any, lake: Path, tmp_path: Path, source: str) -> None:
    """The same Spark reads columns and people, whoever has said it: the project, or its saved copy."""
    place = source if "://" in source else str(lake / source)
    table = 'table = "people"\n' if "://" in source else ""
    project = tmp_path / "survey.toml"
    project.write_text(
        f'[data]\nsource = "{place}"\n{table}quasi_identifiers = ["sex", "age"]\nsensitive = "illness"\n'
        'bins = ["age=30"]\nengine = "spark"\nspark_master = "local[1]"\n'
    )
    own = QUICKLY | {"SPARK_CONF_DIR": str(lake)}
    with serving(tmp_path, str(project), environment=own) as served, at(browser, served) as desk:
        assert "600 people" in desk.says()
        walked(desk, ["Today's risk", "Attackers who know less", "Take away"])
        _, saved = desk.download("Project file")
        assert 'spark_master = "local[1]"' in saved.decode()
        _, command = desk.download("Command")
        assert re.search(r"--spark-master '?local\[1\]", command.decode())
