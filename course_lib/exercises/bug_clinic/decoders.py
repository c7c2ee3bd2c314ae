"""Right decoders, and decoders in which some position sees what comes after it. Nothing is trained."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_lib.exercises.bug_clinic.pieces import Piece, shaped

D_MODEL, VOCAB = 8, 12


def attend(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, fill: float = -torch.inf
) -> Tensor:
    scores = query @ key.mT / D_MODEL**0.5
    scores = scores if mask is None else scores.masked_fill(~mask, fill)
    return scores.softmax(dim=-1) @ value


class Decoder(nn.Module):
    """A right decoder of two layers: x (batch, seq, 8), memory (batch, source, 8) -> (batch, seq, 12)."""

    fill, layers = -torch.inf, 2

    def __init__(self):
        super().__init__()
        numbers = torch.Generator().manual_seed(9)
        maps = torch.randn(2, 6, D_MODEL, D_MODEL, generator=numbers) / D_MODEL**0.5
        self.maps = nn.Parameter(maps, requires_grad=False)  # without gradients of their own a test is faster
        self.output = nn.Parameter(torch.randn(D_MODEL, VOCAB, generator=numbers), requires_grad=False)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x, memory):
        for layer in range(self.layers):
            query, key, value, cross_query, cross_key, up = self.maps[layer]
            normed, mask = self.norm(x), self.mask(x.shape[1], layer)
            looked = attend(normed @ query, normed @ key, normed @ value, mask, self.fill)
            x = x + self.dropout(looked)
            read = self.read(memory, x)
            x = x + self.dropout(attend(self.norm(x) @ cross_query, read @ cross_key, read, None, self.fill))
            x = x + F.relu(self.norm(x) @ up)
        return x @ self.output

    def mask(self, seq, layer):
        return torch.ones(seq, seq, dtype=torch.bool).tril()

    def norm(self, x):
        return F.layer_norm(x, (D_MODEL,))

    def read(self, memory, x):
        """What cross-attention looks at."""
        return memory


# Right, in other ways


class FiniteFill(Decoder):
    fill = -1e9


class OneLayer(Decoder):
    layers = 1


class StepByStep(Decoder):
    """Right: each position is computed by itself, from the words up to it."""

    def forward(self, x, memory):
        logits = [super(StepByStep, self).forward(x[:, :t], memory) for t in range(1, x.shape[1] + 1)]
        return torch.stack([rows[:, -1] for rows in logits], dim=1)


class Recurrent(Decoder):
    def forward(self, x, memory):
        state, states = memory.mean(dim=1), []
        for t in range(x.shape[1]):
            state = torch.tanh(x[:, t] @ self.maps[0, 0] + self.dropout(state) @ self.maps[0, 1])
            states.append(state)
        return torch.stack(states, dim=1) @ self.output


class Convolution(Decoder):
    def forward(self, x, memory):
        before = F.pad(x, (0, 0, 9, 0)).unfold(1, 10, 1)  # (batch, seq, d_model, 10)
        mixed = torch.einsum("bsdk,kde->bse", before, self.maps.flatten(0, 1)[:10])
        return torch.tanh(self.dropout(mixed) + memory.mean(dim=1, keepdim=True)) @ self.output


class OfPyTorch(nn.Module):
    """Right: PyTorch's own layer, post-norm."""

    def __init__(self):
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(0)
            self.layer = nn.TransformerDecoderLayer(D_MODEL, 2, 16, dropout=0.1, batch_first=True)
            self.output = nn.Linear(D_MODEL, VOCAB)

    def forward(self, x, memory):
        hidden = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.output(self.layer(x, memory, tgt_mask=hidden))


# With a leak


class NoMask(Decoder):
    """The mask is forgotten."""

    def mask(self, seq, layer):
        return torch.ones(seq, seq, dtype=torch.bool)


class FilledWithZero(Decoder):
    """Hidden scores become -1e-12."""

    fill = -1e-12


class FilledWithSix(Decoder):
    """Hidden scores become -6."""

    fill = -6.0


class Upper(Decoder):
    """`triu` instead of `tril`: each word sees itself and all words after it."""

    def mask(self, seq, layer):
        return torch.ones(seq, seq, dtype=torch.bool).triu()


