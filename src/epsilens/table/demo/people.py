"""One county of the demo population: its places, and everyone in them.

A county is drawn whole, from random bits that depend on the seed and the county's number alone. So the people before it
do not matter, and neither does who asks for how many.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epsilens.table.demo.rates import (
    ADULT,
    AFFLUENCE_OF_BLOCK,
    AFFLUENCE_OF_COUNTY,
    AFFLUENCE_OF_TRACT,
    AGES,
    BAND_EDGES,
    BLOCKS_PER_GROUP,
    DRAW_BITS,
    GROUPS_PER_TRACT,
    GROWN_UP,
    INSTITUTION,
    OUTCOMES,
    OWN_KIND,
    RACES,
    SEXES,
    STAGE_WEIGHTS,
    Ints,
    tables,
)

BLOCK_NUMBERS = tuple(f"-{number:03d}" for number in range(1, max(BLOCKS_PER_GROUP) + 1))


class County(NamedTuple):
    """One county's people in order of place; the codes of a column point into its names."""

    places: dict[str, list[str]]  # by level of GEOGRAPHY: the names, in order
    place_codes: dict[str, NDArray[np.int32]]  # by level of GEOGRAPHY: a code per person, never falling
    ages: NDArray[np.int32]
    codes: dict[str, NDArray[np.int8]]  # by column of CATEGORIES: a code per person


class _Blocks(NamedTuple):
    """What a block's people have in common, one entry per block."""

    tract: Ints
    group: Ints
    households: Ints  # how many live in them, at least 1
    inmates: Ints  # how many live in the facility
    facility: Ints  # a code of QUARTERS; 0 where there is none
    stage: Ints
    neighbourhood: Ints
    leading_race: Ints
    affluence: Ints


def county(seed: int, index: int) -> County:
    """Everyone in county number ``index``, from 0."""
    bits = np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(index,)))
    places, blocks = _places(bits, f"C{index + 1:03d}")
    return _people(bits, places, blocks)


def _places(bits: np.random.SFC64, name: str) -> tuple[dict[str, list[str]], _Blocks]:
    """The county's tracts, block groups and blocks, each level leaning towards the one above."""
    table = tables()
    size, kind, affluence = _draws(bits, 3, 1)
    own_kind, any_kind, richer, groups_drawn = _draws(bits, 4, int(table.tracts[size[0]]))
    kind_of_tract = _leaning(own_kind, table.neighbourhood[kind], table.neighbourhood[any_kind])
    affluence_of_tract = _choice(AFFLUENCE_OF_COUNTY, affluence) + _choice(AFFLUENCE_OF_TRACT, richer)
    groups = _choice(GROUPS_PER_TRACT, groups_drawn)
    tract_of_group = np.repeat(np.arange(len(groups)), groups)

    stage, blocks_drawn = _draws(bits, 2, len(tract_of_group))
    blocks = _choice(BLOCKS_PER_GROUP, blocks_drawn)
    group = np.repeat(np.arange(len(blocks)), blocks)
    tract = tract_of_group[group]

    own_kind, any_kind, race, richer, facility_drawn, households, inmates = _draws(bits, 7, len(group))
    neighbourhood = _leaning(own_kind, kind_of_tract[tract], table.neighbourhood[any_kind])
    facility = table.facility[facility_drawn]
    step = affluence_of_tract[tract] + _choice(AFFLUENCE_OF_BLOCK, richer)

    tracts = [f"{name}-T{number:04d}" for number in range(1, len(groups) + 1)]
    group_names = [f"{t}-{number}" for t, n in zip(tracts, groups, strict=True) for number in range(1, n + 1)]
    block_names = [g + number for g, n in zip(group_names, blocks, strict=True) for number in BLOCK_NUMBERS[:n]]
    return {"county": [name], "tract": tracts, "block_group": group_names, "block": block_names}, _Blocks(
        tract=tract,
        group=group,
        households=table.households[households],
        inmates=table.inmates[facility, inmates],
        facility=facility,
        stage=table.stage[stage][group],
        neighbourhood=neighbourhood,
        leading_race=table.leading_race[neighbourhood, race],
        affluence=np.clip(step, 0, INSTITUTION - 1),
    )


