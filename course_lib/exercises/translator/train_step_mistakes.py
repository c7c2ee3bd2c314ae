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
    """The weights do not change. `optimizer.step` only names the function. Call it: `optimizer.step()`."""
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step  # noqa: B018
    return loss.item()


@mistake(mentions=r"(?m)\.backward$")
def backward_not_called(model, source, target, optimizer):
    """The weights do not change. `loss.backward` only names the function. Call it: `loss.backward()`."""
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    optimizer.zero_grad()
    loss.backward  # noqa: B018
    optimizer.step()
    return loss.item()


@mistake("T31", mentions=r"(?m)\.zero_grad$")
def zero_grad_not_called(model, source, target, optimizer):
    """The gradients add up from step to step, because `optimizer.zero_grad` only names the function. Call it:
    `optimizer.zero_grad()`.
    """
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    optimizer.zero_grad  # noqa: B018
    loss.backward()
    optimizer.step()
    return loss.item()


@mistake(mentions=r"(?m)\.item$")
def item_not_called(model, source, target, optimizer):
    """`loss.item` only names the function. Call it: `loss.item()` gives the number."""
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    stepped(loss, optimizer)
    return loss.item


@mistake(mentions=r"\.item\(\)|float\(|tolist\(\)")
def number_too_early(model, source, target, optimizer):
    """A plain number has no gradient, and `loss.backward()` needs the tensor. Make the number at the end,
    with `return loss.item()`.
    """
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:]).item()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


@mistake(mentions=r"\.eval\(\)|train\(False\)")
def in_evaluation_mode(model, source, target, optimizer):
    """`model.eval()` is for translation, and it switches dropout off. Call the model in training mode, and
    leave it in that mode.
    """
    model.eval()
    return stepped(smoothed_reference(model(source, target[:, :-1]), target[:, 1:]), optimizer)


@mistake(mentions=r"\.train\(")
def in_training_mode(model, source, target, optimizer):
    """`model.train()` leaves a model in training mode that came in evaluation mode. Leave it out: which mode
    the model is in is for the caller to choose.
    """
    model.train()
    return stepped(smoothed_reference(model(source, target[:, :-1]), target[:, 1:]), optimizer)


@mistake(mentions=r"\.train\(")
def one_mode_for_all(model, source, target, optimizer):
    """`model.train(...)` gives one mode to the model and all of its parts, also to a part that had another.
    Leave it out: which modes they are in is for the caller to choose.
    """
    before = model.training
    model.train()
    loss = stepped(smoothed_reference(model(source, target[:, :-1]), target[:, 1:]), optimizer)
    model.train(before)
    return loss


@mistake("T31")
def piles_up(model, source, target, optimizer):
    """The gradients add up from step to step, because `backward` adds to the old ones. Call
    `optimizer.zero_grad()` in every step.
    """
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    loss.backward()
    optimizer.step()
    return loss.item()


@mistake
def does_not_move(model, source, target, optimizer):
    """The weights do not change. In every call `loss.backward()` has to compute the gradients, and then
    `optimizer.step()` has to use them, with no `zero_grad()` between the two.
    """
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    return loss.item()


@mistake
def one_behind(model, source, target, optimizer):
    """`optimizer.step()` comes before `loss.backward()`, so it uses the gradients of the batch before. Swap
    the two lines.
    """
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    optimizer.step()
    optimizer.zero_grad()
    loss.backward()
    return loss.item()


@mistake("T1")
def repeats(model, source, target, optimizer):
    """The decoder reads the whole target and has to repeat it. Split the target with `shift_targets`."""
    return stepped(smoothed_reference(model(source, target), target), optimizer)


@mistake("T1")
def repeats_what_it_reads(model, source, target, optimizer):
    """The answers are the words that the decoder reads, so it learns to copy. The answers are `target[:,
    1:]`.
    """
    return stepped(smoothed_reference(model(source, target[:, :-1]), target[:, :-1]), optimizer)


@mistake("T1")
def reads_the_answer(model, source, target, optimizer):
    """The decoder reads the word that it has to predict. It may read only the words before it, `target[:,
    :-1]`.
    """
    return stepped(smoothed_reference(model(source, target[:, 1:]), target[:, 1:]), optimizer)


@mistake("T2")
def backwards(model, source, target, optimizer):
    """You swapped what is read and what is answered. The decoder reads all words but the last, and answers
    all but the first.
    """
    return stepped(smoothed_reference(model(source, target[:, 1:]), target[:, :-1]), optimizer)


