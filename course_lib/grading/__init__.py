"""Grading with nbgrader: its gradebook, file layout and formgrader stay the interface."""

import sys

# jsonschema, which nbformat imports, would compile a grammar of web addresses for seconds.
sys.modules.setdefault("rfc3987_syntax", None)
