"""The words that commands print: in help texts, in answers, and as keys of JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import click

from epsilens.cli.main import cli
from tests.conftest import REPOSITORY

GLOSSARY = REPOSITORY / "docs" / "glossary.md"
PLAIN = REPOSITORY / "tests" / "support" / "plain_words.txt"
_OF_THE_DEMO = """
age american asian asthma black cancer diabetes disease female heart hispanic income indian islander male pacific race
sex white
"""
OF_THE_DEMO = frozenset(_OF_THE_DEMO.split())
"""Columns of the demo's people, and values in them."""
_WORD = re.compile(r"(?<![\w./=$])[A-Za-z]+(?:['-][A-Za-z]+)*(?![\w=(/]|\.[a-z])")
"""Not a part of a path, a formula, a name with digits, or a value behind ``=``."""
_ENDINGS = (
    *(("ies", "y"), ("es", ""), ("s", ""), ("ed", ""), ("ed", "e"), ("d", "")),
    *(("ing", ""), ("ing", "e"), ("ly", ""), ("er", ""), ("est", "")),
)
"""Of forms of a word, and what stands in their place in the word itself."""


def words_of(text: str) -> Iterator[str]:
    """The words of a text, in small letters; commands, quotations of data and formulas left out."""
    for found in _WORD.findall(_without_code(text)):
        yield found.lower().removesuffix("'s")


def _without_code(text: str) -> str:
    text = re.sub(r"^ *epsilens .*?(?<!\\)$", " ", text, flags=re.M | re.S)
    text = re.sub(r"'[^'\n]*[=|<>:{][^'\n]*'", " ", text)
    return re.sub(r"`[^`\n]*`", " ", text)


def words_of_keys(value: Any) -> Iterator[str]:
    """The words of the keys of JSON; keys that are values of data (in a table by value) have none."""
    if isinstance(value, dict):
        for key, inside in value.items():
            if re.fullmatch(r"[a-z][a-z_]*(?:_\d+)?", key):
                yield from (part for part in key.split("_") if part.isalpha())
            yield from words_of_keys(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from words_of_keys(inside)


def help_texts(command: click.Command = cli) -> Iterator[str]:
    """What every command says of itself and of its options."""
    yield command.help or ""
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield parameter.help or ""
            spellings = (*parameter.opts, *parameter.secondary_opts)
            yield " ".join(option.lstrip("-").replace("-", " ") for option in spellings)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            further = command.get_command(context, name)
            assert further is not None
            yield from help_texts(further)


def explained() -> set[str]:
    """The words of the glossary's first column."""
    text = GLOSSARY.read_text()
    heads = [line.split(" | ")[0].removeprefix("| ") for line in text.splitlines() if line.startswith("| ")]
    return {word for head in heads for word in _parts(re.findall(r"[A-Za-z]+(?:['-][A-Za-z]+)*", head.lower()))}


def plain_words() -> list[str]:
    """The committed list of plain English words."""
    return PLAIN.read_text().split()


def _parts(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        yield word
        yield from word.split("-")


def unknown(words: Iterable[str], known: set[str]) -> set[str]:
    """The words that are neither known nor a form or a compound of known ones."""
    return {word for word in set(words) if not _known(word, known)}


def _known(word: str, known: set[str]) -> bool:
    if word in known or any(word.endswith(end) and word.removesuffix(end) + stem in known for end, stem in _ENDINGS):
        return True
    return "-" in word and all(_known(part, known) for part in word.split("-"))
