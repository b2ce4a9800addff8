"""The choices so far, on every page."""

from __future__ import annotations

from epsilens.app.parts.summary import summary_html
from epsilens.app.work import Work


def test_whatever_was_typed_is_escaped() -> None:
    work = Work()
    assert summary_html(work).startswith('<dl class="el-so-far" aria-label="Choices so far"><div><dt>Data:</dt>')
    work.change("data", source="people.csv", sensitive=["<script>alert(1)</script>"])
    said = summary_html(work)
    assert "<dd>people.csv</dd>" in said
    assert "<script>" not in said
    assert "&lt;script&gt;" in said
