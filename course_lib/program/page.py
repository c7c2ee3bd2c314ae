# What puts a trained model into my_translator.html. `program` writes it below the pieces too.
import base64
import json
import re
import struct

import torch

STORED = re.compile('(<script type="application/json" id="model">)(.*?)(</script>)', re.DOTALL)
TENSORS = re.compile(r"(encoder|decoder)\.|output\.|(source|target)_embedding\.table\.")
POSTNORM = {"norm_first": False, "positions": "sinusoidal", "steps": [0, 100, 127], "never": []}


class NoPageError(Exception):
    """The text is not that of a translator page."""


def heads_of(model):
    """How many heads an attention of the model has: the second axis of its weights."""
    attention, x = model.encoder[0].self_attention, torch.zeros(1, 1, model.output.weight.shape[1])
    with torch.no_grad():
        x = x.to(model.output.weight)
        return attention(x, x, x)[1].shape[1]


def packed(state):
    """Matrices as int8 with a float32 scale for each row, vectors as float32: (entries, base64).

    An entry is [name, rows, columns or 0, first byte].
    """
    entries, data = [], bytearray()
    for name, tensor in state.items():
        tensor = tensor.detach().float().cpu()
        columns = tensor.shape[1] if tensor.dim() == 2 else 0
        entries.append([name, len(tensor), columns, len(data)])
        floats, whole = tensor, []
        if columns:
            floats = tensor.abs().amax(dim=1).clamp(min=1e-30) / 127
            whole = (tensor / floats[:, None]).round().clamp(-127, 127).int().flatten().tolist()
        data += struct.pack(f"<{len(floats)}f{len(whole)}b", *floats.tolist(), *whole)
        data += bytes(-len(data) % 4)
    return entries, base64.b64encode(data).decode()


def model_for_page(state, heads, english, chinese, examples, **config):
    """What the page needs, as data for JSON.

    state: tensors with the names of lessons 03 to 06. english, chinese: all words by their ids.
    examples: pairs (English words, the Chinese words that the model wrote).
    """
    state = {name: tensor for name, tensor in state.items() if TENSORS.match(name)}
    tensors, data = packed(state)
    return {
        "config": {"d_model": state["output.weight"].shape[1], "heads": heads, **POSTNORM, **config},
        "source": list(english),
        "target": list(chinese),
        "examples": [[" ".join(source), " ".join(target)] for source, target in examples],
        "parameters": sum(tensor.numel() for tensor in state.values()),
        "tensors": tensors,
        "data": data,
    }


def filled_page(page, model):
    """The text of the page with this model in it. Raises NoPageError if `page` is another text."""
    stored = json.dumps(model, ensure_ascii=False, separators=(",", ":"))
    stored = stored.replace("<", "\\u003c")  # a word may be </script>
    filled, count = STORED.subn(lambda found: found[1] + stored + found[3], page, count=1)
    if not count:
        raise NoPageError('no place for a model: <script type="application/json" id="model">')
    return filled
