"""What results show of themselves: one line without people, a small table in a notebook, a data frame on request."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens import avoidance, homogeneity, posterior, release
from epsilens.choice.comparison import Comparison
from epsilens.choice.publication import Publication
from epsilens.notebook import INTERNAL, LONGEST_LINE, MOST_ROWS, brief, facts_html, listed, one_line, rows_html
from epsilens.release.statistics import ReleasedStatistic
from epsilens.release.tables.question import Counting, Spending, TablesQuestion
from epsilens.release.terms import Payment
from epsilens.table import Situations, cell_sizes, homogeneity_classes

ROOMS = (
    *("accounting", "avoidance", "choice", "homogeneity", "homogeneity.repeated", "noise", "posterior", "project"),
    *("release", "release.statistics", "release.ledger", "sensitivity", "table", "utility"),
)
LEVELS = ("Ashgrove-17", "Birchway-23", "Cedarhill-31", "Dunmore-43")
LABELS = ("jaundice", "pleurisy")
COUNTS = [[7919, 0], [11, 7907], [0, 4], [2, 3]]
NOT_TO_BE_SEEN = (*LEVELS, *LABELS, "7919", "7907", "7918", "7,919", "7,907", "7,918")
"""Levels and labels of people, and counts of single cells."""
COLUMN = "<i>town</i>"
LAW = el.LaplaceNoise(1.0)


@cache
def table() -> el.FrequencyTable:
    return el.FrequencyTable.from_counts(COUNTS, labels=LABELS, cells={COLUMN: LEVELS, "sex": ["f", "f", "m", "m"]})


@cache
def beside() -> Any:
    return el.assess(table(), epsilon=1.0, measure=("shrinkage", "published-local"), riskiest=2).beside


@cache
def people() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    towns, labels = rng.choice(LEVELS, 60), rng.choice(LABELS, 60)
    return pd.DataFrame({"town": towns, "sex": "f", "age": rng.integers(20, 60, 60), "disease": labels})


@cache
def schema(zeros: bool = True) -> el.Schema:
    impossible = [{"town": LEVELS[0], "disease": LABELS[0]}] if zeros else None
    universe = {"town": LEVELS, "sex": ["f", "m"], "disease": LABELS}
    return el.Schema(["town", "sex"], "disease", universe=universe, structural_zeros=impossible)


@cache
def ledger() -> Path:
    return Path(tempfile.mkdtemp()) / "book.db"


@cache
def released() -> Any:
    declared = {"schema": schema(False), "one_row_per_person": True, "total": el.PureDP(9.0)}
    return el.release_table(people(), "discrete-laplace", el.PureDP(0.5), ledger(), "a", **declared)  # type: ignore[arg-type]


@cache
def preflight() -> release.Preflight:
    counting = Counting(schema(False))
    payment = Payment(ledger(), "a", el.PureDP(1.0))
    spending = Spending(budget=el.PureDP(0.5))
    return release.preflight(TablesQuestion(counting, spending, counting.person(True, "add-remove"), payment), people())


@cache
def statistics() -> el.ReleasedStatistics:
    asked = [el.Mean("age", 0, 99)]
    return el.release_statistics(
        people(), asked, el.PureDP(0.5), ledger(), "b", n=50, one_row_per_person=True, total=el.PureDP(9.0)
    )


@cache
def releases() -> list[homogeneity.Release]:
    budget = el.PureDP(1.0)
    return [homogeneity.Release(table(), LAW, budget, name=f"the release {name}") for name in ("before", "after")]


@cache
def choice() -> el.BudgetChoice:
    return el.choose_budget(table(), max_risk=0.2, remedies=True)


def situations() -> Situations:
    return Situations.of([[1, 7919], [2, 7919]], [3, 3])


def hierarchy() -> el.Hierarchy:
    return el.Hierarchy.read(people(), ["town", "sex"], ["disease"], codes="within-parent")


def generalisation() -> avoidance.GeneralisationHierarchy:
    return avoidance.GeneralisationHierarchy.from_parents(dict.fromkeys(LEVELS, "town of theirs"))


def histogram() -> avoidance.Histogram:
    return avoidance.Histogram.of(table())


def homes() -> el.table.Households:
    rows = {"town": [*LEVELS, LEVELS[0]], "disease": [*LABELS, *LABELS, LABELS[0]], "home": ["a", "b", "c", "d", "a"]}
    return el.table.read_households(pd.DataFrame(rows), el.Schema("town", "disease"), "home")


EXAMPLES: dict[str, Callable[[], Any]] = {
    "Assessment": lambda: el.assess(table(), ["laplace", "discrete-laplace"], [0.5, 1.0]),
    "Audit": lambda: avoidance.audit(avoidance.DPSwapping(1.0, levels=3)),
    "Belief": lambda: homogeneity.belief(table(), LAW),
    "PopulationRisk": lambda: homogeneity.population_risk(table(), LAW, sampling_fraction=0.5),
    "PopulationUniques": lambda: homogeneity.population_uniques(table(), 0.5),
    "ReIdentification": lambda: homogeneity.re_identification(table(), 0.5),
    "BudgetChoice": choice,
    "BudgetCurve": lambda: posterior.single_level_curve([0.1, 0.2, 0.4]),
    "CategoryPosterior": lambda: posterior.categories([1, 2, 3], [0, 1, 2], rho=0.1),
    "CellRisk": lambda: el.choice.cell_risk(el.choice.OneCell((3, 1)), "laplace", el.PureDP(1.0)),
    "Cells": lambda: el.table.Cells.of(table()),
    "CohortRisk": lambda: homogeneity.repeated.sequence(releases()).cohorts[0],
    "Column": lambda: avoidance.Records.from_histogram(histogram()).columns["sex"],
    "Comparison": lambda: el.compare(table(), ["suppression", "laplace"], [1.0], 4, classify=False),
    "Composition": lambda: el.compose([el.PureDP(0.1)] * 30),
    "Conversion": lambda: posterior.converted(0.1, 1e-6),
    "DecisionMap": lambda: posterior.decision_map(1, 2, (0.1, 0.2)),
    "Description": lambda: el.sensitivity.describe("variance", n=100, lower=0, upper=1),
    "Diagnostics": lambda: el.diagnose(table()),
    "DirichletShares": lambda: homogeneity.fit_dirichlet(table()).model,
    "Domain": lambda: el.table.Cells.of(table()).domain,
    "EmpiricalRisk": lambda: homogeneity.empirical(table(), "laplace", [el.PureDP(1.0)], 3),
    "Evaluation": lambda: el.evaluate(people(), people(), ["town"], "disease"),
    "ExpectedCategories": lambda: posterior.expected_categories(0, 20, rho=0.1),
    "ExpectedRisk": lambda: posterior.expected_single_level(rho=0.1),
    "ExpectedTree": lambda: posterior.expected_tree(
        [3, 2], [[0, 0]], np.random.default_rng(1), rho=(0.1, 0.1), repetitions=3
    ),
    "ExpectedTwoLevel": lambda: posterior.expected_two_level(1, 2, (0.1, 0.2)),
    "Fit": lambda: homogeneity.fit_sizes(table(), "negative-binomial"),
    "FrequencyTable": table,
    "GeneralisationHierarchy": generalisation,
    "Generalised": lambda: avoidance.KAnonymity(2).anonymised(histogram()),
    "Hierarchy": hierarchy,
    "Ladder": lambda: avoidance.FullDomainKAnonymity(2).ladders(histogram())[0],
    "ProtectedTable": lambda: avoidance.Rounding(5).protected(histogram(), np.random.default_rng(1)),
    "Recoded": lambda: avoidance.FullDomainKAnonymity(2).anonymised(histogram()),
    "Witness": lambda: avoidance.witness(avoidance.Rounding(5)),
    "Histogram": histogram,
    "HouseholdRisk": lambda: homogeneity.households(homes(), LAW),
    "Households": lambda: homes(),
    "Knowledge": lambda: el.knowledge(table(), epsilon=[0.5, 1.0]),
    "Knee": lambda: el.choice.knee_of(lambda epsilon: epsilon / (1.0 + epsilon), 1e-3, 1e3),
    "Moments": lambda: avoidance.DPSuppression(3, 1.0).moments(histogram()),
    "NoisyCountTable": lambda: posterior.noisy_count_table(range(-20, 21), rho=0.1),
    "PmfLeaf": lambda: posterior.PmfLeaf(dict.fromkeys(range(100), 0.01)),
    "PmfParent": lambda: posterior.PmfParent(dict.fromkeys(range(1, 101), 0.01)),
    "PostprocessingCheck": lambda: posterior.postprocessing_check([1], 2, [0.1]),
    "PostprocessingRisk": lambda: posterior.postprocessing_risk(1, 2, rho=0.1),
    "Publication": lambda: el.assess_publication(releases(), "laplace"),
    "PublishedStep": lambda: homogeneity.repeated.published_sequence(releases(), "laplace")[""][0],
    "Records": lambda: avoidance.Records.from_histogram(histogram()),
    "Release": lambda: releases()[0],
    "ReleaseRisk": lambda: posterior.release_risk(situations(), (0.1, 0.1)),
    "Preflight": preflight,
    "Released": released,
    "ReleasedStatistic": lambda: statistics().statistics[0],
    "ReleasedStatistics": statistics,
    "ReleasedTable": lambda: released().tables[0],
    "RhoAllocation": lambda: posterior.CENSUS_2020,
    "RiskCurve": lambda: el.risk_curve(table()),
    "CellSizes": lambda: cell_sizes(table()),
    "RiskProfile": lambda: el.constant_profile(3.0),
    "Project": lambda: el.Project.of(data={"source": "people.csv", "harmful": {"disease": LABELS[0]}}),
    "Schema": schema,
    "SequencePosterior": lambda: posterior.sequence(range(40), rho=[0.1] * 40),
    "SequenceRisk": lambda: homogeneity.repeated.sequence(releases()),
    "ShownValue": lambda: homogeneity.shown_by_value(table(), LAW)[0],
    "Simulation": lambda: homogeneity.simulate(table(), LAW, 3, np.random.default_rng(1)),
    "Situations": situations,
    "SizeRelease": lambda: homogeneity.SizeRelease(LAW, el.PureDP(1.0), table=table()),
    "TreePosterior": lambda: posterior.tree([[3, 2], [4]], [[0, 0]], rho=(0.1, 0.1)),
    "TreeShape": lambda: posterior.TreeShape.of([np.zeros(500, dtype=np.int64)]),
    "TwoLevelPosterior": lambda: posterior.two_level(2, 1, -1, 27, (0.099, 0.246)),
    "Verification": lambda: el.sensitivity.verify("variance", n=3, lower=0, upper=1),
    "WorstCase": lambda: el.worst_case_of(LAW),
}
MORE: dict[str, Callable[[], Any]] = {  # not listed by a room, but in the hands of whoever has one of the above
    "RiskDial": lambda: choice().dial,
    "Scan": lambda: choice().scan,
    "Remedy": lambda: choice().remedies[0],
    "Lever": lambda: choice().remedies[0].lever,
    "MemoryStore": lambda: table().store,
    "BudgetLine": lambda: el.assess(table(), epsilon=1.0).lines[0],
    "AttributeToday": lambda: el.assess(table(), epsilon=1.0).today[0],
    "CohortStep": lambda: el.assess_publication(releases()).steps[0],
    "DeltaChoice": lambda: el.choose_delta(table(), 1.0, max_risk=0.3),
    "IsoRisk": lambda: el.iso_risk(table(), max_risk=0.3),
    "HomogeneityClasses": lambda: homogeneity_classes(table()),
    "RiskyCells": lambda: beside().attributes[0].riskiest,
    "RiskyCell": lambda: beside().attributes[0].riskiest.cells[0],
    "UsedLaw": lambda: beside().attributes[0].laws[0],
    "BesideRisks": lambda: beside(),
    "BesideAttribute": lambda: beside().attributes[0],
    "BesideBudget": lambda: beside().budgets[0],
    "GroupCounts": lambda: hierarchy().group_counts({"disease": LABELS[0]}),
    "PublishedRisk": lambda: homogeneity.published.local(table(), LAW),
    "PreparedMeasure": lambda: importlib.import_module("epsilens.homogeneity.measures").prepare("local", table()),
    "a wide schema": lambda: el.Schema([f"column {i}" for i in range(60)], [f"answer {i}" for i in range(60)]),
}
PARAMETERS = {
    *("Account", "BinomialLeaf", "ClassificationTask", "Covariance", "CovarianceMatrix", "DPKAnonymity", "Engine"),
    *("DPSuppression", "DPSwapping", "DiscreteGaussianNoise", "DiscreteLaplaceNoise", "FixedSize", "GaussianNoise"),
    *("KAnonymity", "LaplaceNoise", "Mean", "Mechanism", "NegativeBinomialLeaf", "NegativeBinomialSize"),
    *("NoisyCounts", "PointParent", "PoissonLeaf", "PoissonSize", "PooledCovariance", "PooledVariance"),
    *("Proportion", "Proportions", "Quantiles", "Request", "Settings", "Suppression", "Swapping", "UniformLeaf"),
    *("UniformParent", "Variance", "ZeroInflatedSize", "AttackScenario", "OneCell", "DiscrepancySwapping"),
    *("FullDomainKAnonymity", "RandomRounding", "Rounding"),
}
"""What somebody wrote down: it shows what they wrote, and no people are in it."""
INTERNAL_TABLES = {
    *("Assessment", "Belief", "BudgetChoice", "Comparison", "DeltaChoice", "Diagnostics", "FrequencyTable"),
    *("Evaluation", "HomogeneityClasses", "HouseholdRisk", "Households", "Knee", "Knowledge", "Publication"),
    *("PopulationRisk", "PopulationUniques", "ReIdentification", "ReleaseRisk", "RiskCurve"),
}
"""What is computed from true data and shows itself in a notebook."""
PUBLIC_TABLES = {
    *("Audit", "BudgetCurve", "CategoryPosterior", "Composition", "Conversion", "DecisionMap", "Description"),
    *("ExpectedCategories", "ExpectedRisk", "ExpectedTree", "ExpectedTwoLevel", "Fit", "NoisyCountTable"),
    *(
        "PostprocessingCheck",
        "PostprocessingRisk",
        "Project",
        "Released",
        "ReleasedStatistics",
        "Schema",
        "SequencePosterior",
    ),
    *("TreePosterior", "TwoLevelPosterior", "Verification", "Witness", "WorstCase", "a wide schema"),
}


def public_dataclasses() -> Iterator[str]:
    for room in ROOMS:
        module = importlib.import_module(f"epsilens.{room}")
        for name in module.__all__:
            if inspect.isclass(value := getattr(module, name)) and dataclasses.is_dataclass(value):
                yield name


def test_no_public_result_is_left_out() -> None:
    assert set(public_dataclasses()) - PARAMETERS == set(EXAMPLES)


@pytest.mark.parametrize("name", [*EXAMPLES, *MORE])
def test_a_line_is_short_and_shows_nobody(name: str) -> None:
    thing = (EXAMPLES | MORE)[name]()
    line = repr(thing)
    assert line.startswith(f"{type(thing).__name__}(")
    assert "\n" not in line
    assert len(line) <= LONGEST_LINE, line
    assert not [value for value in NOT_TO_BE_SEEN if value in line], line
    assert " at 0x" not in line


class Checked(HTMLParser):
    """Every tag that is opened is closed, and only those of a table are there."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("name", sorted(INTERNAL_TABLES | PUBLIC_TABLES))
