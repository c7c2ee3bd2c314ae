"""Wrong answers to shift_targets: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.translator.stand_ins import BOS, EOS, PAD

mistake = Mistakes()


@mistake("T1")
def not_shifted(target):
    """You ask the decoder to repeat what it reads: the loss goes to 0 at once, and nothing is learned. The
    answer is the next word.
    """
    return target, target


@mistake
def reads_all(target):
    """What is read is one longer than the answers: after its last column nothing comes. Cut that off."""
    return target, target[:, 1:]


@mistake
def second_begin(target):
    """The begin symbol is there already, as the first of `target`: you add it a second time."""
    return torch.cat([torch.full_like(target[:, :1], BOS), target[:, :-1]], dim=1), target


@mistake("T1")
def same_both(target):
    """The answers are what is read: the decoder learns to repeat its input. They begin one word later."""
    return target[:, :-1], target[:, :-1]


@mistake("T1")
def reads_the_answer(target):
    """The decoder reads what it must answer: begin what it reads one word earlier, at the begin symbol."""
    return target[:, 1:], target[:, 1:]


@mistake("T2")
def backwards(target):
    """Backwards: the decoder would learn to say the word before. Swap the two."""
    return target[:, 1:], target[:, :-1]


@mistake("T3")
def shifted_twice(target):
    """Shifted twice: after `<bos>` you ask for the second word. One step is enough."""
    return target[:, :-2], target[:, 2:]


@mistake
def lengths_differ(target):
    """The two differ in length: each word that is read has one answer, the word right after it."""
    return target[:, :-1], target[:, 2:]


@mistake("T4")
def along_the_batch(target):
    """You cut sentences from the batch. Time is the second axis: slice `[:, ...]`."""
    return target[:-1], target[1:]


@mistake("T6")
def end_removed(target):
    """The end symbol is gone from the answers: a decoder that is never asked for it never stops."""
    answer = target[:, 1:]
    return target[:, :-1], answer.masked_fill(answer == EOS, PAD)


@mistake("T6")
def last_answer_cut(target):
    """The last column of answers is missing: in the longest sentence that is the end symbol, and without it
    nothing teaches the decoder to stop.
    """
    return target[:, :-2], target[:, 1:-1]


@mistake("T8")
def starts_from_zero(target):
    """The decoder starts from 0, which is padding. Its first word is `<bos>`, the first of `target`."""
    return torch.cat([torch.zeros_like(target[:, :1]), target[:, 1:-1]], dim=1), target[:, 1:]


@mistake
def no_begin(target):
    """The begin symbol is missing: the first word must have something to follow."""
    return target[:, 1:-1], target[:, 2:]


@mistake(mentions="roll")
def rolled_right(target):
    """`roll` brings the last column, an end symbol or padding, to the front, and the answers are the whole
    target, from the begin symbol on. Cut instead of rolling: nothing is read after the last word.
    """
    return torch.roll(target, 1, 1), target


@mistake
def answers_cut(target):
    """The answers stop too early: they are shorter than what is read, and the longest sentence has no end
    symbol to answer.
    """
    return target[:, :-1], target[:, 1:-1]


@mistake(mentions="roll")
def rolled_round(target):
    """`roll` brings the first column round to the end: cut it off."""
    return target, target.roll(-1, dims=1)
