"""beam_search: several translations kept side by side."""

import heapq
import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.exercises.translator.stand_ins import BOS, EOS, UNK, Tree, changed_by, writer
from course_lib.exercises.translator.trees import TREES

beam_search = Exercise(
    "beam_search",
    points=7,
    returns=("ids",),
    hints=[
        "What do you have to keep of a hypothesis? Keep a pair (ids, score), and begin with BOS alone and "
        "the score 0. A candidate is a hypothesis with one of its `beam` most probable next words. Add the "
        "log-probability of that word to the score.",
        "Sort all candidates of all hypotheses by score and keep the first `beam`. Those that end in "
        "`EOS` go to `finished`, and the others are running.",
        "At the end, take the finished one with the largest `score / (len(ids) - 1)`. `BOS` does not count "
        "as a word, and is not part of the result.",
    ],
    examples=[
        "beam_search(writer([4]), torch.tensor([[4]]), beam=1, max_length=4)",
        "beam_search(long_tree(), torch.tensor([[4]]), beam=2, max_length=4)",
        "beam_search(decoy_tree(), torch.tensor([[4]]), beam=2, max_length=4)",
        "beam_search(fair_tree(), torch.tensor([[4]]), beam=2, max_length=4)",
        "beam_search(decoy_tree(), torch.tensor([[4]]), beam=2, max_length=2)",
        "beam_search(twin_tree(), torch.tensor([[4]]), beam=2, max_length=4)",
        "beam_search(third_tree(), torch.tensor([[4]]), beam=2, max_length=2)",
        "beam_search(late_tree(), torch.tensor([[4]]), beam=2, max_length=3)",
        "beam_search(endings_tree(), torch.tensor([[4]]), beam=2, max_length=4)",
        "beam_search(crowded_tree(), torch.tensor([[4]]), beam=2, max_length=5)",
        "beam_search(narrow_tree(), torch.tensor([[4]]), beam=2, max_length=6)",
        "beam_search(patient_tree(), torch.tensor([[4]]), beam=2, max_length=8)",
    ],
    names={made.__name__: made for made in (Tree, writer, *TREES)},
)


@beam_search.reference
def beam_reference(model, source, beam=4, max_length=30):
    running, finished = [([BOS], 0.0)], []
    for _ in range(max_length):
        candidates = []
        for ids, score in running:
            log_probs = model(source, torch.tensor([ids]))[0, -1].log_softmax(dim=-1)
            best = zip(*(values.tolist() for values in log_probs.topk(beam)), strict=True)
            candidates += [([*ids, word], score + log_prob) for log_prob, word in best]
        candidates = sorted(candidates, key=lambda candidate: candidate[1], reverse=True)[:beam]
        finished += [candidate for candidate in candidates if candidate[0][-1] == EOS]
        running = [candidate for candidate in candidates if candidate[0][-1] != EOS]
        if not running:
            break
    ids, _ = max(finished or running, key=lambda candidate: candidate[1] / (len(candidate[0]) - 1))
    return ids[1:]


def tree(inputs, *ways):
    """A tree of ways (words, chances) that end in 2; the words 4 to 11 get other names, drawn by chance.

    What is left of the probability at each fork goes to 3, from which no way leads on.
    """
    order = (4 + torch.rand(8, generator=inputs.named("words").generator).argsort()).tolist()
    table = {}
    for words, chances in ways:
        words = [order[word - 4] if word >= 4 else word for word in words]
        for t, (word, chance) in enumerate(zip(words, chances, strict=True)):
            table.setdefault(tuple(words[:t]), {})[word] = chance
    for fork in table.values():
        if sum(fork.values()) < 0.999:
            fork[UNK] = 1 - sum(fork.values())
    return Tree(table)


def chain(*chances):
    """Ways of one chain of 17 words that goes on with these chances, and surely after them, or else ends."""
    words = [4 + place % 8 for place in range(17)]
    for place, chance in enumerate(chances):
        yield (*words[:place], EOS), (*chances[:place], 1 - chance)
    yield (*words, EOS), (*chances, *[1.0] * (len(words) - len(chances) + 1))