def test_a_table_in_a_notebook_is_small_accessible_and_shows_nobody(name: str) -> None:
    html = (EXAMPLES | MORE)[name]()._repr_html_()
    parser = Checked()
    parser.feed(html)
    assert not parser.open
    tags = [tag for tag, _ in parser.tags]
    assert {*tags} <= {"table", "caption", "br", "strong", "thead", "tbody", "tr", "th", "td"}
    assert tags[:2] == ["table", "caption"]
    assert all(attributes["scope"] in ("row", "col") for tag, attributes in parser.tags if tag == "th")
    assert "th" in tags
    assert tags.count("tr") <= 2 + MOST_ROWS
    assert (INTERNAL in parser.text) == (name in INTERNAL_TABLES)
    assert not [value for value in NOT_TO_BE_SEEN if value in parser.text], parser.text


def test_what_shows_itself_in_a_notebook_is_sorted_into_internal_and_public() -> None:
    shown = {name for name, made in (EXAMPLES | MORE).items() if hasattr(made(), "_repr_html_")}
    assert shown == INTERNAL_TABLES | PUBLIC_TABLES


def test_names_of_columns_are_escaped() -> None:
    assert "&lt;i&gt;town&lt;/i&gt;" in table()._repr_html_()
    assert "<i>" not in el.assess(table(), epsilon=1.0)._repr_html_()
    assert rows_html("<b>", [{"<u>": "<script>"}]) == (
        '<table><caption>&lt;b&gt;</caption><thead><tr><th scope="col">&lt;u&gt;</th></tr></thead>'
        "<tbody><tr><td>&lt;script&gt;</td></tr></tbody></table>"
    )


