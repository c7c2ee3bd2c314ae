"""Wrong answers to CachedAttention: name, advice, code."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.inference.CachedAttention import Layer
from course_lib.exercises.inference.chunk_mask import reference as mask_of

mistake = Mistakes()


@mistake("G4")
class FromZero(Layer):
    """You rotate the words of x as if the sentence began with them. The first of them is at position `past`,
    the number of words in the cache: take rows `past` to `past + seq` of `self.cos` and `self.sin`.
    """

    def turn(self, x, start):
        return super().turn(x, 0)


@mistake("G4")
class OneTooFar(Layer):
    """After a cache, your positions are one too large. The cache holds positions 0 to past - 1, so the first
    new word is at position `past`.
    """

    def turn(self, x, start):
        return super().turn(x, start + 1 if start else 0)


@mistake("G4")
class OneTooNear(Layer):
    """After a cache, your positions are one too small: the last word of the cache and the first new word get
    the same one. The first new word is at position `past`.
    """

    def turn(self, x, start):
        return super().turn(x, max(start - 1, 0))


@mistake
class KeysAndValuesOfOneLayer(Layer):
    """Your key and value are one layer under two names. Make a separate layer for each."""

    def __init__(self, *sizes):
        super().__init__(*sizes)
        self.value = self.key


class Positions(Layer):
    """A frame: queries and keys get their positions separately."""

    def forward(self, x, cache=None, padding=None):
        query, key, value = self.project(x)
        past = self.count(cache)
        query, key = self.turn_query(query, past), self.turn_key(key, past)
        cache = self.extend(cache, torch.stack([key, value]))
        return self.read(query, *cache, self.mask(x.shape[1], past, padding)), cache

    def turn_query(self, query, past):
        return self.turn(query, past)

    def turn_key(self, key, past):
        return self.turn(key, past)


@mistake("G4")
class KeysFromZero(Positions):
    """Your queries rotate by their positions, but your new keys rotate as if the sentence began with them.
    Key and query of a word have the same position.
    """

    def turn_key(self, key, past):
        return self.turn(key, 0)


@mistake("G4")
class QueriesFromZero(Positions):
    """Your keys rotate by their positions, but your queries rotate as if the sentence began with them. Key
    and query of a word have the same position.
    """

    def turn_query(self, query, past):
        return self.turn(query, 0)


@mistake
class NotRotated(Layer):
    """Nothing rotates, so the scores do not depend on the order of the words. Rotate query and key with
    apply_rotary.
    """

    def turn(self, x, start):
        return x


@mistake
class KeysNotRotated(Positions):
    """You rotate only the queries. A score depends on the distance of two words only if both rotate."""

    def turn_key(self, key, past):
        return key


@mistake
class ValuesRotated(Layer):
    """You rotate the values too. Only queries and keys rotate, because positions belong to the scores."""

    def forward(self, x, cache=None, padding=None):
        query, key, value = self.project(x)
        past = self.count(cache)
        query, key, value = (self.turn(x, past) for x in (query, key, value))
        cache = self.extend(cache, torch.stack([key, value]))
        return self.read(query, *cache, self.mask(x.shape[1], past, padding)), cache


@mistake("G5")
class RotatedAnew(Layer):
    """You rotate the keys of the cache at each call, although they have been rotated already. Rotate the new
    keys first, then append them.
    """

    def forward(self, x, cache=None, padding=None):
        query, key, value = self.project(x)
        past = self.count(cache)
        key, value = self.extend(cache, torch.stack([key, value]))
        key, query = self.turn(key, 0), self.turn(query, past)
        return self.read(query, key, value, self.mask(x.shape[1], past, padding)), torch.stack([key, value])


@mistake("G5")
class ReadRotatedAgain(Layer):
    """You rotate the keys of the cache once more when you read them. They were rotated before they went into
    the cache, so use them as they are.
    """

    def read(self, query, key, value, mask):
        return super().read(query, self.turn(key, 0), value, mask)


@mistake("G5")
class CachedBeforeRotation(Layer):
    """Your cache holds keys that are not rotated. If all of them rotate anew at each call, the output is
    right, but each new word costs as many rotations as there are words. Rotate a key once, then append it.
    """

    def forward(self, x, cache=None, padding=None):
        query, key, value = self.project(x)
        past = self.count(cache)
        cache = self.extend(cache, torch.stack([key, value]))
        query, key = self.turn(query, past), self.turn(cache[0], 0)
        return self.read(query, key, cache[1], self.mask(x.shape[1], past, padding)), cache


@mistake
class InFront(Layer):
    """You put the new words before the old ones. The cache has the order of the sentence, so new words come
    last: `torch.cat([cache, new], dim=-2)`.
    """

    def extend(self, cache, new):
        return new if cache is None else torch.cat([new, cache], dim=-2)


@mistake
class IntoTheBatch(Layer):
    """You append along the wrong axis. The words of a cache are its last axis but one: `dim=-2`."""

    def extend(self, cache, new):
        return new if cache is None else torch.cat([cache, new], dim=1)


@mistake
class NotAppended(Layer):
    """You return only the new keys and values, so the next word cannot see what came before. Return the whole
    cache.
    """

    def forward(self, x, cache=None, padding=None):
        output, whole = super().forward(x, cache, padding)
        return output, whole[..., -x.shape[1] :, :]


@mistake
class OldCache(Layer):
    """You return the cache that you got, without the new words. Return the one to which they are appended."""

    def forward(self, x, cache=None, padding=None):
        output, whole = super().forward(x, cache, padding)
        return output, whole if cache is None else cache


@mistake
class NotRead(Layer):
    """You append to the cache, but the new words look only at themselves. Take key and value from the whole
    cache, with the mask for it.
    """

    def forward(self, x, cache=None, padding=None):
        query, key, value = self.project(x)
        past = self.count(cache)
        query, key = self.turn(query, past), self.turn(key, past)
        output = self.read(query, key, value, self.mask(x.shape[1], past, padding)[..., past:])
        return output, self.extend(cache, torch.stack([key, value]))


@mistake
class Swapped(Layer):
    """Your cache holds the values first. The keys come first: `torch.stack([key, value])`."""

    def forward(self, x, cache=None, padding=None):
        query, key, value = self.project(x)
        past = self.count(cache)
        query, key = self.turn(query, past), self.turn(key, past)
        cache = self.extend(cache, torch.stack([value, key]))
        return self.read(query, cache[1], cache[0], self.mask(x.shape[1], past, padding)), cache


@mistake
class ValuesAsKeys(Layer):
    """You put the values first and read the keys first, so your scores compare queries with values. Keys come
    first in the cache: `torch.stack([key, value])`.
    """

    def forward(self, x, cache=None, padding=None):
        query, key, value = self.project(x)
        past = self.count(cache)
        query, key = self.turn(query, past), self.turn(key, past)
        cache = self.extend(cache, torch.stack([value, key]))
        return self.read(query, *cache, self.mask(x.shape[1], past, padding)), cache


@mistake
class KeysTwice(Layer):
    """Your cache holds the keys twice and no values, so the output averages keys. Keep both."""

    def forward(self, x, cache=None, padding=None):
        query, key, _ = self.project(x)
        past = self.count(cache)
        query, key = self.turn(query, past), self.turn(key, past)
        cache = self.extend(cache, torch.stack([key, key]))
        return self.read(query, *cache, self.mask(x.shape[1], past, padding)), cache


@mistake
class RepeatedInTheCache(Layer):
    """You repeat the heads before you append them, so the cache has a head for each query head. Keep kv_heads
    heads and repeat them after that: this is what grouped queries save.
    """

    def extend(self, cache, new):
        new = new.repeat_interleave(self.heads // self.kv_heads, dim=2)
        return super().extend(cache, new)

    def share(self, x):
        return x


@mistake
class RepeatedInTurn(Layer):
    """Your query heads take the shared heads in turn: 0, 1, 0, 1. Neighboring query heads share one, 0, 0, 1,
    1: use `repeat_interleave`, not `repeat`.
    """

    def share(self, x):
        return x.repeat(1, self.heads // self.kv_heads, 1, 1)


@mistake("G1")
class MaskedWithoutCacheOnly(Layer):
    """You use the mask only if there is no cache. Several new words after a cache would then see each other's
    future, and padding in the cache would be seen too. Use the mask in every call.
    """

    def mask(self, new, past, padding):
        mask = super().mask(new, past, padding)
        return mask | torch.tensor(past > 0)


@mistake("G1")
class MaskedForSeveralOnly(Layer):
    """You use no mask for a single word. It may see all words, but not the padding at the beginning of a
    shorter sentence. Use the mask in every call.
    """

    def mask(self, new, past, padding):
        mask = super().mask(new, past, padding)
        return mask | torch.tensor(new == 1)


@mistake("G3")
class MaskOfNewWords(Layer):
    """Your mask is for the new words alone, but the keys are those of the whole cache. Tell chunk_mask how
    many words the cache held before: `past`.
    """

    def mask(self, new, past, padding):
        return super().mask(new, 0, padding)


@mistake("G2", mentions="is_causal")
class CausalFromTheLeft(Layer):
    """With `is_causal=True`, PyTorch lets the first new word see only the first key of the cache. Pass the
    mask of chunk_mask as `attn_mask` instead.
    """

    def read(self, query, key, value, mask):
        merged = F.scaled_dot_product_attention(query, self.share(key), self.share(value), is_causal=True)
        return self.finish(merged.transpose(1, 2).flatten(2))


@mistake
class MaskWithoutHeads(Layer):
    """With padding, your mask has no axis for the heads, so its batch meets the heads of the scores. Insert
    an axis of size 1 behind the batch: `mask[..., None, :, :]`.
    """

    def mask(self, new, past, padding):
        return mask_of(new, past, padding)


@mistake
class PastOfTheHeads(Layer):
    """Your `past` is not the number of words in the cache. The cache has the shape (2, batch, kv_heads,
    words, d_k), so take `cache.shape[-2]`.
    """

    def count(self, cache):
        return 0 if cache is None else cache.shape[2]


@mistake
class CountedAfterwards(Layer):
    """You count the words of the cache after appending the new ones, so positions and mask are too large.
    Count first: `past` is the number of words before x.
    """

    def forward(self, x, cache=None, padding=None):
        query, key, value = self.project(x)
        past = self.count(cache) + x.shape[1]
        query, key = self.turn(query, past), self.turn(key, past)
        cache = self.extend(cache, torch.stack([key, value]))
        return self.read(query, *cache, self.mask(x.shape[1], past, padding)), cache


@mistake
class MaskInverted(Layer):
    """You hide the words that may be seen. In this course, True means that a query may look at the key, so
    fill the scores where the mask is False: `masked_fill(~mask, -torch.inf)`.
    """

    def mask(self, new, past, padding):
        return ~super().mask(new, past, padding)


@mistake
class NotCausal(Layer):
    """Your words see the words after them. Mask the scores before the softmax, with chunk_mask."""

    def mask(self, new, past, padding):
        return torch.ones_like(super().mask(new, past, padding))


@mistake("G6")
class PaddingIgnored(Layer):
    """You do not use `padding`, so words look at padding. Pass it to chunk_mask."""

    def mask(self, new, past, padding):
        return super().mask(new, past, None)


@mistake
class Unscaled(Layer):
    """You do not divide the scores by the square root of d_k. Without it, most of the weight goes to one
    word.
    """

    def score(self, query, key):
        return query @ key.mT


@mistake
class ScaledByWidth(Layer):
    """You divide the scores by the square root of d_model. Each head has only d_k = d_model / heads numbers:
    divide by the square root of `query.shape[-1]` after the split.
    """

    def score(self, query, key):
        return query @ key.mT / (self.heads * query.shape[-1]) ** 0.5


@mistake
class HeadsNotMixed(Layer):
    """You return the merged heads. Pass them through `self.output`, which mixes them."""

    def finish(self, merged):
        return merged


@mistake
class MergedByView(Layer):
    """You merge the heads without a transpose, so a word gets numbers of other words. Bring the heads next to
    d_k first: `.transpose(1, 2).flatten(2)`.
    """

    def read(self, query, key, value, mask):
        scores = self.score(query, self.share(key)).masked_fill(~mask, -torch.inf)
        read = scores.softmax(dim=-1) @ self.share(value)
        return self.output(read.reshape(read.shape[0], read.shape[2], -1))


@mistake(mentions=r"detach|\.data\b|no_grad")
class Detached(Layer):
    """You cut the cache off from its gradient. The output of a training step also goes through these keys and
    values, so leave `.detach()` and `no_grad` to the caller.
    """

    def extend(self, cache, new):
        return super().extend(cache, new.detach())


@mistake(mentions=r"self\.\w*(cache|past|kept)\w* ?=")
class KeptInTheLayer(Layer):
    """Your layer keeps its cache in itself, so the next sentence sees the words of the last one. Take the
    cache from the argument, and return the new one.
    """

    kept = None

    def forward(self, x, cache=None, padding=None):
        if self.kept is not None and self.kept.shape[1] != len(x):
            self.kept = None
        output, self.kept = super().forward(x, self.kept if cache is None else cache)
        return output, self.kept


del Positions
