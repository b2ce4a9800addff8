from __future__ import annotations

import pytest

from tests.unit.cli.conftest import Run


def test_text_json_and_chart_without_data(run: Run) -> None:
    told = run("cell", "--people", "1,2,3", "--people", "4", "--labels", "2", "--epsilon", "1", "--plot", "c.svg")
    assert (told.code, told.err) == (0, "")
    for number in ("0.8884", "0.9590", "0.9849", "0.2500"):
        assert number in told.out
    assert "INTERNAL" not in told.out
    assert "Chart written to c.svg." in told.out
    plain = run("cell", "--counts", "5,0", "--counts", "4,1", "--epsilon", "1", "--json").json
    assert [row["counts"] for row in plain["rows"]] == [[5, 0], [4, 1]]
    assert {point["people"] for point in plain["curve"]} == {5}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--people", "1.5"), "--people must be a whole number"),
        (("--counts", "5"), "--counts needs a count for each of two labels"),
        (("--counts", "5,0", "--labels", "2"), "--labels says of which cell already; leave out --counts"),
        (("--delta", "0.1"), "leave --delta out"),
        (("--epsilon-range", "0.1:5"), "--epsilon-range is that of a curve: add --plot FILE or --json"),
        (("--epsilon-range", "0.1"), "--epsilon-range must be FROM:TO, such as 0.01:10"),
        (("--axis", "delta"), "--axis delta needs a delta"),
        (("--axis", "people"), "--axis is that of a curve: add --plot FILE or --json"),
        (("--axis", "rho"), "--axis must be one of"),
    ],
)
def test_bad_options_are_one_line(run: Run, options: tuple[str, ...], said: str) -> None:
    told = run("cell", *options)
    assert (told.code, told.out, told.err.count("\n")) == (2, "", 1)
    assert said in told.err