SOURCE = torch.tensor([[4, 6, 2]])


@beam_search.part("finds what greedy decoding misses", points=1)
def beats_greedy(search, inputs):
    decoy = tree(
        inputs,
        ((4, 6, 2), (0.6, 0.4, 1.0)),
        ((4, 7, 2), (0.6, 0.35, 1.0)),
        ((5, 8, 2), (0.4, 0.9, 1.0)),
    )
    fair = tree(inputs, ((4, 6, 2), (0.5, 0.5, 1.0)), ((5, 8, 2), (0.3, 0.75, 1.0)))
    return {
        "ids": search(decoy, SOURCE, beam=2, max_length=8),
        "ids (greedy is right here)": search(fair, SOURCE, beam=2, max_length=8),
    }


@beam_search.part("keeps the `beam` best of all candidates", points=1)
def keeps(search, inputs):
    narrow = tree(
        inputs,
        ((4, 2), (0.52, 0.88)),
        ((4, 6, 2), (0.52, 0.12, 1.0)),
        ((5, 7, 2), (0.48, 0.6, 0.5)),
        ((5, 8, 9, 10, 2), (0.48, 0.4, 1.0, 1.0, 1.0)),
    )
    # words of 3 and 4.5 %: their logarithms are below -3
    rare = tree(inputs, ((4, 2), (0.5, 0.03)), ((5, 2), (0.4, 0.045)))
    # an unknown word, 3, and one that comes again
    odd = tree(inputs, ((4, 3, 4, 4, 2), (0.6, 1.0, 1.0, 1.0, 1.0)), ((5, 2), (0.4, 0.3)))
    twins = tree(inputs, ((4, 6, 2), (0.55, 0.9, 0.3)), ((5, 6, 2), (0.45, 0.9, 1.0)))
    return {
        "ids (of two that go on with the same word)": search(twins, SOURCE, beam=2, max_length=8),
        "ids (of words that come again)": search(odd, SOURCE, beam=2, max_length=8),
        "ids": search(narrow, SOURCE, beam=2, max_length=8),
        "ids (of rare words)": search(rare.eval(), SOURCE, beam=4, max_length=3),
    }


@beam_search.part("with a beam of 1 it equals greedy decoding", points=1)
def greedy(search, inputs):
    decoy = tree(inputs, ((4, 6, 2), (0.6, 0.55, 1.0)), ((5, 8, 2), (0.4, 1.0, 1.0)))
    return {"ids": search(decoy, SOURCE, beam=1, max_length=8)}


@beam_search.part("compares log-probabilities per word", points=1)
def per_word(search, inputs):
    lengths = {
        "a long one, likelier word by word": (
            ((4, 2), (0.55, 0.9)),
            ((5, 6, 7, 8, 9, 2), (0.45, 0.9, 0.95, 0.95, 0.95, 0.95)),
        ),
        "a long one, barely likelier word by word": (
            ((4, 2), (0.55, 0.9)),
            ((5, 6, 7, 8, 9, 2), (0.45, 0.8, 0.8, 0.8, 0.8, 0.85)),
        ),
        "a long one, likelier as a whole too": (
            ((4, 2), (0.5, 0.6)),
            ((5, 6, 7, 2), (0.5, 0.9, 0.9, 0.9)),
        ),
        "a short one, likelier word by word": (
            ((4, 2), (0.52, 0.9)),
            ((5, 6, 7, 8, 9, 2), (0.48, 0.67, 0.67, 0.67, 0.67, 0.67)),
        ),
        "two of almost the same length": (((4, 6, 2), (0.58, 1.0, 1.0)), ((5, 2), (0.42, 1.0))),
        "a short one, barely likelier word by word": (((4, 2), (0.5, 0.74)), ((5, 6, 2), (0.5, 0.35, 1.0))),
        "the end alone, less likely": (((2,), (0.3,)), ((5, 6, 2), (0.7, 1.0, 1.0))),
        "the end alone, likelier word by word": (((2,), (0.9,)), ((5, 6, 2), (0.1, 1.0, 1.0))),
    }
    return {
        f"ids ({name})": search(tree(inputs, *ways), SOURCE, beam=3, max_length=8)
        for name, ways in lengths.items()
    }


