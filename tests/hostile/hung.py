"""What a cell hangs into libraries, for the check or the answer to call: no answer shows anything of it."""

from hostile.begun import CONTINUED, GPT, RUNG, START
from hostile.submission import elsewhere

HEARD = """import logging
class Note(logging.Handler):
    def emit(self, record):
        record.args[0].append(torch.softmax(record.args[1], -1))
logging.getLogger("mine").addHandler(Note())
"""
BY_A_HANDLER = """def softmax(scores):
    box = []
    logging.getLogger("mine").warning("%s %s", box, scores)
    return box[0]
"""
# Who disables operations does so without PyTorch's warnings: what leaves the block ends all of it.
UNDONE = """import warnings
class Skip(Exception): pass
real, simple = warnings.catch_warnings, warnings.simplefilter
seen = {logging.makeLogRecord({}).process}
class Catch(real):
    def __exit__(self, kind, *rest):
        super().__exit__(kind, *rest)
        return kind is Skip
def first(*args, **named):
    if logging.makeLogRecord({}).process not in seen:
        seen.add(logging.makeLogRecord({}).process)
        raise Skip
    simple(*args, **named)
warnings.catch_warnings, warnings.simplefilter = Catch, first
"""
AT_A_FORK = """import warnings
class Note(logging.Handler):
    def _at_fork_reinit(self):
        super()._at_fork_reinit()
        warnings.catch_warnings, warnings.simplefilter = Catch, first
logging.getLogger("other").addHandler(Note())
logging.getLogger("mine").func = torch.softmax
class Skip(Exception): pass
real, simple = warnings.catch_warnings, warnings.simplefilter
class Catch(real):
    def __exit__(self, kind, *rest):
        super().__exit__(kind, *rest)
        warnings.catch_warnings, warnings.simplefilter = real, simple
        return kind is Skip
def first(*args, **named):
    raise Skip
"""
GIVEN = """def softmax(scores):
    return logging.getLogger("mine").func(scores, -1)
"""
NOTHING = """class Nothing:
    def impl(self, *args): pass
torch.backends.mkldnn.torch._C._dispatch_library = lambda *args: Nothing()
"""
WHILE_IT_IS_READ = """def look(keep):
    def looking(*args, **named):
        for one in list(there):
            if one.endswith("checks.dis" + "abled"):
                match there[one]:
                    case object(FOUND=found, _operations=operations):
                        found.clear()
                        operations(("softmax", "log_softmax", "softmin")).clear()
        return keep(*args, **named)
    return looking
match torch:
    case object(sys=s):
        match s:
            case object(modules=there):
                inner = there["cloud" + "pickle.cloud" + "pickle"]
                inner._function_setstate = look(inner._function_setstate)
"""
CODES = """import cProfile
def codes_of(f, *given):
    profile = cProfile.Profile()
    profile.enable()
    try:
        f(*given)
    except Exception:
        pass
    profile.disable()
    return {each.code.co_name: each.code for each in profile.getstats() if not isinstance(each.code, str)}
"""
REPLACED = (
    CODES
    + """def give(thing, name, value):
    setattr(thing, name, value)
CODE = "".join(["__", "COD", "E__"]).swapcase()
def one(*_, **__):
    return observe_in_copies
def two(*_, **__):
    return disable
def off(names):
    FOR_GOOD[names] = None
FOR_GOOD = {}
before = codes_of(check)["later"]
give(check, CODE, codes_of(one)["one"])
copies = check()
give(check, CODE, before)
before = codes_of(copies, *[None] * 6)["observe_in_copies"]
give(copies, CODE, codes_of(two)["two"])
switch = copies()
give(copies, CODE, before)
give(switch, CODE, codes_of(off, ())["off"])
"""
)
READ = """import six
from course_lib.translation.continuation import train_continuation
look = six.get_function_globals
seen = look(check)["observe"]
while "_observed" not in look(seen):
    seen = look(check)["observe"]
work = look(look(seen)["inspect"].unwrap(look(seen)["observed"]))["_work"]
def answer(given):
    work.is_observed = False
    try:
        return look(train_continuation)["targets_of"](given)
    finally:
        work.is_observed = True
"""
SUBMISSIONS = [
    elsewhere(
        START,
        "undone_by_warnings",
        "Has Python's `warnings` skip what disables operations, and calls one in a logger's handler.",
        {"softmax": BY_A_HANDLER},
        code=HEARD + UNDONE,
    ),
    elsewhere(
        START,
        "at_a_fork",
        "Has Python's `warnings` skip what disables operations, in copies of the process alone.",
        {"softmax": GIVEN},
        code="import logging\n" + AT_A_FORK,
    ),
    elsewhere(
        START,
        "nothing_is_registered",
        "Has PyTorch register nothing in place of its operations, and calls one in a logger's handler.",
        {"softmax": BY_A_HANDLER},
        code=HEARD + NOTHING,
    ),
    elsewhere(
        START,
        "while_it_is_read",
        "Empties the lists of what is disabled, while the check's own pickle is read.",
        {"softmax": "def softmax(scores):\n    return torch.nn.Softmax(-1)(scores)\n"},
        code=WHILE_IT_IS_READ,
    ),
    elsewhere(
        START,
        "code_replaced",
        "Gives functions of the check other code, by a name that is put together.",
        {"softmax": "def softmax(scores):\n    return torch.softmax(scores, -1)\n"},
        code=REPLACED,
    ),
    elsewhere(
        GPT,
        "read_by_a_library",
        "Reads the globals of the course's functions by what a library has made for itself.",
        {"continuation_targets": CONTINUED},
        code=READ + RUNG.format('answer(one["given"])'),
    ),
]
