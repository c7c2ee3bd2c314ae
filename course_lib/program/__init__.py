"""`program()`: the learner's pieces as one file, a translator or a GPT, that needs only torch."""

import ast
import shlex
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from course_lib.atomic import write_atomically
from course_lib.checks.definitions import Definition, bound_names, first_line
from course_lib.checks.pieces import LESSON_OF, import_order, renamed
from course_lib.program.html import PAGE, checked, write_empty_page
from course_lib.program.messages import ForeignFileError, program_is_written
from course_lib.yours import NONE_KEPT, Pieces

HERE = Path(__file__).parent
SPECIAL = ("PAD", "BOS", "EOS", "UNK")
IDS = f"{', '.join(SPECIAL)} = range(4)"


@dataclass(frozen=True)
class Program:
    """What a file is made of. `first` is how its text begins, which is how it is known again."""

    main: Path
    roots: tuple[str, ...]
    first: str
    about: str
    commands: tuple[str, ...]
    has_page: bool = False  # it can put its model into a page, which is written beside it

    @property
    def name(self) -> str:
        return f"my_{self.main.stem}.py"

    @property
    def ends(self) -> list[Path]:
        """The files whose text is below the pieces."""
        return [HERE / "common.py", *[HERE / "page.py"] * self.has_page, self.main]


TRANSFORMER = Program(
    HERE / "transformer.py",
    ("Vocabulary", "Transformer", "make_batches", "train", "greedy_decode", "bleu", "attention_maps"),
    '"""A Transformer that puts English into Chinese, written by hand.',
    """
    python {0} train train.tsv
    python {0} translate "i like tea"
    python {0} evaluate test.tsv
    python {0} show "i like tea"
    python {0} page test.tsv

`page` puts the trained model into my_translator.html, which works in any browser without a network.
`course corpus --to FOLDER` writes train.tsv, test.tsv and compositional.tsv; any file of lines
`english TAB chinese` works too. The program needs torch, and `show` needs matplotlib.
""",
    ("train train.tsv", 'translate "i like tea"', "page test.tsv"),
    has_page=True,
)
GPT = Program(
    HERE / "gpt.py",
    ("Vocabulary", "pad_batch", "GPT", "CachedAttention", "generate"),
    '"""A GPT that continues texts and translates, written by hand.',
    """
    python {0} train train.tsv
    python {0} sample "the old teacher"
    python {0} translate "i like tea"

`course corpus --to FOLDER` writes train.tsv; any file with a text a line works too, or lines
`english TAB chinese`, which `translate` needs. The program needs torch.
""",
    ("train train.tsv", 'sample "the old teacher"', 'translate "i like tea"'),
)


def program(path: str | Path | None = None, kind: Program = TRANSFORMER) -> None:
    """Write all pieces of a program into one file, in the order of the course, and say whose they are.

    Yours are those that earned full points. The others are the course's, each marked. A file that an earlier
    call wrote is replaced. Beside a translator it writes a page, `my_translator.html`, and the program's
    command `page` puts the trained model into it. Raises ForeignFileError if another file has such a name.
    """
    path = Path(path or kind.name)
    if path.exists() and not path.read_text(encoding="utf-8", errors="replace").startswith(kind.first):
        raise ForeignFileError(path)
    page = checked(path.with_name(PAGE)) if kind.has_page else None
    pieces = Pieces(kind.roots)
    with write_atomically(path) as file:
        file.write(_text(pieces, path.name, kind).encode())
    print(pieces)
    if page:
        write_empty_page(page)
    print(program_is_written(path), *_commands(path, kind), sep="\n    ")


def _commands(path: Path, kind: Program) -> Iterator[str]:
    """What a shell runs in the file's folder, by this Python: another may not have torch."""
    python = shlex.quote(sys.executable)
    yield f"cd {shlex.quote(str(path.resolve().parent))}"
    yield f"{python} -m course_lib corpus --to ."
    for command in kind.commands:
        yield f"{python} {shlex.quote(path.name)} {command}"


def _text(pieces: Pieces, name: str, kind: Program) -> str:
    file = _File(pieces.in_order())
    ends = [file.take_main(path.read_text(encoding="utf-8")) for path in kind.ends]
    sections = []
    for piece in pieces.in_order():
        reason = pieces.reasons.get(piece)
        whose = "the course's" if reason else "yours"
        whose += f": {reason}" if reason and reason != NONE_KEPT else ""
        code = file.take_piece(piece, pieces.text(piece))
        sections.append(f"# {piece}, lesson {LESSON_OF[piece][:2]} ({whose})\n\n{code}")
    count, others = len(sections), len(pieces.reasons)
    whose = "all are yours"
    if others:
        whose = f"{count - others} are yours, and {others} are the course's and marked"
    imports = "\n".join(sorted(sorted(file.imports), key=import_order))
    made = f'It has {count} pieces: {whose}.\n"""\n'
    head = f"{kind.first}\n{kind.about.format(name)}{made}\n{imports}\n\n{IDS}"
    return "\n\n\n".join([head, *sections, *(end.rstrip() for end in ends)]) + "\n"


class _File:
    """What the file has so far: its imports, and all its names, each with the code that defines it.

    The names of the pieces are theirs from the beginning.
    """

    def __init__(self, pieces: Collection[str]) -> None:
        self.pieces = pieces
        self.imports: set[str] = set()
        self._names = {name: f"{name} = {number}" for number, name in enumerate(SPECIAL)}

    def take_main(self, text: str) -> str:
        """The text below its imports."""
        statements = self._without_imports(text, {})
        self._names |= {name: ast.unparse(node) for node in statements for name in bound_names(node)}
        return "\n".join(text.splitlines()[statements[0].lineno - 1 :])

    def take_piece(self, piece: str, text: str) -> str:
        """The piece and what it needs; what has a name that stands for something else here gets a new one."""
        clashes = {
            name: f"{name}_of_{piece}"
            for node in _single(ast.parse(text).body)
            for name in bound_names(node)
            if name != piece
            and (name in self.pieces or self._names.get(name, ast.unparse(node)) != ast.unparse(node))
        }
        text = renamed(text, clashes)
        kept = []
        for node in self._without_imports(text, clashes):
            names = list(bound_names(node))
            if not all(name in self._names for name in names):
                kept.append(node)
            self._names |= dict.fromkeys(names, ast.unparse(node))
        lines, blocks = text.splitlines(), []
        for is_definition, nodes in groupby(kept, lambda node: isinstance(node, Definition)):
            each = ("\n".join(lines[first_line(node) - 1 : node.end_lineno]) for node in nodes)
            blocks.append(("\n\n\n" if is_definition else "\n").join(each))
        return "\n\n\n".join(blocks)

    def _without_imports(self, text: str, new_names: Mapping[str, str]) -> list[ast.stmt]:
        statements = list(_single(ast.parse(text).body))
        imports = [node for node in statements if isinstance(node, (ast.Import, ast.ImportFrom))]
        for node in imports:
            (name,), (alias,) = bound_names(node), node.names
            if name in new_names:
                alias.asname = new_names[name]
            self._names[new_names.get(name, name)] = ast.unparse(node)
            self.imports.add(ast.unparse(node))
        return [node for node in statements if node not in imports]


def _single(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The same, but each import has one name."""
    for node in statements:
        if isinstance(node, ast.ImportFrom):
            yield from (ast.ImportFrom(node.module, [alias], node.level) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (ast.Import([alias]) for alias in node.names)
        else:
            yield node
