"""The words of a sample: what is at risk for people of the population, who may be in it or not."""

from __future__ import annotations

from collections.abc import Iterator

from epsilens.choice.population_risks import AssessedPopulation, PopulationLine
from epsilens.homogeneity.samples.attackers import THRESHOLD, AttackerModel
from epsilens.homogeneity.samples.risks import PopulationRisk
from epsilens.report.words.common import (
    BLANK,
    Block,
    Grid,
    Heading,
    Note,
    Text,
    budget_text,
    counted,
    finer_percent,
    number,
    percent,
    verb,
)

HEADINGS = ("in the\nsample", "not\nin it", "of the\npopulation", "worst-\noff", "above\n50 %", "believing\nis right")

LARGE_GAP = 0.01
"""From where on the weights of people and those of their cells are said to disagree about a value's share."""

ATTACKERS = {
    "prosecutor": "knows that somebody is in the sample: 1 / people in their cell of it",
    "journalist": "does not, and has a register of the population: 1 / people in their cell there",
    "individual": "as journalist, where that number is not known: sdcMicro's individual risk",
    "marketer": "links all records to such a register: the share that is linked rightly",
}
"""What ARX and sdcMicro call attackers, and who they are."""


def population_blocks(population: AssessedPopulation | None) -> Iterator[Block]:
    """All that is said of the population; nothing where the table is not a sample."""
    if population is None:
        return
    yield Heading("If this is a sample")
    yield Text(stands_for_sentence(population), indent=2)
    yield BLANK
    for sensitive, today in population.today.items():
        yield from _of_attribute(population, sensitive, today)
    yield from (Text(sentence, indent=2) for sentence in unseen_sentences(population))
    yield Text(uniques_sentence(population), indent=2)
    yield BLANK
    yield attackers_grid(population)
    yield Note(
        "The words of ARX and sdcMicro, for records that are found, whatever they then give away; of the sample as it "
        "is, without noise."
    )
    yield BLANK


def stands_for_sentence(population: AssessedPopulation) -> str:
    """How many people the sample stands for, and what is assumed of those who are not in it."""
    how = "by its survey weights" if population.known_by == "weights" else "by its sampling fraction"
    return (
        f"{counted(population.sample, 'person')} {verb(population.sample, 'stands', 'stand')} for "
        f"{_people(population.people)} of the population {how}, "
        f"{percent(population.fraction)} of it. What those have who were not asked is predicted from the people of "
        "their cell who were, and from all other cells (Dirichlet-multinomial law); within a cell, being asked has "
        "nothing to do with the value."
    )


def _of_attribute(population: AssessedPopulation, sensitive: str, today: PopulationRisk) -> Iterator[Block]:
    lines = [line for line in population.lines if line.sensitive == sensitive]
    for mechanism in dict.fromkeys(line.mechanism for line in lines):
        own = [line for line in lines if line.mechanism == mechanism]
        for measure in own[0].risks:
            yield _grid(sensitive, mechanism, measure, own, today)
            yield BLANK
        told = min(own, key=lambda line: abs(line.epsilon - 1.0))
        yield Text(believing_sentence(told, sensitive in population.partly_harmful), indent=2)
    yield Note(
        "A person is at risk where the value that is shown is theirs: below the local risk that counts a cell if "
        "anybody in it has it."
    )
    if (law := population.laws[sensitive]).message:
        yield Note(f"The law of those not in the sample: {law.message}.")
    if (gap := population.gaps.get(sensitive, 0.0)) >= LARGE_GAP:
        yield Note(
            f"By the weights of those who have it, the share of a {sensitive} in the population is up to "
            f"{100 * gap:.1f} percentage points away from what cells predict: within cells, being asked may have to do "
            "with it."
        )
    yield BLANK


def _grid(sensitive: str, mechanism: str, measure: str, lines: list[PopulationLine], today: PopulationRisk) -> Grid:
    """A row for each budget, and first one for today where the measure is of the table as it is."""
    several = len({line.delta for line in lines}) > 1
    keys = ("delta", "epsilon") if several else ("epsilon",)
    anybody = any(line.risks[measure].somebody is not None for line in lines)
    headings = [*keys, *HEADINGS, *(["anybody of\nthe cell"] if anybody else [])]
    rows = [[*(f"{getattr(line, key):g}" for key in keys), *_row(line.risks[measure])] for line in lines]
    if measure == "local":
        rows.insert(0, [*[""] * (len(keys) - 1), "no noise", *_row(today)])
    return Grid(f"{sensitive} with {mechanism} noise, {measure}: risk of a person", headings, rows, keys=len(keys))


