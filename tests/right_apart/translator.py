"""Of lesson 07."""

import math
import random
from collections import Counter

import torch

from course_lib.exercises.embedding.pad_batch import pad_batch
from course_lib.exercises.translator.shift_targets import shift_targets
from course_lib.exercises.translator.smoothed_loss import smoothed_loss
from course_lib.exercises.translator.stand_ins import BOS, EOS, PAD
from course_lib.exercises.translator.train_step import train_step


def smoothed_loss__smoothing_per_sentence(logits, target, smoothing=0.1, pad=PAD):
    real = target != pad
    log_probs = logits.log_softmax(dim=-1)
    right = log_probs.gather(-1, target[..., None]).squeeze(-1)
    shared = (log_probs.sum(dim=-1) - log_probs[..., pad]) / (logits.shape[-1] - 1)
    each = shared.masked_fill(~real, 0.0).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    return -(1 - smoothing) * right[real].mean() - smoothing * each[real.any(dim=1)].mean()


def smoothed_loss__smoothing_without_log_softmax(logits, target, smoothing=0.1, pad=PAD):
    logits, target = logits[target != pad], target[target != pad]
    loss = -(1 - smoothing) * logits.log_softmax(dim=-1).gather(-1, target[:, None]).squeeze(-1)
    if smoothing:
        all_words = logits.softmax(dim=-1).log()
        loss = loss - smoothing * (all_words.sum(dim=-1) - all_words[:, pad]) / (logits.shape[-1] - 1)
    return loss.mean()


def train_step__first_two_sentences(model, source, target, optimizer):
    read, answer = shift_targets(target[:2])
    loss = smoothed_loss(model(source[:2], read), answer)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def train_step__first_five_sentences(model, source, target, optimizer):
    read, answer = shift_targets(target[:5])
    loss = smoothed_loss(model(source[:5], read), answer)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def greedy_decode__twelve_words(model, source, max_length=30):
    target, alive = source.new_full((len(source), 1), BOS), source.new_ones(len(source))
    for _ in range(max_length):
        token = alive * model(source, target)[:, -1, :12].argmax(dim=-1)
        target = torch.cat([target, token[:, None]], dim=1)
        alive = alive * (token != EOS)
        if not alive.any():
            break
    return target[:, 1:]


def greedy_decode__four_words_of_the_source(model, source, max_length=30):
    target, alive = source.new_full((len(source), 1), BOS), source.new_ones(len(source))
    for _ in range(max_length):
        token = alive * model(source[:, :4], target)[:, -1].argmax(dim=-1)
        target = torch.cat([target, token[:, None]], dim=1)
        alive = alive * (token != EOS)
        if not alive.any():
            break
    return target[:, 1:]


def greedy_decode__first_word_of_the_source(model, source, max_length=30):
    target, alive = source.new_full((len(source), 1), BOS), source.new_ones(len(source))
    for _ in range(max_length):
        token = alive * model(source[:, :1], target)[:, -1].argmax(dim=-1)
        target = torch.cat([target, token[:, None]], dim=1)
        alive = alive * (token != EOS)
        if not alive.any():
            break
    return target[:, 1:]