def _people(bits: np.random.SFC64, places: dict[str, list[str]], blocks: _Blocks) -> County:
    """Everyone who lives in the blocks: those in households first, then those in the facility."""
    table = tables()
    # Slot 2b is block b's households, slot 2b + 1 its facility: what the people of a slot share is worked out once.
    slot = np.repeat(np.arange(2 * len(blocks.group)), _slots(blocks.households, blocks.inmates))
    block = slot >> 1
    quarters = _slots(0, blocks.facility)[slot]
    stage = _slots(blocks.stage, blocks.facility + (len(STAGE_WEIGHTS) - 1))[slot]
    affluence = _slots(blocks.affluence, INSTITUTION)[slot]
    neighbourhood = blocks.neighbourhood.astype(np.int64)

    drawn = _draws(bits, 6, len(slot))
    age = _outcome(table.age, stage, drawn[0])
    residents = blocks.households + blocks.inmates
    first = np.cumsum(residents) - residents
    age[first] += np.where(age[first] < ADULT, GROWN_UP, 0)
    male = drawn[1] >= table.female.take(quarters * AGES + age)
    race = _outcome(table.race, (neighbourhood * len(RACES) + blocks.leading_race)[block], drawn[2])
    not_hispanic = drawn[3] >= table.hispanic.take((neighbourhood * len(RACES))[block] + race)
    age_sex = table.band.take(age) * len(SEXES) + male
    age_sexes = len(BAND_EDGES) * len(SEXES)
    codes = {
        "sex": male,
        "race": race,
        "hispanic": not_hispanic,
        "group_quarters": quarters,
        "income": _outcome(table.income, affluence * age_sexes + age_sex, drawn[4]),
        "disease": _outcome(table.disease, race * age_sexes + age_sex, drawn[5]),
    }
    place_codes = {
        "county": np.zeros(len(block), dtype=np.int32),
        "tract": blocks.tract.astype(np.int32)[block],
        "block_group": blocks.group.astype(np.int32)[block],
        "block": block.astype(np.int32),
    }
    narrow_codes = {column: code.astype(np.int8) for column, code in codes.items()}
    return County(places, place_codes, age.astype(np.int32), narrow_codes)


def _draws(bits: np.random.SFC64, lanes: int, count: int) -> Ints:
    """``lanes`` rows of ``count`` draws, each uniform on 0..4095; a raw 64-bit word gives four."""
    words = bits.random_raw(-(-lanes * count // 4)).astype("<u8", copy=False)  # little-endian: the same draws anywhere
    return words.view("<u2")[: lanes * count].reshape(lanes, count) >> np.uint16(16 - DRAW_BITS)


def _choice(values: Sequence[int], drawn: Ints) -> Ints:
    """One of ``values`` per draw, all equally likely."""
    return np.asarray(values)[drawn.astype(np.int64) * len(values) // OUTCOMES]


def _leaning(drawn: Ints, own: Ints, other: Ints) -> Ints:
    """The surrounding place's kind for a share OWN_KIND of the draws, another one for the rest."""
    return np.where(drawn < OWN_KIND * OUTCOMES, own, other)


def _slots(households: Ints | int, facility: Ints | int) -> Ints:
    """A value for the households and one for the facility of each block, side by side."""
    return np.stack(np.broadcast_arrays(households, facility), axis=1).astype(np.int64).ravel()


def _outcome(table: Ints, context: Ints, drawn: Ints) -> Ints:
    """What each draw stands for in its context; tables are narrow to stay in cache, codes wide to be reckoned with."""
    return table.take(context * OUTCOMES + drawn).astype(np.int64)
