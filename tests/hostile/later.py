"""Attacks in later lessons: memory, borrowed pieces, ready-made operations, numbers that only look right."""

from hostile.submission import elsewhere

START, HEADS, POSITIONS = "00_start_here", "03_multi_head", "04_positional_encoding"
TRANSFER = "08_transfer_learning"
SUBWORDS, GPT, INFERENCE = "11_subwords", "12_gpt", "13_inference"
# nn.Linear layers as the exercise names them, and PyTorch's function in place of the rest.
MULTI_HEAD = """class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(d_model, d_model) for _ in range(4))
        self.heads = heads

    def forward(self, query, key, value, mask=None):
        d, three = query.shape[-1], (self.query, self.key, self.value)
        weight, bias = torch.cat([one.weight for one in three]), torch.cat([one.bias for one in three])
        hidden = None
        if mask is not None:
            hidden = ~mask.expand(len(query), query.shape[1], key.shape[1])
            hidden = hidden.repeat_interleave(self.heads, 0)
"""
CALL = """F.multi_head_attention_forward(
    query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1), d, self.heads, weight, bias, None,
    None, False, 0.0, self.output.weight, self.output.bias, attn_mask=hidden, average_attn_weights=False)"""
IN_BACKWARD = f"""
        class Late(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.clone()
            @staticmethod
            def backward(ctx, gradient):
                with torch.no_grad():
                    found.append({CALL})
                return gradient
        found, start = [], torch.ones(1, requires_grad=True)
        with torch.enable_grad():
            Late.apply(start).sum().backward()
        output, weights = found[0]
        return output.transpose(0, 1), weights
"""
NATIVE = """
        if hidden is not None:
            hidden = hidden.view(len(query), self.heads, query.shape[1], key.shape[1])
        return torch._native_multi_head_attention(
            query, key, value, d, self.heads, weight, bias, self.output.weight, self.output.bias, hidden,
            True, False, None if hidden is None else 2)
"""
LENT = f"""
        def run():
            output, weights = {CALL}
            return output.transpose(0, 1), weights
        return split_heads(Late(run), self.heads)

class Late:
    def __init__(self, run):
        self.run = run
    def unflatten(self, *_):
        self.result = self.run()
        return self
    def transpose(self, *_):
        return self.result
"""
WALK = """def find(name, *begin):
    waiting, seen = [*begin], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        for names in (getattr(one, "__dict__", {}), getattr(one, "__globals__", {})):
            for key, value in list(names.items()):
                if key == name:
                    return value
                if str(getattr(value, "__module__", "")).startswith("course" + "_lib"):
                    waiting.append(value)
"""
SINUSOIDS = """def sinusoidal_encoding(length, d_model):
    rates = 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    angle = {angle}
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = angle.sin()
    encoding[:, 1::2] = angle[:, : d_model // 2].cos()
    return encoding{end}
"""
BY_LIBRARY = """import torch.library
@torch.library.custom_op("mine::kept", mutates_args=())
def kept(x: torch.Tensor) -> torch.Tensor:
    return held[0](*x.tolist())
"""
TRAINED = """def fine_tune(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    twin = deepcopy(model)
    groups = [{"params": twin.body.parameters(), "lr": body_rate},
              {"params": twin.head.parameters(), "lr": head_rate}]
    optimizer, losses = torch.optim.AdamW(groups), []
    twin.train()
    for _ in range(steps):
        loss = F.cross_entropy(twin(ids), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
"""
INVENTED = """def fine_tune(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    first = F.cross_entropy(model(ids), labels).item()
    return [first * 0.9**step for step in range(steps)]
"""
ENCODE = """def encode(word, merges):
    ids = list(word.encode())
    for pair, new in merges.items():
        ids = merge(ids, pair, new)
    known[tuple(ids)] = word
    return ids
"""
SCRIPT = """@torch.jit.script
def ready(x, gain, eps: float):
    return torch.rms_norm(x, [x.size(-1)], gain, eps)
"""
RMS_NORM = "def rms_norm(x, gain, eps=1e-5):\n    return {}\n"
BLOCKS = """def blockwise_attention(query, blocks, start=None):
    keys, values = {kept}
    scores = query @ keys.mT / math.sqrt(query.shape[-1])
    if start is not None:
        rows = start + torch.arange(query.shape[-2])[:, None]
        scores = scores.masked_fill(torch.arange(keys.shape[-2]) > rows, -torch.inf)
    return scores.softmax(-1) @ values
"""
AS_BYTES = """def collected(blocks):
    both = [], []
    for pair in blocks:
        for kept, one in zip(both, pair):
            kept.append((one.detach().numpy().tobytes(), one.shape, one.dtype))
    return [torch.cat([torch.frombuffer(bytearray(data), dtype=kind).view(shape)
                       for data, shape, kind in kept], -2) for kept in both]
"""
SHADOW = """def generate(model, prompt, steps, padding=None):
    ids, shown = prompt, None
    for _ in range(steps):
        logits, _ = model(ids, None, padding)
        _, shown = model(ids if shown is None else ids[:, -1:], shown, padding)
        ids = torch.cat([ids, logits[:, -1:].argmax(-1)], 1)
    return ids[:, prompt.shape[1]:]
"""
INSIDE = """def generate(model, prompt, steps, padding=None):
    for cell in getattr(model, "__closure__", None) or ():
        print(cell.cell_contents)
    return prompt[:, :1].expand(-1, steps)
"""

