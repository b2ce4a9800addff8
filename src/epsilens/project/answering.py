"""What a project asks as each command, and the answer; the same questions and words as those of the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.project import asking
from epsilens.project.keys import ANSWERED, KEYS
from epsilens.project.releasing import release
from epsilens.project.values import converted, plain

if TYPE_CHECKING:
    from epsilens.choice.questions.assess import Question
    from epsilens.choice.questions.assessment import Assessment
    from epsilens.table.engine import Engine
    from epsilens.table.to_read import HierarchyToRead, TableToRead

Progress = Callable[[int], None] | None
Asked = Mapping[str, Any]
"""Parameters of a command as they stand in a project."""


def given_of(command: str, asked: Asked) -> dict[str, Any]:
    """The parameters of ``command`` as the library takes them; one that is wrong is refused by its name."""
    kinds = KEYS[one_of("command", command, ANSWERED)]
    given = {name: converted(kinds[name], name, value) for name, value in asked.items()}
    if not given.get("source"):
        raise ParameterError("is missing: say in [data] of the project where the data are", parameter="source")
    return given


def data_of(command: str, asked: Asked) -> TableToRead | HierarchyToRead:
    """The data that ``command`` is asked about, not read yet."""
    given = given_of(command, asked)
    return asking.hierarchy_of(given) if command == "posterior release" else asking.table_of(given)


def question_of(command: str, asked: Asked) -> Any:
    """The question, with where its data are wherever a question knows it."""
    given = given_of(command, asked)
    if command == "assess":
        return replace(asking.assess(given, given, given.get("cells", 0)), data=asking.table_of(given))
    if command == "choose":
        return (asking.choose_delta if "fixed_epsilon" in given else asking.choose)(given, given)
    if command == "knowledge":
        return asking.knowledge(given)
    if command == "compare":
        return asking.compare(given, given)
    if command == "posterior release":
        return asking.posterior_release(given)
    return release(given)


def engine_of(asked: Asked) -> Engine | None:
    """The engine that reads the data, where anything is said of one; a parameter that is wrong is refused."""
    kinds = KEYS["assess"]
    given = {name: converted(kinds[name], name, value) for name, value in asked.items() if value is not None}
    return asking.engine_of(given)


def answer_of(command: str, asked: Asked, table: Any = None, progress: Progress = None) -> Any:
    """The answer; ``table`` is what was read already."""
    from epsilens.table.engine import using

    with using(asking.engine_of(given_of(command, asked))):
        return _answer_of(command, asked, table, progress)


def _answer_of(command: str, asked: Asked, table: Any, progress: Progress) -> Any:
    question = question_of(command, asked)
    if command == "assess":
        from epsilens.choice.questions.assess import answer

        found = answer(question, table, progress)
        column = asked.get("household")
        return found if column is None else with_households(found, question.data, column, question)
    if command == "choose":
        from epsilens.choice.questions import choose, choose_delta

        data = question.read() if table is None else table
        if isinstance(question, choose_delta.Question):
            return choose_delta.answer(question, data)
        return choose.answer(question, data, progress)
    if command == "knowledge":
        from epsilens.choice.questions import knowledge

        return knowledge.answer(question, question.data.read() if table is None else table, progress)
    if command == "compare":
        from epsilens.choice.questions import compare

        return compare.answer(question, table, progress)
    given = given_of(command, asked)
    if command == "posterior release":
        from epsilens.choice.questions.posterior import release as of_release

        situations = question.read(given["source"], given.get("table")) if table is None else table
        return of_release.answer(question, situations)
    from epsilens.release.tables.release import released
    from epsilens.release.terms import Watch

    return released(question, given["source"] if table is None else table, Watch(progress=progress))


def with_households(found: Assessment, data: TableToRead, column: str, question: Question) -> Assessment:
    """The assessment with the attack on households who share the sensitive value."""
    from epsilens.choice.households import assess_households, check_household_question, households_to_assess

    check_household_question(data, column, question.publish)
    homes = households_to_assess(data, column)
    noises = [(line.mechanism, line.budget, line.noise) for line in found.lines]
    return replace(found, households=assess_households(column, homes, noises, question.neighbours))


def has_curves(question: Question) -> bool:
    """Whether the JSON of an assessment has curves: where somebody said along what, or between which ends."""
    return question.axis != "epsilon" or question.epsilon_range is not None


def worded(command: str, answer: Any, asked: Asked, table: Any = None) -> dict[str, Any]:
    """The answer with its sentences, in plain values."""
    one_of("command", command, ANSWERED)
    found: dict[str, Any]
    if command == "assess":
        from epsilens.report.words import assess

        found = assess.worded(answer)
        if has_curves(answer.question):
            from epsilens.choice.questions.assess import assessment_curves

            counted = question_of(command, asked).data.read() if table is None else table
            curves = assessment_curves(counted, answer.question)
            found |= {"curves": [{"sensitive": name, **curve.to_dict()} for name, curve in curves]}
    elif command == "choose":
        from epsilens.choice.questions import choose_delta as of_delta
        from epsilens.report.words import choose, choose_delta

        found = (choose_delta if isinstance(answer, of_delta.Answer) else choose).worded(answer)
    elif command == "knowledge":
        from epsilens.report.words import knowledge

        found = knowledge.worded(answer)
    else:
        found = answer.to_dict()
    result: dict[str, Any] = plain(found)
    return result