class OneTooMany(Decoder):
    """`tril(1)`: each word sees the next one, too."""

    def mask(self, seq, layer):
        return torch.ones(seq, seq, dtype=torch.bool).tril(1)


class LastLayer(Decoder):
    """The last layer has no mask."""

    def mask(self, seq, layer):
        return super().mask(seq, layer) | (layer == 1)


class CrossLeak(Decoder):
    """Cross-attention looks at the memory and at the target's own words."""

    def read(self, memory, x):
        return torch.cat([memory, x], dim=1)


class OneNorm(Decoder):
    """Layer norm takes one mean and one variance of a whole sentence."""

    def norm(self, x):
        return F.layer_norm(x, x.shape[1:])


class OnlyTraining(Decoder):
    """The mask is there in training mode only."""

    def mask(self, seq, layer):
        return super().mask(seq, layer) | (not self.training)


class OnlyEvaluation(Decoder):
    """The mask is there in evaluation mode only."""

    def mask(self, seq, layer):
        return super().mask(seq, layer) | self.training


class FirstWords(Decoder):
    """The first three words see each other."""

    def mask(self, seq, layer):
        place = torch.arange(seq)
        return super().mask(seq, layer) | (place < 3) & (place[:, None] < 3)


class LastWords(Decoder):
    """The last two words see each other."""

    def mask(self, seq, layer):
        place = torch.arange(seq)
        return super().mask(seq, layer) | (place >= seq - 2) & (place[:, None] >= seq - 2)


class MiddleWords(Decoder):
    """The third and the fourth word see each other."""

    def mask(self, seq, layer):
        middle = (torch.arange(seq) == 2) | (torch.arange(seq) == 3)
        return super().mask(seq, layer) | middle & middle[:, None]


class FourWords(Decoder):
    """The mask is made for four words: all words see those after the fourth."""

    def mask(self, seq, layer):
        return super().mask(seq, layer) | (torch.arange(seq) >= 4)


# With a single layer: where there is a second, a leak between any words makes one between neighbors


class WordAfterNext(OneLayer):
    """Each word sees the one after the next, and no other later word."""

    def mask(self, seq, layer):
        place = torch.arange(seq)
        return super().mask(seq, layer) | (place == place[:, None] + 2)


class FirstSeesLast(OneLayer):
    """The first word sees the last one."""

    def mask(self, seq, layer):
        mask = super().mask(seq, layer)
        mask[0, -1] = True
        return mask


class SecondSeesFourth(OneLayer):
    """The second word sees the fourth one."""

    def mask(self, seq, layer):
        mask = super().mask(seq, layer)
        mask[1:2, 3:4] = True
        return mask


def in_one_mode(leaking: type[Decoder], training: bool) -> type[Decoder]:
    """The same leak in training mode alone, or in evaluation mode alone."""

    class InOneMode(leaking):
        def mask(self, seq, layer):
            return super().mask(seq, layer) if self.training is training else Decoder.mask(self, seq, layer)

    return InOneMode


LastInTraining, LastInEvaluation = (in_one_mode(LastWords, mode) for mode in (True, False))
FourthInTraining, FourthInEvaluation = (in_one_mode(SecondSeesFourth, mode) for mode in (True, False))


class WrongShape(Decoder):
    """No logits: it returns x."""

    def forward(self, x, memory):
        return x


LEAKING = (
    NoMask,
    FilledWithZero,
    FilledWithSix,
    Upper,
    OneTooMany,
    LastLayer,
    CrossLeak,
    OneNorm,
    OnlyTraining,
    OnlyEvaluation,
    FirstWords,
    LastWords,
    LastInTraining,
    LastInEvaluation,
    FourthInTraining,
    FourthInEvaluation,
    MiddleWords,
    FourWords,
    WordAfterNext,
    FirstSeesLast,
)
PIECE = Piece(
    "decoder",
    {
        "two layers with a causal mask": Decoder,
        "a finite number instead of minus infinity": FiniteFill,
        "a single layer": OneLayer,
        "one position after the other": StepByStep,
        "a recurrent network": Recurrent,
        "convolutions that look back": Convolution,
        "PyTorch's own layer": OfPyTorch,
    },
    (*LEAKING, WrongShape),
    builds=True,
    misuse=shaped(x="batch seq 8", memory="batch source 8"),
    seeds=(0, 1),
)
