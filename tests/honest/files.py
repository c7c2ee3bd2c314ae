"""What happens to a notebook as a file: by tools, services, and students who move cells about."""

import json
from collections.abc import Callable

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output, new_raw_cell

from course_lib.grading.nbgrader.repair import grade_id
from honest.answers import functions_of
from honest.solved import answers, imports

Change = Callable[[NotebookNode], None]


def _split(notebook: NotebookNode) -> None:
    """Each answer over two cells: a helper of its own in front."""
    for cell in answers(notebook):
        at = notebook.cells.index(cell)
        names = functions_of(cell.source)
        helpers = [f"def helper_of_{name}(x):\n    return x" for name in names]
        notebook.cells.insert(at, new_code_cell("\n".join(helpers)))


def _moved_out(notebook: NotebookNode) -> None:
    """The answer's text in a cell of the student's own above, the answer's cell left empty."""
    for cell in answers(notebook):
        at = notebook.cells.index(cell)
        notebook.cells.insert(at, new_code_cell(cell.source))
        cell.source = ""


def _moved_below(notebook: NotebookNode) -> None:
    for cell in answers(notebook):
        at = notebook.cells.index(cell)
        notebook.cells.insert(at + 1, new_code_cell(cell.source))
        cell.source = "# see below"


def _stub_left(notebook: NotebookNode) -> None:
    """The stub stays, and the answer stands in a new cell between it and the check."""
    for cell in answers(notebook):
        at = notebook.cells.index(cell)
        notebook.cells.insert(at + 1, new_code_cell(cell.source))
        names = functions_of(cell.source)
        cell.source = "".join(f"def {name}(*args):\n    raise NotImplementedError()\n" for name in names)


def _all_copied(notebook: NotebookNode) -> None:
    notebook.cells += [nbformat.from_dict(cell | {"id": f"c{i}"}) for i, cell in enumerate(notebook.cells)]


def _no_text(notebook: NotebookNode) -> None:
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code"]


def _graded_only(notebook: NotebookNode) -> None:
    first = notebook.cells[imports(notebook)]
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell) or cell is first]


def _checks_gone(notebook: NotebookNode) -> None:
    notebook.cells = [cell for cell in notebook.cells if not grade_id(cell).startswith("check_")]


