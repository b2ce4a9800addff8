"""``epsilens protect``: a table without a guarantee, as traditional disclosure avoidance publishes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from epsilens.cli import options
from epsilens.cli.options import counted_table, names, number, table_to_read, taken, whole_number, with_options
from epsilens.errors import ParameterError

if TYPE_CHECKING:
    from epsilens.choice.questions.protect import Question


@click.command("protect")
@with_options(options.SOURCE)
@click.option("--system", metavar="S", help="How to protect it: a name (see above).")
@click.option("--k", callback=whole_number, metavar="K", help="Threshold of suppression, or class size.  [default: 6]")
@click.option("--base", callback=whole_number, metavar="B", help="Round to multiples of this.  [default: 5]")
@click.option(
    "--swapped-share",
    callback=number,
    metavar="P",
    help="Share of people (or cells) that change places.  [default: 0.1]",
)
@options.SWAPPED_COLUMNS
@options.ORDERED
@options.GENERALISATIONS
@click.option(
    "--max-suppressed",
    callback=number,
    metavar="P",
    help="Share of people whom k-anonymity-full-domain may leave out.  [default: 0.05]",
)
@click.option(
    "--node",
    multiple=True,
    callback=names,
    metavar="COL=N,..",
    help="Generalise columns to these levels instead of the best ones: age=1,sex=0.",
)
@click.option("--seed", metavar="S", help="Seed of what is drawn.  [default: secret, drawn by the operating system]")
@click.option("--out", type=click.Path(), metavar="FILE.csv", help="Where to write the table.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@options.JSON
def command(**given: Any) -> None:
    """Write a suppressed, rounded, swapped or k-anonymous table.

    The table carries no guarantee of differential privacy; for one, use `epsilens release`. What remains to be learnt
    from it is told, and how it was made is written beside it: FILE.protect.json may go with the table,
    FILE.protect.internal.json holds the seed and the risks and must not.

    \b
    Examples:
      epsilens protect people.csv --qid county,sex --sensitive disease \\
        --system suppression --k 10 --out suppressed.csv
      epsilens protect people.csv --qid county,sex --sensitive disease \\
        --system random-rounding --base 3 --out rounded.csv
      epsilens protect people.csv --qid age,sex,race --sensitive disease \\
        --bins age=10 --ordered age --system k-anonymity-full-domain \\
        --k 20 --max-suppressed 0.02 --out anonymous.csv

    Systems: suppression, suppression-at-least-half, rounding, random-rounding, swapping,
    swapping-different, swapping-cells, swapping-discrepancy, swapping-discrepancy-cells,
    k-anonymity, k-anonymity-relaxed, k-anonymity-full-domain.

    Suppression leaves counts below k blank. swapping exchanges values with the nearest person, which often changes no
    count; swapping-discrepancy takes pairs in proportion to their distance. k-anonymity groups people freely,
    k-anonymity-full-domain generalises whole columns: without a hierarchy an ordered column by neighbours, another to
    any value.

    What is printed is computed from true data: it is internal, not for publication.
    """
    from epsilens.choice.questions.protect import answer
    from epsilens.cli.terminal import print_json, show_internal, working
    from epsilens.release.protected import ProtectedFiles
    from epsilens.report.words.protect import summary

    question = question_from(given)
    if given["out"] is None:
        raise ParameterError("is missing: name the file to write", parameter="out")
    files = ProtectedFiles(given["out"], given["force"])
    files.refuse_taken(given["source"])
    assert question.data is not None
    table = counted_table(question.data)
    with working("Protecting"):
        protection = answer(question, table)
        written = files.write(protection)
    if given["as_json"]:
        print_json(protection.to_dict() | {"files": {role: str(path) for role, path in written.items()}})
        return
    show_internal(summary(protection, written))


def question_from(given: dict[str, Any]) -> Question:
    """The question that the options ask; everything that needs no data is checked."""
    from epsilens.choice.questions.protect import Question
    from epsilens.project.asking import hierarchies_from

    if given["system"] is None:
        raise ParameterError("is missing: name how to protect the table, such as suppression", parameter="system")
    asked = {name: value for name, value in taken(given, Question).items() if name not in ("node", "seed")}
    if given["node"]:
        asked["node"] = _levels(given["node"])
    if given["seed"] is not None:
        asked["seed"] = _seed(given["seed"])
    if given["hierarchy"]:
        asked["hierarchies"] = hierarchies_from(given["hierarchy"])
    return Question(**asked, data=table_to_read(given))


def _seed(text: str) -> int:
    """A whole number of any size, to the last digit."""
    if not (text.isascii() and text.isdigit()) or len(text) > 1000:
        raise ParameterError("must be a whole number >= 0", parameter="seed", got=text[:40])
    return int(text)


def _levels(texts: Sequence[str]) -> dict[str, int]:
    """``age=1`` as {"age": 1}."""
    levels: dict[str, int] = {}
    for text in texts:
        column, separator, level = (part.strip() for part in text.partition("="))
        if not separator or not column or not (level.isascii() and level.isdigit()) or len(level) > 9:
            raise ParameterError(f"must be COL=LEVEL, such as age=1; got {text[:40]!r}", parameter="node")
        if column in levels:
            raise ParameterError(f"names {column!r} twice", parameter="node")
        levels[column] = int(level)
    return levels
