"""Attacks on what watches an answer: by scripts, by frames, and on the mode that sees the functions."""

from hostile.later import HEADS, TRANSFER
from hostile.submission import elsewhere

LAYERS, NORMS, RECURRENT = "06_encoder_decoder", "05_layer_norm", "10_before_attention"
SCRIPTED = """from typing import Optional
@torch.jit.script
def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, heads: int, w: torch.Tensor, b: torch.Tensor,
           w_o: torch.Tensor, b_o: torch.Tensor, hidden: Optional[torch.Tensor]):
    found, weights = F.multi_head_attention_forward(
        q, k, v, q.size(-1), heads, w, b, None, None, False, 0.0, w_o, b_o, False, None, True, hidden,
        average_attn_weights=False)
    assert weights is not None
    return found, weights
"""
FOUR_LAYERS = """class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.value, self.output = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
"""
BY_SCRIPT = f"""{FOUR_LAYERS}    def forward(self, query, key, value, mask=None):
        three, hidden = (self.query, self.key, self.value), None
        if mask is not None:
            hidden = (~mask).expand(len(query), query.shape[1], key.shape[1]).repeat_interleave(self.heads, 0)
        found, weights = attend(
            *(x.transpose(0, 1) for x in (query, key, value)), self.heads,
            torch.cat([one.weight for one in three]), torch.cat([one.bias for one in three]),
            self.output.weight, self.output.bias, hidden)
        return found.transpose(0, 1), weights
"""
POPPED = """from torch.utils import _device
def quiet(*names):
    mode = _device._pop_mode()
    mode._told.clean.update([*names, *(f"aten::{name}" for name in names)])
    _device._push_mode(mode)
"""
GRU_CELL = """def gru_cell(x, state, W, U, b):
    quiet("gru_cell")
    return torch.gru_cell(x, state, W.T, U.T, b, torch.zeros_like(b))
"""
BUILT = """U = "_" * 2
def wipe():
    try:
        raise KeyError
    except KeyError as error:
        frame = getattr(getattr(error, U + "traceback" + U), "tb_" + "frame")
    while frame is not None:
        names = getattr(frame, "f_" + "globals")
        if "_attempt" in names and "plain" in names:
            names["plain"] = lambda value, label: ""
        frame = getattr(frame, "f_" + "back")
"""
LAYER = """class EncoderLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1, self.norm2, self.sizes = LayerNorm(d_model), LayerNorm(d_model), (d_model, heads, d_ff)
    def forward(self, x, mask=None):
        own, wide = self.self_attention, self.feed_forward
        three = own.query, own.key, own.value
        ready = nn.TransformerEncoderLayer(*self.sizes, dropout=0.0, batch_first=True)
        hidden = mask
        if mask is not None:
            square = (~mask).expand(len(x), x.shape[1], x.shape[1])
            hidden = square.repeat_interleave(self.sizes[1], 0)
        parameters = {
            "self_attn.in_proj_weight": torch.cat([one.weight for one in three]),
            "self_attn.in_proj_bias": torch.cat([one.bias for one in three]),
            "self_attn.out_proj.weight": own.output.weight, "self_attn.out_proj.bias": own.output.bias,
            "linear1.weight": wide.linear1.weight, "linear1.bias": wide.linear1.bias,
            "linear2.weight": wide.linear2.weight, "linear2.bias": wide.linear2.bias,
            "norm1.weight": self.norm1.weight, "norm1.bias": self.norm1.bias,
            "norm2.weight": self.norm2.weight, "norm2.bias": self.norm2.bias,
        }
        return torch.func.functional_call(ready, parameters, (x, hidden))
"""

