"""Wrong answers to greedy_decode: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.translator.stand_ins import BOS, EOS, PAD, UNK

mistake = Mistakes()


def decoding(
    model,
    source,
    max_length,
    begin=BOS,
    read=lambda target: target,
    choose=lambda logits: logits[:, -1].argmax(dim=-1),
    finished=lambda done, token: bool(done.all()),
    fill=PAD,
):
    """The right answer, with one piece to replace."""
    target = torch.full((len(source), 1), begin)
    done = torch.zeros(len(source), dtype=torch.bool)
    while target.shape[1] <= max_length:
        token = choose(model(source, read(target)))
        token = token if fill is None else token.masked_fill(done, fill)
        target = torch.cat([target, token[:, None]], dim=1)
        done = done | (token == EOS)
        if finished(done, token):
            break
    return target[:, 1:]


@mistake("D1")
def last_word_only(model, source, max_length=30):
    """You give the decoder only its last word, so it has no information about the earlier words. Give it the
    whole `target`. (One word is enough only with cached keys and values.)
    """
    return decoding(model, source, max_length, read=lambda target: target[:, -1:])


@mistake("D2")
def first_position(model, source, max_length=30):
    """You take the prediction at the first position in every round. The prediction of the newest word is
    `logits[:, -1]`.
    """
    return decoding(model, source, max_length, choose=lambda logits: logits[:, 0].argmax(dim=-1))


@mistake("D3")
def over_positions(model, source, max_length=30):
    """Your `argmax` runs over the positions. It has to run over the vocabulary, the last axis."""
    return decoding(model, source, max_length, choose=lambda logits: logits.argmax(dim=1)[:, -1])


@mistake(mentions=r"argmax\(\)")
def one_for_all(model, source, max_length=30):
    """Your `argmax()` has no `dim`, so it finds one place among the scores of the whole batch. Write
    `argmax(dim=-1)`, which gives a word for each sentence.
    """
    return decoding(
        model, source, max_length, choose=lambda logits: logits[:, -1].argmax().repeat(len(logits))
    )


@mistake
def least_likely(model, source, max_length=30):
    """You write the least probable word, as `argmin` does. The most probable word is `argmax`."""
    return decoding(model, source, max_length, choose=lambda logits: logits[:, -1].argmin(dim=-1))


@mistake("D5")
def never_stops(model, source, max_length=30):
    """Your result always has `max_length` columns. Leave the loop when every sentence has written its end
    symbol, `EOS`, and return only what has been written until then.
    """
    return decoding(model, source, max_length, finished=lambda done, token: False)


@mistake("D5")
def cut_afterwards(model, source, max_length=30):
    """Your loop goes on when all sentences have ended, and each call of the model takes time. Leave the loop
    when every sentence has written its end symbol, `EOS`.
    """
    ids = decoding(model, source, max_length, finished=lambda done, token: False)
    return ids[:, : max(1, int((ids != PAD).sum(dim=1).max()))]


@mistake("D6")
def any_is_enough(model, source, max_length=30):
    """You stop all sentences as soon as one has ended. Stop when all are done."""
    return decoding(model, source, max_length, finished=lambda done, token: bool(done.any()))


@mistake("D7")
def all_at_once(model, source, max_length=30):
    """Your loop stops only if all sentences write the end symbol in the same round. Remember which sentences
    are done.
    """
    finished = lambda done, token: bool((token == EOS).all())  # noqa: E731
    return decoding(model, source, max_length, finished=finished, fill=None)


@mistake("D7")
def goes_on(model, source, max_length=30):
    """Finished sentences go on writing. Once a sentence is done, fill it with `PAD`."""
    return decoding(model, source, max_length, fill=None)


@mistake
def filled_with_end(model, source, max_length=30):
    """You fill finished sentences with the end symbol. Fill them with `PAD`."""
    return decoding(model, source, max_length, fill=EOS)


@mistake("D12")
def in_one_shot(model, source, max_length=30):
    """You predict all words at once from padding. Word t depends on the words before it, so you need one
    round for each word.
    """
    target = torch.full((len(source), max_length), PAD)
    target[:, 0] = BOS
    ids = model(source, target).argmax(dim=-1)
    ended = (ids == EOS).long().cumsum(dim=1) - (ids == EOS).long()
    return ids.masked_fill(ended > 0, PAD)


@mistake("T8")
def from_padding(model, source, max_length=30):
    """You start from id 0, which is padding. The decoder's first word is `BOS`."""
    return decoding(model, source, max_length, begin=PAD)


@mistake
def from_end(model, source, max_length=30):
    """You start from the end symbol. The decoder's first word is `BOS`."""
    target = decoding(model, source, max_length, begin=EOS)
    return target


@mistake
def from_source(model, source, max_length=30):
    """Your decoder continues the source. The source belongs to the encoder, and the decoder starts from
    `BOS`.
    """
    target, size = source, source.shape[1]
    while target.shape[1] - size < max_length:
        token = model(source, target)[:, -1].argmax(dim=-1)
        target = torch.cat([target, token[:, None]], dim=1)
        if (token == EOS).all():
            break
    return target[:, size:]


@mistake
def keeps_begin(model, source, max_length=30):
    """Your result contains the begin symbol, which is not part of the translation. Leave out the first column
    with `[:, 1:]`.
    """
    ids = decoding(model, source, max_length)
    return torch.cat([torch.full((len(ids), 1), BOS), ids], dim=1)


@mistake
def drops_end(model, source, max_length=30):
    """The end symbol is missing from the result. Keep it, because it says that a sentence is complete."""
    ids = decoding(model, source, max_length)
    return ids.masked_fill(ids == EOS, PAD)[:, : max(1, int((ids != EOS).sum(dim=1).max()))]


