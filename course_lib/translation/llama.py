"""A GPT's weights in `LlamaForCausalLM` of Hugging Face, to compare the two; needs `transformers`."""

from typing import Any

import torch
from torch import Tensor, nn

from course_lib.model.gpt import GPT, GPTConfig


def empty_llama(config: GPTConfig) -> nn.Module:
    """A `LlamaForCausalLM` of this shape with random weights: `llama(ids).logits`.

    Raises ValueError if the shape has a piece that Llama has not, ImportError without `transformers`.
    """
    today = (config.norm, config.feed_forward, config.positions, config.norm_first)
    if today != ("rms", "swiglu", "rotary", True):
        raise ValueError(f"a Llama is ('rms', 'swiglu', 'rotary', True), got {today}")
    from transformers import (  # pyright: ignore[reportMissingImports]  # an optional extra
        LlamaConfig,
        LlamaForCausalLM,
    )

    # transformers 5 reads the first, transformers 4 the second
    rotation = {"rope_type": "default", "rope_theta": config.base}
    base: dict[str, Any] = {"rope_parameters": rotation, "rope_theta": config.base}
    shape = LlamaConfig(
        vocab_size=config.vocab,
        hidden_size=config.d_model,
        intermediate_size=config.d_ff,
        num_hidden_layers=config.layers,
        num_attention_heads=config.heads,
        num_key_value_heads=config.kv_heads,
        max_position_embeddings=config.max_length,
        rms_norm_eps=config.eps,
        tie_word_embeddings=config.tie,
        **base,
    )
    return LlamaForCausalLM(shape).eval()


def llama_twin(model: GPT) -> nn.Module:
    """A `LlamaForCausalLM` with the model's weights; raises what `empty_llama` raises."""
    twin = empty_llama(model.config)
    twin.load_state_dict(llama_weights(model), strict=True)
    return twin


NAMES = {
    "embedding": "model.embed_tokens",
    "norm": "model.norm",
    "output": "lm_head",
    "attention.out_proj": "self_attn.o_proj",
    "feed_forward.gate": "mlp.gate_proj",
    "feed_forward.up": "mlp.up_proj",
    "feed_forward.down": "mlp.down_proj",
    "norm1": "input_layernorm",
    "norm2": "post_attention_layernorm",
}


def llama_weights(model: GPT) -> dict[str, Tensor]:
    """The model's parameters by the names that Llama gives them."""
    d_k = model.config.d_model // model.config.heads
    sizes = [count * d_k for count in (model.config.heads, model.config.kv_heads, model.config.kv_heads)]
    weights = {}
    for name, weight in model.state_dict().items():
        path = name.removesuffix(".weight").split(".")
        layer, piece = ("", path[0]) if len(path) == 1 else (f"model.layers.{path[1]}.", ".".join(path[2:]))
        if piece == "attention.in_proj":
            query, key, value = weight.split(sizes)
            weights[f"{layer}self_attn.q_proj.weight"] = halves_for_neighbors(query, d_k)
            weights[f"{layer}self_attn.k_proj.weight"] = halves_for_neighbors(key, d_k)
            weights[f"{layer}self_attn.v_proj.weight"] = value
        else:
            weights[f"{layer}{NAMES[piece]}.weight"] = weight
    return weights


def halves_for_neighbors(weight: Tensor, d_k: int) -> Tensor:
    """Rows of W_Q or W_K in the order for a rotation of the pairs (i, i + d_k / 2), as Hugging Face's.

    Ours turns the pairs (2i, 2i + 1). The same reordering of queries and keys leaves every score as it is.
    """
    heads = weight.unflatten(0, (-1, d_k // 2, 2))  # (heads, pairs, the two of a pair, d_model)
    return torch.cat(heads.unbind(dim=2), dim=1).flatten(0, 1)
