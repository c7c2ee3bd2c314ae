"""Translators that show in one search what beam search is for, and what goes wrong in it."""

import torch

from course_lib.exercises.translator.stand_ins import BOS, EOS, UNK, Tree


def decoy_tree() -> Tree:
    """Greedy takes 4 (0.6), but 5 and what follows it is likelier as a whole: 0.4 against 0.33."""
    return Tree(
        {
            (): {4: 0.6, 5: 0.4},
            (4,): {6: 0.55, 7: 0.45},
            (4, 6): {2: 1.0},
            (5,): {8: 1.0},
            (5, 8): {2: 1.0},
        }
    )


def long_tree() -> Tree:
    """A short one, 4 (0.5), and a longer one, 5 6 (0.375), which is likelier word by word."""
    return Tree({(): {4: 0.5, 5: 0.5}, (4,): {2: 1.0}, (5,): {6: 0.75, 7: 0.25}, (5, 6): {2: 1.0}})


def fair_tree() -> Tree:
    """Greedy is right: 4 6 has 0.33, and 5 8 only 0.32."""
    return Tree(
        {
            (): {4: 0.55, 5: 0.45},
            (4,): {6: 0.6, 7: 0.4},
            (4, 6): {2: 1.0},
            (5,): {8: 0.71, 9: 0.29},
            (5, 8): {2: 1.0},
        }
    )


def narrow_tree() -> Tree:
    """With a beam of 2 the way to 5 8 9 10 is lost behind 5 7; a wider one would find it."""
    return Tree(
        {
            (): {4: 0.52, 5: 0.48},
            (4,): {2: 0.88, 6: 0.12},
            (5,): {7: 0.6, 8: 0.4},
            (5, 7): {2: 0.5, 3: 0.5},
            (5, 8): {9: 1.0},
            (5, 8, 9): {10: 1.0},
            (5, 8, 9, 10): {2: 1.0},
        }
    )


def late_tree() -> Tree:
    """After three words 4 has ended, and 5 6 7, which has not, would look better, did it count."""
    return Tree({(): {4: 0.55, 5: 0.45}, (4,): {2: 1.0}, (5,): {6: 1.0}, (5, 6): {7: 1.0}})


def twin_tree() -> Tree:
    """4 and 5 go on with the same word, and 5, the second, is likelier in the end."""
    return Tree(
        {
            (): {4: 0.55, 5: 0.45},
            (4,): {6: 0.9, 7: 0.1},
            (5,): {6: 0.9, 7: 0.1},
            (4, 6): {2: 0.3, 3: 0.7},
            (5, 6): {2: 1.0},
        }
    )


def third_tree() -> Tree:
    """After two words the end after 5 is a candidate, but not among the best two."""
    return Tree({(): {4: 0.6, 5: 0.4}, (4,): {6: 0.55, 7: 0.45}, (5,): {8: 0.6, 2: 0.4}})


def crowded_tree() -> Tree:
    """4 ends first. If it keeps a place of two, the best, 5 6 8, loses its own."""
    return Tree(
        {
            (): {4: 0.5, 5: 0.5},
            (4,): {2: 0.9, 3: 0.1},
            (5,): {6: 1.0},
            (5, 6): {7: 0.55, 8: 0.45},
            (5, 6, 7): {9: 0.5, 10: 0.5},
            (5, 6, 8): {2: 1.0},
        }
    )


def endings_tree() -> Tree:
    """Nothing (0.3) ends first, then 5 (0.28), then 5 6 (0.42), which is the best."""
    return Tree({(): {5: 0.7, 2: 0.3}, (5,): {6: 0.6, 2: 0.4}, (5, 6): {2: 1.0}})


def patient_tree() -> Tree:
    """Nothing (0.6) and 4 (0.24) end first, but 4 5 6 7 8 (0.16) is likelier word by word in the end."""
    return Tree(
        {
            (): {2: 0.6, 4: 0.4},
            (4,): {2: 0.6, 5: 0.4},
            (4, 5): {6: 1.0},
            (4, 5, 6): {7: 1.0},
            (4, 5, 6, 7): {8: 1.0},
            (4, 5, 6, 7, 8): {2: 1.0},
        }
    )


TREES = decoy_tree, long_tree, fair_tree, narrow_tree, late_tree, third_tree, crowded_tree, endings_tree
TREES += patient_tree, twin_tree


class Forks(dict):
    """The table of a tree that never ends: after any words there is a fork, drawn when it is looked up.

    The first words are of about the same probability, so the best may begin with any of them.
    """

    def __init__(self, inputs, name, vocab):
        super().__init__()
        self.inputs, self.name, self.words = inputs, name, [EOS, *range(UNK, vocab)]

    def get(self, read, default=None):
        if read not in self:
            inputs = self.inputs.named(f"{self.name} {read}")
            chances = inputs.uniform(0.3, 1, len(self.words)) ** (8 if read else 1)
            self[read] = dict(zip(self.words, (chances / chances.sum()).tolist(), strict=True))
        return self[read]


def least_gap(model, source, beam, max_length):
    """How far what a search chooses is from what it leaves: the last of a round, and the best in the end."""
    running, ends, gaps = [(0.0, [BOS])], [], []
    for length in range(1, max_length + 1):
        candidates = []
        for score, ids in running:
            log_probs = model(source, torch.tensor([ids]))[0, -1].log_softmax(dim=-1).tolist()
            candidates += [(score + log_prob, [*ids, word]) for word, log_prob in enumerate(log_probs)]
        candidates.sort(reverse=True)
        gaps.append(candidates[beam - 1][0] - candidates[beam][0])
        ends += [score / length for score, ids in candidates[:beam] if ids[-1] == EOS]
        running = [candidate for candidate in candidates[:beam] if candidate[1][-1] != EOS]
        if not running:
            break
    best, *others = sorted(ends or [score for score, _ in running], reverse=True)
    return min(gaps + [best - other for other in others])
