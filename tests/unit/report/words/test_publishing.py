from __future__ import annotations

from epsilens.report.words.publishing import published_sentence, universe_sentences


def test_without_a_universe_it_is_said_what_is_left_out_and_what_a_release_needs() -> None:
    (sentence,) = universe_sentences(None)
    assert "cells that nobody is in are left out" in sentence
    assert "needs a universe: the declared values of every column" in sentence


def test_a_universe_is_told_with_its_empty_cells_and_undeclared_columns() -> None:
    declared = {"cells": 243, "counts": 729, "further_cells": 165, "further_counts": 495, "found": ["CO"]}
    first, second = universe_sentences(declared)
    assert first.startswith("The declared universe has 243 cells with 729 counts, which all get noise; in 165")
    assert second == "It says nothing of CO, whose values are taken from the data; a release needs it declared."


def test_how_attributes_are_published() -> None:
    assert published_sentence(["y", "w"], "joint") == "y and w are published as one joint table of their combinations."
    assert "each table, and the 3 together cost 3 times as much" in published_sentence("abc", "separate", "each")
    assert "the budget of the 2 together, evenly divided" in published_sentence("ab", "separate", "all")
