"""A model of one language: the encoder stack over embedded words, and a loop that trains it on sentences."""

import time
from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor, nn

from course_lib.language import say_heading
from course_lib.model.config import TransformerConfig
from course_lib.model.stacks import Encoder
from course_lib.model.transformer import Embedding, visible
from course_lib.training.bar import progress_bar
from course_lib.training.losses import one_cycle
from course_lib.training.optimizers import inner_matrices, make_optimizers, update


class TextModel(nn.Module):
    """Ids `(batch, seq)` to vectors `(batch, seq, d_model)`: one for each word, which has read its sentence.

    With `causal` a word reads only the words before it: an encoder is then a decoder without a source.
    """

    def __init__(self, vocab: int, d_model: int = 64, layers: int = 1, causal: bool = False) -> None:
        super().__init__()
        self.causal = causal
        self.config = TransformerConfig(vocab, vocab, d_model=d_model, encoder_layers=layers)
        self.embedding = Embedding(self.config, vocab)
        self.encoder = Encoder(self.config)
        for parameter in self.encoder.parameters():
            if parameter.dim() == 2:
                nn.init.xavier_uniform_(parameter)

    @property
    def table(self) -> Tensor:
        """The vectors of all words, `(vocab, d_model)`, as they are before any sentence is read."""
        return self.embedding.tokens.weight

    def forward(self, ids: Tensor) -> Tensor:
        mask = None if self.causal else visible(ids)  # what is before a word is never padding
        return self.encoder(self.embedding(ids), mask, causal=self.causal)[0]


def sentence_batches(sentences: Sequence[Sequence[int]], tokens: int, seed: int) -> Iterator[Tensor]:
    """Batches `(batch, seq)` without end, each of one length and of about `tokens` ids: no padding.

    Sentences of a rare length, of which there are less than a tenth of a batch, are left out: a step would
    hang on them alone, and where words are masked, there may be none to ask for.
    """
    generator = torch.Generator().manual_seed(seed)
    lengths: dict[int, list[Sequence[int]]] = {}
    for sentence in sentences:
        lengths.setdefault(len(sentence), []).append(sentence)
    equal = [torch.tensor(group) for group in lengths.values()]
    least = min(tokens, max(group.numel() for group in equal)) / 10
    while True:
        shuffled = (group[torch.randperm(len(group), generator=generator)] for group in equal)
        batches = [b for group in shuffled for b in group.split(max(1, tokens // group.shape[1]))]
        batches = [batch for batch in batches if batch.numel() >= least]
        for i in torch.randperm(len(batches), generator=generator).tolist():
            yield batches[i]


def train_on_sentences(
    model: nn.Module,
    loss_of: Callable[[Tensor], Tensor],
    sentences: Sequence[Sequence[int]],
    steps: int,
    *,
    tokens: int = 1000,
    rate: float = 1e-2,
    matrix_rate: float = 0.03,
    weight_decay: float = 0.1,
    seed: int = 0,
    progress: bool = True,
) -> list[float]:
    """Minimize `loss_of(ids)` for batches of sentences; returns the loss of every step.

    Muon moves the square matrices of the encoder, AdamW the rest (as in `training`), at rates that rise for
    a twentieth of the steps and then fall to 0.
    """
    readers = [module for module in model.modules() if isinstance(module, TextModel)]
    size = readers[0].config.d_model
    matrices = inner_matrices([reader.encoder for reader in readers], size)
    optimizers = make_optimizers(model, matrices, size, rate, matrix_rate, weight_decay)
    losses, began = [], time.perf_counter()
    with progress_bar(steps, progress) as bar:
        for step, ids in zip(range(steps), sentence_batches(sentences, tokens, seed), strict=False):
            loss = loss_of(ids)
            loss.backward()
            update(optimizers, one_cycle((step + 1) / (steps + 1), warmup=0.05))
            losses.append(loss.item())
            bar.update()
            if time.perf_counter() - began > 0.5:
                bar.set_postfix_str(say_heading(f"loss {sum(losses[-50:]) / len(losses[-50:]):.2f}"))
                began = time.perf_counter()
    return losses
