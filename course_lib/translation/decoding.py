"""From a trained model to sentences: greedy and beam search, both batched and with a key-value cache."""

import torch
from torch import Tensor

from course_lib.model.layers import padding_mask
from course_lib.model.stacks import DecoderCache
from course_lib.model.transformer import Transformer, evaluating
from course_lib.text import BOS, EOS, PAD


class DecoderState:
    """What stays from step to step: the encoded sources, and the decoder's keys and values so far."""

    def __init__(self, model: Transformer, source: Tensor, use_cache: bool = True) -> None:
        empty = (source == PAD).all(dim=1)
        if empty.any():
            raise ValueError(f"source: row {int(empty.nonzero()[0])} of {tuple(source.shape)} is all padding")
        self.model = model
        self.mask = padding_mask(source)
        self.memory, _ = model.encode(source, self.mask)
        self.cache = DecoderCache(model.config.decoder_layers) if use_cache else None

    def log_probs(self, target: Tensor) -> Tensor:
        """Of the next token after target `(rows, seq)`, `(rows, vocab)`; padding and bos never follow."""
        # the cache holds all but the newest position, which alone goes through the decoder
        new = target if self.cache is None else target[:, len(self.cache) :]
        logits, _, _ = self.model.decode(new, self.memory, self.mask, cache=self.cache)
        logits = logits[:, -1].clone()
        logits[:, [PAD, BOS]] = -torch.inf
        return logits.log_softmax(dim=-1)

    def select(self, rows: Tensor) -> None:
        """Keep these rows (indices, in this order, repeats allowed)."""
        self.memory, self.mask = self.memory[rows], self.mask[rows]
        if self.cache is not None:
            self.cache.select(rows)


def length_limits(model: Transformer, source: Tensor, max_length: int | None) -> Tensor:
    """The most tokens each row may get: by default 2 * its source + 10, within the positions of the model.

    One position stays free, so that the decoder can read the begin symbol and the whole translation again.
    """
    if max_length is not None and not 1 <= max_length <= model.config.max_length:
        raise ValueError(
            f"max_length: expected 1 ... {model.config.max_length} (the model's), got {max_length}"
        )
    if max_length is not None:
        return torch.full((len(source),), max_length, device=source.device)
    return (2 * (source != PAD).sum(dim=1) + 10).clamp(max=model.config.max_length - 1)


def greedy_decode(
    model: Transformer, source: Tensor, max_length: int | None = None, use_cache: bool = True
) -> Tensor:
    """The likeliest next token, again and again: ids `(batch, source)` to ids `(batch, target)`.

    A row ends with the end symbol (unless it reached its limit) and is filled up with padding; the begin
    symbol is left out. Finished rows leave the batch, so that late rows do not pay for them.
    """
    limits = length_limits(model, source, max_length)
    result = source.new_full((len(source), int(limits.max())), PAD)
    target = source.new_full((len(source), 1), BOS)
    active = torch.arange(len(source), device=source.device)  # the rows of `result` still being written
    with evaluating(model):
        state = DecoderState(model, source, use_cache)
        for position in range(result.shape[1]):
            token = state.log_probs(target).argmax(dim=-1)
            result[active, position] = token
            going = ((token != EOS) & (position + 1 < limits[active])).nonzero().squeeze(-1)
            if len(going) == 0:
                break
            target = torch.cat([target, token[:, None]], dim=1)
            if len(going) < len(active):
                active, target = active[going], target[going]
                state.select(going)
    return result[:, : position + 1]


def beam_search(
    model: Transformer,
    source: Tensor,
    beam: int = 4,
    length_penalty: float = 0.6,
    max_length: int | None = None,
    use_cache: bool = True,
) -> Tensor:
    """The best of `beam` translations kept side by side; ids as from `greedy_decode`.

    A hypothesis of n tokens (the end symbol counts) scores log P / ((5 + n) / 6)^length_penalty (Wu et al.
    2016, eq. 14). A sentence is done when no running hypothesis can still beat its best finished one.
    """
    if beam < 1:
        raise ValueError(f"beam: expected 1 or more, got {beam}")
    limits = length_limits(model, source, max_length)
    with evaluating(model):
        search = BeamSearch(DecoderState(model, source, use_cache), limits, beam, length_penalty)
        while search.step():
            pass
    return search.result()


