"""Classes that are told by identity: a learner's metaclass may say that its class equals another."""

from typing import Any


class Kinds:
    """Some classes. `kind in kinds` asks nothing of them, as a set or a tuple of classes would."""

    def __init__(self, *kinds: Any) -> None:
        self._kinds = {id(kind): kind for kind in kinds}  # kept, and so are their ids

    def __contains__(self, kind: Any) -> bool:
        return id(kind) in self._kinds