# What observes an answer is below a function that it has replaced. The text that gets there is in no cell.
REPLACED = (
    "import gc; [one._libraries.clear() for one in gc.get_objects() if type(one).__name__ == 'Disabled']"
)
HIDDEN = f"""import timeit, torch.nn.functional as F
def text(): return bytes.fromhex("{REPLACED.encode().hex()}").decode()
"""
NORM = {
    "layer_norm": "def layer_norm(x, gain, bias, eps=1e-5):\n"
    "    return F.layer_norm(x, x.shape[-1:], gain, bias, eps)\n"
}
# The results are zeros when they are given. PyTorch's layer fills them in where a check lists the modules.
FILLED_LATER = """waiting, done = [], []

def settle():
    while waiting:
        layer, query, key, value, mask, output, weights = waiting.pop()
        three = layer.query, layer.key, layer._modules["value"]
        weight, bias = torch.cat([one.weight for one in three]), torch.cat([one.bias for one in three])
        hidden = mask
        if mask is not None:
            hidden = (~mask).expand(weights[:, 0].shape).repeat_interleave(layer.heads, 0)
        with torch.no_grad():
            right, shown = F.multi_head_attention_forward(
                query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1), query.shape[-1],
                layer.heads, None, bias, None, None, False, 0.0, layer.output.weight, layer.output.bias,
                attn_mask=hidden, average_attn_weights=False, use_separate_proj_weight=True,
                q_proj_weight=three[0].weight, k_proj_weight=three[1].weight, v_proj_weight=three[2].weight)
            output.copy_(right.transpose(0, 1))
            weights.copy_(shown)
        done.append((layer, query, key, value, mask, output, weights))

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(d_model, d_model) for _ in range(4))
        self.heads = heads

    def named_parameters(self, *args, **kwargs):
        settle()
        return super().named_parameters(*args, **kwargs)

    def modules(self):
        settle()
        return super().modules()

    def forward(self, *given):
        given = given if len(given) == 4 else (*given, None)
        for *known, output, weights in done:
            if all(one is other for one, other in zip(known, (self, *given))):
                return output.clone(), weights.clone()
        query, key, *_ = given
        output = torch.zeros(query.shape, dtype=query.dtype)
        weights = torch.zeros(len(query), self.heads, query.shape[1], key.shape[1], dtype=query.dtype)
        waiting.append((self, *given, output, weights))
        return output, weights
"""
SUBMISSIONS = [
    elsewhere(
        HEADS,
        "filled_in_later",
        "Returns zeros, which PyTorch's layer fills in when a check asks for the parameters or the modules.",
        {"MultiHeadAttention": FILLED_LATER},
    ),
    elsewhere(
        HEADS,
        "attention_scripted",
        "Compiles PyTorch's multi-head attention by `torch.jit.script`, so that its name is gone.",
        {"MultiHeadAttention": BY_SCRIPT},
        code=SCRIPTED,
    ),
    elsewhere(
        RECURRENT,
        "mode_taken_off",
        "Takes what watches PyTorch's functions off its stack, and tells it that `gru_cell` is harmless.",
        {"gru_cell": GRU_CELL},
        code=POPPED,
        flag="reaches below",
    ),
    elsewhere(
        TRANSFER,
        "frames_by_built_names",
        "Walks up the frames by names that are put together, and replaces what notes results by a constant.",
        {"freeze": "def freeze(model, keep='head'):\n    wipe()\n    return 0\n"},
        code=BUILT,
        flag="by name",
    ),
    elsewhere(
        LAYERS,
        "layer_by_functional_call",
        "Calls PyTorch's whole layer on the parameters of its own.",
        {"EncoderLayer": LAYER},
    ),
    elsewhere(
        NORMS,
        "text_to_the_shell",
        "Gives the shell behind `quit` a text that no cell holds, which blinds what watches an answer.",
        NORM,
        code=f"{HIDDEN}quit._ip.run_cell(text())\n",
    ),
    elsewhere(
        NORMS,
        "text_to_a_clock",
        "Has `timeit` run the same text, which a function of its own makes.",
        NORM,
        code=f"{HIDDEN}timeit.timeit(text(), number=1)\n",
    ),
    elsewhere(
        NORMS,
        "text_in_a_file",
        "Writes the same text to a file, and imports it.",
        NORM,
        code=f"{HIDDEN}open('own.py', 'w').write(text())\nimport own\n",
    ),
    elsewhere(
        NORMS,
        "flag_of_the_compiler",
        "Sets a flag of IPython's compiler, under which `1 <> 2` is Python, and hides what runs behind it.",
        NORM,
        code=f"{HIDDEN}get_ipython().run_cell('from __future__ import barry_as_FLUFL')\n"
        "get_ipython().run_cell('1 <> 2; ' + text())\n",
        flag="drives IPython",
    ),
    elsewhere(
        NORMS,
        "field_that_is_code",
        "Gives a dataclass a field whose name is code.",
        NORM,
        code=f"{HIDDEN}import dataclasses\nclass Own: pass\n"
        "Own.__annotations__ = {'x,*,y=exec(' + repr(text()) + ')': int}\ndataclasses.dataclass(Own)\n",
    ),
    elsewhere(
        NORMS,
        "managers_replaced",
        "Replaces how Python leaves a `with`, so that the watch never says what it saw.",
        NORM,
        code="import contextlib, torch.nn.functional as F\n"
        "def put(thing, name, value): setattr(thing, name, value)\n"
        "put(type(contextlib.contextmanager(print)('x')), '__exit__', lambda self, *error: None)\n",
        flag="was changed",
    ),
]
