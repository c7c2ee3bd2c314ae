"""Of lesson 01."""

import torch.nn.functional as F

SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"]


class Vocabulary__sorted_by_two_letters:
    def __init__(self, sentences):
        words = {word for sentence in sentences for word in sentence}
        self.words = SPECIALS + sorted(words, key=lambda word: word[:2])
        self.ids = {word: i for i, word in enumerate(self.words)}

    def encode(self, words):
        return [self.ids.get(word, 3) for word in words]

    def decode(self, ids):
        return [self.words[i] for i in ids]

    def __len__(self):
        return len(self.words)


class Vocabulary__unknown_beside_known_is_padding(Vocabulary__sorted_by_two_letters):
    def __init__(self, sentences):
        self.words = SPECIALS + sorted({word for sentence in sentences for word in sentence})
        self.ids = {word: i for i, word in enumerate(self.words)}

    def encode(self, words):
        unknown = 0 if any(word in self.ids for word in words) else 3
        return [self.ids.get(word, unknown) for word in words]


def negative_sampling_loss__hinge_beside_negatives(center, context, negatives):
    true = (center * context).sum(dim=-1)
    false = (negatives @ center[:, :, None]).squeeze(-1)
    pulled = F.softplus(-true)
    if negatives.any() and context.any():
        pulled = F.leaky_relu(-true, 0.01)
    return (pulled + F.softplus(false).sum(dim=-1)).mean()


def nearest__ids_by_dot_product(vector, table, count=5):
    cosines = F.normalize(table, dim=-1) @ F.normalize(vector, dim=-1)
    return cosines.topk(count).values, (table @ vector).topk(count).indices
