"""decoder_step: one step of a recurrent decoder with attention (Bahdanau et al. 2015)."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of
from course_lib.checks.properties import follows, rows_sum_to_one
from course_lib.exercises.before_attention.stand_ins import attend, cell

decoder_step = Exercise(
    "decoder_step",
    points=7,
    returns=("state: batch hidden", "weights: batch source"),
    hints=[
        "Which of the three tensors is the query, and which one gives keys and values? Which shape does "
        "`attend` need for the queries, if each sentence has one?",
        "The state is the query and the memory gives keys and values: "
        "`context, weights = attend(state[:, None], memory, memory)`.",
        "Context and weights have an axis of size 1 for the query. `[:, 0]` removes it.",
        "Put word and context side by side, `x = torch.cat([word, context[:, 0]], dim=-1)`. The new state is "
        "`cell(x, state)`, and the weights are `weights[:, 0]`.",
    ],
    examples=[
        "decoder_step(torch.tensor([[1.]]), torch.tensor([[0.5, -1.]]), "
        "torch.tensor([[[1., 0.], [0., 2.], [-1., 1.]]]), attend, cell(1, 2))",
        "decoder_step(torch.tensor([[1.], [-1.]]), torch.tensor([[0.5], [2.]]), "
        "torch.tensor([[[1.], [0.], [3.]], [[-1.], [2.], [1.]]]), attend, cell(1, 1))",
        "[x.requires_grad for x in decoder_step(torch.ones(1, 1), torch.ones(1, 1), "
        "torch.ones(1, 2, 1).requires_grad_(), attend, cell(1, 1))]",
    ],
    names={"attend": attend, "cell": cell},
)

WEIGHTS = (rows_sum_to_one("weights"),)
D_MODEL, HIDDEN = 3, 4


def arguments(inputs, batch=2, source=5):
    """word, state and memory: no two axes are alike."""
    return inputs.normal(batch, D_MODEL), inputs.normal(batch, HIDDEN), inputs.normal(batch, source, HIDDEN)


@decoder_step.reference
def reference(word, state, memory, attend, cell):
    context, weights = attend(state[:, None], memory, memory)
    return cell(torch.cat([word, context[:, 0]], dim=-1), state), weights[:, 0]


@decoder_step.part("the old state is the query of the attention", points=2, properties=WEIGHTS)
def asks(decoder_step, inputs):
    given = arguments(inputs)
    alone = (x[:1] for x in given)  # a batch of one is still a batch
    return {
        "weights: batch source": decoder_step(*given, attend, cell(D_MODEL, HIDDEN))[1],
        "weights (one sentence): batch source": decoder_step(*alone, attend, cell(D_MODEL, HIDDEN))[1],
    }


@decoder_step.part("the cell makes the new state from word, context and old state", points=2)
def takes_in(decoder_step, inputs):
    # All vectors of a memory are alike, so the context is that vector for every query.
    word, state, memory = arguments(inputs)
    memory = memory[:, :1].expand(-1, 5, -1).clone()
    adding = decoder_step(word, state, 10 * memory, attend, lambda x, state: state + x[:, -HIDDEN:])[0]
    alike = decoder_step(inputs.normal(2, HIDDEN), state, memory, attend, cell(HIDDEN, HIDDEN))[0]
    asked = []

    def asking(query, key, value):
        asked.append(query)
        return attend(query, key, value)

    decoder_step(word, state, memory, asking, cell(3, 4))
    return {
        "state (memory alike): batch hidden": decoder_step(word, state, memory, attend, cell(3, 4))[0],
        "state (memory alike, a word as long as the state): batch hidden": alike,
        "state (the cell adds a large context to it): batch hidden": adding,
        "`attend` is called": bool(asked),
    }


@decoder_step.part(
    "the context is the average of the memory by the weights",
    points=1,
    properties=(follows("change of the state", "a word of the memory"),),
)
def looks(decoder_step, inputs):
    word, state, memory = arguments(inputs)
    before = decoder_step(word, state, memory, attend, cell(D_MODEL, HIDDEN))[0]
    memory[:, 2] = inputs.normal(2, HIDDEN)  # in the tensor itself, of which an answer may keep something
    after = decoder_step(word, state, memory, attend, cell(D_MODEL, HIDDEN))[0]
    return {"change of the state: batch hidden": after - before}


@decoder_step.part("gradients reach the word, the old state and the memory", points=1)
def gradients(decoder_step, inputs):
    names = ("word", "state", "memory")
    leaves = {name: tensor.requires_grad_() for name, tensor in zip(names, arguments(inputs), strict=True)}
    state, weights = decoder_step(*leaves.values(), attend, cell(D_MODEL, HIDDEN))
    return gradients_of(torch.cat([state, weights], dim=-1), leaves)


# Accepted: other ways to write the same


@decoder_step.accept("unsqueeze and squeeze, arguments by name")
def squeezed(word, state, memory, attend, cell):
    context, weights = attend(query=state.unsqueeze(1), key=memory, value=memory)
    new = cell(x=torch.hstack([word, context.squeeze(1)]), state=state)
    return new, weights.squeeze(1)


@decoder_step.accept("the context from the weights")
def from_weights(word, state, memory, attend, cell):
    weights = attend(state[:, None, :], memory, memory)[1]
    context = torch.einsum("bts,bsh->bh", weights, memory)
    return cell(torch.cat((word, context), 1), state), weights[:, 0, :]


@decoder_step.accept("sentence by sentence")
def singly(word, state, memory, attend, cell):
    states, rows = [], []
    for i in range(len(word)):
        context, weights = attend(state[i].view(1, 1, -1), memory[i : i + 1], memory[i : i + 1])
        x = torch.cat([word[i], context.flatten()])
        states.append(cell(x[None], state[i : i + 1])[0])
        rows.append(weights.flatten())
    return torch.stack(states), torch.stack(rows)


@decoder_step.accept("the same sum, by hand")
def summed(word, state, memory, attend, cell):
    _, weights = attend(state.reshape(len(state), 1, state.shape[-1]), memory, memory)
    weights = weights.flatten(1)
    context = (weights.unsqueeze(-1) * memory).sum(dim=1)
    return cell(torch.concat([word, context], dim=-1), state), weights