def test_lines_say_what_matters() -> None:
    assert repr(table()) == f"FrequencyTable({COLUMN}, sex by label: 4 cells x 2 labels, 15846 records)"
    assert repr(el.risk_curve(table())) == "RiskCurve(local risk, average over people, laplace, 101 budgets)"
    assert repr(choice()).startswith("BudgetChoice(epsilon ")
    assert "max_risk 0.2, local risk, laplace" in repr(choice())
    assert repr(schema()) == "Schema(town, sex by disease, universe of town, sex, disease, structural zeros: 1)"
    assert repr(posterior.TreeShape.of([np.zeros(500, dtype=np.int64)])) == "TreeShape(parents[1], n_leaves=500)"
    assert repr(EXAMPLES["ExpectedRisk"]()).startswith("ExpectedRisk(posterior=0.5")
    assert listed("abcdefgh") == "a, b, c, d, e, f and 2 more"


def test_a_role_that_nobody_has_is_left_out() -> None:
    assert repr(el.Schema(["age", "sex"])) == "Schema(age, sex)"
    assert repr(el.Schema(["age"], "income")) == "Schema(age by income)"
    unnamed = el.FrequencyTable.from_counts([[3, 0], [1, 2]])
    assert repr(el.assess(unnamed)).startswith("Assessment(label, 6 people in 2 cells")


