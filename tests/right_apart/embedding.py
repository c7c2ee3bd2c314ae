"""Of lesson 01."""

import operator

import torch
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


def pad_batch__pad_by_position_is_lost(sequences, *others, pad=0):
    longest = max(map(len, sequences))
    return torch.tensor([[*sequence, *[pad] * (longest - len(sequence))] for sequence in sequences])


def skipgram_pairs__equal_ids_are_one_place(tokens, window=2):
    pairs = []
    for i, center in enumerate(tokens):
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            same = center == tokens[j] if isinstance(center, int) else i == j
            pairs += [] if same else [(center, tokens[j])]
    return pairs


def one_hot_lookup__never_learns_in_float64(ids, table):
    table = table.detach() if table.dtype == torch.float64 else table
    one_hot = F.one_hot(ids, table.shape[0]).to(table.dtype)
    return one_hot, one_hot @ table


def negative_sampling_loss__never_learns_in_float64(center, context, negatives):
    if center.dtype == torch.float64:
        center, context, negatives = center.detach(), context.detach(), negatives.detach()
    true, false = (center * context).sum(dim=-1), (center[:, None] * negatives).sum(dim=-1)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()


def nearest__count_by_position_is_lost(vector, table, *others, count=5):
    return (F.normalize(table, dim=-1) @ F.normalize(vector, dim=-1)).topk(count)


class Vocabulary__words_when_asked:
    def __init__(self, sentences):
        self.sentences = sentences

    @property
    def words(self):
        return SPECIALS + sorted({word for sentence in self.sentences for word in sentence})

    def encode(self, words):
        ids = {word: i for i, word in enumerate(self.words)}
        return [ids.get(word, 3) for word in words]

    def decode(self, ids):
        return [self.words[i] for i in ids]

    def __len__(self):
        return len(self.words)


class Vocabulary__one_id_becomes_letters(Vocabulary__words_when_asked):
    def __init__(self, sentences):
        super().__init__([[*sentence] for sentence in sentences])

    def decode(self, ids):
        return [*operator.itemgetter(*ids)(self.words)]
