"""Build notebooks from lessons' texts, and make releases."""

import sys

# jsonschema, which nbformat imports, would use this package to compile a grammar of web addresses: over a
# second, and there is no setting against it. It stands here because a package runs before its modules.
sys.modules.setdefault("rfc3987_syntax", None)  # pyright: ignore[reportArgumentType]  (None: not installed)
