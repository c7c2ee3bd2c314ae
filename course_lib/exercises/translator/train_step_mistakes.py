"""Wrong answers to train_step: name, advice, code."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.translator.smoothed_loss import smoothed_reference

mistake = Mistakes()


def stepped(loss, optimizer):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@mistake(mentions=r"(?m)\.step$")
def step_not_called(model, source, target, optimizer):
    """The weights do not move: `optimizer.step` names the function, `optimizer.step()` calls it."""
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step  # noqa: B018
    return loss.item()


@mistake(mentions=r"(?m)\.backward$")
def backward_not_called(model, source, target, optimizer):
    """The weights do not move: `loss.backward` names the function, `loss.backward()` calls it."""
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    optimizer.zero_grad()
    loss.backward  # noqa: B018
    optimizer.step()
    return loss.item()


@mistake("T31", mentions=r"(?m)\.zero_grad$")
def zero_grad_not_called(model, source, target, optimizer):
    """Gradients pile up: `optimizer.zero_grad` names the function, `optimizer.zero_grad()` calls it."""
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    optimizer.zero_grad  # noqa: B018
    loss.backward()
    optimizer.step()
    return loss.item()


@mistake(mentions=r"(?m)\.item$")
def item_not_called(model, source, target, optimizer):
    """`loss.item` names the function, `loss.item()` calls it and gives the number."""
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    stepped(loss, optimizer)
    return loss.item


@mistake(mentions=r"\.item\(\)|float\(|tolist\(\)")
def number_too_early(model, source, target, optimizer):
    """A plain number has no gradient: `loss.backward()` needs the tensor. Make the number at the end, `return
    loss.item()`.
    """
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:]).item()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


@mistake(mentions=r"\.eval\(\)|train\(False\)")
def in_evaluation_mode(model, source, target, optimizer):
    """`model.eval()` is for translating: it switches dropout off. A training step asks the model in training
    mode, and leaves it so.
    """
    model.eval()
    return stepped(smoothed_reference(model(source, target[:, :-1]), target[:, 1:]), optimizer)


@mistake("T31")
def piles_up(model, source, target, optimizer):
    """Gradients pile up: `backward` adds to what is there. Call `optimizer.zero_grad()` in every step."""
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    loss.backward()
    optimizer.step()
    return loss.item()


@mistake
def does_not_move(model, source, target, optimizer):
    """The weights do not move. In every call `loss.backward()` must run, which fills the gradients, and then
    `optimizer.step()`, which uses them, with no `zero_grad()` between the two.
    """
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    return loss.item()


@mistake
def one_behind(model, source, target, optimizer):
    """`optimizer.step()` comes before `loss.backward()`: it uses the gradients of the batch before. Swap
    them.
    """
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    optimizer.step()
    optimizer.zero_grad()
    loss.backward()
    return loss.item()


@mistake("T1")
def repeats(model, source, target, optimizer):
    """The decoder reads the whole target and is asked to repeat it. Split it with `shift_targets`."""
    return stepped(smoothed_reference(model(source, target), target), optimizer)


@mistake("T1")
def repeats_what_it_reads(model, source, target, optimizer):
    """The answers are what the decoder reads, so that it learns to copy: they are `target[:, 1:]`."""
    return stepped(smoothed_reference(model(source, target[:, :-1]), target[:, :-1]), optimizer)


@mistake("T1")
def reads_the_answer(model, source, target, optimizer):
    """The decoder reads the answer itself. It may read only what comes before it: `target[:, :-1]`."""
    return stepped(smoothed_reference(model(source, target[:, 1:]), target[:, 1:]), optimizer)


@mistake("T2")
def backwards(model, source, target, optimizer):
    """Backwards: the decoder reads all but the last word and answers all but the first."""
    return stepped(smoothed_reference(model(source, target[:, 1:]), target[:, :-1]), optimizer)


@mistake("T9")
def counts_padding(model, source, target, optimizer):
    """Padding is being graded: use your `smoothed_loss`."""
    logits = model(source, target[:, :-1])
    return stepped(F.cross_entropy(logits.transpose(1, 2), target[:, 1:]), optimizer)


@mistake
def no_smoothing(model, source, target, optimizer):
    """This loss has no smoothing: use your `smoothed_loss` as it is."""
    return stepped(smoothed_reference(model(source, target[:, :-1]), target[:, 1:], smoothing=0.0), optimizer)


@mistake("T20")
def library_smoothing(model, source, target, optimizer):
    """Padding gets a share of this smoothing: use your `smoothed_loss`."""
    logits = model(source, target[:, :-1]).transpose(1, 2)
    loss = F.cross_entropy(logits, target[:, 1:], ignore_index=0, label_smoothing=0.1)
    return stepped(loss, optimizer)


@mistake
def keeps_graph(model, source, target, optimizer):
    """This is a tensor. Unless it is detached it holds the whole graph of its computation: kept for a curve,
    it fills the memory. Return a number, `loss.item()`.
    """
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    stepped(loss, optimizer)
    return loss


@mistake(mentions="no_grad|inference_mode")
def without_gradients(model, source, target, optimizer):
    """`no_grad` is for translating: without gradients there is nothing to learn from."""
    with torch.no_grad():
        logits = model(source, target[:, :-1])
    return stepped(smoothed_reference(logits, target[:, 1:]), optimizer)


@mistake
def loss_after(model, source, target, optimizer):
    """The loss is computed again after the update: return the one that was computed before it."""
    stepped(smoothed_reference(model(source, target[:, :-1]), target[:, 1:]), optimizer)
    return smoothed_reference(model(source, target[:, :-1]), target[:, 1:]).item()


@mistake
def two_updates(model, source, target, optimizer):
    """Two updates on one batch: one is asked."""
    for _ in range(2):
        loss = stepped(smoothed_reference(model(source, target[:, :-1]), target[:, 1:]), optimizer)
    return loss


@mistake(mentions=r"optim\.\w+\(|SGD|Adam")
def own_optimizer(model, source, target, optimizer):
    """You make an optimizer of your own in every step: it forgets what Adam remembers, and the caller's rate.
    Use the argument `optimizer`.
    """
    optimizer = torch.optim.Adam(model.parameters())
    return stepped(smoothed_reference(model(source, target[:, :-1]), target[:, 1:]), optimizer)


@mistake("T14")
def softmax_first(model, source, target, optimizer):
    """A softmax too many: `smoothed_loss` takes the model's logits as they are."""
    probs = model(source, target[:, :-1]).softmax(dim=-1)
    return stepped(smoothed_reference(probs, target[:, 1:]), optimizer)