@mistake("T9")
def counts_padding(model, source, target, optimizer):
    """Your loss counts padding. Use your `smoothed_loss`."""
    logits = model(source, target[:, :-1])
    return stepped(F.cross_entropy(logits.transpose(1, 2), target[:, 1:]), optimizer)


@mistake
def no_smoothing(model, source, target, optimizer):
    """Your loss has no smoothing. Call your `smoothed_loss` without changing `smoothing`."""
    return stepped(smoothed_reference(model(source, target[:, :-1]), target[:, 1:], smoothing=0.0), optimizer)


@mistake("T20")
def library_smoothing(model, source, target, optimizer):
    """Your loss gives padding a share of the smoothing. Use your `smoothed_loss`."""
    logits = model(source, target[:, :-1]).transpose(1, 2)
    loss = F.cross_entropy(logits, target[:, 1:], ignore_index=0, label_smoothing=0.1)
    return stepped(loss, optimizer)


@mistake
def keeps_graph(model, source, target, optimizer):
    """You return a tensor. Unless it is detached, it holds the whole graph of its computation, which fills
    the memory if you keep it. Return a number, `loss.item()`.
    """
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    stepped(loss, optimizer)
    return loss


@mistake(mentions="no_grad|inference_mode")
def without_gradients(model, source, target, optimizer):
    """Under `no_grad` there are no gradients, so the model cannot learn. `no_grad` is for translation."""
    with torch.no_grad():
        logits = model(source, target[:, :-1])
    return stepped(smoothed_reference(logits, target[:, 1:]), optimizer)


@mistake
def loss_after(model, source, target, optimizer):
    """You compute the loss again after the update. Return the loss that was computed before it."""
    stepped(smoothed_reference(model(source, target[:, :-1]), target[:, 1:]), optimizer)
    return smoothed_reference(model(source, target[:, :-1]), target[:, 1:]).item()


@mistake
def two_updates(model, source, target, optimizer):
    """You make two updates on one batch. Make one."""
    for _ in range(2):
        loss = stepped(smoothed_reference(model(source, target[:, :-1]), target[:, 1:]), optimizer)
    return loss


@mistake(mentions=r"optim\.\w+\(|SGD|Adam")
def own_optimizer(model, source, target, optimizer):
    """You create an optimizer in every step, so the state that Adam keeps and the caller's rate are lost. Use
    the argument `optimizer`.
    """
    optimizer = torch.optim.Adam(model.parameters())
    return stepped(smoothed_reference(model(source, target[:, :-1]), target[:, 1:]), optimizer)


@mistake("T14")
def softmax_first(model, source, target, optimizer):
    """You apply a softmax too many. `smoothed_loss` takes the logits that the model returns."""
    probs = model(source, target[:, :-1]).softmax(dim=-1)
    return stepped(smoothed_reference(probs, target[:, 1:]), optimizer)


@mistake
def times_batch(model, source, target, optimizer):
    """You multiply the loss by the size of the batch. The loss is a mean over words already, so return it
    unchanged.
    """
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    return stepped(loss, optimizer) * len(source)


@mistake
def source_second(model, source, target, optimizer):
    """You swapped the arguments of the model. It takes the source first, then what the decoder reads."""
    return stepped(smoothed_reference(model(target[:, :-1], source), target[:, 1:]), optimizer)


@mistake
def answers_first(model, source, target, optimizer):
    """You swapped the arguments of `smoothed_loss`. It takes the logits first, then the answers."""
    return stepped(smoothed_reference(target[:, 1:], model(source, target[:, :-1])), optimizer)


@mistake(mentions="argmax")
def best_words(model, source, target, optimizer):
    """`argmax` keeps only the best word and has no gradient. Give `smoothed_loss` the logits of all words."""
    words = model(source, target[:, :-1]).argmax(dim=-1)
    return stepped(smoothed_reference(words, target[:, 1:]), optimizer)


@mistake
def reads_one_more(model, source, target, optimizer):
    """The model reads one word more than there are answers. Give it `read`, the target without its last
    column.
    """
    return stepped(smoothed_reference(model(source, target), target[:, 1:]), optimizer)


@mistake(mentions=r"transpose|permute|\.mT\b|\.T\b")
def transposed_logits(model, source, target, optimizer):
    """You transpose the logits. `smoothed_loss` takes them as the model returns them, (batch, seq, vocab)."""
    logits = model(source, target[:, :-1]).transpose(1, 2)
    return stepped(smoothed_reference(logits, target[:, 1:]), optimizer)
