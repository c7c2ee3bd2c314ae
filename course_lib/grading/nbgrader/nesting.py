"""How deep learners' JSON is nested: much deeper, and who copies or writes a notebook fails."""

from typing import Any

DEEPEST = 100  # lists and dicts in each other


def is_too_deep(value: Any) -> bool:
    """Whether more than DEEPEST lists and dicts of this value of JSON are in each other."""
    layer = [value]
    for _ in range(DEEPEST + 1):
        boxes = [
            one.values() if isinstance(one, dict) else one for one in layer if isinstance(one, dict | list)
        ]
        if not boxes:
            return False
        layer = [item for box in boxes for item in box]
    return True
