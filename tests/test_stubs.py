"""stubs: in IPython a piece that is not written yet is one sentence; other errors keep their traceback."""

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

INSTALL = "from course_lib.checks.stubs import install_stub_handler; install_stub_handler()"
STUB = "def softmax(x):\n    raise NotImplementedError()\n"


@pytest.fixture
def shell():
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    yield shell
    shell.restore_sys_module_state()


def shown(shell, capsys, cell):
    shell.run_cell(cell)
    return capsys.readouterr().out


def test_a_stub_is_one_sentence(shell, capsys):
    shell.run_cell(INSTALL)
    sentence = "NotImplementedError: this cell needs softmax, which is not written yet.\n"
    assert shown(shell, capsys, STUB + "softmax(1)") == sentence
    sentence = "NotImplementedError: this cell is not written yet.\n"
    assert shown(shell, capsys, "raise NotImplementedError()") == sentence
    assert f"NotImplementedError: {shell.run_cell('softmax(1)').error_in_exec}\n" == capsys.readouterr().out


def test_a_class_that_is_not_written_is_called_by_its_name(shell, capsys):
    shell.run_cell(INSTALL)
    sentence = "NotImplementedError: this cell needs Softmax, which is not written yet.\n"
    stub = f"class Softmax:\n    def __init__(self):\n        {STUB.splitlines()[1].strip()}\n"
    assert shown(shell, capsys, f"{stub}Softmax()") == sentence


@pytest.mark.parametrize(
    "cell",
    [
        "raise NotImplementedError('some day')",
        "from concurrent.futures import Executor; Executor().submit(print)",
        "raise NameError(name='x')",
        "nowhere",
    ],
)
def test_other_errors_of_that_kind_keep_their_traceback(shell, capsys, cell):
    shell.run_cell(INSTALL)
    assert "Traceback" in shown(shell, capsys, cell)


def test_what_a_stub_kept_from_being_made_is_said(shell, capsys):
    shell.run_cell(INSTALL)
    shell.run_cell(f"{STUB}first = softmax(1)\nsecond = 2")
    shell.run_cell("third = first + 1")
    capsys.readouterr()
    lacks = (
        "NameError: this cell needs `{}`, which a cell above could not make: "
        + "softmax was not written. Write it, and run that cell again.\n"
    )
    assert shown(shell, capsys, "print(second)") == lacks.format("second")
    assert shown(shell, capsys, "def show():\n    return third\nshow()") == lacks.format("third")
    assert shown(shell, capsys, "second = 3; print(second)") == "3\n"


def test_a_handler_that_is_there_stays(shell, capsys):
    shell.set_custom_exc((ValueError,), lambda *args: None)
    shell.run_cell(INSTALL)
    assert shell.custom_exceptions == (ValueError,)


def test_without_ipython_nothing_happens():
    from course_lib.checks.stubs import install_stub_handler

    install_stub_handler()
