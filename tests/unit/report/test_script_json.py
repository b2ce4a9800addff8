from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from epsilens.report.script_json import json_for_a_script


def test_no_text_ends_the_element_and_all_of_it_is_read_again() -> None:
    evil = {"</script><!--": ["&lt;", "\u2028\u2029", "é", 0.1]}
    text = json_for_a_script(evil)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == evil


def test_numbers_of_numpy_are_numbers_and_what_is_not_a_number_is_refused() -> None:
    assert json_for_a_script([np.float64(0.5), np.int64(3), Path("a")]) == '[0.5,3,"a"]'
    with pytest.raises(ValueError, match="JSON compliant"):
        json_for_a_script([float("nan")])
