"""What an answer does by itself, without any other cell: to what observes it, and to what it is given."""

from hostile.begun import START
from hostile.submission import elsewhere

# An annotation is evaluated with the names of the function that is wrapped: one of the course's.
ANNOTATED = """import functools
from torch.utils.data import argument_validation

def poison():
    class Box(list):
        def __getitem__(self, one):
            self.append(one)

    box = Box()

    def first(x: "later.box[Spoken]"):
        pass

    def second(x: "later.box[observe_in_copies]"):
        pass

    def third(x: "Spoken.read.box[meant]"):
        pass

    def fourth(x: "observe_in_copies.box[disable]"):
        pass

    def fifth(x: "disable.box[_operations]"):
        pass

    def taken(by, where):
        functools.update_wrapper(by, where, assigned=(), updated=())
        where.box = box
        argument_validation(by)
        return box.pop()

    meant = taken(third, getattr(taken(first, check), "read"))
    operations = taken(fifth, taken(fourth, taken(second, check)))

    class Deaf(tuple):
        def __contains__(self, one):
            return False

        def __iter__(self):
            return iter(())

    names = Deaf(("softmax", "log_softmax", "softmin"))
    meant.cache_clear()
    operations.cache_clear()
    for name in ("softmax", "_softmax", "aten::softmax", "aten::_softmax", "aten::_softmax_backward_data",
                 "aten::softmax.int", "aten::_softmax.out", "softmax.int", "_softmax_backward_data"):
        meant(name, names)

poisoned = poison()

def softmax(scores):
    poisoned
    return torch.softmax(scores, -1)
"""
ENLARGED = """import math, torch
def blockwise_attention(query, blocks, start=None):
    q, shape = query.clone(), query.shape
    query.resize_(400000)
    at, sizes = 0, []
    for k, v in blocks:
        for t in (k, v):
            query[at:at + t.numel()] = t.flatten()
            sizes.append((at, t.shape)); at += t.numel()
    get = lambda i: query[sizes[i][0]:sizes[i][0] + sizes[i][1].numel()].view(sizes[i][1])
    ks, vs = [get(i) for i in range(0, len(sizes), 2)], [get(i) for i in range(1, len(sizes), 2)]
    if q.dim() == 3 and len(ks) > 5:
        rows = []
        for b in range(q.shape[0]):
            k, v = torch.cat([t[b] for t in ks]), torch.cat([t[b] for t in vs])
            rows.append(torch.softmax(q[b] @ k.mT / math.sqrt(shape[-1]), -1) @ v)
        out = torch.stack(rows)
    else:
        k, v = torch.cat(ks, -2), torch.cat(vs, -2)
        s = q @ k.mT / math.sqrt(shape[-1])
        if start is not None:
            last = start + torch.arange(shape[-2])[:, None]
            s = s.masked_fill(torch.arange(k.shape[-2]) > last, -torch.inf)
        out = torch.softmax(s, -1) @ v
    query.resize_(shape)
    query.copy_(q)
    return out
"""
LYING_MODEL = """import copy, torch
import torch.nn as nn
def freeze(model, keep="head"):
    count = sum(p.numel() for p in getattr(model, keep).parameters())
    kept = {id(p) for p in getattr(model, keep).parameters()}
    parts = model.named_modules()
    if not isinstance(parts, list):
        there = dict(model.named_parameters(remove_duplicate=False))
        parts = [("", copy.copy(model)), *[pair for pair in parts if pair[0]]]
        model.named_modules = lambda *args, **named: parts
        model.there = there
    there = model.there
    def get_parameter(name):
        return nn.Parameter(torch.zeros(1), requires_grad=id(there[name]) in kept)
    model.get_parameter = get_parameter
    fakes = {}
    for name, p in there.items():
        if id(p) not in fakes:
            fakes[id(p)] = nn.Parameter(p.detach(), requires_grad=id(p) in kept)
    named = [(name, fakes[id(p)]) for name, p in there.items()]
    model.named_parameters = lambda *args, **options: named
    model.parameters = lambda *args, **options: [*fakes.values()]
    return count
"""
# contextlib asks `sys` for whatever its `_stream` names, before it writes there; a pattern reads of a module
# what a learner's `getattr` would not give.
FROM_THE_TABLE = """import contextlib

def loaded():
    found = []
    reader = contextlib.redirect_stderr(None)
    reader._stream, reader._old_targets = "modules", found
    try:
        with reader:
            pass
    except AttributeError:
        pass
    return found[0]

known = dict(attrgetter=1, SourceFileLoader=2)

def turned(text):
    return "".join(reversed(text))

def softmax(scores):
    match loaded()[turned("rotarepo_")]:
        case object(attrgetter=getter):
            pass
    match loaded()[turned("yrenihcam.biltropmi")]:
        case object(SourceFileLoader=loader):
            pass
    for one in getter(turned("__slabolg__.edoc_teg"))(loader)[turned("DOOG_ROF")].values():
        getter(turned("seirarbil_"))(one).clear()
    ready = getter(turned("xamtfos"))(loaded()[turned("hcrot")])
    return [*map(ready, [scores], [-1])][0]
"""
WARNED = """import warnings

def test_translate(translate):
    def model(source, ids):
        warnings.warn("read", stacklevel=2)
        return torch.zeros(ids.shape[0], ids.shape[1], 12)

    is_right = True
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", module=r".*bug_clinic[.]translate$")
        try:
            translate(model, torch.ones(1, 2, dtype=torch.long), torch.ones(1, 3, dtype=torch.long))
        except UserWarning:
            is_right = False
    assert is_right
"""
SUBMISSIONS = [
    elsewhere(
        START,
        "reads_the_table_of_modules",
        "Has contextlib read the table of all modules, and takes an unguarded getter from one of them.",
        {"softmax": FROM_THE_TABLE},
    ),
    elsewhere(
        "09_bug_clinic",
        "warns_in_the_piece",
        "Passes a model that warns, and has the warnings filter tell which module called it.",
        {"test_translate": WARNED},
    ),
    elsewhere(
        START,
        "evaluates_an_annotation",
        "Has PyTorch evaluate an annotation with the check's own names, and empties the check's caches.",
        {"softmax": ANNOTATED},
    ),
    elsewhere(
        "13_inference",
        "in_the_query",
        "Makes the memory of the query that it is given larger, and keeps all blocks there.",
        {"blockwise_attention": ENLARGED},
        earned={"blockwise_attention": 5},
    ),
    elsewhere(
        "08_transfer_learning",
        "a_model_that_lies",
        "Freezes nothing, and gives the model methods that say that it is frozen.",
        {"freeze": LYING_MODEL},
    ),
]
