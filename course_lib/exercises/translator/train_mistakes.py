"""Wrong answers to train: name, advice, code."""

import itertools
import random
from copy import deepcopy

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.translator.train_step import step_reference

mistake = Mistakes()


def set_rate(optimizer, rate):
    for group in optimizer.param_groups:
        group["lr"] = rate


def mean_of_latest(losses, every):
    return sum(losses[-every:]) / every


def trained(
    model,
    drawn,
    optimizer,
    rate,
    report,
    every,
    *,
    first=1,
    set_rate=set_rate,
    mean=mean_of_latest,
    due=lambda step, every: step % every == 0,
):
    """The right answer for these batches, one for each step, with one piece to replace."""
    losses = []
    for step, batch in enumerate(drawn, first):
        set_rate(optimizer, rate(step))
        losses.append(step_reference(model, *batch, optimizer))
        if due(step, every):
            report(step, mean(losses, every))
    return losses


def some(batches, steps):
    """A batch for each step, drawn one after the other."""
    return (random.choice(batches) for _ in range(steps))


def passes(batches, steps):
    """The batches in their order, again and again, a batch for each step."""
    return itertools.islice(itertools.cycle(batches), steps)


# The rate


@mistake
def rate_never_set(model, batches, optimizer, steps, rate, report=print, every=200):
    """The optimizer keeps its old rate. The rate is `group["lr"]`, for each `group` in
    `optimizer.param_groups`. Set it before every step.
    """
    keep = lambda optimizer, rate: None  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, report, every, set_rate=keep)


@mistake
def rate_of_the_step_before(model, batches, optimizer, steps, rate, report=print, every=200):
    """Your rate is one step late. Before step s it has to be rate(s), and the first step has the number 1."""
    earlier = lambda step: rate(step - 1)  # noqa: E731
    return trained(model, some(batches, steps), optimizer, earlier, report, every)


@mistake
def rate_of_the_next_step(model, batches, optimizer, steps, rate, report=print, every=200):
    """Your rate is one step early. Before step s it has to be rate(s), and the first step has the
    number 1.
    """
    later = lambda step: rate(step + 1)  # noqa: E731
    return trained(model, some(batches, steps), optimizer, later, report, every)


@mistake
def rate_after_the_step(model, batches, optimizer, steps, rate, report=print, every=200):
    """You set the rate after the step, so the first step still has the old rate. Set it before
    `train_step`.
    """
    losses = []
    for step in range(1, steps + 1):
        losses.append(step_reference(model, *random.choice(batches), optimizer))
        set_rate(optimizer, rate(step))
        if step % every == 0:
            report(step, mean_of_latest(losses, every))
    return losses


@mistake
def rate_of_the_first_group(model, batches, optimizer, steps, rate, report=print, every=200):
    """Only the first group gets the rate. An optimizer may have several groups, so go through all of
    `optimizer.param_groups`.
    """

    def set_first(optimizer, rate):
        optimizer.param_groups[0]["lr"] = rate

    return trained(model, some(batches, steps), optimizer, rate, report, every, set_rate=set_first)


@mistake
def rate_of_the_last_group(model, batches, optimizer, steps, rate, report=print, every=200):
    """Only the last group gets the rate. Set `group["lr"]` inside the loop over `optimizer.param_groups`."""

    def set_last(optimizer, rate):
        optimizer.param_groups[-1]["lr"] = rate

    return trained(model, some(batches, steps), optimizer, rate, report, every, set_rate=set_last)


@mistake
def rate_times_the_old_one(model, batches, optimizer, steps, rate, report=print, every=200):
    """You multiply the rate of the step before. Replace it by rate(s), with `=` and not `*=`."""

    def multiply(optimizer, rate):
        for group in optimizer.param_groups:
            group["lr"] *= rate

    return trained(model, some(batches, steps), optimizer, rate, report, every, set_rate=multiply)


@mistake
def rate_times_the_first_one(model, batches, optimizer, steps, rate, report=print, every=200):
    """You multiply the rate that the optimizer was created with, as `LambdaLR` does. rate(s) is the rate
    itself, so replace the old rate by it.
    """
    first = [group["lr"] for group in optimizer.param_groups]

    def multiply(optimizer, rate):
        for group, lr in zip(optimizer.param_groups, first, strict=True):
            group["lr"] = lr * rate

    return trained(model, some(batches, steps), optimizer, rate, report, every, set_rate=multiply)