@mistake
def one_too_short(model, source, max_length=30):
    """Your result is one word too short. `max_length` is the largest number of words in the result, with the
    end symbol and without the begin symbol.
    """
    return decoding(model, source, max_length - 1)


@mistake(mentions=r"\[-1\]")
def last_sentence(model, source, max_length=30):
    """`logits[-1]` is the last sentence of the batch. The newest prediction of every sentence is `logits[:,
    -1]`.
    """
    return decoding(model, source, max_length, choose=lambda logits: logits[-1].argmax(dim=-1))


@mistake
def all_positions(model, source, max_length=30):
    """You append the predictions of all positions in every round. Append only the newest, `logits[:, -1]`."""
    target, done = torch.full((len(source), 1), BOS), torch.zeros(len(source), dtype=torch.bool)
    while target.shape[1] <= max_length and not done.all():
        tokens = model(source, target).argmax(dim=-1)
        target, done = torch.cat([target, tokens], dim=1), done | (tokens[:, -1] == EOS)
    return target[:, 1:]


@mistake("D7")
def forgets_who_is_done(model, source, max_length=30):
    """You forget in each round which sentences were done before, so they start writing again. Remember it
    with `done = done | (token == EOS)`.
    """
    target, done = torch.full((len(source), 1), BOS), torch.zeros(len(source), dtype=torch.bool)
    while target.shape[1] <= max_length and not done.all():
        token = model(source, target)[:, -1].argmax(dim=-1).masked_fill(done, PAD)
        target, done = torch.cat([target, token[:, None]], dim=1), token == EOS
    return target[:, 1:]


@mistake
def end_filled(model, source, max_length=30):
    """You replace the end symbol itself by padding. Fill the sentences that were done before this round."""
    target, done = torch.full((len(source), 1), BOS), torch.zeros(len(source), dtype=torch.bool)
    while target.shape[1] <= max_length and not done.all():
        token = model(source, target)[:, -1].argmax(dim=-1)
        done = done | (token == EOS)
        target = torch.cat([target, token.masked_fill(done, PAD)[:, None]], dim=1)
    return target[:, 1:]


@mistake
def one_too_long(model, source, max_length=30):
    """Your result has one word more than `max_length`. Count the columns without `BOS`."""
    return decoding(model, source, max_length + 1)


@mistake
def without_limit(model, source, max_length=30):
    """`max_length` does not limit your loop, so with a model that never ends it runs too long. Stop after
    `max_length` columns.
    """
    return decoding(model, source, 1000)


@mistake
def one_row(model, source, max_length=30):
    """You begin with one row, whatever the size of the batch. Begin with `BOS` for each of the `len(source)`
    sentences.
    """
    target = torch.full((1, 1), BOS)
    while target.shape[1] <= max_length and target[0, -1] != EOS:
        token = model(source, target)[:, -1].argmax(dim=-1)
        target = torch.cat([target, token[:, None]], dim=1)
    return target[:, 1:]


@mistake
def never_unknown(model, source, max_length=30):
    """You never write UNK, id 3. Here UNK is a word like any other, so write it where it is the most
    probable.
    """

    def choose(logits):
        return logits[:, -1].index_fill(-1, torch.tensor(UNK), -1e9).argmax(dim=-1)

    return decoding(model, source, max_length, choose=choose)


@mistake(mentions=r"\.item\(\)|\bint\(")
def one_number(model, source, max_length=30):
    """A batch has several sentences, so there are several next words. Keep them in a tensor, one for each
    row, without `.item()` or `int(...)`.
    """
    target = torch.full((len(source), 1), BOS)
    while target.shape[1] <= max_length:
        token = model(source, target)[:, -1].argmax(dim=-1).item()
        target = torch.cat([target, torch.tensor([[token]])], dim=1)
        if token == EOS:
            break
    return target[:, 1:]


@mistake(mentions=r"\[0, -1\]|\[0\]\[-1\]")
def first_sentence(model, source, max_length=30):
    """`logits[0, -1]` is the newest prediction of the first sentence only. The predictions of all sentences
    are `logits[:, -1]`.
    """
    target = torch.full((len(source), 1), BOS)
    while target.shape[1] <= max_length and target[0, -1] != EOS:
        token = model(source, target)[0, -1].argmax(dim=-1)
        target = torch.cat([target, token.view(1, 1)], dim=1)
    return target[:, 1:]


@mistake(mentions=r"if .*== EOS|if .*== 2|while .*!= EOS|while .*!= 2")
def asks_a_tensor(model, source, max_length=30):
    """`token == EOS` has one value for each sentence of the batch, and `if` or `while` needs a single one.
    Remember which sentences are done, and ask `done.all()`.
    """
    target = torch.full((len(source), 1), BOS)
    while target.shape[1] <= max_length:
        token = model(source, target)[:, -1].argmax(dim=-1)
        target = torch.cat([target, token[:, None]], dim=1)
        if token == EOS:
            break
    return target[:, 1:]


@mistake(mentions=r"\b(cat|concat|concatenate)\(")
def token_without_axis(model, source, max_length=30):
    """The next words have the shape (batch,), and a column of `target` has (batch, 1). Append `token[:,
    None]`.
    """
    target = torch.full((len(source), 1), BOS)
    while target.shape[1] <= max_length:
        target = torch.cat([target, model(source, target)[:, -1].argmax(dim=-1)], dim=1)
    return target[:, 1:]


@mistake(mentions="multinomial")
def drawn(model, source, max_length=30):
    """`multinomial` draws the next word at random. Greedy decoding takes the most probable word, `argmax`."""

    def choose(logits):
        return torch.multinomial(logits[:, -1].softmax(dim=-1), 1)[:, 0]

    return decoding(model, source, max_length, choose=choose)