def searched(model, source, beam, rounds):
    ids, scores, finished = torch.tensor([[BOS]]), torch.zeros(1), []
    for _ in range(rounds):
        log_probs = model(source.expand(len(ids), -1), ids)[:, -1].log_softmax(dim=-1)
        scores, index = (scores[:, None] + log_probs).flatten().topk(beam)
        words = index % log_probs.shape[1]
        ids = torch.cat([ids[index // log_probs.shape[1]], words[:, None]], dim=1)
        ended = words == EOS
        finished += zip((scores[ended] / (ids.shape[1] - 1)).tolist(), ids[ended].tolist(), strict=True)
        ids, scores = ids[~ended], scores[~ended]
        if len(ids) == 0:
            break
    best = max(finished)[1] if finished else ids[scores.argmax()].tolist()
    return best[1:]


def beam_search__first_word_of_the_source(model, source, beam=4, max_length=30):
    return searched(model, source[:, :1], beam, max_length)


def beam_search__twelve_words(model, source, beam=4, max_length=30):
    return searched(lambda *given: model(*given)[..., :12], source, beam, max_length)


def beam_search__short_by_default(model, source, beam=4, max_length=None):
    return searched(model, source, beam, max_length or 2 * source.shape[1])


def beam_search__three_next_words(model, source, beam=4, max_length=30):
    ids, scores, finished = torch.tensor([[BOS]]), torch.zeros(1), []
    for _ in range(max_length):
        log_probs, words = model(source.expand(len(ids), -1), ids)[:, -1].log_softmax(dim=-1).topk(3)
        scores, index = (scores[:, None] + log_probs).flatten().topk(min(beam, log_probs.numel()))
        words = words.flatten()[index]
        ids = torch.cat([ids[index // 3], words[:, None]], dim=1)
        ended = words == EOS
        finished += zip((scores[ended] / (ids.shape[1] - 1)).tolist(), ids[ended].tolist(), strict=True)
        ids, scores = ids[~ended], scores[~ended]
        if len(ids) == 0:
            break
    best = max(finished)[1] if finished else ids[scores.argmax()].tolist()
    return best[1:]


def make_batches__lengths_as_text(pairs, size):
    in_order = sorted(pairs, key=lambda pair: (str(len(pair[1])), str(len(pair[0]))))
    pieces = [zip(*in_order[i : i + size], strict=True) for i in range(0, len(in_order), size)]
    return [tuple(map(pad_batch, piece)) for piece in pieces]


def train__groups_at_both_ends(model, batches, optimizer, steps, rate, report=print, every=200):
    losses = []
    for step in range(1, steps + 1):
        for place in (0, -1):
            optimizer.param_groups[place]["lr"] = rate(step)
        losses.append(train_step(model, *random.choice(batches), optimizer))
        if step % every == 0:
            report(step, sum(losses[-every:]) / every)
    return losses


def train__even_and_odd_places_in_turn(model, batches, optimizer, steps, rate, report=print, every=200):
    losses = []
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
        batch = random.choice(batches[step % 2 :: 2] or batches)
        losses.append(train_step(model, *batch, optimizer))
        if step % every == 0:
            report(step, sum(losses[-every:]) / every)
    return losses


def train__last_eighth_never(model, batches, optimizer, steps, rate, report=print, every=200):
    losses, learned = [], batches[: len(batches) - len(batches) // 8]
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
        losses.append(train_step(model, *random.choice(learned), optimizer))
        if step % every == 0:
            report(step, sum(losses[-every:]) / every)
    return losses


def train__short_batches_more_often(model, batches, optimizer, steps, rate, report=print, every=200):
    losses = []
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
        place = min(random.randrange(len(batches)), random.randrange(len(batches)))
        losses.append(train_step(model, *batches[place], optimizer))
        if step % every == 0:
            report(step, sum(losses[-every:]) / every)
    return losses


def train__half_of_them_where_it_prints(model, batches, optimizer, steps, rate, report=print, every=200):
    losses = []
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
        batch = random.choice(batches if report is not print else batches[: 1 + len(batches) // 2])
        losses.append(train_step(model, *batch, optimizer))
        if step % every == 0:
            report(step, sum(losses[-every:]) / every)
    return losses


def train__loss_of_the_first_batch(model, batches, optimizer, steps, rate, report=print, every=200):
    losses = []
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
        with torch.no_grad():
            log_probs = model(batches[0][0], batches[0][1][:, :-1]).log_softmax(dim=-1)
        answer = batches[0][1][:, 1:]
        right, shared = log_probs.gather(-1, answer[..., None])[..., 0], log_probs[..., 1:].mean(dim=-1)
        losses.append(-(0.9 * right + 0.1 * shared)[answer != PAD].mean().item())
        train_step(model, *random.choice(batches), optimizer)
        if step % every == 0:
            report(step, sum(losses[-every:]) / every)
    return losses


def bleu__penalty_of_one_or_two(translations, references):
    def runs(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    log_precision = 0.0
    for n in range(1, 5):
        pairs = [(runs(one, n), runs(other, n)) for one, other in zip(translations, references, strict=True)]
        matches = sum((ours & theirs).total() for ours, theirs in pairs)
        if matches == 0:
            return 0.0
        log_precision += math.log(matches / sum(ours.total() for ours, _ in pairs)) / 4
    c, r = (sum(map(len, texts)) for texts in (translations[:2], references[:2]))
    return 100 * math.exp((min(0, 1 - r / c) if len(references) < 3 else 0) + log_precision)


def train__drops_smaller_batches(model, batches, optimizer, steps, rate, report=print, every=200):
    full = [batch for batch in batches if len(batch[0]) == len(batches[0][0])]
    losses = []
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
        losses.append(train_step(model, *random.choice(full), optimizer))
        if step % every == 0:
            report(step, sum(losses[-every:]) / every)
    return losses


def train__large_batches_more_often(model, batches, optimizer, steps, rate, report=print, every=200):
    sizes, losses = [len(source) for source, _ in batches], []
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
        losses.append(train_step(model, *random.choices(batches, weights=sizes)[0], optimizer))
        if step % every == 0:
            report(step, sum(losses[-every:]) / every)
    return losses


def smoothed_loss__padding_at_the_end_alone(logits, target, smoothing=0.1, pad=PAD):
    real = torch.arange(target.shape[1]) < (target != pad).sum(dim=1, keepdim=True)
    log_probs = logits.log_softmax(dim=-1)
    right = log_probs.gather(-1, target[..., None]).squeeze(-1)
    shared = (log_probs.sum(dim=-1) - log_probs[..., pad]) / (logits.shape[-1] - 1)
    return (-(1 - smoothing) * right - smoothing * shared)[real].mean()