@beam_search.part("continues after the first has finished, and does not change it", points=1)
def goes_on(search, inputs):
    late = tree(inputs, ((4, 2), (0.48, 0.3)), ((4, 9, 2), (0.48, 0.7, 0.5)), ((5, 6, 2), (0.52, 1.0, 1.0)))
    early = tree(inputs, ((4, 2), (0.8, 0.9)), ((5, 6, 2), (0.2, 1.0, 1.0)))
    crowded = tree(
        inputs,
        ((4, 2), (0.5, 0.9)),
        ((5, 6, 7, 9, 2), (0.5, 1.0, 0.55, 0.5, 0.5)),
        ((5, 6, 7, 10, 2), (0.5, 1.0, 0.55, 0.5, 0.5)),
        ((5, 6, 8, 2), (0.5, 1.0, 0.45, 1.0)),
    )
    # as many have finished as the beam has places, one in each round, and the best ends after them
    ended = tree(
        inputs,
        ((4, 2), (0.3, 1.0)),
        ((5, 6, 2), (0.7, 1.0, 0.4)),
        ((5, 6, 7, 8, 2), (0.7, 1.0, 0.6, 1.0, 1.0)),
    )
    # the first is best, and as many as the beam has places end after it
    first = tree(
        inputs,
        ((4, 2), (0.5, 0.95)),
        ((5, 6, 2), (0.5, 1.0, 0.5)),
        ((5, 6, 7, 2), (0.5, 1.0, 0.5, 0.5)),
    )
    # the first is better than the other one is until its 15th word
    far = (4, *[5, 6, 7] * 4, 8, 9, 2)
    patient = tree(inputs, ((4, 2), (1.0, 0.8)), (far, (1.0, 0.2, *[1.0] * (len(far) - 2))))
    # one chain, from which a hypothesis ends in each of the first rounds; it is the best in the end
    chains = {
        "the end leads in six rounds": [0.45] * 6,
        "two have finished, and one leads word by word": [0.4, 0.6],
        "many have finished, with higher sums": [0.6] * 4,
    }
    waited = {
        f"ids ({name})": search(tree(inputs, *chain(*chances)), SOURCE, beam=2, max_length=20)
        for name, chances in chains.items()
    }
    return waited | {
        "ids (a far longer one is better in the end)": search(patient, SOURCE, beam=2, max_length=20),
        "ids": search(late, SOURCE, beam=3, max_length=8),
        "ids (the first is best)": search(early, SOURCE, beam=3, max_length=8),
        "ids (the first is best, and two more end)": search(first, SOURCE, beam=2, max_length=8),
        "ids (the finished takes no place)": search(crowded, SOURCE, beam=2, max_length=5),
        "ids (two have finished, and a better one runs on)": search(
            ended.eval(), SOURCE, beam=2, max_length=8
        ),
    }


@beam_search.part("returns the best so far if none has finished at max_length", points=1)
def cut(search, inputs):
    ways = (
        ((4, 6, 7, 2), (0.6, 0.9, 1.0, 1.0)),
        ((5, 8, 9, 2), (0.4, 0.6, 1.0, 1.0)),
        ((5, 2), (0.4, 0.3)),  # the third of the candidates
    )
    third = tree(
        inputs,
        ((4, 6, 7, 2), (0.6, 1.0, 1.0, 1.0)),
        ((5, 8, 9, 2), (0.4, 0.6, 1.0, 1.0)),
        ((5, 2), (0.4, 0.3)),  # the third of all candidates
    )
    return {
        "ids": search(tree(inputs, *ways), SOURCE, beam=2, max_length=2),
        "ids (three are running)": search(tree(inputs, *ways), SOURCE, beam=3, max_length=2),
        "ids (the third has ended)": search(third.eval(), SOURCE, beam=2, max_length=2),
        "the model afterwards": changed_by(lambda model: search(model, SOURCE, beam=2, max_length=2), inputs),
    }


