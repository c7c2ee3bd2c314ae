"""What an answer may not call computes nothing in the process where it is observed."""

import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F

from course_lib.checks.disabled import disabled
from course_lib.checks.results import RejectedError

BEGIN = """
import copy, functools, warnings
import torch, torch.nn as nn, torch.nn.functional as F
from course_lib.checks.disabled import disable, find

SENTENCES = "does what this exercise asks for", "compiled or recorded"
warnings.simplefilter("ignore")
x = torch.randn(2, 4, 8)
scripted = torch.jit.script(nn.Softmax(-1))
traced = torch.jit.trace(nn.MultiheadAttention(8, 2, batch_first=True), (x, x, x))
layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
jagged = torch.nested.nested_tensor([x[0], x[1]], layout=torch.jagged)
def counted(run):
    from torch.utils.flop_counter import FlopCounterMode
    with FlopCounterMode(display=False):
        return run()
kept, inside = F.layer_norm, copy.deepcopy(layer).eval()
{early}
graph, recorded = torch.fx.symbolic_trace(nn.Softmax(-1)), None
find({names})
import gc
gc.freeze()
{late}
disable({names})
for module in {last}:
    try:
        exec(f"import {{module}}")
    except Exception as error:
        assert "does what this exercise asks for" in str(error)
for way in {ways}:
    try:
        eval(way)
    except Exception as error:
        told = f"{{type(error).__name__}}: {{error}}"
        print("refused" if any(one in told for one in SENTENCES) else f"{{way}}: {{told}}")
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
        "graph(x)",
        "torch.fx.Interpreter(graph).run(x)",
        "torch.ops.aten.softmax.int.redispatch(torch._C.DispatchKeySet(torch._C.DispatchKey.HIP), x, -1)",
        "torch.ops.aten.softmax.int.decompose(x, -1)",
        "F.ctc_loss(x, torch.ones(4, 1).long(), torch.tensor([2] * 4), torch.tensor([1] * 4))",
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
        "torch.ops.aten.layer_norm.default.decompose(x, (8,))",
        "torch.ops.aten.rms_norm.default.decompose(x, (8,))",
        "torch.inference_mode()(counted)(lambda: torch.rms_norm(x, (8,)))",
        "torch.inference_mode()(torch.rms_norm)(jagged, (8,))",
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
    "mask": (
        '("generate_square_subsequent_mask",)',
        (
            "nn.Transformer.generate_square_subsequent_mask(3)",
            "nn.Transformer(8, 2).generate_square_subsequent_mask(3)",
            "nn.modules.transformer._generate_square_subsequent_mask(3)",
        ),
        (*PLAIN, "torch.ones(3, 3).triu(1)"),
    ),
    "masked": (
        '("masked", "embedding_bag")',
        ("torch.masked.mean(x, -1)", "numpy.ma.masked_array([1.0]).mean()"),
        PLAIN,
    ),
    "counter": ('("FlopCounterMode",)', ("torch.utils.flop_counter.FlopCounterMode().__enter__()",), PLAIN),
}
MODULES = "numpy.ma", "torch._refs", "torch._decomp", "torch.masked", "torch.utils.flop_counter"


WHEN = "early", "late", "last"


@pytest.mark.parametrize(
    "when", WHEN, ids=["imported before", "imported by a cell", "imported by the answer"]
)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_disabled_does_not_run_in_any_way(case, when, tmp_path):
    names, ways, others = case
    imports = dict.fromkeys(WHEN, "") | {"last": ()}
    imports[when] = MODULES if when == "last" else f"import {', '.join(MODULES)}"
    file = tmp_path / "ways.py"
    file.write_text(BEGIN.format(names=names, ways=repr(ways), others=repr(others), **imports))
    run = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    told = run.stdout.splitlines()
    if when == "last":  # a module that cannot be imported is as good as one that does nothing
        told = ["refused" if "AttributeError" in one or "NameError" in one else one for one in told]
    assert told == ["refused"] * len(ways), run.stderr[-500:]


def test_in_a_notebook_all_is_back_after_the_check():
    x = torch.randn(2, 3, requires_grad=True)
    expected, code = torch.softmax(x, -1), F.softmax.__code__
    for _ in range(2):
        with disabled(("softmax",)):
            assert torch.allclose(x.exp() / x.exp().sum(-1, keepdim=True), expected)
            x.exp().sum().backward()
            for way in (F.softmax, torch.softmax, torch.nn.Softmax(-1)):
                with pytest.raises(RejectedError, match="`softmax` does what this exercise asks for"):
                    way(x) if isinstance(way, torch.nn.Module) else way(x, -1)
        assert F.softmax.__code__ is code and torch.equal(torch.softmax(x, -1), expected)


def test_what_pytorch_has_recorded_is_not_run():
    graph = torch.fx.symbolic_trace(lambda x: torch.exp(x))
    by_node = torch.fx.Interpreter(graph)
    with disabled(("softmax",)):
        for run in (graph, by_node.run):
            with pytest.raises(RejectedError, match="compiled or recorded"):
                run(torch.ones(3))
    assert torch.equal(graph(torch.zeros(3)), torch.ones(3))
