"""Every command that reads people prints the same JSON, whoever reads them: DuckDB, Spark or PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epsilens.cli import main
from tests.support.engines import Cluster, arrow_rows

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("default"),  # Spark and its Arrow bridge warn about their own future
]

UNIVERSE = {"region": ["north", "007", "abc"], "sex": ["f", "m"], "illness": ["flu", "Flu", "ok", "(missing)"]}
ROLES = ["--qid", "region,age,sex", "--sensitive", "illness", "--bins", "age=20"]
COMMANDS = {
    "assess": ["assess", *ROLES, "--measure", "local,expected,hard,soft", "--cells", "3", "--epsilon", "0.5,2"],
    "assess several": [
        *("assess", "--qid", "region,sex", "--sensitive", "illness,age", "--bins", "age=0|30|60", "--epsilon", "1"),
        *("--unit", "person", "--max-rows", "2", "--where", "weight>=1", "--missing", "region=nowhere"),
    ],
    "assess counts": ["assess", "--qid", "region,sex", "--sensitive", "illness", "--count", "weight"],
    "choose": ["choose", *ROLES, "--max-risk", "0.4", "--levers"],
    "choose groups": [
        *("choose", "--levels", "region", "--by", "sex,age", "--bins", "age=30", "--max-risk", "0.7"),
        *("--measure", "posterior"),
    ],
    "knowledge": ["knowledge", *ROLES, "--epsilon", "1", "--share", "0.1"],
    "posterior release": [
        *("posterior", "release", "--levels", "region", "--by", "sex,age", "--bins", "age=30"),
        *("--rho", "0.1", "--attack", "single"),
    ],
    "compare": [
        *("compare", *ROLES, "--system", "laplace,swapping,k-anonymity", "--epsilon", "1", "--repetitions", "2"),
        "--no-classify",
    ],
    "utility": ["utility", *ROLES, "--epsilon", "1", "--repetitions", "5"],
}
RELEASE = [
    *("release", "--columns", "region,sex,illness", "--universe", "u.json", "--epsilon", "0.5", "--unit", "person"),
    *("--max-rows", "2", "--ledger", "b.db", "--account", "a", "--total-epsilon", "1", "--out", "o.csv"),
]
STATISTICS = [
    *("release-statistics", "--statistic", "mean age=0:100", "--statistic", "proportion sex=f", "--epsilon", "0.5"),
    *("--one-row-per-person", "--neighbours", "substitute", "--missing", "age=40"),
    *("--ledger", "b.db", "--account", "a", "--total-epsilon", "1", "--out", "s.csv"),
]

Sources = dict[str, list[str]]
Run = Callable[[list[str], str], Any]


@pytest.fixture(scope="module")
def sources(spark: Any, postgres: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Sources:
    """The words that name the same people, by engine; in two files for those that read files."""
    import pyarrow.parquet as pq

    folder = tmp_path_factory.mktemp("people")
    rows = arrow_rows()
    for part in range(2):
        pq.write_table(rows.slice(300 * part, 300), folder / f"part-{part}.parquet")
    files = str(folder / "part-*.parquet")
    rows_of_spark = spark.read.parquet(str(folder))
    rows_of_spark.createOrReplaceTempView("registered")
    return {
        "duckdb": [files],
        "spark": [files, "--engine", "spark"],
        "catalogue": ["spark://catalogue", "--table", "registered"],
        "postgres": [postgres.url(), "--table", "people"],
    }


@pytest.fixture
def run(sources: Sources, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Ask a command of the people as one engine reads them, in a folder of its own, for JSON."""

    def asked(words: list[str], engine: str) -> Any:
        folder = tmp_path / engine
        folder.mkdir(exist_ok=True)
        (folder / "u.json").write_text(json.dumps(UNIVERSE))
        monkeypatch.chdir(folder)
        n = 2 if words[0] == "posterior" else 1
        with pytest.raises(SystemExit) as done:
            main([*words[:n], *sources[engine], *words[n:], "--json"])
        seen = capsys.readouterr()
        assert done.value.code == 0, seen.err
        return json.loads(seen.out)

    return asked


@pytest.mark.parametrize("name", COMMANDS)
def test_every_engine_gives_the_same_json(run: Run, name: str) -> None:
    expected = run(COMMANDS[name], "duckdb")
    for engine in ("spark", "postgres", "catalogue") if name == "assess" else ("spark", "postgres"):
        assert run(COMMANDS[name], engine) == expected, engine


DRAWN = {"id", "time", "sha256", "head", "sealed_sha256", "salt", "release"}
"""Keys of a card and of an assessment whose values are drawn anew, or follow from what is."""


def without_chance(value: Any) -> Any:
    """What a release tells apart from noise, times, salts and digests."""
    if isinstance(value, dict):
        return {
            key: without_chance(one)
            for key, one in value.items()
            if not (key in DRAWN and not isinstance(one, dict))
            and not key.startswith(("realised", "intervals_that", "interval_covers", "released", "error"))
            and "if_the_released_value" not in key
        }
    return [without_chance(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("words", [RELEASE, STATISTICS], ids=["release", "release-statistics"])
def test_every_engine_releases_the_same(run: Run, tmp_path: Path, words: list[str]) -> None:
    """The check before, the card, the internal assessment and the cells, but for noise and what is drawn anew."""
    checks, told = {}, {}
    for engine in ("duckdb", "spark", "postgres"):
        checks[engine] = run([*words, "--check"], engine)
        run(words, engine)
        out = tmp_path / engine / words[-1]
        card = json.loads(out.with_name(f"{out.stem}.card.json").read_text())
        internal = json.loads(out.with_name(f"{out.stem}.internal.json").read_text())
        lines = [line.rsplit(",", 5)[0] if words is RELEASE else "" for line in out.read_text().splitlines()]
        told[engine] = without_chance(card), without_chance(internal), lines
    for engine in ("spark", "postgres"):
        assert checks[engine] == checks["duckdb"]
        assert told[engine] == told["duckdb"], engine