def _row(risk: PopulationRisk) -> list[str]:
    shown = [
        percent(risk.sample),
        "-" if risk.rest is None else percent(risk.rest),
        percent(risk.population),
        percent(risk.worst),
        percent(risk.above_half),
        percent(risk.precision) if risk.right + risk.wrong > 0 else "-",
    ]
    return shown if risk.somebody is None else [*shown, percent(risk.somebody)]


def believing_sentence(line: PopulationLine, partly_harmful: bool = False) -> str:
    """Whether believing the table beats guessing without it, for somebody of the population."""
    measure, risk = next(iter(line.risks.items()))
    where = f"At {budget_text(line.budget)} with {line.mechanism} noise"
    if risk.right + risk.wrong == 0:
        return f"{where}, no cell shows a single {line.sensitive}{' that harms' if partly_harmful else ''}."
    believing, guessing = finer_percent(risk.precision, risk.guessing)
    harmful = "harmful " if partly_harmful else ""
    what = f"a cell that shows a single {harmful}{line.sensitive}"
    if measure != "local":
        what = f"the {measure} guess{' where it is a harmful one' if partly_harmful else ''}"
    said = (
        f"{where}, believing {what} is right {believing} of the time for somebody of the population, against "
        f"{guessing} by guessing the commonest {harmful}value without the table"
    )
    return f"{said}." if risk.teaches else f"{said}: of them the table teaches less than is known without it."


def unseen_sentences(population: AssessedPopulation) -> list[str]:
    """Who is in cells with nobody of the sample, and what that changes."""
    if not population.unseen:
        return []
    said = [
        f"About {_persons(population.unseen)} ({percent(population.unseen / population.people)} of the "
        f"population) {verb(round(population.unseen))} in cells with nobody of the sample."
    ]
    found = [line for line in population.lines if _counted_apart(line) is not None]
    if not found:
        return [*said, "What is possible in those cells is not known, so that they are not counted apart."]
    line = min(found, key=lambda one: abs(one.epsilon - 1.0))
    risk = _counted_apart(line)
    assert risk is not None
    assert risk.with_unseen is not None
    published = (
        "The universe is declared, so these cells are published as well, and the noise may show a value there"
        if population.published_empty
        else "No universe is declared, so these cells are not published and show nothing"
    )
    said.append(
        f"{published}: counting them so, the {next(iter(line.risks))} risk of somebody of the population is "
        f"{percent(risk.with_unseen)} for {line.sensitive} at {budget_text(line.budget)}."
    )
    if risk.without_model is not None:
        said.append(
            "Without the law of the rest, by leaving out one person of the sample after the other, that of somebody "
            f"who is not in the sample is {percent(risk.without_model)}, such cells included."
        )
    return said


def _counted_apart(line: PopulationLine) -> PopulationRisk | None:
    """The risk of the first measure, where it is known with unseen cells counted apart."""
    first = next(iter(line.risks.values()))
    return first if first.with_unseen is not None else None


def uniques_sentence(population: AssessedPopulation) -> str:
    """How many sample uniques are expected to be alone in the population."""
    uniques = population.uniques
    best = uniques.best
    name = best.law.replace("-", " ").replace("poisson", "Poisson")
    return (
        f"{counted(uniques.sample_uniques, 'person')} {verb(uniques.sample_uniques)} alone in a cell of the sample; "
        f"with {name} sizes of cells, {_people(best.among_sample_uniques)} of them "
        f"{verb(round(best.among_sample_uniques))} expected to be alone in the population, and "
        f"{_persons(best.in_population)} of the population altogether."
    )


def attackers_grid(population: AssessedPopulation) -> Grid:
    """Prosecutor, journalist and marketer, each in one line."""
    found = population.attackers
    rows = []
    for name, what in ATTACKERS.items():
        value = getattr(found, name)
        if isinstance(value, AttackerModel):
            numbers = [percent(value.highest), percent(value.average), percent(value.above)]
        else:
            numbers = ["", percent(value), ""]
        rows.append([name, what, *numbers])
    above = f"records\n> {100 * THRESHOLD:g} %"
    return Grid("Records that are found", ("attacker", "who it is", "highest", "average", above), rows, words=2)


def _persons(count: float) -> str:
    """``1 person``, ``0.2 people``, ``1,234 people``."""
    return f"{_people(count)} {verb(round(count) if _whole(count) else 2, 'person', 'people')}"


def _whole(count: float) -> bool:
    return count >= 10 or count == round(count)


def _people(count: float) -> str:
    """A number of people that may be an estimate."""
    return number(round(count)) if _whole(count) else f"{count:.2g}"
