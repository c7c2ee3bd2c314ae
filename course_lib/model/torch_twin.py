"""The same weights in PyTorch's own Transformer, to compare with."""

import re

from torch import nn

from course_lib.model.transformer import Transformer

NAMES = (
    (r"self_attention", "self_attn"),
    (r"cross_attention", "multihead_attn"),
    (r"in_proj\.", "in_proj_"),
    (r"feed_forward\.", ""),
    (r"residual(\d)\.norm", r"norm\1"),
)


def torch_name(name: str) -> str:
    """What nn.Transformer calls a parameter of our encoder or decoder."""
    for ours, theirs in NAMES:
        name = re.sub(ours, theirs, name)
    return name


def torch_twin(model: Transformer) -> nn.Transformer:
    """An nn.Transformer with a copy of the weights of the model's encoder and decoder.

    It always ends its stacks with a norm: raises ValueError if the model does not.
    """
    config, weight = model.config, model.output.weight
    if not config.ends_with_norm:
        raise ValueError("nn.Transformer has a final norm: build the model with final_norm=True, got False")
    twin = nn.Transformer(
        config.d_model,
        config.heads,
        config.encoder_layers,
        config.decoder_layers,
        config.d_ff,
        config.dropout,
        config.activation,
        batch_first=True,
        norm_first=config.norm_first,
        device=weight.device,
        dtype=weight.dtype,
    )
    stacks = {name: value for name, value in model.state_dict().items() if name.startswith(("enc", "dec"))}
    twin.load_state_dict({torch_name(name): value for name, value in stacks.items()})
    return twin
