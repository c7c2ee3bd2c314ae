"""Keeps drawn corpora as files of text: drawing one takes seconds, reading it a fraction of one.

A file begins with a digest of all that its corpus depends on, and of its own content. Where that does not
fit, and where nothing can be read or written, the corpus is drawn.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from sys import intern

from course_lib.atomic import write_atomically
from course_lib.state import folder
from course_lib.text import Pair

MOST = 6  # files, of 5 MB each for a corpus of 30,000 pairs; the oldest goes first
MODULES = [*sorted(Path(__file__).parent.glob("*.py")), Path(__file__).parents[1] / "text.py"]


def digest_of_sources() -> str:
    return sha256(b"".join(module.read_bytes() for module in MODULES)).hexdigest()


SOURCES = digest_of_sources()  # now: while work is graded the modules are there, and their files are not

Lists = Mapping[str, list[Pair]]


class Stored:
    """The file of a corpus that is drawn with these arguments from these rules."""

    def __init__(self, rules: object, arguments: object) -> None:
        # the name does not depend on the rules: with other ones the file is written over
        self.name = f"{sha256(repr(arguments).encode()).hexdigest()[:16]}.txt"
        # the rules in use, too: they are not those of the sources where someone has replaced them
        self.key = repr([SOURCES, rules, arguments]).encode()

    def read(self) -> Lists | None:
        """None where there is no file, or one that is damaged, out of date or somebody else's."""
        try:
            digest, _, content = self._path().read_bytes().partition(b"\n")
        except (OSError, RuntimeError):  # the latter where there is no home
            return None
        if digest != self._digest(content):
            return None
        positions = _Positions()
        return {
            name: [
                Pair(_words(source), _words(target), tuple(map(positions.__getitem__, alignment.split(" "))),
                     tuple(map(intern, structures)), tuple(map(tuple, senses)))
                for source, target, alignment, structures, senses in pairs
            ]
            for name, pairs in json.loads(content).items()
        }  # fmt: skip

    def write(self, lists: Lists) -> None:
        """Does nothing where no file can be written."""
        rows = {name: [_row(pair) for pair in pairs] for name, pairs in lists.items()}
        content = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()
        try:
            path = self._path()
            with write_atomically(path) as file:
                file.writelines([self._digest(content), b"\n", content])
            for old in sorted(path.parent.glob("*.txt"), key=lambda file: file.stat().st_mtime)[:-MOST]:
                old.unlink(missing_ok=True)
        except (OSError, RuntimeError):
            pass

    def _path(self) -> Path:
        place = folder()
        if place is None:
            raise FileNotFoundError("nothing is kept here")
        return place / "corpus" / self.name

    def _digest(self, content: bytes) -> bytes:
        return sha256(self.key + content).hexdigest().encode()


class _Positions(dict[str, tuple[int, ...]]):
    """ "3,4" -> (3, 4), each once: a corpus has few of them, many times."""

    def __missing__(self, text: str) -> tuple[int, ...]:
        self[text] = found = tuple(map(int, text.split(",")))
        return found


def _words(sentence: str) -> tuple[str, ...]:
    return tuple(map(intern, sentence.split(" ")))


def _row(pair: Pair) -> list:
    """A pair with as few lists as can be: the fewer objects, the faster it is read."""
    alignment = " ".join(",".join(map(str, places)) for places in pair.alignment)
    return [" ".join(pair.source), " ".join(pair.target), alignment, pair.structures, pair.senses]