@mistake
def rate_set_once(model, batches, optimizer, steps, rate, report=print, every=200):
    """You set the rate once, and it stays. Set it again before every step, inside the loop."""
    at_first = lambda step: rate(1)  # noqa: E731
    return trained(model, some(batches, steps), optimizer, at_first, report, every)


@mistake
def rate_of_a_fraction(model, batches, optimizer, steps, rate, report=print, every=200):
    """You give `rate` the fraction of the training that is done. It takes the number of the step, 1, 2, and
    so on.
    """
    part = lambda step: rate(step / steps)  # noqa: E731
    return trained(model, some(batches, steps), optimizer, part, report, every)


@mistake
def rate_of_the_reports(model, batches, optimizer, steps, rate, report=print, every=200):
    """You set the rate only when you report. Set it before every step."""

    def sometimes(step):
        return rate(1 + (step - 1) // every * every)

    return trained(model, some(batches, steps), optimizer, sometimes, report, every)


@mistake(mentions=r"(?m)\['lr'\] = rate$")
def rate_not_called(model, batches, optimizer, steps, rate, report=print, every=200):
    """`rate` is the function. `rate(step)` calls it and gives the number."""
    losses = []
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate
        losses.append(step_reference(model, *random.choice(batches), optimizer))
        if step % every == 0:
            report(step, mean_of_latest(losses, every))
    return losses


@mistake(mentions=r"param_groups\['lr'\]")
def groups_are_a_list(model, batches, optimizer, steps, rate, report=print, every=200):
    """`optimizer.param_groups` is a list and has no "lr", but each dictionary in it has one. Loop over them
    with `for`.
    """

    def set_rate(optimizer, rate):
        optimizer.param_groups["lr"] = rate

    return trained(model, some(batches, steps), optimizer, rate, report, every, set_rate=set_rate)


@mistake
def step_for_each_group(model, batches, optimizer, steps, rate, report=print, every=200):
    """You make a training step for each group of the optimizer. The loop over the groups only
    sets the rate.
    """
    losses = []
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
            losses.append(step_reference(model, *random.choice(batches), optimizer))
        if step % every == 0:
            report(step, mean_of_latest(losses, every))
    return losses


# Batches and steps


@mistake
def one_batch(model, batches, optimizer, steps, rate, report=print, every=200):
    """Every step uses the same batch. Draw a batch in each step, inside the loop."""
    return trained(model, itertools.repeat(batches[0], steps), optimizer, rate, report, every)


@mistake
def in_their_order(model, batches, optimizer, steps, rate, report=print, every=200):
    """You take the batches in the order of the list, again and again, so short sentences always come before
    long ones. Draw one at random in each step.
    """
    return trained(model, passes(batches, steps), optimizer, rate, report, every)


@mistake(mentions="shuffle|sample|perm")
def shuffled_once(model, batches, optimizer, steps, rate, report=print, every=200):
    """You shuffle once, and then repeat the same order. Draw a batch in each step, or shuffle again for every
    pass.
    """
    order = random.sample(batches, len(batches))
    return trained(model, passes(order, steps), optimizer, rate, report, every)


@mistake
def one_pass(model, batches, optimizer, steps, rate, report=print, every=200):
    """A loop over `batches` ends after the last batch, whatever `steps` is, and takes them in their order.
    Count steps, and draw a batch in each.
    """
    return trained(model, batches[:steps], optimizer, rate, report, every)


@mistake
def one_shuffled_pass(model, batches, optimizer, steps, rate, report=print, every=200):
    """Your training ends when every batch was used once. Make `steps` steps, even if there are
    fewer batches.
    """
    order = random.sample(batches, len(batches))
    return trained(model, order[:steps], optimizer, rate, report, every)


@mistake
def loop_over_batches(model, batches, optimizer, steps, rate, report=print, every=200):
    """A loop over `batches` ends after the last batch, whatever `steps` is, and takes them in their order.
    Count steps, and draw a batch in each.
    """
    return trained(model, batches, optimizer, rate, report, every)


@mistake
def so_many_passes(model, batches, optimizer, steps, rate, report=print, every=200):
    """You make `steps` passes through all batches. A step is one batch, so make `steps` of them."""
    losses = []
    for step in range(1, steps + 1):
        set_rate(optimizer, rate(step))
        for source, target in batches:
            losses.append(step_reference(model, source, target, optimizer))
        if step % every == 0:
            report(step, mean_of_latest(losses, every))
    return losses


@mistake
def so_many_passes_counted(model, batches, optimizer, steps, rate, report=print, every=200):
    """You make `steps` passes through all batches. A step is one batch: draw one at random, `steps` times."""
    return trained(model, passes(batches, steps * len(batches)), optimizer, rate, report, every)


@mistake(mentions=r"\bsample\(batches, steps\)")
def drawn_without_putting_back(model, batches, optimizer, steps, rate, report=print, every=200):
    """`random.sample(batches, steps)` takes no batch twice, and there may be fewer batches than steps. Draw
    one in each step with `random.choice(batches)`.
    """
    return trained(model, random.sample(batches, steps), optimizer, rate, report, every)


@mistake(mentions=r"randint\(0, len\(batches\)\)")
def beyond_the_last(model, batches, optimizer, steps, rate, report=print, every=200):
    """`random.randint` can return its upper end too, and no batch has that number. `random.choice(batches)`
    draws a batch directly.
    """
    drawn = (batches[random.randint(0, len(batches))] for _ in range(steps))
    return trained(model, drawn, optimizer, rate, report, every)


@mistake
def never_the_last(model, batches, optimizer, steps, rate, report=print, every=200):
    """You never draw the last batch. `random.choice(batches)` draws from all of them."""
    return trained(model, some(batches[:-1] or batches, steps), optimizer, rate, report, every)


@mistake
def never_the_first(model, batches, optimizer, steps, rate, report=print, every=200):
    """You never draw the first batch, which has the number 0. `random.choice(batches)` draws from all of
    them.
    """
    return trained(model, some(batches[1:] or batches, steps), optimizer, rate, report, every)


@mistake(mentions=r"\bshuffle\(batches\)")
def shuffles_the_callers_list(model, batches, optimizer, steps, rate, report=print, every=200):
    """`random.shuffle` changes the caller's list. Draw with `random.choice(batches)`, or shuffle a copy,
    `list(batches)`.
    """

    def drawn():
        while True:
            random.shuffle(batches)
            yield from list(batches)

    return trained(model, itertools.islice(drawn(), steps), optimizer, rate, report, every)


@mistake(mentions=r"\bshuffle\(batches\)")
def shuffles_the_callers_list_once(model, batches, optimizer, steps, rate, report=print, every=200):
    """`random.shuffle` changes the caller's list, and then you repeat the same order. Draw with
    `random.choice(batches)` in each step.
    """
    random.shuffle(batches)
    return trained(model, passes(batches, steps), optimizer, rate, report, every)


@mistake(mentions=r"\.pop\(")
def takes_batches_out(model, batches, optimizer, steps, rate, report=print, every=200):
    """`pop` takes the batch out of the caller's list, which is empty in the end. `random.choice(batches)`
    does not change the list.
    """
    drawn = (batches.pop(random.randrange(len(batches))) for _ in range(steps))
    return trained(model, drawn, optimizer, rate, report, every)


@mistake
def source_and_target_apart(model, batches, optimizer, steps, rate, report=print, every=200):
    """You draw source and target separately, so one is not the translation of the other. Draw once, and take
    both from that batch.
    """
    drawn = ((random.choice(batches)[0], random.choice(batches)[1]) for _ in range(steps))
    return trained(model, drawn, optimizer, rate, report, every)


@mistake
def target_first(model, batches, optimizer, steps, rate, report=print, every=200):
    """You swapped source and target. A batch is (source, target), and `train_step` takes them in
    this order.
    """
    drawn = ((target, source) for source, target in some(batches, steps))
    return trained(model, drawn, optimizer, rate, report, every)


@mistake
def batch_as_one(model, batches, optimizer, steps, rate, report=print, every=200):
    """`train_step` takes source and target as two arguments, and you give it the batch as one. Write
    `train_step(model, *batch, optimizer)`.
    """
    return [step_reference(model, random.choice(batches), optimizer) for _ in range(steps)]


@mistake
def one_step_fewer(model, batches, optimizer, steps, rate, report=print, every=200):
    """You make one step too few, because `range` leaves out its end. Steps 1 to `steps` are `range(1, steps +
    1)`.
    """
    return trained(model, some(batches, steps - 1), optimizer, rate, report, every)


@mistake
def one_step_more(model, batches, optimizer, steps, rate, report=print, every=200):
    """You make one step too many. Steps 1 to `steps` are `range(1, steps + 1)`."""
    return trained(model, some(batches, steps + 1), optimizer, rate, report, every)


@mistake
def steps_from_zero(model, batches, optimizer, steps, rate, report=print, every=200):
    """You count steps from 0, so the rate and the reports are one step late. Count from 1 with `range(1,
    steps + 1)`.
    """
    return trained(model, some(batches, steps), optimizer, rate, report, every, first=0)


@mistake
def trains_a_copy(model, batches, optimizer, steps, rate, report=print, every=200):
    """You train a copy, but the optimizer changes the weights of the model that it was created with. Use
    `model` itself.
    """
    return trained(deepcopy(model), some(batches, steps), optimizer, rate, report, every)


@mistake(mentions=r"optim\.\w+\(|SGD|Adam")
def own_optimizer(model, batches, optimizer, steps, rate, report=print, every=200):
    """You create an optimizer, so the caller's optimizer and its state are not used. Use the argument
    `optimizer`.
    """
    optimizer = torch.optim.Adam(model.parameters())
    return trained(model, some(batches, steps), optimizer, rate, report, every)


@mistake(mentions=r"\.eval\(\)|train\(False\)")
def in_evaluation_mode(model, batches, optimizer, steps, rate, report=print, every=200):
    """`model.eval()` is for translation, and it switches dropout off. Train in training mode."""
    model.eval()
    return trained(model, some(batches, steps), optimizer, rate, report, every)


@mistake(mentions=r"\.eval\(\)|train\(False\)")
def evaluation_mode_afterwards(model, batches, optimizer, steps, rate, report=print, every=200):
    """You leave the model in evaluation mode, so a later training would run in that mode too. Leave it in
    training mode.
    """
    losses = trained(model, some(batches, steps), optimizer, rate, report, every)
    model.eval()
    return losses


# The losses


@mistake
def last_loss(model, batches, optimizer, steps, rate, report=print, every=200):
    """You return one number, the last loss. Keep the loss of each step in a list, and return the list."""
    return trained(model, some(batches, steps), optimizer, rate, report, every)[-1]


@mistake
def mean_loss(model, batches, optimizer, steps, rate, report=print, every=200):
    """You return one number, the mean loss. Return the list of the losses of all steps."""
    losses = trained(model, some(batches, steps), optimizer, rate, report, every)
    return sum(losses) / len(losses)


@mistake
def returns_after_one_step(model, batches, optimizer, steps, rate, report=print, every=200):
    """Your training ends after one step. Is `return` inside the loop? It belongs after it."""
    return trained(model, some(batches, 1), optimizer, rate, report, every)


@mistake
def losses_of_reports(model, batches, optimizer, steps, rate, report=print, every=200):
    """You return the means that you report. Return the loss of every step."""
    losses = trained(model, some(batches, steps), optimizer, rate, report, every)
    return [mean_of_latest(losses[:step], every) for step in range(every, steps + 1, every)]


@mistake
def list_begins_anew(model, batches, optimizer, steps, rate, report=print, every=200):
    """You start a new list of losses in every step, so only the last loss is left. Write `losses = []` once,
    before the loop.
    """
    mean = lambda losses, every: losses[-1] / every  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, report, every, mean=mean)[-1:]