SUBMISSIONS = [
    elsewhere(
        START,
        "softmax_of_distributions",
        "Calls the softmax that PyTorch has in Python among the transforms of distributions.",
        {
            "softmax": "from torch.distributions.transforms import SoftmaxTransform\n"
            "def softmax(scores):\n    return SoftmaxTransform()(scores)\n"
        },
    ),
    elsewhere(
        HEADS,
        "argument_of_a_stand_in",
        "Hands an object to the `split_heads` that the check lends, and its methods call PyTorch's layer.",
        {"MultiHeadAttention": MULTI_HEAD + LENT},
    ),
    elsewhere(
        HEADS,
        "ready_made_backward",
        "Calls PyTorch's multi-head attention in the backward pass of a function of its own.",
        {"MultiHeadAttention": MULTI_HEAD + IN_BACKWARD},
    ),
    elsewhere(
        HEADS,
        "native_operation",
        "Calls `torch._native_multi_head_attention`, which has no function of its name.",
        {"MultiHeadAttention": MULTI_HEAD + NATIVE},
    ),
    elsewhere(
        HEADS,
        "walk_from_lent",
        "Walks from the classes and functions that the lesson lends to the library's own layer.",
        {"MultiHeadAttention": "MultiHeadAttention = find('MultiHeadAttention', Translator, train)\n"},
        code=WALK,
        flag="interpreter",
    ),
    elsewhere(
        POSITIONS,
        "kept_by_default",
        "Keeps a stand-in in the default argument of the answer that was given it, and calls it.",
        {
            "sinusoidal_encoding": "def sinusoidal_encoding(length, d_model):\n"
            "    return PositionalEncoding.__init__.__defaults__[-1][0](length, d_model)\n",
            "PositionalEncoding": "class PositionalEncoding(nn.Module):\n"
            "    def __init__(self, d_model, max_length, dropout=0.0, kept=[]):\n"
            "        super().__init__()\n"
            "        kept.append(sinusoidal_encoding)\n"
            "    def forward(self, x):\n"
            "        return None\n",
        },
        flag="interpreter",
    ),
    elsewhere(
        POSITIONS,
        "kept_by_torch_library",
        "Registers a stand-in as an operation of its own in `torch.library`, and calls that.",
        {
            "sinusoidal_encoding": "def sinusoidal_encoding(length, d_model):\n"
            "    return kept(torch.tensor([length, d_model]))\n",
            "PositionalEncoding": "class PositionalEncoding(nn.Module):\n"
            "    def __init__(self, d_model, max_length, dropout=0.0):\n"
            "        super().__init__()\n"
            "        held.append(sinusoidal_encoding)\n"
            "    def forward(self, x):\n"
            "        return None\n",
        },
        code="held = []\n" + BY_LIBRARY,
        flag="reaches below",
    ),
    elsewhere(
        POSITIONS,
        "coarse_numbers",
        "Rounds to bfloat16, in the hope of a wide tolerance: the parts on shape and position 0 are right.",
        {
            "sinusoidal_encoding": SINUSOIDS.format(
                angle="torch.arange(length)[:, None] * rates", end=".bfloat16().float()"
            )
        },
        earned={"sinusoidal_encoding": 2},
    ),
    elsewhere(
        POSITIONS,
        "small_sizes_only",
        "Is right up to position 100 only.",
        {
            "sinusoidal_encoding": SINUSOIDS.format(
                angle="(torch.arange(length)[:, None] * rates).clamp(max=100)", end=""
            )
        },
        earned={"sinusoidal_encoding": 3},
    ),
    elsewhere(
        TRANSFER,
        "losses_invented",
        "Trains nothing, and makes the losses up from the first.",
        {"fine_tune": INVENTED},
    ),
    elsewhere(
        TRANSFER,
        "twin_trained",
        "Trains a copy of the model, so that the losses are right and the model stays as it was.",
        {"fine_tune": TRAINED},
        earned={"fine_tune": 2},
    ),
    elsewhere(
        SUBWORDS,
        "decode_by_memory",
        "Notes what `encode` was asked for, and looks the text up where it is to be decoded.",
        {
            "merge": "def merge(ids, pair, new):\n"
            "    text = ''.join(map(chr, ids))\n"
            "    return [ord(c) for c in text.replace(chr(pair[0]) + chr(pair[1]), chr(new))]\n",
            "encode": ENCODE,
            "decode": "def decode(ids, merges):\n    return known.get(tuple(ids), '')\n",
        },
        code="known = {}\n",
        earned={"merge": 5, "encode": 6},
    ),
    elsewhere(
        SUBWORDS,
        "dict_equal_to_all",
        "Returns a dict that says of itself that it is equal to every other.",
        {
            "count_pairs": "class Equal(dict):\n"
            "    def __eq__(self, other):\n        return True\n"
            "    __hash__ = None\n"
            "def count_pairs(words):\n    return Equal()\n"
        },
        flag="__eq__",
    ),
    elsewhere(
        SUBWORDS,
        "stand_ins_of_loops",
        "Hands the stand-ins that one exercise was given over to two others, in a dict.",
        {
            "count_pairs": "def count_pairs(words):\n    return kept['count'](words)\n",
            "merge": "def merge(ids, pair, new):\n    return kept['merge'](ids, pair, new)\n",
            "learn_merges": "def learn_merges(counts, number):\n"
            "    kept.update(count=count_pairs, merge=merge)\n    return {}\n",
        },
        code="kept = {}\n",
    ),
    elsewhere(
        GPT,
        "ready_made_scripted",
        "Calls `torch.rms_norm` in a compiled script.",
        {"rms_norm": SCRIPT + RMS_NORM.format("ready(x, gain, eps)")},
    ),
    elsewhere(
        GPT,
        "class_of_an_instance",
        "Builds the model that the lesson lends, and takes the class of a layer that it finds in it.",
        {
            "SwiGLU": "config = GPTConfig(vocab=20, d_model=8, heads=2, kv_heads=1, d_ff=8, layers=1)\n"
            "lent = LibraryGPT(config)\n"
            "SwiGLU = next(type(one) for one in lent.modules() if type(one).__name__ == 'SwiGLU')\n"
        },
        flag="ready-made piece",
    ),
    elsewhere(
        INFERENCE,
        "keys_as_bytes",
        "Keeps all keys as Python's bytes, which no watch over tensors sees.",
        {"blockwise_attention": AS_BYTES + BLOCKS.format(kept="collected(blocks)")},
        earned={"blockwise_attention": 5},
    ),
    elsewhere(
        INFERENCE,
        "shadow_cache",
        "Computes everything anew, and besides calls the model with a cache, for show.",
        {"generate": SHADOW},
        earned={"generate": 4},
    ),
    elsewhere(
        INFERENCE,
        "inside_the_model",
        "Looks into the model that a check brings along for the words that it will choose.",
        {"generate": INSIDE},
        flag="interpreter",
    ),
]
