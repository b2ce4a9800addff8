"""Which roles the columns of a table might have, from their names and from how many values they have.

A suggestion is a guess with a reason, for somebody to confirm: nobody's values are looked at. Names are read as words
(``BlockGroup``, ``block_group`` and ``block-group`` are the same two), and the first rule that fits decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from epsilens.table.column_facts import Column, Structure

Role: TypeAlias = Literal["known", "sensitive", "count", "weight", "unit", "unused"]

FEW = 20
"""A number that takes more values than this is suggested in bins."""
SMALL_PLACES = 100
"""A column of more texts than this makes cells so small that hardly anybody shares one."""
MOST_KNOWN = 6
"""Columns that are suggested as known; every further one splits all cells again."""
QUANTILES = "q5"
USUAL_BINS = {"age": "10", "hours": "10", "year": "10"}
"""Bins for numbers with these words in their name."""

PEOPLE = "person people patient client customer respondent subject participant employee student case record"
DIRECT = (
    "name surname forename firstname lastname ssn sin nin nhs email mail phone telephone mobile address street "
    "passport iban account licence license plate username login"
)
IDENTIFIERS = "id ids identifier key uuid guid number nr serial index code"
COUNTS = "count counts n freq frequency frequencies population cases total num persons"
WEIGHTS = "weight weights wgt wt pweight fnlwgt finalweight pwgtp"
SENSITIVE = (
    "disease diagnosis diagnoses icd illness condition disorder hiv aids cancer symptom treatment medication drug "
    "therapy outcome disability pregnancy pregnant religion faith orientation party vote voted crime criminal "
    "conviction offence offense arrest income salary wage wages pay earnings debt credit loan wealth benefits grade "
    "score result insurance addiction abuse"
)
"""In order: where several columns have such names, the one whose word comes first is suggested."""
PLACES = (
    "zip zipcode postcode postal plz county city town state region province district municipality tract block place "
    "country ward area location nation"
)
KNOWN = (
    "age sex gender race ethnicity ethnic hispanic birth born birthday dob yob marital marriage married education "
    "school degree occupation job profession industry workclass relationship household family children language "
    "nationality native citizenship citizen origin hours employment quarters year tenure"
)


@dataclass(frozen=True)
class Suggestion:
    """A role for a column, and why; ``bins`` are those that make levels of its numbers, as they are typed."""

    column: str
    role: Role
    reason: str
    bins: str | None = None


def suggested(structure: Structure) -> tuple[Suggestion, ...]:
    """One suggestion per column, in their order."""
    found = {column.name: _first(column, structure) for column in structure.columns}
    _keep_one(found, "sensitive", _strength, "could be sensitive too; one at a time is easier to read")
    _keep_one(found, "count", None, "another column is taken for the counts")
    _keep_one(found, "weight", None, "another column is taken for the weights")
    _keep_one(found, "unit", None, "another column is taken for the person")
    known = [name for name, one in found.items() if one.role == "known"]
    for name in sorted(known, key=_is_usual, reverse=True)[MOST_KNOWN:]:
        found[name] = Suggestion(name, "unused", f"others may know it too, but {MOST_KNOWN} columns are a beginning")
    return tuple(found.values())


def _first(column: Column, structure: Structure) -> Suggestion:
    """The suggestion of the first rule that fits."""
    for rule in (_without_values, _count, _weight, _person, _identifying, _sensitive, _known):
        if (suggestion := rule(column, structure)) is not None:
            return suggestion
    return Suggestion(column.name, "unused", "its name says nothing; choose a role if it has one")


def _without_values(column: Column, structure: Structure) -> Suggestion | None:
    if column.distinct == 0:
        return Suggestion(column.name, "unused", "it has no values")
    if column.distinct == 1 and structure.rows > 1:
        return Suggestion(column.name, "unused", "it has the same value everywhere")
    return None


def _count(column: Column, structure: Structure) -> Suggestion | None:
    if column.kind != "whole numbers" or column.missing:
        return None
    base = re.sub(r"_1$", "", column.name)
    if base != column.name and structure.column(base) is not None:
        return Suggestion(column.name, "count", f"whole numbers beside {base!r}, as tables of counts are written")
    return (
        Suggestion(column.name, "count", "its name is that of a count")
        if words(column.name) & set(COUNTS.split())
        else None
    )


def _weight(column: Column, _structure: Structure) -> Suggestion | None:
    fits = column.is_numeric and bool(words(column.name) & set(WEIGHTS.split()))
    return Suggestion(column.name, "weight", "its name is that of a survey weight") if fits else None


def _person(column: Column, structure: Structure) -> Suggestion | None:
    said = words(column.name)
    names_people = bool(said & {*PEOPLE.split(), "id", "pid", "uuid"}) and not said & set(SENSITIVE.split())
    if not names_people or column.distinct * 2 < min(structure.rows, 100):
        return None
    if column.distinct < structure.rows:
        return Suggestion(column.name, "unit", "it seems to name people, some of whom have several rows")
    return Suggestion(column.name, "unused", "it seems to name people, each of whom has one row")


def _identifying(column: Column, structure: Structure) -> Suggestion | None:
    said = words(column.name)
    if said & set(DIRECT.split()) and not said & {*SENSITIVE.split(), *PLACES.split()}:
        return Suggestion(column.name, "unused", "it may identify people by itself; it is not to be published at all")
    own = column.distinct == structure.rows > FEW
    if own and (not column.is_numeric or said & set(IDENTIFIERS.split())):
        return Suggestion(column.name, "unused", "every row has a value of its own, which identifies people by itself")
    return None


def _sensitive(column: Column, _structure: Structure) -> Suggestion | None:
    if not words(column.name) & set(SENSITIVE.split()):
        return None
    return Suggestion(column.name, "sensitive", "its name is that of something private", _bins(column))


def _known(column: Column, _structure: Structure) -> Suggestion | None:
    said = words(column.name)
    place, known = bool(said & set(PLACES.split())), bool(said & set(KNOWN.split()))
    if not place and not known:
        return None
    if not column.is_numeric and column.distinct > SMALL_PLACES:
        return Suggestion(
            column.name, "unused", f"others may know it, but it has {column.distinct:,} values: wider ones first"
        )
    if place and column.is_numeric and column.distinct > SMALL_PLACES:
        return Suggestion(column.name, "unused", f"a place, but one of {column.distinct:,}: take wider ones first")
    reason = "where somebody lives is known to many" if place else "something that others often know about a person"
    return Suggestion(column.name, "known", reason, None if place else _bins(column))


def _bins(column: Column) -> str | None:
    """Bins of a number that takes many values. Edges of quantiles follow from the data; widths do not."""
    if not column.is_numeric or column.distinct <= FEW:
        return None
    said = words(column.name)
    return next((bins for word, bins in USUAL_BINS.items() if word in said), QUANTILES)


def words(name: str) -> set[str]:
    """The words of a column's name, in small letters, each also without the s of several."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+", name)
    small = {part.lower() for part in parts} | {name.lower()}
    return small | {word.removesuffix("s") for word in small if len(word) > 3}


def _strength(name: str) -> int:
    """How far back in the list of sensitive words the first one of a name is."""
    said = words(name)
    return min((place for place, word in enumerate(SENSITIVE.split()) if word in said), default=len(SENSITIVE))


def _is_usual(name: str) -> bool:
    return bool(words(name) & {"age", "sex", "gender", "race", "ethnicity", *PLACES.split()})


def _keep_one(found: dict[str, Suggestion], role: Role, strength: Callable[[str], int] | None, otherwise: str) -> None:
    """One column keeps the role: the strongest, or the first."""
    holding = [name for name, one in found.items() if one.role == role]
    for name in (sorted(holding, key=strength) if strength is not None else holding)[1:]:
        found[name] = Suggestion(name, "unused", otherwise)