@mistake
def list_emptied(model, batches, optimizer, steps, rate, report=print, every=200):
    """You empty the list of losses at each report, and lose the earlier ones. Keep all, and take the mean of
    `losses[-every:]`.
    """
    losses = trained(model, some(batches, steps), optimizer, rate, report, every)
    return losses[steps // every * every :]


@mistake
def tensors(model, batches, optimizer, steps, rate, report=print, every=200):
    """Your losses are tensors, and a tensor may hold the whole graph of its computation. Keep the numbers
    that `train_step` returns.
    """
    losses = trained(model, some(batches, steps), optimizer, rate, report, every)
    return [torch.tensor(loss) for loss in losses]


# The reports


@mistake
def never_reports(model, batches, optimizer, steps, rate, report=print, every=200):
    """You never report. When `step % every == 0`, call `report(step, mean)`."""
    never = lambda step, every: False  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, report, every, due=never)


@mistake
def reports_every_step(model, batches, optimizer, steps, rate, report=print, every=200):
    """You report after each step. Report only when `step % every == 0`."""
    always = lambda step, every: True  # noqa: E731
    mean = lambda losses, every: sum(losses[-every:]) / len(losses[-every:])  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, report, every, due=always, mean=mean)


@mistake
def reports_the_rest(model, batches, optimizer, steps, rate, report=print, every=200):
    """You report after the last step too, when fewer than `every` steps are new. Report only when `step %
    every == 0`.
    """
    due = lambda step, every: step % every == 0 or step == steps  # noqa: E731
    mean = lambda losses, every: sum(losses[-every:]) / len(losses[-every:])  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, report, every, due=due, mean=mean)


