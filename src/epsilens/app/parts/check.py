"""The check question on the page: asked until it is answered rightly, for every guarantee anew."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from epsilens.app.parts.blocks import plain
from epsilens.app.work import Work
from epsilens.release.tables.guarantee import guarantee_of_plan
from epsilens.release.tables.question import TablesQuestion
from epsilens.release.terms import Understood
from epsilens.report.words.check_question import RIGHT, TURNED_OFF, WRONG, CheckQuestion, check_question
from epsilens.report.words.dial_sentences import Names


@dataclass
class Asked:
    """How often somebody answered, and whether rightly."""

    tries: int = 0
    right: bool = False

    def answer(self, question: CheckQuestion, chosen: str | None) -> None:
        """Take an answer; choosing nothing is not a try."""
        if chosen is None or self.right:
            return
        self.tries += 1
        self.right = chosen == question.options[question.right]


def is_turned_off(work: Work) -> bool:
    """Whether the project says that nobody is to be asked."""
    return work.project.section("about").get("check_question") is False


def understood(work: Work, question: TablesQuestion, earlier: int = 0) -> Understood | None:
    """Ask, and give what the ledger is told; nothing as long as there is no right answer.

    Every release is asked about by itself: ``earlier`` is how many were made before it.
    """
    if is_turned_off(work):
        st.write(TURNED_OFF)
        return Understood(None)
    names = Names.of(work.project.section("about"))
    found = check_question(guarantee_of_plan(question.plan), names, question.person.neighbours)
    asked: Asked = work.latest("check question", (found, earlier), Asked)
    if asked.tries and not asked.right:
        st.warning(WRONG)
    st.write(plain(found.sentence))
    if asked.right:
        st.success(f"{RIGHT} {plain(found.question)} {plain(found.options[found.right])}.")
        return Understood(asked.tries)
    with st.form("check-question"):
        chosen = st.radio(
            plain(found.question),
            found.options,
            index=None,
            help="One question about the sentence above, so that nobody releases by mistake. The ledger notes that it "
            "was answered. A project can turn it off.",
        )
        if st.form_submit_button("This is my answer"):
            asked.answer(found, chosen)
            st.rerun()
    return None
