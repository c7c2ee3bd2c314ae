"""The weights of a layer of lesson 06, for PyTorch's own."""

import torch
from torch import nn


def pytorchs(ours: nn.Module) -> dict[str, torch.Tensor]:
    """The weights of one of our layers under PyTorch's names."""
    theirs, weights = {}, dict(ours.named_parameters())
    for kind, their_kind in (("self_attention", "self_attn"), ("cross_attention", "multihead_attn")):
        for what in ("weight", "bias") if f"{kind}.query.weight" in weights else ():
            parts = [weights[f"{kind}.{part}.{what}"] for part in ("query", "key", "value")]
            theirs[f"{their_kind}.in_proj_{what}"] = torch.cat(parts)
            theirs[f"{their_kind}.out_proj.{what}"] = weights[f"{kind}.output.{what}"]
    rest = {n: weight for n, weight in weights.items() if "attention" not in n}
    return theirs | {name.removeprefix("feed_forward."): weight for name, weight in rest.items()}