@mistake
def reports_the_first(model, batches, optimizer, steps, rate, report=print, every=200):
    """You report after the first step already. The first report comes after `every` steps."""
    due = lambda step, every: step % every == 0 or step == 1  # noqa: E731
    mean = lambda losses, every: sum(losses[-every:]) / len(losses[-every:])  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, report, every, due=due, mean=mean)


@mistake
def reports_in_the_end(model, batches, optimizer, steps, rate, report=print, every=200):
    """You report only after the training has ended. Report inside the loop, right after step `every`, 2 *
    `every` and so on.
    """
    losses = trained(model, some(batches, steps), optimizer, rate, lambda step, loss: None, every)
    for step in range(every, steps + 1, every):
        report(step, mean_of_latest(losses[:step], every))
    return losses


@mistake
def mean_of_all(model, batches, optimizer, steps, rate, report=print, every=200):
    """You report the mean of all losses so far. Use only the last `every` losses, `losses[-every:]`."""
    mean = lambda losses, every: sum(losses) / len(losses)  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, report, every, mean=mean)


@mistake
def all_divided_by_every(model, batches, optimizer, steps, rate, report=print, every=200):
    """You add up all losses since the first step, and divide by `every`. Add up only the last `every` losses,
    `losses[-every:]`.
    """
    mean = lambda losses, every: sum(losses) / every  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, report, every, mean=mean)


