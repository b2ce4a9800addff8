"""The words of help texts are explained in the glossary or plain English; what answers print is tested with them.

That the words of answers and the keys of JSON are, too, is in ``tests/integration/test_glossary.py``.
"""

from __future__ import annotations

import re

from tests.support.printed_words import (
    GLOSSARY,
    OF_THE_DEMO,
    explained,
    help_texts,
    plain_words,
    unknown,
    words_of,
    words_of_keys,
)

_JARGON = """
anonymity bias composition covariance delta dirichlet entropy epsilon gaussian homogeneity identifier laplace ledger
likelihood marginal mechanism median noise poisson posterior prior quantile quasi rho sensitivity simplex suppression
swapping universe variance
"""
JARGON = set(_JARGON.split())


def test_every_word_of_a_help_text_is_explained_or_plain() -> None:
    known = explained() | set(plain_words()) | OF_THE_DEMO
    assert unknown((word for text in help_texts() for word in words_of(text)), known) == set()


def test_the_list_of_plain_words_is_sorted_and_has_no_jargon() -> None:
    words = plain_words()
    assert words == sorted(set(words))
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", word) for word in words)
    assert not set(words) & explained()  # nothing is said to be plain that the glossary explains
    assert not set(words) & JARGON
    assert explained() >= JARGON


def test_every_word_of_the_glossary_has_a_meaning() -> None:
    rows = [line for line in GLOSSARY.read_text().splitlines() if line.startswith("| ")]
    assert len(rows) > 200
    for row in rows:
        _, head, meaning, _ = row.split("|") if row.count("|") == 3 else ("", "", "", row)
        assert head.strip(), row
        assert len(meaning.split()) >= 2, row


def test_words_and_keys_are_found() -> None:
    text = (
        "Take epsilon = 0.5 (laplace noise), x/y 'a=b' `--code` k-anonymity's value\n  epsilens assess p.csv --qid age"
    )
    assert list(words_of(text)) == ["take", "epsilon", "laplace", "noise", "k-anonymity", "value"]
    assert list(words_of_keys({"by_value": [{"tvd_1": 0}], "20-40k": {"p": 1}})) == ["by", "value", "tvd", "p"]
    assert unknown(["cells", "coarsened", "k-anonymity", "frobs"], {"cell", "coarsen", "k", "anonymity"}) == {"frobs"}