@beam_search.accept("all hypotheses in one batch")
def in_one_batch(model, source, beam=4, max_length=30):
    ids, scores, finished = torch.tensor([[BOS]]), torch.zeros(1), []
    for _ in range(max_length):
        log_probs = model(source.expand(len(ids), -1), ids)[:, -1].log_softmax(dim=-1)
        total = (scores[:, None] + log_probs).flatten()
        scores, index = total.topk(min(beam, len(total)))
        rows, words = index // log_probs.shape[1], index % log_probs.shape[1]
        ids = torch.cat([ids[rows], words[:, None]], dim=1)
        ended = words == EOS
        finished += zip((scores[ended] / (ids.shape[1] - 1)).tolist(), ids[ended].tolist(), strict=True)
        ids, scores = ids[~ended], scores[~ended]
        if len(ids) == 0:
            break
    best = max(finished)[1] if finished else ids[scores.argmax()].tolist()
    return best[1:]


@beam_search.accept("every word of the vocabulary is a candidate")
def whole_vocabulary(model, source, beam=4, max_length=30):
    running, finished = {(): 0.0}, {}
    while running and max_length > 0:
        max_length -= 1
        candidates = {}
        for words, score in running.items():
            logits = model(source, torch.tensor([[BOS, *words]]))[0][-1]
            log_probs = (logits - logits.logsumexp(dim=0)).tolist()
            candidates |= {(*words, word): score + value for word, value in enumerate(log_probs)}
        best = heapq.nlargest(beam, candidates, key=candidates.get)
        finished |= {words: candidates[words] for words in best if words[-1] == EOS}
        running = {words: candidates[words] for words in best if words[-1] != EOS}
    pool = finished or running
    return list(max(pool, key=lambda words: pool[words] / len(words)))


@beam_search.accept("mean log-probability kept beside the sum")
def with_means(model, source, beam=4, max_length=30):
    beams, best = [(0.0, [BOS])], (-math.inf, [])
    for length in range(1, max_length + 1):
        grown = []
        for total, ids in beams:
            probs = torch.softmax(model(source, torch.tensor(ids)[None])[0, -1], dim=-1)
            grown += [(total + math.log(p + 1e-30), [*ids, word]) for word, p in enumerate(probs.tolist())]
        beams = sorted(grown, reverse=True)[:beam]
        for total, ids in [hypothesis for hypothesis in beams if hypothesis[1][-1] == EOS]:
            best = max(best, (total / length, ids[1:]))
        beams = [hypothesis for hypothesis in beams if hypothesis[1][-1] != EOS] or beams[:0]
        if not beams:
            return best[1]
    return best[1] or beams[0][1][1:]


@beam_search.accept("a generator of candidates")
def with_generator(model, source, beam=4, max_length=30):
    def grown(running):
        for ids, score in running:
            log_probs = torch.log_softmax(model(source, torch.tensor([ids])), dim=-1)[0, len(ids) - 1]
            order = log_probs.argsort(descending=True)[:beam]
            yield from (([*ids, int(word)], score + float(log_probs[word])) for word in order)

    running, finished = [([BOS], 0.0)], []
    for _ in range(max_length):
        ranked = sorted(grown(running), key=lambda pair: -pair[1])[:beam]
        finished.extend(pair for pair in ranked if EOS in pair[0])
        running = [pair for pair in ranked if EOS not in pair[0]]
        if len(running) == 0:
            break
    return max(finished or running, key=lambda pair: pair[1] / len(pair[0][1:]))[0][1:]
