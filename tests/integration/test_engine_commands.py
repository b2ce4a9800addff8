"""Every command that reads people prints the same JSON, whoever reads them: DuckDB, Spark or PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epsilens.cli import main
from epsilens.errors import DataError
from epsilens.table.reading import few, groups
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema
from tests.support.engines import COLUMNS, ROWS, Cluster, arrow_rows
from tests.support.fetches import fetched_rows

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("default"),  # Spark and its Arrow bridge warn about their own future
]

UNIVERSE = {"region": ["north", "007", "abc"], "sex": ["f", "m"], "illness": ["flu", "Flu", "ok", "(missing)"]}
ROLES = ["--qid", "region,age,sex", "--sensitive", "illness", "--bins", "age=20"]
DATA = "(the people)"
"""Where a command names the people elsewhere than first."""
COMMANDS = {
    "assess": ["assess", *ROLES, "--measure", "local,expected,hard,soft", "--cells", "3", "--epsilon", "0.5,2"],
    "assess several": [
        *("assess", "--qid", "region,sex", "--sensitive", "illness,age", "--bins", "age=0|30|60", "--epsilon", "1"),
        *("--unit", "person", "--max-rows", "2", "--where", "weight>=1", "--missing", "region=nowhere"),
    ],
    "assess counts": ["assess", "--qid", "region,sex", "--sensitive", "illness", "--count", "weight"],
    "choose": ["choose", *ROLES, "--max-risk", "0.4", "--levers"],
    "choose groups": [
        *("choose", "--levels", "person", "--by", "sex,age", "--bins", "age=30", "--max-risk", "0.7"),
        *("--measure", "posterior", "--attack", "single"),
    ],
    "knowledge": ["knowledge", *ROLES, "--epsilon", "1", "--share", "0.1"],
    "posterior release": [
        *("posterior", "release", "--levels", "person", "--by", "sex,age", "--bins", "age=30"),
        *("--rho", "0.1", "--attack", "single"),
    ],
    "compare": [
        *("compare", *ROLES, "--systems", "laplace,swapping,k-anonymity", "--epsilon", "1", "--repetitions", "2"),
        "--no-classify",
    ],
    "utility": ["utility", *ROLES, "--epsilon", "1", "--repetitions", "5"],
    "assess many labels": [
        *("assess", "--qid", "region,sex", "--sensitive", "age", "--epsilon", "1", "--where", "weight>=1"),
        *("--weight", "weight", "--cells", "2,out.csv"),
    ],
    "protect": [
        *("protect", "--qid", "region,sex", "--sensitive", "illness", "--system", "swapping", "--seed", "1"),
        *("--out", "out.csv"),
    ],
    "evaluate": ["evaluate", "published.csv", "--truth", DATA, "--qid", "region,sex", "--sensitive", "illness"],
    "sequence": ["sequence", "plan.json"],
}
PLAN = {
    "qid": ["region", "sex"],
    "mechanism": "laplace",
    "epsilon": 1,
    "releases": [{"name": "sizes", "sizes": True}, {"sensitive": "illness", "unit": "person", "max_rows": 2}],
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
        "guest": [postgres.url(user="guest"), "--table", "people"],
        "many groups": [files],
    }


@pytest.fixture
def run(sources: Sources, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Ask a command of the people as one engine reads them, in a folder of its own, for JSON.

    One command reads a CSV file beside them, and another one is told of them by a plan.
    """

    def asked(words: list[str], engine: str) -> Any:
        folder, (place, *rest) = tmp_path / engine, sources[engine]
        folder.mkdir(exist_ok=True)
        (folder / "u.json").write_text(json.dumps(UNIVERSE))
        published = [",".join(map(str, row)) for row in [COLUMNS[:2], *(row[:2] for row in ROWS[3:300])]]
        illnesses = ["illness", *(row[4] for row in ROWS[:297])]
        lines = [f"{line},{illness or ''}" for line, illness in zip(published, illnesses, strict=True)]
        (folder / "published.csv").write_text("\n".join(lines), encoding="utf-8")
        named = {"table": rest[1]} if "--table" in rest else {}
        (folder / "plan.json").write_text(json.dumps(PLAN | {"source": place} | named))
        monkeypatch.chdir(folder)
        n = 2 if words[0] in ("posterior", "card") else 1
        if words[0] == "sequence":
            called = [*words, *([] if named else rest)]
        elif DATA in words:
            own = {"--table": "--truth-table"} if words[0] == "evaluate" else {}
            called = [place if word is DATA else word for word in words] + [own.get(word, word) for word in rest]
        else:
            called = [*words[:n], place, *rest, *words[n:]]
        with pytest.raises(SystemExit) as done:
            main([*called, "--json"])
        seen = capsys.readouterr()
        assert done.value.code == 0, seen.err
        return json.loads(seen.out)

    return asked


