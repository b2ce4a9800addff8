"""What the card of released tables says about its budget, computed again: sensitivity, noise, threshold, price.

Problems are told in words, nothing where there is none; ``verification.py`` asks, for cards of every kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from epsilens.accounting.amounts import decimal, digits, pure_rho
from epsilens.budget import count_sensitivity
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS, Noise
from epsilens.release.samplers import opendp_price
from epsilens.release.tables.tree import OrderedTree
from epsilens.release.thresholds import threshold_delta

TOLERANCE = 1e-9
"""Relative; another version may round tails otherwise."""


def spent_in(card: Mapping[str, Any]) -> str:
    """What the tables have shares of: epsilon with Laplace noise, rho with Gaussian noise."""
    return "epsilon" if MECHANISMS[card["mechanism"]["name"]].norm == 1 else "rho"


def table_budget_problem(card: Mapping[str, Any]) -> str | None:
    """Whether some table's noise costs more than its part of the budget, or the parts more than the price."""
    mechanism, cost = card["mechanism"], card["budget"]["cost"]
    norm, kind = MECHANISMS[mechanism["name"]].norm, MECHANISMS[mechanism["name"]].law
    currency = "epsilon" if norm == 1 else "rho"
    sensitivity = count_sensitivity(mechanism["neighbours"], norm, card["unit"]["max_rows_per_person"])
    if (mechanism["sensitivity"]["norm"], mechanism["sensitivity"]["value"]) != (f"l{norm}", sensitivity):
        return "the sensitivity does not follow from the neighbours and the rows per person"
    spent = Fraction(0)
    for table in mechanism["tables"]:
        if table["law"]["name"] != type(kind).__name__ or kind.parameter not in table["law"]:
            return f"table {table['name']!r} has another law than it says"
        law = kind.of_size(table["law"][kind.parameter])
        price = opendp_price(law, sensitivity)
        limit = Fraction(decimal(float(table["budget"].get(currency, 0.0))))
        if Fraction(price) > limit:
            return f"the noise of table {table['name']!r} does not honour its budget"
        if abs(table["opendp_price"] - price) > TOLERANCE * price:
            return f"table {table['name']!r} has another price than its noise"
        if (problem := _threshold_problem(card, table, law)) is not None:
            return problem
        spent += limit
    if (problem := _tree_problem(card)) is not None:
        return problem
    if cost[currency] is None or spent > Fraction(Decimal(cost[currency])):
        return "the tables together cost more than the price says"
    return _price_problem(cost, norm)


def _tree_problem(card: Mapping[str, Any]) -> str | None:
    """A total is public under substitution only, and the ranges of a tree follow from its column's levels."""
    neighbours, unit = card["mechanism"]["neighbours"], card["unit"]
    if card.get("public_total") is not None and (neighbours != "substitute" or unit["max_rows_per_person"] > 1):
        return "the number of people is public under substitution alone, with one row per person"
    if card.get("public_total") is not None and (card.get("schema") or {}).get("where"):
        return "the number of people is public, and that of those who pass conditions on rows is not"
    if (tree := card.get("tree")) is None:
        return None
    levels = card["universe"]["levels"] or {}
    try:
        grown = OrderedTree(tree["column"], tree["branching"]).over(tuple(levels), levels)
    except ParameterError:
        return "the tree does not fit the declared levels"
    if grown.to_dict() != dict(tree) or len(card["mechanism"]["tables"]) < len(grown.depths):
        return "the tree does not follow from the declared levels"
    return None


def _threshold_problem(card: Mapping[str, Any], table: Mapping[str, Any], law: Noise) -> str | None:
    """A threshold's delta follows from the noise, and is paid for; where the universe is declared there is none."""
    threshold = table["threshold"]
    if (threshold is None) != card["universe"]["declared"]:
        return "cells are shown by a threshold where the universe is not declared, and only there"
    if threshold is None:
        return None
    unit, neighbours = card["unit"], card["mechanism"]["neighbours"]
    delta = threshold_delta(law, threshold, unit["max_rows_per_person"], neighbours)
    told, paid = table["threshold_delta"], float(card["budget"]["cost"]["delta"])
    if abs(told - delta) > TOLERANCE * delta or delta > paid * (1.0 + TOLERANCE):
        return f"the threshold of table {table['name']!r} does not have the delta that was paid for"
    return None


def _price_problem(cost: Mapping[str, Any], norm: int) -> str | None:
    """An epsilon alone has its rho, and one with a threshold's delta has none."""
    if norm == 2:
        return None
    pure = Decimal(cost["delta"]) == 0
    rho = digits(pure_rho(Decimal(cost["epsilon"]))) if pure else None
    return None if cost["rho"] == rho else "the price in rho does not follow from that in epsilon"