@mistake
def times_batch(model, source, target, optimizer):
    """The loss is a mean over words already: do not multiply it by the size of the batch."""
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    return stepped(loss, optimizer) * len(source)


@mistake
def source_second(model, source, target, optimizer):
    """The model takes the source first, then what the decoder reads."""
    return stepped(smoothed_reference(model(target[:, :-1], source), target[:, 1:]), optimizer)


@mistake
def answers_first(model, source, target, optimizer):
    """`smoothed_loss` takes the logits first, then the answers."""
    return stepped(smoothed_reference(target[:, 1:], model(source, target[:, :-1])), optimizer)


@mistake(mentions="argmax")
def best_words(model, source, target, optimizer):
    """`smoothed_loss` takes the logits of all words, not the best word: `argmax` leaves out what it needs,
    and has no gradient.
    """
    words = model(source, target[:, :-1]).argmax(dim=-1)
    return stepped(smoothed_reference(words, target[:, 1:]), optimizer)


@mistake
def reads_one_more(model, source, target, optimizer):
    """The model reads one word more than there are answers: give it `read`, the target without its last
    column.
    """
    return stepped(smoothed_reference(model(source, target), target[:, 1:]), optimizer)


@mistake(mentions=r"transpose|permute|\.mT\b|\.T\b")
def transposed_logits(model, source, target, optimizer):
    """`smoothed_loss` takes logits as the model gives them, (batch, seq, vocab): no transpose."""
    logits = model(source, target[:, :-1]).transpose(1, 2)
    return stepped(smoothed_reference(logits, target[:, 1:]), optimizer)
