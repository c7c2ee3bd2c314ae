"""Under which names and in which files PyTorch has what an exercise is about."""

import functools
import os
from pathlib import Path
from types import CodeType

import torch

from course_lib.checks.codes import place_of
from course_lib.checks.definitions import INSTALLED

TORCH = str(Path(torch.__file__).parent) + os.sep
WRITTEN = TORCH, *(os.path.join(folder, "numpy", "") for folder in INSTALLED[1:])

FUSED_ATTENTION = (
    *("_scaled_dot_product_flash_attention", "_scaled_dot_product_flash_attention_for_cpu"),
    *("_scaled_dot_product_efficient_attention", "_scaled_dot_product_cudnn_attention"),
    *("_scaled_dot_product_fused_attention_overrideable", "_scaled_dot_product_attention_math"),
    *("_scaled_dot_product_attention_math_for_mps", "_fused_sdp_choice"),
)
RECURRENT = "rnn_tanh_cell", "rnn_relu_cell", "rnn_tanh", "rnn_relu"
# The operations to which these functions come down, where their names do not end as the function's does.
OPERATIONS = {
    "softmin": ("_softmax",),
    "softmax": FUSED_ATTENTION,  # of an identity for keys and values it is the softmax of the queries
    # Of each word in turn as the right one; the gradient of the other holds the softmax.
    "log_softmax": ("cross_entropy", "cross_entropy_loss", "ctc_loss"),
    "scaled_dot_product_attention": (*FUSED_ATTENTION, "_safe_softmax"),
    "multi_head_attention_forward": ("_native_multi_head_attention", "_transform_bias_rescale_qkv"),
    "TransformerEncoderLayer": ("_transformer_encoder_layer_fwd",),
    "batch_norm": (
        *("_native_batch_norm_legit", "_batch_norm_with_update"),
        *("fuse_linear_bn_weights", "fuse_conv_bn_weights"),  # of weights of one, it normalizes them
    ),
    # The gates of an LSTM, of a chosen state, are those of a GRU.
    "gru": ("mkldnn_rnn_layer", "_cudnn_rnn", "lstm_cell", "lstm", *RECURRENT),
    "rotary_embedding": ("RotaryEmbedding",),
}
# Where PyTorch or NumPy has it in Python, out of simpler operations: the beginning of FILE:QUALIFIED NAME.
IN_LAYERS = "TransformerEnc", "TransformerDec", "Transformer.forward"
LAYERS = tuple(f"nn/modules/transformer.py:{name}" for name in IN_LAYERS)
ATTENTION_IN = "ao/nn/quantizable/modules/activation.py:", "nn/attention/", "onnx/ops/"
WRITTEN_IN = {
    **dict.fromkeys(("TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer"), LAYERS),
    "rotary_embedding": ("onnx/ops/",),
    "masked": ("masked/", "ma/"),
    "FlopCounterMode": ("utils/flop_counter.py:",),
    "softmax": ("distributions/",),
    "scaled_dot_product_attention": (*ATTENTION_IN, "_higher_order_ops/flex_attention.py:"),
    "multi_head_attention_forward": ATTENTION_IN,
    "layer_norm": ("_refs/__init__.py:_normalize", "_decomp/decompositions.py:normalize"),
    "local_response_norm": ("nn/modules/normalization.py:CrossMapLRN2d.",),
}
BY_PLACE = ("masked",)  # `masked_fill` has the word in its name, too

# Where PyTorch runs what it has compiled, or recorded as a graph: whose code it was is lost.
MADE_IN = (
    *("_dynamo/eval_frame.py:_TorchDynamoContext.__call__", "_inductor/"),
    *("fx/graph_module.py:_WrappedCall.__call__", "fx/interpreter.py:Interpreter."),
)
RECORDED = "<eval_with_key>"  # the beginning of a file's name
MADE = RECORDED, *(TORCH + place for place in MADE_IN)
ORIGINS = *WRITTEN, RECORDED  # the beginnings of the files of all that is forbidden


@functools.cache  # many functions share a name
def meant(name: str, forbidden: tuple[str, ...]) -> str:
    """Which of the forbidden functions this name of a function or an operation means; "" if none."""
    last = name.rpartition("::")[2].removesuffix("_").removesuffix("_dynamic")
    last = last.removesuffix("_backward")  # of it the gradient by the values is the attention
    if last in forbidden:
        return last
    for one in forbidden:
        is_named = one not in BY_PLACE and f"_{one}_" in f"_{last}_"
        if is_named or last.endswith(OPERATIONS.get(one, ())):
            return one
    return ""


def meant_by(code: CodeType, forbidden: tuple[str, ...]) -> str:
    """Which of the forbidden functions this code of PyTorch or NumPy does the work of; "" if none."""
    file, name, qualified = place_of(code)
    if not file.startswith(WRITTEN):
        return ""
    here = f"{file}:{qualified}"
    found = (one for place, one in _places(forbidden) if here.startswith(place))
    return meant(name, forbidden) or next(found, "")


@functools.cache
def _places(forbidden: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(root + place, one) for root in WRITTEN for one in forbidden for place in WRITTEN_IN.get(one, ())]


def is_made(code: CodeType) -> bool:
    """Whether it runs what PyTorch has compiled or recorded."""
    file, _, qualified = place_of(code)
    return f"{file}:{qualified}".startswith(MADE)