class BeamSearch:
    """Beams of all unfinished sentences: `target` `(sentences * beam, seq)`, `scores` `(sentences, beam)`.

    A sentence has rows in succession, best first: row `sentence * beam + rank`. `sentences` says which of
    the batch are unfinished, `best` and `best_ids` hold the best finished hypothesis of each of the batch.
    """

    def __init__(self, state: DecoderState, limits: Tensor, beam: int, length_penalty: float) -> None:
        self.state, self.limits, self.beam, self.power = state, limits, beam, length_penalty
        batch, device, dtype = len(limits), limits.device, state.memory.dtype
        self.sentences = torch.arange(batch, device=device)
        state.select(self.sentences.repeat_interleave(beam))
        self.target = torch.full((batch * beam, 1), BOS, device=device)
        self.scores = torch.full((batch, beam), -torch.inf, device=device, dtype=dtype)
        self.scores[:, 0] = 0.0  # all beams start equal: only the first counts
        self.best = torch.full((batch,), -torch.inf, device=device, dtype=dtype)
        self.best_ids = torch.full((batch, int(limits.max())), PAD, device=device)

    def penalty(self, length: int) -> float:
        return ((5 + length) / 6) ** self.power

    def step(self) -> bool:
        """Grow every beam by one token; returns whether any sentence goes on."""
        length = self.target.shape[1]  # of a hypothesis after this step: the begin symbol does not count
        log_probs = self.state.log_probs(self.target)  # (sentences * beam, vocab)
        total = (self.scores.view(-1, 1) + log_probs).view(len(self.scores), -1)  # (sentences, beam * vocab)
        # each beam has one end symbol: of twice as many candidates, enough go on
        scores, index = total.topk(2 * self.beam, dim=1)
        first = torch.arange(len(index), device=index.device)[:, None] * self.beam  # row of each rank 0
        rows, tokens = first + index // log_probs.shape[1], index % log_probs.shape[1]
        # candidates that end now compete, by their score for this length, with the finished ones
        ended = tokens == EOS
        ended_scores = scores.masked_fill(~ended, -torch.inf)[:, : self.beam] / self.penalty(length)
        self.finish(ended_scores, rows, length, ended=True)
        # the best of the others grow on
        self.scores, going = scores.masked_fill(ended, -torch.inf).topk(self.beam, dim=1)
        rows = rows.gather(1, going)
        self.target = torch.cat([self.target[rows.flatten()], tokens.gather(1, going).view(-1, 1)], dim=1)
        # sentences at their limit stop here, whether or not a hypothesis has ended
        self.cut = self.limits[self.sentences] == length
        cut_scores = self.scores.masked_fill(~self.cut[:, None], -torch.inf) / self.penalty(length)
        self.finish(cut_scores, first + torch.arange(self.beam, device=first.device), length, ended=False)
        return self.keep_running(rows.flatten())

    def finish(self, scores: Tensor, rows: Tensor, length: int, ended: bool) -> None:
        """Note each sentence's best finished hypothesis, in `target[rows]`, if it is the best so far.

        Hypotheses that did not end, but were cut at the limit, count only where none has ended.
        """
        score, which = scores.max(dim=1)
        best = self.best[self.sentences]
        better: Tensor = (score > best) if ended else (best.isneginf() & ~score.isneginf())
        words = self.target[rows.gather(1, which[:, None]).squeeze(1)[better], 1:]
        sentences = self.sentences[better]
        self.best[sentences] = score[better]
        self.best_ids[sentences] = PAD
        self.best_ids[sentences, : words.shape[1]] = words
        if ended:
            self.best_ids[sentences, length - 1] = EOS

    def keep_running(self, rows: Tensor) -> bool:
        """Drop the sentences whose best is final; `rows` says which row each beam came from."""
        # log P only falls, and the longest hypothesis has the mildest penalty
        mildest = ((5 + self.limits[self.sentences]) / 6) ** max(self.power, 0.0)
        reachable = self.scores[:, 0] / mildest
        going = (~self.cut & (reachable > self.best[self.sentences])).nonzero().squeeze(-1)
        # all rows of the sentences that go on; the decoder's rows follow the beams they came from
        beams = (going[:, None] * self.beam + torch.arange(self.beam, device=going.device)).flatten()
        self.state.select(rows[beams])
        self.sentences, self.scores = self.sentences[going], self.scores[going]
        self.target = self.target[beams]
        return len(going) > 0

    def result(self) -> Tensor:
        longest = int((self.best_ids != PAD).sum(dim=1).max())
        return self.best_ids[:, :longest]