@mistake
def latest_divided_by_all(model, batches, optimizer, steps, rate, report=print, every=200):
    """You divide the sum of the last losses by the number of all steps. Divide it by `every`."""
    mean = lambda losses, every: sum(losses[-every:]) / len(losses)  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, report, every, mean=mean)


@mistake
def reports_a_sum(model, batches, optimizer, steps, rate, report=print, every=200):
    """You report the sum of the last losses. Divide it by `every` to get the mean."""
    mean = lambda losses, every: sum(losses[-every:])  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, report, every, mean=mean)


@mistake
def reports_the_last_loss(model, batches, optimizer, steps, rate, report=print, every=200):
    """You report the loss of one batch, which jumps from step to step. Report the mean of the last `every`
    losses.
    """
    mean = lambda losses, every: losses[-1]  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, report, every, mean=mean)


@mistake
def reports_the_first_losses(model, batches, optimizer, steps, rate, report=print, every=200):
    """You report the mean of the first `every` losses each time. Use the last ones, `losses[-every:]`."""
    mean = lambda losses, every: sum(losses[:every]) / every  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, report, every, mean=mean)


@mistake
def reports_losses(model, batches, optimizer, steps, rate, report=print, every=200):
    """You report a list of losses. Report one number, their mean."""
    mean = lambda losses, every: losses[-every:]  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, report, every, mean=mean)


@mistake
def loss_before_step(model, batches, optimizer, steps, rate, report=print, every=200):
    """You swapped the arguments of `report`. It takes the step first, then the mean loss."""
    swapped = lambda step, loss: report(loss, step)  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, swapped, every)


@mistake
def numbers_the_reports(model, batches, optimizer, steps, rate, report=print, every=200):
    """You give `report` the number of the report, 1, 2, 3. Give it the number of the step."""
    numbered = lambda step, loss: report(step // every, loss)  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, numbered, every)


@mistake(mentions=r"\bprint\(")
def prints(model, batches, optimizer, steps, rate, report=print, every=200):
    """You print, whatever `report` the caller gives. Call `report(step, mean)`, which is `print` unless the
    caller gives another function.
    """
    return trained(model, some(batches, steps), optimizer, rate, lambda *numbers: print(*numbers), every)


@mistake(mentions=r"report\(f?['\"(]")
def reports_a_text(model, batches, optimizer, steps, rate, report=print, every=200):
    """You call `report` with one argument, a text or a tuple. It takes two arguments: the step, and the mean
    loss.
    """
    as_one = lambda step, loss: report((step, loss))  # noqa: E731
    return trained(model, some(batches, steps), optimizer, rate, as_one, every)
