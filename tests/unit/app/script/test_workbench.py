from __future__ import annotations

from epsilens.app.server import SCRIPT


def test_streamlit_finds_no_scripts_beside_it() -> None:
    assert SCRIPT.is_file()
    assert not (SCRIPT.parent / "pages").exists()
