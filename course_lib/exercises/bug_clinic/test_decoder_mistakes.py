"""Wrong answers to test_decoder: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


def inputs(seq=6):
    return torch.randn(2, seq, 8), torch.randn(2, 3, 8)


def later_changed(x, t):
    return torch.cat([x[:, :t], torch.randn(x.shape)[:, t:]], dim=1)


def slopes(decoder, x, memory, t):
    x = x.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(decoder(x, memory)[:, t].sum(), x)
    return gradient


@mistake(mentions=r"print\(", lacks=r"\b(assert|raise)\b")
def prints(decoder):
    """`print` judges nothing. A test fails only if it raises an error, so write `assert` before what must
    hold.
    """
    x, memory = inputs()
    for t in range(5):
        print(slopes(decoder, x, memory, t)[:, t + 1 :].abs().max())


@mistake(mentions="except")
def swallows(decoder):
    """An `except` around an `assert` catches its error, so the test passes. Leave `try` and `except` out."""
    x, memory = inputs()
    try:
        assert not slopes(decoder, x, memory, 0)[:, 1:].any()
    except AssertionError as error:
        print(error)


@mistake
def returns(decoder):
    """Nobody reads the True or False that your test returns. Write `assert` instead of `return`."""
    x, memory = inputs()
    return bool(slopes(decoder, x, memory, 0)[:, 1:].any())


@mistake
def fails_on_right_code(decoder):
    """Your test fails on right decoders. A word may change its own output and those after it. Only the
    outputs before it must stay the same.
    """
    decoder.eval()
    x, memory = inputs()
    other = torch.cat([torch.randn(2, 1, 8), x[:, 1:]], dim=1)
    assert torch.allclose(decoder(x, memory)[:, -1], decoder(other, memory)[:, -1], atol=1e-5)


@mistake
def other_dropout(decoder):
    """Two calls in training mode differ, because dropout drops other numbers. Compare outputs in evaluation
    mode, or call `torch.manual_seed(0)` before each of the two. A gradient needs only one call.
    """
    x, memory = inputs()
    for t in range(1, 6):
        other = later_changed(x, t)
        assert torch.allclose(decoder(x, memory)[:, :t], decoder(other, memory)[:, :t], atol=1e-5)


@mistake
def shape_only(decoder):
    """All leaks that were tried pass your test. Change a later word, and compare the outputs before it. Or
    take the gradient of an output with respect to later words.
    """
    x, memory = inputs()
    assert decoder(x, memory).shape == (2, 6, 12)


@mistake(mentions="argmax|topk|max\\(")
def likeliest_words(decoder):
    """You compare only the likeliest words. A small leak seldom changes them: compare the logits themselves,
    with a small tolerance.
    """
    torch.manual_seed(0)
    x, memory = inputs()
    others = {t: later_changed(x, t) for t in range(1, 6)}
    for mode in (True, False):
        decoder.train(mode)
        for t, other in others.items():
            words = []
            for read in (x, other):
                torch.manual_seed(0)
                words.append(decoder(read, memory)[:, :t].argmax(dim=-1))
            assert torch.equal(*words)


@mistake
def evaluation_only(decoder):
    """A decoder that leaks in training mode passes your test. Test both modes in the same way, after
    `decoder.eval()` and after `decoder.train()`.
    """
    decoder.eval()
    x, memory = inputs()
    for t in range(5):
        assert not slopes(decoder, x, memory, t)[:, t + 1 :].any()


@mistake
def training_only(decoder):
    """A decoder that leaks in evaluation mode passes your test. Test both modes in the same way, after
    `decoder.eval()` and after `decoder.train()`.
    """
    x, memory = inputs()
    for t in range(5):
        assert not slopes(decoder, x, memory, t)[:, t + 1 :].any()


@mistake
def last_word(decoder):
    """A leak between the first words passes your test. Change each word in turn, and not the last one alone.
    Or take the gradient at each position.
    """
    x, memory = inputs()
    for mode in (True, False):
        decoder.train(mode)
        for t in range(5):
            assert not slopes(decoder, x, memory, t)[:, -1].any()


@mistake
def last_word_in_evaluation(decoder):
    """A leak between the first words passes your test, and so does a leak in training mode. Change each word
    in turn, and test both modes.
    """
    decoder.eval()
    x, memory = inputs()
    assert torch.allclose(decoder(x, memory)[:, :5], decoder(later_changed(x, 5), memory)[:, :5], atol=1e-5)


@mistake
def first_output(decoder):
    """A leak between the last words passes your test. Look at the output at each position, and at the word
    right after it.
    """
    x, memory = inputs()
    for mode in (True, False):
        decoder.train(mode)
        assert not slopes(decoder, x, memory, 0)[:, 1:].any()


@mistake
def first_output_in_evaluation(decoder):
    """A leak between the last words passes your test, and so does a leak in training mode. Look at the output
    at each position, in both modes.
    """
    decoder.eval()
    x, memory = inputs()
    assert torch.allclose(decoder(x, memory)[:, 0], decoder(later_changed(x, 1), memory)[:, 0], atol=1e-5)


@mistake
def four_words(decoder):
    """In short sentences, a mask for four words is right. Take a longer sentence, for example six words."""
    x, memory = inputs(seq=4)
    for mode in (True, False):
        decoder.train(mode)
        for t in range(3):
            assert not slopes(decoder, x, memory, t)[:, t + 1 :].any()


@mistake(mentions=r"[+-]= |\.add_?\(|(\w|\]|\)) \+ (\d|torch)")
def constant_added(decoder):
    """Leaks pass your test if all features of a word change by the same number, because layer norm removes it
    with the mean. Replace the word by another random vector.
    """
    x, memory = inputs()
    for mode in (True, False):
        decoder.train(mode)
        for t in range(1, 6):
            other = x.clone()
            other[:, t:] += 1.0
            torch.manual_seed(0)
            before = decoder(x, memory)
            torch.manual_seed(0)
            assert torch.allclose(decoder(other, memory)[:, :t], before[:, :t], atol=1e-5)


@mistake(mentions=r"[+-]= |\.add_?\(|(\w|\]|\)) \+ (\d|torch)")
def constant_added_in_evaluation(decoder):
    """Leaks pass your test if all features of a word change by the same number, because layer norm removes it
    with the mean: replace the word by another random vector. A leak in training mode passes, too.
    """
    decoder.eval()
    x, memory = inputs()
    for t in range(1, 6):
        other = x.clone()
        other[:, t] += 1.0
        before = decoder(x, memory)
        assert torch.allclose(decoder(other, memory)[:, :t], before[:, :t], atol=1e-5)


@mistake
def both_ends(decoder):
    """A leak between words in the middle passes your test, because you look at the first and at the last
    outputs alone. Look at the output at each position.
    """
    x, memory = inputs()
    for mode in (True, False):
        decoder.train(mode)
        for t in (0, 4):
            assert not slopes(decoder, x, memory, t)[:, t + 1 :].any()


@mistake
def neighbors(decoder):
    """A leak between words that are no neighbors passes your test. At each position, look at all words after
    it, and not at the next one alone.
    """
    x, memory = inputs()
    for mode in (True, False):
        decoder.train(mode)
        for t in range(5):
            assert not slopes(decoder, x, memory, t)[:, t + 1].any()
