"""Wrong answers to shift_targets: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.translator.stand_ins import BOS, EOS, PAD

mistake = Mistakes()


@mistake("T1")
def not_shifted(target):
    """You ask the decoder to repeat what it reads, so the loss goes to 0 at once and the model learns
    nothing. The answer at each position is the next word.
    """
    return target, target


@mistake
def reads_all(target):
    """The decoder reads one column more than there are answers, because no answer follows the last column.
    Cut off that column.
    """
    return target, target[:, 1:]


@mistake
def second_begin(target):
    """You add a second begin symbol. The first column of `target` is the begin symbol already."""
    return torch.cat([torch.full_like(target[:, :1], BOS), target[:, :-1]], dim=1), target


@mistake("T1")
def same_both(target):
    """The answers are the same words that the decoder reads, so it learns to repeat its input. The answers
    begin one word later.
    """
    return target[:, :-1], target[:, :-1]


@mistake("T1")
def reads_the_answer(target):
    """The decoder reads the word that it has to predict. What it reads has to begin one word earlier, at the
    begin symbol.
    """
    return target[:, 1:], target[:, 1:]


@mistake("T2")
def backwards(target):
    """The two are in the wrong order, so the decoder would learn to predict the word before. Swap them."""
    return target[:, 1:], target[:, :-1]


@mistake("T3")
def shifted_twice(target):
    """You shift by two words: after `<bos>` you ask for the second word. Shift by one."""
    return target[:, :-2], target[:, 2:]


@mistake
def lengths_differ(target):
    """The two results differ in length. Each word that is read has one answer, the next word."""
    return target[:, :-1], target[:, 2:]


@mistake("T4")
def along_the_batch(target):
    """You cut sentences from the batch. The positions are on the second axis, so slice with `[:, ...]`."""
    return target[:-1], target[1:]


@mistake
def end_read_as_ignored(target):
    """You write another id over the end symbols that the decoder reads, and an embedding has no row for -100.
    Leave them as they are: only the answers decide what the loss ignores.
    """
    read = target[:, :-1]
    return read.masked_fill(read == EOS, -100), target[:, 1:]


@mistake("T6")
def end_removed(target):
    """The end symbol is missing from the answers. A decoder that never has to predict it never stops."""
    answer = target[:, 1:]
    return target[:, :-1], answer.masked_fill(answer == EOS, PAD)


@mistake("T6")
def last_answer_cut(target):
    """The last column of the answers is missing. In the longest sentence that column is the end symbol, and
    without it the decoder does not learn to stop there.
    """
    return target[:, :-2], target[:, 1:-1]


@mistake("T8")
def starts_from_zero(target):
    """The decoder starts from id 0, which is padding. It has to start from `<bos>`, the first word of
    `target`.
    """
    return torch.cat([torch.zeros_like(target[:, :1]), target[:, 1:-1]], dim=1), target[:, 1:]


@mistake
def no_begin(target):
    """The begin symbol is missing. The decoder has to read it before it predicts the first word."""
    return target[:, 1:-1], target[:, 2:]


@mistake(mentions="roll")
def rolled_right(target):
    """`roll` moves the last column, an end symbol or padding, to the front, and your answers are the whole
    target with the begin symbol. Slice instead of rolling.
    """
    return torch.roll(target, 1, 1), target


@mistake
def answers_cut(target):
    """The answers have fewer columns than what is read, so the longest sentence has no end symbol as an
    answer. Take all columns except the first.
    """
    return target[:, :-1], target[:, 1:-1]


@mistake(mentions="roll")
def rolled_round(target):
    """`roll` moves the first column to the end. Cut that column off."""
    return target, target.roll(-1, dims=1)


@mistake(mentions=r"cat\(|pad\(|column_stack|hstack|zeros|full")
def answers_filled_up(target):
    """You fill the answers up with padding, so that nothing is cut off from what the decoder reads. Cut its
    last column off instead, `target[:, :-1]`: both then have one column less than `target`.
    """
    return target, torch.cat([target[:, 1:], torch.full_like(target[:, :1], PAD)], dim=1)