def _stripped(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata.clear()
    notebook.metadata.clear()


def _no_ids(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        del cell["id"]
    notebook.nbformat_minor = 4


def _format_4_0(notebook: NotebookNode) -> None:
    _no_ids(notebook)
    notebook.nbformat_minor = 0


def _same_ids(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.id = "x"


def _colab(notebook: NotebookNode) -> None:
    _no_ids(notebook)
    notebook.nbformat_minor = 0
    notebook.metadata = nbformat.from_dict(
        {
            "colab": {"provenance": [], "gpuType": "T4", "toc_visible": True},
            "kernelspec": {"name": "python3", "display_name": "Python 3"},
            "language_info": {"name": "python"},
            "accelerator": "GPU",
            "widgets": {"application/vnd.jupyter.widget-state+json": {"abc": {"model_module": "x"}}},
        }
    )
    for i, cell in enumerate(notebook.cells):
        cell.metadata |= {"id": f"Abc{i}", "outputId": "d1", "colab": {"base_uri": "https://localhost:8080/"}}


def _vscode(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata["vscode"] = {"languageId": "python"}
    notebook.metadata["language_info"] = {"name": "python", "version": "3.12.1"}
    notebook.metadata["kernelspec"] = {"name": ".venv", "display_name": ".venv (3.12.1)"}


def _kaggle(notebook: NotebookNode) -> None:
    notebook.metadata["kaggle"] = {"accelerator": "gpu", "dataSources": [], "isInternetEnabled": True}
    notebook.metadata["papermill"] = {"default_parameters": {}, "duration": 3.2, "exception": None}
    for cell in notebook.cells:
        cell.metadata |= {
            "execution": {"iopub.status.busy": "2026-01-01T00:00:00Z"},
            "papermill": {"duration": 0.1, "status": "completed"},
            "_uuid": "8f2839f25d086af736a60e9eeb907d3b93b6e0e5",
            "_cell_guid": "b1076dfc-b9ad-4769-8c92-a6c4dae69d19",
            "trusted": True,
        }


def _databricks(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata["application/vnd.databricks.v1+cell"] = {"cellMetadata": {}, "title": ""}


def _images(notebook: NotebookNode) -> None:
    for cell in answers(notebook)[:3]:
        data = {"image/png": "iVBORw0KGgo" + "A" * 3_000_000, "text/plain": ["<Figure>"]}
        cell.outputs = [new_output("display_data", data)]


def _interrupted(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = [new_output("error", ename="KeyboardInterrupt", evalue="", traceback=["^C"])]


def _counts(notebook: NotebookNode) -> None:
    for i, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            cell.execution_count = 900 - i


def _raw_cells(notebook: NotebookNode) -> None:
    for at in range(len(notebook.cells), 0, -5):
        notebook.cells.insert(at, new_raw_cell("raw = 1"))
    notebook.cells.insert(0, new_raw_cell("---\ntitle: mine\n---"))


def _notes(notebook: NotebookNode) -> None:
    for at in range(len(notebook.cells), 0, -3):
        notebook.cells.insert(at, new_markdown_cell("# 我的笔记 🎉\n$a^2$ ![x](attachment:y.png)"))
    notebook.cells[0].attachments = {"y.png": {"image/png": "AAAA"}}


def _empty_cells(notebook: NotebookNode) -> None:
    for at in range(len(notebook.cells), -1, -1):
        notebook.cells.insert(at, new_code_cell(""))


def _scratch_cells(notebook: NotebookNode) -> None:
    for at in range(len(notebook.cells), 1, -2):
        notebook.cells.insert(at, new_code_cell("torch.manual_seed(3)\nx = torch.randn(2, 3)\nx.shape"))


def _errors(notebook: NotebookNode) -> None:
    for at in range(len(notebook.cells), 1, -4):
        notebook.cells.insert(at, new_code_cell("1 / 0"))


def _tags(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata["tags"] = ["hide-input", "raises-exception", "remove_cell"]
        cell.metadata["jupyter"] = {"source_hidden": True, "outputs_hidden": True}
        cell.metadata |= {"collapsed": True, "scrolled": "auto", "slideshow": {"slide_type": "slide"}}


def _skip_tag(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if grade_id(cell):
            cell.metadata["tags"] = ["skip-execution"]


def _unlocked(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata |= {"editable": True, "deletable": True}
        if grade_id(cell):
            cell.metadata.nbgrader.locked = False


def _tests_edited(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if grade_id(cell).startswith("check_"):
            cell.source = "# " + cell.source + "\nprint('mine')"


def _reordered(notebook: NotebookNode) -> None:
    graded = [i for i, cell in enumerate(notebook.cells) if grade_id(cell)]
    cells = [notebook.cells[i] for i in graded]
    for i, cell in zip(graded, cells[::-1], strict=True):
        notebook.cells[i] = cell


def _checks_last(notebook: NotebookNode) -> None:
    checks = [cell for cell in notebook.cells if grade_id(cell).startswith("check_")]
    notebook.cells = [cell for cell in notebook.cells if cell not in checks] + checks


def _imports_below(notebook: NotebookNode) -> None:
    notebook.cells.append(notebook.cells.pop(imports(notebook)))


def _imports_gone(notebook: NotebookNode) -> None:
    source = notebook.cells.pop(imports(notebook)).source
    answers(notebook)[0].source = source + "\n" + answers(notebook)[0].source


def _one_cell(notebook: NotebookNode) -> None:
    """All answers in the first answer's cell, the others empty."""
    first, *others = answers(notebook)
    for cell in others:
        first.source += "\n\n\n" + cell.source
        cell.source = ""


def _checked_often(notebook: NotebookNode) -> None:
    for cell in [one for one in notebook.cells if grade_id(one).startswith("check_")]:
        at = notebook.cells.index(cell)
        notebook.cells.insert(at, new_code_cell(cell.source))
        notebook.cells.insert(at + 2, new_code_cell(cell.source + "\nprogress()"))


def _kernel_r(notebook: NotebookNode) -> None:
    notebook.metadata["kernelspec"] = {"name": "ir", "display_name": "R", "language": "R"}


CHANGES: dict[str, Change] = {
    name.removeprefix("_"): change
    for name, change in list(globals().items())
    if name.startswith("_") and getattr(change, "__annotations__", {}).get("notebook") is NotebookNode
}


def _written(notebook: NotebookNode, **options) -> bytes:
    return json.dumps(notebook, ensure_ascii=False, **options).encode()


# How the file's bytes may be written.
BYTES: dict[str, Callable[[NotebookNode], bytes]] = {
    "bom": lambda notebook: b"\xef\xbb\xbf" + _written(notebook),
    "crlf": lambda notebook: _written(notebook, indent=1).replace(b"\n", b"\r\n"),
    "ascii": lambda notebook: json.dumps(notebook).encode(),
    "tabs": lambda notebook: _written(notebook, indent="\t"),
    "sorted": lambda notebook: _written(notebook, sort_keys=True),
    "lists": lambda notebook: nbformat.writes(notebook).encode(),
    "blank_lines": lambda notebook: b"\n\n" + _written(notebook) + b"\n\n",
    "nan_in_metadata": lambda notebook: _written(notebook).replace(b'"nbformat":', b'"x": NaN, "nbformat":'),
    "utf16": lambda notebook: json.dumps(notebook).encode("utf-16"),
    "old_v3": lambda notebook: nbformat.v3.writes_json(nbformat.convert(notebook, 3)).encode(),
}
