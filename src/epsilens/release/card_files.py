"""Cards as files: read, told apart by their format, and checked against the schema of that format."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from epsilens.checks import one_of
from epsilens.errors import EpsilensError
from epsilens.release.cards.frame import INTERNAL_FORMAT
from epsilens.release.kinds import KINDS
from epsilens.release.tables.card import CARD_FORMAT
from epsilens.table.json_files import NotJson, bytes_of, parsed


class CardError(EpsilensError):
    """A card that cannot be read."""


def card_schema(card_format: str = CARD_FORMAT) -> dict[str, Any]:
    """The JSON Schema, as shipped, of ``epsilens-release-card/1`` or ``epsilens-statistics-card/1``."""
    kind = KINDS[one_of("card_format", card_format, KINDS)]
    text = resources.files("epsilens.release").joinpath(kind.schema_file).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def schema_problem(card: Any) -> str | None:
    """Where a card departs from the schema of its format, without its values; nothing where it does not."""
    import jsonschema  # type: ignore[import-untyped]

    validator = jsonschema.Draft202012Validator(card_schema(card["format"]))
    found = sorted(validator.iter_errors(card), key=lambda error: list(map(str, error.absolute_path)))
    if not found:
        return None
    place = "/".join(map(str, found[0].absolute_path)) or "the card itself"
    return f"{place} does not fit the schema ({found[0].validator})"


def read_card(path: Path) -> tuple[dict[str, Any], bytes]:
    """A card and its bytes, after checking it against the schema."""
    try:
        raw = bytes_of(path)
        card = parsed(raw)
    except OSError as problem:
        raise CardError(f"cannot read the card {path}: {problem.strerror or type(problem).__name__}") from None
    except NotJson as problem:
        reason = f": {problem}" if str(problem) else ""
        raise CardError(f"{path} is not JSON, so it is not a release card{reason}") from None
    if isinstance(card, dict) and card.get("format") == INTERNAL_FORMAT:
        raise CardError(f"{path} is an internal assessment; name the release card beside it")
    if not isinstance(card, dict) or str(card.get("format")) not in KINDS:
        raise CardError(f"{path} is not a release card of Epsilens")
    if (problem_found := schema_problem(card)) is not None:
        raise CardError(f"the card {path} was changed or is incomplete: {problem_found}")
    return card, raw
