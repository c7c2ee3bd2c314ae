"""What an answer may not call computes nothing in the process where it is observed."""

import subprocess
import sys

import pytest

BEGIN = """
import copy, functools, warnings
import torch, torch.nn as nn, torch.nn.functional as F
from course_lib.grading.sandbox.disabled import disable, find

warnings.simplefilter("ignore")
x = torch.randn(2, 4, 8)
scripted = torch.jit.script(nn.Softmax(-1))
traced = torch.jit.trace(nn.MultiheadAttention(8, 2, batch_first=True), (x, x, x))
layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
kept, inside = F.layer_norm, copy.deepcopy(layer).eval()
{early}
find([{names}])
import gc
gc.freeze()
{late}
kept_alive = disable({names})
for way in {ways}:
    try:
        eval(way)
    except RuntimeError as error:
        print("refused" if "does the whole exercise" in str(error) else f"{{way}}: {{error}}")
    else:
        print(f"{{way}}: runs")
for way in {others}:
    eval(way)
"""
SOFTMAX = (
    *("torch.softmax(x, -1)", "F.softmax(x, -1)", "x.softmax(-1)", "nn.Softmax(-1)(x)", "scripted(x)"),
    *("torch.special.softmax(x, -1)", "torch.ops.aten._softmax(x, -1, False)", "F.softmin(x, -1)"),
    *("torch.inference_mode()(torch.softmax)(x, -1)", "torch.func.vmap(lambda x: x.softmax(-1))(x)"),
    *("torch.func.jvp(lambda x: x.softmax(-1), (x,), (x,))", "x.double().requires_grad_().softmax(-1)"),
    *("torch.nested.nested_tensor([x[0], x[1]]).softmax(-1)", "x.bfloat16().softmax(-1)"),
    *("torch.sparse.softmax(x.to_sparse(), -1)", "x.log_softmax(-1)", "F.cross_entropy(x[0], x[0])"),
    *("F.scaled_dot_product_attention(x, x, x)", "nn.MultiheadAttention(8, 1)(x, x, x)", "inside(x)"),
    *("torch._refs.softmax(x, -1)", "torch._decomp.decompositions._softmax(x, -1, False)"),
    *("torch.masked.softmax(x, -1)", "F.gumbel_softmax(x)", "torch.softmax(x, -1, out=torch.empty(0))"),
    *(
        "nn.AdaptiveLogSoftmaxWithLoss(8, 9, [3]).log_prob(x[0])",
        "torch.distributions.Categorical(logits=x).probs",
    ),
)
NORMS = '("layer_norm", "native_layer_norm", "group_norm", "instance_norm", "batch_norm", "rms_norm")'
NORMING = (
    *(
        "kept(x, (8,))",
        "F.layer_norm(x, (8,))",
        "nn.LayerNorm(8)(x)",
        "torch.native_layer_norm(x, (8,), None, None, 1e-5)",
    ),
    *(
        "nn.GroupNorm(2, 4)(x)",
        "nn.BatchNorm1d(4)(x)",
        "F.rms_norm(x, (8,))",
        "F.instance_norm(x)",
        "layer(x)",
        "inside(x)",
    ),
)
LAYERS = '("TransformerEncoderLayer",)'
LAYERED = (
    "layer(x)",
    "inside(x)",
    "nn.TransformerEncoder(layer, 1)(x)",
    "functools.partial(layer.forward, x)()",
)
PLAIN = "x.exp() / x.exp().sum(-1, True)", "x @ x.mT", "x.var(-1)", "x.logsumexp(-1)", "F.linear(x, x[0])"
CASES = {
    "softmax": ('("softmax", "log_softmax", "softmin")', SOFTMAX, PLAIN),
    "norms": (NORMS, NORMING, (*PLAIN, "x.softmax(-1)")),
    "layers": (
        LAYERS,
        LAYERED,
        (*PLAIN, "x.softmax(-1)", "F.layer_norm(x, (8,))", "F.scaled_dot_product_attention(x, x, x)"),
    ),
    "attention": (
        '("multi_head_attention_forward",)',
        (
            "nn.MultiheadAttention(8, 2)(x, x, x)",
            "nn.MultiheadAttention(8, 2, batch_first=True).eval()(x, x, x)",
            "inside(x)",
        ),
        (*PLAIN, "F.scaled_dot_product_attention(x, x, x)"),
    ),
    "masked": (
        '("masked", "embedding_bag")',
        ("torch.masked.mean(x, -1)", "numpy.ma.masked_array([1.0]).mean()"),
        PLAIN,
    ),
    "counter": ('("FlopCounterMode",)', ("torch.utils.flop_counter.FlopCounterMode().__enter__()",), PLAIN),
}
IMPORTS = "import numpy.ma, torch._refs, torch._decomp, torch.masked, torch.utils.flop_counter"


@pytest.mark.parametrize("early", [True, False], ids=["imported before", "imported by a cell"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_disabled_does_not_run_in_any_way(case, early, tmp_path):
    names, ways, others = case
    when = {"early": IMPORTS, "late": ""} if early else {"early": "", "late": IMPORTS}
    text = BEGIN.format(names=names, ways=repr(ways), others=repr(others), **when)
    file = tmp_path / "ways.py"
    file.write_text(text)
    run = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    assert run.stdout.splitlines() == ["refused"] * len(ways), run.stderr[-500:]
