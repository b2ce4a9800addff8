from __future__ import annotations

import pytest

from epsilens import avoidance as av
from epsilens.choice.choose.equal_risk import RiskCeiling
from epsilens.choice.comparison_entries import Entry, entries_of, refuse_unread, settings_of
from epsilens.errors import ParameterError
from tests.support.avoidance import random_histogram

VALUES = {"k": (2, 3), "share": (0.1, 0.5), "base": (5,)}


def test_a_system_is_there_at_every_combination_of_what_it_depends_on() -> None:
    histogram = random_histogram(1)
    settings = av.Settings(k=3).for_histogram(histogram)
    names = ["laplace", "dp-suppression", "suppression", "swapping"]
    entries, left_out = entries_of(names, [0.5, 1.0], settings, VALUES, histogram, None, 1)
    assert left_out == []
    assert [(entry.label, entry.system.epsilon) for entry in entries] == [
        ("laplace", 0.5), ("laplace", 1.0),
        ("dp-suppression k=2", 0.5), ("dp-suppression k=2", 1.0), ("dp-suppression k=3", 0.5),
        ("dp-suppression k=3", 1.0), ("suppression k=2", None), ("suppression k=3", None),
        ("swapping share=0.1", None), ("swapping share=0.5", None),
    ]  # fmt: skip
    assert entries[6].system == av.Suppression(2)
    assert entries[-1].settings == {"swapped_share": 0.5}


def test_each_combination_has_its_own_epsilon_at_equal_risk() -> None:
    histogram = random_histogram(1)
    settings = av.Settings(k=3).for_histogram(histogram)
    ceiling = RiskCeiling("homogeneity", 0.2)
    values = VALUES | {"share": (0.1,)}
    entries, left_out = entries_of(["dp-suppression", "suppression"], [], settings, values, histogram, ceiling, 1)
    assert {entry.label for entry in entries} | set(left_out) == {
        "dp-suppression k=2", "dp-suppression k=3", "suppression k=2", "suppression k=3",
    }  # fmt: skip


def test_labels_name_what_varies_only() -> None:
    assert Entry("a", av.Suppression(2), "epsilon", {"k": 2}).label == "a"
    assert list(settings_of("laplace", VALUES)) == [{}]
    assert list(settings_of("suppression", VALUES)) == [{"k": 2}, {"k": 3}]


def test_several_values_that_nobody_reads_are_refused() -> None:
    refuse_unread(["laplace"], {"k": (2,), "share": (0.1,), "base": (5,)})
    with pytest.raises(ParameterError, match="k has several values, but no chosen system depends on it; add one"):
        refuse_unread(["laplace"], VALUES)
