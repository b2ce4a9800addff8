"""The project file: open one, save the work to one, or take its text away."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from epsilens.app.parts.blocks import plain
from epsilens.app.problems import calm
from epsilens.app.work import Work
from epsilens.errors import SourceError
from epsilens.project import Project
from epsilens.project.toml_file import sections_of

USUAL_NAME = "epsilens.toml"
LARGEST_MB = 5


def project_file(work: Work) -> None:
    """Open and save; what cannot be opened changes nothing, and nothing is written unless somebody says so."""
    with st.expander("Project file: open or save what you chose"):
        st.write(
            "A project file holds all that is chosen here, and no rows of the data. It is internal all the same: it "
            "says where the data are, and has the values that you typed or filled in. `epsilens run` and Python read "
            "the same file."
        )
        left, right = st.columns(2)
        with left, calm():
            _open(work)
        with right, calm():
            _save(work)


def _open(work: Work) -> None:
    file = st.file_uploader(
        "Open a project file",
        type=["toml"],
        max_upload_size=LARGEST_MB,
        key="project-upload",
        help="What was chosen so far is replaced; undo brings it back.",
    )
    if file is not None and st.button("Open this project", key="open-project-upload"):
        open_text(work, file.name, file.getvalue())
        st.rerun()
    with st.form("project-path", border=False):
        path = st.text_input("Or its path", key="project-open-path", help="A project file on this machine.")
        if st.form_submit_button("Open the project"):
            open_path(work, path)
            st.rerun()


def _save(work: Work) -> None:
    with st.form("project-save", border=False):
        path = st.text_input(
            "Save to",
            work.saved_as or USUAL_NAME,
            help="Where the file is written on this machine: a path of your choice.",
        )
        force = st.checkbox("Replace a file that exists", help="Without this, a file that exists is left as it is.")
        if st.form_submit_button("Save"):
            work.project.save(path.strip(), force)
            work.saved_as = path.strip()
            st.success(plain(f"Saved to {Path(path.strip()).absolute()}."))
    if work.is_held:
        st.write(
            "The data of this project are an upload, which is not saved: put the project file into the folder where "
            "the data are, and it finds them by their name."
        )
    st.download_button(
        "Download the project file",
        work.project.to_toml(),
        USUAL_NAME,
        "application/toml",
        on_click="ignore",
        help="The same text, as a file of your browser.",
    )


def open_text(work: Work, name: str, content: bytes) -> None:
    """Take the project in an uploaded file; its data are those of that name that are open already, or to be opened."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SourceError(f"{name} is not UTF-8 text, so it is not a project file") from None
    work.become(Project(sections_of(text, name)))
    work.forget()


def open_path(work: Work, path: str) -> None:
    """Take the project of a file on this machine, and its data from where the file says they are."""
    if not path.strip():
        raise SourceError("no path is given", remedy="type the path of a project file")
    work.become(Project.load(path.strip()))
    work.hold_none_as(str(work.project.section("data").get("source", "")))
    work.forget()
    work.saved_as = path.strip()