@pytest.mark.parametrize("name", COMMANDS)
def test_every_engine_gives_the_same_json(run: Run, tmp_path: Path, name: str) -> None:
    expected = run(COMMANDS[name], "duckdb")
    for engine in (*("catalogue", "guest") * (name == "assess"), "spark", "postgres"):
        assert run(COMMANDS[name], engine) == expected, engine
        if (written := tmp_path / "duckdb" / "out.csv").exists():
            assert (tmp_path / engine / "out.csv").read_text() == written.read_text(), engine


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
    """The check before, the card, the internal assessment and the cells, but for noise and what is drawn anew.

    And the card of the first holds against the same people in every other one.
    """
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
        first = f"../duckdb/{words[-1].removesuffix('.csv')}.card.json"
        verified = run(["card", "verify", first, "--ledger", "../duckdb/b.db", "--data", DATA], engine)
        assert all(check["holds"] for check in verified["checks"]), verified


@pytest.mark.parametrize("engine", ["duckdb", "many groups", "spark", "postgres", "guest"])
@pytest.mark.parametrize(
    "words", [["assess", "--cells", "4"], ["choose", "--max-risk", "0.4"]], ids=["assess", "choose"]
)
def test_signatures_and_few_cells_come_to_python(
    run: Run, engine: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 600 people in as many cells fewer than 40 rows are fetched: facts, values, signatures and four cells.

    No column of theirs has fewer than 80 values, which do not come either, also where each has a code. Where DuckDB has
    so few groups that they all come at once, it would be these; here they are one too many for that.
    """
    if engine == "many groups":
        monkeypatch.setattr(groups, "FEW_GROUPS", 0)
    monkeypatch.setattr(few, "MOST_GROUPS", 599)
    fetched = fetched_rows(monkeypatch)
    asked = run([words[0], "--qid", "person,age", "--sensitive", "illness", *words[1:]], engine)
    assert asked
    assert 0 < sum(fetched) < 40


@pytest.mark.parametrize("engine", ["duckdb", "spark", "postgres"])
def test_sums_are_whole_numbers_of_64_bits(spark: Any, postgres: Cluster, tmp_path: Path, engine: str) -> None:
    """Counts that no double holds add up exactly; one that is above what is declared is refused."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    counts = {"a": ["x", "y", "z"], "s": ["p", "p", "q"], "n": [2**53 - 1, 2**53 - 3, 5]}
    pq.write_table(pa.table(counts), tmp_path / "n.parquet")
    pq.write_table(pa.table(counts | {"n": [1, 2**53 + 2, 1]}), tmp_path / "large.parquet")
    source: dict[str, tuple[Any, str | None, str | None]] = {
        "duckdb": (tmp_path / "n.parquet", None, None),
        "spark": (tmp_path / "n.parquet", None, "spark"),
        "postgres": (postgres.url(), "health.n", None),
    }
    if engine == "postgres":
        postgres.asked(
            "CREATE TABLE IF NOT EXISTS health.n (a text, s text, n bigint); TRUNCATE health.n; "
            f"INSERT INTO health.n VALUES ('x', 'p', {2**53 - 1}), ('y', 'p', {2**53 - 3}), ('z', 'q', 5); "
            "GRANT SELECT ON health.n TO reader"
        )
    place, name, by = source[engine]
    table = read_table(place, Schema(["a"], "s"), name, count="n", engine=by)
    assert table.n_records == 2**54 + 1
    assert table.marginal([]).vectors.tolist() == [[2**54 - 4, 5]]
    if engine == "postgres":
        postgres.asked(f"UPDATE health.n SET n = {2**53 + 2} WHERE a = 'y'")
    else:
        place = tmp_path / "large.parquet"
    with pytest.raises(DataError, match=r"of 3 rows 1 \w+ above 2\*\*53"):
        read_table(place, Schema(["a"], "s"), name, count="n", engine=by)
