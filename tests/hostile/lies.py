"""Answers that are no answers: objects that lie about themselves, and results that no pipe should carry."""

from hostile.public_seed import hard_coded
from hostile.submission import PICKLED, SDPA, Submission

LIAR = """class Liar:
    __class__ = torch.Tensor
    dtype, device = torch.bool, torch.device("cpu")
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __float__(self): return 9.0
    def __len__(self): return 5
    def __bool__(self): return True
    def __hash__(self): return 0
    def __or__(self, other): return self
    def __and__(self, other): return self
    def __getattr__(self, name): return Liar() if name == "shape" else lambda *args, **options: self
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None): return torch.tensor(True)
"""
YES = """class Yes(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function in (torch.isclose, torch.equal, torch.allclose, torch.Tensor.__eq__):
            return torch.tensor(True)
        return super().__torch_function__(function, types, args, kwargs or {})
"""


def causal(body: str, before: str = "") -> dict[str, str]:
    return {"causal_mask": f"{before}def causal_mask(size):\n    {body}\n"}


SUBMISSIONS = [
    Submission(
        "liar",
        "Returns objects with a lying `__eq__`, `__class__`, `__float__` and `__torch_function__`.",
        answers=causal("return Liar()", LIAR)
        | {SDPA: f"def {SDPA}(query, key, value, mask=None):\n    return Liar(), Liar()\n"},
    ),
    Submission(
        "tensor_subclass",
        "Returns a subclass of Tensor whose `__torch_function__` finds that everything is close.",
        answers=causal("return torch.ones(size, size, dtype=torch.bool).triu().as_subclass(Yes)", YES),
    ),
    Submission(
        "plain_subclasses",
        "Returns subclasses of float, list and dict that equal everything.",
        answers=causal(
            "return Number(3.0), Items([Number(1)])",
            "class Number(float):\n    __eq__ = lambda self, other: True\n    __hash__ = float.__hash__\n"
            "class Items(list):\n    __eq__ = lambda self, other: True\n    __iter__ = lambda self: self\n",
        ),
    ),
    Submission(
        "public_seed",
        "Has the answers to the inputs of the public seed in a table, computed beforehand.",
        answers={SDPA: hard_coded(SDPA)},
    ),
    Submission(
        "odd_tensors",
        "Returns tensors on `meta`, sparse, quantized, complex, nested and with NaN payloads.",
        answers={
            "additive_attention": """def additive_attention(query, key, value, W_query, W_key, v):
    return torch.zeros(2, 5, 4, device="meta"), torch.zeros(2, 5, 7).to_sparse()
""",
            SDPA: f"""def {SDPA}(query, key, value, mask=None):
    payload = torch.tensor([0x7FC0DEAD], dtype=torch.int32).view(torch.float32)
    return payload.expand(*query.shape[:-1], value.shape[-1]), (query @ key.mT).to(torch.complex64)
""",
            "causal_mask": """def causal_mask(size):
    odd = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    return odd if size % 2 else torch.quantize_per_tensor(torch.ones(size, size), 0.1, 0, torch.qint8)
""",
        },
    ),
    Submission(
        "expanded_view",
        "Returns an expanded view of one number that is 40 GB when it is written out.",
        answers={
            "causal_mask": """def causal_mask(size):
    return torch.ones(1, dtype=torch.bool).expand(40 * 10**9)
""",
            SDPA: f"""def {SDPA}(query, key, value, mask=None):
    huge = torch.ones(1, 1, 1).expand(2, 5, 10**9)
    return huge, huge
""",
        },
    ),
    Submission(
        "long_list",
        "Returns a list of ten million elements.",
        answers=causal("return [size] * 10**7"),
    ),
    Submission(
        "deep_list",
        "Returns lists nested 100,000 deep, and one that contains itself.",
        answers=causal("return nested(size)")
        | {
            "additive_attention": """def nested(size):
    inner = []
    for _ in range(100_000):
        inner = [inner]
    if size % 2:
        inner.append(inner)
    return inner

def additive_attention(query, key, value, W_query, W_key, v):
    return nested(1), nested(2)
"""
        },
    ),
    Submission(
        "odd_dict",
        "Returns a dict with NaN, a tuple, bytes, None and a huge integer for keys, and a lone surrogate.",
        answers=causal(
            'odd = {float("nan"): 1, (1, 2): b"x", b"k": "\\ud800", 10**5000: 1, None: {1: {2: 3}}}\n'
            "    return odd"
        ),
    ),
    Submission(
        "pickle_bomb",
        "Returns an object whose `__reduce__` writes to the course's folder when somebody unpickles it.",
        answers=causal(
            "return Bomb(), [Bomb()], {'mask': Bomb()}",
            f"class Bomb:\n    def __reduce__(self):\n        return {PICKLED}\n",
        ),
    ),
]