def test_a_line_is_cut_and_stays_one_line() -> None:
    line = one_line(table(), "x" * 500, "y\nz")
    assert len(line) == LONGEST_LINE
    assert line.endswith(" ...)")
    assert one_line(table(), "a\nb", "", "c") == "FrequencyTable(a b, c)"


@dataclasses.dataclass(frozen=True)
class Sample:
    number: float
    many: tuple[int, ...]
    text: str
    truth: bool
    nothing: None = None
    step: Callable[[], int] = int
    _hidden: int = 3
    salt: str = dataclasses.field(default="secret", repr=False)

    __repr__ = brief


def test_of_what_has_a_length_only_the_length_is_shown() -> None:
    sample = Sample(1 / 3, (7919,), "w" * 100, True)
    assert repr(sample) == f"Sample(number=0.3333, many[1], text='{'w' * 57}...', truth=True)"
    assert "7919" not in facts_html(sample)
    assert "secret" not in facts_html(sample)
    assert '<th scope="row">truth</th><td>yes</td>' in facts_html(sample)


def test_of_many_rows_the_first_are_shown() -> None:
    html = rows_html("Many", [{"a": i, "b": None} for i in range(1000)])
    assert html.count("<tr>") == 1 + MOST_ROWS + 1
    assert '<td colspan="2">980 more rows</td>' in html
    assert "<td>-</td>" in html


