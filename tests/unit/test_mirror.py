"""The tests of ``src/epsilens/room/thing.py`` are in ``tests/unit/room/test_thing.py``."""

from __future__ import annotations

from tests.conftest import REPOSITORY

SOURCES = REPOSITORY / "src" / "epsilens"
TESTS = REPOSITORY / "tests" / "unit"
ELSEWHERE = """
    arrays.py avoidance/catalogue.py avoidance/generalised.py avoidance/hierarchy.py avoidance/histogram.py
    avoidance/mondrian.py avoidance/nearest.py avoidance/noisy_counts.py avoidance/published.py avoidance/records.py
    avoidance/suppression.py avoidance/system.py checks.py choice/aggregates.py choice/assessment.py
    choice/beside/profile_mechanisms.py choice/beside/recoding.py choice/choose/budget_choice.py choice/choose/dial.py
    choice/choose/equal_risk.py choice/choose/of_table.py choice/system_risks.py cli/card.py cli/choose_answer.py
    cli/choose_checks.py cli/ledger.py cli/options.py cli/posterior/beyond.py cli/posterior/counts.py
    cli/posterior/shared.py cli/release_options.py cli/sequence_plan.py cli/spelling.py cli/terminal.py errors.py
    homogeneity/average.py homogeneity/belief.py homogeneity/guesses.py homogeneity/local.py homogeneity/measures.py
    homogeneity/models/dirichlet.py homogeneity/models/dirichlet_fits.py homogeneity/models/mixtures.py
    homogeneity/models/multinomial.py homogeneity/prepared.py homogeneity/repeated/attributes.py
    homogeneity/repeated/cells.py homogeneity/repeated/cohort.py homogeneity/repeated/fitted.py
    homogeneity/repeated/independent.py homogeneity/repeated/pooling.py homogeneity/repeated/releases.py
    homogeneity/repeated/shared_gap.py homogeneity/shown.py noise/composed_loss.py noise/discrete_gaussian.py
    noise/discrete_laplace.py noise/divergence.py noise/gaussian.py noise/laplace.py noise/law.py noise/loss.py
    noise/published.py noise/sums.py noise/whole_number_sums.py posterior/census_2020.py posterior/counts.py
    posterior/scenarios.py posterior/trees/expected.py posterior/trees/leaf_priors.py posterior/trees/messages.py
    posterior/two_levels/expected.py posterior/two_levels/parent_priors.py release/card_files.py
    release/fitting/joint.py release/ledger/chain.py release/ledger/durable.py release/opendp_script.py
    release/statistics/check.py release/statistics/kinds.py release/statistics/postprocessing.py
    release/statistics/spread.py release/statistics/words.py release/tables/cells.py release/tables/check.py
    release/tables/declarations.py release/tables/output.py release/tables/plan.py release/tables/postprocessing.py
    release/tables/words.py release/verification.py report/charts/choose.py report/charts/common.py
    report/charts/compare.py report/charts/posterior.py report/charts/sequence.py report/charts/study.py
    report/words/choose.py report/words/common.py sensitivity/catalogue.py sensitivity/checker.py sensitivity/counts.py
    sensitivity/inputs.py sensitivity/moments.py sensitivity/pooled.py sensitivity/published.py sensitivity/ranges.py
    table/bins.py table/demo/people.py table/demo/rates.py table/reading/csv_files.py table/reading/databases.py
    table/reading/embedded.py table/reading/frames.py table/reading/levels.py table/reading/moments.py
    table/reading/relations.py table/reading/sqlite_files.py table/reading/store.py table/reading/vectors.py
    utility/absolute_error.py utility/cell_errors.py utility/classification.py utility/marginal_distance.py
    utility/marginals.py
"""
"""Modules whose tests are under another name as yet. Nothing is added to this list."""


def modules_without_a_test() -> set[str]:
    modules = {path.relative_to(SOURCES) for path in SOURCES.rglob("*.py") if not path.name.startswith("__")}
    return {path.as_posix() for path in modules if not (TESTS / path.with_name(f"test_{path.name}")).exists()}


def test_every_module_has_a_test_file_of_its_name() -> None:
    assert sorted(modules_without_a_test() - set(ELSEWHERE.split())) == []


def test_the_list_of_exceptions_shrinks() -> None:
    assert sorted(set(ELSEWHERE.split()) - modules_without_a_test()) == []
