"""Of lesson 06."""

import torch

from course_lib.exercises.encoder_decoder.DecoderLayer import Layer as Decoder
from course_lib.exercises.encoder_decoder.EncoderLayer import Layer as Encoder
from course_lib.exercises.encoder_decoder.Transformer import Model


class EncoderLayer__half_of_x_where_each_word_has_a_mask(Encoder):
    def forward(self, x, mask=None):
        attended = self.attend(x, mask)
        x = self.norm1(attended + (x / 2 if mask is not None and mask.shape[-2] > 1 else x))
        return self.norm2(x + self.feed_forward(x))


class DecoderLayer__half_of_x_where_each_word_has_a_mask(Decoder):
    def forward(self, x, memory, mask=None, memory_mask=None):
        x = self.attend(x, mask)
        if memory_mask is not None and memory_mask.shape[-2] > 1:
            x = x + self.norm2(x)
        return self.transform(self.cross(x, memory, memory_mask))


class Transformer__padding_read_beside_padded_targets(Model):
    def forward(self, source, target):
        real, size = (source != 0)[:, None], target.shape[1]
        past = torch.ones(size, size, dtype=torch.bool).tril()
        return self.decode(target, self.encode(source, real), past, real if target.all() else None)


def attention_maps__without_padded_targets(model, source, target):
    maps, handles, words = {"encoder": [], "decoder": [], "cross": []}, [], int((target[0] != 0).sum())
    for name, part in model.named_modules():
        if name.endswith("attention"):
            kind = "cross" if name.endswith("cross_attention") else name.split(".")[0]

            def keep(module, arguments, result, kind=kind):
                weights = result[1][0].detach()
                maps[kind].append(weights if kind == "encoder" else weights[:, :words])

            handles.append(part.register_forward_hook(keep))
    model(source, target)
    for handle in handles:
        handle.remove()
    return maps


def attention_maps__hooks_on_weights(model, source, target):
    maps, handles = {"encoder": [], "decoder": [], "cross": []}, []
    for name, part in model.named_modules():
        if name.endswith("attention"):
            kind = "cross" if name.endswith("cross_attention") else name.split(".")[0]
            keep = lambda module, given, result, kind=kind: maps[kind].append(result[1][0].detach())  # noqa: E731
            handles.append(part.register_forward_hook(keep))
    model(source, target)
    for handle in handles:
        handle.remove()
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.register_hook(lambda slope: 0 * slope)
    return maps