def test_a_table_as_a_data_frame() -> None:
    frame = table().to_pandas()
    assert list(frame.columns) == [COLUMN, "sex", "label", "count"]
    again = el.read_table(frame, el.Schema([COLUMN, "sex"], "label"), count="count")
    assert again.counts.tolist() == COUNTS
    wide = table().to_pandas(wide=True)
    assert list(wide.columns) == [COLUMN, "sex", *LABELS]
    assert wide[list(LABELS)].to_numpy().tolist() == COUNTS


def test_a_table_with_structural_zeros_as_a_data_frame() -> None:
    impossible = [[False, True], [False, False], [False, False], [False, False]]
    counted = el.FrequencyTable.from_counts(COUNTS, structural_zeros=impossible)
    long, wide = counted.to_pandas(), counted.to_pandas(wide=True)
    assert list(long.columns) == ["cell", "label", "count"]
    assert long["cell"].tolist() == [0, 1, 1, 2, 2, 3, 3]
    assert wide["1"].isna().tolist() == [True, False, False, False]
    assert wide["0"].tolist() == [7919, 11, 0, 2]


def test_several_attributes_are_columns_of_their_own() -> None:
    frame = pd.DataFrame({"q": ["a", "a", "b"], "x": ["1", "2", "1"], "y": ["u", "u", "v"]})
    back = el.read_table(frame, el.Schema(["q"], ["x", "y"])).to_pandas()
    assert list(back.columns) == ["q", "x", "y", "count"]
    assert back["count"].sum() == 3


