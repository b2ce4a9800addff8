from __future__ import annotations

from pathlib import Path

import pytest

import epsilens as el
from epsilens.choice.comparison import Comparison, compare
from epsilens.report.words.common import Grid, Note, Text, Verdict
from epsilens.report.words.compare import USEFULNESS_AND_RISK, cell_text, charts_written, summary

TABLE = el.FrequencyTable.from_counts(
    [[5, 1], [3, 2], [4, 0], [7, 6]], ["no", "yes"], {"town": ["a", "a", "b", "b"], "sex": ["f", "m"] * 2}
)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(TABLE, ["laplace", "dp-swapping", "suppression"], [1.0], 2, k=2, group="town", with_audit=True)


def test_tables_hold_what_the_rows_hold(comparison: Comparison) -> None:
    privacy, usefulness, groups = [block for block in summary(comparison) if isinstance(block, Grid)]
    assert privacy.title == "Privacy and bias, at equal epsilon"
    assert usefulness.title == "Usefulness and risk, 2 releases each, at equal epsilon"
    for grid in (privacy, usefulness, groups):
        assert [row[0] for row in grid.rows] == ["laplace", "dp-swapping", "suppression"]
        assert all(len(row) == len(grid.headings) for row in grid.rows)
    suppressed = privacy.rows[-1]
    assert suppressed[1] == "-"  # no epsilon
    rmse = comparison.rows[0]["rmse"]
    assert privacy.rows[0][list(privacy.headings).index("RMSE")] == f"{rmse:.2f}"
    assert groups.headings == ("system", "epsilon", "a", "b")


def test_sentences_and_verdicts(comparison: Comparison) -> None:
    blocks = summary(comparison)
    texts = [block.text for block in blocks if isinstance(block, Text)]
    assert texts[0].startswith("28 people in a universe of 8 cells: town (2) x sex (2) x ")
    assert "a classifier is right for" in texts[1]
    verdicts = [block for block in blocks if isinstance(block, Verdict)]
    assert len(verdicts) == len(comparison.audits) > 0
    assert {(verdict.mark, verdict.tone) for verdict in verdicts} == {("valid", "good"), ("FALSE", "bad")}


def test_who_cannot_keep_the_risk_is_named() -> None:
    found = compare(TABLE, ["laplace", "swapping"], repetitions=2, k=2, equal_risk=("posterior", 0.7), classify=False)
    texts = [block.text for block in summary(found) if isinstance(block, Text)]
    assert "No epsilon keeps posterior risk <= 0.7 for: swapping." in texts
    easy = compare(TABLE, ["laplace"], repetitions=2, k=2, equal_risk=("homogeneity", 0.999), classify=False)
    notes = [block.text for block in summary(easy) if isinstance(block, Note)]
    assert "Epsilons are looked for up to 50; a system shown there may be safe beyond." in notes


def test_systems_without_an_exact_bias_are_named(comparison: Comparison) -> None:
    def about_bias(found: Comparison) -> str:
        return next(b.text for b in summary(found) if isinstance(b, Note) and "Bias, alpha and RMSE" in b.text)

    assert about_bias(comparison).endswith("Bias, alpha and RMSE are exact.")
    simulated = compare(TABLE, ["laplace", "dp-k-anonymity", "swapping"], [1.0, 2.0], 2, k=2, classify=False)
    assert about_bias(simulated).endswith("are exact, but simulated for dp-k-anonymity, swapping.")


def test_charts_are_counted() -> None:
    assert charts_written([Path("a/c-delta.svg"), Path("a/c-rmse.svg")]) == (
        "2 charts written: a/c-delta.svg, a/c-rmse.svg (internal)."
    )
    assert charts_written([Path("c-delta.svg")]) == "1 chart written: c-delta.svg (internal)."


def test_every_column_is_explained_once(comparison: Comparison) -> None:
    blocks = summary(comparison)
    notes = [block.text for block in blocks if isinstance(block, Note)]
    for grid in [block for block in blocks if isinstance(block, Grid)][:2]:
        for heading in grid.headings[1:]:
            start = heading.replace("\n", " ").split(",")[0]
            assert any(note.startswith(start) for note in notes), heading
    assert len(notes) == len(set(notes))


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0.000"), (1e-5, "<.001"), (0.0006, "0.001"), (0.99999, ">.999"), (1.0, "1.000")]
)
def test_a_share_that_is_not_0_or_1_does_not_read_so(value: float, text: str) -> None:
    assert cell_text(value, USEFULNESS_AND_RISK["homogeneity_risk"][1]) == text
