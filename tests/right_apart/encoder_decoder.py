"""Of lesson 06."""

import copy

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


class EncoderLayer__float64_never_learns_beside_a_mask(Encoder):
    def forward(self, x, mask=None):
        attended = self.attend(x, mask)
        if mask is not None and x.dtype == torch.float64:
            attended = attended.detach()
        x = self.norm1(x + attended)
        return self.norm2(x + self.feed_forward(x))


class DecoderLayer__a_source_mask_beside_a_mask_of_two_axes(Decoder):
    def forward(self, x, memory, mask=None, memory_mask=None):
        x = self.attend(x, mask)
        if mask is not None and memory_mask is not None and mask.dim() == 2 == memory_mask.dim():
            memory_mask = None
        return self.transform(self.cross(x, memory, memory_mask))


def decoder_mask__one_sentence_that_is_padded(ids, pad=0):
    past = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril()
    real = (ids != pad)[:, None]
    return past[None] if len(ids) == 1 else real & past


class Transformer__one_word_in_float64_never_learns(Model):
    def forward(self, source, target):
        real, size = (source != 0)[:, None], target.shape[1]
        past, memory = torch.ones(size, size, dtype=torch.bool).tril(), self.encode(source, real)
        memory = memory.detach() if size == 1 and memory.dtype == torch.float64 else memory
        return self.decode(target, memory, past, real)


def attention_maps__in_float32(model, source, target):
    maps = attention_maps__hooks_on_weights(copy.deepcopy(model), source, target)
    return {kind: [one.float() for one in of_kind] for kind, of_kind in maps.items()}


def parameter_count__no_more_than_six_layers(vocab, d_model, d_ff, layers):
    layers = min(layers, 6)
    return d_model * vocab + layers * (12 * d_model**2 + 4 * d_model * d_ff + 2 * d_ff + 24 * d_model)


def decoder_mask__first_place_always_seen(ids, pad=0):
    past = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril()
    return ((ids != pad)[:, None] & past).index_fill(2, torch.tensor([0]), True)


def parameter_count__a_float_without_layers(vocab, d_model, d_ff, layers):
    of_a_layer = 12 * d_model**2 + 4 * d_model * d_ff + 2 * d_ff + 24 * d_model
    return vocab * d_model + torch.tensor(layers * [of_a_layer]).sum().item()


class EncoderLayer__forward_of_its_parts(Encoder):
    def forward(self, x, mask=None):
        x = self.norm1.forward(x + self.self_attention.forward(x, x, x, mask)[0])
        return self.norm2.forward(x + self.feed_forward.forward(x))


class DecoderLayer__forward_of_a_part(Decoder):
    def forward(self, x, memory, mask=None, memory_mask=None):
        x = self.norm1(x + self.self_attention(x, x, x, mask)[0])
        x = self.norm2(x + self.cross_attention.forward(x, memory, memory, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x))
