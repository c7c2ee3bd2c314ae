"""What the audit makes of a cell; that it finds attacks is the hostile corpus' to show."""

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from course_lib.grading.sandbox.audit import Audit


@pytest.mark.parametrize(
    ("source", "flagged"),
    [
        ("%time 1", False),
        ("%run other.py", True),
        ("shell.run_line_magic('time', '')", False),
        ("get_ipython().run_line_magic()", True),
        ("get_ipython().run_line_magic(name, '')", True),
    ],
)
def test_calls_of_magics(source, flagged):
    assert bool(Audit().flags(new_notebook(cells=[new_code_cell(source)]))) == flagged
