from __future__ import annotations

from epsilens.report.words.common import Text
from epsilens.report.words.demo import introduction, written


def test_nobody_is_real_and_what_to_try_next() -> None:
    first = introduction(50_000)[0]
    assert isinstance(first, Text)
    assert first.text.startswith("A synthetic population of 50,000 people (nobody is real).")
    _, *hint = [block.text for block in written(3000, "p.parquet") if isinstance(block, Text)]
    assert hint == ["epsilens assess p.parquet --qid block_group,age,sex,race \\", "--bins age=10 --sensitive disease"]