def test_columns_of_the_same_name_are_refused() -> None:
    named = el.FrequencyTable.from_counts(COUNTS, cells={"count": LEVELS})
    with pytest.raises(el.EpsilensError, match="would be called 'count'; give count another name"):
        named.to_pandas()
    assert list(named.to_pandas(count="people").columns) == ["count", "label", "people"]
    with pytest.raises(el.EpsilensError, match="would be called 'label'; ask for the other form"):
        el.FrequencyTable.from_counts(COUNTS, cells={"label": LEVELS}).to_pandas()


def test_curves_and_releases_as_data_frames() -> None:
    curve = el.risk_curve(table(), budgets=el.PureDP.grid(0.1, 1.0, 3))
    assert curve.to_pandas()["risk"].tolist() == curve.risks.tolist()
    assert list(EXAMPLES["BudgetCurve"]().to_pandas().columns) == [
        *("prior", "rho", "posterior", "risk_ratio", "correct_decision")
    ]
    assert len(EXAMPLES["BudgetCurve"]().to_pandas()) == 15
    assert list(EXAMPLES["NoisyCountTable"]().to_pandas().columns) == [
        "noisy",
        "probability",
        "posterior",
        "risk_ratio",
    ]
    assert len(released().to_pandas()) == 16
    assert statistics().to_pandas()["statistic"].tolist() == ["mean(age)"]
    assert isinstance(statistics().statistics[0], ReleasedStatistic)


def test_without_pandas_the_error_names_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(importlib.import_module("sys").modules, "pandas", None)
    with pytest.raises(el.EpsilensError, match=r"needs pandas, which is not installed; use \.counts instead"):
        table().to_pandas()
    with pytest.raises(el.EpsilensError, match=r"needs pandas, which is not installed; use \.to_rows\(\) instead"):
        EXAMPLES["BudgetCurve"]().to_pandas()


def test_the_types_of_results_have_names() -> None:
    assert isinstance(EXAMPLES["Comparison"](), Comparison)
    assert isinstance(EXAMPLES["Publication"](), Publication)


def test_one_thing_is_not_called_several() -> None:
    one = el.FrequencyTable.from_counts([[1, 0]], ["y", "n"])
    assert repr(one).endswith("1 cell x 2 labels, 1 record)")
    assert repr(el.diagnose(one)) == "Diagnostics(1 person in 1 cell, 2 labels)"
