from __future__ import annotations

from pathlib import Path

import pytest

import epsilens as el
from epsilens.choice.comparison import Comparison, compare
from epsilens.report.words.common import Grid, Note, Text, Verdict
from epsilens.report.words.compare import (
    USEFULNESS_AND_RISK,
    cell_text,
    charts_written,
    dominance,
    summary,
)

TABLE = el.FrequencyTable.from_counts(
    [[5, 1], [3, 2], [4, 0], [7, 6]], ["no", "yes"], {"town": ["a", "a", "b", "b"], "sex": ["f", "m"] * 2}
)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(TABLE, ["laplace", "dp-swapping", "suppression"], [1.0], 2, k=2, group="town", with_audit=True)


def test_tables_hold_what_the_rows_hold(comparison: Comparison) -> None:
    privacy, usefulness, shown, groups = [block for block in summary(comparison) if isinstance(block, Grid)]
    assert privacy.title == "Privacy and bias, at equal epsilon"
    assert usefulness.title == "Usefulness and risk, 2 releases each, at equal epsilon"
    assert shown.title == "Who is shown as what, shares of people, at equal epsilon"
    for grid in (privacy, usefulness, shown, groups):
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


def notes_of(found: Comparison) -> list[str]:
    return [block.text for block in summary(found) if isinstance(block, Note | Text)]


def test_the_bound_and_the_errors_are_said(comparison: Comparison) -> None:
    assert any("are for the largest true count, 7 (or k + 1" in text for text in notes_of(comparison))
    declared = compare(TABLE, ["dp-suppression", "dp-k-anonymity"], [1.0], 2, k=2, bound=1000, classify=False)
    notes = notes_of(declared)
    assert any(text.endswith("are for B = 1,000, as declared.") for text in notes)
    assert any(text.startswith("The l1 error is simulated for dp-k-anonymity; its standard error") for text in notes)
    assert not any("The l1 error is simulated" in text for text in notes_of(comparison))
    noisy = compare(TABLE, ["laplace"], [1.0], 2, k=2, classify=False)
    assert not any("largest possible count" in text for text in notes_of(noisy))


def test_warnings_come_before_remarks() -> None:
    found = compare(TABLE, ["laplace", "swapping-cells"], [1.0], 2, k=2, swapped_share=0.1, classify=False)
    warning = next(block for block in summary(found) if isinstance(block, Verdict))
    assert (warning.mark, warning.tone) == ("warning", "bad")
    assert warning.text.startswith("swapping-cells: does nothing here: 10 % of 8 cells is not one pair")
    assert "clips them at zero, so that small counts are too large on average." in " ".join(notes_of(found))
    default = compare(TABLE, ["swapping"], repetitions=2, k=2, swapped_share=0.5, classify=False)
    warnings = [block.text for block in summary(default) if isinstance(block, Verdict)]
    assert any(text.startswith("swapping: swaps all quasi-identifiers together") for text in warnings)


def test_who_is_dominated_is_the_last_sentence(comparison: Comparison) -> None:
    last = summary(comparison)[-1]
    assert isinstance(last, Text)
    assert last.text.startswith("Dominated: dp-swapping (by laplace")
    assert last.text.endswith("gives up usefulness and gains no privacy.")
    rows = [{"label": "a", "epsilon": epsilon} for epsilon in (1.0, 2.0, 4.0)] + [{"label": "b", "epsilon": None}]
    by = [{"label": label} for label in ("b", "c", "d", "e")]
    some = Comparison(rows, [], {}, dominated=[row | {"by": by} for row in rows[:2]])
    assert dominance(some).startswith("Dominated: a at epsilon 1 and 2 (by b, c and 2 more). Another system")
    itself = Comparison(rows, [], {}, dominated=[rows[0] | {"by": [{"label": "a"}]}])
    assert "a at epsilon 1 (by itself at another epsilon)" in dominance(itself)
    assert dominance(Comparison(rows, [], {})).startswith("No system is dominated: each is more private or more useful")


def test_systems_without_epsilon_are_spoken_of_in_an_audit(comparison: Comparison) -> None:
    said = "Without epsilon: suppression (algorithm 1); the counts"
    assert any(text.startswith(said) for text in notes_of(comparison))
    silent = compare(TABLE, ["suppression"], repetitions=2, k=2, classify=False)
    assert not any(text.startswith("Without epsilon") for text in notes_of(silent))


def test_an_audit_says_up_to_which_count(comparison: Comparison) -> None:
    hidden = compare(TABLE, ["dp-suppression"], [0.5], 2, k=[2, 3], classify=False, with_audit=True, bound=500)
    told = [block.text for block in summary(hidden) if isinstance(block, Verdict)]
    assert [text.split(":")[0] for text in told] == [
        f"DP suppression (equation 2), epsilon = 0.5, counts up to {k + 3}, substitute neighbours" for k in (2, 3)
    ]
    assert not any("counts up to" in block.text for block in summary(comparison) if isinstance(block, Verdict))


def test_a_delta_within_swapped_columns_is_shown_where_it_differs(comparison: Comparison) -> None:
    privacy = next(block for block in summary(comparison) if isinstance(block, Grid))
    shown = privacy.rows[1][list(privacy.headings).index("delta,\nqid")]
    assert shown == f"{comparison.rows[1]['delta_qid']:.3g}"
    plain = compare(TABLE, ["laplace"], [1.0], 2, k=2, classify=False)
    assert "delta,\nqid" not in next(block for block in summary(plain) if isinstance(block, Grid)).headings


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
