"""What dotted names really lead to, as far as the modules in this process tell. Nothing is imported."""

import sys
from functools import lru_cache
from importlib.machinery import PathFinder
from types import ModuleType


def real_name(path: str) -> str:
    """`os.system` of `random._os.system`: a module that is an attribute of another has its own name."""
    name, *parts = path.split(".")
    for part in parts:
        module = _loaded(name)
        value = vars(module).get(part) if module else None
        own = vars(value).get("__name__") if isinstance(value, ModuleType) else None
        name = own if isinstance(own, str) and _loaded(own) is value else f"{name}.{part}"
    return name


@lru_cache(maxsize=4096)
def is_module(path: str) -> bool | None:
    """None where it is not known, because what it is a part of is not loaded."""
    parent, _, name = path.rpartition(".")
    if not parent or _loaded(path):
        return True
    if not (module := _loaded(parent)):
        return None
    if name in vars(module):
        return isinstance(vars(module)[name], ModuleType)
    folders = vars(module).get("__path__")
    return bool(folders) and PathFinder.find_spec(path, list(folders)) is not None


def _loaded(name: str) -> ModuleType | None:
    module = sys.modules.get(name)
    return module if isinstance(module, ModuleType) else None
