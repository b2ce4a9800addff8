from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.choose.recoding import levers, spread_error
from epsilens.errors import DataError, ParameterError
from epsilens.noise.absolute_error import expected_distance


def test_recodings_of_ones_own() -> None:
    table = el.FrequencyTable.from_counts([[1, 0], [2, 1], [0, 3]], cells={"age": ["20", "30", "40"]})
    (lever,) = levers(table, {"age": {"20": "young", "30": "young", "40": "old"}})
    assert (lever.levels_before, lever.levels_after, lever.table.cells()) == (3, 2, {"age": ["old", "young"]})
    assert lever.table.counts.tolist() == [[0, 3], [3, 1]]
    (lever,) = levers(table, {"age": lambda level: str(int(level) // 40)})
    assert lever.table.counts.tolist() == [[3, 1], [0, 3]]
    with pytest.raises(DataError, match="recoding of 'age' misses 2 of its 3 levels"):
        list(levers(table, {"age": {"20": "young"}}))
    with pytest.raises(ParameterError, match="not a quasi-identifier"):
        list(levers(table, {"sex": {}}))


def test_a_merged_cell_spreads_one_noise_over_its_parts() -> None:
    table = el.FrequencyTable.from_counts([[5, 5]] * 3, cells={"age": ["20", "30", "40"]})
    noise = el.LaplaceNoise(2.0)
    (lever,) = levers(table, {"age": {"20": "young", "30": "young", "40": "old"}})
    # two cells of three share one noise, half of it each
    assert spread_error(table, lever, noise) == pytest.approx(2 / 3 * spread_error(table, None, noise), rel=1e-9)


def test_merged_labels_harm_as_much_as_the_worse_of_them() -> None:
    table = el.FrequencyTable.from_counts([[5, 1, 2], [4, 0, 1]], ["a", "b", "c"], {"sex": ["f", "m"]})
    merged = next(lever.table for lever in levers(table.with_harm("label=b*2")) if lever.kind == "merge")
    assert merged.labels == ("a", "b or c")
    assert merged.label_weights.tolist() == [0.0, 2.0]
    plain = next(lever.table for lever in levers(table) if lever.kind == "merge")
    assert plain.label_weights.tolist() == [1.0, 1.0]


def test_levers_are_the_same_people_by_fewer_texts_whatever_the_order_of_levels() -> None:
    rng = np.random.default_rng(11)
    cells = {"a": [f"{i}" for i in rng.permutation(np.repeat(np.arange(12), 10))], "b": list("zyxwvutsrq") * 12}
    counts = rng.poisson(1.5, (120, 3))
    impossible = rng.random((120, 3)) < 0.2
    table = el.FrequencyTable.from_counts(
        np.where(impossible, 0, counts), "lmn", cells, structural_zeros=impossible.tolist()
    )
    noise = el.LaplaceNoise(0.8)
    for lever in levers(table):
        if lever.group_of is None:
            continue
        merged = lever.table.cells()
        assert list(zip(*merged.values(), strict=True)) == sorted(set(zip(*merged.values(), strict=True)))
        for i, place in enumerate(lever.group_of.tolist()):
            for name in merged:
                if name != lever.column:
                    assert merged[name][place] == table.cells()[name][i]
        total, number = 0.0, 0
        for i, place in enumerate(lever.group_of.tolist()):
            members = table.vectors[lever.group_of == place]
            for k in np.flatnonzero(table.vectors[i] >= 0).tolist():
                size, whole = int((members[:, k] >= 0).sum()), int(np.maximum(members[:, k], 0).sum())
                assert lever.table.vectors[place, k] == whole
                total += float(expected_distance(noise, [size * table.vectors[i, k] - whole])[0]) / size
                number += 1
        assert spread_error(table, lever, noise) == pytest.approx(total / number, rel=1e-12)
