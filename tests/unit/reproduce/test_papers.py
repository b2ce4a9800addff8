from __future__ import annotations

from epsilens.reproduce.claims import Formula, Number
from epsilens.reproduce.papers import PAPERS, papers
from tests.conftest import REPOSITORY


def test_papers_by_name_in_their_own_order() -> None:
    assert [paper.name for paper in papers(["P4", "P0"])] == ["P0", "P4"]
    assert [paper.name for paper in papers([])] == [paper.name for paper in papers(["all"])] == list(PAPERS)


def test_no_place_is_told_twice_and_every_claim_is_of_its_paper() -> None:
    for paper in PAPERS.values():
        places = [(claim.place.where, claim.place.what) for claim in paper.claims()]
        assert len(places) == len(set(places)), paper.name
        assert {claim.place.paper for claim in paper.claims()} <= {paper.name}
        drawn = [figure.place for figure in paper.figures()]
        assert len(drawn) == len(set(drawn)), paper.name


def test_departures_are_explained() -> None:
    text = (REPOSITORY / "docs" / "departures.md").read_text()
    explained = {line.removeprefix("### ") for line in text.splitlines() if line.startswith("### ")}
    for paper in PAPERS.values():
        assert {claim.place.departs for claim in paper.claims()} - {None} <= explained, paper.name


def test_claims_have_cases_and_words() -> None:
    for paper in PAPERS.values():
        for claim in paper.claims():
            assert claim.place.where, claim
            assert claim.place.what, claim
            if isinstance(claim, Formula):
                assert len(claim.cases) > 1, claim.place
            if isinstance(claim, Number):
                assert claim.printed.value == claim.printed.value, claim.place
