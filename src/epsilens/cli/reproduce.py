"""``epsilens reproduce``: every published number beside ours."""

from __future__ import annotations

import click

from epsilens.cli.options import JSON


@click.command("reproduce")
@click.argument("papers", nargs=-1, metavar="[P0|P1|P2|P3|P4|all]...")
@click.option("--data", type=click.Path(), metavar="DIR", help="The folder with the papers' data files.")
@click.option(
    "--verdict",
    "verdicts",
    multiple=True,
    metavar="V",
    help="Only rows with this verdict, such as 'misprint' or 'false'; repeat it for several.",
)
@click.option(
    "--out", type=click.Path(), metavar="DIR", help="Write reproduction.json, reproduction.html and the figures here."
)
@JSON
def command(
    papers: tuple[str, ...], data: str | None, verdicts: tuple[str, ...], out: str | None, as_json: bool
) -> None:
    """Every table, figure and number of the five papers beside ours, with a computed verdict.

    P0 and P1 are about the homogeneity attack, P2 about disclosure avoidance systems, P3 about sensitivities, P4 about
    the Bayesian adversary. What needs data says which file; the rest needs none.

    \b
    Examples:
      epsilens reproduce P3
      epsilens reproduce P4 --verdict misprint --verdict false
      epsilens reproduce all --data . --out reproduction

    Nothing of a table of your own is read, so the result is not internal, unless DIR has other data under these names.
    """
    from epsilens.cli.again import shell_line
    from epsilens.cli.saving import WORDS
    from epsilens.cli.terminal import print_json, show, working
    from epsilens.report.page.parts import Again
    from epsilens.report.reproduction_folder import check_folder, write_folder
    from epsilens.report.words.reproduce import summary, written
    from epsilens.reproduce.question import Question, answer, steps

    question = Question(papers, data, verdicts)
    folder = None if out is None else check_folder(out)
    with working("reproducing", steps(question, drawn=folder is not None)) as done:
        found = answer(question, done, drawn=folder is not None)
        words = click.get_current_context().meta.get(WORDS, ())
        again = Again(shell_line(["epsilens", "reproduce", *words]))
        files = [] if folder is None else write_folder(found, folder, again)
    if as_json:
        print_json(found.to_dict() | ({"files": files} if files else {}))
        return
    show([*summary(found), *written(files)])
