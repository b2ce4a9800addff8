"""The embedded engine keeps to itself, spills in private and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from epsilens.table.reading.embedded import embedded_engine, private_engine


def test_the_embedded_engine_keeps_to_itself() -> None:
    embedded = embedded_engine()
    names = "'autoinstall_known_extensions', 'autoload_known_extensions', 'enable_progress_bar'"
    rows = embedded.con.execute(f"SELECT value FROM duckdb_settings() WHERE name IN ({names})").fetchall()
    assert [str(value).lower() for (value,) in rows] == ["false"] * 3


def test_connections_to_the_embedded_engine_do_not_see_each_other() -> None:
    one, other = embedded_engine(), embedded_engine()
    one.con.execute("CREATE TEMP TABLE mine AS SELECT 1 AS x")
    other.con.execute("CREATE TEMP TABLE mine AS SELECT 2 AS x")
    assert one.con.execute("SELECT x FROM mine").fetchall() == [(1,)]
    assert other.con.execute("SELECT x FROM mine").fetchall() == [(2,)]


def test_what_a_connection_made_goes_with_it() -> None:
    def in_use() -> int:
        return int(embedded_engine().con.execute("SELECT sum(memory_usage_bytes) FROM duckdb_memory()").fetchone()[0])

    before = in_use()
    connection = embedded_engine()
    connection.con.execute("CREATE TEMP TABLE much AS SELECT hash(range)::VARCHAR AS text FROM range(500000)")
    assert in_use() > before + 10_000_000
    del connection
    assert in_use() < before + 1_000_000


def test_what_a_process_spilled_goes_when_it_ends(tmp_path: Path) -> None:
    code = """
from pathlib import Path
from epsilens.table.reading.embedded import embedded_engine
con = embedded_engine().con
con.execute("SET memory_limit = '40MB'; SET threads = 1")
con.execute("CREATE TEMP TABLE much AS SELECT hash(range)::VARCHAR AS text FROM range(2000000)")
print(con.execute("SELECT current_setting('temp_directory')").fetchone()[0])
assert Path(con.execute("SELECT current_setting('temp_directory')").fetchone()[0]).exists()
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    spill = Path(done.stdout.strip())
    assert spill.parent.parent == tmp_path
    assert not spill.exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_reads_by_itself_and_leaves_its_parents_files_alone(tmp_path: Path) -> None:
    code = """
import os, sys, threading
from pathlib import Path
import pyarrow as pa
from epsilens.table.reading import scratch
from epsilens.table.reading.embedded import embedded_engine
from epsilens.table.reading.tables import read_table
from epsilens.table.hierarchy import Hierarchy
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.schema import Schema
spill = Path(embedded_engine().con.execute("SELECT current_setting('temp_directory')").fetchone()[0])
spill.mkdir()
held, done = threading.Event(), threading.Event()
def hold():
    with scratch._one_query_at_a_time:
        held.set()
        done.wait()
threading.Thread(target=hold).start()
held.wait()
child = os.fork()
if child == 0:
    table = read_table(pa.table({"q": ["a", "b"], "s": ["x", "y"]}), Schema(["q"], "s"))
    sys.exit(0 if table.n_cells == 2 else 1)
status = os.waitpid(child, 0)[1]
done.set()
print(status, spill.exists())
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["0", "True"]


def test_an_engine_spills_in_private_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    embedded = private_engine()
    spill = Path(embedded.con.execute("SELECT current_setting('temp_directory')").fetchone()[0])
    assert spill.parent.parent == tmp_path
    assert spill.parent.stat().st_mode & 0o077 == 0
    assert not spill.exists()  # so that a killed process leaves nothing behind
    embedded.con.execute("SET memory_limit = '40MB'; SET threads = 1")
    embedded.con.execute("CREATE TEMP TABLE much AS SELECT hash(range)::VARCHAR AS text FROM range(2000000)")
    assert spill.exists()
    del embedded
    assert not spill.exists()


def test_a_spill_directory_that_others_can_enter_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    taken = tmp_path / f"epsilens-{os.getuid()}"
    taken.mkdir()
    taken.chmod(0o755)
    embedded = private_engine()
    spill = Path(embedded.con.execute("SELECT current_setting('temp_directory')").fetchone()[0])
    assert spill.parent == tmp_path
    assert spill.stat().st_mode & 0o077 == 0
    del embedded
    assert not spill.exists()


def test_ctrl_c_while_duckdb_is_imported_is_heard_afterwards() -> None:
    """It would abort the process: C++ does not expect an exception there."""
    script = """
import signal, sys
from epsilens.table.reading.embedded import imported_duckdb
class Impatient:
    def find_spec(self, name, path=None, target=None):
        if name == "_duckdb":
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Impatient())
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    imported_duckdb()
except KeyboardInterrupt:
    print("duckdb" in sys.modules, imported_duckdb().__name__, signal.getsignal(signal.SIGINT).__name__)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["True", "duckdb", "default_int_handler"], done.stderr
