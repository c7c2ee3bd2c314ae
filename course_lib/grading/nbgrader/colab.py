"""What a notebook that was saved on Colab needs before it is graded."""

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor


class StripWidgets(NbGraderPreprocessor):
    """One of autograde's sanitize_preprocessors (see nbgrader_config.py).

    Colab keeps the state of widgets in a form that nbconvert cannot read, so feedback would fail. Outputs
    are made anew, and the state with them.
    """

    def preprocess(self, notebook: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        notebook.metadata.pop("widgets", None)
        return notebook, resources
