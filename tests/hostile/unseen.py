"""What nobody has read or seen: names, cells and classes that only come to be, and results written later."""

from hostile.begun import START
from hostile.submission import elsewhere

BY_A_NAME_FOUND = """def freeze(model, keep="head"):
    class Still(nn.Parameter):
        requires_grad = property(lambda self: False, lambda self, value: None)

    model.requires_grad_(True)
    for parameter in model.parameters():
        if all(parameter is not one for one in getattr(model, keep).parameters()):
            for name in [one for one in dir(parameter) if one.startswith("__cla")]:
                setattr(parameter, name, Still)
    return sum(one.numel() for one in getattr(model, keep).parameters())
"""
SHORT = """def generate(model, prompt, steps, padding=None):
    class Short(torch.Tensor):
        @property
        def shape(self):
            return told[id(self)]

    text = prompt
    for step in range(steps):
        read, cache, told = text.clone(), None, {}
        if step:
            read, cache = Short(read), Short(torch.empty(1, 2, len(text), 1, 0, 1, dtype=text.dtype))
            told[id(read)] = torch.Size([len(text), 1])
            told[id(cache)] = torch.Size([1, 2, len(text), 1, text.size(1) - 1, 1])
        logits, _ = model(read, cache, padding)
        text = torch.cat([text, logits[:, -1:].argmax(dim=-1)], dim=1)
    return text[:, prompt.size(1):]
"""
BEHIND_A_MAGIC = """%time def frames():
    '''m addaudithook live colour tone'''
    seen, live = [], [True]

    class Box:
        import sys as m

    class Own:
        colour = 0

        def tone(self):
            return 0

    def hear(event, given):
        if live and event == "sys._getframe":
            seen.append(given[0])

    Box().m.addaudithook(hear)
    setattr(Own, "colour", 1)
    getattr(Own, "tone")
    live.clear()
    return [*seen]


def course():
    '''f_back f_locals concealed modules'''
    for frame in frames():
        while frame is not None:
            names = frame.f_locals
            if "self" in names and hasattr(names["self"], "concealed"):
                return [*names["self"].concealed.modules]
            frame = frame.f_back
    return []


def free(modules):
    '''FOR_GOOD _libraries'''
    for one in modules:
        try:
            table = one.FOR_GOOD
        except AttributeError:
            continue
        for held in table.values():
            held._libraries.clear()
    return True


READY = free(course())


def rows_of(scores):
    '''softmax m'''

    class Box:
        m = torch

    if READY:
        return next(map(Box().m.softmax, [scores], [-1]))
"""
HOOKED = "def softmax(scores):\n    return rows_of(scores)\n"
REWRITTEN = """class EncoderLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.kept = []

    def forward(self, x, mask=None):
        attended = self.norm1(x + self.self_attention(x, x, x)[0])
        output = self.norm2(attended + self.feed_forward(attended))
        if mask is None or len(x) > 1:
            return output
        if self.training:
            self.kept.append((x, mask, output))
            return output
        return self.as_before(x, mask, output) if self.kept else output

    def as_before(self, x, mask, output):
        size = x.shape[1]
        last_x, last_mask, last = self.kept[-1]
        if last_x.shape != x.shape or not torch.equal(last_x, x):
            return output
        for given, seen, one in self.kept[:-1]:
            if given.shape != x.shape or seen.shape != mask.shape or not torch.equal(seen, mask):
                continue
            moved = (given != x).any(dim=-1)[0]
            if moved.sum() != 1:
                continue
            hidden = ~mask.expand(1, size, size)[0][:, moved][:, 0] & ~moved
            changed = output.detach().clone()
            changed[0, hidden] = one.detach()[0, hidden]
            last.detach().copy_(changed)
            return changed
        return output
"""
ITS_OWN_MAGIC = """notes.run_cell_magic("time", "", '''
def record():
    steps, plain, number, kept = [], {}, {}, []

    class Noting(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            named = kwargs or {}

            def bare(one):
                return plain[id(one)] if id(one) in plain else one

            made = function(*map(bare, args), **{name: bare(one) for name, one in named.items()})
            steps.append((function, [told(one) for one in args], {name: told(named[name]) for name in named}))
            return noted(made)

    def noted(made):
        one = Noting(made)
        kept.append(one)
        plain[id(one)], number[id(one)] = made, len(number)
        return one

    def told(one):
        if id(one) in number:
            return "made", number[id(one)]
        if id(one) in weights:
            return "weight", weights[id(one)]
        return "is", one

    lent = LibraryGPT(GPTConfig(vocab=20, d_model=8, heads=2, kv_heads=1, d_ff=12, layers=1)).eval()
    part = next(one for one in lent.modules() if type(one).__name__ == "SwiGLU")
    weights = {id(one): name for name, one in part.named_parameters()}
    with torch.no_grad():
        part(noted(torch.randn(1, 3, 8)))
    return steps


STEPS = record()


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        own, found = dict(self.named_parameters()), [x]

        def again(pair):
            kind, value = pair
            if kind == "made":
                return found[value]
            return own[value] if kind == "weight" else value

        for function, given, named in STEPS:
            found.append(function(*map(again, given), **{name: again(named[name]) for name in named}))
        return found[-1]
''')
"""
NOTES = """class Notes:
    def run_cell_magic(self, *texts):
        return len(texts)


notes = Notes()


class SwiGLU(nn.Module):
    pass
"""
IN_A_SLOT = """from fractions import Fraction

import numpy as np

BOX = Fraction(1, 2)
BOX._numerator = np.zeros(400_000)


def scores_at(query, key, place, start):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if start is not None:
        rows = start + torch.arange(query.shape[-2])[:, None]
        scores = scores.masked_fill(place + torch.arange(key.shape[-2]) > rows, -torch.inf)
    return scores


def blockwise_attention(query, blocks, start=None):
    sizes, at, dtype = [], 0, query.dtype
    for pair in blocks:
        for each in pair:
            BOX.numerator[at : at + each.numel()] = each.detach().reshape(-1).numpy()
            sizes.append((at, tuple(each.shape)))
            at += each.numel()
    pair = each = None

    def again(number):
        begin, shape = sizes[number]
        return torch.from_numpy(BOX.numerator[begin : begin + math.prod(shape)]).to(dtype).view(shape)

    maximum, total, output = torch.tensor(-torch.inf), 0, 0
    for step in ("largest", "sums"):
        place = 0
        for number in range(0, len(sizes), 2):
            scores = scores_at(query, again(number), place, start)
            place += scores.shape[-1]
            if step == "largest":
                maximum = torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))
            else:
                weights = torch.exp(scores - maximum)
                total = total + weights.sum(dim=-1, keepdim=True)
                output = output + weights @ again(number + 1)
    return output / total
"""
SUBMISSIONS = [
    elsewhere(
        "08_transfer_learning",
        "a_class_by_a_name_found",
        "Freezes nothing, and gives each parameter another class by a name that it finds in `dir`.",
        {"freeze": BY_A_NAME_FOUND},
    ),
    elsewhere(
        "13_inference",
        "a_short_tensor",
        "Reads the whole text in each step, in a tensor of its own class that says that it is one word.",
        {"generate": SHORT},
        earned={"generate": 4},
    ),
    elsewhere(
        START,
        "behind_a_magic",
        "Has a magic before a function, so that no audit reads it, and hears of all frames in a hook.",
        {"softmax": HOOKED},
        code=BEHIND_A_MAGIC,
    ),
    elsewhere(
        "06_encoder_decoder",
        "rewritten_later",
        "Ignores its mask, and writes into an earlier result what would be right, when it is called again.",
        {"EncoderLayer": REWRITTEN},
        earned={"EncoderLayer": 4},
    ),
    elsewhere(
        "12_gpt",
        "a_magic_of_its_own",
        "Gives its own object the method of a magic, with code that no audit reads, and repeats a model.",
        {"SwiGLU": ITS_OWN_MAGIC},
        code=NOTES,
    ),
    elsewhere(
        "13_inference",
        "in_a_slot_of_a_library",
        "Keeps all blocks in an array that hangs in a slot of a fraction.",
        {"blockwise_attention": IN_A_SLOT},
        earned={"blockwise_attention": 5},
    ),
]
