"""What a function's code asks for, in the order in which it asks: `torch.nn.Linear` as one chain of names."""

import dis
import functools
from dataclasses import dataclass, field
from types import CodeType

# Between the parts of a chain.
NO_STEP = {"PUSH_NULL", "EXTENDED_ARG", "PRECALL", "NOP", "RESUME", "COPY_FREE_VARS", "MAKE_CELL", "CACHE"}
GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "LOAD_SUPER_METHOD"}
VARIABLES = "LOAD_FAST", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"  # and with something more
NAMES_HERE = "globals", "locals", "vars", "dir", "sys.modules"
STORED = "STORE_FAST", "STORE_DEREF", "STORE_NAME"  # the last at the top of a cell, and in a class


@dataclass
class Chain:
    """kind: of its root: "global", "variable", "import", or "" for a value that has no name.

    stored: the variable in which it is put at once; "" where it is used otherwise. is_changed: whether the
      code gives it an attribute, or takes one away.
    """

    kind: str
    root: str = ""
    attributes: list[str] = field(default_factory=list)
    stored: str = ""
    is_changed: bool = False

    def __str__(self) -> str:
        return ".".join(filter(None, (self.root, *self.attributes)))


@dataclass
class Asked:
    """By a code, without those in it. given: names of attributes that it sets; named: names of its own."""

    chains: list[Chain]
    given: set[str]
    named: set[str]
    inner: list[CodeType]


@functools.lru_cache(maxsize=4096)
def asked(code: CodeType) -> Asked:
    # A text may name what `register_buffer` or `setattr` sets, and keywords what a record has.
    texts = [one for each in code.co_consts for one in (each if isinstance(each, tuple) else [each])]
    texts = [name for one in texts if isinstance(one, str) for name in one.replace(",", " ").split()]
    given = {one for one in texts if one.isidentifier()}
    chains, named = list[Chain](), set[str]()
    chain: Chain | None = None  # that the next step may go on with
    imported, constant = "", None  # what is being imported, and the last constant: with it, what of it
    just_called: Chain | None = None  # without an argument
    for step in dis.get_instructions(code):
        name, value = step.opname, step.argval
        if name in NO_STEP or (imported and not constant and name in ("SWAP", "POP_TOP")):
            continue
        going_on, chain = chain, None
        result_of, just_called = just_called, None
        if name == "LOAD_CONST":
            constant = value
        elif name in GLOBALS:
            chain = Chain("global", value)
        elif name.startswith(VARIABLES):
            chain = Chain("variable", value if isinstance(value, str) else value[-1])
        elif name == "IMPORT_NAME":
            chains.append(Chain("import", value, stored=value))
            imported = value if constant else value.partition(".")[0]
            chain = None if constant else Chain("import", imported)
        elif name == "IMPORT_FROM":
            # Of `from a import b, c` each begins anew; `import a.b.c as d` goes on to the end.
            chain = Chain("import", imported) if constant or going_on is None else going_on
            chain.attributes.append(value)
        elif name in ATTRIBUTES:
            chain = going_on or Chain("")
            chain.attributes.append(value)
        elif name in ("STORE_ATTR", "DELETE_ATTR"):
            given.add(value)
            if going_on:
                going_on.is_changed = True
        elif name == "CALL" and not step.arg:
            just_called = going_on
        elif name == "CONTAINS_OP" and (inside := result_of or going_on) and str(inside) in NAMES_HERE:
            chains.remove(inside)  # nobody gets them: `"model" in globals()`
        elif name == "MATCH_CLASS":
            chains.append(Chain("", attributes=[*(constant or ())]))
        elif going_on and name.startswith(STORED):
            going_on.stored = value if isinstance(value, str) else value[0]
            imported = imported if constant else ""
        if name == "STORE_NAME":
            named.add(value)
        if chain and chain is not going_on:
            chains.append(chain)
    return Asked(chains, given, named, [one for one in code.co_consts if isinstance(one, CodeType)])
